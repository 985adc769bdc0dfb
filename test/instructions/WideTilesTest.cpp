//===- WideTilesTest.cpp - More than one instruction takes ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction takes 65536 elements of a partition in dimensions of up to
// 65535, with strides up to 32767. Tiles around these limits, of bytes: others
// hardly fit the memory.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <functional>

namespace kiln::test::wide_tiles_test {

namespace {

using Function = std::function<double(std::size_t)>;

Values filled(std::int64_t count, const Function &of) {
  Values values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = of(i);
  return values;
}
Values someBytes(std::int64_t count) {
  return filled(count, [](std::size_t i) {
    return static_cast<double>((i * 7 + i / 1000) % 5);
  });
}

} // namespace

TEST_CASE("tiles of more than 65535 elements per partition", "[long]") {
  for (const auto &[rows, cols] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 65535},
                                                          {1, 65536},
                                                          {3, 65537},
                                                          {129, 32767},
                                                          {256, 32768},
                                                          {257, 22000}}) {
    INFO("[" << rows << ", " << cols << "]");
    const auto width = static_cast<std::size_t>(cols);
    const Values x = someBytes(rows * cols);
    const auto bytes = [&](const Function &want, const auto &call) {
      checkSame(run<In<u8, 2>, Out<u8, 2>>(
                    "trn2", {{rows, cols}, {rows, cols}}, {x},
                    [&](auto a, auto z) { store(z, call(load(a))); })[0],
                filled(rows * cols, want));
    };
    bytes([&](std::size_t i) { return 2 * x[i] + 1; },
          [](const auto &t) { return cast<u8>(2 * cast<f32>(t) + 1); });
    bytes([&](std::size_t i) { return x[i] > 2; },
          [](const auto &t) { return t > 2.0; });
    bytes([&](std::size_t i) { return std::round(std::sqrt(x[i])); },
          [](const auto &t) { return cast<u8>(sqrt(t)); });
    bytes(
        [&](std::size_t i) {
          return static_cast<std::int64_t>(i % width) >= cols - 3 ? x[i] : 9;
        },
        [&](const auto &t) { return keep(t, col(0) >= Index(cols - 3), 9.0); });
    bytes([&](std::size_t i) { return x[i] > 2 ? x[i] : 9; },
          [](const auto &t) { return where(t > 2.0, t, 9.0); });
    Values sums(static_cast<std::size_t>(rows)), most = sums;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sums[i / width] += x[i];
      most[i / width] = std::max(most[i / width], x[i]);
    }
    const auto out = run<In<u8, 2>, Out<f32, 2>, Out<f32, 2>>(
        "trn2", {{rows, cols}, {rows, 1}, {rows, 1}}, {x},
        [&](auto a, auto s, auto m) {
          auto t = load(a);
          store(s, row_sum(t));
          store(m, row_max(t));
        });
    checkSame(out[0], sums);
    checkSame(out[1], most);
  }
}

TEST_CASE("columns further apart than a stride says") {
  for (const std::int64_t cols : {32767, 32768, 40000}) {
    INFO(cols);
    const Values x = someBytes(256 * cols);
    const auto width = static_cast<std::size_t>(cols);
    Values want;
    for (std::size_t r = 0; r < 256; ++r)
      for (const std::size_t c : {std::size_t{1}, width - 1})
        want.push_back(x[r * width + c] + 1);
    const auto step = cols - 2;
    checkSame(run<In<u8, 2>, Out<u8, 2>>(
                  "trn2", {{256, cols}, {256, 2}}, {x},
                  [&](auto a, auto z) {
                    auto t = load(a);
                    store(z, cast<u8>(t.slice(1_c, 1, 2, step) + 1));
                  })[0],
              want);
  }
}

TEST_CASE("an activation with row sums, in pieces") {
  const std::int64_t cols =
      GENERATE(std::int64_t{65535}, std::int64_t{65536}, std::int64_t{80000});
  const Values x = someBytes(2 * cols);
  Values sums(2);
  for (std::size_t i = 0; i < x.size(); ++i)
    sums[i / static_cast<std::size_t>(cols)] += x[i] * x[i];
  const auto out = run<In<u8, 2>, Out<f32, 2>, Out<u8, 2>>(
      "trn2", {{2, cols}, {2, 1}, {2, cols}}, {x}, [](auto a, auto s, auto y) {
        auto squares = square(load(a));
        store(s, row_sum(squares));
        store(y, cast<u8>(squares));
      });
  checkNear(out[0], sums, 1e-6);
  checkSame(out[1],
            filled(2 * cols, [&](std::size_t i) { return x[i] * x[i]; }));
}

TEST_CASE("a transposing load of more than 65535 rows") {
  for (const std::int64_t rows : {65535, 65536, 66000}) {
    INFO(rows);
    const Values x = someBytes(rows * 2);
    const auto count = static_cast<std::size_t>(rows);
    checkSame(run<In<bf16, 2>, Out<bf16, 2>>(
                  "trn2", {{rows, 2}, {2, rows}}, {x},
                  [](auto a, auto z) { store(z, load_transposed(a)); })[0],
              filled(2 * rows, [&](std::size_t i) {
                return x[i % count * 2 + i / count];
              }));
  }
}

} // namespace kiln::test::wide_tiles_test
