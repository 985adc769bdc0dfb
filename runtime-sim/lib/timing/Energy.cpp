//===- Energy.cpp - What a run takes, by an estimate ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/sim/energy.h"

#include "kiln/isa/info.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

namespace kiln::sim {

using isa::TargetParameters;

namespace {

using Each = double TargetParameters::*;

constexpr EnergyItem item(std::string_view part, std::string_view name,
                          std::string_view unit, std::string_view parameter,
                          Each each) {
  return {name, part, unit, parameter, each};
}
constexpr EnergyItem products(std::string_view name, std::string_view parameter,
                              Each each) {
  return item("TensorE", name, "multiply-adds", parameter, each);
}
constexpr EnergyItem adds(std::string_view engine) {
  return item(engine, "additions", "operations", "energy_add_pj",
              &TargetParameters::energy_add_pj);
}
constexpr EnergyItem multiplies(std::string_view engine) {
  return item(engine, "multiplications", "operations", "energy_multiply_pj",
              &TargetParameters::energy_multiply_pj);
}
constexpr EnergyItem others(std::string_view engine) {
  return item(engine, "others", "elements", "energy_other_pj",
              &TargetParameters::energy_other_pj);
}
constexpr EnergyItem bytes(std::string_view part, std::string_view name,
                           std::string_view parameter, Each each) {
  return item(part, name, "bytes", parameter, each);
}

} // namespace

constexpr std::array<EnergyItem, numEnergyItems> energyItems{{
    products("f32 products", "energy_mac_f32_pj",
             &TargetParameters::energy_mac_f32_pj),
    products("16-bit products", "energy_mac_16bit_pj",
             &TargetParameters::energy_mac_16bit_pj),
    products("8-bit products", "energy_mac_8bit_pj",
             &TargetParameters::energy_mac_8bit_pj),
    products("4-bit products", "energy_mac_4bit_pj",
             &TargetParameters::energy_mac_4bit_pj),
    item("TensorE", "transposes", "elements", "energy_transpose_pj",
         &TargetParameters::energy_transpose_pj),
    adds("VectorE"),
    multiplies("VectorE"),
    others("VectorE"),
    adds("ScalarE"),
    multiplies("ScalarE"),
    others("ScalarE"),
    adds("GpSimd"),
    multiplies("GpSimd"),
    others("GpSimd"),
    bytes("SBUF", "reads", "energy_sbuf_pj", &TargetParameters::energy_sbuf_pj),
    bytes("SBUF", "writes", "energy_sbuf_pj",
          &TargetParameters::energy_sbuf_pj),
    bytes("PSUM", "reads", "energy_psum_pj", &TargetParameters::energy_psum_pj),
    bytes("PSUM", "writes", "energy_psum_pj",
          &TargetParameters::energy_psum_pj),
    bytes("HBM", "reads", "energy_hbm_pj", &TargetParameters::energy_hbm_pj),
    bytes("HBM", "writes", "energy_hbm_pj", &TargetParameters::energy_hbm_pj),
    bytes("DMA", "transfers", "energy_dma_pj",
          &TargetParameters::energy_dma_pj),
    bytes("links", "between chips", "energy_link_pj",
          &TargetParameters::energy_link_pj),
    bytes("links", "between nodes", "energy_node_pj",
          &TargetParameters::energy_node_pj),
    item("streams", "instructions", "instructions", "energy_instruction_pj",
         &TargetParameters::energy_instruction_pj),
}};

namespace {

EnergyOf itemOf(machine::ProductRate rate) {
  switch (rate) {
  case machine::ProductRate::f32:
    return EnergyOf::macF32;
  case machine::ProductRate::full:
    return EnergyOf::mac16;
  case machine::ProductRate::doubleRow:
  case machine::ProductRate::packed:
    return EnergyOf::mac8;
  case machine::ProductRate::packedFp4:
    return EnergyOf::mac4;
  }
  return EnergyOf::mac16;
}

/// What an instruction does with each element.
struct Operations {
  std::uint64_t adds = 0;
  std::uint64_t multiplies = 0;
  bool hasOthers = false; ///< A value that is not published.

