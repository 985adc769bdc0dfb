//===- schedule.h - What was decided for each loop, as a value ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines, stages, order and copies of buffers, by name. The compiler writes
// its own decisions in this form, and takes decisions in it: from a file, or
// from `schedule()` of the kernel's struct. docs/schedules.md has the grammar
// of the text.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_H
#define KILN_SCHEDULE_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::schedule {

/// Turns are parts of so many iterations.
inline constexpr std::uint32_t wholeShare = 1024;

/// An instruction of the loop's body; or, if it has a share, the turns that
/// another engine takes with it.
struct Operation {
  std::string name; ///< Its `.name`, or its mnemonic and number in the body.
  isa::Engine engine = isa::Engine::sync;
  /// Pipelined loops: intervals from the start of its iteration to its own, and
  /// which of the iterations that start together it belongs to.
  std::uint32_t stage = 0, iteration = 0;
  /// ps from the start of the interval; nothing: with the one before it.
  std::optional<std::int64_t> at = {};
  std::string place = {}; ///< "kernel.h:12"; a comment.
  std::uint32_t line = 0; ///< In the text; 0 = it came from elsewhere.
  /// Pipelined loops: the engine runs it in so many of `wholeShare` iterations;
  /// 0: in all that are nobody's turn.
  std::uint32_t share = 0;
  bool isTurn() const { return share != 0; }
  friend bool operator==(const Operation &a, const Operation &b) {
    return a.name == b.name && a.engine == b.engine && a.stage == b.stage &&
           a.iteration == b.iteration && a.at == b.at && a.share == b.share;
  }
};

/// Copies of a buffer of the body.
struct Ring {
  std::string name; ///< The buffer's, or b and its number in the body.
  std::uint32_t copies = 1;
  std::uint32_t line = 0;
  friend bool operator==(const Ring &a, const Ring &b) {
    return a.name == b.name && a.copies == b.copies;
  }
};

enum class Form : std::uint8_t {
  unordered, ///< The compiler chooses the order.
  ordered,   ///< One iteration after the other, in the order given.
  pipelined, ///< Iterations overlap by stages; the order is that of an
             ///< interval.
};

struct Loop {
  std::string name; ///< "row/key"; empty: outside of loops.
  Form form = Form::unordered;
  std::optional<std::int64_t> interval = {}; ///< Pipelined: ps.
  std::uint32_t iterations = 1; ///< Pipelined: that start together.
  std::vector<Ring> rings = {};
  std::vector<Operation> operations = {};
  std::string place = {};
  std::uint32_t line = 0;
  friend bool operator==(const Loop &a, const Loop &b) {
    return a.name == b.name && a.form == b.form && a.interval == b.interval &&
           a.iterations == b.iterations && a.rings == b.rings &&
           a.operations == b.operations;
  }
};

/// The schedule of one core. The compiler decides what it does not name.
struct Schedule {
  std::string kernel, target;
  std::vector<Loop> loops;
  std::uint32_t line = 0;
  friend bool operator==(const Schedule &a, const Schedule &b) {
    return a.kernel == b.kernel && a.target == b.target && a.loops == b.loops;
  }
};

std::string print(const Schedule &schedule);
std::string print(const Loop &loop);

/// The schedules of all cores, one after the other; or KILN-P130 at a line.
isa::Expected<std::vector<Schedule>> parseSchedules(std::string_view text);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_H
