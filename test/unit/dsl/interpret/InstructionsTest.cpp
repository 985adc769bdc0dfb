//===- InstructionsTest.cpp - The meaning of instructions, by hand ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers worked out from the manual. test/instructions holds every instruction
// against the executor as well.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "catch.h"
#include "instructions/Operands.h"
#include "instructions/Stages.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

#include <cmath>
#include <functional>

using namespace kiln;
using interpret::Number;
using isa::DType;
using nc::AluOp;
using Values = std::vector<double>;

namespace {

/// x: [P, N] of type T, y: [Q, M] of type U; the body makes y of x.
template <class T, class U> struct Probe {
  BOOST_HANA_DEFINE_STRUCT(Probe, (int, p), (int, n), (int, q), (int, m));
  const std::function<void(In<T, 2>, Out<U, 2>)> *body = nullptr;
  void describe(Signature &s) const {
    s.argument("x", {p, n});
    s.argument("y", {q, m});
  }
  void operator()(In<T, 2> x, Out<U, 2> y) const { (*body)(x, y); }
};

template <class T, class U>
std::vector<Number> run(int p, int q, const Values &x, std::size_t count,
                        const std::function<void(In<T, 2>, Out<U, 2>)> &body) {
  Probe<T, U> probe{p, static_cast<int>(x.size()) / p, q,
                    static_cast<int>(count) / q};
  probe.body = &body;
  const program::Program program = record(probe, "probe");
  const interpret::Result result = interpret::interpret(program, {{"x", x}});
  if (result.fault)
    FAIL(result.fault->text);
  return result.ranks.at(0).at("y").elements;
}

void checkExactly(const std::vector<Number> &found, const Values &wanted) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    INFO("element " << i);
    CHECK(found[i].value == wanted[i]);
    CHECK(found[i].bound == 0);
  }
}

Number uncertain(double low, double high) {
  return interpret::within((low + high) / 2, low, high);
}

} // namespace

TEST_CASE("patterns of indices") {
  checkExactly(run<i32, i32>(1, 3, {0}, 12,
                             [](In<i32, 2>, Out<i32, 2> y) {
                               auto t = sbuf<i32>(3_c, 4_c);
                               nc::iota(
                                   t, {{1, 4}},
                                   {.offset = 10, .channel_multiplier = 100});
                               store(y, t);
                             }),
               {10, 11, 12, 13, 110, 111, 112, 113, 210, 211, 212, 213});
  // A causal mask keeps column j <= row p.
  checkExactly(run<f32, f32>(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 9,
                             [](In<f32, 2> x, Out<f32, 2> y) {
                               auto t = sbuf<f32>(3_c, 3_c);
                               nc::affine_select(
                                   t, {{-1, 3}}, 1, load(x), -1.0,
                                   {.cmp_op = AluOp::greater_equal});
                               store(y, t);
                             }),
               {1, -1, -1, 4, 5, -1, 7, 8, 9});
}

TEST_CASE("running reductions") {
  const auto cumulative = [](AluOp op) {
    return [op](In<f32, 2> x, Out<f32, 2> y) {
      auto t = sbuf<f32>(1_c, 3_c);
      nc::tensor_scalar_cumulative(t, load(x), AluOp::add, op, 0.0);
      store(y, t);
    };
  };
  checkExactly(run<f32, f32>(1, 1, {1, 1, 1}, 3, cumulative(AluOp::add)),
               {1, 2, 3});
  // The new element is the left operand: 5 - 0, 3 - 5, 2 + 2.
  checkExactly(run<f32, f32>(1, 1, {5, 3, 2}, 3, cumulative(AluOp::subtract)),
               {5, -2, 4});
  // r = x r + x from 0.5: 3 * 0.5 + 3, 2 * 4.5 + 2.
  checkExactly(run<f32, f32>(1, 1, {3, 2}, 2,
                             [](In<f32, 2> x, Out<f32, 2> y) {
                               auto t = sbuf<f32>(1_c, 2_c);
                               auto v = load(x);
                               nc::tensor_tensor_scan(
                                   t, v, v, 0.5, AluOp::multiply, AluOp::add);
                               store(y, t);
                             }),
               {4.5, 11});
}

