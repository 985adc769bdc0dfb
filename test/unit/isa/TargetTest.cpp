//===- TargetTest.cpp - Machine parameters --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/isa/target_overrides.h"

using namespace kiln::isa;

TEST_CASE("the three generations differ where the machines do") {
  CHECK(trn1.sbufBytes() == 180224);
  CHECK(trn2.sbufBytes() == 212992);
  CHECK(trn3.sbufBytes() == 245760);
  for (Generation generation :
       {Generation::v2, Generation::v3, Generation::v4}) {
    CHECK(target(generation).generation == generation);
    CHECK(target(generation).bytes(Space::psum) ==
          static_cast<int>(psumBanks * psumBankBytes));
  }
  CHECK(trn1.ghz(Engine::tensor) == 2.8);
  CHECK(trn2.ghz(Engine::vector) == 0.96);
  CHECK(trn3.ghz(Engine::vector) == 1.2);
  CHECK_FALSE(trn1.has_hwdge);
  CHECK(trn3.pe_max_moving_free == 4096);
  CHECK(findTarget("trn3")->generation == Generation::v4);
  CHECK_FALSE(findTarget("trn4"));
}

TEST_CASE("parameters are overridden from lines and from JSON") {
  Target changed = trn2;
  CHECK_FALSE(
      applyOverrides(changed,
                     "# slower\ndma_start_ns = 1000\n\n"
                     "has_hwdge=false\npe_latency_cycles = 400 # more\n",
                     "slow.txt"));
  CHECK(changed.dma_start_ns == 1000);
  CHECK_FALSE(changed.has_hwdge);
  CHECK(changed.pe_latency_cycles == 400);
  CHECK(changed.dma_done_ns == trn2.dma_done_ns);

  changed = trn2;
  CHECK_FALSE(applyOverrides(
      changed, "{\"dma_start_ns\": 1e3,\n \"has_hwdge\": false}", "slow.json"));
  CHECK(changed.dma_start_ns == 1000);
  CHECK_FALSE(applyOverrides(changed, "{}", "empty.json"));
}

TEST_CASE("printed parameters read back to the same target") {
  Target changed = trn2;
  REQUIRE_FALSE(applyOverrides(changed, printParameters(trn3), "trn3"));
  CHECK(printParameters(changed) == printParameters(trn3));
}

TEST_CASE("a bad override names its line and changes nothing") {
  struct {
    std::string_view text;
    std::uint32_t line, column;
    std::string_view message;
  } cases[] = {
      {"dma_start = 3", 1, 1, "no target parameter is called 'dma_start'"},
      {"dma_start_ns = 5\nhas_hwdge = 1", 2, 13, "must be true or false"},
      {"dma_start_ns = -5", 1, 16, "must be a number from 0, found '-5'"},
      {"dma_start_ns = inf", 1, 16, "must be a number from 0"},
      {"pe_latency_cycles = 1.5", 1, 21, "must be an integer from 0"},
      {"dma_start_ns 5", 1, 14, "expected '='"},
      {"{\"dma_start_ns\": 5", 1, 19, "expected ',' or '}'"},
      {"{dma_start_ns: 5}", 1, 2, "in quotes"},
      {"{} x", 1, 4, "behind the closing"},
  };
  for (const auto &bad : cases) {
    Target changed = trn2;
    std::optional<Diagnostic> error = applyOverrides(changed, bad.text, "f");
    INFO(bad.text);
    REQUIRE(error);
    INFO(error->str());
    CHECK(error->code == "KILN-I060");
    CHECK(error->file == "f");
    CHECK(error->line == bad.line);
    CHECK(error->column == bad.column);
    CHECK(error->text.find(bad.message) != std::string::npos);
    CHECK(printParameters(changed) == printParameters(trn2));
  }
}
