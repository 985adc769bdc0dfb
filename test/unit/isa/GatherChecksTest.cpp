//===- GatherChecksTest.cpp - Shuffles, gathers, searches, random ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCases.h"

#include <fmt/format.h>

using namespace kiln::isa;
using namespace kiln::isa::test;

TEST_CASE("nc_stream_shuffle") {
  auto shuffle = [](const std::string &dst, const std::string &src, int first,
                    int others) {
    std::string mask = std::to_string(first);
    for (int i = 1; i < 32; ++i)
      mask += ", " + std::to_string(others < 0 ? i : others);
    return "nc_stream_shuffle dst=sbuf[" + dst + ", 0: f32 8x1], src=sbuf[" +
           src + ", 64: f32 8x1], shuffle_mask=[" + mask + "]";
  };
  std::string good = shuffle("p0:64", "p0:64", 0, -1);
  run({{v2, V, shuffle("p0:128", "p0:128", 31, -1), ""},
       {v2, V, shuffle("p0:128", "p0:128", 255, -1), ""},
       {v2, V, shuffle("p0:128", "p0:128", 32, -1), "KILN-I064"},
       {v2, V, shuffle("p0:16", "p0:16", 15, -1), ""},
       {v2, V, shuffle("p0:16", "p0:16", 16, -1), "KILN-I064"},
       {v2, V, shuffle("p0:32", "p0:1", 0, 0), ""},
       {v2, V, shuffle("p32:64", "p96:128", 0, -1), ""},
       {v2, V, shuffle("p0:64", "p64:128", 0, -1), ""},
       {v2, V, replaced(good, "64: f32", "64: bf16"), "KILN-I012"},
       {v2, V, replaced(good, "8x1", "9x1"), "KILN-I006"}});
}

TEST_CASE("gathers on gpsimd") {
  auto local = [](int partitions, int listed, int elements,
                  const std::string &rest) {
    return fmt::format("local_gather dst=sbuf[p0:{0}, 0: f32 {1}x1], "
                       "src_buffer=sbuf[p0:{0}, 65536: f32 64x1], "
                       "index=sbuf[p0:{0}, 98304: u16 {2}x1]",
                       partitions, elements, listed) +
           rest;
  };
  auto gather = [](int indices, const char *type) {
    return fmt::format("nc_n_gather dst=sbuf[p0:4, 0: bf16 8x1], "
                       "data=sbuf[p0:4, 64: bf16 100x1], "
                       "indices=sbuf[p0:4, 512: {} {}x1]",
                       type, indices);
  };
  run({{v2, G, local(16, 2, 32, ""), ""},
       {v2, G, local(15, 2, 32, ""), "KILN-I065"},
       {v2, G, local(16, 2, 31, ""), "KILN-I065"},
       {v2, G, local(16, 2, 256, ", num_elem_per_idx=8"), ""},
       {v2, G, local(16, 2, 96, ", num_elem_per_idx=3"), "KILN-I065"},
       {v2, G, local(16, 2, 31, ", num_valid_indices=31"), ""},
       {v2, G, local(16, 2, 33, ", num_valid_indices=33"), "KILN-I065"},
       {v2, G, local(16, 256, 4096, ""), ""},
       {v2, G, local(16, 257, 4112, ""), "KILN-I065"},
       {v2, G, gather(8, "u32"), ""},
       {v2, G, gather(7, "u32"), "KILN-I006"},
       {v2, G, gather(8, "i32"), "KILN-I012"},
       {v2, G, replaced(gather(8, "u32"), "data=sbuf", "data=psum"),
        "KILN-I004"}});
}