  void add(isa::AluOp op) {
    switch (op) {
    case isa::AluOp::add:
    case isa::AluOp::subtract:
    case isa::AluOp::maximum:
    case isa::AluOp::minimum:
    case isa::AluOp::equal:
    case isa::AluOp::not_equal:
    case isa::AluOp::greater_equal:
    case isa::AluOp::greater:
    case isa::AluOp::less_equal:
    case isa::AluOp::less:
    case isa::AluOp::abs_max:
    case isa::AluOp::abs_min:
    case isa::AluOp::relu:
    case isa::AluOp::average:
      ++adds;
      return;
    case isa::AluOp::multiply:
    case isa::AluOp::square:
      ++multiplies;
      return;
    case isa::AluOp::bypass:
      return;
    default:
      hasOthers = true;
    }
  }
};

Operations operationsOf(const isa::Body &body) {
  Operations found;
  std::visit(
      [&](const auto &instruction) {
        bool reduces = true;
        if constexpr (requires { instruction.reduce_cmd; })
          reduces = instruction.reduce_cmd != isa::ReduceCommand::idle &&
                    instruction.reduce_cmd != isa::ReduceCommand::reset;
        forEachOperand(instruction, [&](std::string_view name,
                                        const auto &field) {
          using Field = std::decay_t<decltype(field)>;
          if (name == "reduce_op" && !reduces)
            return;
          if constexpr (std::is_same_v<Field, isa::AluOp>)
            found.add(field);
          else if constexpr (requires { *field == isa::AluOp::add; }) {
            if (field)
              found.add(*field);
          } else if constexpr (std::is_same_v<Field, isa::ActivationFunction>) {
            found.hasOthers |= field != isa::ActivationFunction::copy;
            // Of data * scale + bias.
            if constexpr (!requires { instruction.op0; }) {
              ++found.adds;
              ++found.multiplies;
            }
          }
        });
      },
      body);
  if (found.adds + found.multiplies == 0 ||
      isa::info(opcode(body)).cost == isa::CostClass::exponential)
    found.hasOthers = true;
  return found;
}

/// What it does with values.
void addWork(EnergyCounts &counts, const isa::Body &body, isa::Engine engine,
             std::uint64_t elements, const isa::Target &target) {
  EnergyOf first;
  switch (engine) {
  case isa::Engine::tensor: {
    const machine::InstructionCost cost = machine::costOf(body, engine, target);
    if (cost.transposes)
      counts.of(EnergyOf::transposed) += elements;
    else
      counts.of(itemOf(cost.rate)) += cost.flops / 2;
    return;
  }
  case isa::Engine::vector:
    first = EnergyOf::vectorAdd;
    break;
  case isa::Engine::scalar:
    first = EnergyOf::scalarAdd;
    break;
  case isa::Engine::gpsimd:
    first = EnergyOf::gpsimdAdd;
    break;
  default:
    return;
  }
  const Operations each = operationsOf(body);
  const auto at = static_cast<std::size_t>(first);
  counts[at] += each.adds * elements;
  counts[at + 1] += each.multiplies * elements;
  counts[at + 2] += each.hasOthers ? elements : 0;
}

/// Elements of the largest operand. An index picks from the operand that has
/// one: not all of that one takes part.
std::uint64_t elementsOf(const std::vector<isa::OperandAccess> &accesses) {
  std::uint64_t picked = 0, largest = 0;
  for (const isa::OperandAccess &entry : accesses) {
    std::uint64_t &most = entry.isIndexed ? picked : largest;
    most = std::max<std::uint64_t>(most, entry.access->totalElements());
  }
  return largest > 0 ? largest : picked;
}

} // namespace

double EnergyCounts::joules(const isa::Target &target) const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i)
    sum += joulesOf(static_cast<EnergyOf>(i), (*this)[i], target);
  return sum;
}

