//===- Promises.h - What the program promises about order ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The user's instructions carry their promises as attributes from import on. A
// tile operation turns into other operations during compilation, so its
// promises are metadata of the location, which every pass preserves, until
// tile-to-nc turns them into attributes of the instructions. A tile operation
// whose location has promises is neither hoisted nor jammed.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_PROMISES_H
#define KILN_COMPILER_DIALECT_NC_PROMISES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <optional>

namespace kiln::compiler::nc {

/// [scope, place]: streams run the instructions of a scope in order of their
/// places.
inline constexpr llvm::StringLiteral orderedAttrName = "nc.ordered";
/// The number by which edges of the order name the instruction.
inline constexpr llvm::StringLiteral labelAttrName = "nc.label";
/// The engine that the program chose for it.
inline constexpr llvm::StringLiteral userEngineAttrName = "nc.user_engine";
/// On nc.alloc: the program chose how many copies there are.
inline constexpr llvm::StringLiteral userRingAttrName = "nc.user_ring";
/// Tokens that the program wrote: lists of #nc.token, of its own semaphores.
inline constexpr llvm::StringLiteral userWaitsAttrName = "nc.user_waits";
inline constexpr llvm::StringLiteral userSignalsAttrName = "nc.user_signals";
/// On the function: the names of those semaphores.
inline constexpr llvm::StringLiteral userSemaphoresAttrName =
    "nc.user_semaphores";
/// On the function, set by nc-check-semaphores: semaphores to which streams
/// that run ahead could give more than a counter holds.
inline constexpr llvm::StringLiteral pacedSemaphoresAttrName =
    "nc.paced_semaphores";
/// On the function: pairs of labels, the later operation first.
inline constexpr llvm::StringLiteral orderEdgesAttrName = "nc.order_edges";

/// `location` with promises, if there are any.
mlir::Location withPromises(mlir::Location location,
                            llvm::ArrayRef<mlir::NamedAttribute> promises);
/// `where` with these notes, and with the memory scope and the urgency at
/// `from`: what an operation that stands for another one keeps of it.
mlir::Location withWishes(mlir::Location where, mlir::Location from,
                          mlir::Attribute notes);
/// The metadata of a location, or null: a dictionary or, if there is only the
/// number of a source operation, that number.
mlir::Attribute metadataOf(mlir::Location location);
/// The location without its metadata.
mlir::Location placeOf(mlir::Location location);
/// The dictionary of a location, or null.
mlir::DictionaryAttr promisesOf(mlir::Location location);
/// True if the operation has promises; the compiler's own notes (SourceOrder.h)
/// are not promises.
bool isPromised(mlir::Operation *op);
/// Gives an instruction the promises of its location.
void adoptPromises(mlir::Operation *instruction);

struct OrderEdge {
  int64_t later = 0, earlier = 0; ///< Labels.
};
llvm::SmallVector<OrderEdge> orderEdges(mlir::func::FuncOp func);
std::optional<int64_t> labelOf(mlir::Operation *op);
bool hasUserTokens(mlir::Operation *op);

struct OrderedPlace {
  int64_t scope = 0, place = 0;
};
std::optional<OrderedPlace> orderedPlace(mlir::Operation *op);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_PROMISES_H
