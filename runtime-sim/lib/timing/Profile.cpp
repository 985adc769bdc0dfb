//===- Profile.cpp - The numbers of a profile ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/sim/profile.h"

#include "kiln/isa/info.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kiln::sim {

namespace {

double toNs(Picoseconds time) { return static_cast<double>(time) / 1000.0; }

/// A build fact as a number; nothing if it is absent or no number.
std::optional<std::uint64_t> fact(const isa::Module &module,
                                  const std::string &key) {
  const auto found = module.facts.find(key);
  if (found == module.facts.end())
    return std::nullopt;
  const std::string &text = found->second;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 ||
      !std::isfinite(value) || value > 1.8e19)
    return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

ProfileReport::Engine makeEngine(std::string name, const EngineTime &time) {
  ProfileReport::Engine engine;
  engine.name = std::move(name);
  engine.busyNs = toNs(time.busy);
  engine.stallNs = toNs(time.stall);
  engine.instructions = time.instructions;
  for (std::size_t i = 0; i < numStallReasons; ++i)
    if (time.stalls[i] > 0)
      engine.stalls.emplace_back(std::string(stallReasonNames[i]),
                                 toNs(time.stalls[i]));
  return engine;
}

/// TensorE flops in a nanosecond at the rate of 16-bit operands.
double peak16(const isa::Target &target) {
  const double rows = isa::maxPartitions;
  return 2 * rows * target.pe_max_stationary_free * target.tensor_ghz;
}

} // namespace

ProfileReport makeProfile(const isa::Module &module, const Timing &timing,
                          const isa::Target &target) {
  ProfileReport report;
  report.kernel = module.kernel;
  report.target = std::string(target.name);
  report.makespanNs = toNs(timing.makespan);
  report.lowerBoundNs = toNs(timing.lowerBound);
  report.boundBy = timing.boundBy;

  report.matmulFlops = timing.matmulFlops16 + timing.matmulFlops32;
  const std::optional<std::uint64_t> model = fact(module, "model_flops");
  report.flopsFromModel = model.has_value();
  report.flops = model.value_or(report.matmulFlops);
  report.peakFlopsPerNs = peak16(target);
  if (timing.matmulFlops32 > timing.matmulFlops16)
    report.peakFlopsPerNs /= target.pe_fp32_passes;
  if (timing.makespan > 0 && report.matmulFlops > 0)
    report.mfu = static_cast<double>(report.flops) /
                 (report.makespanNs * report.peakFlopsPerNs);

  for (std::size_t i = 0; i < isa::numEngines; ++i)
    report.engines.push_back(
        makeEngine(std::string(isa::engineNames[i]), timing.engines[i]));
  report.engines.push_back(makeEngine("dma", timing.dma));

  report.hbmReadBytes = timing.hbmReadBytes;
  report.hbmWriteBytes = timing.hbmWriteBytes;
  report.sbufPeakBytes = fact(module, "sbuf_peak_bytes").value_or(0);
  report.psumBanksPeak = fact(module, "psum_banks_peak").value_or(0);
  report.instructions = timing.instructions();
  for (const auto &stream : module.streams)
    report.staticInstructions += stream.size();
  for (std::size_t i = 0; i < timing.instructionsByOpcode.size(); ++i) {
    const std::optional<isa::Opcode> opcode =
        isa::opcodeFromValue(static_cast<unsigned>(i));
    if (opcode && timing.instructionsByOpcode[i] > 0)
      report.instructionCounts.emplace_back(std::string(isa::mnemonic(*opcode)),
                                            timing.instructionsByOpcode[i]);
  }
  std::sort(report.instructionCounts.begin(), report.instructionCounts.end(),
            [](const auto &a, const auto &b) {
              return a.second != b.second ? a.second > b.second
                                          : a.first < b.first;
            });
  return report;
}

} // namespace kiln::sim
