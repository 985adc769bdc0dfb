//===- MovementTest.cpp - Calls of instructions that move data ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <limits>

#include <algorithm>

namespace kiln::test::movement_test {

using nc::AluOp;
using nc::ReduceCommand;

namespace {
constexpr std::size_t rows = 128, cols = 48;
constexpr std::size_t count = rows * cols;
const std::vector<Extents> two{{rows, cols}, {rows, cols}};

/// Row numbers below `limit`, one of them beyond it if asked for.
Values rowNumbers(std::size_t n, std::size_t limit, bool beyond = false) {
  Values index(n);
  for (std::size_t i = 0; i < n; ++i)
    index[i] = static_cast<double>(i * 37 % limit);
  if (beyond)
    index[n / 2] = static_cast<double>(limit + 3);
  return index;
}
} // namespace

KILN_INSTRUCTION(dma_copy) {
  // Converting, with every way to make descriptors.
  const Values a = someValues(count, isa::DType::f32);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = rounded(a[i], isa::DType::f8e4m3);
  checkSame(run<In<f32, 2>, Out<f8e4m3, 2>>(
                "trn2", two, {a},
                [](auto x, auto y) {
                  auto t = sbuf<f8e4m3>(128_c, 48_c);
                  nc::dma_copy(t, x,
                               {.dge_mode = nc::DgeMode::swdge,
                                .engine = nc::Engine::gpsimd});
                  nc::dma_copy(y, t,
                               {.queue = 5,
                                .dge_mode = nc::DgeMode::none,
                                .engine = nc::Engine::sync});
                })[0],
            want);
  checkSame(run<In<f32, 2>, Out<f32, 2>>("trn3", two, {a},
                                         [](auto x, auto y) {
                                           nc::dma_copy(
                                               y, x,
                                               {.dge_mode = nc::DgeMode::hwdge,
                                                .priority = 1,
                                                .engine = nc::Engine::scalar});
                                         })[0],
            a);
  // Gather rows; one outside of the tensor is left out.
  const Values index = rowNumbers(32, rows, true);
  Values gathered(32 * cols, -1.0);
  for (std::size_t i = 0; i < gathered.size(); ++i)
    if (index[i / cols] < rows)
      gathered[i] =
          a[static_cast<std::size_t>(index[i / cols]) * cols + i % cols];
  checkSame(run<In<f32, 2>, In<i32, 2>, Out<f32, 2>>(
                "trn2", {{rows, cols}, {32, 1}, {32, cols}}, {a, index},
                [](auto x, auto n, auto y) {
                  auto t = sbuf<f32>(32_c, 48_c);
                  nc::memset(t, -1.0);
                  nc::dma_copy(
                      t, x.rows_at(0, 32_c),
                      {.oob_mode = nc::OobMode::skip, .src_index = load(n)});
                  store(y, t);
                })[0],
            gathered);
  // The whole tensor is the table, and the list longer than it.
  const Values often = rowNumbers(128, 32);
  const Values table(a.begin(), a.begin() + 32 * cols);
  Values looked(128 * cols);
  for (std::size_t i = 0; i < looked.size(); ++i)
    looked[i] = a[static_cast<std::size_t>(often[i / cols]) * cols + i % cols];
  checkSame(run<In<f32, 2>, In<i32, 2>, Out<f32, 2>>(
                "trn2", {{32, cols}, {128, 1}, {128, cols}}, {table, often},
                [](auto x, auto n, auto y) {
                  auto t = sbuf<f32>(128_c, 48_c);
                  nc::dma_copy(t, x, {.src_index = load(n)});
                  store(y, t);
                })[0],
            looked);
  // Scatter them, and read what was scattered.
  const Values order = rowNumbers(32, 64);
  Values scattered(64 * cols, 7.0);
  for (std::size_t i = 0; i < 32 * cols; ++i)
    scattered[static_cast<std::size_t>(order[i / cols]) * cols + i % cols] =
        a[i];
  const auto out = run<In<f32, 2>, In<i32, 2>, InOut<f32, 2>, Out<f32, 2>>(
      "trn2", {{rows, cols}, {32, 1}, {64, cols}, {64, cols}},
      {a, order, Values(64 * cols, 7.0)}, [](auto x, auto n, auto y, auto z) {
        nc::dma_copy(y.rows_at(0, 32_c), load(x.rows_at(0, 32_c)),
                     {.dst_index = load(n)});
        store(z, load(y));
      });
  checkSame(out[0], scattered);
  checkSame(out[1], scattered);
}

KILN_INSTRUCTION(dma_transpose) {
  const Values a = someValues(64 * 128, isa::DType::bf16);
  Values want(64 * 128);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = a[i % 64 * 128 + i / 64];
  for (const char *target : {"trn2", "trn3"})
    checkSame(
        run<In<bf16, 2>, Out<bf16, 2>>(target, {{64, 128}, {128, 64}}, {a},
                                       [](auto x, auto y) {
                                         auto t = sbuf<bf16>(128_c, 64_c);
                                         nc::dma_transpose(t, x, {.queue = 2});
                                         store(y, t);
                                       })[0],
        want);
  // The rows that an index names.
  const Values index = rowNumbers(32, 64);
  Values picked(128 * 32);
  for (std::size_t i = 0; i < picked.size(); ++i)
    picked[i] = a[static_cast<std::size_t>(index[i % 32]) * 128 + i / 32];
  checkSame(run<In<bf16, 2>, In<u32, 2>, Out<bf16, 2>>(
                "trn2", {{64, 128}, {32, 1}, {128, 32}}, {a, index},
                [](auto x, auto n, auto y) {
                  auto t = sbuf<bf16>(128_c, 32_c);
                  nc::dma_transpose(t, x.rows_at(0, 32_c),
                                    {.src_index = load(n)});
                  store(y, t);
                })[0],
            picked);
  // Rows of a view: two of them make a row of the tensor.
  const Values halves = rowNumbers(32, 128);
  Values pickedHalves(64 * 32);
  for (std::size_t i = 0; i < pickedHalves.size(); ++i)
    pickedHalves[i] = a[static_cast<std::size_t>(halves[i % 32]) * 64 + i / 32];
  checkSame(run<In<bf16, 2>, In<u32, 2>, Out<bf16, 2>>(
                "trn2", {{64, 128}, {32, 1}, {64, 32}}, {a, halves},
                [](auto x, auto n, auto y) {
                  auto t = sbuf<bf16>(64_c, 32_c);
                  nc::dma_transpose(t, x.reshape(128, 64).rows_at(0, 32_c),
                                    {.src_index = load(n)});
                  store(y, t);
                })[0],
            pickedHalves);
}

KILN_INSTRUCTION(dma_compute) {
  const Values a = someValues(count, isa::DType::f32, 1);
  const Values b = someValues(count, isa::DType::bf16, 2);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = f(a[i]) + f(b[i]) + f(a[i]);
  checkSame(run<In<f32, 2>, In<bf16, 2>, Out<f32, 2>>(
                "trn2", {{rows, cols}, {rows, cols}, {rows, cols}}, {a, b},
                [](auto x, auto y, auto z) {
                  nc::dma_compute(z, {x, y, load(x)});
                })[0],
            want);
  // Adds rows to the ones of an index, in place.
  Values index(32), sum = someValues(64 * cols, isa::DType::f32, 3);
  const Values before = sum;
  for (std::size_t i = 0; i < 32; ++i)
    index[i] = static_cast<double>(63 - 2 * i);
  for (std::size_t i = 0; i < 32 * cols; ++i) {
    double &at =
        sum[static_cast<std::size_t>(index[i / cols]) * cols + i % cols];
    at = f(at) + f(a[i]);
  }
  checkSame(run<In<f32, 2>, In<i32, 2>, InOut<f32, 2>>(
                "trn2", {{rows, cols}, {32, 1}, {64, cols}}, {a, index, before},
                [](auto x, auto n, auto y) {
                  auto old = y.rows_at(0, 32_c);
                  nc::dma_compute(old, {old, load(x.rows_at(0, 32_c))},
                                  {.dst_index = load(n)});
                })[0],
            sum);
}

KILN_INSTRUCTION(tensor_copy) {
  const Values a = someValues(count, isa::DType::f32);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = std::clamp(std::nearbyint(f(a[i]) * 50.0f), -128.0f, 127.0f);
  for (const nc::Engine engine :
       {nc::Engine::vector, nc::Engine::scalar, nc::Engine::gpsimd})
    checkSame(run<In<f32, 2>, Out<i8, 2>>("trn2", two, {a},
                                          [&](auto x, auto y) {
                                            auto t = sbuf<i8>(128_c, 48_c);
                                            nc::tensor_copy(t, load(x) * 50,
                                                            {.engine = engine});
                                            store(y, t);
                                          })[0],
              want);
  // Columns in another order: an index that 16 lanes share (trn3).
  Values index(rows * 3), picked(count);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t k = 0; k < 3; ++k)
      index[p * 3 + k] = static_cast<double>((p % 16 + 16 * k) * 5 % cols);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i % cols;
    const std::size_t lane = i / cols / 16 * 16 + place % 16;
    picked[i] = a[i / cols * cols +
                  static_cast<std::size_t>(index[lane * 3 + place / 16])];
  }
  checkSame(run<In<f32, 2>, In<u16, 2>, Out<f32, 2>>(
                "trn3", {{rows, cols}, {rows, 3}, {rows, cols}}, {a, index},
                [](auto x, auto n, auto y) {
                  auto t = sbuf<f32>(128_c, 48_c);
                  nc::tensor_copy(
                      t, load(x),
                      {.src_index = load(n), .engine = nc::Engine::vector});
                  store(y, t);
                })[0],
            picked);
}

