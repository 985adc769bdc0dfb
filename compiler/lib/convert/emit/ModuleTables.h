//===- ModuleTables.h - Tensors, locations and facts of a module ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_EMIT_MODULETABLES_H
#define KILN_COMPILER_LIB_CONVERT_EMIT_MODULETABLES_H

#include "kiln/compiler/transform/nc/Footprints.h"
#include "kiln/isa/module.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <tuple>

namespace kiln::compiler {

/// The locations of a module, each once, and the calls that lead to them.
class LocationTable {
public:
  explicit LocationTable(isa::Module &module);
  std::uint32_t numberOf(mlir::Location location);

private:
  isa::Module &module;
  llvm::DenseMap<mlir::Location, std::uint32_t> known;
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::string,
                         std::string, std::uint32_t, std::string, std::string>;
  static Key keyOf(const isa::SourceLocation &place, std::uint32_t caller,
                   std::string operation, std::string loops);
  std::map<Key, std::uint32_t> numbers;
};

/// Numbers the buffers on chip; fills the module's table.
llvm::DenseMap<mlir::Value, std::uint16_t>
numberBuffers(mlir::func::FuncOp func, isa::Module &module);

mlir::LogicalResult addTensors(mlir::func::FuncOp func,
                               const nc::TensorNumbers &tensors,
                               isa::Module &module);
void addFacts(mlir::func::FuncOp func, isa::Module &module);

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_EMIT_MODULETABLES_H
