//===- DiagnosticTest.cpp - Texts that say what they compare --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/diagnostic.h"
#include "catch.h"
#include "kiln/isa/noun.h"

using namespace kiln::isa;

TEST_CASE("marks go, and what they enclose is there by itself") {
  const MarkedText both("'x' has <|7|> rows, expected [|1 to 4|] rows");
  CHECK(both.text == "'x' has 7 rows, expected 1 to 4 rows");
  CHECK(both.found == "7");
  CHECK(both.allowed == "1 to 4");

  const MarkedText swapped("takes [|[P, 1]|], found <|[3, 4]|>");
  CHECK(swapped.text == "takes [P, 1], found [3, 4]");
  CHECK(swapped.found == "[3, 4]");
  CHECK(swapped.allowed == "[P, 1]");
}

TEST_CASE("the first of several parts is told, and all lose their marks") {
  const MarkedText twice("<|1|> and <|2|> of [|3|] and [|4|]");
  CHECK(twice.text == "1 and 2 of 3 and 4");
  CHECK(twice.found == "1");
  CHECK(twice.allowed == "3");
}

TEST_CASE("text without marks, or with half of one, stays as it is") {
  for (const char *text : {"", "a < b | c > d", "<|3", "3|>", "[|4", "4|]",
                           "<3>", "|>3<|", "[<3>]"}) {
    INFO(text);
    const MarkedText plain(text);
    CHECK(plain.text == text);
    CHECK(plain.found.empty());
    CHECK(plain.allowed.empty());
  }
  const MarkedText empty("<||> and [||]");
  CHECK(empty.text == " and ");
  CHECK(empty.found.empty());
}

TEST_CASE("an error and a warning say so, with place and caret") {
  Diagnostic told = makeError("KILN-I001", "dst has <|5|> of [|4|]");
  CHECK(told.str() == "error: dst has 5 of 4 [KILN-I001]");
  told.severity = Severity::warning;
  told.file = "a.kasm";
  told.line = 3;
  told.column = 2;
  told.excerpt = "xy";
  CHECK(told.str() ==
        "a.kasm:3:2: warning: dst has 5 of 4 [KILN-I001]\n  xy\n   ^");
}

TEST_CASE("a noun and its verb agree with their number") {
  CHECK(counted(0, "wait") == "0 waits");
  CHECK(counted(1, "wait") == "1 wait");
  CHECK(counted(2U, "copy", "copies") == "2 copies");
  CHECK(noun(1, " fits", " fit") == " fits");
  CHECK(noun(3, " fits", " fit") == " fit");
}
