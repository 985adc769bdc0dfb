//===- Passes.h - Passes on the tile level --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORM_TILE_PASSES_H
#define KILN_COMPILER_TRANSFORM_TILE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln::compiler::tile {

#define GEN_PASS_DECL
#include "kiln/compiler/transform/tile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kiln/compiler/transform/tile/Passes.h.inc"

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_TRANSFORM_TILE_PASSES_H
