//===- PlayedIndices.h - Index values at one moment of the play -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of loops are numbers. The contents of registers are unknown: each is
// a sum of unknowns, so that `r + 1` is known to be one more than `r`, with a
// range, so that `r mod 3` is known to be less than 64. A range may be too
// wide, never too narrow.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_ORDER_PLAYEDINDICES_H
#define KILN_COMPILER_LIB_PROVE_ORDER_PLAYEDINDICES_H

#include "kiln/compiler/dialect/nc/Registers.h"

#include <limits>
#include <map>
#include <vector>

namespace kiln::compiler::nc {

struct Amount {
  /// Far from overflow; larger values count as this.
  static constexpr int64_t most = int64_t(1) << 60;

  int64_t constant = 0;
  uint32_t unknown = 0; ///< Added to it: 0 is nothing, equal ones are equal.
  int64_t low = 0, high = 0; ///< Of the sum; both are meant.

  bool isKnown() const { return unknown == 0; }
  static Amount of(int64_t number) { return {number, 0, number, number}; }
};

class PlayedIndices {
public:
  void set(mlir::Value value, Amount amount) { values[value] = amount; }
  /// Nothing is known but its range.
  void narrow(mlir::Value value, int64_t low, int64_t high);
  /// Another iteration, other contents.
  void load(RegisterLoadOp op);

  Amount at(mlir::Value value);
  /// Of the only result.
  Amount at(mlir::AffineMap map, mlir::ValueRange operands);

  Amount sum(const Amount &a, const Amount &b);
  Amount product(const Amount &a, int64_t factor);

  /// What a loop counts through, as far as it is known.
  struct Bounds {
    Amount begin, end;
    std::optional<int64_t> step; ///< If it is a constant, positive one.
    std::optional<int64_t> trips;
    int64_t mostTrips = std::numeric_limits<int64_t>::max();
  };
  Bounds boundsOf(mlir::scf::ForOp loop);

private:
  /// Unknowns and their factors, by unknown.
  using Terms = std::vector<std::pair<uint32_t, int64_t>>;

  Amount read(mlir::AffineExpr expr, mlir::AffineMap map,
              mlir::ValueRange operands);
  Amount binary(mlir::AffineExprKind kind, const Amount &a, const Amount &b);
  Amount extremum(mlir::AffineMap map, mlir::ValueRange operands, bool least);
  Amount compute(mlir::Operation *op, mlir::Value value);
  /// The amount that `key` names, the same for the same key.
  Amount named(std::vector<int64_t> key, int64_t low, int64_t high);
  uint32_t numberOf(Terms terms);

  llvm::DenseMap<mlir::Value, Amount> values;
  llvm::DenseMap<mlir::Value, int64_t> numbers; ///< Of opaque ones.
  llvm::DenseMap<mlir::Value, int64_t> loads;   ///< How often so far.
  std::vector<Terms> sums{Terms()};
  std::map<Terms, uint32_t> sumNumbers;
  std::map<std::vector<int64_t>, uint32_t> unknowns;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_PROVE_ORDER_PLAYEDINDICES_H
