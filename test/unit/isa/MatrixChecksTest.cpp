//===- MatrixChecksTest.cpp - Tiles of the PE array, packed types ---------===//
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

namespace {

/// A product of [k, m] and [k, 8] whose inputs start at `row`, dst at `column`.
std::string product(int row, int column, int k, int m,
                    const std::string &rest) {
  return fmt::format("nc_matmul dst=psum[p{}:{}, 0: f32 8x1], "
                     "stationary=sbuf[p{}:{}, 0: bf16 {}x1], "
                     "moving=sbuf[p{}:{}, 4096: bf16 8x1]",
                     column, column + m, row, row + k, m, row, row + k) +
         rest;
}

std::string tile(int row, int column, int rows, int columns) {
  return fmt::format(", tile_position=({}, {}), tile_size=({}, {})", row,
                     column, rows, columns);
}

std::string packed(int k, int m, int behind, int span,
                   const std::string &dst = "f32") {
  return fmt::format("nc_matmul_mx dst=psum[p0:{}, 0: {} 512x1], "
                     "stationary=sbuf[p0:{}, 0: f8e4m3fn_x4 {}x1], "
                     "moving=sbuf[p0:{}, 4096: f4e2m1fn_x4 512x1], "
                     "stationary_scale=sbuf[p{}:{}, 65536: u8 {}x1], "
                     "moving_scale=sbuf[p0:{}, 81920: f8e8m0 512x1]",
                     m, dst, k, m, k, behind, behind + span, m, span);
}

} // namespace

TEST_CASE("tiles of the PE array") {
  run({{v3, T, product(64, 32, 64, 32, tile(64, 32, 64, 32)), ""},
       {v3, T, product(96, 96, 32, 32, tile(96, 96, 32, 32)), ""},
       {v2, T, product(96, 96, 32, 32, tile(96, 96, 32, 32)), "KILN-I062"},
       {v2, T, product(64, 64, 64, 64, tile(64, 64, 64, 64)), ""},
       {v3, T, product(0, 0, 32, 32, tile(0, 0, 16, 32)), "KILN-I062"},
       {v3, T, product(32, 0, 32, 32, tile(32, 0, 64, 128)), "KILN-I062"},
       {v3, T, product(64, 0, 32, 32, tile(64, 0, 128, 128)), "KILN-I062"},
       {v3, T, product(0, 0, 32, 32, tile(-32, 0, 32, 128)), "KILN-I062"},
       {v3, T, product(0, 0, 64, 32, tile(0, 0, 32, 128)), "KILN-I062"},
       {v3, T, product(0, 0, 32, 64, tile(0, 0, 32, 32)), "KILN-I062"},
       {v3, T, product(0, 0, 32, 32, tile(32, 0, 32, 128)), "KILN-I062"},
       {v3, T, product(0, 0, 32, 32, tile(0, 32, 32, 32)), "KILN-I062"},
       {v3, T, product(0, 0, 32, 32, ", tile_position=(0, 0)"), "KILN-I062"},
       {v3, T, product(0, 0, 32, 32, ", tile_size=(32, 128)"), "KILN-I062"}});
  Module module = emptyModule();
  Target narrow = trn2;
  narrow.pe_column_tiling = false;
  Instruction columns =
      line(product(0, 32, 32, 32, tile(0, 32, 128, 32)), module);
  CHECK_FALSE(check(columns, T, module, trn2));
  CHECK(check(columns, T, module, narrow)->code == "KILN-I062");
}

TEST_CASE("double_row reads two rows of K from a partition") {
  auto pairs = [](const std::string &first, const std::string &second,
                  const std::string &rest) {
    return "nc_matmul dst=psum[p0:64, 0: f32 128x1], "
           "stationary=sbuf[p0:128, 0: " +
           first + "], moving=sbuf[p0:128, 4096: " + second +
           "], perf_mode=double_row" + rest;
  };
  std::string s = "f8e4m3 2x64, 64x1", m = "f8e5m2 2x128, 128x1";
  run({{v3, T, pairs(s, m, ""), ""},
       {v2, T, pairs(s, m, ""), "KILN-I001"},
       {v3, T, pairs("bf16 2x64, 64x1", "bf16 2x128, 128x1", ""), "KILN-I063"},
       {v3, T, pairs("f8e4m3 4x32, 32x1", m, ""), "KILN-I063"},
       {v3, T, pairs("f8e4m3 128x1", m, ""), "KILN-I063"},
       {v3, T, pairs(s, m, tile(0, 0, 128, 64)), "KILN-I063"},
       {v3, T, pairs(s, m, tile(0, 0, 128, 128)), ""},
       {v4, T, pairs("f8e4m3fn 2x64, 64x1", m, ""), ""},
       {v4, T, pairs("f8e4m3fn 2x64, 64x1", "f8e4m3 2x128, 128x1", ""),
        "KILN-I016"}});
}

