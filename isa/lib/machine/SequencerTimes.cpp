//===- SequencerTimes.cpp - What a sequencer's own work takes -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/sequencer_times.h"

namespace kiln::machine {
namespace {

/// Of one element that a register is loaded from or stored to.
SequencerTime memoryTime(const isa::Access &element, isa::Engine engine,
                         const isa::Target &target) {
  if (element.space == isa::Space::hbm)
    return {"register_load_hbm_ns", nanoseconds(target.register_load_hbm_ns)};
  return {"register_load_sbuf_cycles",
          cyclesToTime(target.register_load_sbuf_cycles, target.ghz(engine))};
}

} // namespace

SequencerTime controlTime(const isa::Body &body, isa::Engine engine,
                          const isa::Target &target, bool goesBack) {
  if (const auto *load = std::get_if<isa::RegisterLoad>(&body))
    return memoryTime(load->src, engine, target);
  if (const auto *store = std::get_if<isa::RegisterStore>(&body))
    return memoryTime(store->dst, engine, target);
  if (std::holds_alternative<isa::Semaphore>(body))
    return {"semaphore_instruction_ns",
            nanoseconds(target.semaphore_instruction_ns)};
  if (goesBack && std::holds_alternative<isa::LoopEnd>(body))
    return {"loop_iteration_ns", nanoseconds(target.loop_iteration_ns)};
  return {"control_instruction_ns", nanoseconds(target.control_instruction_ns)};
}

} // namespace kiln::machine
