//===- CollectiveChecksTest.cpp - Between cores and between ranks ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

std::string ranksTo(int count, int first = 0) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), first);
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

std::string tensors(const std::string &key, const std::string &one, int count) {
  std::string result = key + "=[";
  for (int i = 0; i < count; ++i)
    result += (i ? ", " : "") + one;
  return result + "]";
}

} // namespace

TEST_CASE("barriers are between the two cores of a rank") {
  const std::string barrier = "core_barrier data=hbm[y: f32 128x512, 512x1]";
  run({{v3, G, barrier, ""},
       {v3, Y, barrier + ", cores=(0, 1)", ""},
       {v2, G, barrier, "KILN-I001"},
       {v3, G, barrier + ", cores=(1, 0)", "KILN-I080"},
       {v3, G, barrier + ", cores=(0, 2)", "KILN-I080"},
       {v3, G, "core_barrier data=hbm[x: bf16]", "KILN-I038"},
       {v3, G, "core_barrier data=hbm[%2: u8]", "KILN-I080"},
       {v3, G, "core_barrier data=sbuf[p0:4, 0x0: f32]", "KILN-I004"}});
  Module module = emptyModule(v3);
  const Instruction instruction = line(barrier, module);
  module.facts["cores"] = "1";
  const auto error = check(instruction, G, module, target(v3));
  REQUIRE(error);
  CHECK(error->code == "KILN-I080");
  CHECK(error->text.find("--cores=2") != std::string::npos);
  module.facts["cores"] = "2";
  module.tensors[2].kind = TensorKind::shared;
  CHECK_FALSE(check(line("core_barrier data=hbm[%2: u8]", module), G, module,
                    target(v3)));
}

TEST_CASE("exchanges have one shape on both sides") {
  auto exchange = [](const std::string &src, const std::string &dst,
                     const std::string &rest = "send_to_rank=1, "
                                               "recv_from_rank=1, pipe_id=0") {
    return fmt::format("sendrecv src=sbuf[p0:{}], dst=sbuf[p0:{}], {}", src,
                       dst, rest);
  };
  const std::string tile = "7, 0: f32 256x1", other = "7, 1024: f32 256x1";
  const std::string gpsimd =
      "send_to_rank=0, recv_from_rank=0, pipe_id=3, dma_engine=gpsimd_dma";
  run({{v3, Y, exchange(tile, other), ""},
       {v2, Y, exchange(tile, other), "KILN-I001"},
       {v3, Y, exchange(tile, "8, 1024: f32 256x1"), "KILN-I080"},
       {v3, Y, exchange(tile, "7, 1024: f32 255x1"), "KILN-I080"},
       {v3, Y, exchange(tile, "7, 1024: i32 256x1"), "KILN-I080"},
       {v3, Y,
        exchange(tile, other, "send_to_rank=2, recv_from_rank=1, pipe_id=0"),
        "KILN-I080"},
       {v3, Y,
        exchange(tile, other, "send_to_rank=1, recv_from_rank=-1, pipe_id=0"),
        "KILN-I080"},
       {v3, Y,
        exchange(tile, other, "send_to_rank=1, recv_from_rank=1, pipe_id=-1"),
        "KILN-I080"},
       {v3, G, exchange(tile, other, gpsimd), ""},
       {v3, Y, exchange(tile, other, gpsimd), "KILN-I080"},
       {v3, G, exchange("7, 0: u8 257x1", "7, 512: u8 257x1", gpsimd),
        "KILN-I080"},
       {v3, G, exchange("7, 0: u8 256x1", "7, 512: u8 256x1", gpsimd), ""},
       {v3, Y, exchange(tile, other) + ", queue=16", "KILN-I028"}});
}

