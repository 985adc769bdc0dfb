//===- control_test.cpp - Branches and loops that memory decides
//-------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "catch.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/sim/timing.h"

using namespace bench;

namespace {

isa::Module assemble(const std::string &text) {
  auto module = isa::parseAssembly(text, "control.kasm");
  if (!module)
    FAIL(module.error().str());
  if (const auto error = isa::checkModule(*module))
    FAIL(error->str());
  return *module;
}

sim::Execution go(const isa::Module &module,
                  const std::vector<sim::TensorData> &inputs,
                  std::uint64_t seed = 0) {
  sim::Options options;
  options.interleaveSeed = seed;
  return sim::execute(module, isa::target(module.generation), inputs, options);
}

/// Steps of the 3n+1 game from `n` down to 1, counted on the vector engine in
/// a tile, while the sync engine stores each value; every iteration both test
/// the flag that the sync engine writes.
const std::string collatz = R"(.kernel collatz
.target trn2
.tensor input n: i32[1]
.tensor inout flag: i32[1]
.tensor output steps: f32[1]
.tensor output last: i32[1]

.stream vector
  memset dst=sbuf[p0:1, 0x0: f32], value=0
  register_load dst=r0, src=hbm[flag: i32], wait s0>=1, signal s1+=1
  while r0
    tensor_scalar dst=sbuf[p0:1, 0x0: f32], data=sbuf[p0:1, 0x0: f32], op0=add, operand0=1
    register_load dst=r0, src=hbm[flag: i32], wait s0>=1, signal s1+=1
  end_loop
  semaphore signal s2+=1

.stream sync
  register_load dst=r1, src=hbm[n: i32]
  register_alu dst=r2, op=not_equal, a=r1, b=1
  register_store dst=hbm[flag: i32], src=r2, signal s0+=1
  while r2
    register_alu dst=r3, op=modulo, a=r1, b=2
    if r3
      register_alu dst=r1, op=multiply, a=r1, b=3
      register_alu dst=r1, op=add, a=r1, b=1
    else
      register_alu dst=r1, op=right_shift, a=r1, b=1
    end_if
    register_alu dst=r2, op=greater, a=r1, b=1
    register_store dst=hbm[flag: i32], src=r2, wait s1>=1, signal s0+=1
  end_loop
  register_store dst=hbm[last: i32], src=r1, wait s1>=1
  dma_copy dst=hbm[steps: f32], src=sbuf[p0:1, 0x0: f32], queue=0, wait s2>=1
)";

int collatzSteps(std::int64_t n) {
  int steps = 0;
  for (; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
    ++steps;
  return steps;
}

} // namespace

TEST_CASE("two streams leave a while together, in any interleaving") {
  const isa::Module module = assemble(collatz);
  for (std::int32_t n : {1, 2, 6, 7, 27})
    for (std::uint64_t seed : {0, 1, 2, 3}) {
      INFO(n << " seed " << seed);
      const sim::Execution result =
          go(module, {data("n", std::vector{n}), data("flag", std::vector{9})},
             seed);
      if (result.fault)
        FAIL(result.fault->text);
      const auto output = [&](const char *name) {
        for (const sim::TensorData &tensor : result.outputs)
          if (tensor.name == name)
            return tensor;
        FAIL("no output " << name);
        return sim::TensorData();
      };
      CHECK(values<float>(output("steps")).at(0) ==
            static_cast<float>(collatzSteps(n)));
      CHECK(values<std::int32_t>(output("last")).at(0) == 1);
      CHECK(values<std::int32_t>(output("flag")).at(0) == 0);
      // A timing run replays the loads and takes the same way.
      sim::TimingOptions timing;
      timing.registerLoads = result.registerLoads;
      CHECK(sim::simulateTiming(module, isa::trn2, timing));
    }
}

TEST_CASE("a loop that never ends is stopped by the limit") {
  const isa::Module module = assemble(".kernel ever\n.target trn2\n"
                                      ".stream sync\nregister_move dst=r0, "
                                      "src=1\nwhile r0\nend_loop\n");
  sim::Options options;
  options.maxSteps = 1000;
  const auto result = sim::execute(module, isa::trn2, {}, options);
  REQUIRE(result.fault);
  CHECK(result.fault->kind == sim::FaultKind::watchdog);
}

