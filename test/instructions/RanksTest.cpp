//===- RanksTest.cpp - Between cores and between ranks --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ranks.h"

#include <algorithm>

namespace kiln::test::ranks_test {

namespace {

using In2 = In<f32, 2>;
using Out2 = Out<f32, 2>;

Values part(const Values &values, std::size_t begin, std::size_t count) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

/// By element: what `combine` makes of all ranks' values.
template <class Combine>
Values reduced(const Ranks &inputs, const std::vector<std::size_t> &ranks,
               Combine combine) {
  Values result = inputs[ranks.front()][0];
  for (std::size_t r = 1; r < ranks.size(); ++r)
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = combine(result[i], inputs[ranks[r]][0][i]);
  return result;
}

} // namespace

KILN_INSTRUCTION(core_barrier) {
  // Each core writes its half; behind the barrier it reads the other's.
  const Ranks inputs = inputsOf(2, 64 * 8);
  const Ranks found =
      runRanks<In2, Out2>(2, {{64, 8}, {64, 8}}, inputs, [](In2 x, Out2 y) {
        auto board = shared_hbm<f32>("board", 64, 8);
        const auto mine = program_id() * 32, theirs = 32 - mine;
        auto t = load(x.rows_at(mine, 32_c));
        store(board.rows_at(mine, 32_c), t + 0.5);
        nc::core_barrier(board);
        store(y.rows_at(mine, 32_c), load(board.rows_at(theirs, 32_c)));
      });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Values wanted(64 * 8);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i] = inputs[rank][0][(i + 256) % 512] + 0.5;
    checkSame(found[rank][0], wanted);
  }
}

KILN_INSTRUCTION(sendrecv) {
  const Ranks inputs = inputsOf(1, 64 * 8);
  for (const auto engine : {nc::SendEngine::dma, nc::SendEngine::gpsimd_dma}) {
    const Ranks found =
        runRanks<In2, Out2>(2, {{64, 8}, {64, 8}}, inputs, [&](In2 x, Out2 y) {
          const auto mine = program_id() * 32;
          const auto other = static_cast<std::int32_t>(1 - program_id());
          auto own = load(x.rows_at(mine, 32_c));
          auto got = sbuf<f32>(32_c, 8_c);
          nc::sendrecv(own, got, other, other, 3, {.dma_engine = engine});
          store(y.rows_at(mine, 32_c), own * 2.0 + got);
        });
    Values wanted(64 * 8);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i] = 2 * inputs[0][0][i] + inputs[0][0][(i + 256) % 512];
    checkSame(found[0][0], wanted);
  }
}

TEST_CASE("nc::rank_id") {
  const Ranks inputs = inputsOf(3, 30 * 4);
  const Ranks found = runRanks<In2, Out<i32, 2>, Out2>(
      1, {{30, 4}, {1, 1}, {10, 4}}, inputs,
      [](In2 x, Out<i32, 2> number, Out2 y) {
        const Index rank = nc::rank_id();
        nc::register_store(number, rank * 3 + 1);
        store(y, load(x.rows_at(rank * 10, 10_c)));
      });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    checkSame(found[rank][0], {double(rank) * 3 + 1});
    checkSame(found[rank][1], part(inputs[rank][0], rank * 40, 40));
  }
}

TEST_CASE("nc::collective_permute_implicit_current_processing_rank_id") {
  // The ring is 2, 0, 1; rank 3 is alone.
  const Ranks found = runRanks<In2, Out<i32, 2>>(
      1, {{1, 1}, {1, 4}}, inputsOf(4, 1), [](In2, Out<i32, 2> y) {
        loop("step", 4, [&](Index i) {
          nc::register_store(
              y.cols_at(i, 1_c),
              nc::collective_permute_implicit_current_processing_rank_id(
                  i, {{2, 0, 1}, {3}}));
        });
      });
  checkSame(found[2][0], {2, 1, 0, 2});
  checkSame(found[0][0], {0, 2, 1, 0});
  checkSame(found[1][0], {1, 0, 2, 1});
  checkSame(found[3][0], {3, 3, 3, 3});
}

