//===- line_diff_test.cpp - What differs between two texts ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/tool/line_diff.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <vector>

using kiln::tool::diffOfIr;
using kiln::tool::LineDiff;

namespace {

using Lines = std::vector<std::string>;

std::string textOf(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

Lines linesOf(const std::string &text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

/// `before` with the stretches of the difference put in; checks what it says
/// of the lines that stay.
Lines patched(const Lines &before, const LineDiff &diff) {
  Lines after;
  std::size_t at = 0; // In `before`.
  for (const std::string &line : linesOf(diff.text)) {
    if (line.starts_with("@@ ")) {
      const std::size_t to = std::stoul(line.substr(3)) - 1;
      while (after.size() < to)
        after.push_back(before.at(at++));
    } else if (line[0] == '-') {
      REQUIRE(before.at(at++) == line.substr(1));
    } else if (line[0] == '+') {
      after.push_back(line.substr(1));
    } else {
      REQUIRE(before.at(at++) == line.substr(1));
      after.push_back(line.substr(1));
    }
  }
  while (at < before.size())
    after.push_back(before[at++]);
  return after;
}

/// The length of the longest common subsequence, by the table.
std::size_t common(const Lines &a, const Lines &b) {
  std::vector<std::vector<std::size_t>> best(
      a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      best[i + 1][j + 1] = a[i] == b[j]
                               ? best[i][j] + 1
                               : std::max(best[i][j + 1], best[i + 1][j]);
  return best[a.size()][b.size()];
}

} // namespace

TEST_CASE("texts that are alike do not differ") {
  CHECK(diffOfIr("", "").text.empty());
  CHECK(diffOfIr("a\nb\n", "a\nb\n").text.empty());
}

TEST_CASE("names of values and depths do not count") {
  const LineDiff diff =
      diffOfIr("func {\n  %0 = add %arg0, %c1_2\n  use %0\n}\n",
               "func {\n  loop {\n    %1 = add %arg1, %c1\n    use %1#0\n"
               "  }\n}\n");
  CHECK(diff.added == 2);
  CHECK(diff.removed == 0);
  CHECK(diff.text == "@@ 1 @@\n func {\n+  loop {\n     %1 = add %arg1, %c1\n"
                     "     use %1#0\n+  }\n }\n");
}

TEST_CASE("stretches that lie apart have heads of their own") {
  Lines before, after;
  for (int i = 0; i < 20; ++i)
    before.push_back("line " + std::to_string(i));
  after = before;
  after[2] = "other";
  after.erase(after.begin() + 15);
  const LineDiff diff = diffOfIr(textOf(before), textOf(after));
  CHECK(diff.text == "@@ 1 @@\n line 0\n line 1\n-line 2\n+other\n line 3\n"
                     " line 4\n@@ 14 @@\n line 13\n line 14\n-line 15\n"
                     " line 16\n line 17\n");
  CHECK(diff.added == 1);
  CHECK(diff.removed == 2);
}

TEST_CASE("the difference leads from one text to the other, and is short") {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    const auto draw = [&](unsigned n) { return random() % n; };
    const auto any = [&] {
      Lines lines(draw(30));
      for (std::string &line : lines)
        line = std::string(1, static_cast<char>('a' + draw(5)));
      return lines;
    };
    const Lines before = any(), after = any();
    const LineDiff diff = diffOfIr(textOf(before), textOf(after));
    REQUIRE(patched(before, diff) == after);
    const std::size_t same = common(before, after);
    REQUIRE(diff.removed == before.size() - same);
    REQUIRE(diff.added == after.size() - same);
  }
}

TEST_CASE("texts with nothing in common are replaced") {
  Lines before, after;
  for (int i = 0; i < 5000; ++i) {
    before.push_back("a" + std::to_string(i));
    after.push_back("b" + std::to_string(i));
  }
  const LineDiff diff = diffOfIr(textOf(before), textOf(after));
  CHECK(diff.added == 5000);
  CHECK(diff.removed == 5000);
  CHECK(patched(before, diff) == after);
}
