//===- PreparedTest.cpp - Collectives in two parts ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ranks.h"

namespace kiln::test::prepared_test {

namespace {

using In2 = In<f32, 2>;
using Out2 = Out<f32, 2>;
using Table = InOut<u32, 2>;

/// [3, ranks]: counts, displacements, and 77 for what is received. Rank r sends
/// r + to elements to rank `to`.
Ranks withTables(std::size_t ranks, std::size_t count) {
  Ranks inputs = inputsOf(ranks, count);
  for (std::size_t r = 0; r < ranks; ++r) {
    Values table(3 * ranks, 77);
    double place = 0;
    for (std::size_t to = 0; to < ranks; ++to) {
      table[to] = double(r + to);
      table[ranks + to] = place;
      place += table[to];
    }
    inputs[r].push_back(std::move(table));
  }
  return inputs;
}

/// What rank `rank` of three gets in slots of 8, times `factor`.
Values exchanged(const Ranks &inputs, std::size_t rank, double factor) {
  Values wanted(24, -1);
  for (std::size_t s = 0; s < 3; ++s) {
    std::size_t from = 0;
    for (std::size_t to = 0; to < rank; ++to)
      from += s + to;
    for (std::size_t i = 0; i < s + rank; ++i)
      wanted[s * 8 + i] = factor * inputs[s][0][from + i];
  }
  return wanted;
}

} // namespace

// Prepare reads the table, the trigger the data.
KILN_INSTRUCTION(all_to_all_v_prepare) {
  const Ranks inputs = withTables(3, 16);
  const Ranks found = runRanks<In2, Table, Out2>(
      1, {{1, 16}, {3, 3}, {1, 24}}, inputs, [](In2 x, Table table, Out2 y) {
        auto sent = hbm<f32>("sent", 1, 16);
        store(y, full<f32>(-1.0, 1_c, 24_c));
        const auto prepared =
            nc::all_to_all_v_prepare(sent, y, nc::ranks_to(3), table);
        // Both after the preparation: only the data counts.
        store(table.rows_at(0, 2_c), full<u32>(9, 2_c, 3_c));
        store(sent, load(x) * 2.0);
        nc::all_to_all_v_trigger(prepared);
        store(sent, load(x) * 3.0);
      });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    Values table(6, 9);
    for (std::size_t s = 0; s < 3; ++s)
      table.push_back(double(s + rank));
    checkSame(found[rank][0], table);
    checkSame(found[rank][1], exchanged(inputs, rank, 2));
  }
}

// Once for each iteration.
KILN_INSTRUCTION(all_to_all_v_trigger) {
  const Ranks inputs = withTables(3, 16);
  const Ranks found = runRanks<In2, Table, Out2>(
      1, {{1, 16}, {3, 3}, {2, 24}}, inputs, [](In2 x, Table table, Out2 y) {
        auto sent = hbm<f32>("sent", 1, 16);
        auto factor = zeros<f32>(1_c, 1_c);
        store(y, full<f32>(-1.0, 2_c, 24_c));
        loop("turn", 2, [&](Index i) {
          factor = factor + 1.0;
          const auto prepared =
              nc::all_to_all_v_prepare(sent, y.rows_at(i, 1_c), nc::ranks_to(3),
                                       table, {.recv_counts_known = true});
          store(sent, load(x) * factor);
          nc::all_to_all_v_trigger(prepared);
        });
      });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    Values wanted = exchanged(inputs, rank, 1);
    const Values second = exchanged(inputs, rank, 2);
    wanted.insert(wanted.end(), second.begin(), second.end());
    checkSame(found[rank][0], inputs[rank][1]); // No counts are written.
    checkSame(found[rank][1], wanted);
  }
}

// With a table on chip.
KILN_INSTRUCTION(all_gather_v_prepare) {
  // Rank r sends r of its 16 elements; each has a slot of 8.
  const Ranks inputs = withTables(4, 16);
  const Ranks found = runRanks<In2, In<u32, 2>, Out2, Out<u32, 2>>(
      2, {{1, 16}, {3, 4}, {1, 32}, {1, 12}}, inputs,
      [](In2 x, In<u32, 2> table, Out2 y, Out<u32, 2> after) {
        if (program_id() != 0)
          return;
        store(y, full<f32>(-1.0, 1_c, 32_c));
        auto own = sbuf<u32>(1_c, 12_c);
        own = load(table.reshape(1, 12));
        const auto prepared =
            nc::all_gather_v_prepare(x, y, nc::ranks_to(4), own);
        nc::all_gather_v_trigger(prepared);
        store(after, own);
      });
  Values wanted(32, -1);
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t i = 0; i < s; ++i)
      wanted[s * 8 + i] = inputs[s][0][i];
  for (std::size_t rank = 0; rank < 4; ++rank) {
    Values table = inputs[rank][1];
    for (std::size_t s = 0; s < 4; ++s)
      table[8 + s] = double(s);
    checkSame(found[rank][0], wanted);
    checkSame(found[rank][1], table);
  }
}

