//===- LimitChecksTest.cpp - Limits of one operand, and one past ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCases.h"

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

std::string memset(const std::string &access) {
  return "memset dst=" + access + ", value=0";
}

} // namespace

TEST_CASE("partitions and where they start") {
  run({{v3, V, memset("sbuf[p0:128, 0: f32 4x1]"), ""},
       {v3, V, memset("sbuf[p0:129, 0: f32 4x1]"), "KILN-I005"},
       {v3, V, memset("sbuf[p0:0, 0: f32 4x1]"), "KILN-I005"},
       {v3, V, memset("sbuf[p96:128, 0: f32 4x1]"), ""},
       {v3, V, memset("sbuf[p96:129, 0: f32 4x1]"), "KILN-I005"},
       {v3, V, memset("sbuf[p32:64, 0: f32 4x1]"), ""},
       {v3, V, memset("sbuf[p32:65, 0: f32 4x1]"), "KILN-I007"},
       {v3, V, memset("sbuf[p31:32, 0: f32 4x1]"), "KILN-I007"},
       {v3, V, memset("sbuf[p64:128, 0: f32 4x1]"), ""},
       {v3, V, memset("sbuf[p32:96, 0: f32 4x1]"), "KILN-I007"},
       {v3, V, memset("sbuf[p32:97, 0: f32 4x1]"), "KILN-I007"},
       {v3, V, memset("sbuf[p0:65, 0: f32 4x1]"), ""},
       {v3, V, memset("sbuf[p64:129, 0: f32 4x1]"), "KILN-I005"},
       // DMA uses byte addresses and may start anywhere.
       {v3, Y, "dma_copy dst=sbuf[p31:33, 0: bf16 8x1], src=hbm[x: bf16 16x1]",
        ""}});
}

TEST_CASE("patterns") {
  run({{v3, V, memset("sbuf[p0:1, 0: u8 65535x1]"), ""},
       {v3, V, memset("sbuf[p0:1, 0: u8 65536x1]"), "KILN-I009"},
       {v3, V, memset("sbuf[p0:1, 0: u8 2x32768]"), "KILN-I009"},
       {v3, V, memset("sbuf[p0:1, 0: u8 2x32767]"), ""},
       {v3, V, memset("sbuf[p0:1, 32768: u8 2x-32768]"), ""},
       {v3, V, memset("sbuf[p0:1, 65536: u8 2x-32769]"), "KILN-I009"},
       {v3, V, memset("sbuf[p0:1, 0: u8 2x16, 2x8, 2x4, 2x2]"), ""},
       {v3, V, memset("sbuf[p0:1, 0: u8 2x32, 2x16, 2x8, 2x4, 2x2]"),
        "KILN-I009"},
       {v3, V, memset("sbuf[p0:1, 0: u8 0x1]"), "KILN-I009"},
       {v3, V, memset("sbuf[p0:1, 0: u8 2x32767, 32767x1]"), ""},
       {v3, V, memset("sbuf[p0:1, 0: u8 3x32767, 32767x1]"), "KILN-I009"},
       {v3, V, memset("psum[p0:1, 0: u8 4096x1]"), ""},
       {v3, V, memset("psum[p0:1, 0: u8 4097x1]"), "KILN-I009"},
       {v3, V, memset("sbuf[p0:1, 0: f32 1x0]"), ""},
       {v3, V, memset("sbuf[p0:1, 0: f32 2x0]"), "KILN-I019"},
       {v3, V,
        "tensor_copy dst=sbuf[p0:1, 0: f32 4x1], src=sbuf[p0:1, 64: f32 4x0]",
        ""}});
}

TEST_CASE("addresses") {
  run({{v3, V, memset("psum[p0:1, 12288: f32 1024x1]"), ""},
       {v3, V, memset("psum[p0:1, 12292: f32 1024x1]"), "KILN-I010"},
       {v2, V, memset("sbuf[p0:1, 180220: f32 1x1]"), ""},
       {v2, V, memset("sbuf[p0:1, 180224: f32 1x1]"), "KILN-I010"},
       {v3, V, memset("sbuf[p0:1, 212988: f32 1x1]"), ""},
       {v3, V, memset("sbuf[p0:1, 212992: f32 1x1]"), "KILN-I010"},
       {v4, V, memset("sbuf[p0:1, 245756: f32 1x1]"), ""},
       {v4, V, memset("sbuf[p0:1, 245760: f32 1x1]"), "KILN-I010"},
       {v3, V, memset("sbuf[p0:1, 4: f32 2x-1]"), ""},
       {v3, V, memset("sbuf[p0:1, 0: f32 2x-1]"), "KILN-I010"},
       {v3, V, memset("sbuf[p0:1, -4: f32 1x1]"), "KILN-I010"},
       {v3, V, memset("sbuf[p0:1, 2: f32 1x1]"), "KILN-I013"},
       {v3, V, memset("sbuf[p0:1, 2: bf16 1x1]"), ""},
       {v3, V, memset("sbuf[p0:1, 0 + r1*2: f32 1x1]"), "KILN-I013"},
       // Registers move the pattern: only its own extent is known.
       {v3, V, memset("sbuf[p0:1, 400000 + r1*4: f32 1x1]"), ""},
       {v3, V, memset("psum[p0:1, 0 + r1*4: f32 2x4096]"), "KILN-I010"},
       {v3, Y, "register_load dst=r1, src=hbm[table + 0x38: i32]", ""},
       {v3, Y, "register_load dst=r1, src=hbm[table + 0x3c: i32]", "KILN-I010"},
       {v3, Y, "register_load dst=r1, src=hbm[table - 0x4: i32]", "KILN-I010"},
       {v3, Y, "register_load dst=r1, src=hbm[%3: i32]", ""},
       {v3, Y, "register_load dst=r1, src=hbm[%4: i32]", "KILN-I034"},
       {v3, Y, "register_store src=r1, dst=hbm[y: i32]", ""},
       {v3, Y, "register_store src=r1, dst=hbm[x: i32]", "KILN-I038"},
       {v3, Y, "register_store src=r1, dst=hbm[table: i32]", "KILN-I038"}});
}