TEST_CASE("nc::ranks_by") {
  using nc::Partition;
  const auto check = [](const nc::RankLists &found,
                        const std::vector<std::int64_t> &wanted) {
    CHECK(std::vector<std::int64_t>(found.data(),
                                    found.data() + found.size()) == wanted);
  };
  check(nc::ranks_by(8, Partition::div, 4), {0, 1, 2, 3, -1, 4, 5, 6, 7});
  check(nc::ranks_by(7, Partition::div, 4), {0, 1, 2, 3, -1, 4, 5, 6});
  check(nc::ranks_by(8, Partition::mod, 4),
        {0, 4, -1, 1, 5, -1, 2, 6, -1, 3, 7});
  check(nc::ranks_by(6, Partition::bitwise_and, 2), {0, 1, 4, 5, -1, 2, 3});
  check(nc::ranks_by(3, Partition::mod, 64), {0, -1, 1, -1, 2});
  check(nc::ranks_by(3, Partition::bitwise_and, 0), {0, 1, 2});
  CHECK(nc::ranks_by(64, Partition::mod, 64).size() == 127);
  CHECK(nc::ranks_by(100000, Partition::mod, 7).size() >
        nc::RankLists::limit); // Refused where it is used.

  // Tensor parallelism in pairs, data parallelism across them.
  const Ranks inputs = inputsOf(4, 48 * 8);
  const Ranks found = runRanks<In2, Out2, Out2>(
      1, {{48, 8}, {48, 8}, {48, 8}}, inputs, [](In2 x, Out2 y, Out2 z) {
        nc::all_reduce(x, y, nc::ranks_by(4, Partition::div, 2),
                       nc::AluOp::add);
        nc::all_reduce(x, z, nc::ranks_by(4, Partition::mod, 2),
                       nc::AluOp::add);
      });
  const auto plus = [](double a, double b) { return a + b; };
  for (std::size_t rank = 0; rank < 4; ++rank) {
    checkSame(found[rank][0],
              reduced(inputs, {rank / 2 * 2, rank / 2 * 2 + 1}, plus));
    checkSame(found[rank][1], reduced(inputs, {rank % 2, rank % 2 + 2}, plus));
  }
}

KILN_INSTRUCTION(all_reduce) {
  const Ranks inputs = inputsOf(4, 48 * 8);
  const Ranks found = runRanks<In2, Out2, Out2>(
      1, {{48, 8}, {48, 8}, {48, 8}}, inputs, [](In2 x, Out2 y, Out2 z) {
        auto most = hbm<f32>("most", 48, 8);
        nc::all_reduce({x, x}, {y, most}, {{0, 2}, {1, 3}}, nc::AluOp::add);
        auto tile = load(x);
        auto sum = sbuf<f32>(48_c, 8_c);
        nc::all_reduce(tile, sum, nc::ranks_to(4), nc::AluOp::maximum);
        store(z, sum + load(most));
      });
  const auto plus = [](double a, double b) { return a + b; };
  const auto larger = [](double a, double b) { return std::max(a, b); };
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const Values sum = reduced(inputs, {rank % 2, rank % 2 + 2}, plus);
    Values last = reduced(inputs, {0, 1, 2, 3}, larger);
    checkSame(found[rank][0], sum);
    for (std::size_t i = 0; i < last.size(); ++i)
      last[i] += sum[i];
    checkSame(found[rank][1], last);
  }
}

KILN_INSTRUCTION(all_gather) {
  const Ranks inputs = inputsOf(3, 8 * 4);
  const Ranks found = runRanks<In2, Out2, Out2, Out2>(
      1, {{8, 4}, {24, 4}, {24, 4}, {8, 12}}, inputs,
      [](In2 x, Out2 y, Out2 rows, Out2 cols) {
        const nc::ReplicaGroup all = {{2, 0, 1}};
        nc::all_gather(x, y, all, 0);
        auto tile = load(x);
        auto below = sbuf<f32>(24_c, 4_c);
        auto beside = sbuf<f32>(8_c, 12_c);
        nc::all_gather(tile, below, all, 0);
        nc::all_gather(tile, beside, all, 1);
        store(rows, below);
        store(cols, beside);
      });
  Values below, beside;
  const std::size_t order[] = {2, 0, 1};
  for (const std::size_t from : order)
    below.insert(below.end(), inputs[from][0].begin(), inputs[from][0].end());
  for (std::size_t row = 0; row < 8; ++row)
    for (const std::size_t from : order) {
      const Values line = part(inputs[from][0], row * 4, 4);
      beside.insert(beside.end(), line.begin(), line.end());
    }
  for (const auto &rank : found) {
    checkSame(rank[0], below);
    checkSame(rank[1], below);
    checkSame(rank[2], beside);
  }
}