EnergyCounts energyCounts(const isa::Instruction &instruction,
                          isa::Engine engine, const isa::Target &target) {
  EnergyCounts counts{};
  counts.of(EnergyOf::instruction) = 1;
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(instruction.body, accesses);
  const std::uint64_t most = elementsOf(accesses);
  for (const isa::OperandAccess &entry : accesses) {
    const std::uint64_t bytes =
        std::min<std::uint64_t>(entry.access->totalElements(), most) *
        isa::sizeInBytes(entry.access->dtype);
    const bool reads = entry.effect != isa::Effect::write,
               writes = entry.effect != isa::Effect::read;
    if (entry.access->space == isa::Space::sbuf) {
      counts.of(EnergyOf::sbufRead) += reads ? bytes : 0;
      counts.of(EnergyOf::sbufWrite) += writes ? bytes : 0;
    } else if (entry.access->space == isa::Space::psum) {
      counts.of(EnergyOf::psumRead) += reads ? bytes : 0;
      counts.of(EnergyOf::psumWrite) += writes ? bytes : 0;
    }
  }
  const isa::InstructionInfo &info = isa::info(opcode(instruction.body));
  if (info.state == isa::HiddenState::peers)
    return counts;
  if (info.isDma) {
    const machine::DmaPlan plan =
        machine::planDma(instruction.body, engine, target);
    counts.of(EnergyOf::dma) = plan.bytes;
    counts.of(EnergyOf::hbmRead) = plan.hbmRead;
    counts.of(EnergyOf::hbmWrite) = plan.hbmWritten;
  } else if (!info.isControl) {
    addWork(counts, instruction.body, engine, most, target);
  }
  return counts;
}

namespace {

/// What one run of each instruction takes, by engine.
using JoulesOfRuns = std::array<std::vector<double>, isa::numEngines>;

/// Of all that a core did; what each instruction takes, where that is wanted.
EnergyCounts countAll(const isa::Module &module, const Timing &timing,
                      const isa::Target &target, JoulesOfRuns *each) {
  EnergyCounts sum{};
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    if (each)
      (*each)[e].resize(module.streams[e].size());
    for (std::size_t i = 0; i < timing.executions[e].size(); ++i) {
      const std::uint64_t runs = timing.executions[e][i];
      if (runs == 0)
        continue;
      const EnergyCounts one = energyCounts(
          module.streams[e][i], static_cast<isa::Engine>(e), target);
      for (std::size_t item = 0; item < sum.size(); ++item)
        sum[item] += runs * one[item];
      if (each)
        (*each)[e][i] = one.joules(target);
    }
  }
  // The run knows more: what collectives pass on, and what is fetched.
  sum.of(EnergyOf::hbmRead) = timing.hbmReadBytes + timing.fetchedBytes;
  sum.of(EnergyOf::hbmWrite) = timing.hbmWriteBytes;
  sum.of(EnergyOf::dma) = timing.dmaBytes + timing.fetchedBytes;
  sum.of(EnergyOf::link) = timing.linkBytes;
  sum.of(EnergyOf::node) = timing.nodeBytes;
  return sum;
}

} // namespace

EnergyCounts energyCounts(const isa::Module &module, const Timing &timing,
                          const isa::Target &target) {
  return countAll(module, timing, target, nullptr);
}

double staticJoules(const Timing &timing, const isa::Target &target) {
  return static_cast<double>(timing.makespan) * 1e-12 *
         target.energy_static_watts;
}

namespace {

/// Joules by equal stretches of a run.
class PowerCurve {
public:
  PowerCurve(Picoseconds makespan, Picoseconds least)
      : makespan(makespan),
        joules(static_cast<std::size_t>(std::max<Picoseconds>(
            1, makespan / std::max<Picoseconds>(1, least)))) {}

