//===- planted_test.cpp - Faults planted in assembly are reported ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each program is right but for one fault. A report has a code, names every
// instruction that takes part, and the source line of each: line N of user.cpp
// is where the comment `; @N` says.
//
//===----------------------------------------------------------------------===//

#include "function/Bench.h"

#include "kiln/isa/assembly.h"

#include "catch.h"

#include <set>

using namespace bench;

namespace {

isa::Module assemble(const std::string &streams) {
  std::string text = ".kernel planted\n.target trn2\n"
                     ".tensor input a: f32[32, 64]\n"
                     ".tensor output c: f32[32, 64]\n" +
                     streams;
  for (int line = 1; line < 10; ++line)
    text += ".location " + std::to_string(line) + " \"user.cpp\" " +
            std::to_string(line) + ":1 \"\" \"\"\n";
  auto module = isa::parseAssembly(text, "planted.kasm");
  if (!module)
    FAIL(module.error().str());
  return *module;
}

sim::Execution go(const isa::Module &module, sim::Options options = {}) {
  return sim::execute(module, isa::trn2,
                      {data("a", someFloats(32 * 64, 3, false))}, options);
}

/// The lines of user.cpp that the report names, and its code.
void expectFault(const std::string &streams, const std::string &code,
                 const std::set<unsigned> &lines, const std::string &part,
                 const sim::Options &options = {}) {
  const isa::Module module = assemble(streams);
  const sim::Execution run = go(module, options);
  REQUIRE(run.fault);
  CAPTURE(run.fault->text);
  CHECK(run.fault->code == code);
  CHECK(run.fault->text.find(part) != std::string::npos);
  std::set<unsigned> named;
  for (const sim::FaultParty &party : run.fault->instructions) {
    CHECK(party.location.file == "user.cpp");
    CHECK(!party.instruction.empty());
    named.insert(party.location.line);
  }
  CHECK(named == lines);
}

const std::string load =
    "  dma_copy dst=sbuf[p0:32, 0x0: f32 64x1], src=hbm[a + 0: f32 2048x1]";
const std::string store =
    "  dma_copy dst=hbm[c + 0: f32 2048x1], src=sbuf[p0:32, 0x400: f32 64x1]";
const std::string copy = "  tensor_copy dst=sbuf[p0:32, 0x400: f32 64x1], "
                         "src=sbuf[p0:32, 0x0: f32 64x1]";
const std::string product = "  nc_matmul dst=psum[p0:32, 0x0: f32 32x1], "
                            "stationary=sbuf[p0:32, 0x0: f32 32x1], "
                            "moving=sbuf[p0:32, 0x0: f32 32x1]";

} // namespace

TEST_CASE("a program without a fault") {
  const sim::Execution run = go(
      assemble(".stream vector\n" + copy + ", wait s0>=1, signal s1+=1 ; @2\n" +
               ".stream sync\n" + load + ", signal s0+=1 ; @1\n" + store +
               ", wait s1>=1 ; @3\n"));
  if (run.fault)
    FAIL(run.fault->text);
  CHECK(run.outputs.at(0).bytes ==
        data("a", someFloats(32 * 64, 3, false)).bytes);
}

TEST_CASE("planted: a store that waits for the load, not for the copy") {
  expectFault(".stream vector\n" + copy + ", wait s0>=1 ; @2\n" +
                  ".stream sync\n" + load +
                  ", signal s0+=1, signal s1+=1 ; @1\n" + store +
                  ", wait s1>=1 ; @3\n",
              "KILN-X003", {2, 3}, "writes it only later");
}

TEST_CASE("planted: a load into a tile that is still being read") {
  expectFault(".stream vector\n" + copy + ", wait s0>=1, signal s1+=1 ; @2\n" +
                  ".stream sync\n" + load + ", signal s0+=1 ; @1\n" + store +
                  ", wait s1>=1 ; @3\n" + ".stream gpsimd\n" +
                  "  memset dst=sbuf[p0:32, 0xfc: f32 1x1], value=1.0 ; @4\n",
              "KILN-X005", {1, 4}, "no semaphore orders the two");
}