KILN_INSTRUCTION(reduce_scatter) {
  const Ranks inputs = inputsOf(4, 32 * 4);
  const Ranks found = runRanks<In2, Out2, Out2>(
      1, {{32, 4}, {8, 4}, {8, 4}}, inputs, [](In2 x, Out2 y, Out2 z) {
        nc::reduce_scatter(x, y, nc::ranks_to(4), 0, nc::AluOp::minimum);
        auto tile = load(x);
        auto own = sbuf<f32>(8_c, 4_c);
        nc::reduce_scatter(tile, own, nc::ranks_to(4), 0, nc::AluOp::add);
        store(z, own);
      });
  const Values least = reduced(
      inputs, {0, 1, 2, 3}, [](double a, double b) { return std::min(a, b); });
  const Values sum =
      reduced(inputs, {0, 1, 2, 3}, [](double a, double b) { return a + b; });
  for (std::size_t rank = 0; rank < 4; ++rank) {
    checkSame(found[rank][0], part(least, rank * 32, 32));
    checkSame(found[rank][1], part(sum, rank * 32, 32));
  }
}

KILN_INSTRUCTION(all_to_all) {
  const Ranks inputs = inputsOf(4, 16 * 4);
  const Ranks found =
      runRanks<In2, Out2>(1, {{16, 4}, {16, 4}}, inputs, [](In2 x, Out2 y) {
        nc::all_to_all(x, y, {{0, 1, 2, 3}}, 0);
      });
  for (std::size_t rank = 0; rank < 4; ++rank) {
    Values wanted;
    for (std::size_t from = 0; from < 4; ++from) {
      const Values piece = part(inputs[from][0], rank * 16, 16);
      wanted.insert(wanted.end(), piece.begin(), piece.end());
    }
    checkSame(found[rank][0], wanted);
  }
}

namespace {

/// Send counts and displacements of each rank, and room for receive counts.
Ranks withTable(Ranks inputs, std::size_t ranks,
                const std::function<double(std::size_t, std::size_t)> &count) {
  for (std::size_t r = 0; r < ranks; ++r) {
    Values table(3 * ranks, 77);
    double place = 0;
    for (std::size_t to = 0; to < ranks; ++to) {
      table[to] = count(r, to);
      table[ranks + to] = place;
      place += table[to];
    }
    inputs[r].push_back(std::move(table));
  }
  return inputs;
}

} // namespace

KILN_INSTRUCTION(all_gather_v) {
  // Rank r sends r + 1 of its 16 elements; each has a slot of 8.
  const Ranks inputs = withTable(
      inputsOf(4, 16), 4, [](std::size_t r, std::size_t) { return r + 1.0; });
  const Ranks found = runRanks<In2, InOut<u32, 2>, Out2>(
      2, {{1, 16}, {3, 4}, {1, 32}}, inputs,
      [](In2 x, InOut<u32, 2> table, Out2 y) {
        if (program_id() != 0)
          return;
        store(y, full<f32>(-1.0, 1_c, 32_c));
        nc::all_gather_v(x, y, nc::ranks_to(4), table);
      });
  Values wanted(32, -1);
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t i = 0; i <= s; ++i)
      wanted[s * 8 + i] = inputs[s][0][i];
  for (std::size_t rank = 0; rank < 4; ++rank) {
    checkSame(part(found[rank][0], 8, 4), {1, 2, 3, 4});
    checkSame(found[rank][1], wanted);
  }
}

