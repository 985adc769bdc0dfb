//===- BufferText.h - What messages say of a buffer -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_BUFFERTEXT_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_BUFFERTEXT_H

#include "kiln/compiler/dialect/nc/Locations.h"
#include "kiln/compiler/dialect/nc/Nc.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace kiln::compiler::nc {

/// The user's name, or where the buffer comes from.
inline std::string nameOf(AllocOp op) {
  if (op.getLabel())
    return op.getLabel()->str();
  std::string line = fileAndLine(op->getLoc());
  return line.empty() ? "tile" : line;
}

/// What to make smaller: the largest of what is live. A loop around it has its
/// block; else there should be one.
inline std::string adviceOn(AllocOp largest, std::uint64_t times) {
  std::string text = "the largest is '" + nameOf(largest) + "' of ";
  llvm::raw_string_ostream os(text);
  llvm::interleave(largest.getType().getShape(), os, " x ");
  os << " elements; ";
  if (auto loop = largest->getParentOfType<mlir::LoopLikeOpInterface>()) {
    std::string line = fileAndLine(loop->getLoc());
    os << "make the blocks of the loop" << (line.empty() ? "" : " at ") << line
       << " " << times << " times smaller";
  } else {
    os << "load, compute and store it in a loop over blocks of its rows or "
       << "columns that are " << times << " times smaller";
  }
  os << ", or make lifetimes shorter";
  return text;
}

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_BUFFERTEXT_H