KILN_INSTRUCTION(memset) {
  Values want(count, 1.0);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = i % cols % 2 ? -0.5 : 1.0;
  checkSame(run<Out<f8e4m3fn, 2>>("trn2", {{rows, cols}}, {},
                                  [](auto y) {
                                    auto t = sbuf<f8e4m3fn>(128_c, 48_c);
                                    nc::memset(t, 1.0,
                                               {.engine = nc::Engine::gpsimd});
                                    nc::memset(t.slice(1_c, 1, 24_c, 2), -0.5);
                                    store(y, t);
                                  })[0],
            want);
}

KILN_INSTRUCTION(iota) {
  Values want(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / cols, group = i % cols / 12;
    want[i] = static_cast<double>(5 + row * 1000 + group * 100 + i % 12 * 2);
  }
  checkSame(run<Out<i32, 2>>("trn1", {{rows, cols}}, {},
                             [](auto y) {
                               auto t = sbuf<i32>(128_c, 48_c);
                               nc::iota(
                                   t, {{100, 4}, {2, 12}},
                                   {.offset = 5, .channel_multiplier = 1000});
                               store(y, t);
                             })[0],
            want);
}

KILN_INSTRUCTION(affine_select) {
  const Values a = someValues(count, isa::DType::bf16);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] =
        3 + static_cast<int>(i / cols) - 2 * static_cast<int>(i % cols) >= 0
            ? a[i]
            : -1e30;
  for (double &value : want)
    value = rounded(value, isa::DType::f32);
  checkSame(run<In<bf16, 2>, Out<f32, 2>>(
                "trn1", two, {a},
                [](auto x, auto y) {
                  auto t = sbuf<f32>(128_c, 48_c);
                  nc::affine_select(
                      t, {{-2, 48}}, 1, load(x), -1e30,
                      {.cmp_op = AluOp::greater_equal, .offset = 3});
                  store(y, t);
                })[0],
            want);
}

