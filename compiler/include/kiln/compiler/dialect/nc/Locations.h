//===- Locations.h - Places of the user's source in the IR ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The location of an operation is
// `NameLoc("scopes#name#operation#loops", file:line:column)`, without empty
// parts at the end. It is in a CallSiteLoc if the operation is in a helper that
// a kernel calls. Passes may fuse locations; the first one counts.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_LOCATIONS_H
#define KILN_COMPILER_DIALECT_NC_LOCATIONS_H

#include "kiln/isa/module.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace kiln::compiler {

/// The parts of a location's name; each may be empty.
struct PlaceNames {
  llvm::StringRef scopes;    ///< Open scopes and loops; see isa/scopes.h.
  llvm::StringRef name;      ///< The user's, for an instruction.
  llvm::StringRef operation; ///< "exp", "load": of those that a line makes.
  llvm::StringRef loops;     ///< Those of the scopes; see isa/source_loops.h.
};
PlaceNames namesOf(mlir::Location location);
/// The text of such a location.
std::string placeText(const PlaceNames &names);

/// The place in one iteration of the loop whose own location has `depth`
/// scopes; unchanged if it is not in such a loop.
mlir::Location inTurn(mlir::Location location, std::uint32_t depth,
                      std::uint64_t turn);

/// The place itself, in a helper or not.
isa::SourceLocation sourceLocation(mlir::Location location);

/// "kernel.h:12", without folders; empty if it is not known.
std::string fileAndLine(mlir::Location location);

/// Where the function that `location` lies in was called, if that is known.
std::optional<mlir::Location> callerOf(mlir::Location location);

} // namespace kiln::compiler

#endif // KILN_COMPILER_DIALECT_NC_LOCATIONS_H
