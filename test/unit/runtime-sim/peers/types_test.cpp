//===- types_test.cpp - Collectives in every type and pattern -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the type sets of the records: every operand of what meets other ranks or
// cores takes every type that its record allows, in HBM and SBUF, in patterns
// of chance, in lists of 1 to 64 ranks. Models are plain loops that convert
// with APFloat.
//
//===----------------------------------------------------------------------===//

#include "Covered.h"

using namespace ranks;

namespace {

constexpr unsigned sizes[] = {1, 2, 3, 4, 16, 64};

Row part(const Row &row, std::size_t number, std::size_t parts) {
  const auto size = static_cast<std::ptrdiff_t>(row.size() / parts);
  const auto first = row.begin() + static_cast<std::ptrdiff_t>(number) * size;
  return {first, first + size};
}

/// A collective on lists of one size: its shapes, its body, its meaning.
struct Kind {
  isa::Opcode opcode;
  bool mayBeOnChip = false, takesSeveral = false;
  int grows = 0; ///< dst is as many times larger, or smaller.
};
const Kind kinds[] = {
    {isa::Opcode::AllReduce, true, true, 0},
    {isa::Opcode::AllGather, true, true, 1},
    {isa::Opcode::ReduceScatter, true, true, -1},
    {isa::Opcode::AllToAll, false, true, 0},
    {isa::Opcode::CollectivePermuteImplicit, false, true, 0},
    {isa::Opcode::CollectivePermuteImplicitReduce, false, true, 0},
    {isa::Opcode::CollectivePermute, false, false, 0},
};

struct Trial {
  Scene scene;
  const Kind &kind;
  unsigned size;
  isa::RankLists lists;
  int dim = 0;
  isa::AluOp op;
  std::vector<Access> srcs, srcs1, dsts;

  Trial(unsigned seed, const Kind &kind, unsigned size, unsigned ranks,
        bool onChip, DType dtype)
      : scene(seed, ranks, onChip), kind(kind), size(size) {
    std::mt19937 &random = scene.random;
    op = operators[seed % operators.size()];
    if (kind.opcode == isa::Opcode::CollectivePermute)
      choosePairs();
    else
      lists = randomLists(ranks, size, random);
    if (onChip && kind.grows > 0)
      dim = static_cast<int>(random() % 2);
    const bool isRing =
        kind.opcode == isa::Opcode::CollectivePermuteImplicit ||
        kind.opcode == isa::Opcode::CollectivePermuteImplicitReduce;
    const unsigned most = isRing && size < 64 ? 2 : 4;
    const unsigned count = kind.takesSeveral && !onChip ? scene.upTo(most) : 1;
    const isa::OperandInfo &types = isa::info(kind.opcode).operands[0];
    for (unsigned k = 0; k < count; ++k) {
      // The first one has the type that is tried, others any.
      addTensor(k, k == 0 ? dtype : otherType(types));
    }
    dropPatterns();
  }

  DType otherType(const isa::OperandInfo &types) {
    while (true) {
      const DType type =
          isa::dtypeTable[scene.random() % isa::dtypeTable.size()].dtype;
      if (types.types & isa::maskOf(type))
        return type;
    }
  }
  void choosePairs() {
    const unsigned ranks = scene.numRanks();
    std::vector<std::int32_t> from(ranks);
    std::iota(from.begin(), from.end(), 0);
    std::vector<std::int32_t> to = from;
    std::shuffle(from.begin(), from.end(), scene.random);
    std::shuffle(to.begin(), to.end(), scene.random);
    for (unsigned i = scene.upTo(ranks); i-- > 0;)
      lists.push_back({from[i], to[i]});
  }
  void addTensor(unsigned k, DType dtype) {
    // A region has 2 KiB; in HBM there are 32 of them for sources, on chip a
    // half is the source's.
    const std::int64_t region = scene.onChip ? 0 : std::int64_t{k} * 2048;
    const std::int64_t target = scene.onChip ? 1024 : region + 32 * 2048;
    const std::int64_t width = isa::sizeInBytes(dtype);
    const auto room =
        static_cast<unsigned>((scene.onChip ? 512 : 1024) / width);
    unsigned lanes = 1, columns = scene.upTo(std::min(room, 40u));
    unsigned toLanes = lanes, toColumns = columns;
    if (scene.onChip) {
      lanes = toLanes = scene.upTo(128);
      if (kind.grows != 0 && dim == 0) {
        lanes = scene.upTo(128 / size);
        toLanes = lanes * size;
      } else if (kind.grows > 0) {
        columns = scene.upTo(std::min(room / size, 9u));
        toColumns = columns * size;
      }
    } else if (kind.grows != 0 || kind.opcode == isa::Opcode::AllToAll) {
      columns = scene.upTo(std::min(room / size, 9u));
      toColumns = columns * size;
    }
    if (kind.grows < 0) {
      std::swap(lanes, toLanes);
      std::swap(columns, toColumns);
    }
    if (kind.opcode == isa::Opcode::AllToAll)
      columns = toColumns;
    srcs.push_back(scene.place(dtype, lanes, columns, region));
    if (kind.opcode == isa::Opcode::CollectivePermuteImplicitReduce)
      srcs1.push_back(scene.place(dtype, lanes, columns, region + 16 * 2048));
    dsts.push_back(scene.place(dtype, toLanes, toColumns, target));
  }
  /// What the checks do not take becomes plain.
  void dropPatterns() {
    if (scene.allows(body()))
      return;
    for (auto *list : {&srcs, &dsts})
      for (Access &access : *list)
        access.partition = 0;
    if (const isa::Body last = body(); !scene.allows(last))
      FAIL("the checks refuse " << isa::mnemonic(isa::opcode(last)));
  }

