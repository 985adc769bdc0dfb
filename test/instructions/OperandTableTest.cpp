//===- OperandTableTest.cpp - Operations x types x operands ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tile operation on operands in SBUF and in PSUM, rows that start where no
// engine can, one row, one column, more than 128 rows, floats and integers, on
// the three targets in turn. What runs is within the interpreter's bounds; what
// does not is refused with a code, and never called our mistake.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

using namespace kiln;
using namespace kiln::test;

namespace {

struct Window {
  std::int64_t tall, at, rows, cols;
};
constexpr Window windows[] = {
    {1, 0, 1, 1},      {1, 0, 1, 40},    {128, 0, 128, 9},  {128, 31, 14, 1},
    {128, 97, 31, 70}, {130, 0, 130, 3}, {300, 31, 150, 9}, {300, 127, 2, 1}};
enum class Kind { load, computed, psum };

int turn = 0;
int ran = 0, refused = 0;

/// Runs it, or sees that it is refused as it should be.
void check(const program::Program &program, const std::string &target,
           isa::DType dtype, const Window &w, std::int64_t most) {
  const std::string error = compileError(program, target);
  if (error != "none") {
    ++refused;
    INFO(error);
    CHECK(error.find("[KILN-") != std::string::npos);
    CHECK(error.find("KILN-C9") == std::string::npos);
    CHECK(error.find("internal") == std::string::npos);
    return;
  }
  ++ran;
  const auto count = static_cast<std::size_t>(w.tall * w.cols);
  Values x = someValues(count, dtype, static_cast<std::uint64_t>(turn));
  if (!isa::isFloat(dtype) && isa::sizeInBytes(dtype) == 4)
    for (double &value : x) // Of 24 bits and more.
      value = dtype == isa::DType::u32 ? std::fabs(value) * 16777259
                                       : value * 16777259;
  execute(program, *isa::findTarget(target),
          {x, Values(static_cast<std::size_t>(most * most), 0.25)});
}

/// Results are stored as they are.
template <class T, class Call>
void one(const char *what, const Window &w, const Call &call) {
  const char *targets[] = {"trn1", "trn2", "trn3"};
  const std::string target = targets[turn % 3];
  const auto kind = static_cast<Kind>(turn / 3 % 3);
  ++turn;
  INFO(what << " of " << isa::name(T::dtype) << " on " << target << ", kind "
            << static_cast<int>(kind) << ", rows " << w.at << " + " << w.rows
            << " of " << w.tall << ", columns " << w.cols);
  std::optional<program::Program> program;
  const auto body = [&](auto a, auto y) {
    const auto out = [&](const auto &result) {
      auto tile = cast<f32>(result);
      store(y.rows_at(0, tile.dim(0)).cols_at(0, tile.dim(1)), tile);
    };
    if (kind == Kind::psum && w.tall <= 128) {
      auto b = psum<T>(w.tall, w.cols);
      b = load(a);
      out(call(b.rows_at(w.at, w.rows)));
      return;
    }
    auto t = load(a);
    auto u = kind == Kind::load ? t : cast<T>(max(t, copy(t)));
    out(call(u.rows_at(w.at, w.rows)));
  };
  const std::int64_t most = std::max({w.rows, w.cols, std::int64_t{8}});
  try {
    program = recordProbe<In<T, 2>, InOut<f32, 2>>(
        {{w.tall, w.cols}, {most, most}}, body);
  } catch (const RecordError &error) {
    ++refused;
    CHECK(std::string(error.what()).find("KILN-A") != std::string::npos);
    return;
  }
  check(*program, target, T::dtype, w, most);
}

template <class T> void everywhere() {
  constexpr bool isInteger = !isa::isFloat(T::dtype);
  for (const Window &w : windows) {
    const std::int64_t r = w.rows, c = w.cols;
#define KILN_ONE(...)                                                          \
  one<T>(#__VA_ARGS__, w, [&](const auto &t) { return __VA_ARGS__; })
    KILN_ONE(copy(t));
    KILN_ONE(cast<i16>(t));
    KILN_ONE(t + t);
    KILN_ONE(3 * t - 7);
    KILN_ONE(t - t.rows_at(0, 1));
    KILN_ONE(t * t.cols_at(c - 1, 1));
    KILN_ONE(max(t, 2));
    KILN_ONE(min(t.rows_at(r - 1, 1), t));
    KILN_ONE(t > 2);
    KILN_ONE(equal(t, t.cols_at(0, 1)));
    KILN_ONE(where(t > 2, t, 5));
    KILN_ONE(where(t > 2, t, t + t));
    KILN_ONE(where(t.rows_at(0, 1) > 2, t, t.cols_at(0, 1)));
    KILN_ONE(keep(t, row(0) >= col(0), 3));
    KILN_ONE(row_sum(t));
    KILN_ONE(row_max(t));
    KILN_ONE(row_min(t));
    KILN_ONE(row_argmax(t));
    KILN_ONE(cumsum(t));
    KILN_ONE(cummax(t));
    KILN_ONE(scan(t.cols_at(0, 1), t, 1));
    KILN_ONE(transpose(t));
    KILN_ONE(broadcast_to(t.rows_at(r - 1, 1), r, c));
    KILN_ONE(broadcast_to(t.cols_at(c - 1, 1), r, c));
    KILN_ONE(abs_max(t, t.cols_at(0, 1)));
    KILN_ONE(gather(t, row_argmax(t)));
    KILN_ONE(top_k(t, 1).places);
    if constexpr (isInteger) {
      KILN_ONE(bitwise_and(t, 6));
      KILN_ONE(bitwise_xor(t, t.rows_at(0, 1)));
      KILN_ONE(right_shift(t, 1));
      KILN_ONE(invert(t));
    } else {
      KILN_ONE(exp(t) + t);
      KILN_ONE(t / (2 + abs(t)));
      KILN_ONE(softmax(t));
      KILN_ONE(col_sum(t));
      KILN_ONE(matmul(t, t));
      KILN_ONE(matmul_nt(t, t));
      KILN_ONE(floor(4 * t));
      KILN_ONE(sin(t));
      KILN_ONE(power(abs(t), 1.5));
      KILN_ONE(mod(t, 0.75));
      KILN_ONE(row_var(t));
    }
#undef KILN_ONE
  }
}

} // namespace

TEST_CASE("every operation on every kind of operand: floats", "[table]") {
  ran = refused = 0;
  SECTION("f32") { everywhere<f32>(); }
  SECTION("bf16") { everywhere<bf16>(); }
  SECTION("f16") { everywhere<f16>(); }
  CHECK(refused == 0);
}

TEST_CASE("every operation on every kind of operand: integers", "[table]") {
  ran = refused = 0;
  SECTION("i32") { everywhere<i32>(); }
  SECTION("u32") { everywhere<u32>(); }
  SECTION("i16") { everywhere<i16>(); }
  SECTION("u8") { everywhere<u8>(); }
  CHECK(refused == 0);
}
