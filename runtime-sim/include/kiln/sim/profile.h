//===- profile.h - The numbers of a profile -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain value made from a module and its timing. kiln::profile (tools/)
// renders it as JSON, as a table, as a trace and as a page.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_PROFILE_H
#define KILN_SIM_PROFILE_H

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/sim/energy.h"
#include "kiln/sim/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kiln::sim {

struct ProfileReport {
  std::string kernel;
  std::string target;
  double makespanNs = 0;
  /// Including launch and tear-down, which no schedule changes.
  double endToEndNs = 0;
  double lowerBoundNs = 0;
  std::string boundBy;
  /// The time that each resource needs; the longest is the lower bound.
  std::vector<std::pair<std::string, double>> boundsNs;
  /// The transfers in which this core met others; see MeetingBound.
  struct Meetings {
    std::uint64_t count = 0;
    double longestNs = 0, linkBusyNs = 0;
    std::string link;
  };
  Meetings meetings;
  /// Times that no compiler changes, against `makespanNs`. Each of several
  /// cores has its share.
  struct Roofline {
    double timeNs = 0;    ///< The longer one of the two below.
    double computeNs = 0; ///< `flops` at the peak of the products' type.
    double memoryNs = 0;  ///< The arguments through HBM once.
    std::string boundBy;  ///< "flops", "hbm" or "none".
    std::uint64_t readBytes = 0, writeBytes = 0;
  };
  Roofline roofline;
  /// Useful flops divided by what TensorE could do in the makespan in bf16,
  /// whatever the kernel's type.
  double mfu = 0;
  double peakFlopsPerNs = 0; ///< For bf16.
  /// The same against the peak of `productType`: f32, bf16 (and all that runs
  /// at its rate), fp8, mxfp8 or mxfp4, as most flops have it.
  double mfuOfType = 0;
  double peakOfTypeFlopsPerNs = 0;
  std::string productType;
  /// All that TensorE computed, against the same peak as `mfu`.
  double hfu = 0;
  std::uint64_t flops = 0; ///< The module's model_flops, or those executed.
  bool flopsFromModel = false;
  std::uint64_t matmulFlops = 0; ///< Executed, without transposes.
  /// Executed, with transposes: each is a product with an identity.
  std::uint64_t hardwareFlops = 0;
  struct Engine {
    std::string name;
    double busyNs = 0;
    double stallNs = 0;
    std::uint64_t instructions = 0;
    /// Non-zero parts of makespan - busy, by reason.
    std::vector<std::pair<std::string, double>> stalls;
    /// Non-zero parts of stallNs, by what the wait protected.
    std::vector<std::pair<std::string, double>> waits;
  };
  /// One instruction of one stream, for display.
  struct Place {
    std::string engine; ///< Empty: none.
    std::uint32_t index = 0;
    std::string label;  ///< The user's name of it, else its mnemonic.
    std::string source; ///< "file:line", or empty.
    bool isDma = false;
    std::string core; ///< "rank 1 core 0", if it is another core's.
  };
  /// The longest wait of an engine.
  struct Stall {
    Place at;
    Place producer; ///< Has the result, buffer or signal.
    std::string reason;
    std::string kind; ///< "data", "buffer", "order" or "none".
    double timeNs = 0;
    std::uint64_t count = 0;
    /// For how much of it the end of the kernel waited; a traced run tells.
    std::optional<double> criticalNs;
  };
  std::vector<Engine> engines;  ///< The five engines, then "dma".
  std::vector<Stall> topStalls; ///< Longest first, without `end`.
  /// HBM traffic divided by what the stack could move in the makespan.
  double mbu = 0;
  double averageDmaBytes = 0; ///< Per transfer.
  std::uint64_t hbmReadBytes = 0;
  std::uint64_t hbmWriteBytes = 0;
  /// Collectives with tables that were timed with full buffers; see Timing.
  std::uint64_t fullBuffersAssumed = 0;
  /// Per partition, from the module's facts.
  std::uint64_t sbufAllocatedBytes = 0;
  std::uint64_t psumBanksAllocated = 0;
  /// The values on chip when there were most; a traced run tells.
  struct OnChip {
    std::uint64_t sbufBytes = 0, psumBytes = 0; ///< Per partition.
    std::uint64_t psumBanks = 0;
  };
  std::optional<OnChip> peak;
  std::uint64_t instructions = 0; ///< Executed.
  std::uint64_t staticInstructions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> instructionCounts;
  EnergyReport energy;             ///< An estimate.
  std::optional<double> compileMs; ///< Known only to the one that compiled.
};

/// TensorE's peak for a kind of operands.
struct ProductPeak {
  std::string_view type; ///< "f32", "bf16", "fp8", "mxfp8", "mxfp4".
  double flopsPerNs = 0;
};
/// One per ProductRate.
std::array<ProductPeak, numProductRates>
productPeaks(const isa::Target &target);

/// As what the flops of products of `module` at `rate` count: 8-bit operands
/// are 8-bit operands, whether two rows ran at a time or one.
ProductRate operandsOf(ProductRate rate, const isa::Module &module,
                       const isa::Target &target);

ProfileReport makeProfile(const isa::Module &module, const Timing &timing,
                          const isa::Target &target);

/// The profile of one core of a launch, by its number there.
ProfileReport makeProfile(std::span<const isa::Module> modules,
                          const Timing &timing, std::size_t core,
                          const isa::Target &target);

} // namespace kiln::sim

#endif // KILN_SIM_PROFILE_H
