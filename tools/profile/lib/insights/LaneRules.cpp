//===- LaneRules.cpp - Rules on Vector, Scalar and GpSimd ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/isa/info.h"
#include "kiln/machine/data_registers.h"
#include "kiln/machine/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace kiln::profile::insights {

namespace {

Picoseconds startUp(const Item &item) {
  return item.cost.interval - item.cost.stream;
}

/// Its start takes longer than its elements.
bool isShort(const Item &item) {
  return item.isLane() && item.written() && startUp(item) > item.cost.stream;
}

std::optional<Finding> shortTiles(const Facts &facts, isa::Space space) {
  return collect(
      facts, 8, 0.01,
      [&](const Item &item) {
        return isShort(item) && item.read() &&
               item.reads(isa::Space::psum) == (space == isa::Space::psum);
      },
      [](Finding &found, const Item &item) {
        found.set(item, merged(item.cost));
      });
}

std::optional<Finding> shortInstructions(const Facts &facts) {
  auto finding = shortTiles(facts, isa::Space::sbuf);
  if (finding)
    finding->condition = fmt::format(
        "{} longer to start than to process their elements",
        runsText(*finding, "instruction takes", "instructions take"));
  return finding;
}

std::optional<Finding> psumCopies(const Facts &facts) {
  auto finding = shortTiles(facts, isa::Space::psum);
  if (finding)
    finding->condition = fmt::format(
        "{} small pieces of PSUM",
        runsText(*finding, "instruction reads", "instructions read"));
  return finding;
}

std::optional<Finding> fewPartitions(const Facts &facts) {
  constexpr unsigned half = isa::maxPartitions / 2;
  auto finding = collect(
      facts, 4, 0.02,
      [](const Item &item) {
        return item.isLane() && item.partitions() > 0 &&
               item.partitions() <= half && !isShort(item);
      },
      [](Finding &found, const Item &item) {
        found.set(item,
                  faster(item.cost, static_cast<double>(isa::maxPartitions) /
                                        item.partitions()));
      });
  if (finding)
    finding->condition = fmt::format(
        "{} at most {} of 128 lanes",
        runsText(*finding, "instruction uses", "instructions use"), half);
  return finding;
}

/// Elements per cycle that the generation passes for 16-bit tiles in SBUF.
unsigned bestMode(const Facts &facts, const Item &item) {
  const isa::CostClass cost = isa::info(item.opcode()).cost;
  const bool copies =
      cost == isa::CostClass::copy || cost == isa::CostClass::tensorScalar;
  if (item.engine == isa::Engine::vector && copies)
    return static_cast<unsigned>(facts.target.vector_mode_16bit_contiguous);
  if (item.engine == isa::Engine::scalar && copies)
    return static_cast<unsigned>(facts.target.scalar_mode_16bit);
  return 1;
}

std::optional<Finding> slowModes(const Facts &facts) {
  auto finding = collect(
      facts, 1, 0.02,
      [&](const Item &item) {
        return item.isLane() && !item.reads(isa::Space::psum) &&
               !item.writes(isa::Space::psum) && !isShort(item) &&
               item.cost.mode < bestMode(facts, item);
      },
      [&](Finding &found, const Item &item) {
        found.set(item,
                  faster(item.cost, static_cast<double>(bestMode(facts, item)) /
                                        item.cost.mode));
      });
  if (finding)
    finding->condition = fmt::format(
        "{} {} elements per cycle; contiguous 16-bit tiles "
        "pass {}",
        runsText(*finding, "instruction passes", "instructions pass"),
        finding->items.front()->cost.mode,
        bestMode(facts, *finding->items.front()));
  return finding;
}

/// An operand's innermost step that passes its port at half the rate.
bool isFarApart(const Facts &facts, const Item &item) {
  return std::any_of(
      item.accesses.begin(), item.accesses.end(),
      [&](const isa::OperandAccess &entry) {
        const isa::Access &access = *entry.access;
        return access.space != isa::Space::hbm && access.elements() > 1 &&
               std::abs(machine::innermostStride(access)) *
                       static_cast<int>(sizeInBytes(access.dtype)) >
                   facts.target.stride_penalty_bytes;
      });
}

std::optional<Finding> strides(const Facts &facts) {
  const double factor = facts.target.stride_penalty_factor;
  if (factor <= 1)
    return std::nullopt;
  auto finding = collect(
      facts, 1, 0.01,
      [&](const Item &item) {
        return item.isLane() && isFarApart(facts, item);
      },
      [&](Finding &found, const Item &item) {
        found.set(item, faster(item.cost, factor));
      });
  if (finding)
    finding->condition = fmt::format(
        "{} more than {} bytes from element to element",
        runsText(*finding, "instruction steps", "instructions step"),
        facts.target.stride_penalty_bytes);
  return finding;
}

std::optional<Finding> slowEngine(const Facts &facts) {
  const auto onVector = [&](const Item &item) {
    return machine::costOf(item.instruction->body, isa::Engine::vector,
                           facts.target);
  };
  auto finding = collect(
      facts, 1, 0.02,
      [&](const Item &item) {
        return item.isLane() && item.engine == isa::Engine::gpsimd &&
               (isa::info(item.opcode()).engines &
                isa::maskOf(isa::Engine::vector)) != 0 &&
               onVector(item).interval < item.cost.interval;
      },
      [&](Finding &found, const Item &item) {
        found.set(item, onVector(item));
      });
  if (finding)
    finding->condition =
        fmt::format("{} on GpSimd that VectorE runs faster",
                    runsText(*finding, "instruction runs", "instructions run"));
  return finding;
}

std::optional<Finding> dynamicCopies(const Facts &facts) {
  auto finding = collect(
      facts, 1, 0.01,
      [&](const Item &item) {
        return item.isLane() && machine::costOf(item.instruction->body,
                                                item.engine, facts.target)
                                        .interval < item.cost.interval;
      },
      [&](Finding &found, const Item &item) {
        found.set(item, machine::costOf(item.instruction->body, item.engine,
                                        facts.target));
      });
  if (finding)
    finding->condition =
        fmt::format("{} an address that was read from memory: {} cycles each",
                    runsText(*finding, "copy has", "copies have"),
                    facts.target.dynamic_copy_cycles);
  return finding;
}

std::optional<Finding> partitionReduces(const Facts &facts) {
  auto finding = collect(
      facts, 1, 0.01,
      [](const Item &item) {
        return item.isLane() &&
               item.opcode() == isa::Opcode::TensorPartitionReduce;
      },
      [](Finding &found, const Item &item) { found.free(item); });
  if (finding)
    finding->condition = fmt::format(
        "{} on GpSimd", runsText(*finding, "sum over partitions runs",
                                 "sums over partitions run"));
  return finding;
}

std::optional<Finding> reciprocals(const Facts &facts) {
  constexpr std::uint64_t many = 64;
  auto finding = collect(
      facts, 1, 0.02,
      [](const Item &item) {
        return item.isLane() && item.engine == isa::Engine::vector &&
               item.opcode() == isa::Opcode::Reciprocal &&
               item.written()->elements() >= many;
      },
      [](Finding &found, const Item &item) { found.free(item); });
  if (finding &&
      facts.busy(isa::Engine::vector) < 2 * facts.busy(isa::Engine::scalar))
    return std::nullopt;
  if (finding)
    finding->condition = fmt::format(
        "{} on VectorE, which has twice as much work as "
        "ScalarE",
        runsText(*finding, "long reciprocal runs", "long reciprocals run"));
  return finding;
}

constexpr Rule laneRuleList[] = {
    {"short-instructions", "R5a", "instructions with few elements",
     "their start-up, as if they were parts of longer ones",
     "merge them: use tiles of at least 512 elements per partition",
     "tiles(\"columns\", cols, 512_c, ..);  // instead of 32_c",
     shortInstructions},
    {"psum-copies", "R3", "many small reads of PSUM",
     "their start-up, as if one read took a whole bank",
     "let several products write neighbouring parts of one PSUM tile, and "
     "read that once",
     "auto p = matmul(a, b);  // [128, 512] f32: one bank, one copy",
     psumCopies},
    {"few-partitions", "R5b", "instructions that use half of the lanes or less",
     "the time beyond that of the elements on 128 lanes",
     "put the long axis on partitions, or let products write disjoint "
     "partitions of one tile",
     "x.rows_at(r, 128_c)  // rows are partitions", fewPartitions},
    {"slow-mode", "R12", "elements pass one at a time where four could",
     "the time beyond the fast mode's",
     "keep 16-bit types from load to store, contiguous and in SBUF",
     "auto t = cast<bf16>(x) * 2;  // not f32 in between", slowModes},
    {"stride", "R13", "elements lie far apart", "the doubled stream",
     "write the tile in the order in which it is read: an operation that runs "
     "anyway can store with a stride, once",
     "auto t = transpose(x);  // then read rows of t", strides},
    {"slow-engine", "R15", "work on GpSimd that VectorE does faster",
     "the difference, on GpSimd itself",
     "leave the engine open, or name another one",
     "nc::tensor_tensor(dst, a, b, AluOp::add, {.engine = Engine::vector});",
     slowEngine},
    {"dynamic-copy", "R26", "copies whose address is data",
     "the time beyond that of other copies",
     "gather with one instruction, or unroll so that addresses are known",
     "nc::local_gather(dst, src, index);  // one instruction for all places",
     dynamicCopies},
    {"partition-reduce", "R24", "GpSimd sums over partitions", "those sums",
     "multiply with ones on TensorE",
     "auto sums = matmul(ones, x);  // [1, n]: sums over the partitions",
     partitionReduces},
    {"reciprocal", "R25", "long reciprocals on the busier engine",
     "those reciprocals, on VectorE",
     "let ScalarE compute them where its accuracy is enough",
     "nc::activation(dst, ActivationFunction::reciprocal, x);", reciprocals},
};

} // namespace

std::span<const Rule> laneRules() { return laneRuleList; }

} // namespace kiln::profile::insights
