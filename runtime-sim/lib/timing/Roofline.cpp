//===- Roofline.cpp - What a machine needs whatever the schedule ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two times that no compiler changes: the flops that the kernel declares at the
// peak of its operands' type, and its arguments through HBM once.
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"

#include "kiln/isa/instruction.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/hardware_flops.h"
#include "kiln/machine/topology.h"

#include <algorithm>

namespace kiln::sim {
namespace {

/// TensorE flops in a nanosecond for operands of `rate`.
double peakOf(ProductRate rate, const isa::Target &target) {
  const double rows = isa::maxPartitions;
  const double full =
      2 * rows * target.pe_max_stationary_free * target.tensor_ghz;
  switch (rate) {
  case ProductRate::f32:
    return full / target.pe_fp32_passes;
  case ProductRate::full:
    return full;
  case ProductRate::doubleRow:
    return full * 2;
  case ProductRate::packed:
    return full * 4;
  case ProductRate::packedFp4:
    return full * 4 * target.pe_fp4_speed;
  }
  return full;
}

std::string_view nameOf(ProductRate rate) {
  switch (rate) {
  case ProductRate::f32:
    return "f32";
  case ProductRate::full:
    return "bf16";
  case ProductRate::doubleRow:
    return "fp8";
  case ProductRate::packed:
    return "mxfp8";
  case ProductRate::packedFp4:
    return "mxfp4";
  }
  return "bf16";
}

/// All products of the binary take 8-bit floats.
bool productsTakeBytes(const isa::Module &module) {
  const auto isByte = [](const isa::Access &access) {
    return isa::isFloat(access.dtype) && isa::sizeInBytes(access.dtype) == 1;
  };
  bool any = false;
  for (const isa::Instruction &instruction :
       module.streams[static_cast<std::size_t>(isa::Engine::tensor)]) {
    const auto *product = std::get_if<isa::NcMatmul>(&instruction.body);
    if (!product || product->is_transpose)
      continue;
    if (!isByte(product->stationary) || !isByte(product->moving))
      return false;
    any = true;
  }
  return any;
}

/// The kind of operands that most of the flops used; full if there were none.
ProductRate rateOfType(const isa::Module &module, const Timing &timing,
                       const isa::Target &target) {
  auto most = static_cast<std::size_t>(ProductRate::full);
  for (std::size_t rate = 0; rate < numProductRates; ++rate)
    if (timing.matmulFlops[rate] > timing.matmulFlops[most])
      most = rate;
  return operandsOf(static_cast<ProductRate>(most), module, target);
}

/// Everything that TensorE computed.
std::uint64_t hardwareFlopsOf(const isa::Module &module, const Timing &timing,
                              const isa::Target &target) {
  constexpr auto engine = isa::Engine::tensor;
  const auto number = static_cast<std::size_t>(engine);
  const auto &stream = module.streams[number];
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < stream.size(); ++i)
    if (const std::uint64_t runs = timing.executions[number][i])
      sum += runs * machine::hardwareFlops(stream[i], engine, target);
  return sum;
}

/// Inputs are read once, outputs written once.
void addBytes(ProfileReport::Roofline &roofline, const isa::Module &module) {
  for (const isa::Tensor &tensor : module.tensors) {
    const std::uint64_t bytes = tensor.sizeInBytes();
    if (tensor.kind == isa::TensorKind::input ||
        tensor.kind == isa::TensorKind::inout)
      roofline.readBytes += bytes;
    if (tensor.kind == isa::TensorKind::output ||
        tensor.kind == isa::TensorKind::inout)
      roofline.writeBytes += bytes;
  }
}

} // namespace

std::array<ProductPeak, numProductRates>
productPeaks(const isa::Target &target) {
  std::array<ProductPeak, numProductRates> peaks;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    const auto rate = static_cast<ProductRate>(i);
    peaks[i] = {nameOf(rate), peakOf(rate, target)};
  }
  return peaks;
}

/// Whether 8-bit operands ran two rows at a time was the compiler's choice.
ProductRate operandsOf(ProductRate rate, const isa::Module &module,
                       const isa::Target &target) {
  return rate == ProductRate::full &&
                 target.generation >= isa::Generation::v3 &&
                 productsTakeBytes(module)
             ? ProductRate::doubleRow
             : rate;
}

void addRoofline(ProfileReport &report, std::span<const isa::Module> modules,
                 const isa::Module &module, const Timing &timing,
                 const isa::Target &target) {
  const ProductRate rate = rateOfType(module, timing, target);
  report.productType = nameOf(rate);
  report.peakFlopsPerNs = peakOf(ProductRate::full, target);
  report.peakOfTypeFlopsPerNs = peakOf(rate, target);
  report.hardwareFlops = hardwareFlopsOf(module, timing, target);
  if (timing.makespan > 0)
    report.hfu = static_cast<double>(report.hardwareFlops) /
                 (report.makespanNs * report.peakFlopsPerNs);
  ProfileReport::Roofline &roofline = report.roofline;
  if (report.matmulFlops > 0) {
    const auto flops = static_cast<double>(report.flops);
    roofline.computeNs = flops / report.peakOfTypeFlopsPerNs;
    if (timing.makespan > 0) {
      report.mfu = flops / (report.makespanNs * report.peakFlopsPerNs);
      report.mfuOfType = roofline.computeNs / report.makespanNs;
    }
  }

  // The cores of a rank share the arguments, and the stack that holds them.
  const std::uint64_t cores = std::max<std::size_t>(modules.size(), 1);
  addBytes(roofline, module);
  // Parts of an argument that a kernel does not need, such as rows of a table
  // that no index selects, need not move.
  roofline.readBytes =
      std::min(roofline.readBytes / cores, report.hbmReadBytes);
  roofline.writeBytes =
      std::min(roofline.writeBytes / cores, report.hbmWriteBytes);
  const auto sharing = static_cast<unsigned>(
      std::min<std::uint64_t>(cores, machine::coresOfStack(target)));
  roofline.memoryNs =
      static_cast<double>(roofline.readBytes + roofline.writeBytes) * sharing /
      (1000 * machine::hbmRate(target, sharing));
  roofline.timeNs = std::max(roofline.computeNs, roofline.memoryNs);
  roofline.boundBy = roofline.timeNs <= 0                      ? "none"
                     : roofline.computeNs >= roofline.memoryNs ? "flops"
                                                               : "hbm";
}

} // namespace kiln::sim