  void add(Picoseconds begin, Picoseconds end, double amount) {
    begin = std::clamp<Picoseconds>(begin, 0, makespan - 1);
    end = std::clamp(end, begin + 1, makespan);
    const double each = amount / static_cast<double>(end - begin);
    std::size_t slot = std::min(
        joules.size() - 1,
        static_cast<std::size_t>(static_cast<double>(begin) / length()));
    for (double at = static_cast<double>(begin), last = double(end); at < last;
         ++slot) {
      const bool isLast = slot + 1 >= joules.size();
      const double next =
          isLast ? last
                 : std::min(last, static_cast<double>(slot + 1) * length());
      joules[std::min(slot, joules.size() - 1)] +=
          each * std::max(0.0, next - at);
      at = std::max(at, next);
    }
  }
  /// Of one stretch, in picoseconds.
  double length() const {
    return static_cast<double>(makespan) / static_cast<double>(joules.size());
  }
  double most() const {
    return *std::max_element(joules.begin(), joules.end());
  }

private:
  Picoseconds makespan;
  std::vector<double> joules;
};

/// `all` joules of a run with events.
PeakPower peakOf(const isa::Module &module, const Timing &timing,
                 const isa::Target &target, Picoseconds least,
                 const JoulesOfRuns &each, double all) {
  PowerCurve curve(timing.makespan, least);
  double inEvents = 0;
  for (const TraceEvent &event : timing.events) {
    // A transfer is on its queue, all else on its engine; loads of stationary
    // operands are a part of their products.
    const isa::Instruction &instruction =
        module.streams[event.engine][event.index];
    const bool isDma = isa::info(opcode(instruction.body)).isDma;
    const bool isOwn =
        isDma ? event.track >= isa::numEngines && event.track < weightsTrack
              : event.track == event.engine;
    if (!isOwn)
      continue;
    const double amount = each[event.engine][event.index];
    curve.add(event.start, event.end, amount);
    inEvents += amount;
  }
  const double rest =
      std::max(0.0, all - inEvents) / static_cast<double>(timing.makespan);
  return {(curve.most() / curve.length() + rest) * 1e12 +
              target.energy_static_watts,
          static_cast<Picoseconds>(curve.length())};
}

bool hasPeak(const Timing &timing) {
  return !timing.events.empty() && timing.makespan > 0;
}

} // namespace

std::optional<PeakPower> peakPower(const isa::Module &module,
                                   const Timing &timing,
                                   const isa::Target &target,
                                   Picoseconds least) {
  if (!hasPeak(timing))
    return std::nullopt;
  JoulesOfRuns each;
  const EnergyCounts all = countAll(module, timing, target, &each);
  return peakOf(module, timing, target, least, each, all.joules(target));
}

EnergyReport estimateEnergy(const isa::Module &module, const Timing &timing,
                            const isa::Target &target, std::uint64_t tokens) {
  EnergyReport report;
  JoulesOfRuns each;
  report.counts =
      countAll(module, timing, target, hasPeak(timing) ? &each : nullptr);
  const isa::Target &usual = isa::target(target.generation);
  for (std::size_t i = 0; i < numEnergyItems; ++i) {
    report.pj[i] = target.*energyItems[i].each;
    report.isGiven[i] = report.pj[i] != usual.*energyItems[i].each;
  }
  report.staticJoules = staticJoules(timing, target);
  const double dynamicJoules = report.counts.joules(target);
  report.joules = dynamicJoules + report.staticJoules;
  if (hasPeak(timing))
    report.peak =
        peakOf(module, timing, target, powerWindow, each, dynamicJoules);
  report.tokens = tokens;
  if (timing.makespan > 0)
    report.averageWatts =
        report.joules / (static_cast<double>(timing.makespan) * 1e-12);
  if (report.joules > 0)
    report.tokensPerJoule = static_cast<double>(tokens) / report.joules;
  return report;
}

} // namespace kiln::sim
