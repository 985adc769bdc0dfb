//===- Streams.h - Instruction streams built by hand ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_PROBLEMS_STREAMS_H
#define KILN_TEST_PROBLEMS_STREAMS_H

#include "kiln/compiler/prove/SynchronisationChecker.h"

namespace kiln::problems::test {

inline isa::Access tile(std::int64_t offset, std::uint32_t bytes) {
  isa::Access access;
  access.dtype = isa::DType::u8;
  access.partitions = 128;
  access.rank = 1;
  access.offset = offset;
  access.dims[0] = {1, bytes};
  return access;
}

inline isa::Access ringSlot(std::int64_t offset, std::uint32_t bytes,
                            std::uint8_t reg) {
  isa::Access access = tile(offset, bytes);
  access.numTerms = 1;
  access.terms[0] = {{reg}, 1};
  return access;
}

class Streams {
public:
  Streams() { module.locations.push_back({"flash.cpp", 42, 3, "", "exp"}); }

  Streams &add(isa::Engine engine, std::uint32_t position, isa::Body body,
               std::vector<isa::Wait> waits = {},
               std::vector<isa::Signal> signals = {}) {
    isa::Instruction instruction;
    instruction.body = std::move(body);
    instruction.position = position;
    instruction.location = 1;
    instruction.waits = std::move(waits);
    instruction.signals = std::move(signals);
    module.streams[static_cast<std::size_t>(engine)].push_back(
        std::move(instruction));
    return *this;
  }
  std::optional<SyncReport> check(const CheckOptions &options = {}) const {
    return checkSynchronisation(module, options);
  }

  isa::Module module;
};

inline constexpr auto vector = isa::Engine::vector;
inline constexpr auto scalar = isa::Engine::scalar;
inline constexpr auto sync_ = isa::Engine::sync;

inline isa::Body write(isa::Access access) { return isa::Memset{access, 0.0f}; }
inline isa::Body copy(isa::Access dst, isa::Access src) {
  return isa::TensorCopy{dst, src};
}
inline isa::Body dma(isa::Access dst, isa::Access src, int queue) {
  isa::DmaCopy body;
  body.dst = dst;
  body.src = src;
  body.queue = queue;
  return body;
}
inline isa::Body loop(std::uint8_t reg, std::int32_t trips) {
  return isa::LoopBegin{{reg}, {0}, {trips}, 1};
}

} // namespace kiln::problems::test

#endif // KILN_TEST_PROBLEMS_STREAMS_H