TEST_CASE("replica groups name each rank once") {
  auto reduce = [](const std::string &group) {
    return "all_reduce srcs=[hbm[x: f32 64x1]], dsts=[hbm[y: f32 64x1]], "
           "op=add, replica_group=" +
           group;
  };
  run({{v2, Y, reduce("[[0]]"), ""},
       {v2, Y, reduce("[[0, 1], [3, 2]]"), ""},
       {v2, Y, reduce("[" + ranksTo(64) + "]"), ""},
       {v2, Y, reduce("[[0, 64]]"), "KILN-I082"},
       {v2, Y, reduce("[[-1]]"), "KILN-I082"},
       {v2, Y, reduce("[]"), "KILN-I082"},
       {v2, Y, reduce("[[0], []]"), "KILN-I082"},
       {v2, Y, reduce("[[0, 1], [1, 2]]"), "KILN-I082"},
       {v2, Y, reduce("[[0, 0]]"), "KILN-I082"},
       {v3, Y, reduce("[[0]], priority=1"), "KILN-I071"},
       {v4, Y, reduce("[[0]], priority=3"), ""},
       {v4, Y, reduce("[[0]], priority=4"), "KILN-I071"},
       {v2, Y, replaced(reduce("[[0]]"), "op=add", "op=multiply"),
        "KILN-I021"}});
}

TEST_CASE("operands of collectives fit together") {
  auto reduce = [](const std::string &src, const std::string &dst, int sources,
                   int targets) {
    return fmt::format("all_reduce {}, {}, op=add, replica_group=[[0, 1]]",
                       tensors("srcs", src, sources),
                       tensors("dsts", dst, targets));
  };
  const std::string x = "hbm[x: f32 64x1]", y = "hbm[y: f32 64x1]";
  const std::string here = "sbuf[p0:8, 0: f32 8x1]";
  run({{v2, Y, reduce(x, y, 16, 16), ""},
       {v2, Y, reduce(x, y, 2, 1), "KILN-I081"},
       {v2, Y, reduce(x, here, 1, 1), "KILN-I081"},
       {v2, Y, reduce(here, here, 1, 1), ""},
       {v2, Y, reduce(here, here, 2, 2), "KILN-I081"},
       {v2, Y, reduce(here, "sbuf[p0:8, 0: f32 2x4, 4x1]", 1, 1), "KILN-I081"},
       {v2, Y, reduce(here, "sbuf[p0:4, 0: f32 16x1]", 1, 1), "KILN-I081"},
       {v2, Y, reduce(x, "hbm[y: i32 64x1]", 1, 1), "KILN-I081"},
       {v2, Y, reduce(x, "hbm[y: f32 63x1]", 1, 1), "KILN-I081"},
       {v2, Y, reduce(x, x, 1, 1), "KILN-I038"},
       {v2, Y, reduce(x, "psum[p0:8, 0: f32 8x1]", 1, 1), "KILN-I004"}});
}

TEST_CASE("gathers grow, scatters shrink") {
  std::string name, rest;
  auto of = [&](const std::string &src, const std::string &dst, int dim,
                const std::string &code) {
    run({{v3, Y,
          fmt::format("{} srcs=[{}], dsts=[{}], replica_group=[[0, 1, 2, 3]], "
                      "collective_dim={}{}",
                      name, src, dst, dim, rest),
          code}});
  };
  auto inHbm = [&](int from, int to, int dim, const std::string &code = "") {
    of(fmt::format("hbm[x: f32 {}x1]", from),
       fmt::format("hbm[y: f32 {}x1]", to), dim, code);
  };
  struct Tile {
    int partitions, columns;
  };
  auto onChip = [&](Tile from, Tile to, int dim, const std::string &code = "") {
    of(fmt::format("sbuf[p0:{}, 0: f32 {}x1]", from.partitions, from.columns),
       fmt::format("sbuf[p0:{}, 64: f32 {}x1]", to.partitions, to.columns), dim,
       code);
  };
  name = "all_gather";
  inHbm(8, 32, 0);
  inHbm(8, 31, 0, "KILN-I081");
  inHbm(8, 32, 1, "KILN-I081");
  onChip({32, 8}, {128, 8}, 0);
  onChip({32, 8}, {32, 32}, 1);
  for (const int dim : {0, 2, -1})
    onChip({32, 8}, {32, 32}, dim, "KILN-I081");
  name = "reduce_scatter";
  rest = ", op=minimum";
  inHbm(32, 8, 0);
  inHbm(31, 8, 0, "KILN-I081");
  inHbm(32, 32, 0, "KILN-I081");
  onChip({8, 8}, {2, 8}, 0);
  onChip({8, 8}, {8, 2}, 1, "KILN-I081");
  name = "all_to_all";
  rest.clear();
  inHbm(32, 32, 0);
  inHbm(30, 30, 0, "KILN-I081");
  inHbm(32, 32, 1, "KILN-I081");
  onChip({8, 8}, {8, 8}, 0, "KILN-I004");
}