  isa::Body body() const {
    std::vector<std::int32_t> channels(srcs.size());
    std::iota(channels.begin(), channels.end(), 0);
    switch (kind.opcode) {
    case isa::Opcode::AllReduce:
      return isa::AllReduce{srcs, dsts, lists, op, 8, {}};
    case isa::Opcode::AllGather:
      return isa::AllGather{srcs, dsts, lists, dim, 8, {}};
    case isa::Opcode::ReduceScatter:
      return isa::ReduceScatter{srcs, dsts, lists, 0, op, 8, {}};
    case isa::Opcode::AllToAll:
      return isa::AllToAll{srcs, dsts, lists, 0, 8, {}};
    case isa::Opcode::CollectivePermuteImplicit:
      return isa::CollectivePermuteImplicit{srcs, dsts, lists, channels, 8, {}};
    case isa::Opcode::CollectivePermuteImplicitReduce:
      return isa::CollectivePermuteImplicitReduce{srcs, srcs1,    dsts, lists,
                                                  op,   channels, 8,    {}};
    default:
      return isa::CollectivePermute{srcs, dsts, lists, 8, {}};
    }
  }

  /// What arrives at `place` of a list, whose members sent `sent`.
  Row received(const std::vector<Row> &sent, const std::vector<Row> &sent1,
               std::size_t place, std::size_t k) const {
    const std::size_t before = (place + size - 1) % size;
    Row result;
    switch (kind.opcode) {
    case isa::Opcode::AllReduce:
      return folded(srcs[k].dtype, op, sent);
    case isa::Opcode::ReduceScatter:
      return part(folded(srcs[k].dtype, op, sent), place, size);
    case isa::Opcode::AllGather: {
      // Along columns: row by row.
      const std::size_t rows = dim == 1 ? srcs[k].partitions : 1;
      for (std::size_t row = 0; row < rows; ++row)
        for (const Row &one : sent) {
          const Row piece = part(one, row, rows);
          result.insert(result.end(), piece.begin(), piece.end());
        }
      return result;
    }
    case isa::Opcode::AllToAll:
      for (const Row &one : sent) {
        const Row piece = part(one, place, size);
        result.insert(result.end(), piece.begin(), piece.end());
      }
      return result;
    case isa::Opcode::CollectivePermuteImplicit:
      return sent[before];
    default:
      return folded(srcs[k].dtype, op, {sent[before], sent1[before]});
    }
  }

