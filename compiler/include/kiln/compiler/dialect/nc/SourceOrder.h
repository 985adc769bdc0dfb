//===- SourceOrder.h - What an operation stands for -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nc-note-order numbers the loops and the operations that access memory, in
// program order, and records the loops around each. Instructions carry their
// number as a property, loops and buffers as an attribute, tile operations as
// metadata of their location, which every pass preserves. A pass that merges
// operations, or copies them for another iteration, says so here.
// nc-check-order simulates the resulting program and requires conflicting
// accesses to be in the order of the numbers. It takes the accesses from the
// operands that it finds. After that, operations are noted again: these numbers
// go into the streams, where the checker of the module compares them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_SOURCEORDER_H
#define KILN_COMPILER_DIALECT_NC_SOURCEORDER_H

#include "kiln/compiler/dialect/nc/Nc.h"

namespace kiln::compiler::nc {

/// The number of a source operation, or an array of several. On an instruction,
/// a single number is a property, which costs next to nothing.
inline constexpr llvm::StringLiteral sourceAttrName = "nc.source";
/// The iteration of a source loop that the operation belongs to, if this is not
/// the iteration of the loop around it with that number. Each entry is [loop,
/// absolute, first, last], in values of the counter; relative values are added
/// to the counter.
inline constexpr llvm::StringLiteral turnsAttrName = "nc.turns";
/// On the function: what was noted.
inline constexpr llvm::StringLiteral orderRecordAttrName = "nc.order_record";

/// On a buffer of a loop body: nothing reads it before something has written
/// it, in each iteration.
inline constexpr llvm::StringLiteral writtenFirstAttrName = "nc.written_first";

/// True for the names above: they promise nothing.
inline bool isSourceNote(llvm::StringRef name) {
  return name == sourceAttrName || name == turnsAttrName;
}

/// The source numbers of an operation; none if it is not noted.
llvm::SmallVector<int64_t, 1> numbersOf(mlir::Operation *op);
mlir::DenseI64ArrayAttr turnsOf(mlir::Operation *op);
inline bool isNoted(mlir::Operation *op) { return !numbersOf(op).empty(); }
/// The same for notes at a location.
llvm::SmallVector<int64_t, 1> numbersOf(mlir::Attribute notes);
mlir::DenseI64ArrayAttr turnsOf(mlir::Attribute notes);

/// Notes the number of an operation that is not at the tile level.
void setNumber(mlir::Operation *op, int64_t number);

/// Notes that `op`, a copy, and everything in it run for other iterations of
/// `loop`.
void noteTurn(mlir::Operation *op, mlir::Operation *loop, bool absolute,
              int64_t first, int64_t last);
inline void noteTurn(mlir::Operation *op, mlir::Operation *loop, bool absolute,
                     int64_t value) {
  noteTurn(op, loop, absolute, value, value);
}

/// Notes that `op` stands for `merged`, too.
void noteMerged(mlir::Operation *op, mlir::Operation *merged);

/// Takes all notes out of a function.
void removeSourceNotes(mlir::func::FuncOp func);

/// The notes at a location, or null; and a location with only these notes.
mlir::Attribute notesAt(mlir::Location location);
mlir::Location withNotes(mlir::Location location, mlir::Attribute notes);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_SOURCEORDER_H