TEST_CASE("planted: writes that interleave without touching, and one that "
          "touches") {
  const auto columns = [](const std::string &at, const std::string &rest) {
    return "  memset dst=sbuf[p0:32, " + at + ": f32 32x2], value=1.0" + rest;
  };
  const auto program = [&](const std::string &at) {
    return ".stream vector\n" + columns("0x400", ", signal s0+=1 ; @1\n") +
           ".stream gpsimd\n" + columns(at, ", signal s1+=1 ; @2\n") +
           ".stream sync\n" + store + ", wait s0>=1, wait s1>=1 ; @3\n";
  };
  CHECK(!go(assemble(program("0x404"))).fault);
  expectFault(program("0x480"), "KILN-X005", {1, 2}, "writes");
}

TEST_CASE("planted: half of an operand was never written") {
  expectFault(".stream vector\n"
              "  memset dst=sbuf[p0:32, 0x0: f32 32x1], value=1.0 ; @1\n" +
                  copy + ", signal s0+=1 ; @2\n" + ".stream sync\n" + store +
                  ", wait s0>=1 ; @3\n",
              "KILN-X003", {2}, "byte 128");
}

TEST_CASE("planted: two streams that wait for each other") {
  expectFault(".stream vector\n  semaphore wait s5>=1, signal s6+=1 ; @4\n"
              ".stream scalar\n  semaphore wait s6>=1, signal s5+=1 ; @5\n",
              "KILN-X006", {4, 5}, "semaphore 5");
}

TEST_CASE("planted: a signal is lost") {
  expectFault(".stream vector\n" + copy + ", wait s0>=1, signal s1+=1 ; @2\n" +
                  ".stream sync\n" + load + " ; @1\n" + store +
                  ", wait s1>=1 ; @3\n",
              "KILN-X006", {2}, "no remaining instruction signals");
}

TEST_CASE("planted: a token that nobody takes") {
  expectFault(".stream vector\n" + copy +
                  ", wait s0>=1, signal s1+=1, signal s9+=1 ; @2\n" +
                  ".stream sync\n" + load + ", signal s0+=1 ; @1\n" + store +
                  ", wait s1>=1 ; @3\n",
              "KILN-X007", {2}, "semaphore 9 holds 1");
}

TEST_CASE("planted: a counter passes 65535") {
  expectFault(".stream vector\n  semaphore signal s3+=65535 ; @1\n"
              "  semaphore signal s3+=1 ; @2\n",
              "KILN-X008", {2}, "65536");
}

TEST_CASE("planted: an accumulation group that is none") {
  const std::string tail = ".stream sync\n" + load + ", signal s0+=1 ; @1\n";
  SECTION("nothing has started it") {
    expectFault(".stream tensor\n" + product +
                    ", accumulate, wait s0>=1 ; @2\n" + tail,
                "KILN-X003", {2}, "dst");
  }
  SECTION("a memset has") {
    expectFault(".stream tensor\n" + product +
                    ", accumulate, wait s0>=1, wait s1>=1 ; @2\n" +
                    ".stream vector\n  memset dst=psum[p0:32, 0x0: f32 32x1], "
                    "value=0.0, signal s1+=1 ; @3\n" +
                    tail,
                "KILN-X013", {2, 3}, "not a product");
  }
  SECTION("a copy writes into the middle of it") {
    expectFault(".stream tensor\n" + product +
                    ", wait s0>=1, signal s1+=1 ; @2\n" + product +
                    ", accumulate, wait s2>=1 ; @4\n" +
                    ".stream vector\n  memset dst=psum[p0:1, 0x10: f32 1x1], "
                    "value=0.0, wait s1>=1, signal s2+=1 ; @3\n" +
                    tail,
                "KILN-X013", {3, 4}, "not a product");
  }
}

TEST_CASE("planted: the first NaN") {
  // (x - x) / (x - x), reciprocal of 0 is Inf, Inf * 0 is the NaN.
  const std::string tile = "sbuf[p0:32, 0x0: f32 64x1]";
  const std::string program =
      ".stream vector\n"
      "  tensor_tensor dst=sbuf[p0:32, 0x400: f32 64x1], data1=" +
      tile + ", data2=" + tile +
      ", op=subtract, wait s0>=1 ; @2\n"
      "  reciprocal dst=sbuf[p0:32, 0x200: f32 64x1], "
      "data=sbuf[p0:32, 0x400: f32 64x1] ; @3\n"
      "  tensor_tensor dst=sbuf[p0:32, 0x400: f32 64x1], "
      "data1=sbuf[p0:32, 0x400: f32 64x1], "
      "data2=sbuf[p0:32, 0x200: f32 64x1], op=multiply ; @4\n"
      "  tensor_copy dst=" +
      tile +
      ", src=sbuf[p0:32, 0x400: f32 64x1], signal s1+=1 ; @5\n"
      ".stream sync\n" +
      load + ", signal s0+=1 ; @1\n" + store + ", wait s1>=1 ; @6\n";
  CHECK(!go(assemble(program)).fault);
  sim::Options options;
  options.findNaN = true;
  // Who makes it, and who wrote what it is made of.
  expectFault(program, "KILN-X014", {2, 3, 4}, "makes a NaN", options);
  options.checks = false;
  expectFault(program, "KILN-X014", {4}, "element 0 of lane 0", options);
}

