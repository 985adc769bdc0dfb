//===- IndexChecksTest.cpp - Rows and places by index, sums by DMA --------===//
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

TEST_CASE("rows by index") {
  auto gather = [](int listed, const std::string &rest = "") {
    return fmt::format("dma_copy dst=sbuf[p0:64, 0: bf16 64x1], "
                       "src=hbm[x: bf16 64x2048, 64x1], "
                       "src_index=sbuf[p0:{}, 4096: i32 1x1]",
                       listed) +
           rest;
  };
  std::string plain =
      "dma_copy dst=sbuf[p0:4, 0: bf16 8x1], src=hbm[x: bf16 32x1], "
      "oob_mode=skip";
  run({{v3, G, gather(64), ""},
       {v3, G, gather(63), "KILN-I068"},
       {v2, G, gather(64), "KILN-I068"},
       {v3, G, gather(64, ", dge_mode=swdge, oob_mode=skip"), ""},
       {v3, Y, gather(64, ", dge_mode=hwdge"), "KILN-I068"},
       {v3, G, gather(64, ", dge_mode=none"), "KILN-I068"},
       {v3, G, replaced(gather(64), "i32 1x1", "i32 2x1"), "KILN-I068"},
       {v3, G, replaced(gather(64), "i32 1x1", "u16 1x1"), "KILN-I012"},
       {v3, G, replaced(gather(64), "hbm[x", "hbm[x + r1*2"), "KILN-I068"},
       {v3, G, gather(64, ", dst_index=sbuf[p0:64, 4096: i32]"), "KILN-I068"},
       {v3, Y, plain, "KILN-I068"},
       {v3, Y, replaced(plain, "hbm[x", "hbm[x + r1*2"), ""},
       {v4, G, gather(64, ", priority=3"), ""},
       {v4, G, gather(64, ", priority=4"), "KILN-I071"},
       {v3, G, gather(64, ", priority=0"), "KILN-I071"}});
}

TEST_CASE("the rows of an index do not count against the tensor") {
  // x has 1048576 bytes: 128 rows 16384 apart are twice that.
  auto gather = [](const std::string &place, const std::string &pattern) {
    return fmt::format("dma_copy dst=sbuf[p0:128, 0: bf16 64x1], "
                       "src=hbm[x{}: bf16 {}, 64x1], "
                       "src_index=sbuf[p0:128, 4096: i32 1x1]",
                       place, pattern);
  };
  const std::string sum =
      "dma_compute dst=sbuf[p0:128, 0: f32 8x1], srcs=[sbuf[p0:128, 0: f32 "
      "8x1], hbm[y: f32 128x524288, 8x1]]";
  const std::string first =
      "dma_compute dst=sbuf[p0:128, 0: f32 8x1], srcs=[hbm[y: f32 128x524288, "
      "8x1], hbm[y: f32 128x512, 8x1]]";
  const std::string index = ", srcs_index=sbuf[p0:128, 4096: i32]";
  run({{v3, G, gather("", "128x8192"), ""},
       // One row must fit, at the limit and past it.
       {v3, G, gather(" + 1048448", "128x8192"), ""},
       {v3, G, gather(" + 1048450", "128x8192"), "KILN-I010"},
       {v3, G, sum + index, ""},
       {v3, G, sum, "KILN-I010"},
       // Of a list only the last is indexed.
       {v3, G, first + index, "KILN-I010"}});
}

TEST_CASE("transposes of more dimensions and by index") {
  std::string three = "dma_transpose dst=sbuf[p0:64, 0: bf16 8x16, 16x1], "
                      "src=hbm[x: bf16 16x2048, 8x64, 64x1]";
  auto gather = [](int rows, const std::string &index) {
    return fmt::format("dma_transpose dst=sbuf[p0:64, 0: bf16 {0}x1], "
                       "src=hbm[x: bf16 {0}x1024, 64x1], src_index=sbuf[{1}]",
                       rows, index);
  };
  run({{v3, Y, three, ""},
       {v3, Y, three + ", dge_mode=hwdge", ""},
       {v3, Y,
        replaced(replaced(three, "16x2048", "3x2048"), "8x16, 16x1", "24x1") +
            ", dge_mode=hwdge",
        "KILN-I027"},
       {v3, Y, replaced(three, "8x16, 16x1", "8x16, 15x1"), "KILN-I027"},
       {v3, G, gather(32, "p0:32, 4096: u32"), ""},
       {v3, G, gather(32, "p0:16, 4096: u32 2x1"), "KILN-I068"},
       {v3, G, gather(256, "p0:128, 4096: u32 2x1"), ""},
       {v3, G, gather(32, "p0:16, 4096: u32"), "KILN-I068"},
       {v3, G, gather(40, "p0:48, 4096: u32"), "KILN-I068"},
       {v2, G, gather(32, "p0:32, 4096: u32"), "KILN-I068"}});
}

