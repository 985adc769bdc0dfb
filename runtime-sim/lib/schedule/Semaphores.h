//===- Semaphores.h - Tokens that streams wait for --------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_SEMAPHORES_H
#define KILN_SIM_LIB_SCHEDULE_SEMAPHORES_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/limits.h"

#include <array>
#include <cstdint>

namespace kiln::sim {

/// The semaphores of a core.
class Semaphores {
public:
  static unsigned number(unsigned semaphore) {
    return semaphore % isa::numSemaphores;
  }
  std::uint32_t operator[](unsigned semaphore) const {
    return tokens[number(semaphore)];
  }
  void take(const isa::Wait &wait) {
    tokens[number(wait.semaphore)] -= wait.value;
  }
  void give(const isa::Signal &signal) {
    tokens[number(signal.semaphore)] += signal.value;
  }
  /// A wait of the instruction that does not hold, or null.
  const isa::Wait *unmet(const isa::Instruction &instruction) const {
    for (const isa::Wait &wait : instruction.waits) {
      std::uint32_t need = 0;
      for (const isa::Wait &other : instruction.waits)
        if (other.semaphore == wait.semaphore)
          need += other.value;
      if ((*this)[wait.semaphore] < need)
        return &wait;
    }
    return nullptr;
  }

private:
  std::array<std::uint32_t, isa::numSemaphores> tokens{};
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_SEMAPHORES_H