KILN_INSTRUCTION(range_select) {
  const Values a = someValues(count, isa::DType::f32);
  Values low(rows), high(rows), want(count), most(rows, -3.4028234663852886e38);
  for (std::size_t p = 0; p < rows; ++p) {
    low[p] = static_cast<double>(100 + p % 7);
    high[p] = static_cast<double>(110 + p % 31);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double j = static_cast<double>(100 + i % cols);
    const bool inside = j >= low[i / cols] && j < high[i / cols];
    want[i] = inside ? a[i] : -3.4028234663852886e38;
    most[i / cols] = std::max(most[i / cols], want[i]);
  }
  const auto out =
      run<In<f32, 2>, In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
          "trn2", {{rows, cols}, {rows, 1}, {rows, 1}, {rows, cols}, {rows, 1}},
          {a, low, high}, [](auto x, auto from, auto to, auto y, auto best) {
            auto t = sbuf<f32>(128_c, 48_c);
            auto m = sbuf<f32>(128_c, 1_c);
            nc::range_select(t, load(x), AluOp::greater_equal, AluOp::less,
                             load(from), load(to),
                             {.reduce_res = m, .range_start = 100});
            store(y, t);
            store(best, m);
          });
  checkSame(out[0], want);
  checkSame(out[1], most);
}

