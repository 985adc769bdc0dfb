//===- AssemblyTest.cpp - Text and back -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "catch.h"

using namespace kiln::isa;
using namespace kiln::isa::test;

TEST_CASE("every instruction survives printing with any operands") {
  Random random(4);
  Module module = emptyModule();
  for (const InstructionInfo &entry : instructionTable)
    for (int round = 0; round < 300; ++round) {
      Instruction instruction =
          randomInstruction(entry.opcode, random, module.tensors.size());
      instruction.location = static_cast<std::uint32_t>(below(random, 3));
      module.streams[0] = {instruction};
      std::string text = printAssembly(module);
      Expected<Module> parsed = parseAssembly(text, "round.kasm");
      INFO(text);
      INFO((parsed ? "" : parsed.error().str()));
      REQUIRE(parsed);
      REQUIRE(encodedStreams(*parsed) == encodedStreams(module));
      REQUIRE(printAssembly(*parsed) == text);
    }
}

TEST_CASE("a whole module is equal after printing and parsing") {
  for (Generation generation :
       {Generation::v2, Generation::v3, Generation::v4}) {
    Module module = exampleModule();
    module.generation = generation;
    Expected<Module> parsed = parseAssembly(printAssembly(module), "m.kasm");
    REQUIRE(parsed);
    CHECK(*parsed == module);
  }
  Module nothing;
  CHECK(*parseAssembly(printAssembly(nothing), "empty.kasm") == nothing);
  Module named;
  named.kernel = "two words";
  CHECK(*parseAssembly(printAssembly(named), "named.kasm") == named);
}

TEST_CASE("assembly reads as in the manual") {
  Module module;
  module.kernel = "flash_attention";
  module.tensors = {{"q", DType::bf16, TensorKind::input, {4, 256, 128}, {}}};
  module.facts["param.scale"] = "0.125";
  module.locations.push_back({"flash.cpp", 12, 3, "q/kv", ""});
  auto &sync = module.streams[static_cast<std::size_t>(Engine::sync)];
  sync.push_back(line("loop r2 = 0 to 16 step 1", module));
  sync.push_back(line("dma_copy dst=sbuf[p0:128, 0x4000 + r3*64: bf16 128x1], "
                      "src=hbm[q + 0x100 + r2*4096: bf16 128x128, 128x1], "
                      "queue=2, dge_mode=hwdge, wait s3>=1, signal s5+=1",
                      module));
  sync.back().location = 1;
  sync.back().position = 17;
  std::get<DmaCopy>(sync.back().body).dst.tensor = 2;
  module.buffers = {0, 1, 1};
  sync.push_back(line("end_loop", module));
  CHECK(printAssembly(module) ==
        ".kernel flash_attention\n"
        ".target trn2\n"
        ".fact param.scale = \"0.125\"\n"
        ".tensor input q: bf16[4, 256, 128]\n"
        "\n"
        ".stream sync\n"
        "  loop r2 = 0 to 16 step 1\n"
        "    dma_copy dst=sbuf[p0:128, 0x4000 + r3*64: bf16 128x1], "
        "src=hbm[q + 0x100 + r2*4096: bf16 128x128, 128x1], queue=2, "
        "dge_mode=hwdge, wait s3>=1, signal s5+=1 ; @1 #17 %2 "
        "flash.cpp:12:3 \"q/kv\"\n"
        "  end_loop\n"
        "\n"
        ".buffer 1 @1\n"
        ".buffer 2 @1\n"
        ".location 1 \"flash.cpp\" 12:3 \"q/kv\" \"\"\n");
}

TEST_CASE("control flow is indented") {
  const std::string text = ".kernel k\n"
                           ".target trn2\n"
                           "\n"
                           ".stream sync\n"
                           "  while r2, wait s1>=1\n"
                           "    if r3\n"
                           "      register_move dst=r2, src=0\n"
                           "    else\n"
                           "      register_alu dst=r3, op=less, a=r3, b=2, "
                           "type=f32\n"
                           "    end_if signal s2+=1\n"
                           "  end_loop\n";
  std::string tight;
  for (const char c : text)
    if (c != ' ' || tight.back() != ' ')
      tight += c;
  Expected<Module> parsed = parseAssembly(tight, "control.kasm");
  INFO((parsed ? "" : parsed.error().str()));
  REQUIRE(parsed);
  CHECK(printAssembly(*parsed) == text);
}

TEST_CASE("the notation is free where it can be") {
  Module module = emptyModule();
  Instruction expected =
      line("memset dst=sbuf[p0:128, 0x40: f32 4x8], value=2", module);
  for (const char *text :
       {"  memset  value = 2.0 , dst = sbuf [ p0 : 128 , 64 : f32 4x8 ] ; why",
        "memset dst=sbuf[p0:128,0x40:f32 4x8],value=2e0;x",
        "\tmemset dst=sbuf[p0:128, 0x40: f32 4x8], value=2\r"})
    CHECK(line(text, module) == expected);
  CHECK(line("nc_transpose dst=psum[p0:4, 0x0: f32 4x1], "
             "data=sbuf[p0:4, 0x0: f32 4x1], wait s1>=2, wait s1>=3",
             module)
            .waits.size() == 2);
  Instruction flag = line("tensor_reduce dst=sbuf[p0:1, 0: f32 1x1], op=add, "
                          "data=sbuf[p0:1, 4: f32 1x1], negate=false",
                          module);
  CHECK_FALSE(std::get<TensorReduce>(flag.body).negate);
}