TEST_CASE("an accumulator goes on where the last instruction left it") {
  checkExactly(
      run<f32, f32>(
          1, 1, {1, 2, 4, 8}, 1,
          [](In<f32, 2> x, Out<f32, 2> y) {
            auto t = load(x);
            auto squares = sbuf<f32>(1_c, 2_c);
            auto sum = sbuf<f32>(1_c, 1_c);
            using nc::ActivationFunction, nc::ReduceCommand;
            nc::activation(squares, ActivationFunction::square, t.cols(0, 2_c),
                           {.reduce_op = AluOp::add,
                            .reduce_cmd = ReduceCommand::reset_reduce});
            nc::activation(squares, ActivationFunction::copy, t.cols(1, 2_c),
                           {.reduce_op = AluOp::add,
                            .reduce_res = sum,
                            .reduce_cmd = ReduceCommand::reduce});
            store(y, sum);
          }),
      {1 + 4 + 4 + 8});
}

TEST_CASE("the sine goes on as a cubic") {
  const auto y =
      run<f32, f32>(1, 1, {9, -9, 0}, 3, [](In<f32, 2> x, Out<f32, 2> out) {
        auto t = sbuf<f32>(1_c, 3_c);
        nc::activation(t, nc::ActivationFunction::sin, load(x));
        store(out, t);
      });
  CHECK(std::abs(y[0].value - 27.6526) < 1e-4);
  CHECK(y[1].value == -y[0].value);
  CHECK(y[2].value == 0);
}

TEST_CASE("a sine has a bound, however many turns the angle has") {
  for (const Number &number : run<f32, f32>(
           1, 1, {0x1p31, 1e38, -3e38, 60000}, 4,
           [](In<f32, 2> x, Out<f32, 2> out) { store(out, sin(load(x))); })) {
    CHECK(std::abs(number.value) <= 1);
    CHECK(number.bound != interpret::unbounded);
  }
}

TEST_CASE("equal values of a search") {
  const Values data{1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8};
  // The eight largest are seven 8 and 4; the k-th 8 takes the k-th place.
  checkExactly(run<f32, u32>(1, 1, data, 8,
                             [](In<f32, 2> x, Out<u32, 2> y) {
                               auto t = load(x);
                               store(y, row_find8(t, row_max8(t)));
                             }),
               {4, 5, 6, 7, 8, 9, 10, 3});
  // Replacing begins with the last of the values.
  checkExactly(run<f32, u32>(1, 1, data, 8,
                             [](In<f32, 2> x, Out<u32, 2> y) {
                               auto t = load(x);
                               auto vals = sbuf<f32>(1_c, 8_c);
                               nc::memset(vals, 8.0);
                               nc::memset(vals.cols_at(0, 1_c), 3.0);
                               auto rest = sbuf<f32>(1_c, 11_c);
                               auto places = sbuf<u32>(1_c, 8_c);
                               nc::nc_match_replace8(rest, t, vals, 0.0,
                                                     {.dst_idx = places});
                               store(y, places);
                             }),
               {2, 10, 9, 8, 7, 6, 5, 4});
}

TEST_CASE("a place is known where its value stands apart") {
  // softmax has bounds; the largest of each row is far from the others.
  checkExactly(run<f32, u32>(1, 1, {0, 1, 2, 9, 3, 4, 5, 6, 7}, 1,
                             [](In<f32, 2> x, Out<u32, 2> y) {
                               store(y, row_argmax(softmax(load(x))));
                             }),
               {3});
}

