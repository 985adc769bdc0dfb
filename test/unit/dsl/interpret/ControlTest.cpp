//===- ControlTest.cpp - Loops, registers, cores and ranks ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interpreted.h"

using namespace kiln;
using namespace kiln::test;
using interpret::Fault;

using In2 = In<f32, 2>;
using Out2 = Out<f32, 2>;
using Table = In<i32, 2>;

TEST_CASE("registers offset views and bound loops") {
  const auto result = interpreted<In2, Table, Out2>(
      {{4, 2}, {1, 4}, {4, 2}}, {{"a", counting(8)}, {"b", {2, 0, 1, 3}}},
      [](In2 x, Table t, Out2 y) {
        store(y, zeros<f32>(4_c, 2_c));
        const Index n = nc::register_load(t.cols_at(3, 1_c));
        loop("row", min(n, 4), [&](Index i) {
          const Index from = nc::register_load(t.cols_at(i, 1_c));
          store(y.rows(i, 1_c), load(x.rows(from, 1_c)));
        });
      });
  CHECK(exactValues(result, "c") == Values{4, 5, 0, 1, 2, 3, 0, 0});
}

TEST_CASE("when and its otherwise") {
  const auto result = interpreted<Table, Out2>(
      {{1, 3}, {1, 3}}, {{"a", {-1, 0, 5}}}, [](Table t, Out2 y) {
        loop("i", 3, [&](Index i) {
          const Index x = nc::register_load(t.cols_at(i, 1_c));
          when(
              "small", x < 5 && !(x == 0),
              [&] { store(y.cols_at(i, 1_c), ones<f32>(1_c, 1_c)); },
              [&] { store(y.cols_at(i, 1_c), full<f32>(2, 1_c, 1_c)); });
        });
      });
  CHECK(exactValues(result, "b") == Values{1, 2, 2});
}

TEST_CASE("while_loop runs until its condition is 0") {
  const auto kernel = [](Table t, Out2 y) {
    auto left = load(t);
    auto count = zeros<f32>(1_c, 1_c);
    while_loop("down", nc::register_load(t), [&] {
      count = count + 1.0;
      left = left - 1.0;
      return nc::register_load(left);
    });
    store(y, count);
  };
  const std::vector<Extents> shapes{{1, 1}, {1, 1}};
  for (const double n : {0.0, 1.0, 7.0}) {
    const auto result = interpreted<Table, Out2>(shapes, {{"a", {n}}}, kernel);
    CHECK(exactValues(result, "b") == Values{n});
  }
  interpret::Options options;
  options.steps = 100;
  const auto endless = interpret::interpret(
      recordProbe<Table, Out2>(shapes, kernel), {{"a", {-1}}}, options);
  REQUIRE(endless.fault);
  CHECK(endless.fault->kind == Fault::limit);
}

TEST_CASE("a branch on a number that is left open is no meaning") {
  const auto result = interpreted<In2, Out2>(
      {{1, 1}, {1, 1}}, {{"a", {0.1f}}}, [](In2 x, Out2 y) {
        auto half = cast<i32>(load(x) / 3.0 * 15.0);
        when("two", nc::register_load(half) == 2, [&] { store(y, load(x)); });
      });
  REQUIRE(result.fault);
  CHECK(result.fault->kind == Fault::undecided);
  CHECK(result.fault->where.line > 0);
}

TEST_CASE("a row outside of a tensor") {
  const auto result = interpreted<In2, Table, Out2>(
      {{4, 2}, {1, 1}, {1, 2}}, {{"a", counting(8)}, {"b", {4}}},
      [](In2 x, Table t, Out2 y) {
        store(y, load(x.rows(nc::register_load(t), 1_c)));
      });
  REQUIRE(result.fault);
  CHECK(result.fault->kind == Fault::invalid);
}