TEST_CASE("streams that disagree about a branch are found") {
  // Vector signals in its body; sync waits in its own, with another condition.
  const isa::Module module = assemble(R"(.kernel apart
.target trn2
.tensor input a: i32[2]
.stream vector
  register_load dst=r0, src=hbm[a: i32]
  if r0
    semaphore signal s0+=1
  end_if
.stream sync
  register_load dst=r0, src=hbm[a + 0x4: i32]
  if r0
    semaphore wait s0>=1
  end_if
)");
  const auto kindOf = [&](std::int32_t first, std::int32_t second) {
    const auto result = go(module, {data("a", std::vector{first, second})});
    return result.fault ? result.fault->code : std::string();
  };
  CHECK(kindOf(0, 0) == "");
  CHECK(kindOf(1, 1) == "");
  CHECK(kindOf(0, 1) == "KILN-X006");
  CHECK(kindOf(1, 0) == "KILN-X007");
}

TEST_CASE("a branch on what another stream still writes is a race") {
  const isa::Module module = assemble(R"(.kernel early
.target trn2
.tensor output y: f32[4]
.stream vector
  memset dst=sbuf[p0:1, 0x0: i32], value=1
.stream sync
  register_load dst=r0, src=sbuf[p0:1, 0x0: i32]
  if r0
  end_if
)");
  const auto result = go(module, {});
  REQUIRE(result.fault);
  CHECK(
      (result.fault->code == "KILN-X005" || result.fault->code == "KILN-X003"));
}

TEST_CASE("registers load and store every type that fits") {
  using Bits = std::uint32_t;
  struct Type {
    const char *name;
    unsigned bytes;
    Bits stored, loaded; ///< Bits in memory, and in the register after loading.
  };
  for (const Type &type :
       {Type{"i32", 4, 0x89abcdef, 0x89abcdef},
        Type{"u32", 4, 0x89abcdef, 0x89abcdef},
        Type{"f32", 4, 0x7fa00001, 0x7fa00001}, // A NaN keeps its payload.
        Type{"i16", 2, 0x8001, 0xffff8001}, Type{"i16", 2, 0x7fff, 0x7fff},
        Type{"u16", 2, 0x8001, 0x8001}, Type{"i8", 1, 0x80, 0xffffff80},
        Type{"i8", 1, 0x7f, 0x7f}, Type{"u8", 1, 0xff, 0xff}}) {
    INFO(type.name);
    std::string text = R"(.kernel types
.target trn2
.tensor input x: T[4]
.tensor output y: T[4]
.tensor output r: u32[1]
.stream sync
  register_load dst=r0, src=hbm[x + STEP: T]
  register_store dst=hbm[r: u32], src=r0
  register_store dst=sbuf[p77:78, 0x10: T], src=r0
  register_load dst=r1, src=sbuf[p77:78, 0x10: T]
  register_store dst=hbm[y + STEP: T], src=r1
  register_store dst=hbm[y: T], src=-1
  register_store dst=hbm[y + 2STEP: T], src=0
  register_store dst=hbm[y + 3STEP: T], src=305419896
)";
    const auto replace = [&](const std::string &from, const std::string &to) {
      for (std::size_t at; (at = text.find(from)) != std::string::npos;)
        text.replace(at, from.size(), to);
    };
    replace("3STEP", std::to_string(3 * type.bytes));
    replace("2STEP", std::to_string(2 * type.bytes));
    replace("STEP", std::to_string(type.bytes));
    replace(": T", std::string(": ") + type.name);
    sim::TensorData x{"x", std::vector<std::uint8_t>(4 * type.bytes, 0x55)};
    std::memcpy(&x.bytes[type.bytes], &type.stored, type.bytes);
    const auto result = go(assemble(text), {x});
    if (result.fault)
      FAIL(result.fault->text);
    CHECK(values<Bits>(result.outputs.at(1)).at(0) == type.loaded);
    const Bits expected[] = {~Bits{0}, type.stored, 0, 0x12345678};
    for (unsigned i = 0; i < 4; ++i)
      CHECK(std::memcmp(&result.outputs[0].bytes[i * type.bytes], &expected[i],
                        type.bytes) == 0);
  }
}