TEST_CASE("permutations have one source and one target") {
  auto permute = [](const std::string &pairs, int count = 1) {
    return fmt::format("collective_permute {}, {}, source_target_pairs={}",
                       tensors("srcs", "hbm[x: f32 8x1]", count),
                       tensors("dsts", "hbm[y: f32 8x1]", count), pairs);
  };
  run({{v2, Y, permute("[[0, 1]]"), ""},
       {v2, Y, permute("[[0, 1], [1, 0], [5, 5]]"), ""},
       {v2, Y, permute("[[0, 1], [0, 2]]"), "KILN-I082"},
       {v2, Y, permute("[[0, 1], [2, 1]]"), "KILN-I082"},
       {v2, Y, permute("[[0, 64]]"), "KILN-I082"},
       {v2, Y, permute("[[0, 1, 2]]"), "KILN-I082"},
       {v2, Y, permute("[]"), "KILN-I082"},
       {v2, Y, permute("[[0, 1]]", 2), "KILN-I081"}});
}

TEST_CASE("rings have few channels") {
  auto ring = [](int channels, int ranks, const std::string &rest = "") {
    return fmt::format("collective_permute_implicit {}, {}, "
                       "replica_group=[{}]{}",
                       tensors("srcs_by_channel", "hbm[x: f32 8x1]", channels),
                       tensors("dsts_by_channel", "hbm[y: f32 8x1]", channels),
                       ranksTo(ranks), rest);
  };
  const std::string reduce =
      "collective_permute_implicit_reduce srcs0=[hbm[x: f32 8x1]], "
      "srcs1=[hbm[x: f32 8x1]], dsts=[hbm[y: f32 8x1]], "
      "replica_group=[[0, 1]], op=add";
  auto step = [](int channel) {
    return fmt::format("collective_permute_implicit_current_processing_rank_id "
                       "dst=r0, iteration_id=r1, replica_group=[[0, 1]], "
                       "channel_id={}",
                       channel);
  };
  run({{v3, Y, ring(1, 4), ""},
       {v3, Y, ring(2, 63, ", channel_ids=[0, 1]"), ""},
       {v3, Y, ring(3, 63), "KILN-I082"},
       {v3, Y, ring(4, 64), ""},
       {v3, Y, ring(5, 64), "KILN-I082"},
       {v2, Y, ring(4, 32), ""},
       {v2, Y, ring(4, 31), "KILN-I082"},
       {v3, Y, ring(2, 4, ", channel_ids=[0]"), "KILN-I082"},
       {v3, Y, ring(2, 4, ", channel_ids=[1, 0]"), "KILN-I082"},
       {v3, Y, ring(1, 4, ", channel_ids=[1]"), "KILN-I082"},
       {v3, Y, reduce, ""},
       {v3, Y,
        replaced(reduce, "srcs1=[hbm[x: f32 8x1]]", "srcs1=[hbm[x: f32 7x1]]"),
        "KILN-I081"},
       {v3, Y,
        replaced(reduce, "srcs1=[hbm[x: f32 8x1]]",
                 "srcs1=[hbm[x: f32 8x1], hbm[x: f32 8x1]]"),
        "KILN-I081"},
       {v3, Y, step(3), ""},
       {v3, Y, step(4), "KILN-I082"},
       {v3, Y, step(-1), "KILN-I082"}});
}

