//===- IndexedPlaces.h - Where an index operand leads -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_INDEXEDPLACES_H
#define KILN_SIM_LIB_SCHEDULE_INDEXEDPLACES_H

#include "../Memory.h"
#include "../PlacedAccess.h"

#include <deque>
#include <vector>

namespace kiln::sim {

/// The pattern of an indexed operand says nothing about the bytes that it
/// touches: the values of its index do. Checks see the true places.
class IndexedPlaces {
public:
  /// Replaces every indexed operand of one instruction by the rows (in HBM) or
  /// the runs of elements (on chip) that its index lists as memory holds it
  /// now. Places outside are left out: the instruction refuses or skips them.
  /// Index operands come first, so that a bad one is blamed before what it
  /// leads to. The accesses hold until the next call.
  void resolve(std::vector<PlacedAccess> &accesses, Memory &memory,
               isa::Engine engine);

private:
  void addRows(const PlacedAccess &indexed, const PlacedAccess &index,
               Memory &memory);
  void addElements(const PlacedAccess &indexed, const PlacedAccess &index,
                   Memory &memory, unsigned groupLanes);
  void add(const PlacedAccess &indexed, const isa::Access &pattern,
           std::int64_t offset);

  std::vector<PlacedAccess> resolved;
  std::deque<isa::Access> patterns; ///< What `resolved` points to.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_INDEXEDPLACES_H