TEST_CASE("products of packed floats") {
  run({{v4, T, packed(128, 64, 4, 100), ""},
       {v3, T, packed(128, 64, 4, 100), "KILN-I001"},
       {v4, T, packed(32, 64, 12, 4), ""},
       {v4, T, packed(64, 64, 8, 36), ""},
       {v4, T, packed(96, 64, 0, 68), ""},
       {v4, T, packed(48, 64, 0, 36), "KILN-I061"},
       {v4, T, packed(128, 64, 16, 100), "KILN-I061"},
       {v4, T, packed(128, 64, 2, 100), "KILN-I061"},
       {v4, T, packed(128, 64, 0, 99), "KILN-I061"},
       {v4, T, packed(128, 63, 0, 100), "KILN-I061"},
       {v4, T, packed(128, 64, 0, 100, "bf16"), ""},
       {v4, T, packed(128, 64, 0, 100, "f16"), "KILN-I012"},
       {v4, T, packed(128, 64, 0, 100) + tile(0, 0, 128, 128), ""},
       {v4, T, packed(128, 64, 0, 100) + tile(0, 0, 128, 64), "KILN-I062"},
       {v4, T, packed(64, 64, 0, 36) + tile(64, 0, 64, 128), "KILN-I062"},
       {v4, T, replaced(packed(128, 64, 0, 100), "f4e2m1fn_x4", "bf16"),
        "KILN-I012"}});
}

TEST_CASE("a machine says which formats it takes") {
  Target plain = trn3;
  plain.name = "plain";
  plain.takes_mx = plain.takes_fp8_fn = false;
  Target more = trn2;
  more.name = "more";
  more.takes_mx = more.takes_fp8_fn = true;
  const std::string product = packed(128, 64, 4, 100),
                    sum = "tensor_tensor dst=sbuf[p0:32, 0: f32 8x1], "
                          "data1=sbuf[p0:32, 64: f8e4m3fn 8x1], "
                          "data2=sbuf[p0:32, 128: f8e4m3fn 8x1], op=add",
                    copy = "tensor_copy dst=sbuf[p0:32, 0: f8e4m3fn 8x1], "
                           "src=sbuf[p0:32, 64: f8e4m3fn 8x1]",
                    move = "tensor_copy dst=sbuf[p0:32, 0: f8e5m2_x4 8x1], "
                           "src=sbuf[p0:32, 64: f8e5m2_x4 8x1]";
  const auto found = [](const Target &target, Engine engine,
                        const std::string &text) {
    Module module = emptyModule(target.generation);
    const auto error = check(line(text, module), engine, module, target);
    return error ? error->str() : "";
  };
  const auto has = [](const std::string &text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  for (const auto &[engine, text] :
       {std::pair{T, product}, {V, sum}, {V, copy}, {V, move}})
    CHECK(found(trn3, engine, text).empty());
  CHECK(has(found(plain, T, product), "which plain does not have"));
  CHECK(has(found(plain, V, move), "which plain does not have"));
  CHECK(has(found(plain, V, sum), "which plain only moves"));
  CHECK(found(plain, V, copy).empty());
  CHECK(has(found(trn2, V, move), "which trn2 does not have"));
  CHECK(has(found(trn2, V, sum), "which trn2 only moves"));
  CHECK(found(more, V, move).empty());
  CHECK(found(more, V, sum).empty());
  // The instructions belong to the generation.
  CHECK(has(found(more, T, product), "KILN-I001"));
}

TEST_CASE("quantize_mx") {
  auto quantize = [](int p, int f, int behind, int span) {
    return fmt::format("quantize_mx dst=sbuf[p0:{}, 0: f8e5m2_x4 128x1], "
                       "src=sbuf[p0:{}, 4096: f16 {}x1], "
                       "dst_scale=sbuf[p{}:{}, 8192: u8 128x1]",
                       p, p, f, behind, behind + span);
  };
  std::string good = quantize(64, 512, 8, 36);
  run({{v4, V, good, ""},
       {v3, V, good, "KILN-I001"},
       {v4, V, quantize(64, 513, 8, 36), "KILN-I061"},
       {v4, V, quantize(63, 512, 8, 36), "KILN-I061"},
       {v4, V, quantize(64, 512, 9, 36), "KILN-I061"},
       {v4, V, quantize(64, 512, 8, 37), "KILN-I061"},
       {v4, V, replaced(good, "f8e5m2_x4", "f4e2m1fn_x4"), "KILN-I012"},
       {v4, V, replaced(good, ": f16", ": f32"), "KILN-I012"}});
}
