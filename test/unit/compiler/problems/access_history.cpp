//===- access_history.cpp - Conflicts found against brute force -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/solve/AccessHistory.h"

#include "catch.h"

#include <chrono>
#include <random>
#include <set>

using namespace kiln::problems;

namespace {

std::set<std::int64_t> bytesOf(const ByteAccess &access) {
  std::set<std::int64_t> bytes;
  std::vector<std::int64_t> starts{access.offset};
  for (const ByteDim &dim : access.dims) {
    std::vector<std::int64_t> more;
    for (std::int64_t start : starts)
      for (std::uint64_t i = 0; i < dim.count; ++i)
        more.push_back(start + dim.stride * static_cast<std::int64_t>(i));
    starts = std::move(more);
  }
  for (std::int64_t start : starts)
    for (std::int64_t i = 0; i < access.run; ++i)
      bytes.insert(start + i);
  return bytes;
}

bool shareRows(const ByteAccess &a, const ByteAccess &b) {
  return a.partition < b.partitionEnd && b.partition < a.partitionEnd;
}

bool meetByBytes(const ByteAccess &a, const ByteAccess &b) {
  if (!shareRows(a, b))
    return false;
  std::set<std::int64_t> bytes = bytesOf(b);
  for (std::int64_t byte : bytesOf(a))
    if (bytes.contains(byte))
      return true;
  return false;
}

bool mustKeepOrder(const ByteAccess &a, const ByteAccess &b) {
  if (!a.writes && !b.writes)
    return false;
  bool known = a.family != 0 && a.family == b.family;
  return known ? meetByBytes(a, b) : shareRows(a, b);
}

ByteAccess anyAccess(std::mt19937 &random, std::uint32_t operation,
                     unsigned families) {
  auto below = [&](int n) { return static_cast<int>(random() % unsigned(n)); };
  ByteAccess access;
  access.operation = operation;
  int kind = below(4);
  access.writes = kind < 2;
  access.reads = kind != 0;
  access.family = static_cast<std::uint32_t>(below(int(families) + 1));
  access.partition = static_cast<std::uint32_t>(32 * below(3));
  access.partitionEnd = access.partition + 32;
  access.offset = below(120) - 20;
  access.run = 1 + below(8);
  for (int dims = below(3); dims > 0; --dims) {
    std::int64_t stride = below(40) - 20;
    access.dims.push_back(
        {stride == 0 ? 7 : stride, 2 + static_cast<std::uint64_t>(below(4))});
  }
  return access;
}

/// Every pair that conflicts is ordered by a chain of edges.
struct Recorder {
  std::vector<ByteAccess> all;
  std::vector<std::set<std::uint32_t>> before; ///< By operation, transitively.
  std::size_t edges = 0, unreal = 0;
  AccessHistory history;

  void add(const ByteAccess &access) {
    if (before.size() <= access.operation)
      before.resize(access.operation + 1);
    history.add(access, [&](const ByteAccess &earlier, bool real) {
      REQUIRE(earlier.operation < access.operation);
      ++edges;
      unreal += !real;
      auto &known = before[access.operation];
      known.insert(earlier.operation);
      known.insert(before[earlier.operation].begin(),
                   before[earlier.operation].end());
    });
    all.push_back(access);
  }
  void check() const {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (all[i].operation != all[k].operation &&
            mustKeepOrder(all[k], all[i]) &&
            !before[all[i].operation].contains(all[k].operation))
          FAIL("operations " << all[k].operation << " and " << all[i].operation
                             << " conflict and nothing orders them");
  }
};

} // namespace

TEST_CASE("overlap and cover agree with the bytes one by one") {
  std::mt19937 random(3);
  unsigned overlaps = 0, covered = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    ByteAccess a = anyAccess(random, 0, 1), b = anyAccess(random, 1, 1);
    a.family = b.family = 1;
    bool meet = meetByBytes(a, b);
    REQUIRE(overlap(a, b) == meet);
    REQUIRE(overlap(b, a) == meet);
    overlaps += meet;
    if (covers(a, b)) {
      ++covered;
      std::set<std::int64_t> outer = bytesOf(a);
      for (std::int64_t byte : bytesOf(b))
        REQUIRE(outer.contains(byte));
      REQUIRE(a.partition <= b.partition);
      REQUIRE(b.partitionEnd <= a.partitionEnd);
    }
  }
  CHECK(overlaps > 1000);
  CHECK(covered >= 5);
}

