//===- Mutation.h - Wrong decisions, for tests of the checkers ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When a pass decides about order, it asks here whether a test wants this
// decision to be wrong. No compiler option can trigger this: only a test that
// links it can plant a mutation.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_MUTATION_H
#define KILN_COMPILER_DIALECT_NC_MUTATION_H

#include <cstdint>

namespace kiln::compiler {

enum class Mutation : std::uint8_t {
  none,
  hoistLegality,   ///< tile-hoist: written memory counts as not written.
  jamLegality,     ///< tile-jam: iterations count as independent.
  aliasLegality,   ///< tile-to-nc: a read accesses its buffer too late.
  forwardLegality, ///< tile-to-nc: an assignment is made too early.
  keepLegality,    ///< nc-keep-loads: written memory counts as not written.
  rotateLegality,  ///< nc-rotate: the first stage overtakes what it must not.
  handOn,          ///< nc-rotate, nc-advance: a buffer is not passed on.
  pipelineEdge,    ///< nc-pipeline-loops: a dependence is left out.
  pipelineCopy,    ///< nc-pipeline-loops: a buffer has a copy too few.
  orderEdge,       ///< nc-order: an edge is left out.
  promiseCell,     ///< nc-synchronize: a promise is not modelled as data.
  syncAccess,      ///< nc-synchronize: an access is left out.
  syncToken,       ///< nc-synchronize: a wait or a signal is left out.
  emitOrder,       ///< emission: two instructions are swapped.
  emitAll,         ///< emission: an instruction is left out.
};
inline constexpr unsigned numMutations = 16;

namespace testing {
/// Makes the `countdown`-th decision of this kind from now on wrong, from 0.
void plant(Mutation mutation, std::int64_t countdown);
/// Removes what was planted; true if its decision was reached.
bool unplant();
} // namespace testing

/// True if this decision is to be wrong.
bool isMutated(Mutation mutation);

} // namespace kiln::compiler

#endif // KILN_COMPILER_DIALECT_NC_MUTATION_H
