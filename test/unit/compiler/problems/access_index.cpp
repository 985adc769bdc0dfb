//===- access_index.cpp - The index against comparing all with all --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "catch.h"
#include "prove/streams/AccessIndex.h"

#include <set>

namespace kiln::problems::test::access_index_test {

using namespace kiln::problems::checker;

namespace {

/// Random numbers that may be subtracted from.
class Numbers : public test::Random {
public:
  using Random::Random;
  std::int64_t upTo(std::int64_t n) {
    return static_cast<std::int64_t>(below(static_cast<std::uint32_t>(n)));
  }
};

using Bytes = std::set<std::int64_t>;

Bytes bytesOf(const Shape &shape, std::int64_t low) {
  std::vector<std::int64_t> starts{low};
  for (const Shape::Stride &stride : shape.strides) {
    std::vector<std::int64_t> more;
    for (const std::int64_t start : starts)
      for (std::int64_t i = 0; i < stride.count; ++i)
        more.push_back(start + i * stride.bytes);
    starts = std::move(more);
  }
  Bytes bytes;
  for (const std::int64_t start : starts)
    for (std::int64_t i = 0; i < shape.run; ++i)
      bytes.insert(start + i);
  return bytes;
}

struct Instance {
  Shapes shapes;
  std::vector<IndexedAccess> accesses;
  std::vector<std::uint32_t> epochs; ///< By access; never falls.
};

/// Blocks of columns, whole rows, odd bytes and unknown places of a memory with
/// rows of `pitch` bytes.
Instance randomInstance(std::uint64_t seed) {
  Numbers random(seed);
  Instance instance;
  const std::int64_t pitch = std::int64_t{8} << random.upTo(4);
  std::array<std::uint32_t, 4> numbers{};
  std::uint32_t epoch = 0;
  const unsigned count = 10 + static_cast<unsigned>(random.upTo(60));
  for (std::uint32_t i = 0; i < count; ++i) {
    IndexedAccess access;
    std::vector<Shape::Stride> strides;
    std::int64_t run = 1 + random.upTo(6);
    switch (random.upTo(4)) {
    case 0:
      strides.push_back({pitch, 1 + random.upTo(6)});
      break;
    case 1:
      run = pitch * (1 + random.upTo(3));
      break;
    case 2:
      strides.push_back({2 + random.upTo(7), 1 + random.upTo(4)});
      strides.push_back({pitch * 2, 1 + random.upTo(3)});
      break;
    default:
      break;
    }
    Normal normal = normalise(run, strides);
    access.low = random.upTo(pitch * 6);
    access.end = access.low + normal.shape.extent;
    access.shape = instance.shapes.numberOf(std::move(normal.shape));
    access.memory = static_cast<std::uint32_t>(random.upTo(2));
    access.partition = static_cast<std::uint16_t>(random.upTo(3));
    access.partitionEnd =
        static_cast<std::uint16_t>(access.partition + 1 + random.upTo(3));
    access.write = random.oneIn(3);
    access.exact = !random.oneIn(8);
    access.executor = static_cast<std::uint8_t>(random.upTo(4));
    access.owner = i;
    access.number = ++numbers[access.executor];
    // Between epochs everybody waits for everybody.
    if (random.oneIn(5))
      epoch += random.upTo(3) != 0;
    instance.accesses.push_back(access);
    instance.epochs.push_back(epoch);
  }
  return instance;
}

bool conflict(const Instance &instance, std::size_t a, std::size_t b) {
  const IndexedAccess &x = instance.accesses[a], &y = instance.accesses[b];
  if (x.memory != y.memory || (!x.write && !y.write) ||
      x.partition >= y.partitionEnd || y.partition >= x.partitionEnd ||
      x.low >= y.end || y.low >= x.end)
    return false;
  const auto all = [&](const IndexedAccess &access) {
    if (access.exact)
      return bytesOf(instance.shapes[access.shape], access.low);
    const std::int64_t bytes = access.end - access.low;
    return bytesOf(Shape{bytes, bytes, {}}, access.low);
  };
  const Bytes p = all(x), q = all(y);
  return std::any_of(p.begin(), p.end(),
                     [&](std::int64_t byte) { return q.count(byte) != 0; });
}

/// Ready to be visited by these accesses.
AccessIndex indexFor(const Shapes &shapes,
                     const std::vector<IndexedAccess> &accesses) {
  AccessIndex index(shapes);
  for (const IndexedAccess &access : accesses)
    index.announce(access);
  index.choosePitches();
  for (const IndexedAccess &access : accesses)
    index.measure(access);
  index.makeBins();
  return index;
}

/// Even bytes are written and odd ones are read by shapes that all differ: each
/// pair is worked out and remembered. Then `last` reads.
bool readMeets(std::int64_t shapes, std::int64_t last) {
  Shapes all;
  std::vector<IndexedAccess> accesses;
  const auto add = [&](std::int64_t low, std::int64_t columns, bool write) {
    Normal normal = normalise(1, {{2, columns}, {4096, 2}});
    IndexedAccess access;
    access.low = low;
    access.end = low + normal.shape.extent;
    access.shape = all.numberOf(std::move(normal.shape));
    access.partitionEnd = 1;
    access.write = write;
    access.exact = true;
    access.executor = write ? 0 : 1;
    access.owner = static_cast<std::uint32_t>(accesses.size());
    access.number = access.owner + 1;
    accesses.push_back(access);
  };
  for (std::int64_t i = 0; i < shapes; ++i)
    add(0, 2 + i, true);
  for (std::int64_t i = 0; i < shapes; ++i)
    add(1, 2 + i, false);
  add(last, 2, false);
  AccessIndex index = indexFor(all, accesses);
  const auto ordered = [](const IndexedAccess &old,
                          const IndexedAccess &fresh) {
    return old.executor == fresh.executor;
  };
  const auto yes = [](const IndexedAccess &) { return true; };
  for (std::size_t i = 0; i + 1 < accesses.size(); ++i)
    REQUIRE_FALSE(index.visit(accesses[i], ordered, yes));
  return index.visit(accesses.back(), ordered, yes);
}

} // namespace

TEST_CASE("the index finds the first conflict, and no other") {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Instance instance = randomInstance(seed);
    const auto &accesses = instance.accesses;
    AccessIndex index = indexFor(instance.shapes, accesses);
    const auto ordered = [&](const IndexedAccess &old,
                             const IndexedAccess &fresh) {
      return old.executor == fresh.executor ||
             instance.epochs[old.owner] < instance.epochs[fresh.owner];
    };
    INFO("seed " << seed);
    for (std::size_t b = 0; b < accesses.size(); ++b) {
      bool expected = false;
      for (std::size_t a = 0; a < b && !expected; ++a)
        expected =
            !ordered(accesses[a], accesses[b]) && conflict(instance, a, b);
      const bool got = index.visit(accesses[b], ordered,
                                   [](const IndexedAccess &) { return true; });
      REQUIRE(got == expected);
      found += got;
      if (got)
        break;
    }
  }
  CHECK(found > 500);
  CHECK(found < 3900);
}