TEST_CASE("inputs that are missing or too short") {
  const auto result =
      interpreted<In2, Out2>({{2, 2}, {2, 2}}, {{"a", {1, 2, 3}}},
                             [](In2 x, Out2 y) { store(y, load(x)); });
  REQUIRE(result.fault);
  CHECK(result.fault->kind == Fault::invalid);
}

TEST_CASE("register_store keeps the low bits") {
  const auto result = interpreted<Table, Out<i8, 2>>(
      {{1, 1}, {1, 2}}, {{"a", {200}}}, [](Table t, Out<i8, 2> y) {
        const Index x = nc::register_load(t);
        nc::register_store(y.cols_at(0, 1_c), x);
        nc::register_store(y.cols_at(1, 1_c), x / 3 - x % 7 + 300);
      });
  // 200 is -56 in 8 bits; 66 - 4 + 300 = 362 is 106.
  CHECK(exactValues(result, "b") == Values{-56, 106});
}

TEST_CASE("a result that depends on an overflow has no meaning") {
  // The product or the sum needs more than 32 bits.
  const auto found = [](double number, auto index) {
    const auto result = interpreted<Table, Out<i32, 2>>(
        {{1, 1}, {1, 1}}, {{"a", {number}}}, [&](Table t, Out<i32, 2> y) {
          nc::register_store(y, index(Index(nc::register_load(t))));
        });
    if (!result.fault)
      return std::to_string(
          static_cast<std::int64_t>(result.ranks[0].at("b").elements[0].value));
    CHECK(result.fault->kind == Fault::invalid);
    CHECK(result.fault->where.line > 0);
    return isa::MarkedText(result.fault->text).found;
  };
  const auto seventh = [](Index n) { return n * 100000 / 7; };
  CHECK(found(21474, seventh) == "306771428");
  CHECK(found(21475, seventh) == "2147500000");
  CHECK(found(-21475, seventh) == "-2147500000");
  const auto next = [](Index n) { return n + 1; };
  CHECK(found(2147483646, next) == "2147483647");
  CHECK(found(2147483647, next) == "2147483648");
  // What comes back into 32 bits is right on every machine.
  CHECK(found(2147483647, [](Index n) { return n * 3 - 2 * n; }) ==
        "2147483647");
  CHECK(found(2147483647, [](Index n) { return (n + 2 > 5).index(); }) == "1");
  CHECK(found(-2147483648.0, [](Index n) { return (n - 2 < 5).index(); }) ==
        "-2147483650");
}

TEST_CASE("the difference of two registers may need more than 32 bits") {
  const auto isLess = [](double a, double b) {
    const auto result = interpreted<Table, Out<i32, 2>>(
        {{1, 2}, {1, 1}}, {{"a", {a, b}}}, [](Table t, Out<i32, 2> y) {
          const Index x = nc::register_load(t.cols_at(0, 1_c));
          const Index z = nc::register_load(t.cols_at(1, 1_c));
          nc::register_store(y, (x < z).index());
        });
    return exactValues(result, "b").front() == 1;
  };
  const double most = 2147483647, least = -2147483648.0;
  CHECK(isLess(least, most));
  CHECK_FALSE(isLess(most, least));
  CHECK_FALSE(isLess(most, most));
}

TEST_CASE("an overflow in a bound, a condition and an address") {
  const auto fault = [](auto body) {
    const auto result = interpreted<In2, Table, Out2>(
        {{4, 2}, {1, 1}, {1, 2}}, {{"a", counting(8)}, {"b", {50000}}},
        [&](In2 x, Table t, Out2 y) { body(x, nc::register_load(t), y); });
    REQUIRE(result.fault);
    CHECK(result.fault->kind == Fault::invalid);
    return isa::MarkedText(result.fault->text);
  };
  const auto found = [&](auto body) { return fault(body).found; };
  CHECK(found([](In2 x, Index n, Out2 y) {
          loop("i", min(n * 50000, 1),
               [&](Index) { store(y, load(x.rows_at(0, 1_c))); });
        }) == "2500000000");
  CHECK(found([](In2 x, Index n, Out2 y) {
          when("far", n * 50000 / 3 < 7,
               [&] { store(y, load(x.rows_at(0, 1_c))); });
        }) == "2500000000");
  CHECK(found([](In2 x, Index n, Out2 y) {
          store(y, load(x.rows(n * 50000 % 3, 1_c)));
        }) == "2500000000");
  // An address has more bits: the row is outside, whatever its number.
  const auto outside = fault(
      [](In2 x, Index n, Out2 y) { store(y, load(x.rows(n * 50000, 1_c))); });
  CHECK(outside.found.empty());
  CHECK(outside.text.find("reaches outside") != std::string::npos);
}

