//===- EncodingTest.cpp - Bytes and back ----------------------------------===//
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

TEST_CASE("every instruction survives encoding with any operands") {
  Random random(1);
  for (const InstructionInfo &entry : instructionTable)
    for (int round = 0; round < 400; ++round) {
      Instruction instruction = randomInstruction(entry.opcode, random, 4);
      instruction.location = static_cast<std::uint32_t>(random());
      std::vector<std::uint8_t> bytes = encoded(instruction);
      std::span<const std::uint8_t> rest = bytes;
      Expected<Instruction> decoded = decode(rest);
      INFO(entry.mnemonic);
      REQUIRE(decoded);
      REQUIRE(rest.empty());
      REQUIRE(bytes.size() % 4 == 0);
      REQUIRE(encoded(*decoded) == bytes);
      REQUIRE(decoded->waits == instruction.waits);
      REQUIRE(decoded->position == instruction.position);
    }
}

TEST_CASE("without NaNs the decoded instruction is equal to the first") {
  Module module = emptyModule();
  for (const InstructionInfo &entry : instructionTable) {
    Instruction instruction = line(std::string(entry.example), module);
    std::vector<std::uint8_t> bytes = encoded(instruction);
    std::span<const std::uint8_t> rest = bytes;
    CHECK(*decode(rest) == instruction);
  }
}

TEST_CASE("instructions follow each other in a stream of bytes") {
  Module module = emptyModule();
  std::vector<std::uint8_t> bytes;
  for (const InstructionInfo &entry : instructionTable)
    encode(line(std::string(entry.example), module), bytes);
  std::span<const std::uint8_t> rest = bytes;
  for (const InstructionInfo &entry : instructionTable) {
    Expected<Instruction> decoded = decode(rest);
    REQUIRE(decoded);
    CHECK(opcode(decoded->body) == entry.opcode);
  }
  CHECK(rest.empty());
}

TEST_CASE("the layout of an instruction is fixed") {
  // loop r2 = 1 to r3 step 4, wait s5>=6, signal s7+=8; see docs/encoding.md.
  Instruction instruction =
      line("loop r2 = 1 to r3 step 4, wait s5>=6, signal s7+=8", emptyModule());
  instruction.location = 9;
  instruction.position = 10;
  CHECK(encoded(instruction) ==
        std::vector<std::uint8_t>{80, 0, 10, 0,      // opcode, words
                                  9,  0, 0,  0,      // location
                                  10, 0, 0,  0,      // position
                                  1,  1, 0,  0,      // waits, signals
                                  5,  0, 6,  0,      // wait
                                  7,  0, 8,  0,      // signal
                                  2,                 // counter
                                  0,  1, 0,  0, 0,   // begin
                                  1,  3, 0,  0, 0,   // end
                                  4,  0, 0,  0, 0}); // step, padding
}

TEST_CASE("decoding refuses every prefix and every foreign byte") {
  Module module = emptyModule();
  for (const InstructionInfo &entry : instructionTable) {
    std::vector<std::uint8_t> bytes =
        encoded(line(std::string(entry.example), module));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      std::span<const std::uint8_t> rest(bytes.data(), length);
      Expected<Instruction> decoded = decode(rest);
      REQUIRE_FALSE(decoded);
      REQUIRE(decoded.error().code == "KILN-I054");
      REQUIRE(rest.size() == length);
    }
  }
}

TEST_CASE("there is one encoding: what decodes encodes to the same bytes") {
  Random random(2);
  Module module = emptyModule();
  int accepted = 0, refused = 0;
  for (const InstructionInfo &entry : instructionTable) {
    std::vector<std::uint8_t> original =
        encoded(line(std::string(entry.example), module));
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::uint8_t> bytes = original;
      for (std::uint64_t edits = 1 + below(random, 3); edits > 0; --edits)
        bytes[below(random, bytes.size())] =
            static_cast<std::uint8_t>(random());
      std::span<const std::uint8_t> rest = bytes;
      Expected<Instruction> decoded = decode(rest);
      if (!decoded) {
        ++refused;
        continue;
      }
      ++accepted;
      bytes.resize(bytes.size() - rest.size());
      REQUIRE(encoded(*decoded) == bytes);
    }
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("noise never decodes beyond its end") {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> bytes(below(random, 120));
    for (std::uint8_t &byte : bytes)
      byte = static_cast<std::uint8_t>(below(random, 4) ? below(random, 6)
                                                        : random());
    std::span<const std::uint8_t> rest = bytes;
    while (!rest.empty()) {
      std::size_t before = rest.size();
      if (!decode(rest))
        break;
      REQUIRE(rest.size() < before);
    }
  }
}