TEST_CASE("numbers that overflow are no addresses") {
  Module module = emptyModule();
  Instruction copy = line("dma_copy dst=sbuf[p0:1, 0: u8 1x1], "
                          "src=hbm[x: u8 2x1, 2x1, 2x1, 2x1, 2x1]",
                          module);
  Access &src = std::get<DmaCopy>(copy.body).src;
  for (Dim &dim : src.dims)
    dim = {2147483647, 2147483647};
  CHECK(check(copy, Y, module, trn2)->code == "KILN-I009");
  src.rank = 1;
  src.dims[0] = {2147483647, 2};
  src.offset = std::numeric_limits<std::int64_t>::max() - 8;
  CHECK(check(copy, Y, module, trn2)->code == "KILN-I010");
  CHECK_FALSE(byteRange(src));
  CHECK(byteRange(std::get<DmaCopy>(copy.body).dst) == ByteRange{0, 1});
}

TEST_CASE("memories, types, streams, generations") {
  run({{v3, T, memset("sbuf[p0:1, 0: f32 1x1]"), "KILN-I002"},
       {v3, G, memset("sbuf[p0:1, 0: f32 1x1]"), ""},
       {v3, G, memset("psum[p0:1, 0: f32 1x1]"), "KILN-I003"},
       {v3, V, memset("hbm[y: f32 1x1]"), "KILN-I004"},
       {v3, Y,
        "dma_copy dst=sbuf[p0:1, 0: f32 1x1], src=psum[p0:1, 0: f32 1x1]",
        "KILN-I004"},
       {v3, G, "iota dst=psum[p0:1, 0: i32 4x1], pattern=index[4x1]",
        "KILN-I004"},
       {v3, V,
        "select_reduce dst=sbuf[p0:1, 0: f32 4x1], predicate=sbuf[p0:1, 64: "
        "i32 4x1], on_true=sbuf[p0:1, 0: f32 4x1], on_false=0",
        "KILN-I012"},
       {v3, V,
        "tensor_scalar dst=sbuf[p0:1, 0: f32 4x1], data=sbuf[p0:1, 0: f32 "
        "4x1], op0=add, operand0=sbuf[p0:1, 64: bf16]",
        "KILN-I012"},
       {v3, V,
        "tensor_scalar dst=sbuf[p0:1, 0: f32 4x1], data=sbuf[p0:1, 0: f32 "
        "4x1], op0=add, operand0=sbuf[p0:1, 64: f32 2x1]",
        "KILN-I020"},
       {v2, S,
        "tensor_copy dst=sbuf[p0:1, 0: f32 4x1], src=sbuf[p0:1, 0: f32 4x1]",
        "KILN-I001"},
       {v3, S,
        "tensor_copy dst=sbuf[p0:1, 0: f32 4x1], src=sbuf[p0:1, 0: f32 4x1]",
        ""}});
}

TEST_CASE("registers, semaphores, locations") {
  Module module = emptyModule();
  auto codeOf = [&](const Instruction &instruction) {
    std::optional<Diagnostic> error = check(instruction, Y, module, trn2);
    return error ? error->code : "";
  };
  Instruction move = line("register_move dst=r63, src=r63", module);
  CHECK(codeOf(move) == "");
  std::get<RegisterMove>(move.body).dst.index = 64;
  CHECK(codeOf(move) == "KILN-I008");
  std::get<RegisterMove>(move.body) = {Register{0}, {Register{64}}};
  CHECK(codeOf(move) == "KILN-I008");
  Instruction load =
      line("register_load dst=r0, src=hbm[table + r63*4: i32]", module);
  CHECK(codeOf(load) == "");
  std::get<RegisterLoad>(load.body).src.terms[0].reg.index = 64;
  CHECK(codeOf(load) == "KILN-I008");

  Instruction wait = line("semaphore wait s255>=65535, signal s255+=1", module);
  CHECK(codeOf(wait) == "");
  wait.waits[0].semaphore = 256;
  CHECK(codeOf(wait) == "KILN-I032");
  wait.waits[0] = {0, 0};
  CHECK(codeOf(wait) == "KILN-I032");
  wait.waits.assign(255, {0, 1});
  CHECK(codeOf(wait) == "");
  wait.waits.assign(256, {0, 1});
  CHECK(codeOf(wait) == "KILN-I032");

  Instruction placed = line("end_loop", module);
  placed.location = 2;
  CHECK(codeOf(placed) == "");
  placed.location = 3;
  CHECK(codeOf(placed) == "KILN-I037");
}

TEST_CASE("an error carries the user's place") {
  Module module = emptyModule();
  Instruction bad = line(memset("sbuf[p31:32, 0: f32 4x1]"), module);
  bad.location = 1;
  std::optional<Diagnostic> error = check(bad, V, module, trn2);
  REQUIRE(error);
  CHECK(error->str() ==
        "flash.cpp:12:3: error: memset: dst starts at partition "
        "31, but 1 partitions may start only at 0, 32, 64 or "
        "96 [KILN-I007]");
}
