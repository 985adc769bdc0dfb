//===- memory_test.cpp - What many runs leave behind ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "function/Bench.h"

#include "LargePages.h"
#include "Memory.h"

#include "catch.h"

#include <fstream>
#include <thread>

#if defined(__linux__)
#include <unistd.h>
#endif

using namespace bench;

namespace {

/// Memory of the host that this process holds, in MiB; 0 if nobody tells.
double resident() {
#if defined(__linux__) && !defined(KILN_SANITIZED)
  std::ifstream file("/proc/self/statm");
  double size = 0, pages = 0;
  if (file >> size >> pages)
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
#endif
  return 0;
}

/// Copies `rows` rows of `bytes` through SBUF; its output stays.
std::vector<sim::TensorData> runOnce(unsigned rows, unsigned bytes) {
  Program program;
  program.tensor("x", DType::u8, isa::TensorKind::input, {rows, bytes});
  program.tensor("y", DType::u8, isa::TensorKind::output, {rows, bytes});
  // At the end of SBUF, so that a run has all of it.
  const Access tile = sbuf(DType::u8, rows, bytes,
                           isa::trn2.bytes(Space::sbuf) - std::int64_t{bytes});
  program.load(tile, 0);
  program.store(1, tile);
  sim::Options options;
  options.threads = 1;
  auto result = sim::execute(
      program.module, isa::trn2,
      {data("x", std::vector<std::uint8_t>(std::size_t{rows} * bytes, 7))},
      options);
  REQUIRE(!result.fault);
  return std::move(result.outputs);
}

/// Bytes between two lanes of `access` for a module of one such copy.
std::int64_t pitchOf(const Access &to, const Access &from) {
  Program program;
  program.then(Engine::vector, isa::TensorCopy{to, from});
  sim::Memory memory(program.module, isa::trn2, false);
  CHECK(memory.laneBytes(to.space) == isa::trn2.bytes(to.space));
  return memory.view(to, 0).pitch;
}

} // namespace

TEST_CASE("a lane has the bytes that a module can reach") {
  const std::int64_t all = isa::trn2.bytes(Space::sbuf);
  const std::int64_t padding = sim::Memory::lanePadding;
  const auto tile = [](std::int64_t offset) {
    return sbuf(DType::u8, 128, 100, offset);
  };
  CHECK(pitchOf(tile(0), tile(0)) == 128 + padding);
  CHECK(pitchOf(tile(0), tile(28)) == 128 + padding);
  CHECK(pitchOf(tile(0), tile(29)) == 256 + padding);
  CHECK(pitchOf(tile(0), tile(all - 101)) == all + padding);
  CHECK(pitchOf(tile(0), tile(all - 100)) == all + padding);
  // A place that is known at run time can be anywhere, in its own memory.
  Access moving = tile(0);
  moving.numTerms = 1;
  CHECK(pitchOf(moving, tile(0)) == all + padding);
  CHECK(pitchOf(tile(0), moving) == all + padding);
  CHECK(pitchOf(psum(DType::f32, 128, 32), moving) == 128 + padding);
  // An index can also lead anywhere.
  Program program;
  isa::Activation indexed;
  indexed.dst = tile(0);
  indexed.data = tile(256);
  indexed.data_index = sbuf(DType::u16, 128, 7, 512);
  program.then(Engine::scalar, indexed);
  sim::Memory memory(program.module, isa::trn3, false);
  CHECK(memory.view(tile(0), 0).pitch ==
        isa::trn3.bytes(Space::sbuf) + padding);
}

TEST_CASE("hundreds of runs take no more memory than one") {
  if (resident() == 0) {
    WARN("skipped: this host does not tell what memory a process holds");
    return;
  }
  std::vector<std::vector<sim::TensorData>> kept;
  std::vector<std::vector<char>> between;
  const auto run = [&](unsigned i) {
    // Blocks of other sizes before, and results that stay behind.
    const std::vector<char> before((i * 7919 % 40 + 1) << 18, 'x');
    kept.push_back(runOnce(1 + i % 128, 64 + i % 200));
    between.emplace_back((i * 31 % 17 + 1) << 8, 'y');
  };
  for (unsigned i = 0; i < 8; ++i)
    run(i);
  const double begin = resident();
  double most = begin;
  for (unsigned i = 8; i < 400; ++i) {
    run(i);
    most = std::max(most, resident());
  }
  INFO("from " << begin << " to " << most << " MiB");
  // What is kept is 8 MiB; the memory on chip of one run 30.
  CHECK(most - begin < 24);
}

TEST_CASE("large blocks begin at a large page, and two of them are kept") {
  sim::LargePages<std::uint8_t> pages;
  const std::size_t large = sim::largePageBytes;
  const double before = resident();
  for (const std::size_t bytes : {std::size_t{1}, large - 1, large, large + 1,
                                  40 * large, 15 * large + 4097, large}) {
    CAPTURE(bytes);
    std::uint8_t *const block = pages.allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(block) %
              (bytes < large ? alignof(std::max_align_t) : large) ==
          0);
    std::fill(block, block + bytes, std::uint8_t{255});
    CHECK(block[bytes - 1] == 255);
    pages.deallocate(block, bytes);
  }
  // Those of 4 MiB at most in place of that of 80 by now.
  pages.deallocate(pages.allocate(large + 1), large + 1);
  pages.deallocate(pages.allocate(2 * large + 1), 2 * large + 1);
  pages.deallocate(pages.allocate(3 * large + 1), 3 * large + 1);
  CHECK(resident() - before < 34);
  CHECK_THROWS_AS(pages.allocate(~std::size_t{0} / 2), std::bad_alloc);
  CHECK_THROWS_AS(pages.allocate(~std::size_t{0}), std::bad_alloc);
}

TEST_CASE("runs at the same time have memory of their own") {
  std::vector<std::thread> threads;
  std::vector<std::uint8_t> right(4, 0);
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&right, t] {
      sim::LargePages<std::uint8_t> pages;
      bool mine = true;
      for (std::size_t i = 0; i < 50; ++i) {
        const std::size_t bytes = (std::size_t{2} << 20) + i * 4096 + t;
        std::uint8_t *const block = pages.allocate(bytes);
        const auto value = static_cast<std::uint8_t>(t * 50 + i);
        block[0] = block[bytes - 1] = value;
        std::this_thread::yield();
        mine = mine && block[0] == value && block[bytes - 1] == value;
        pages.deallocate(block, bytes);
      }
      right[t] = mine;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(right == std::vector<std::uint8_t>(4, 1));
}