KILN_INSTRUCTION(all_to_all_v) {
  // Rank r sends r + to elements to rank `to`.
  auto count = [](std::size_t r, std::size_t to) { return double(r + to); };
  const Ranks inputs = withTable(inputsOf(3, 16), 3, count);
  const Ranks found = runRanks<In2, InOut<u32, 2>, Out2>(
      1, {{1, 16}, {3, 3}, {1, 24}}, inputs,
      [](In2 x, InOut<u32, 2> table, Out2 y) {
        store(y, full<f32>(-1.0, 1_c, 24_c));
        nc::all_to_all_v(x, y, nc::ranks_to(3), table);
      });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    Values wanted(24, -1), counts;
    for (std::size_t s = 0; s < 3; ++s) {
      std::size_t from = 0;
      for (std::size_t to = 0; to < rank; ++to)
        from += s + to;
      for (std::size_t i = 0; i < s + rank; ++i)
        wanted[s * 8 + i] = inputs[s][0][from + i];
      counts.push_back(double(s + rank));
    }
    checkSame(part(found[rank][0], 6, 3), counts);
    checkSame(found[rank][1], wanted);
  }
}

KILN_INSTRUCTION(reduce_scatter_v) {
  // Place j gets 2 * j elements, the first one none; pieces lie at r + j.
  const Ranks inputs = [] {
    Ranks given = inputsOf(4, 16);
    for (std::size_t r = 0; r < 4; ++r) {
      Values table(12, 77);
      for (std::size_t j = 0; j < 4; ++j) {
        table[j] = double(2 * j);
        table[4 + j] = double(r + j);
      }
      given[r].push_back(std::move(table));
    }
    return given;
  }();
  const Ranks found = runRanks<In2, InOut<u32, 2>, Out2>(
      2, {{1, 16}, {3, 4}, {1, 8}}, inputs,
      [](In2 x, InOut<u32, 2> table, Out2 y) {
        if (program_id() != 0)
          return;
        store(y, full<f32>(-1.0, 1_c, 8_c));
        nc::reduce_scatter_v(x, y, nc::ranks_to(4), table, nc::AluOp::add);
      });
  for (std::size_t rank = 0; rank < 4; ++rank) {
    Values wanted(8, -1), table = inputs[rank][1];
    for (std::size_t i = 0; i < 2 * rank; ++i) {
      wanted[i] = 0;
      for (std::size_t r = 0; r < 4; ++r)
        wanted[i] += inputs[r][0][r + rank + i];
    }
    std::fill_n(table.begin() + 8, 4, double(2 * rank));
    checkSame(found[rank][0], table);
    checkSame(found[rank][1], wanted);
  }
}

KILN_INSTRUCTION(collective_permute) {
  const Ranks inputs = inputsOf(4, 8 * 4);
  const Ranks found =
      runRanks<In2, Out2>(1, {{8, 4}, {8, 4}}, inputs, [](In2 x, Out2 y) {
        store(y, full<f32>(-1.0, 8_c, 4_c));
        nc::collective_permute(x, y, {{0, 2}, {2, 1}});
      });
  checkSame(found[2][0], inputs[0][0]);
  checkSame(found[1][0], inputs[2][0]);
  // No target: as it was.
  checkSame(found[0][0], Values(32, -1));
  checkSame(found[3][0], Values(32, -1));
}

KILN_INSTRUCTION(collective_permute_implicit) {
  const Ranks inputs = inputsOf(4, 8 * 4);
  const Ranks found =
      runRanks<In2, Out2>(1, {{8, 4}, {8, 4}}, inputs, [](In2 x, Out2 y) {
        nc::collective_permute_implicit({x.rows_at(0, 4_c), x.rows_at(4, 4_c)},
                                        {y.rows_at(4, 4_c), y.rows_at(0, 4_c)},
                                        {{0, 1, 2}, {3}},
                                        {.channel_ids = {0, 1}});
      });
  const std::size_t from[] = {2, 0, 1, 3};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    Values wanted = part(inputs[from[rank]][0], 16, 16);
    const Values upper = part(inputs[from[rank]][0], 0, 16);
    wanted.insert(wanted.end(), upper.begin(), upper.end());
    checkSame(found[rank][0], wanted);
  }
}