TEST_CASE("shapes meet where their bytes do") {
  Numbers random(7);
  for (int i = 0; i < 5000; ++i) {
    const auto make = [&] {
      std::vector<Shape::Stride> strides;
      for (std::int64_t k = random.upTo(4); k > 0; --k)
        strides.push_back({random.upTo(40) - 12, 1 + random.upTo(4)});
      return normalise(1 + random.upTo(5), strides).shape;
    };
    const Shape a = make(), b = make();
    const std::int64_t distance = random.upTo(120) - 60;
    const Bytes p = bytesOf(a, 0), q = bytesOf(b, distance);
    const bool expected =
        std::any_of(p.begin(), p.end(),
                    [&](std::int64_t byte) { return q.count(byte) != 0; });
    REQUIRE(meet(a, b, distance) == expected);
  }
}

// 2^18 overlaps are remembered, then they are worked out anew.
TEST_CASE("the index forgets overlaps, and answers as before") {
  const std::int64_t shapes = GENERATE(511, 512, 513);
  CHECK(readMeets(shapes, 0));
  CHECK(readMeets(shapes, 4096 + 2 * shapes));
  CHECK_FALSE(readMeets(shapes, 1));
  CHECK_FALSE(readMeets(shapes, 4096 + 2 * shapes + 2));
}

} // namespace kiln::problems::test::access_index_test
