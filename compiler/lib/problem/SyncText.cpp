//===- SyncText.cpp - The text form of synchronisation --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loop 0 trips 8                  # or: loop 0 min 1
//   op sync q0 load k
//     write sbuf 0+128 @16384 run 1024 ring 0 2 1024 top
//     read hbm 1 @0 run 1024 dim 4096 128 term 0 524288
//   end
//
// A partition range is first+count; dim: stride, count; term: loop, bytes;
// ring: loop, slots, bytes, scope. Numbers are decimal, in bytes.
//
//===----------------------------------------------------------------------===//

#include "TextReader.h"
#include "kiln/compiler/problem/SyncProblem.h"
#include "kiln/isa/dtype.h"

#include <fmt/format.h>

namespace kiln::problems {
namespace {

std::string text(const SyncAccess &access) {
  const Footprint &bytes = access.bytes;
  std::string out = fmt::format("{} {} ", access.write ? "write" : "read",
                                isa::name(bytes.space));
  if (bytes.space == isa::Space::hbm)
    out += fmt::format("{}", bytes.tensor);
  else
    out += fmt::format("{}+{}", bytes.partition, bytes.partitions);
  out += fmt::format(" @{} run {}", bytes.offset, bytes.run);
  for (const ByteDim &dim : bytes.dims)
    out += fmt::format(" dim {} {}", dim.stride, dim.count);
  for (const LoopTerm &term : bytes.terms)
    out += fmt::format(" term {} {}", term.loop, term.bytes);
  if (bytes.ring) {
    out += fmt::format(" ring {} {} {} ", bytes.ring->loop, bytes.ring->slots,
                       bytes.ring->slotBytes);
    out +=
        bytes.ring->scope == noLoop ? "top" : std::to_string(bytes.ring->scope);
  }
  return out;
}

std::string text(const char *what, const TokenList &tokens) {
  std::string out;
  for (const Token &token : tokens)
    out += fmt::format(" {} s{}:{}", what, token.semaphore, token.value);
  return out;
}

/// Both forms: with a solution, fences and tokens are shown in place.
class Printer {
public:
  Printer(const SyncProblem &problem, const SyncSolution *solution)
      : problem(problem), solution(solution) {}

  std::string run() {
    for (const SyncItem &item : problem.items)
      switch (item.kind) {
      case SyncItem::Kind::loopBegin:
        fences(item.index, false);
        loopBegin(item.index);
        indent += 2;
        break;
      case SyncItem::Kind::loopEnd:
        indent -= 2;
        line("end");
        fences(item.index, true);
        break;
      case SyncItem::Kind::instruction:
        instruction(item.index);
        break;
      }
    return std::move(out);
  }

private:
  void line(const std::string &content) {
    out.append(indent, ' ').append(content).append("\n");
  }
  void loopBegin(LoopId id) {
    const SyncLoop &loop = problem.loops[id];
    std::string content = fmt::format("loop {}", id);
    if (loop.trips)
      content += fmt::format(" trips {}", *loop.trips);
    else if (loop.minTrips)
      content += fmt::format(" min {}", loop.minTrips);
    line(content);
  }
  void instruction(std::uint32_t index) {
    const SyncInstruction &op = problem.instructions[index];
    std::string content = fmt::format("op {}", isa::name(op.engine));
    if (op.queue >= 0)
      content += fmt::format(" q{}", op.queue);
    if (!op.name.empty())
      content += " " + op.name;
    if (solution) {
      const SyncTokens &tokens = solution->instructions[index];
      line(content + text("wait", tokens.waits) +
           text("signal", tokens.signals));
      return;
    }
    line(content);
    for (const SyncAccess &access : op.accesses)
      line("  " + text(access));
  }
  void fences(LoopId loop, bool after) {
    if (!solution)
      return;
    for (const SyncFence &fence : solution->fences)
      if (fence.loop == loop && fence.after == after)
        line(fmt::format("semaphore {}{}{}", isa::name(fence.engine),
                         text("wait", fence.tokens.waits),
                         text("signal", fence.tokens.signals)));
  }