TEST_CASE("two cores share tensors and meet") {
  const auto kernel = [](In2 x, Out2 y) {
    auto sums = shared_hbm<f32>("sums", 2, 1);
    const auto own = program_id(), other = 1 - own;
    auto t = load(x.rows_at(own, 1_c));
    store(sums.rows_at(own, 1_c), row_sum(t));
    nc::core_barrier(sums);
    auto got = sbuf<f32>(1_c, 2_c);
    nc::sendrecv(t, got, static_cast<std::int32_t>(other),
                 static_cast<std::int32_t>(other), 0);
    store(y.rows_at(own, 1_c), got + load(sums.rows_at(other, 1_c)));
  };
  const std::vector<Extents> shapes{{2, 2}, {2, 2}};
  const program::Program programs[] = {
      recordProbe<In2, Out2>(shapes, kernel, {0, 2}),
      recordProbe<In2, Out2>(shapes, kernel, {1, 2})};
  const interpret::Inputs inputs[] = {{{"a", {1, 2, 10, 20}}}};
  const auto result = interpret::interpret(programs, inputs);
  CHECK(exactValues(result, "b") == Values{40, 50, 4, 5});
}

TEST_CASE("a core that nobody meets") {
  const auto kernel = [](In2 x, Out2 y) {
    if (program_id() == 0)
      nc::core_barrier(y);
    store(y.rows_at(program_id(), 1_c), load(x.rows_at(program_id(), 1_c)));
  };
  const std::vector<Extents> shapes{{2, 2}, {2, 2}};
  const program::Program programs[] = {
      recordProbe<In2, Out2>(shapes, kernel, {0, 2}),
      recordProbe<In2, Out2>(shapes, kernel, {1, 2})};
  const interpret::Inputs inputs[] = {{{"a", {1, 2, 10, 20}}}};
  const auto result = interpret::interpret(programs, inputs);
  REQUIRE(result.fault);
  CHECK(result.fault->text.find("core_barrier") != std::string::npos);
}

TEST_CASE("ranks: who they are, and what they reduce") {
  const auto kernel = [](In2 x, Out2 y) {
    const Index from =
        nc::collective_permute_implicit_current_processing_rank_id(1,
                                                                   {{0, 2, 1}});
    auto sums = hbm<f32>("sums", 3, 2);
    nc::all_reduce(x, sums, {{0, 2, 1}}, nc::AluOp::add);
    store(y, load(sums.rows(from, 1_c)));
  };
  const program::Program program =
      recordProbe<In2, Out2>({{3, 2}, {1, 2}}, kernel);
  std::vector<interpret::Inputs> inputs;
  for (int rank = 0; rank < 3; ++rank)
    inputs.push_back({{"a", counting(6, 100 * rank)}});
  const auto result = interpret::interpret(std::span(&program, 1), inputs);
  REQUIRE(!result.fault);
  const double rows[] = {1, 2, 0}; // the ring's predecessors
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto &found = result.ranks[rank].at("b").elements;
    CHECK(found[0].bound == 0);
    CHECK(found[0].value == 300 + 3 * 2 * rows[rank]);
    CHECK(found[1].value == found[0].value + 3);
  }
}
