//===- Remark.h - What a pass did, and what it declined -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's optimisation remarks, one category per pass. The text is what was
// streamed, numbers included; the numbers keep their names for programs.
//
//   remarks.passed(loop, "Pipelined")
//       << "an iteration starts every " << measure("interval_ns", 512)
//       << " ns";
//
// `noun` chooses the singular or the plural after a number.
//
// If no remark engine is active, a remark costs little more than its numbers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_REMARK_H
#define KILN_COMPILER_DIALECT_NC_REMARK_H

#include "kiln/isa/noun.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

#include <cmath>
#include <string>

namespace kiln::compiler {

using isa::noun;

/// The remarks of one pass.
class Remarks {
public:
  explicit constexpr Remarks(llvm::StringLiteral pass) : pass(pass) {}

  /// For remarks that cost more than their numbers.
  static bool areWanted(mlir::Operation *op) {
    return op->getContext()->getRemarkEngine() != nullptr;
  }

  using InFlight = mlir::remark::detail::InFlightRemark;

  /// It changed the program.
  InFlight passed(mlir::Operation *op, llvm::StringRef name) const {
    return mlir::remark::passed(op->getLoc(), options(name));
  }
  /// It did not change the program, for the reason in the text.
  InFlight missed(mlir::Operation *op, llvm::StringRef name) const {
    return mlir::remark::missed(op->getLoc(), options(name));
  }
  /// A result that changes nothing by itself.
  InFlight analysis(mlir::Operation *op, llvm::StringRef name) const {
    return mlir::remark::analysis(op->getLoc(), options(name));
  }

private:
  mlir::remark::RemarkOpts options(llvm::StringRef name) const {
    return mlir::remark::RemarkOpts::name(name).category(pass);
  }

  llvm::StringLiteral pass;
};

/// Marks the name of a number that statistics may add up.
constexpr char sumMark = '+';

/// A number of things or bytes: statistics add it up over a kernel.
template <class Number>
mlir::remark::detail::Remark::Arg count(llvm::StringRef key, Number value) {
  return {sumMark + key.str(), value};
}

/// A number or a name for which a sum is meaningless.
template <class Value>
mlir::remark::detail::Remark::Arg measure(llvm::StringRef key, Value value) {
  return {key, value};
}

/// ps as whole nanoseconds.
inline mlir::remark::detail::Remark::Arg nanoseconds(llvm::StringRef key,
                                                     double picoseconds) {
  return {key, static_cast<int64_t>(std::llround(picoseconds / 1000))};
}

} // namespace kiln::compiler

#endif // KILN_COMPILER_DIALECT_NC_REMARK_H
