//===- BoundariesTest.cpp - Both sides of constants that choose -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the passes on tiles and the lowering take another way from some number
// of rows, columns, products or bytes on, the values are those of the
// interpreter on both sides, which run() compares. WideTilesTest.cpp has the
// limits of access patterns.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

namespace kiln::test::boundaries_test {

namespace {

std::string nextTarget() {
  static int turn = 0;
  const char *targets[] = {"trn1", "trn2", "trn3"};
  return targets[turn++ % 3];
}
template <class T> Values some(std::int64_t count, std::uint64_t seed = 1) {
  return someValues(static_cast<std::size_t>(count), T::dtype, seed);
}
/// y[outRows, outCols] = call(x[rows, cols]) of f32, stored as such.
template <class T, class Call>
void mapped(std::int64_t rows, std::int64_t cols, std::int64_t outRows,
            std::int64_t outCols, const Call &call) {
  INFO(isa::name(T::dtype) << " [" << rows << ", " << cols << "]");
  run<In<T, 2>, Out<f32, 2>>(
      nextTarget(), {{rows, cols}, {outRows, outCols}}, {some<T>(rows * cols)},
      [&](auto a, auto y) { store(y, cast<f32>(call(load(a)))); });
}

} // namespace

TEST_CASE("boundaries: partitions, stationary columns and banks of a product") {
  for (const std::int64_t m : {127, 128, 129})
    for (const std::int64_t n : {511, 512, 513})
      for (const std::int64_t k : {127, 128, 129})
        run<In<bf16, 2>, In<bf16, 2>, Out<f32, 2>>(
            nextTarget(), {{k, m}, {k, n}, {m, n}},
            {some<bf16>(k * m), some<bf16>(k * n, 2)},
            [](auto a, auto b, auto c) {
              store(c, 0.5 * matmul(load(a), load(b)));
            });
}

TEST_CASE("boundaries: products that wait in PSUM") {
  for (int products = 1; products <= 10; ++products)
    run<In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
        nextTarget(), {{16, 40}, {16, 512}, {40, 512}},
        {some<f32>(16 * 40), some<f32>(16 * 512, 2)},
        [&](auto a, auto b, auto c) {
          auto x = load(a);
          auto y = load(b);
          auto first = matmul(x, y);
          Tile<f32, -1, -1> sum = zeros<f32>(40, 512);
          for (int i = 1; i < products; ++i)
            sum = sum + matmul(x * i, y);
          store(c, sum + first);
        });
}

TEST_CASE("boundaries: blocks and banks of a transpose") {
  const auto turned = [](std::int64_t rows, std::int64_t cols) {
    const auto call = [](const auto &t) { return transpose(t); };
    mapped<f32>(rows, cols, cols, rows, call);
    mapped<bf16>(rows, cols, cols, rows, call);
    mapped<u8>(rows, cols, cols, rows, call);
    mapped<i32>(rows, cols, cols, rows, call);
  };
  for (const std::int64_t rows : {1, 31, 32, 33, 127, 128, 129})
    for (const std::int64_t cols : {1, 31, 32, 33, 127, 128, 129})
      turned(rows, cols);
  // Rows are the columns of PSUM, and several slots share a bank.
  for (const std::int64_t rows : {511, 512, 513, 1023, 1024, 1025})
    turned(rows, 129);
  for (const std::int64_t rows : {128, 256, 384, 512})
    for (const std::int64_t cols : {128, 256, 384, 512})
      turned(rows, cols);
}

TEST_CASE("boundaries: integer rows that repeat") {
  for (const std::int64_t rows : {1, 2, 127, 128, 129, 257})
    for (const std::int64_t cols : {1, 511, 512, 513, 516, 517})
      mapped<i32>(1, cols, rows, cols, [&](const auto &t) {
        return broadcast_to(t + 1, rows, cols);
      });
  for (const std::int64_t cols : {21845, 21846, 32767, 32768})
    run<In<i32, 2>, Out<i32, 2>>(
        nextTarget(), {{1, cols}, {2, cols}}, {some<i32>(cols)},
        [&](auto a, auto y) {
          store(y, broadcast_to(load(a).cols_at(0, cols) + 1, 2, cols));
        });
}

TEST_CASE("boundaries: columns of a search") {
  for (const std::int64_t cols :
       {1, 7, 8, 9, 16383, 16384, 16385, 32768, 32769}) {
    mapped<f32>(3, cols, 3, 1, [](const auto &t) { return row_argmax(t); });
    for (const std::int64_t k : {1, 7, 8, 9})
      if (k <= cols)
        mapped<f32>(3, cols, 3, k,
                    [&](const auto &t) { return top_k(t, k).places; });
  }
}

TEST_CASE("boundaries: reciprocals on the Vector and the Scalar engine") {
  for (const std::int64_t cols :
       {1, 600, 700, 800, 900, 1000, 3100, 3300, 3500, 3900, 4100}) {
    mapped<f32>(2, cols, 2, cols,
                [](const auto &t) { return 1.0 / (abs(t) + 1.0); });
    mapped<f32>(2, cols, 2, cols,
                [](const auto &t) { return exp(t) / (abs(t) + 1.0); });
  }
}

TEST_CASE("boundaries: iterations that run together") {
  for (const std::int64_t blocks : {1, 2, 3, 4, 5, 7, 8, 9})
    for (const std::int64_t inner : {1, 3, 4}) {
      run<In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
          nextTarget(), {{blocks * 8, 16}, {inner * 8, 16}, {blocks * 8, 1}},
          {some<f32>(blocks * 8 * 16), some<f32>(inner * 8 * 16, 2)},
          [&](auto a, auto b, auto y) {
            loop("block", blocks, [&](Index i) {
              auto x = load(a.rows(i, 8_c));
              auto most = full<f32>(-100.0, 8_c, 1_c);
              loop("inner", inner, [&](Index j) {
                most = max(most, row_max(x * load(b.rows(j, 8_c))));
              });
              store(y.rows(i, 8_c), most);
            });
          });
    }
}

TEST_CASE("boundaries: bytes that stay, leave a loop, or are streamed") {
  // tile-narrow and tile-hoist: 64 KiB of a partition.
  for (const std::int64_t cols : {16383, 16384, 16385})
    run<In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
        nextTarget(), {{3, cols}, {3, 1}, {9, cols}}, {some<f32>(3 * cols)},
        [&](auto a, auto s, auto y) {
          auto x = load(a);
          store(s, row_sum(x) + x.cols_at(cols - 1, 1));
          loop("i", 3, [&](Index i) { store(y.rows(i, 3), load(a) + 1.0f); });
        });
  // tile-stream: all of SBUF, of trn2 212992 bytes for two tiles.
  for (const std::int64_t cols : {26623, 26624, 26625})
    run<In<f32, 2>, Out<f32, 2>>(
        "trn2", {{3, cols}, {3, cols}}, {some<f32>(3 * cols)},
        [](auto a, auto y) { store(y, exp(load(a))); });
}

TEST_CASE("boundaries: slots of masks and of three dimensions") {
  for (const std::int64_t rows : {127, 128, 129, 256, 257})
    for (const std::int64_t cols : {1, 200}) {
      mapped<f32>(rows, cols, rows, cols, [](const auto &t) {
        return keep(t, row(0) >= col(0) + 5, 3.0);
      });
      run<In<f32, 3>, Out<f32, 3>>(
          nextTarget(), {{rows, 3, cols}, {rows, 3, cols}},
          {some<f32>(rows * 3 * cols)},
          [](auto a, auto y) { store(y, exp(load(a)) * 2.0f); });
    }
}

} // namespace kiln::test::boundaries_test
