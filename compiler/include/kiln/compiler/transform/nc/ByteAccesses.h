//===- ByteAccesses.h - Operands as byte ranges of places -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORM_NC_BYTEACCESSES_H
#define KILN_COMPILER_TRANSFORM_NC_BYTEACCESSES_H

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/solve/AccessHistory.h"

#include <vector>

namespace kiln::compiler::nc {

/// Buffers are disjoint, except those that the program has pinned to common
/// bytes: such a program may write one buffer and read the other.
class PinnedSpaces {
public:
  explicit PinnedSpaces(mlir::func::FuncOp func);

  /// One buffer of those that share bytes with `base`, or `base` itself.
  mlir::Value placeOf(mlir::Value base) const {
    auto found = first.find(base);
    return found == first.end() ? base : found->second;
  }
  bool isShared(mlir::Value base) const { return first.contains(base); }

private:
  llvm::DenseMap<mlir::Value, mlir::Value> first;
};

/// Numbers the run-time parts of the addresses in one place.
class AddressFamilies {
public:
  problems::ByteAccess describe(const MemoryAccess &access,
                                const PinnedSpaces &spaces);

  /// Moves the access `distance` iterations of `loop` ahead. Its family becomes
  /// unknown if the result is not known.
  void advance(problems::ByteAccess &access, mlir::scf::ForOp loop,
               uint32_t distance) const;

private:
  uint32_t familyOf(IndexForm form, int64_t width);

  struct Family {
    IndexForm form;
    int64_t width = 1; ///< Bytes per element, the unit of the form.
  };
  std::vector<Family> families; ///< Number 1 is the first.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_TRANSFORM_NC_BYTEACCESSES_H
