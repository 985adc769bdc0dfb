//===- Locations.h - Places of the user's source in the IR ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The location of an operation is `NameLoc("scopes#name", file:line:column)`,
// in a CallSiteLoc if it lies in a helper that a kernel calls. Passes may fuse
// locations; the first one counts.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_LOCATIONS_H
#define KILN_COMPILER_DIALECT_NC_LOCATIONS_H

#include "kiln/isa/module.h"

#include "mlir/IR/Location.h"

#include <optional>

namespace kiln::compiler {

/// The place itself, in a helper or not.
isa::SourceLocation sourceLocation(mlir::Location location);

/// Where the function that `location` lies in was called, if that is known.
std::optional<mlir::Location> callerOf(mlir::Location location);

} // namespace kiln::compiler

#endif // KILN_COMPILER_DIALECT_NC_LOCATIONS_H
