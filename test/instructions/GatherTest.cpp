//===- GatherTest.cpp - Calls of shuffles, gathers and searches -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>
#include <numeric>

namespace kiln::test::gather_test {

namespace {
constexpr std::size_t rows = 128, cols = 64;
constexpr std::size_t count = rows * cols;

/// Values that are all different, so that every order is the only one.
Values distinct(std::size_t n, std::uint64_t seed) {
  Values values(n);
  std::iota(values.begin(), values.end(), -100.0);
  Random random(seed);
  for (std::size_t i = n; i-- > 1;)
    std::swap(values[i], values[static_cast<std::size_t>(
                             random.uniform() * static_cast<double>(i + 1))]);
  return values;
}
} // namespace

KILN_INSTRUCTION(nc_stream_shuffle) {
  const Values a = someValues(count, isa::DType::bf16);
  std::array<int, 32> lanes;
  for (int i = 0; i < 32; ++i)
    lanes[static_cast<std::size_t>(i)] = i == 5 ? 255 : (i * 7 + 3) % 32;
  Values want(count);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t j = 0; j < cols; ++j)
      want[p * cols + j] =
          p % 32 == 5
              ? 9.0
              : a[(p / 32 * 32 + static_cast<std::size_t>(lanes[p % 32])) *
                      cols +
                  j];
  checkSame(
      run<In<bf16, 2>, Out<bf16, 2>>("trn2", {{rows, cols}, {rows, cols}}, {a},
                                     [&](auto x, auto y) {
                                       auto t = sbuf<bf16>(128_c, 64_c);
                                       nc::memset(t, 9.0);
                                       nc::nc_stream_shuffle(t, load(x), lanes);
                                       store(y, t);
                                     })[0],
      want);
}

KILN_INSTRUCTION(local_gather) {
  const Values a = someValues(count, isa::DType::f32);
  Values index(rows * 2), want(rows * 40);
  for (std::size_t i = 0; i < index.size(); ++i)
    index[i] = static_cast<double>(i * 13 % (cols - 1));
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t j = 0; j < 40; ++j) {
      const std::size_t entry = j / 2; // two elements each
      const std::size_t lane = p / 16 * 16 + entry % 16;
      want[p * 40 + j] =
          a[p * cols + static_cast<std::size_t>(index[lane * 2 + entry / 16]) +
            j % 2];
    }
  checkSame(run<In<f32, 2>, In<u16, 2>, Out<f32, 2>>(
                "trn1", {{rows, cols}, {rows, 2}, {rows, 40}}, {a, index},
                [](auto x, auto n, auto y) {
                  auto t = sbuf<f32>(128_c, 40_c);
                  nc::local_gather(
                      t, load(x), load(n),
                      {.num_elem_per_idx = 2, .num_valid_indices = 20});
                  store(y, t);
                })[0],
            want);
}

KILN_INSTRUCTION(nc_n_gather) {
  const Values a = someValues(count, isa::DType::f8e5m2);
  Values index(rows * 20), want(rows * 20);
  for (std::size_t i = 0; i < index.size(); ++i) {
    index[i] = static_cast<double>(i * 29 % cols);
    want[i] = a[i / 20 * cols + static_cast<std::size_t>(index[i])];
  }
  checkSame(run<In<f8e5m2, 2>, In<u32, 2>, Out<f8e5m2, 2>>(
                "trn1", {{rows, cols}, {rows, 20}, {rows, 20}}, {a, index},
                [](auto x, auto n, auto y) {
                  auto t = sbuf<f8e5m2>(128_c, 20_c);
                  nc::nc_n_gather(t, load(x), load(n));
                  store(y, t);
                })[0],
            want);
}

KILN_INSTRUCTION(max8) {
  const Values a = distinct(count, 1);
  Values want;
  for (std::size_t p = 0; p < rows; ++p) {
    Values row(a.begin() + static_cast<long>(p * cols),
               a.begin() + static_cast<long>((p + 1) * cols));
    std::sort(row.begin(), row.end(), std::greater<>());
    want.insert(want.end(), row.begin(), row.begin() + 8);
  }
  checkSame(run<In<f32, 2>, Out<f32, 2>>("trn1", {{rows, cols}, {rows, 8}}, {a},
                                         [](auto x, auto y) {
                                           auto t = sbuf<f32>(128_c, 8_c);
                                           nc::max8(t, load(x));
                                           store(y, t);
                                         })[0],
            want);
}

