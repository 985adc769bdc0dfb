//===- RotateStages.h - A body in two stages -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ROTATESTAGES_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ROTATESTAGES_H

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/transform/nc/ByteAccesses.h"

#include <vector>

namespace kiln::compiler::nc {

/// A body in two stages: the first products, with what they need, and the
/// rest.
class RotateStages {
public:
  RotateStages(mlir::scf::ForOp loop, const PinnedSpaces &spaces)
      : loop(loop), spaces(spaces) {}

  /// False if there are none, or if they cannot be taken apart.
  bool find();

  /// Why a body with products stays as it is; empty if it has one stage only.
  llvm::StringRef whyNot() const { return reason; }

  bool isFirst(mlir::Operation *op) const { return first.contains(op); }
  bool isRest(mlir::Operation *op) const {
    return llvm::isa<NcInstruction>(op) && !first.contains(op);
  }
  /// Buffers of the body that both stages use.
  llvm::SmallVector<AllocOp> handedOn() const;

  /// The least bytes of a partition of PSUM that an iteration of the rotated
  /// loop needs: buffers between the stages all the time, the rest by its
  /// lifetimes.
  int64_t psumBytes() const;

private:
  struct Item {
    NcInstruction op;
    llvm::SmallVector<MemoryAccess, 4> accesses;
    bool multiplies = false, reduces = false, isDma = false, tainted = false;
    bool keepsState = false; ///< In its engine: an accumulator, a generator.
    bool isColumn = true;    ///< Writes one element of each row.

    bool writes(mlir::Value base) const {
      return llvm::any_of(accesses, [&](const MemoryAccess &access) {
        return access.writes() && access.base == base;
      });
    }
    bool reads(mlir::Value base) const {
      return llvm::any_of(accesses, [&](const MemoryAccess &access) {
        return access.reads() && access.base == base;
      });
    }
  };

  bool decline(llvm::StringRef why) {
    reason = why;
    return false;
  }

  bool collect();

  bool isLocal(mlir::Value base) const {
    return mlir::scf::ForOp(loop).getBodyRegion().isAncestor(
        base.getParentRegion());
  }

  /// What depends on earlier iterations.
  void taint();

  /// Products that the tensor engine meets again, through other engines.
  bool chooseProducts();

  /// What the chosen ones read is made in their stage.
  void closeBackwards();

  /// Reductions of the products, and copies, go with them. Other work that
  /// needs nothing else is a mask: such loops run along a diagonal, once or
  /// twice, and three loops in place of one cost more than they gain.
  bool closeForwards();

  /// A number for each row that a reader of the products waits for goes with
  /// them, even one that iterations carry, like a running maximum: the reader
  /// then starts where the next iteration does, and no engine waits for all the
  /// chains of a body at once.
  void addStatistics();

  /// Nothing of the second stage among `before` conflicts with it.
  bool mayPass(const Item &item, llvm::ArrayRef<Item> before) const;

  /// The first stage may pass what stands in front of it.
  bool isLegal() const;

  mlir::scf::ForOp loop;
  const PinnedSpaces &spaces;
  llvm::StringRef obstacle; ///< To every move of anything in the body.
  llvm::StringRef reason;   ///< See whyNot().
  std::vector<Item> items;
  llvm::SmallDenseSet<mlir::Value> carried;
  llvm::SmallDenseSet<mlir::Operation *> first;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ROTATESTAGES_H
