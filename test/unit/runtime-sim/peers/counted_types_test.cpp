//===- counted_types_test.cpp - Counted pieces of every type --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of types_test.cpp.
//
//===----------------------------------------------------------------------===//

#include "Covered.h"

using namespace ranks;

namespace {

/// Notes that all operands of Op took a type: memory of counts is u32.
template <class Op> void cover(Covered &covered, DType type) {
  const isa::InstructionInfo &info = isa::info(Op::opcode);
  for (const isa::OperandInfo &operand : info.operands)
    for (const DType its : {type, DType::u32})
      if (operand.types & isa::maskOf(its))
        covered.insert(key(info.mnemonic, operand.name, its));
}

/// Flat buffers of one type on each rank, and tables of pieces of chance.
struct CountedScene {
  Scene scene;
  unsigned size, slot, given;
  bool known;
  Access src, dst, table, kept;
  isa::RankLists lists;

  CountedScene(unsigned seed, unsigned size, DType type)
      : scene(seed, size, false), size(size), slot(scene.upTo(6)),
        given(slot + scene.upTo(9)), known(seed % 2), lists(1) {
    src = scene.dense(type, given, 0);
    dst = scene.dense(type, slot * size, 4096);
    table = hbm(0, DType::u32,
                {{static_cast<std::int32_t>(size), 3}, {1, size}}, 8192);
    kept = scene.dense(DType::u32, 3 * size, 16384);
    for (unsigned r = 0; r < size; ++r) {
      Row row = scene.read(r, table);
      for (unsigned j = 0; j < size; ++j) {
        row[j] = static_cast<std::uint32_t>(scene.random() % (slot + 1));
        row[size + j] =
            static_cast<std::uint32_t>(scene.random() % (given - row[j] + 1));
      }
      Scene::write(scene.memories[r], table, row);
      lists[0].push_back(static_cast<std::int32_t>(r));
    }
  }

  /// After every piece has gone to its slot.
  std::vector<Bytes> exchanged(bool broadcasts) const {
    std::vector<Bytes> want = scene.memories;
    for (unsigned to = 0; to < size; ++to) {
      Row counts = scene.read(to, table), result = scene.read(to, dst);
      for (unsigned from = 0; from < size; ++from) {
        const Row its = scene.read(from, table), sent = scene.read(from, src);
        const unsigned column = broadcasts ? 0 : to;
        for (unsigned i = 0; i < its[column]; ++i)
          result[from * slot + i] = sent[its[size + column] + i];
        if (!known)
          counts[2 * size + from] = its[column];
      }
      Scene::write(want[to], dst, result);
      Scene::write(want[to], table, counts);
    }
    return want;
  }

  /// What a preparation keeps, too.
  void keep(std::vector<Bytes> &want, bool broadcasts) const {
    for (unsigned r = 0; r < size; ++r) {
      const Row its = scene.read(r, table);
      Row row = scene.read(r, kept);
      for (const unsigned first : {0u, size})
        std::copy_n(its.begin() + first, broadcasts ? 1 : size,
                    row.begin() + first);
      Scene::write(want[r], kept, row);
    }
  }
};

template <class Op, class Visit> void forTypes(unsigned seed, Visit &&visit) {
  for (const isa::DTypeInfo &type : isa::dtypeTable) {
    if (!(isa::info(Op::opcode).operands[0].types & isa::maskOf(type.dtype)))
      continue;
    CAPTURE(++seed, std::string(type.name));
    visit(type.dtype, seed);
  }
}

template <class Op>
void tryCounted(Covered &covered, unsigned size, bool broadcasts) {
  forTypes<Op>(5000, [&](DType type, unsigned seed) {
    CountedScene c(seed, size, type);
    checkMemories(
        c.scene.run(
            Op{{c.src}, {c.dst}, c.lists, c.table, c.known, false, 8, {}}),
        c.exchanged(broadcasts));
    cover<Op>(covered, type);
  });
}

/// The same in two parts, which v4 does not have.
template <class Prepare, class Trigger>
void tryParts(Covered &covered, unsigned size, bool broadcasts) {
  forTypes<Trigger>(6000, [&](DType type, unsigned seed) {
    CountedScene c(seed, size, type);
    c.scene.generation = isa::Generation::v3;
    std::vector<Bytes> want = c.exchanged(broadcasts);
    c.keep(want, broadcasts);
    const std::vector<isa::Body> parts{
        Prepare{c.kept, c.lists, c.table, c.known, false, 8, {}},
        Trigger{
            {c.src}, {c.dst}, c.lists, c.kept, c.table, c.known, false, 8, {}}};
    checkMemories(c.scene.run(parts), want);
    cover<Prepare>(covered, type);
    cover<Trigger>(covered, type);
  });
}

/// Pieces of all ranks, one long for each place, are added up.
void tryCountedSums(Covered &covered) {
  forTypes<isa::ReduceScatterV>(6500, [&](DType type, unsigned seed) {
    constexpr unsigned size = 4;
    CountedScene c(seed, size, type);
    const isa::AluOp op = operators[seed % operators.size()];
    Row counts;
    for (unsigned j = 0; j < size; ++j)
      counts.push_back(
          static_cast<std::uint32_t>(c.scene.random() % (c.slot + 1)));
    for (unsigned r = 0; r < size; ++r) {
      Row row = c.scene.read(r, c.table);
      std::copy(counts.begin(), counts.end(), row.begin());
      for (unsigned j = 0; j < size; ++j)
        row[size + j] = static_cast<std::uint32_t>(c.scene.random() %
                                                   (c.given - counts[j] + 1));
      Scene::write(c.scene.memories[r], c.table, row);
    }
    std::vector<Bytes> want = c.scene.memories;
    for (unsigned to = 0; to < size; ++to) {
      std::vector<Row> terms;
      for (unsigned from = 0; from < size; ++from) {
        const Row its = c.scene.read(from, c.table);
        const Row sent = c.scene.read(from, c.src);
        const auto first = sent.begin() + its[size + to];
        terms.emplace_back(first, first + counts[to]);
      }
      Row result = c.scene.read(to, c.dst), table = c.scene.read(to, c.table);
      const Row sums = folded(type, op, terms);
      std::copy(sums.begin(), sums.end(), result.begin());
      if (!c.known)
        std::fill_n(table.begin() + 2 * size, size, counts[to]);
      Scene::write(want[to], c.dst, result);
      Scene::write(want[to], c.table, table);
    }
    checkMemories(c.scene.run(isa::ReduceScatterV{
                      {c.src}, {c.dst}, c.lists, c.table, op, c.known, 8, {}}),
                  want);
    cover<isa::ReduceScatterV>(covered, type);
  });
}

} // namespace

void ranks::tryCountedTypes(Covered &covered) {
  tryCounted<isa::AllGatherV>(covered, 4, true);
  for (const unsigned size : {8u, 64u})
    tryCounted<isa::AllToAllV>(covered, size, false);
  tryParts<isa::AllGatherVPrepare, isa::AllGatherVTrigger>(covered, 4, true);
  for (const unsigned size : {2u, 5u})
    tryParts<isa::AllToAllVPrepare, isa::AllToAllVTrigger>(covered, size,
                                                           false);
  tryCountedSums(covered);
}