TEST_CASE("topk, nonzero_with_count, sequence_bounds") {
  auto topk = [](int partitions, int k, int columns, int n) {
    return fmt::format("topk val_dst=sbuf[p0:{0}, 0: bf16 {1}x1], "
                       "idx_dst=sbuf[p0:{0}, 1024: u32 {1}x1], "
                       "src=sbuf[p0:{0}, 65536: bf16 {2}x1], n={3}",
                       partitions, k, columns, n);
  };
  std::string nonzero = "nonzero_with_count dst=sbuf[p0:128, 0: i32 9x1], "
                        "src=sbuf[p0:128, 64: f32 8x1]";
  std::string bounds = "sequence_bounds dst=sbuf[p0:1, 0: i32 16x1], "
                       "segment_ids=sbuf[p0:1, 64: i32 8x1]";
  run({{v3, G, topk(16, 8, 1, 16), ""},
       {v2, G, topk(16, 8, 1, 16), "KILN-I001"},
       {v3, G, topk(16, 8, 1, 17), "KILN-I066"},
       {v3, G, topk(16, 7, 1, 7), "KILN-I066"},
       {v3, G, topk(16, 8, 1, 8), ""},
       {v3, G, topk(16, 9, 1, 8), "KILN-I066"},
       {v3, G, topk(17, 8, 1, 8), "KILN-I066"},
       {v3, G, topk(16, 8, 4096, 65535), ""},
       {v3, G, topk(16, 8, 4096, 65536), "KILN-I066"},
       {v3, G, nonzero, ""},
       {v3, G, replaced(nonzero, "9x1", "8x1"), "KILN-I066"},
       {v3, G, replaced(nonzero, "64: f32", "64: bf16"), "KILN-I012"},
       {v2, G, nonzero, "KILN-I001"},
       {v2, G, bounds, ""},
       {v2, G, replaced(bounds, "16x1", "15x1"), "KILN-I066"},
       {v2, G, replaced(bounds, "64: i32", "64: f32"), "KILN-I066"},
       {v2, G,
        replaced(bounds, "segment_ids=sbuf[p0:1", "segment_ids=sbuf[p0:2"),
        "KILN-I066"}});
}

TEST_CASE("random numbers") {
  auto state = [](const std::string &name, int words) {
    return fmt::format("{}=sbuf[p0:128, 0: u32 {}x1]", name, words);
  };
  std::string uniform = "rand2 dst=sbuf[p0:4, 0: f32 8x1], min=0.0, max=1.0";
  run({{v2, V, "rng dst=psum[p0:4, 0: u8 8x1]", ""},
       {v2, G, "rng dst=sbuf[p0:4, 0: u8 8x1]", "KILN-I001"},
       {v3, G, "rng dst=sbuf[p0:4, 0: u8 8x1]", ""},
       {v3, G, "rng dst=psum[p0:4, 0: u8 8x1]", "KILN-I003"},
       {v3, V, "rng dst=sbuf[p0:4, 0: f32 8x1]", "KILN-I012"},
       {v4, V, uniform, ""},
       {v3, V, uniform, "KILN-I001"},
       {v4, V, replaced(uniform, "max=1.0", "max=0.0"), "KILN-I073"},
       {v4, V, replaced(uniform, "f32 8x1", "bool 8x1"), "KILN-I012"},
       {v2, V, "set_rng_seed src_seeds=psum[p0:1, 0: i32]", ""},
       {v2, V, "set_rng_seed src_seeds=psum[p0:2, 0: i32]", "KILN-I073"},
       {v2, V, "set_rng_seed src_seeds=psum[p0:1, 0: u16]", "KILN-I012"},
       {v3, G, "rand_set_state " + state("src_seeds", 6), ""},
       {v3, G, "rand_set_state " + state("src_seeds", 7), "KILN-I073"},
       {v3, V, "rand_set_state " + state("src_seeds", 24), "KILN-I001"},
       {v4, V, "rand_set_state " + state("src_seeds", 24), ""},
       {v4, V, "rand_set_state " + state("src_seeds", 6), "KILN-I073"},
       {v3, G, "rand_get_state " + state("dst", 6), ""},
       {v2, G, "rand_get_state " + state("dst", 6), "KILN-I001"}});
}
