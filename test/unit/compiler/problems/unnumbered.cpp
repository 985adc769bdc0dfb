//===- unnumbered.cpp - The checker: assembly written by hand -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Such streams have no positions in a sequential program: of two accesses that
// conflict either may come first, but something must say which.
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/prove/SynchronisationChecker.h"
#include "kiln/isa/assembly.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace kiln::problems::test::unnumbered_test {

using Kind = SyncReport::Kind;

namespace {

std::optional<SyncReport> checkText(const std::string &streams) {
  auto module =
      isa::parseAssembly(".kernel hand\n.target trn2\n" + streams, "hand.kasm");
  if (!module)
    FAIL(module.error().str());
  return checkSynchronisation(*module);
}

std::string fill(const std::string &rest = "") {
  return "  memset dst=sbuf[p0:32, 0x0: f32 64x1], value=1.0" + rest + "\n";
}
std::string copy(const std::string &rest = "") {
  return "  tensor_copy dst=sbuf[p0:32, 0x400: f32 64x1], "
         "src=sbuf[p0:32, 0x0: f32 64x1]" +
         rest + "\n";
}

/// Fills and copies in turn, `fills` and `copies` times.
std::string pingPong(const std::string &fills, const std::string &copies) {
  return ".stream gpsimd\n  loop r0 = 0 to " + fills + " step 1\n" +
         fill(", wait s1>=1, signal s0+=1") + "  end_loop\n" +
         ".stream vector\n  semaphore signal s1+=1\n  loop r0 = 0 to " +
         copies + " step 1\n" + copy(", wait s0>=1, signal s1+=1") +
         "  end_loop\n  semaphore wait s1>=1\n";
}

} // namespace

TEST_CASE("without positions either order of two accesses will do") {
  CHECK_FALSE(checkText(".stream gpsimd\n" + fill(", signal s0+=1") +
                        ".stream vector\n" + copy(", wait s0>=1")));
  CHECK_FALSE(checkText(".stream gpsimd\n" + fill(", wait s0>=1") +
                        ".stream vector\n" + copy(", signal s0+=1")));
  auto report =
      checkText(".stream gpsimd\n" + fill() + ".stream vector\n" + copy());
  REQUIRE(report);
  CHECK(report->kind == Kind::unordered);
}

TEST_CASE("without positions loops belong together by their tokens") {
  CHECK_FALSE(checkText(pingPong("50", "50")));
  // Too long to be played whole.
  CHECK_FALSE(checkText(pingPong("100000000", "100000000")));
  auto report = checkText(pingPong("50", "49"));
  REQUIRE(report);
  CHECK(report->kind == Kind::deadlock);
}

TEST_CASE("the stored programs are sound") {
  for (const char *name : {"collatz", "flash_attention", "matmul", "softmax"}) {
    CAPTURE(name);
    std::ifstream file(fmt::format("{}/{}.kasm", KILN_INPUTS, name));
    std::stringstream text;
    text << file.rdbuf();
    auto module = isa::parseAssembly(text.str(), name);
    REQUIRE(module);
    auto report = checkSynchronisation(*module);
    INFO((report ? report->text : "sound"));
    CHECK_FALSE(report);
  }
}

} // namespace kiln::problems::test::unnumbered_test
