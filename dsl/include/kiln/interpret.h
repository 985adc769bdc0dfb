//===- interpret.h - What a Program means --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain, slow, sequential interpreter of recorded Programs: the definition of
// the language. It shares no code with the compiler and the executor, so a
// result on which they agree was computed twice, independently.
//
// Every number has a bound. Whatever the language leaves open (the order of
// sums, fusion, the engine), a correct machine computes a number within `bound`
// of `value`. The bound includes rounding. It also includes every choice that
// depends on numbers closer together than their bounds: it then covers both
// outcomes. An infinite bound means that nothing is known.
//
//   auto result = interpret::interpret(program, {{"x", numbers}});
//   if (!result.fault)
//     use(result.ranks[0].at("y").elements);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_H
#define KILN_INTERPRET_H

#include "kiln/program.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kiln::interpret {

using isa::DType;
using program::Program;

struct Number {
  double value = 0;
  /// 0: exactly `value`, which may be infinite or NaN. Infinity: unknown.
  double bound = 0;
};

inline constexpr double unbounded = std::numeric_limits<double>::infinity();
/// True if the number can be anything, NaN included.
constexpr bool isUnknown(const Number &n) { return !(n.bound < unbounded); }

/// Numbers in row-major order; four per element of a packed type.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<Number> elements;
};

/// Input and inout tensors of a rank by argument name, exact, in row-major
/// order.
using Inputs = std::map<std::string, std::vector<double>>;
/// Output and inout tensors of a rank.
using Outputs = std::map<std::string, Tensor>;

struct Options {
  /// Operations executed before the interpreter gives up.
  std::uint64_t steps = 200'000'000;
  /// 2, 3 or 4: for numbers that differ between generations, such as random
  /// ones.
  isa::Generation generation = isa::Generation::v3;
};

/// Why the interpreter stopped.
struct Fault {
  enum Kind {
    invalid,    ///< The Program has no meaning: index out of bounds, bad input.
    undecided,  ///< It branches on a number that the language leaves open.
    limit,      ///< More operations than Options::steps.
    unsupported ///< The interpreter does not know the operation.
  };
  Kind kind = invalid;
  std::string text; ///< May be marked (kiln/isa/marked_text.h).
  program::Location where;
};

/// How often an operation on a type was executed.
struct Coverage {
  /// The keys are "binary add" or a mnemonic, and then the result's type.
  std::map<std::string, std::map<std::string, std::uint64_t>> operations;
  void add(const Coverage &other);
  /// A table for people: operations by types.
  std::string text() const;
};

struct Result {
  std::vector<Outputs> ranks;
  std::optional<Fault> fault;
  Coverage coverage;
  /// The number of elements that were read before anything wrote them, so that
  /// their values are unknown, and the place of the first such read.
  std::uint64_t unwrittenReads = 0;
  program::Location firstUnwrittenRead;
};

/// One core on one rank.
Result interpret(const Program &program, const Inputs &inputs,
                 const Options &options = {});
/// The programs of a rank's cores, on one rank per element of `ranks`.
Result interpret(std::span<const Program> cores, std::span<const Inputs> ranks,
                 const Options &options = {});

/// How far a machine's numbers are from what a Program means.
struct Agreement {
  std::uint64_t elements = 0;
  std::uint64_t outside = 0; ///< Further away than their bounds.
  std::uint64_t unknown = 0; ///< With an infinite bound: not compared.
  /// The largest fraction of its bound that an element uses. Elements that must
  /// be exact, and are, use nothing.
  double largestPart = 0;
  std::size_t place = 0; ///< The first one outside; if none is, largestPart's.
  bool holds() const { return outside == 0; }
};
Agreement agreement(const Tensor &expected, std::span<const double> found);

/// The numbers that the bytes of a tensor encode.
std::vector<double> decode(DType dtype, std::span<const std::byte> bytes);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_H