KILN_INSTRUCTION(collective_permute_implicit_reduce) {
  const Ranks inputs = inputsOf(3, 8 * 4);
  const Ranks found =
      runRanks<In2, Out2>(1, {{8, 4}, {4, 4}}, inputs, [](In2 x, Out2 y) {
        nc::collective_permute_implicit_reduce(x.rows_at(0, 4_c),
                                               x.rows_at(4, 4_c), y,
                                               nc::ranks_to(3), nc::AluOp::add);
      });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const Values &sent = inputs[(rank + 2) % 3][0];
    Values wanted(16);
    for (std::size_t i = 0; i < 16; ++i)
      wanted[i] = sent[i] + sent[16 + i];
    checkSame(found[rank][0], wanted);
  }
}

TEST_CASE("meetings in several streams keep the order of the program") {
  const Ranks inputs = inputsOf(2, 8 * 4);
  const Ranks found = runRanks<In2, Out2, Out2>(
      1, {{8, 4}, {8, 4}, {8, 4}}, inputs, [](In2 x, Out2 y, Out2 z) {
        loop("twice", 2, [&](Index) {
          nc::collective_permute(x, y, {{0, 1}, {1, 0}},
                                 {.engine = nc::Engine::sync});
          nc::all_reduce(x, z, {{0, 1}}, nc::AluOp::add,
                         {.engine = nc::Engine::scalar});
        });
      });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    checkSame(found[rank][0], inputs[1 - rank][0]);
    checkSame(found[rank][1], reduced(inputs, {0, 1}, [](double a, double b) {
                return a + b;
              }));
  }
}

TEST_CASE("what is wrong between ranks is refused with the user's line") {
  auto refusal = [](const auto &body, const Core &core = {}) {
    return compileError(recordCore<In2, Out2>({{8, 4}, {8, 4}}, body, core),
                        "trn2");
  };
  auto names = [](const std::string &text, const std::string &code) {
    INFO(text);
    CHECK(text.find(code) != std::string::npos);
    CHECK(text.find("RanksTest.cpp") != std::string::npos);
  };
  names(refusal([](In2 x, Out2 y) {
          nc::all_reduce(x, y, {{0, 1}, {1, 2}}, nc::AluOp::add);
        }),
        "KILN-I082");
  names(refusal([](In2 x, Out2 y) { nc::all_gather(x, y, {{0, 1}}, 0); }),
        "KILN-I081");
  names(refusal([](In2, Out2 y) { nc::core_barrier(y); }), "KILN-I080");
  CHECK(refusal(
            [](In2 x, Out2 y) {
              store(y, load(x));
              nc::core_barrier(y);
            },
            {1, 2}) == "none");
  names(refusal(
            [](In2 x, Out2 y) {
              auto own = hbm<f32>("own", 8, 4);
              store(own, load(x));
              nc::core_barrier(own);
              store(y, load(own));
            },
            {0, 2}),
        "KILN-I080");
}

TEST_CASE("scratch has a name of its own") {
  auto code = [](const auto &body) {
    try {
      recordCore<In2, Out2>({{8, 4}, {8, 4}}, body, {});
    } catch (const RecordError &error) {
      CHECK(error.file.ends_with("RanksTest.cpp"));
      return error.code;
    }
    return std::string();
  };
  CHECK(code([](In2, Out2) { hbm<f32>("b", 4, 4); }) == "KILN-A033");
  CHECK(code([](In2, Out2) {
          hbm<f32>("t", 4, 4);
          shared_hbm<f32>("t", 4, 4);
        }) == "KILN-A033");
  CHECK(code([](In2, Out2) { hbm<f32>("t", 4, 0); }) == "KILN-A012");
  CHECK(code([](In2, Out2) { hbm<f32>("t", std::int64_t(1) << 39); }) ==
        "KILN-A021");
  CHECK(code([](In2, Out2) { hbm<f32>("t", std::int64_t(1) << 38); }) == "");
}

} // namespace kiln::test::ranks_test
