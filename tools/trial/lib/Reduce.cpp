//===- Reduce.cpp - The smallest Program that still fails ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/trial/reduce.h"

#include "Edits.h"
#include "Inside.h"

#include "kiln/program_text.h"
#include "kiln/program_visit.h"

#include <algorithm>
#include <set>

namespace kiln::trial {
namespace {

using program::Op;
using program::Program;

class Reducer {
public:
  Reducer(Programs programs, const StillFails &stillFails,
          const std::function<void(std::size_t)> &progress)
      : best(std::move(programs)), stillFails(stillFails), progress(progress) {}

  Reduced run() {
    attempt([](Program &program) {
      dropUnused(program);
      return true;
    });
    // Until a whole round makes the text no shorter.
    for (std::size_t before = size() + 1; size() < before;) {
      before = size();
      dropChunks();
      everyOperation(
          [](Program &p, std::size_t i) { return inlineLoop(p, i); });
      for (const std::int64_t trips : {1, 2, 3})
        everyOperation(
            [&](Program &p, std::size_t i) { return setTrips(p, i, trips); });
      for (std::size_t operand = 0; operand < 3; ++operand)
        everyOperation(
            [&](Program &p, std::size_t i) { return bypass(p, i, operand); });
      everyOperation([](Program &p, std::size_t i) { return makeFill(p, i); });
      dropAttributes();
      simplifyIndices();
      shrinkExtents();
      simplifyTypes();
      if (progress)
        progress(operations());
    }
    attempt([](Program &program) {
      dropNames(program);
      return true;
    });
    return {std::move(best), trials};
  }

private:
  std::size_t operations() const {
    std::size_t most = 0;
    for (const Program &program : best)
      most = std::max(most, countOperations(program));
    return most;
  }

  std::size_t size() const {
    std::size_t characters = 0;
    for (const Program &program : best)
      characters += program::printProgram(program, {.locations = false}).size();
    return characters;
  }

  /// Keeps the result of `edit` on all programs if that fails in the same way.
  template <class Edit> bool attempt(Edit &&edit) {
    Programs candidate = best;
    for (Program &program : candidate)
      if (!edit(program))
        return false;
    for (Program &program : candidate)
      dropUnused(program);
    if (candidate == best ||
        !std::all_of(candidate.begin(), candidate.end(), staysInside))
      return false;
    ++trials;
    if (!stillFails(candidate))
      return false;
    best = std::move(candidate);
    return true;
  }

  /// Leaves out as many operations at once as possible: halves, quarters, ..
  void dropChunks() {
    for (std::size_t chunk = std::max<std::size_t>(operations() / 2, 1);;
         chunk /= 2) {
      // From the end: users in front of what they use.
      for (std::size_t end = operations(); end > 0;) {
        const std::size_t begin = end > chunk ? end - chunk : 0;
        attempt([&](Program &program) {
          std::vector<bool> drop(end);
          std::fill(drop.begin() + static_cast<std::ptrdiff_t>(begin),
                    drop.end(), true);
          dropOperations(program, drop);
          return true;
        });
        end = std::min(begin, operations());
      }
      if (chunk <= 1)
        return;
    }
  }

  template <class Edit> void everyOperation(Edit &&edit) {
    for (std::size_t i = operations(); i-- > 0;)
      if (i < operations())
        attempt([&](Program &program) {
          return i < countOperations(program) && edit(program, i);
        });
  }

  void dropAttributes() {
    for (const char *name :
         {"after", "ordered", "label", "waits", "signals", "queue", "engine",
          "partition", "byte", "bank", "ring", "accumulate", "op1", "operand1"})
      everyOperation([&](Program &program, std::size_t i) {
        return dropAttribute(program, i, name);
      });
  }

  void simplifyIndices() {
    for (const std::int64_t value : {0, 1})
      for (std::size_t i = 0; i < best.front().indices.size(); ++i) {
        const program::IndexNode &node = best.front().indices[i];
        if (node.kind == program::IndexKind::constant && node.value <= value)
          continue;
        attempt([&](Program &program) {
          return i < program.indices.size() && setIndex(program, i, value);
        });
      }
  }

  void shrinkExtents() {
    std::set<std::int64_t> extents;
    for (const program::Value &value : best.front().values)
      extents.insert(value.shape.begin(), value.shape.end());
    for (const Program &program : best) {
      Program copy = program;
      for (const Op *op : flatten(copy))
        forEachView(*op, [&](const program::View &view) {
          extents.insert(view.sizes.begin(), view.sizes.end());
        });
    }
    for (auto at = extents.rbegin(); at != extents.rend(); ++at)
      for (const std::int64_t smaller :
           {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, *at / 4, *at / 2,
            *at - 1})
        if (smaller >= 1 && smaller < *at && attempt([&](Program &program) {
              replaceExtent(program, *at, smaller);
              return true;
            })) {
          break;
        }
  }

  void simplifyTypes() {
    using isa::DType;
    for (const auto &[from, to] : {std::pair{DType::bf16, DType::f32},
                                   {DType::f16, DType::f32},
                                   {DType::f8e4m3, DType::f32},
                                   {DType::f8e4m3fn, DType::f32},
                                   {DType::f8e5m2, DType::f32},
                                   {DType::i8, DType::i32},
                                   {DType::i16, DType::i32},
                                   {DType::u16, DType::i32},
                                   {DType::u32, DType::i32}})
      attempt([&, from = from, to = to](Program &program) {
        replaceType(program, from, to);
        return true;
      });
  }

  Programs best;
  const StillFails &stillFails;
  const std::function<void(std::size_t)> &progress;
  std::uint64_t trials = 0;
};

std::size_t countIn(const std::vector<Op> &body) {
  std::size_t count = body.size();
  for (const Op &op : body)
    count += countIn(op.body);
  return count;
}

} // namespace

std::size_t countOperations(const Program &program) {
  return countIn(program.body);
}

Reduced reducePrograms(Programs programs, const StillFails &stillFails,
                       const std::function<void(std::size_t)> &progress) {
  return Reducer(std::move(programs), stillFails, progress).run();
}

} // namespace kiln::trial