TEST_CASE("counted collectives have their table") {
  auto counted = [](const std::string &name, int ranks,
                    const std::string &table, const std::string &rest = "",
                    int first = 0) {
    return fmt::format("{} srcs=[hbm[x: f32 16x1]], dsts=[hbm[y: f32 64x1]], "
                       "replica_group=[{}], metadata_tensor={}{}",
                       name, ranksTo(ranks, first), table, rest);
  };
  const std::string gather = "all_gather_v", exchange = "all_to_all_v";
  const std::string four = "hbm[y + 0x8000: u32 12x1]";
  const std::string eight = "hbm[y + 0x8000: u32 3x8, 8x1]";
  const std::string displaced = "hbm[y + 0x8000: u32 4x8, 8x1]";
  run({{v3, Y, counted(gather, 4, four), ""},
       {v3, Y, counted(gather, 4, "sbuf[p3:4, 0: u32 3x4, 4x1]"), ""},
       {v3, Y, counted(gather, 4, "sbuf[p0:3, 0: u32 4x1]"), "KILN-I083"},
       {v3, Y, counted(gather, 4, "hbm[y + 0x8000: u32 3x8, 4x1]"),
        "KILN-I083"},
       {v3, Y, counted(gather, 4, "hbm[y + 0x8000: u32 3x5, 4x1]"),
        "KILN-I083"},
       {v3, Y, counted(gather, 4, "hbm[y + 0x8000: i32 12x1]"), "KILN-I012"},
       {v3, Y, counted(gather, 3, "hbm[y + 0x8000: u32 9x1]"), "KILN-I083"},
       {v3, Y, counted(gather, 8, eight), "KILN-I083"},
       {v4, Y, counted(gather, 4, "hbm[y + 0x8000: u32 16x1]", ", has_rdispls"),
        "KILN-I083"},
       {v2, Y, counted(gather, 4, four), "KILN-I080"},
       {v2, Y, counted(exchange, 4, four), ""},
       // Receive counts are written, unless they are known.
       {v3, Y, counted(gather, 4, "hbm[x + 0x400: u32 12x1]"), "KILN-I038"},
       {v3, Y,
        counted(gather, 4, "hbm[x + 0x400: u32 12x1]", ", recv_counts_known"),
        ""},
       {v3, Y,
        replaced(counted(gather, 4, four, ", recv_counts_known"), "dsts=[hbm[y",
                 "dsts=[hbm[x"),
        "KILN-I038"},
       {v3, Y, counted(exchange, 3, "hbm[y + 0x8000: u32 9x1]"), ""},
       {v3, Y, counted("reduce_scatter_v", 4, four, ", op=add"), ""},
       {v4, Y, counted("reduce_scatter_v", 4, four, ", op=minimum"), ""},
       {v2, Y, counted("reduce_scatter_v", 4, four, ", op=add"), "KILN-I080"},
       {v3, Y, counted("reduce_scatter_v", 4, four, ", op=multiply"),
        "KILN-I021"},
       {v3, Y,
        counted("reduce_scatter_v", 3, "hbm[y + 0x8000: u32 9x1]", ", op=add"),
        "KILN-I083"},
       {v3, Y,
        replaced(counted("reduce_scatter_v", 4, four, ", op=add"), "f32 64x1",
                 "f32 4096x1"),
        ""},
       {v3, Y,
        replaced(counted("reduce_scatter_v", 4, four, ", op=add"), "f32 64x1",
                 "f32 4097x1"),
        "KILN-I083"},
       {v3, Y, counted(exchange, 8, displaced, ", has_rdispls"), "KILN-I083"},
       {v4, Y, counted(exchange, 8, displaced, ", has_rdispls"), ""},
       {v4, Y, counted(exchange, 8, eight, ", has_rdispls"), "KILN-I083"},
       {v4, Y, counted(exchange, 8, eight, ", recv_counts_known", 4), ""},
       {v4, Y, counted(exchange, 8, eight, "", 2), "KILN-I083"},
       {v4, Y, counted(exchange, 4, four), "KILN-I083"},
       {v3, Y,
        replaced(counted(exchange, 4, four), "srcs=[",
                 "srcs=[hbm[x: f32 16x1], "),
        "KILN-I081"},
       {v3, Y, replaced(counted(exchange, 4, four), "16x1", "4x4, 4x1"), ""},
       {v3, Y, replaced(counted(exchange, 4, four), "16x1", "16x2"),
        "KILN-I083"},
       {v3, Y, replaced(counted(exchange, 4, four), "16x1", "4x5, 4x1"),
        "KILN-I083"},
       {v3, Y, replaced(counted(exchange, 4, four), "64x1", "8x1, 8x8"),
        "KILN-I083"}});
}

