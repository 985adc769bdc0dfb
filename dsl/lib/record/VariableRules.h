//===- VariableRules.h - Declaring and assigning while recording ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_VARIABLERULES_H
#define KILN_DSL_LIB_RECORD_VARIABLERULES_H

#include "TileRules.h"

namespace kiln::dsl {

void recordAssign(Recorder &recorder, View target, View source,
                  const Where &where);

/// What is assigned, as a view with the shape and type of `target`.
View assignedView(Recorder &recorder, const Source &from, View source,
                  const View &target, const Where &where);

/// Assigned in the body that declares it, the name means the new tile. Assigned
/// in an inner loop, it becomes a variable.
Id assignTile(Recorder &recorder, Id id, const Source &from,
              const View &fromView, const Where &where);

Id declareBuffer(Recorder &recorder, isa::Space space, DType dtype,
                 std::vector<std::int64_t> shape, const Placement &place,
                 const Where &where);

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_VARIABLERULES_H
