//===- AlignLoops.cpp - Loops that stay in the instruction buffer ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer of a stream holds whole blocks. A loop of 200 instructions fits in
// four blocks of 64, but lies in five of them unless it starts near the start
// of one. Then its head is fetched again in each iteration, which takes about 2
// µs. An instruction that does nothing takes 9 ns, once each time the loop is
// reached.
//
//===----------------------------------------------------------------------===//

#include "AlignLoops.h"

#include "kiln/machine/fetch.h"

#include <cstddef>
#include <variant>

using namespace kiln;
namespace isa = kiln::isa;

/// By instruction: its end, if it is the head of a loop.
static std::vector<std::size_t>
endsOfLoops(const std::vector<isa::Instruction> &stream) {
  std::vector<std::size_t> ends(stream.size()), open;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (isa::isLoop(stream[i].body))
      open.push_back(i);
    if (!std::holds_alternative<isa::LoopEnd>(stream[i].body) || open.empty())
      continue;
    ends[open.back()] = i;
    open.pop_back();
  }
  return ends;
}

std::vector<isa::Instruction>
compiler::alignLoops(std::vector<isa::Instruction> stream,
                     const isa::Target &target) {
  const std::size_t block = machine::fetchBlock(target),
                    room = block * machine::fetchBlocks(target);
  if (stream.size() < room)
    return stream;
  const std::vector<std::size_t> ends = endsOfLoops(stream);
  std::vector<isa::Instruction> aligned;
  aligned.reserve(stream.size());
  // Loops in one that the buffer holds are held with it.
  std::size_t held = 0;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const std::size_t length = ends[i] > i ? ends[i] + 1 - i : 0;
    if (length > 0 && length <= room && i >= held) {
      held = i + length;
      const std::size_t begun = aligned.size() % block;
      if (begun + length > room) {
        isa::Instruction filler;
        filler.body = isa::Semaphore{}; // Waits for nothing, signals nothing.
        filler.position = stream[i].position;
        filler.location = stream[i].location;
        aligned.insert(aligned.end(), block - begun, filler);
      }
    }
    aligned.push_back(std::move(stream[i]));
  }
  return aligned;
}