TEST_CASE("the parts of a collective have a table and what keeps it") {
  const std::string prepare =
      "all_to_all_v_prepare prepared=hbm[y + 0x9000: u32 12x1], "
      "replica_group=[[0, 1, 2, 3]], metadata_tensor=hbm[y + 0x8000: u32 3x4, "
      "4x1]";
  const std::string trigger =
      "all_gather_v_trigger srcs=[hbm[x: f32 16x1]], dsts=[hbm[y: f32 64x1]], "
      "replica_group=[[0, 1, 2, 3]], prepared=hbm[x + 0x400: u32 12x1], "
      "metadata_tensor=hbm[y + 0x8000: u32 3x4, 4x1]";
  const std::string kept = "u32 12x1", table = "u32 3x4, 4x1";
  run({{v2, Y, prepare, ""},
       {v3, Y, prepare, ""},
       {v4, Y, prepare, "KILN-I001"},
       {v3, Y, trigger, ""},
       {v4, Y, trigger, "KILN-I001"},
       // Two cores: for all_gather_v alone.
       {v2, Y, trigger, "KILN-I080"},
       {v2, Y,
        replaced(replaced(trigger, "gather_v", "to_all_v"), "[0, 1, 2, 3]",
                 "[3, 1, 2, 0]"),
        ""},
       {v3, Y, replaced(prepare, kept, "u32 11x1"), "KILN-I083"},
       {v3, Y, replaced(prepare, kept, "u32 12x2"), "KILN-I083"},
       {v3, Y, replaced(prepare, kept, "i32 12x1"), "KILN-I012"},
       {v3, Y,
        replaced(prepare, "hbm[y + 0x9000: u32 12x1]",
                 "sbuf[p0:1, 0x0: u32 12x1]"),
        "KILN-I004"},
       // It is written, and the table only read.
       {v3, Y, replaced(prepare, "hbm[y + 0x9000", "hbm[x + 0x400"),
        "KILN-I038"},
       {v3, Y, replaced(prepare, "hbm[y + 0x8000", "hbm[x + 0x400"), ""},
       {v3, Y, replaced(trigger, "hbm[y + 0x8000", "hbm[x + 0x800"),
        "KILN-I038"},
       {v3, Y, replaced(prepare, table, "u32 4x4, 4x1"), "KILN-I083"},
       {v3, Y, prepare + ", has_rdispls", "KILN-I083"},
       {v3, Y, replaced(prepare, "[[0, 1, 2, 3]]", "[[0, 1, 2]]"), "KILN-I083"},
       {v3, Y, replaced(trigger, kept, "u32 11x1"), "KILN-I083"},
       {v3, Y, replaced(trigger, "16x1", "16x2"), "KILN-I083"},
       {v3, Y, replaced(trigger, "srcs=[", "srcs=[hbm[x: f32 16x1], "),
        "KILN-I081"}});
}