TEST_CASE("windows of one pitch meet as rectangles do") {
  std::mt19937 random(4);
  for (unsigned i = 0; i < 20000; ++i) {
    auto window = [&] {
      ByteAccess access;
      access.family = 1;
      access.offset = static_cast<std::int64_t>(random() % 200) - 60;
      access.run = 1 + random() % 12;
      access.dims = {{16, 2 + random() % 6}};
      return access;
    };
    ByteAccess a = window(), b = window();
    REQUIRE(overlap(a, b) == meetByBytes(a, b));
  }
}

TEST_CASE("every conflict is ordered, whatever the families") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Recorder recorder;
    unsigned families = seed % 4;
    for (std::uint32_t operation = 0; operation < 60; ++operation)
      for (unsigned k = 0; k <= random() % 3; ++k)
        recorder.add(anyAccess(random, operation, families));
    recorder.check();
  }
}

// The tenth of a store to [0, 64) among stores elsewhere, around what used to
// be the number of accesses that were kept.
TEST_CASE("an early store is not forgotten behind many others") {
  for (std::uint32_t others : {1u, 45u, 46u, 47u, 48u, 49u, 50u, 51u, 96u, 97u,
                               511u, 512u, 513u, 5000u}) {
    AccessHistory history;
    std::uint32_t operation = 0;
    auto store = [&](std::int64_t offset) {
      ByteAccess access;
      access.operation = operation++;
      access.writes = true;
      access.family = 1;
      access.offset = offset;
      access.run = 64;
      std::vector<std::uint32_t> found;
      history.add(access, [&](const ByteAccess &earlier, bool real) {
        REQUIRE(real);
        found.push_back(earlier.operation);
      });
      return found;
    };
    REQUIRE(store(0).empty());
    for (std::uint32_t i = 1; i <= others; ++i)
      REQUIRE(store(64 * std::int64_t{i}).empty());
    CHECK(store(0) == std::vector<std::uint32_t>{0});
    // It stands for the first one now.
    CHECK(store(0) == std::vector<std::uint32_t>{others + 1});
  }
}

// Nobody knows where these write: more than can be compared pair by pair.
TEST_CASE("one access stands for many where nothing is known") {
  Recorder recorder;
  std::mt19937 random(9);
  for (std::uint32_t operation = 0; operation < 700; ++operation) {
    ByteAccess access = anyAccess(random, operation, 0);
    access.family = operation % 3 == 0 ? 0 : operation;
    access.partition = 0;
    access.partitionEnd = 32;
    access.reads = operation % 2 == 0;
    access.writes = operation < 300 ? false : operation % 2 == 1;
    access.reads |= !access.writes;
    recorder.add(access);
  }
  recorder.check();
  CHECK(recorder.unreal > 0);
}

TEST_CASE("looking for conflicts is near-linear") {
  // Tiles side by side in one tensor; reads of one operand; a chain; columns;
  // and accesses of which nothing is known.
  auto looks = [](unsigned kind, std::uint32_t count) {
    AccessHistory history;
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      ByteAccess access;
      access.operation = i;
      access.family = 1;
      access.writes = true;
      access.run = 64;
      if (kind == 0)
        access.offset = 64 * std::int64_t{i};
      if (kind == 1) {
        access.writes = false;
        access.reads = true;
      }
      if (kind == 3) {
        access.offset = 64 * std::int64_t{i};
        access.dims = {{64 * std::int64_t{count}, 128}};
      }
      if (kind == 4) {
        access.family = 2 + i;
        access.reads = i % 2 == 0;
      }
      history.add(access, [&](const ByteAccess &, bool) { ++found; });
    }
    return found;
  };
  for (unsigned kind = 0; kind < 5; ++kind)
    for (std::uint32_t count : {1000u, 20000u}) {
      auto begin = std::chrono::steady_clock::now();
      CHECK(looks(kind, count) <=
            2 * AccessHistory::looksEach * count + AccessHistory::looksBeside);
      auto end = std::chrono::steady_clock::now();
      INFO("kind " << kind << ", " << count);
      CHECK(std::chrono::duration<double>(end - begin).count() < 5);
    }
}
