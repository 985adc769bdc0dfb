//===- ProductRules.cpp - Rules on TensorE -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/isa/info.h"
#include "kiln/machine/cost_terms.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>

namespace kiln::profile::insights {

namespace {

using machine::InstructionCost;

bool isMatmul(const Item &item) {
  return item.isProduct() && item.cost.flops > 0;
}

/// How many of the array's cells a product of this shape fills.
double fillOf(const Item &item) {
  const isa::Access *stationary = item.operand("stationary");
  if (!stationary)
    return 1;
  const double size = isa::maxPartitions;
  const double rows = std::min<double>(stationary->partitions, size);
  const double columns =
      std::min(static_cast<double>(stationary->elements()), size);
  return rows * columns / (size * size);
}

/// The part of a product's time that belongs to `name`.
Picoseconds termOf(const Facts &facts, const Item &item,
                   std::string_view name) {
  const machine::CostTerms terms =
      machine::termsOf(item.instruction->body, item.engine, facts.target);
  for (const machine::CostTerm &term : terms.occupancy)
    if (term.name == name)
      return term.time;
  return 0;
}

std::optional<Finding> wideOperands(const Facts &facts) {
  Picoseconds most = 1; // Passes; zeros and ones take fewer.
  auto finding = collect(
      facts, 1, 0.01,
      [](const Item &item) {
        return isMatmul(item) && item.cost.rate == machine::ProductRate::f32;
      },
      [&](Finding &found, const Item &item) {
        InstructionCost cost = faster(item.cost, 1);
        const Picoseconds more = termOf(facts, item, "passes");
        cost.interval -= more + termOf(facts, item, "second stationary load");
        most = std::max(most, 1 + (more + cost.interval / 2) / cost.interval);
        cost.latency -= item.cost.interval - cost.interval;
        cost.weights /= 8; // Two halves of two cycles per column; now 1/4.
        cost.shadowFree = std::min(cost.shadowFree, cost.interval);
        found.set(item, cost);
      });
  if (finding)
    finding->condition =
        fmt::format("{} f32 operands, which pass the array {} times",
                    runsText(*finding, "product has", "products have"), most);
  return finding;
}

std::optional<Finding> transposes(const Facts &facts) {
  constexpr double least = 0.1;
  auto finding = collect(
      facts, 1, 0.005,
      [](const Item &item) { return item.isProduct() && item.cost.transposes; },
      [](Finding &found, const Item &item) { found.free(item); });
  if (!finding)
    return finding;
  const Picoseconds all = facts.busy(isa::Engine::tensor);
  const double share = static_cast<double>(finding->busy()) /
                       static_cast<double>(std::max<Picoseconds>(1, all));
  if (share < least)
    return std::nullopt;
  finding->condition = fmt::format(
      "{} {:.0f} % of the work of TensorE",
      runsText(*finding, "transpose is", "transposes are"), 100 * share);
  return finding;
}

std::optional<Finding> underfilled(const Facts &facts) {
  constexpr double enough = 0.6;
  auto finding = collect(
      facts, 1, 0.01,
      [](const Item &item) {
        return isMatmul(item) && item.cost.cells == InstructionCost::allCells &&
               fillOf(item) < enough;
      },
      [](Finding &found, const Item &item) {
        InstructionCost cost = item.cost;
        cost.interval = std::max<Picoseconds>(
            1, static_cast<Picoseconds>(static_cast<double>(cost.interval) *
                                        fillOf(item)));
        cost.shadowFree = std::min(cost.shadowFree, cost.interval);
        found.set(item, cost);
      });
  if (!finding)
    return finding;
  double filled = 0, all = 0;
  for (const Item *item : finding->items) {
    filled += static_cast<double>(item->busy()) * fillOf(*item);
    all += static_cast<double>(item->busy());
  }
  finding->condition =
      fmt::format("{} {:.0f} % of the 128 x 128 array",
                  runsText(*finding, "product uses", "products use"),
                  100 * filled / std::max(1.0, all));
  return finding;
}

std::optional<Finding> loads(const Facts &facts) {
  constexpr double least = 0.02;
  if (facts.share(facts.stall(StallReason::weights)) < least)
    return std::nullopt;
  auto finding = collect(
      facts, 1, 0, [](const Item &item) { return isMatmul(item); },
      [](Finding &found, const Item &item) {
        InstructionCost cost = item.cost;
        cost.weights = cost.weightsLatency = 0;
        found.set(item, cost);
      });
  if (finding)
    finding->condition = fmt::format(
        "TensorE waits {:.1f} % of the makespan for stationary operands: the "
        "moving ones are too short to hide their loads",
        100 * facts.share(facts.stall(StallReason::weights)));
  return finding;
}

std::optional<Finding> shortMoving(const Facts &facts) {
  const auto columns = [](const Item &item) -> std::uint64_t {
    const isa::Access *moving = item.operand("moving");
    return moving ? moving->elements() : 0;
  };
  const auto least = static_cast<std::uint64_t>(facts.target.pe_min_ii_cycles);
  auto finding = collect(
      facts, 4, 0.01,
      [&](const Item &item) {
        return isMatmul(item) && columns(item) > 0 && columns(item) < least / 2;
      },
      [&](Finding &found, const Item &item) {
        InstructionCost cost = item.cost;
        cost.interval = std::max<Picoseconds>(
            1, cost.interval * static_cast<Picoseconds>(columns(item)) /
                   static_cast<Picoseconds>(least));
        cost.shadowFree = std::min(cost.shadowFree, cost.interval);
        cost.weights = cost.weights * static_cast<Picoseconds>(columns(item)) /
                       static_cast<Picoseconds>(least);
        found.set(item, cost);
      });
  if (finding)
    finding->condition =
        fmt::format("{} fewer than {} columns: a product takes "
                    "{} cycles at least",
                    runsText(*finding, "product streams", "products stream"),
                    least / 2, least);
  return finding;
}

std::optional<Finding> cold(const Facts &facts) {
  constexpr double least = 0.02;
  const double share = facts.share(facts.stall(StallReason::throttle));
  if (share < least)
    return std::nullopt;
  Finding finding(facts);
  finding.without.target.pe_cold_rate = 1;
  for (const Item &item : facts.items)
    if (item.stalls[static_cast<std::size_t>(StallReason::throttle)] > 0)
      finding.items.push_back(&item);
  finding.condition = fmt::format(
      "TensorE runs cold, at {:.0f} % of its rate, and loses {:.1f} % of the "
      "makespan by it",
      100 * facts.target.pe_cold_rate, 100 * share);
  return finding;
}

std::optional<Finding> singleRows(const Facts &facts) {
  if (facts.target.generation == isa::Generation::v2)
    return std::nullopt; // It has no double rows.
  auto finding = collect(
      facts, 1, 0.01,
      [](const Item &item) {
        const isa::Access *a = item.operand("stationary");
        const isa::Access *b = item.operand("moving");
        return isMatmul(item) && a && b &&
               item.cost.rate == machine::ProductRate::full &&
               sizeInBytes(a->dtype) == 1 && sizeInBytes(b->dtype) == 1;
      },
      [](Finding &found, const Item &item) {
        InstructionCost cost = item.cost;
        cost.interval /= 2;
        cost.shadowFree = std::min(cost.shadowFree, cost.interval);
        found.set(item, cost);
      });
  if (finding)
    finding->condition =
        fmt::format("{} one row at a time",
                    runsText(*finding, "product of 8-bit floats passes",
                             "products of 8-bit floats pass"));
  return finding;
}

std::optional<Finding> padding(const Facts &facts) {
  constexpr double enough = 0.85;
  const auto fact = facts.launch.modules.front().facts.find("model_flops");
  std::uint64_t useful = 0, executed = 0;
  if (fact == facts.launch.modules.front().facts.end() ||
      !absl::SimpleAtoi(fact->second, &useful) || useful == 0)
    return std::nullopt;
  for (const Item &item : facts.items)
    executed += item.isProduct() ? item.runs * item.cost.flops : 0;
  const double part = static_cast<double>(useful) /
                      static_cast<double>(std::max<std::uint64_t>(1, executed));
  if (part >= enough)
    return std::nullopt;
  auto finding = collect(
      facts, 1, 0.01, [](const Item &item) { return isMatmul(item); },
      [&](Finding &found, const Item &item) {
        InstructionCost cost = item.cost;
        cost.interval = std::max<Picoseconds>(
            1, static_cast<Picoseconds>(static_cast<double>(cost.interval) *
                                        part));
        cost.shadowFree = std::min(cost.shadowFree, cost.interval);
        found.set(item, cost);
      });
  if (finding)
    finding->condition = fmt::format(
        "{:.0f} % of the flops are padding or masked", 100 * (1 - part));
  return finding;
}

constexpr Rule productRuleList[] = {
    {"f32-matmul", "R11", "products of f32 operands",
     "all passes but one, and the slow loads of f32",
     "cast the operands to bf16 where the accuracy allows it: PSUM still sums "
     "in f32",
     "auto y = matmul(cast<bf16>(a), cast<bf16>(b));", wideOperands},
    {"pe-transposes", "R8", "TensorE transposes", "those transposes",
     "let the producer leave the layout that the consumer wants: swap the "
     "operands of the product before, or load transposed",
     "auto kT = load_transposed(k.rows_at(key, n));", transposes},
    {"underfilled-pe", "R18", "products that fill little of the array",
     "the part of each product that idle cells account for",
     "stack blocks of K or of M, up to 128 of each; small heads can share the "
     "array as tiles",
     "nc::nc_matmul(dst, a, b, {.tile_position = {0, 64}, .tile_size = {64, "
     "64}});",
     underfilled},
    {"short-stationary", "R7", "loads of stationary operands are exposed",
     "loading them",
     "make the longer operand the moving one, or use each stationary operand "
     "for more columns",
     "auto yT = matmul(x, w);  // operands swapped: the result is transposed",
     loads},
    {"short-moving", "R7", "products of few columns",
     "the cycles beyond the columns that stream",
     "swap the operands: the long one moves, the short one is stationary",
     "auto yT = matmul(x, w);  // x has few rows: now they are stationary",
     shortMoving},
    {"cold-pe", "R17", "TensorE runs cold", "the lower rate while it is cold",
     "keep it fed: start products early and without pauses; issue products "
     "whose results are not used, in the gaps",
     "nc::nc_matmul(spare, zeros.cols(0, 128_c), zeros);  // while the first "
     "loads are under way",
     cold},
    {"single-row", "R19", "8-bit floats at the rate of 16-bit ones",
     "half of each product",
     "let K be a multiple of 256, so that two rows pass at once",
     "nc::nc_matmul(dst, a, b, {.perf_mode = PerformanceMode::double_row});",
     singleRows},
    {"padding", "R32", "TensorE computes what is not needed",
     "the part of each product that is not useful work",
     "choose tiles that divide the shape, and skip blocks that the mask hides",
     "tiles(\"keys\", min(keys, start + 128), 128_c, ..);  // causal: no "
     "blocks beyond the diagonal",
     padding},
};

} // namespace

std::span<const Rule> productRules() { return productRuleList; }

} // namespace kiln::profile::insights