TEST_CASE("lists of places") {
  checkExactly(run<f32, i32>(
                   16, 1,
                   [] {
                     Values x(16 * 8, 1.0);
                     const double row[] = {0, 1, 1, 0, 0, 1, 0, 0};
                     std::copy(row, row + 8, x.begin());
                     return x;
                   }(),
                   9,
                   [](In<f32, 2> x, Out<i32, 2> y) {
                     auto t = sbuf<i32>(16_c, 9_c);
                     nc::memset(t, 7.0);
                     nc::nonzero_with_count(t, load(x), {.index_offset = 16});
                     store(y, t.rows_at(0, 1_c));
                   }),
               {17, 18, 21, -1, -1, -1, -1, -1, 3});
  checkExactly(run<i32, i32>(1, 1, {0, 1, 1, 2, 2, 2, 0, 3, 3}, 18,
                             [](In<i32, 2> x, Out<i32, 2> y) {
                               auto t = sbuf<i32>(1_c, 18_c);
                               nc::sequence_bounds(t, load(x));
                               store(y, t);
                             }),
               {9, 1, 1, 3, 3, 3, 9, 7, 7, -1, 3, 3, 6, 6, 6, -1, 9, 9});
}

TEST_CASE("statistics of even and odd places") {
  checkExactly(run<f32, f32>(1, 1, {1, 2, 3, 4}, 8,
                             [](In<f32, 2> x, Out<f32, 2> y) {
                               auto parts = sbuf<f32>(1_c, 6_c);
                               auto both = sbuf<f32>(1_c, 2_c);
                               nc::bn_stats(parts, load(x));
                               nc::bn_aggr(both, parts);
                               store(y.cols_at(0, 6_c), parts);
                               store(y.cols_at(6, 2_c), both);
                             }),
               {2, 2, 2, 2, 3, 2, 2.5, 1.25});
}

TEST_CASE("a scale for 32 values") {
  // The largest is 1: exponent 0, code 0 - 7 + 127, and 1 becomes 2^7.
  Values x(32 * 4, 0.5);
  x[0] = 1;
  x[8 * 4] = 1.9921875; // rounds up to the power of two above
  const auto y = run<bf16, u8>(32, 4, x, 4, [](In<bf16, 2> in, Out<u8, 2> out) {
    auto packed = sbuf<f8e4m3fn_x4>(32_c, 1_c);
    auto scale = sbuf<u8>(4_c, 1_c);
    nc::quantize_mx(packed, load(in), scale);
    store(out, scale);
  });
  checkExactly(y, {120, 120, 119, 119});
}

TEST_CASE("integers of 32 bits: which engine computes") {
  const auto sums = [](std::optional<nc::Engine> engine) {
    return run<i32, i32>(
        1, 1, {16777216, 2147483647}, 2, [engine](In<i32, 2> x, Out<i32, 2> y) {
          auto one = sbuf<i32>(1_c, 2_c);
          auto t = sbuf<i32>(1_c, 2_c);
          nc::memset(one, 1.0);
          nc::tensor_tensor(t, load(x), one, AluOp::add, {.engine = engine});
          store(y, t);
        });
  };
  // GpSimd is exact and wraps; it is taken where nothing else is asked for.
  checkExactly(sums(nc::Engine::gpsimd), {16777217, -2147483648.0});
  checkExactly(sums(std::nullopt), {16777217, -2147483648.0});
  checkExactly(sums(nc::Engine::vector), {16777216, 2147483647});
}

TEST_CASE("a stage rounds once, and exactly") {
  using interpret::stage, interpret::exactly;
  const Number third = stage(isa::AluOp::reciprocal, exactly(3), exactly(0));
  CHECK(third.value == static_cast<double>(1.0f / 3.0f));
  CHECK(third.bound == 0);
  const Number sum = stage(isa::AluOp::add, exactly(16777216), exactly(1));
  CHECK(sum.value == 16777216);
  CHECK(sum.bound == 0);
  // A product that fp32 cannot hold before the sum.
  const double a = 1 + 0x1p-12;
  CHECK(interpret::fusedStage(exactly(a), exactly(a), exactly(-1)).value ==
        0x1p-11 + 0x1p-24);
}