TEST_CASE("sums by DMA") {
  std::string source = "hbm[x: bf16 128x2048, 8x1]";
  auto sum = [&](int sources, const std::string &rest = "") {
    std::string list = source;
    for (int i = 1; i < sources; ++i)
      list += ", " + source;
    return "dma_compute dst=sbuf[p0:128, 0: f32 8x1], srcs=[" + list + "]" +
           rest;
  };
  auto update = [](const std::string &dst, const std::string &other,
                   const std::string &rest) {
    return "dma_compute dst=" + dst + ", srcs=[" + dst + ", " + other + "]" +
           rest;
  };
  std::string data = "sbuf[p0:128, 0: f32 8x1]";
  std::string rows = "hbm[y: f32 128x512, 8x1]";
  std::string index = "_index=sbuf[p0:128, 4096: i32]";
  run({{v2, Y, sum(1), ""},
       {v2, Y, sum(16), ""},
       {v2, Y, sum(2, ", reduce_op=maximum"), "KILN-I022"},
       {v2, Y, sum(2, ", queue=16"), "KILN-I028"},
       {v2, Y, replaced(sum(2), "8x1]]", "9x1]]"), "KILN-I006"},
       {v2, Y, replaced(sum(2), "hbm[x:", "hbm[x + r1*2:"), "KILN-I067"},
       {v2, Y, sum(2, ", oob_mode=skip"), "KILN-I067"},
       {v3, G, update(rows, data, ", dst" + index), ""},
       {v2, G, update(rows, data, ", dst" + index), "KILN-I067"},
       {v3, G, update(rows, data, ", dst" + index + ", oob_mode=skip"), ""},
       {v3, G, update(rows, data, ", dst" + index + ", unique_indices=false"),
        "KILN-I067"},
       {v3, G, update(data, rows, ", srcs" + index), ""},
       {v3, G, update(data, rows, ", dst" + index), "KILN-I067"},
       {v3, G, update(rows, data, ", dst_index=sbuf[p0:64, 4096: i32]"),
        "KILN-I067"}});
  Module module = emptyModule();
  Instruction wide = line(sum(16), module);
  auto &sources = std::get<DmaCompute>(wide.body).srcs;
  sources.push_back(Access(sources[0]));
  CHECK(check(wide, Y, module, trn2)->code == "KILN-I067");
}

TEST_CASE("places by index on trn3") {
  auto copy = [](int elements, const std::string &rest) {
    return fmt::format("tensor_copy dst=sbuf[p0:32, 0: f32 {0}x1], "
                       "src=sbuf[p0:32, 128: f32 {0}x1]",
                       elements) +
           rest;
  };
  std::string places = "_index=sbuf[p0:32, 4096: u16 1x1]";
  std::string scatter = copy(16, ", dst" + places);
  run({{v4, V, copy(16, ", src" + places), ""},
       {v3, V, copy(16, ", src" + places), "KILN-I068"},
       {v4, V, copy(17, ", src" + places), "KILN-I068"},
       {v4, V, copy(16, ", src_index=sbuf[p0:16, 4096: u16]"), "KILN-I068"},
       {v4, V, copy(16, ", src_index=sbuf[p32:64, 4096: u16]"), "KILN-I068"},
       {v4, V, copy(16, ", src_index=sbuf[p0:32, 4096: u8]"), "KILN-I012"},
       {v4, V, scatter, ""},
       {v4, S, scatter, ""},
       {v4, V, replaced(scatter, "dst=sbuf", "dst=psum"), ""},
       {v4, S, replaced(scatter, "dst=sbuf", "dst=psum"), "KILN-I068"},
       // The pattern of an indexed destination needs no strides.
       {v4, V, replaced(scatter, "16x1", "16x0"), ""}});
  auto product = [](const std::string &type, const std::string &rest) {
    return fmt::format("nc_matmul dst=psum[p0:32, 0: f32 8x1], "
                       "stationary=sbuf[p0:32, 0: {0} 32x1], "
                       "moving=sbuf[p0:32, 4096: {0} 8x1]",
                       type) +
           rest;
  };
  run({{v4, T, product("bf16", ", moving" + places), ""},
       {v4, T, product("bf16", ", dst" + places), ""},
       {v4, T, product("f32", ", moving" + places), "KILN-I068"},
       {v3, T, product("bf16", ", moving" + places), "KILN-I068"}});
}