TEST_CASE("a NaN that comes in is nobody's fault") {
  const isa::Module module =
      assemble(".stream vector\n" + copy + ", wait s0>=1, signal s1+=1 ; @2\n" +
               ".stream sync\n" + load + ", signal s0+=1 ; @1\n" + store +
               ", wait s1>=1 ; @3\n");
  sim::Options options;
  options.findNaN = true;
  std::vector<float> values(32 * 64, 1.0f);
  values[100] = std::bit_cast<float>(0x7fc00000u);
  CHECK(!sim::execute(module, isa::trn2, {data("a", values)}, options).fault);
}

TEST_CASE("a run stops where it is told, and memory can be read") {
  const isa::Module module = assemble(
      ".stream vector\n"
      "  loop r0 = 0 to 4 step 1 ; @1\n"
      "    memset dst=sbuf[p0:32, 0x400 + r0*64: f32 16x1], value=2.0 ; @2\n"
      "  end_loop ; @1\n"
      "  semaphore signal s1+=1 ; @1\n"
      ".stream sync\n" +
      store + ", wait s1>=1 ; @3\n");
  sim::Options options;
  sim::MemoryRange tile;
  tile.firstPartition = 3;
  tile.partitions = 2;
  tile.begin = 0x400;
  tile.end = 0x500;
  options.inspection.dump = {tile};
  const auto twos = [](const sim::Execution &run) {
    REQUIRE(run.dumps.size() == 1);
    REQUIRE(run.dumps[0].size() == 2 * 256);
    unsigned count = 0;
    for (std::size_t i = 0; i < run.dumps[0].size(); i += 4) {
      float value;
      std::memcpy(&value, &run.dumps[0][i], 4);
      count += value == 2.0f;
    }
    return count;
  };
  SECTION("at the end") {
    const sim::Execution run = go(module, options);
    CHECK((!run.fault && !run.stopped));
    CHECK(twos(run) == 2 * 64);
  }
  SECTION("before an instruction, the third time") {
    options.inspection.before = {Engine::vector, 1, 3};
    const sim::Execution run = go(module, options);
    REQUIRE(run.stopped);
    CHECK(run.stopped->location.line == 2);
    CHECK(run.outputs.empty());
    CHECK(twos(run) == 2 * 32);
  }
  SECTION("when bytes are written, exactly") {
    sim::MemoryRange last = tile;
    last.begin = 0x4fe;
    last.end = 0x4ff;
    options.inspection.onWrite = last;
    const sim::Execution run = go(module, options);
    REQUIRE(run.stopped);
    CHECK(run.stopped->index == 1);
    CHECK(twos(run) == 2 * 64);
  }
  SECTION("a range that nothing writes") {
    sim::MemoryRange other = tile;
    other.firstPartition = 40;
    options.inspection.onWrite = other;
    CHECK(!go(module, options).stopped);
  }
  SECTION("bytes that no operand reaches are as nothing wrote them") {
    const std::int64_t end = isa::trn2.bytes(Space::sbuf);
    const auto dumped = [&](std::int64_t from, std::int64_t to) {
      options.inspection.dump[0].begin = from;
      options.inspection.dump[0].end = to;
      const sim::Execution run = go(module, options);
      REQUIRE((!run.fault && run.dumps.size() == 1));
      return run.dumps[0];
    };
    using Bytes = std::vector<std::uint8_t>;
    CHECK(dumped(end - 100, end) == Bytes(200, 0xff));
    CHECK(dumped(0x500, 0x600) == Bytes(512, 0xff));
    CHECK(dumped(0x100, 0x400) == Bytes(2 * 0x300, 0xff));
    const Bytes across = dumped(0x4fc, 0x900);
    REQUIRE(across.size() == 2 * 0x404);
    for (const std::size_t lane : {std::size_t{0}, std::size_t{0x404}}) {
      const auto first = across.begin() + static_cast<std::ptrdiff_t>(lane);
      CHECK(Bytes(first, first + 4) == Bytes{0, 0, 0, 0x40}); // 2.0
      CHECK(Bytes(first + 4, first + 0x404) == Bytes(0x400, 0xff));
    }
  }
  SECTION("ranges are checked") {
    const auto refused = [&](auto &&change) {
      sim::Options wrong = options;
      change(wrong.inspection.dump[0]);
      const sim::Execution run = go(module, wrong);
      REQUIRE(run.fault);
      CHECK(run.fault->code == "KILN-X002");
    };
    refused([](sim::MemoryRange &r) { r.end = 1 << 20; });
    refused([](sim::MemoryRange &r) { r.begin = -1; });
    refused([](sim::MemoryRange &r) { r.end = r.begin; });
    refused([](sim::MemoryRange &r) { r.partitions = 126; });
    refused([](sim::MemoryRange &r) { r.partitions = 0; });
    refused([](sim::MemoryRange &r) {
      r.space = Space::hbm;
      r.tensor = 2;
    });
  }
}