TEST_CASE("a mistake is shown with its place") {
  struct {
    const char *text;
    std::uint32_t line, column;
    const char *code;
    const char *message;
  } cases[] = {
      {"memset", 1, 1, "KILN-I044", "come after a .stream"},
      {".stream vector\n  memzet dst", 2, 3, "KILN-I041", "called memzet"},
      {".stream dma", 1, 9, "KILN-I044", "no stream is called dma"},
      {".strean dma", 1, 1, "KILN-I044", "no directive is called .strean"},
      {".target trn9", 1, 9, "KILN-I044", "no target is called trn9"},
      {".tensor input x bf16[2]", 1, 17, "KILN-I040", "expected ':'"},
      {".tensor inputs x: bf16[2]", 1, 9, "KILN-I044", "not a kind of tensor"},
      {".tensor input x: f64[2]", 1, 18, "KILN-I043", "not an element type"},
      {".tensor input x: f32[0]", 1, 22, "KILN-I043", "must be 1 to"},
      {".tensor input x: f32[2]\n.tensor input x: f32[2]", 2, 24, "KILN-I044",
       "two tensors are called x"},
      {".data 00", 1, 1, "KILN-I044", "come after a constant"},
      {".tensor constant x: u8[1]\n.data 0", 2, 8, "KILN-I040", "pairs"},
      {".fact a = \"1\"\n.fact a = \"2\"", 2, 14, "KILN-I044", "given twice"},
      {".fact a = \"1", 1, 11, "KILN-I040", "not closed"},
      {".kernel a b", 1, 11, "KILN-I040", "end of the line"},
      {".location 2 \"f\" 1:1 \"\" \"\"", 1, 11, "KILN-I043", "1 to 1"},
      {".buffer 2 @1", 1, 9, "KILN-I043", "1 to 1"},
      {".buffer 1 1", 1, 11, "KILN-I040", "a location"},
      {".stream sync\nsemaphore ; @0 %1", 2, 17, "KILN-I044",
       "0 operands on chip"},
      {".stream sync\nsemaphore ; %x", 2, 13, "KILN-I040", "a buffer"},
      {".stream sync\nsemaphore wait s256>=1", 2, 17, "KILN-I043", "0 to 255"},
      {".stream sync\nsemaphore wait s2>=0", 2, 20, "KILN-I043", "1 to 65535"},
      {".stream sync\nsemaphore wait s2>1", 2, 18, "KILN-I040", "'>='"},
      {".stream sync\nregister_move dst=r64, src=0", 2, 20, "KILN-I043",
       "0 to 63"},
      {".stream sync\nregister_move dst=r1", 2, 21, "KILN-I042",
       "needs operand src"},
      {".stream sync\nregister_move dst=r1, dst=r2", 2, 23, "KILN-I042",
       "given twice"},
      {".stream sync\nregister_move to=r1", 2, 15, "KILN-I042",
       "no operand to; it has dst, src"},
      {".stream sync\nregister_move dst=r1, src=2147483648", 2, 27, "KILN-I043",
       "-2147483648 to 2147483647"},
      {".stream sync\nloop r1 = 0 until 4 step 1", 2, 13, "KILN-I040", "'to'"},
      {".stream sync\nwhile 1", 2, 7, "KILN-I040", "a register"},
      {".stream sync\nif r64", 2, 5, "KILN-I043", "0 to 63"},
      {".stream sync\nif r1 r2", 2, 7, "KILN-I040", "end of the line"},
      {".stream sync\nif r1, condition=r2", 2, 8, "KILN-I042", "given twice"},
      {".stream sync\nregister_alu dst=r1, op=divide, a=r1, b=2", 2, 25,
       "KILN-I043", "known are add"},
      {".stream sync\nregister_load dst=r1, src=hbm[z: i32]", 2, 31,
       "KILN-I044", "no .tensor is called z"},
      {".stream sync\nregister_load dst=r1, src=dram[z: i32]", 2, 27,
       "KILN-I043", "not a memory"},
      {".stream sync\nregister_load dst=r1, src=sbuf[p0:1, 0 + r1*4 + r2*4 + "
       "r3*4: i32]",
       2, 55, "KILN-I043", "at most 2 registers"},
      {".stream sync\nregister_load dst=r1, src=sbuf[p0:1, 0: i32 4y1]", 2, 46,
       "KILN-I040", "as in 512x1"},
      {".stream sync\nmemset dst=sbuf[p0:1, 0: f32], value=1e99", 2, 38,
       "KILN-I043", "does not fit a float"},
      {".stream sync\nsemaphore signal s1+=1 wait s2>=1", 2, 24, "KILN-I040",
       "expected ','"},
      {".stream sync\nsemaphore ; @x", 2, 13, "KILN-I040", "as in @3"},
  };
  for (const auto &bad : cases) {
    INFO(bad.text);
    Expected<Module> parsed = parseAssembly(bad.text, "bad.kasm");
    REQUIRE_FALSE(parsed);
    const Diagnostic &error = parsed.error();
    INFO(error.str());
    CHECK(error.code == bad.code);
    CHECK(error.file == "bad.kasm");
    CHECK(error.line == bad.line);
    CHECK(error.column == bad.column);
    CHECK(error.text.find(bad.message) != std::string::npos);
  }
}

TEST_CASE("the caret points at the mistake") {
  Expected<Module> parsed =
      parseAssembly(".stream vector\n  memzet dst", "bad.kasm");
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().str() ==
        "bad.kasm:2:3: error: no instruction is called memzet [KILN-I041]\n"
        "    memzet dst\n"
        "    ^");
}