KILN_INSTRUCTION(select_reduce) {
  const Values a = someValues(count, isa::DType::f16, 1);
  const Values p = someValues(count, isa::DType::boolean, 2);
  Values want(count), most(rows, -1e30);
  for (std::size_t i = 0; i < count; ++i) {
    want[i] = p[i] != 0 ? -2.0 : a[i];
    most[i / cols] = std::max(most[i / cols], want[i]);
  }
  const auto out = run<In<f16, 2>, In<boolean, 2>, Out<f32, 2>, Out<f32, 2>>(
      "trn1", {{rows, cols}, {rows, cols}, {rows, cols}, {rows, 1}}, {a, p},
      [](auto x, auto choice, auto y, auto best) {
        auto t = sbuf<f32>(128_c, 48_c);
        auto m = sbuf<f32>(128_c, 1_c);
        nc::select_reduce(t, load(choice), load(x), -2.0,
                          {.reduce_res = m,
                           .reduce_cmd = ReduceCommand::reset_reduce,
                           .reverse_pred = true});
        store(y, t);
        store(best, m);
      });
  checkSame(out[0], want);
  checkSame(out[1], most);
}

KILN_INSTRUCTION(tensor_copy_predicated) {
  const Values a = someValues(count, isa::DType::bf16, 1);
  const Values b = someValues(count, isa::DType::bf16, 2);
  const Values p = someValues(count, isa::DType::u8, 3);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = p[i] < 50 ? 4.0 : p[i] >= 90 ? b[i] : a[i];
  checkSame(
      run<In<bf16, 2>, In<bf16, 2>, In<u8, 2>, Out<bf16, 2>>(
          "trn2", {{rows, cols}, {rows, cols}, {rows, cols}, {rows, cols}},
          {a, b, p},
          [](auto x, auto other, auto predicate, auto y) {
            auto t = sbuf<bf16>(128_c, 48_c);
            auto m = load(predicate);
            nc::dma_copy(t, x);
            nc::tensor_copy_predicated(t, load(other), m >= 90);
            nc::tensor_copy_predicated(t, 4.0, m >= 50, {.reverse_pred = true});
            store(y, t);
          })[0],
      want);
}

TEST_CASE("transposes of infinities and NaN are exact") {
  const std::string target =
      GENERATE(as<std::string>(), "trn1", "trn2", "trn3");
  const std::int64_t rows = 150, cols = 70;
  Values x = someValues(static_cast<std::size_t>(rows * cols), isa::DType::f32);
  x[3] = std::numeric_limits<double>::infinity();
  x[5 * cols + 69] = -std::numeric_limits<double>::infinity();
  x[149 * cols + 33] = std::numeric_limits<double>::quiet_NaN();
  Values turned(x.size());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      turned[static_cast<std::size_t>(c * rows + r)] =
          x[static_cast<std::size_t>(r * cols + c)];
  const auto out = run<In<f32, 2>, Out<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      target, {{rows, cols}, {cols, rows}, {cols, rows}, {rows, 2}}, {x},
      [](auto a, auto y, auto z, auto p) {
        store(y, transpose(load(a)));
        store(z, load_transposed(a));
        // A product that contracts columns: only rows of its own spread.
        store(p, matmul_nn(load(a), full<f32>(1.0, a.dim(1), 2)));
      });
  checkSame(out[0], turned);
  checkSame(out[1], turned);
  CHECK(std::isinf(out[2][0]));
  CHECK(std::isnan(out[2][2 * 149]));
  for (const std::size_t row : {1u, 4u, 6u, 100u, 148u})
    CHECK(std::isfinite(out[2][2 * row]));
}

} // namespace kiln::test::movement_test
