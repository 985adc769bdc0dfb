//===- sha256_test.cpp - Names for contents -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/failure.h"
#include "kiln/tool/sha256.h"
#include "kiln/tool/subprocess.h"

#include "catch.h"

using namespace kiln::tool;

TEST_CASE("SHA-256 of the standard's examples") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb924"
                      "27ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223"
                         "b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("fields do not run together") {
  Sha256 a, b;
  a.field("ab");
  a.field("c");
  b.field("a");
  b.field("bc");
  CHECK(a.finish() != b.finish());
}

TEST_CASE("a process gives its output and its end") {
  ProcessResult result =
      runProcess({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(result.exitCode == 3);
  CHECK(result.output == "out\nerr\n");
  CHECK(runProcess({"sh", "-c", "kill -TERM $$"}).exitCode == 128 + 15);
  CHECK_THROWS_AS(runProcess({"no-such-program-anywhere"}), Failure);
}