// The instructions themselves: memory of the kernel keeps the table.
KILN_INSTRUCTION(all_gather_v_trigger) {
  const Ranks inputs = withTables(4, 16);
  const Ranks found = runRanks<In2, Table, Out2>(
      2, {{1, 16}, {3, 4}, {1, 32}}, inputs, [](In2 x, Table table, Out2 y) {
        if (program_id() != 0)
          return;
        const nc::ReplicaGroup ring = nc::ranks_to(4);
        auto sent = hbm<f32>("sent", 1, 16);
        auto kept = hbm<u32>("kept", 3, 4);
        store(y, full<f32>(-1.0, 1_c, 32_c));
        nc::all_gather_v_prepare(kept, ring, table);
        store(sent, load(x) * 2.0);
        nc::all_gather_v_trigger(sent, y, ring, kept, table);
      });
  Values wanted(32, -1);
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t i = 0; i < s; ++i)
      wanted[s * 8 + i] = 2 * inputs[s][0][i];
  for (std::size_t rank = 0; rank < 4; ++rank) {
    Values table = inputs[rank][1];
    for (std::size_t s = 0; s < 4; ++s)
      table[8 + s] = double(s);
    checkSame(found[rank][0], table);
    checkSame(found[rank][1], wanted);
  }
}

TEST_CASE("two exchanges in two parts, some pieces empty, on 2 to 8 ranks") {
  for (const std::size_t ranks : {2u, 5u, 8u}) {
    CAPTURE(ranks);
    const auto count = [&](std::size_t from, std::size_t to) {
      return from * to % 3 * (to % 2);
    };
    Ranks inputs = inputsOf(ranks, 16);
    for (std::size_t r = 0; r < ranks; ++r) {
      Values table(3 * ranks, 77);
      for (std::size_t to = 0; to < ranks; ++to) {
        table[to] = double(count(r, to));
        table[ranks + to] = double(to);
      }
      inputs[r].push_back(std::move(table));
    }
    const auto slots = static_cast<std::int64_t>(3 * ranks);
    const Ranks found = runRanks<In2, Table, Out2>(
        1, {{1, 16}, {3, std::int64_t(ranks)}, {2, slots}}, inputs,
        [&](In2 x, Table table, Out2 y) {
          const auto ring = nc::ranks_to(std::int64_t(ranks));
          auto once = hbm<f32>("once", 1, slots);
          store(once, full<f32>(-1.0, 1, slots));
          store(y, full<f32>(-1.0, 2, slots));
          auto first = nc::all_to_all_v_prepare(x, once, ring, table);
          nc::all_to_all_v_trigger(first);
          store(y.rows_at(0, 1_c), load(once));
          auto second =
              nc::all_to_all_v_prepare(once, y.rows_at(1, 1_c), ring, table);
          nc::all_to_all_v_trigger(second);
        });
    const auto exchange = [&](const std::vector<Values> &sent) {
      std::vector<Values> got(ranks, Values(3 * ranks, -1));
      for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t to = 0; to < ranks; ++to)
          for (std::size_t i = 0; i < count(from, to); ++i)
            got[to][3 * from + i] = sent[from][to + i];
      return got;
    };
    std::vector<Values> sent;
    for (const auto &input : inputs)
      sent.push_back(input[0]);
    const std::vector<Values> once = exchange(sent), twice = exchange(once);
    for (std::size_t r = 0; r < ranks; ++r) {
      Values wanted = once[r];
      wanted.insert(wanted.end(), twice[r].begin(), twice[r].end());
      checkSame(found[r][1], wanted);
    }
  }
}

TEST_CASE("KILN-A036 prepared collectives out of turn") {
  const auto message = [](const auto &body, isa::Generation generation) {
    try {
      recordCore<In2, Table, Out2>({{1, 16}, {3, 3}, {1, 24}}, body,
                                   {0, 1, generation});
    } catch (const RecordError &error) {
      return error.code + " " + error.message;
    }
    return std::string("none");
  };
  const auto check = [&](const std::string &words, const auto &body,
                         isa::Generation generation = isa::Generation::v3) {
    const std::string found = message(body, generation);
    INFO(found);
    CHECK(found.starts_with("KILN-A036 "));
    CHECK(found.find(words) != std::string::npos);
  };
  const auto prepare = [](In2 x, Table table, Out2 y) {
    return nc::all_to_all_v_prepare(x, y, nc::ranks_to(3), table);
  };
  check("while the one of PreparedTest.cpp:", [&](In2 x, Table t, Out2 y) {
    const auto first = prepare(x, t, y);
    const auto second = prepare(x, t, y);
    nc::all_to_all_v_trigger(first);
    nc::all_to_all_v_trigger(second);
  });
  check("never triggered", [&](In2 x, Table t, Out2 y) { prepare(x, t, y); });
  check("triggered twice", [&](In2 x, Table t, Out2 y) {
    const auto first = prepare(x, t, y);
    nc::all_to_all_v_trigger(first);
    nc::all_to_all_v_trigger(first);
  });
  check("another loop body", [&](In2 x, Table t, Out2 y) {
    const auto first = prepare(x, t, y);
    loop("i", 2, [&](Index) { nc::all_to_all_v_trigger(first); });
  });
  check(
      "trn3", [&](In2 x, Table t, Out2 y) { prepare(x, t, y); },
      isa::Generation::v4);
  CHECK(message(
            [&](In2 x, Table t, Out2 y) {
              for (int i = 0; i < 2; ++i)
                nc::all_to_all_v_trigger(prepare(x, t, y));
            },
            isa::Generation::v3) == "none");
}

} // namespace kiln::test::prepared_test