KILN_INSTRUCTION(nc_find_index8) {
  const Values a = distinct(count, 2);
  Values vals(rows * 8), want(rows * 8);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t place = (p * 5 + i * 11) % cols;
      const bool absent = i == 6;
      vals[p * 8 + i] = absent ? 1e6 : a[p * cols + place];
      want[p * 8 + i] = absent ? 4294967295.0 : static_cast<double>(place);
    }
  checkSame(run<In<f32, 2>, In<f32, 2>, Out<u32, 2>>(
                "trn2", {{rows, cols}, {rows, 8}, {rows, 8}}, {a, vals},
                [](auto x, auto v, auto y) {
                  auto t = sbuf<u32>(128_c, 8_c);
                  nc::nc_find_index8(t, load(x), load(v));
                  store(y, t);
                })[0],
            want);
}

KILN_INSTRUCTION(nc_match_replace8) {
  const Values a = distinct(count, 3);
  Values vals(rows * 8), want = a, places(rows * 8);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t place = (p * 3 + i * 7) % cols;
      vals[p * 8 + i] = a[p * cols + place];
      want[p * cols + place] = -1e9;
      places[p * 8 + i] = static_cast<double>(place);
    }
  const auto out = run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<u32, 2>>(
      "trn2", {{rows, cols}, {rows, 8}, {rows, cols}, {rows, 8}}, {a, vals},
      [](auto x, auto v, auto y, auto z) {
        auto t = load(x); // becomes a variable: it is written in place
        auto n = sbuf<u32>(128_c, 8_c);
        nc::nc_match_replace8(t, t, load(v), -1e9, {.dst_idx = n});
        store(y, t);
        store(z, n);
      });
  checkSame(out[0], want);
  checkSame(out[1], places);
}

KILN_INSTRUCTION(topk) {
  // 16 lanes hold one list: element e at lane e % 16, column e / 16.
  constexpr std::size_t n = 250, columns = 16, k = 10;
  Values a(16 * columns);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<double>(i * 97 % 256) - 128; // distinct, exact in bf16
  auto at = [&](std::size_t e) { return a[e % 16 * columns + e / 16]; };
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return at(x) > at(y); });
  Values values, places;
  for (std::size_t p = 0; p < 16; ++p)
    for (std::size_t i = k; i-- > 0;) {
      values.push_back(at(order[i]));
      places.push_back(static_cast<double>(order[i]));
    }
  const auto out = run<In<bf16, 2>, Out<bf16, 2>, Out<u32, 2>>(
      "trn2", {{16, columns}, {16, k}, {16, k}}, {a},
      [](auto x, auto y, auto z) {
        auto best = sbuf<bf16>(16_c, 10_c);
        auto place = sbuf<u32>(16_c, 10_c);
        nc::topk(best, place, load(x), 250);
        store(y, best);
        store(z, place);
      });
  checkSame(out[0], values);
  checkSame(out[1], places);
}

KILN_INSTRUCTION(nonzero_with_count) {
  Values a(32 * cols), want(32 * (cols + 1), 5.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = i % 3 == 0 || i % 7 == 0 ? 1.5 : 0.0;
  for (std::size_t p = 0; p < 32; p += 16) {
    double *row = &want[p * (cols + 1)];
    std::fill(row, row + cols, -7.0);
    std::size_t found = 0;
    for (std::size_t j = 0; j < cols; ++j)
      if (a[p * cols + j] != 0)
        row[found++] = static_cast<double>(j + 100);
    row[cols] = static_cast<double>(found);
  }
  checkSame(run<In<f32, 2>, Out<i32, 2>>(
                "trn2", {{32, cols}, {32, cols + 1}}, {a},
                [](auto x, auto y) {
                  auto t = sbuf<i32>(32_c, 65_c);
                  nc::memset(t, 5.0);
                  nc::nonzero_with_count(
                      t, load(x), {.index_offset = 100, .padding_val = -7});
                  store(y, t);
                })[0],
            want);
}

KILN_INSTRUCTION(sequence_bounds) {
  const Values ids{3, 3, 1, 1, 1, 0, 0, 9};
  const Values want{0, 0, 2, 2, 2, 8, 8, 7, 2, 2, 5, 5, 5, -1, -1, 8};
  checkSame(run<In<i32, 2>, Out<i32, 2>>("trn1", {{1, 8}, {1, 16}}, {ids},
                                         [](auto x, auto y) {
                                           auto t = sbuf<i32>(1_c, 16_c);
                                           nc::sequence_bounds(t, load(x));
                                           store(y, t);
                                         })[0],
            want);
}

} // namespace kiln::test::gather_test
