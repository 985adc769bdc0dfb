//===- ports.h - Memory ports that engines share -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set of ports is a mask: one bit per PSUM bank, where VectorE and ScalarE
// meet, and one bit for SBUF, where VectorE and GpSimd meet.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_PORTS_H
#define KILN_MACHINE_PORTS_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

#include <cstdint>

namespace kiln::machine {

using PortMask = std::uint16_t;
inline constexpr PortMask psumBankPorts = 0x00FF;
inline constexpr PortMask sbufPort = 0x0100;

/// The ports at which two engines delay each other.
constexpr PortMask conflictingPorts(isa::Engine a, isa::Engine b) {
  const auto pair = [a, b](isa::Engine x, isa::Engine y) {
    return (a == x && b == y) || (a == y && b == x);
  };
  if (pair(isa::Engine::vector, isa::Engine::scalar))
    return psumBankPorts;
  if (pair(isa::Engine::vector, isa::Engine::gpsimd))
    return sbufPort;
  return 0;
}

/// The ports that one engine holds until its instruction has streamed. At the
/// others, two engines get every second cycle each.
constexpr PortMask exclusivePorts(const isa::Target &target) {
  return static_cast<PortMask>(
      (target.vector_scalar_psum_exclusive ? psumBankPorts : 0) |
      (target.vector_gpsimd_exclusive ? sbufPort : 0));
}

struct PortUse {
  PortMask ports = 0; ///< For any value of a register.
  /// True if registers move operands in PSUM, whose banks `ports` leaves out.
  bool movesBanks = false;
};

/// The ports through which `body` streams on a Vector, Scalar or GpSimd engine
/// that passes `mode` elements per cycle (InstructionCost::mode).
PortUse portsOf(const isa::Body &body, isa::Engine engine, unsigned mode,
                const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_MACHINE_PORTS_H
