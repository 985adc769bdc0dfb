//===- SourceOrder.h - Whom an operation stands for -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nc-note-order numbers the loops and the operations that access memory, in the
// order of the program, and records the loops around each. Numbers ride on
// instructions as a property, on loops and buffers as attributes, on tile
// operations as metadata of their location, which every pass hands on. Whoever
// merges operations or copies them for another iteration says so here.
// nc-check-order plays what became of the program and demands that accesses
// that conflict are in the order of the numbers. What is accessed, it takes
// from the operands that it finds. Noted again behind it, numbers go into the
// streams, where the checker of the module compares them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_NC_SOURCEORDER_H
#define KILN_COMPILER_NC_SOURCEORDER_H

#include "kiln/compiler/Nc/Nc.h"

namespace kiln::compiler::nc {

/// The number of a source operation, or an array of several. Of an instruction,
/// a single number is a property, as which it costs next to nothing.
inline constexpr llvm::StringLiteral sourceAttrName = "nc.source";
/// Which iteration of a source loop it is, where that is not the one of the
/// loop around it with that number: [loop, absolute, first, last] each, values
/// of the counter; relative ones are added to it.
inline constexpr llvm::StringLiteral turnsAttrName = "nc.turns";
/// On the function: what was noted.
inline constexpr llvm::StringLiteral orderRecordAttrName = "nc.order_record";

/// On a buffer of a loop body: nothing reads it before something has written
/// it, in each iteration.
inline constexpr llvm::StringLiteral writtenFirstAttrName = "nc.written_first";

/// True for names of the above: they promise nothing.
inline bool isSourceNote(llvm::StringRef name) {
  return name == sourceAttrName || name == turnsAttrName;
}

/// The source numbers of an operation; none if it is not noted.
llvm::SmallVector<int64_t, 1> numbersOf(mlir::Operation *op);
mlir::DenseI64ArrayAttr turnsOf(mlir::Operation *op);
inline bool isNoted(mlir::Operation *op) { return !numbersOf(op).empty(); }
/// The same of notes at a location.
llvm::SmallVector<int64_t, 1> numbersOf(mlir::Attribute notes);
mlir::DenseI64ArrayAttr turnsOf(mlir::Attribute notes);

/// Notes an operation that is none of the tile level.
void setNumber(mlir::Operation *op, int64_t number);

/// `op`, a copy, and all in it run for other iterations of `loop`.
void noteTurn(mlir::Operation *op, mlir::Operation *loop, bool absolute,
              int64_t first, int64_t last);
inline void noteTurn(mlir::Operation *op, mlir::Operation *loop, bool absolute,
                     int64_t value) {
  noteTurn(op, loop, absolute, value, value);
}

/// `op` stands for `merged`, too.
void noteMerged(mlir::Operation *op, mlir::Operation *merged);

/// Takes all notes out of a function.
void removeSourceNotes(mlir::func::FuncOp func);

/// The notes at a location, null without; and a location with them alone.
mlir::Attribute notesAt(mlir::Location location);
mlir::Location withNotes(mlir::Location location, mlir::Attribute notes);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_NC_SOURCEORDER_H