TEST_CASE("bits of what is uncertain") {
  using interpret::bitwise, interpret::exactly;
  const Number any = interpret::anyInteger(DType::u32);
  CHECK(interpret::low(any) <= 0);
  CHECK(interpret::high(any) >= 4294967295.0);
  const Number high = bitwise(isa::AluOp::right_shift, any, DType::u32,
                              exactly(8), DType::u32, DType::u32);
  CHECK(interpret::low(high) <= 0);
  CHECK(interpret::high(high) >= 16777215);
  CHECK(interpret::high(high) < 16777217);
  const Number masked = bitwise(isa::AluOp::bitwise_and, any, DType::u32,
                                exactly(7), DType::u32, DType::u32);
  CHECK(interpret::high(masked) < 8);
  // Both signs: the bits are anything.
  const Number sign = bitwise(isa::AluOp::right_shift, uncertain(-1, 1),
                              DType::i8, exactly(1), DType::i8, DType::i8);
  CHECK(interpret::high(sign) >= 127);
  // Exact ones: -3 >> 1 fills with zeros; a shift by the width gives 0.
  CHECK(bitwise(isa::AluOp::right_shift, exactly(-3), DType::i8, exactly(1),
                DType::i8, DType::i8)
            .value == 126);
  CHECK(bitwise(isa::AluOp::left_shift, exactly(5), DType::u16, exactly(16),
                DType::u16, DType::u16)
            .value == 0);
}

TEST_CASE("a number or none") {
  using interpret::either, interpret::exactly, interpret::isUnknown;
  CHECK(isUnknown(either(exactly(std::nan("")), exactly(0))));
  CHECK(isUnknown(either(exactly(0), exactly(std::nan("")))));
  CHECK(!isUnknown(either(exactly(std::nan("")), exactly(std::nan("")))));
}

TEST_CASE("XORWOW") {
  interpret::Generator generator;
  generator.words = {1, 2, 3, 4, 5, 6};
  // t = 1 ^ 0; v = (5 ^ 80) ^ (1 ^ 2) = 85 ^ 3; d = 362443.
  CHECK(generator.next() == (85u ^ 3u) + 362443u);
  CHECK(generator.words[0] == 2);
  CHECK(generator.words[5] == 362443);
}

TEST_CASE("what has no meaning stops the run") {
  const auto faultOf = [](const Values &index) {
    const std::function<void(In<u32, 2>, Out<u32, 2>)> body =
        [](In<u32, 2> x, Out<u32, 2> y) {
          auto t = load(x);
          store(y, gather(t, t));
        };
    Probe<u32, u32> probe{1, static_cast<int>(index.size()), 1,
                          static_cast<int>(index.size())};
    probe.body = &body;
    const auto result =
        interpret::interpret(record(probe, "probe"), {{"x", index}});
    return result.fault ? result.fault->text : "none";
  };
  CHECK(faultOf({1, 0}) == "none");
  CHECK(faultOf({1, 2}).find("takes element 2") != std::string::npos);
  // An accumulator that nothing started.
  const std::function<void(In<f32, 2>, Out<f32, 2>)> body = [](In<f32, 2> x,
                                                               Out<f32, 2> y) {
    auto t = sbuf<f32>(1_c, 2_c);
    nc::tensor_scalar_cumulative(t, load(x), AluOp::add, AluOp::add, 0.0,
                                 {.reduce_cmd = nc::ReduceCommand::reduce});
    store(y, t);
  };
  Probe<f32, f32> probe{1, 2, 1, 2};
  probe.body = &body;
  const auto result =
      interpret::interpret(record(probe, "probe"), {{"x", {1, 2}}});
  REQUIRE(result.fault);
  CHECK(result.fault->text.find("no instruction has started") !=
        std::string::npos);
  // An instruction that there is not.
  program::Program program = record(probe, "probe");
  for (program::Op &op : program.body)
    if (op.is<program::Instruction>())
      op.call()->mnemonic = "no_such_instruction";
  const auto unknown = interpret::interpret(program, {{"x", {1, 2}}});
  REQUIRE(unknown.fault);
  CHECK(unknown.fault->kind == interpret::Fault::invalid);
  CHECK(unknown.fault->text.find("no_such_instruction") != std::string::npos);
}