  const SyncProblem &problem;
  const SyncSolution *solution;
  std::string out;
  std::size_t indent = 0;
};

void parseRange(TextReader &reader, Footprint &bytes) {
  std::string_view word = reader.peek();
  std::size_t plus = word.find('+');
  if (plus == std::string_view::npos) {
    reader.fail("expected partitions as first+count");
    return;
  }
  std::string spaced(word);
  spaced[plus] = ' ';
  TextReader numbers(spaced);
  numbers.nextLine();
  bytes.partition = numbers.number<std::uint32_t>();
  bytes.partitions = numbers.number<std::uint32_t>();
  if (numbers.failed())
    reader.fail("expected partitions as first+count");
  reader.word();
}

SyncAccess parseAccess(TextReader &reader, bool write) {
  SyncAccess access;
  access.write = write;
  Footprint &bytes = access.bytes;
  std::string_view space = reader.word();
  if (space == isa::name(isa::Space::hbm)) {
    bytes.space = isa::Space::hbm;
    bytes.tensor = reader.number<std::uint32_t>();
  } else if (space == isa::name(isa::Space::sbuf) ||
             space == isa::name(isa::Space::psum)) {
    bytes.space = space == isa::name(isa::Space::sbuf) ? isa::Space::sbuf
                                                       : isa::Space::psum;
    parseRange(reader, bytes);
  } else {
    reader.fail("expected hbm, sbuf or psum");
  }
  std::string_view offset = reader.word();
  TextReader number(offset.empty() ? offset : offset.substr(1));
  if (offset.empty() || offset[0] != '@' || !number.nextLine())
    reader.fail("expected @offset");
  else
    bytes.offset = number.number<std::int64_t>();
  if (number.failed())
    reader.fail("expected @offset");
  while (!reader.atEnd() && !reader.failed()) {
    if (reader.accept("run")) {
      bytes.run = reader.number<std::uint64_t>();
    } else if (reader.accept("dim")) {
      std::int64_t stride = reader.number<std::int64_t>();
      bytes.dims.push_back({stride, reader.number<std::uint64_t>()});
    } else if (reader.accept("term")) {
      LoopId loop = reader.number<LoopId>();
      bytes.terms.push_back({loop, reader.number<std::int64_t>()});
    } else if (reader.accept("ring")) {
      RingTerm ring;
      ring.loop = reader.number<LoopId>();
      ring.slots = reader.number<std::uint32_t>();
      ring.slotBytes = reader.number<std::int64_t>();
      if (!reader.accept("top"))
        ring.scope = reader.number<LoopId>();
      bytes.ring = ring;
    } else {
      reader.fail("expected run, dim, term or ring");
    }
  }
  return access;
}

} // namespace

std::string print(const SyncProblem &problem) {
  return Printer(problem, nullptr).run();
}

std::string print(const SyncProblem &problem, const SyncSolution &solution) {
  return Printer(problem, &solution).run();
}

Parsed<SyncProblem> parseSyncProblem(std::string_view source) {
  SyncProblem problem;
  TextReader reader(source);
  std::size_t depth = 0;
  while (!reader.failed() && reader.nextLine()) {
    if (reader.accept("loop")) {
      LoopId id = reader.number<LoopId>();
      std::optional<std::uint64_t> trips;
      std::uint64_t least = 0;
      if (reader.accept("trips"))
        trips = reader.number<std::uint64_t>();
      else if (reader.accept("min"))
        least = reader.number<std::uint64_t>();
      if (problem.openLoop(trips, least) != id)
        reader.fail("loops must be numbered in program order");
      ++depth;
    } else if (reader.accept("end")) {
      if (depth == 0)
        reader.fail("nothing to end");
      else
        --depth;
      problem.closeLoop();
    } else if (reader.accept("op")) {
      SyncInstruction instruction;
      readWhereItRuns(reader, instruction.engine, instruction.queue);
      instruction.name = std::string(reader.remainder());
      problem.add(std::move(instruction));
    } else if (reader.peek() == "read" || reader.peek() == "write") {
      bool write = reader.word() == "write";
      if (problem.instructions.empty())
        reader.fail("an access before the first op");
      else
        problem.instructions.back().accesses.push_back(
            parseAccess(reader, write));
    } else {
      reader.fail("expected loop, end, op, read or write");
    }
    reader.expectEnd();
  }
  if (!reader.failed() && depth != 0)
    reader.fail("a loop is not closed");
  return checked(reader, std::move(problem));
}

} // namespace kiln::problems
