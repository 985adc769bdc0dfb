//===- TransferRules.cpp - Rules on single transfers ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/isa/info.h"
#include "kiln/machine/instruction_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kiln::profile::insights {

namespace {

const isa::Access *chipSide(const Item &item) {
  for (const isa::OperandAccess &entry : item.accesses)
    if (entry.access->space == isa::Space::sbuf)
      return entry.access;
  return nullptr;
}

bool isTranspose(const Item &item) {
  return item.opcode() == isa::Opcode::DmaTranspose;
}

/// Transfers that could be one: those of a tensor in one direction.
std::pair<const isa::Access *, bool> hbmSide(const Item &item) {
  for (const isa::OperandAccess &entry : item.accesses)
    if (entry.access->space == isa::Space::hbm)
      return {entry.access, entry.effect != isa::Effect::read};
  return {nullptr, false};
}

std::optional<Finding> tinyDmas(const Facts &facts) {
  constexpr std::uint64_t small = 64 << 10;
  constexpr std::uint64_t merged = 256 << 10;
  // By core, tensor and direction: 0 is not a tensor.
  const auto keyOf = [](const Item &item) {
    const auto [access, writes] = hbmSide(item);
    return std::tuple(item.core, access ? access->tensor + 1u : 0u, writes);
  };
  const auto isSmall = [](const Item &item) {
    return item.transfer && !isTranspose(item) && item.transfer->bytes <= small;
  };
  std::map<decltype(keyOf(facts.items.front())), std::uint64_t> alike;
  std::uint64_t transfers = 0;
  for (const Item &item : facts.items)
    if (item.transfer) {
      transfers += item.runs;
      if (isSmall(item))
        alike[keyOf(item)] += item.runs;
    }
  auto finding = collect(
      facts, 8, 0,
      [&](const Item &item) {
        return isSmall(item) && alike[keyOf(item)] >= 2;
      },
      [&](Finding &found, const Item &item) {
        machine::DmaPlan plan = dense(*item.transfer, facts.target);
        const double part = static_cast<double>(plan.bytes) / merged;
        plan.generation = static_cast<Picoseconds>(
            static_cast<double>(plan.generation) * part);
        found.set(item, plan);
      });
  if (!finding)
    return finding;
  finding->without.target.dma_queue_gap_ns = 0;
  finding->without.target.dma_queue_turnaround_ns = 0;
  std::uint64_t bytes = 0;
  for (const Item *item : finding->items)
    bytes += item->runs * item->transfer->bytes;
  finding->condition = fmt::format(
      "{} of {} transfers move at most {} KiB, {:.1f} KiB on average",
      runsOf(*finding), transfers, small >> 10,
      static_cast<double>(bytes) / static_cast<double>(runsOf(*finding)) /
          1024);
  return finding;
}

std::optional<Finding> fewRows(const Facts &facts) {
  constexpr unsigned few = 32;
  auto finding = collect(
      facts, 1, 0.005,
      [](const Item &item) {
        const isa::Access *tile = item.transfer ? chipSide(item) : nullptr;
        return tile && !isTranspose(item) && tile->partitions <= few &&
               item.transfer->bytes >= 4096;
      },
      [&](Finding &found, const Item &item) {
        found.set(item, dense(*item.transfer, facts.target));
      });
  if (finding)
    finding->condition = fmt::format(
        "{} at most {} of 128 partitions, so most of the 16 "
        "DMA engines move nothing",
        runsText(*finding, "transfer fills", "transfers fill"), few);
  return finding;
}

std::optional<Finding> shortRows(const Facts &facts) {
  auto finding = collect(
      facts, 1, 0.005,
      [&](const Item &item) {
        return item.transfer && !isTranspose(item) &&
               item.transfer->rows > isa::maxPartitions &&
               item.transfer->bytes / item.transfer->rows <
                   static_cast<std::uint64_t>(
                       facts.target.dma_row_descriptor_bytes);
      },
      [&](Finding &found, const Item &item) {
        // A row for each partition has as many descriptors.
        machine::DmaPlan plan = dense(*item.transfer, facts.target);
        if (plan.mode == isa::DgeMode::hwdge)
          plan.generation -= std::min(
              plan.generation,
              machine::nanoseconds(
                  facts.target.hwdge_row_ns *
                  static_cast<double>(plan.rows - isa::maxPartitions)));
        found.set(item, plan);
      });
  if (finding)
    finding->condition =
        fmt::format("{} pieces of {} bytes and more, each apart in memory",
                    runsText(*finding, "transfer moves", "transfers move"),
                    finding->items.front()->transfer->bytes /
                        finding->items.front()->transfer->rows);
  return finding;
}

std::optional<Finding> dmaTransposes(const Facts &facts) {
  auto finding = collect(
      facts, 1, 0.01,
      [](const Item &item) { return item.transfer && isTranspose(item); },
      [&](Finding &found, const Item &item) {
        found.set(item, dense(*item.transfer, facts.target));
      });
  if (finding)
    finding->condition =
        fmt::format("{} on the way", runsText(*finding, "transfer transposes",
                                              "transfers transpose"));
  return finding;
}

std::optional<Finding> descriptors(const Facts &facts) {
  constexpr double least = 0.02;
  if (facts.share(facts.stall(StallReason::descriptor)) < least)
    return std::nullopt;
  auto finding = collect(
      facts, 2, 0,
      [](const Item &item) {
        return item.transfer && item.transfer->generation > 0;
      },
      [](Finding &found, const Item &item) {
        machine::DmaPlan plan = *item.transfer;
        plan.mode = isa::DgeMode::none;
        plan.generation = 0;
        found.set(item, plan);
      });
  if (finding)
    finding->condition =
        fmt::format("engines wait {:.1f} % of the makespan while descriptors "
                    "of {} are generated",
                    100 * facts.share(facts.stall(StallReason::descriptor)),
                    runsText(*finding, "transfer", "transfers"));
  return finding;
}

constexpr Rule transferRuleList[] = {
    {"tiny-dmas", "R9", "many small transfers",
     "what small transfers cost beyond their bytes: descriptors and the gaps "
     "of a queue",
     "move more with each: at least 2 KiB per partition, several blocks at "
     "once",
     "tiles(\"columns\", cols, 2048_c, ..);  // instead of 128_c", tinyDmas},
    {"one-row-dma", "R9", "transfers that fill few partitions",
     "the uneven load of the DMA engines",
     "give the rows of a tile to all 128 partitions: each DMA engine serves 8",
     "x.rows_at(r, 128_c)  // instead of one row, or of a row cut in pieces",
     fewRows},
    {"short-rows", "R9", "transfers of short pieces",
     "descriptors and partial packets",
     "choose a layout whose rows are contiguous for at least 512 bytes, or "
     "load whole rows and use a part of them",
     "load(x.rows_at(r, n))[.., slice]  // a window of the tile in SBUF",
     shortRows},
    {"dma-transpose", "R10", "DMA transposes", "the time beyond that of a copy",
     "load as it is and transpose on TensorE, if that has time",
     "auto t = transpose(load(x.rows_at(r, n)));", dmaTransposes},
    {"descriptors", "R16", "engines wait for descriptors",
     "the generation of descriptors",
     "issue fewer, larger transfers; use hardware generation (Sync, Scalar), "
     "or fixed addresses, which need none",
     "nc::dma_copy(dst, src, {.engine = Engine::sync});", descriptors},
};

} // namespace

std::span<const Rule> transferRules() { return transferRuleList; }

} // namespace kiln::profile::insights
