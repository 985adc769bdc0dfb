//===- ValueBook.h - Counts the values of a run -----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_VALUEBOOK_H
#define KILN_SIM_LIB_FUNCTION_VALUEBOOK_H

#include "../Memory.h"
#include "../PlacedAccess.h"
#include "../StreamCursor.h"

#include "kiln/isa/module.h"
#include "kiln/sim/values.h"

#include <vector>

namespace kiln::sim {

/// Collects statistics of what the instructions of a core read and write. Its
/// callers make sure that memory is settled.
class ValueBook {
public:
  ValueBook(const isa::Module &module, Memory &memory);

  /// Before an instruction runs. `cursor` has its registers; null for a
  /// transfer, which masks and multiplies nothing.
  void before(isa::Engine engine, std::uint32_t index,
              const std::vector<PlacedAccess> &accesses,
              const StreamCursor *cursor);
  /// After it has run.
  void after(isa::Engine engine, std::uint32_t index,
             const std::vector<PlacedAccess> &accesses);
  /// The data of other cores has arrived.
  void received(isa::Engine engine, std::uint32_t index,
                const std::vector<PlacedAccess> &accesses) {
    readNaN = true; // One of them would have a NaN first.
    after(engine, index, accesses);
  }

  /// The book, with the tensors as they are now.
  CoreValues take();

private:
  const isa::Module &module;
  Memory &memory;
  CoreValues values;
  std::array<std::vector<std::uint64_t>, isa::numEngines> runs;
  bool readNaN = false; ///< The current instruction.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_VALUEBOOK_H
