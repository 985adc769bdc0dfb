//===- Ports.cpp - Memory ports that engines share ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/ports.h"

#include "kiln/machine/pattern.h"

#include <vector>

namespace kiln::machine {

PortUse portsOf(const isa::Body &body, isa::Engine engine, unsigned mode,
                const isa::Target &target) {
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(body, accesses);
  PortUse use;
  bool sbuf = false;
  for (const isa::OperandAccess &operand : accesses) {
    const isa::Access &access = *operand.access;
    sbuf |= access.space == isa::Space::sbuf;
    if (access.space != isa::Space::psum)
      continue;
    if (target.vector_scalar_psum_exclusive)
      use.ports |= psumBankPorts;
    else if (access.numTerms > 0)
      use.movesBanks = true;
    else
      use.ports |= psumBanks(makeBox(access), 0);
  }
  const bool shares = target.vector_gpsimd_exclusive ||
                      engine == isa::Engine::gpsimd || mode > 1;
  if (sbuf && shares && engine != isa::Engine::scalar)
    use.ports |= sbufPort;
  return use;
}

} // namespace kiln::machine
