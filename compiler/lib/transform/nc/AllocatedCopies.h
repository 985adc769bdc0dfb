//===- AllocatedCopies.h - How many copies of a buffer have room ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ALLOCATEDCOPIES_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ALLOCATEDCOPIES_H

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/problem/SpaceProblem.h"

#include <cstdint>

namespace kiln::compiler::nc {

/// From the first to the last operation that needs it, by their numbers.
struct Steps {
  std::uint32_t begin = 0, end = 0;
};

/// What nc-allocate places.
struct Buffer {
  AllocOp op;
  Steps uses, loop, nest;
  bool tensorEngineWrites = false;
  bool transferred = false; ///< By DMA.
  bool filled = false;      ///< By DMA.
  bool aroundLoops = false; ///< Loops stand beside it in the body of its loop.
  bool inNest = false; ///< Has its bytes to itself in the whole nest of loops.
  bool alone = false;  ///< Shares bytes with nothing else of its loop.
  std::uint32_t slots = 1;
};

/// One copy less for a ring; false if all are single. Third copies go first.
/// Of the others, those that help least: what a DMA brings or takes is on its
/// way for long, and inner loops run most often. So what stands beside inner
/// loops, from 1 KiB on, and is not brought gives first, then what no DMA
/// touches, then what is brought beside inner loops; and always what takes most
/// bytes. Only those that `mayGive`.
bool takeCopiesBack(mlir::MutableArrayRef<Buffer> buffers,
                    llvm::function_ref<bool(const Buffer &)> mayGive);

/// Copies were taken back for all loops at once. Where a body has one or two
/// transfers, each gets its second copy again if there is room: no other is on
/// its way while the data of one is in use. Of many, some always are.
void giveSecondCopies(mlir::MutableArrayRef<Buffer> buffers,
                      llvm::function_ref<problems::SpaceProblem()> instance,
                      problems::SpaceProblem &problem,
                      problems::SpaceResult &result);

/// Where all copies of what an inner loop declares have room side by side, they
/// return, and share bytes with nothing else of the body: iterations overlap
/// freely. With two copies each, if there is no room for more; of many loads,
/// one is enough. The deepest loops first, up to 16 of them.
void giveLoopsAllCopies(mlir::MutableArrayRef<Buffer> buffers,
                        llvm::function_ref<problems::SpaceProblem()> instance,
                        problems::SpaceProblem &problem,
                        problems::SpaceResult &result);

/// Where the buffers of a loop around loops have room side by side, with fewer
/// copies if need be, they share bytes with nothing else of its body: the loads
/// of its next iteration do not wait for what ran in front of them. So do those
/// of the loops inside, of which one with few loads keeps two copies of each.
/// The first 8 such nests, if something is loaded beside their inner loops.
void giveNestsApart(mlir::MutableArrayRef<Buffer> buffers,
                    llvm::function_ref<problems::SpaceProblem()> instance,
                    problems::SpaceProblem &problem,
                    problems::SpaceResult &result);

/// Where data bounds a loop, its first loads hide what runs in front of it.
/// They would wait for what another loop of the nest left in the same bytes: so
/// all buffers of such a nest get bytes of their own, if there is room.
void giveNestsTheirBytes(mlir::MutableArrayRef<Buffer> buffers,
                         llvm::function_ref<problems::SpaceProblem()> instance,
                         problems::SpaceProblem &problem,
                         problems::SpaceResult &result);

/// Copies that were taken back for all loops at once return where there is
/// room, to the innermost loops first: these run most often. Of many buffers,
/// the first 32 ask. Only where data bounds a loop: others are pipelined, and
/// lose more by sharing banks. `instance` is the problem with the slots of the
/// moment.
void giveCopies(mlir::MutableArrayRef<Buffer> buffers,
                llvm::function_ref<problems::SpaceProblem()> instance,
                problems::SpaceProblem &problem, problems::SpaceResult &result);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ALLOCATEDCOPIES_H