namespace {

/// Stores rows 8 to 11 of c, gathers four rows of it from `firstRow` on,
/// then stores all of c, `last` says after what.
std::string gatherRows(const std::string &firstRow, const std::string &last) {
  return ".stream vector\n  memset dst=sbuf[p0:32, 0x400: f32 64x1], "
         "value=1.0, signal s0+=1 ; @1\n"
         ".stream gpsimd\n  iota dst=sbuf[p0:4, 0x800: i32], "
         "pattern=index[1x1], offset=" +
         firstRow +
         ", channel_multiplier=1, signal s3+=1 ; @5\n"
         "  dma_copy dst=sbuf[p0:4, 0xa00: f32 64x1], src=hbm[c + 0: f32 4x64, "
         "64x1], src_index=sbuf[p0:4, 0x800: i32], queue=1, wait s1>=1, wait "
         "s3>=1, signal s2+=1 ; @3\n"
         ".stream sync\n  dma_copy dst=hbm[c + 2048: f32 256x1], "
         "src=sbuf[p0:4, 0x400: f32 64x1], wait s0>=1, signal s1+=1, signal "
         "s4+=1 ; @2\n" +
         store + ", wait s4>=1" + last;
}
const std::string afterGather = ", wait s2>=1 ; @4\n";

} // namespace

TEST_CASE("planted: rows that an index names, not those of the pattern") {
  const sim::Execution run = go(assemble(gatherRows("8", afterGather)));
  if (run.fault)
    FAIL(run.fault->text);
  expectFault(gatherRows("7", afterGather), "KILN-X003", {3, 4},
              "writes it only later");
  expectFault(gatherRows("9", afterGather), "KILN-X003", {3, 4},
              "writes it only later");
  expectFault(gatherRows("8", " ; @4\n  semaphore wait s2>=1 ; @6\n"),
              "KILN-X005", {3, 4}, "no semaphore orders the two");
  // Before the index is there.
  std::string early = gatherRows("8", afterGather);
  early.replace(early.find(", wait s3>=1"), 12, "");
  early += "  semaphore wait s3>=1 ; @6\n";
  expectFault(early, "KILN-X005", {3, 5}, "no semaphore orders the two");
}

TEST_CASE("planted: memory reused while its reader was still to come") {
  // Buffer 1 is filled and copied from; buffer 2 takes its place in between.
  const auto program = [](const char *second, const char *read) {
    return ".stream vector\n"
           "  memset dst=sbuf[p0:32, 0x0: f32 64x1], value=1.0 ; @1 %1\n"
           "  memset dst=sbuf[p0:32, 0x80: f32 4x1], value=2.0 ; @2 " +
           std::string(second) + "\n" + copy + ", signal s0+=1 ; @3 " + read +
           "\n.stream sync\n" + store +
           ", wait s0>=1 ; @4 %3\n.buffer 1 @7\n.buffer 2 @8\n.buffer 3 @9\n";
  };
  expectFault(program("%2", "%3 %1"), "KILN-X018", {2, 3},
              "as buffer 1 (user.cpp:7), but vector instruction 1 "
              "(user.cpp:2) wrote it last, as buffer 2 (user.cpp:8)");
  // The same buffer, or nothing said about it on either side.
  for (const auto &[second, read] :
       {std::pair{"%1", "%3 %1"}, {"", "%3 %1"}, {"%2", "%3"}}) {
    const sim::Execution run = go(assemble(program(second, read)));
    CHECK(!run.fault);
  }
}