  void check() {
    std::vector<Bytes> want = scene.memories;
    for (std::size_t k = 0; k < srcs.size(); ++k)
      for (const auto &list : lists) {
        if (kind.opcode == isa::Opcode::CollectivePermute) {
          Scene::write(want[static_cast<std::size_t>(list[1])], dsts[k],
                       scene.read(static_cast<unsigned>(list[0]), srcs[k]));
          continue;
        }
        std::vector<Row> sent, sent1;
        for (const std::int32_t rank : list) {
          sent.push_back(scene.read(static_cast<unsigned>(rank), srcs[k]));
          if (!srcs1.empty())
            sent1.push_back(scene.read(static_cast<unsigned>(rank), srcs1[k]));
        }
        for (std::size_t place = 0; place < list.size(); ++place)
          Scene::write(want[static_cast<std::size_t>(list[place])], dsts[k],
                       received(sent, sent1, place, k));
      }
    checkMemories(scene.run(body()), want);
  }
};

void tryCollectives(Covered &covered) {
  unsigned seed = 0;
  std::mt19937 chance(1);
  for (const Kind &kind : kinds) {
    const isa::InstructionInfo &info = isa::info(kind.opcode);
    for (const isa::DTypeInfo &type : isa::dtypeTable) {
      if (!(info.operands[0].types & isa::maskOf(type.dtype)))
        continue;
      for (const unsigned size : sizes)
        for (const bool onChip : {false, true}) {
          // Long lists for some of the types.
          if ((onChip && !kind.mayBeOnChip) ||
              (size > 4 && chance() % (onChip ? 12 : 5)))
            continue;
          ++seed;
          const unsigned ranks = size > 4 ? size : size * (1 + seed % 3);
          CAPTURE(seed, std::string(info.mnemonic), std::string(type.name),
                  size, ranks, onChip);
          Trial(seed, kind, size, ranks, onChip, type.dtype).check();
        }
      for (const isa::OperandInfo &operand : info.operands)
        if (operand.types & isa::maskOf(type.dtype))
          covered.insert(key(info.mnemonic, operand.name, type.dtype));
    }
  }
}

/// The two cores swap tiles; both have the memory of the rank for themselves.
void trySendrecv(Covered &covered) {
  const isa::InstructionInfo &info = isa::info(isa::Opcode::Sendrecv);
  for (const isa::DTypeInfo &type : isa::dtypeTable) {
    if (!(info.operands[0].types & isa::maskOf(type.dtype)))
      continue;
    for (unsigned seed = 7000; seed < 7006; ++seed) {
      CAPTURE(seed, std::string(type.name));
      Scene cores(seed, 2, true);
      const unsigned lanes = cores.upTo(128);
      const unsigned columns = cores.upTo(512 / isa::sizeInBytes(type.dtype));
      const bool byGpsimd = seed % 2 && columns <= 256;
      std::vector<Access> srcs, dsts;
      Program programs[2];
      for (int c = 0; c < 2; ++c) {
        srcs.push_back(cores.place(type.dtype, lanes, columns, 0));
        dsts.push_back(cores.place(type.dtype, lanes, columns, 1024));
        srcs.back().partition = dsts.back().partition = 0;
        Program &program = programs[c];
        program.module.generation = isa::Generation::v4;
        const unsigned tensor =
            program.tensor("m" + std::to_string(c), DType::u8,
                           isa::TensorKind::inout, {128, Scene::laneBytes});
        const Access all = bench::sbuf(DType::u8, 128, Scene::laneBytes, 0);
        program.load(all, tensor);
        program.then(Engine::gpsimd,
                     isa::Sendrecv{srcs.back(), dsts.back(), 1 - c, 1 - c, 4,
                                   byGpsimd ? isa::SendEngine::gpsimd_dma
                                            : isa::SendEngine::dma,
                                   8});
        program.store(tensor, all);
      }
      std::vector<Bytes> want = cores.memories;
      for (unsigned c = 0; c < 2; ++c)
        Scene::write(want[c], dsts[c], cores.read(1 - c, srcs[1 - c]));
      const auto modulesOfRank = pairOf(programs[0], programs[1]);
      const std::vector<sim::TensorData> inputs{{"m0", cores.memories[0]},
                                                {"m1", cores.memories[1]}};
      sim::Options options;
      options.interleaveSeed = seed % 4;
      const auto result = pass({modulesOfRank, 1, inputs, {}}, options);
      checkMemories({result.outputs[0][0].bytes, result.outputs[0][1].bytes},
                    want);
    }
    covered.insert(key(info.mnemonic, "src", type.dtype));
    covered.insert(key(info.mnemonic, "dst", type.dtype));
  }
}

/// A barrier publishes a tensor of any type; its bytes stay as they are.
void tryBarrier(Covered &covered) {
  const isa::InstructionInfo &info = isa::info(isa::Opcode::CoreBarrier);
  for (const isa::DTypeInfo &type : isa::dtypeTable) {
    if (!(info.operands[0].types & isa::maskOf(type.dtype)))
      continue;
    CAPTURE(std::string(type.name));
    Program programs[2];
    for (unsigned c = 0; c < 2; ++c) {
      Program &p = programs[c];
      p.module.generation = isa::Generation::v4;
      for (const char *name : {"s", "x", "y"})
        p.tensor(name, type.dtype,
                 name[0] == 's'   ? isa::TensorKind::shared
                 : name[0] == 'x' ? isa::TensorKind::input
                                  : isa::TensorKind::output,
                 {16});
      const auto copy = [&](unsigned to, unsigned from) {
        p.then(Engine::sync, isa::DmaCopy{p.whole(to), p.whole(from), 0, {}});
      };
      if (c == 0)
        copy(0, 1);
      p.then(Engine::gpsimd, isa::CoreBarrier{p.whole(0), {}});
      if (c == 1)
        copy(2, 0);
    }
    const auto modules = pairOf(programs[0], programs[1]);
    sim::TensorData x{"x", Bytes(16 * isa::sizeInBytes(type.dtype))};
    std::iota(x.bytes.begin(), x.bytes.end(), std::uint8_t{77});
    const auto result = pass({modules, 1, {&x, 1}, {}});
    CHECK(result.outputs[0][0].bytes == x.bytes);
    covered.insert(key(info.mnemonic, "data", type.dtype));
  }
}

} // namespace

TEST_CASE("what meets others takes every type that its record allows") {
  Covered covered;
  tryCollectives(covered);
  tryCountedTypes(covered);
  trySendrecv(covered);
  tryBarrier(covered);
  std::vector<std::string> missing;
  for (const isa::InstructionInfo &info : isa::instructionTable)
    for (const isa::OperandInfo &operand : info.operands)
      for (const isa::DTypeInfo &type : isa::dtypeTable)
        if (info.state == isa::HiddenState::peers &&
            (operand.types & isa::maskOf(type.dtype)) &&
            !covered.contains(key(info.mnemonic, operand.name, type.dtype)))
          missing.push_back(key(info.mnemonic, operand.name, type.dtype));
  for (const std::string &name : missing)
    UNSCOPED_INFO("never executed: " << name);
  CHECK(missing.empty());
}
