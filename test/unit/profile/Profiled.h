//===- Profiled.h - A small module with its profile -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNIT_PROFILE_PROFILED_H
#define KILN_TEST_UNIT_PROFILE_PROFILED_H

#include "../runtime-sim/timing/ModuleBuilder.h"

#include "kiln/sim/profile.h"

namespace kiln::sim::test {

struct Profiled {
  isa::Module module;
  Timing timing;
  ProfileReport report;
};

/// A small pipeline with a loop: load, multiply, evict, store.
inline Profiled profiled(DType dtype = DType::bf16) {
  ModuleBuilder builder;
  builder.module.kernel = "pipe \"line\"";
  builder.module.locations.push_back(
      {"kernel.cpp", 12, 3, "outer/loop", "scores<1>"});
  builder.module.facts = {{"psum_banks_peak", "3"},
                          {"sbuf_peak_bytes", "4096"}};
  constexpr int trips = 20;
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{1, 2}})
      .add(Engine::vector, isa::Semaphore{}, {}, {{3, 2}});
  builder.loop(Engine::sync, trips)
      .add(Engine::sync,
           dmaCopy(sbuf(dtype, 128, 512, 4096), hbm(dtype, 128, 512)), {{1, 1}},
           {{0, 1}})
      .endLoop(Engine::sync);
  builder.loop(Engine::tensor, trips)
      .add(Engine::tensor, matmul(dtype, 128, 128, 512), {{0, 1}, {3, 1}},
           {{1, 1}, {2, 1}})
      .endLoop(Engine::tensor);
  builder.module.streams[0].back().location = 1;
  builder.module.streams[0][2].location = 1;
  builder.loop(Engine::vector, trips)
      .add(Engine::vector,
           tensorCopy(sbuf(dtype, 128, 512, 32768), psum(DType::f32, 128, 512)),
           {{2, 1}}, {{3, 1}, {4, 1}})
      .endLoop(Engine::vector);
  builder.loop(Engine::scalar, trips)
      .add(Engine::scalar,
           dmaCopy(hbm(dtype, 128, 512, 1), sbuf(dtype, 128, 512, 32768), 1),
           {{4, 1}})
      .endLoop(Engine::scalar);
  builder.add(Engine::tensor, isa::Semaphore{}, {{1, 2}, {3, 2}});
  TimingOptions options;
  options.trace = true;
  const Timing timing = builder.time(options);
  return {builder.module, timing,
          makeProfile(builder.module, timing, isa::trn2)};
}

} // namespace kiln::sim::test

#endif // KILN_TEST_UNIT_PROFILE_PROFILED_H
