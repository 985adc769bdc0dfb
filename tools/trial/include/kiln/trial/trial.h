//===- trial.h - A Program through everything ---------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a Program, prints and parses it, compiles it twice, runs the binary
// with all checks in several orders of its engines, and compares what it
// computes with the interpreter. The first difference gives the class of the
// failure. The reducer keeps a smaller Program as long as its failure is of the
// same class.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TRIAL_TRIAL_H
#define KILN_TRIAL_TRIAL_H

#include "kiln/isa/target.h"
#include "kiln/program.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kiln::trial {

enum class Class : std::uint8_t {
  passed,
  tooLarge,    ///< It does not fit on chip: no failure.
  undecided,   ///< It ran, but the interpreter cannot say what it means.
  malformed,   ///< The Program breaks a rule of Programs.
  roundTrip,   ///< Its text parses to another Program.
  rejected,    ///< The compiler reports an error of the Program.
  internal,    ///< The compiler reports an error of its own.
  unequal,     ///< Compiling it again gives other bytes.
  fault,       ///< The executor found a fault in the binary.
  unstable,    ///< Another order of the engines gives other results.
  wrongValue,  ///< The interpreter gives other results.
  meaningless, ///< The interpreter found no meaning.
  crash,       ///< A signal ended it.
  timeout,
};
const char *name(Class kind);
bool isFailure(Class kind);

struct Outcome {
  Class kind = Class::passed;
  std::string code; ///< "KILN-X005", or the output that differs.
  std::string text;
  /// Elements compared with a finite bound, and all of them.
  std::uint64_t compared = 0, elements = 0;

  /// This must stay while a Program is reduced: "fault KILN-X005".
  std::string key() const;
};

struct Settings {
  isa::Target target = isa::trn2;
  std::vector<std::string> without; ///< Optional passes that do not run.
  std::uint64_t inputSeed = 1;
  std::uint64_t interleavings = 3;
  bool roundTrip = true, compileTwice = true, interpret = true;
  std::uint64_t maxSteps = 20'000'000; ///< Limit of the executor.
};

/// The programs of one core or two. A parameter `inputs` = `whole` of a Program
/// asks for floats that hold small integers.
Outcome tryProgram(std::span<const program::Program> cores,
                   const Settings &settings);

} // namespace kiln::trial

#endif // KILN_TRIAL_TRIAL_H
