//===- Edits.h - Steps that make a Program smaller ----------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each makes a Program smaller. The result need not be a valid Program: trying
// it shows that. Operations are counted in the order of the text, a loop in
// front of its body.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_TRIAL_EDITS_H
#define KILN_TOOLS_TRIAL_EDITS_H

#include "kiln/program.h"

#include <cstdint>
#include <vector>

namespace kiln::trial {

/// Leaves operations out, loops with their bodies. Where a result is still
/// used, a tile becomes a fill, an index 0; a buffer stays.
void dropOperations(program::Program &program, const std::vector<bool> &drop);
/// The operation's result is the operand, where both are the same kind of tile.
bool bypass(program::Program &program, std::size_t op, std::size_t operand);
/// The result is a number.
bool makeFill(program::Program &program, std::size_t op);
/// The body of a loop once, with its first index.
bool inlineLoop(program::Program &program, std::size_t op);
/// A loop of so many trips from 0.
bool setTrips(program::Program &program, std::size_t op, std::int64_t trips);
/// Every offset of this index expression is `value`.
bool setIndex(program::Program &program, std::size_t index, std::int64_t value);
/// Every extent `from` is `to`, in shapes and windows.
void replaceExtent(program::Program &program, std::int64_t from,
                   std::int64_t to);
/// Removes the attribute.
bool dropAttribute(program::Program &program, std::size_t op,
                   const std::string &name);
/// The type of all values is another one.
void replaceType(program::Program &program, isa::DType from, isa::DType to);
/// Removes names, places and parameters that are not needed.
void dropNames(program::Program &program);
/// Arguments, values, indices and locations that nothing refers to.
void dropUnused(program::Program &program);

/// Operations in the order of the text.
std::vector<program::Op *> flatten(program::Program &program);

} // namespace kiln::trial

#endif // KILN_TOOLS_TRIAL_EDITS_H
