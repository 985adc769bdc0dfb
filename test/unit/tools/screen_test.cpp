//===- screen_test.cpp - Text as a terminal shows it ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Screen.h"

#include "catch.h"

#include <regex>

using namespace kiln::tool;

namespace {

const std::string text =
    "softmax on trn2\n"
    "  makespan        1.30 us\n"
    "\n"
    "  what would save most\n"
    "    41.9 %  544.26 us  transfers that fill few partitions (one-row-dma)\n"
    "            640 transfers fill at most 32 of 128 partitions\n"
    "\n"
    "  engine         busy\n"
    "  vector      1.00 us   76.9 %\n"
    "\n"
    "  activation                     32\n";

std::string withoutColours(const std::string &shown) {
  return std::regex_replace(shown, std::regex("\033\\[[0-9;]*m"), "");
}

} // namespace

TEST_CASE("a file gets the text as it is") { CHECK(shownOn({}, text) == text); }

TEST_CASE("colours change no character") {
  const std::string shown = shownOn({true, 0}, text);
  CHECK(withoutColours(shown) == text);
  for (const char *part :
       {"\033[1msoftmax on trn2\033[0m\n",
        "\033[36m  what would save most\033[0m\n",
        "\033[1;31m    41.9 %\033[0m\033[1m  544.26 us  transfers that",
        "\n            640 transfers", "\033[36m  engine         busy\033[0m\n",
        "\n  vector      1.00 us   76.9 %\n",
        "\n  activation                     32\n"}) {
    INFO(part);
    CHECK(shown.find(part) != std::string::npos);
  }
}

TEST_CASE("no line is longer than the screen, and no word of a card is lost") {
  for (const std::size_t columns : {1, 2, 3, 24, 30, 47, 60, 80}) {
    INFO(columns);
    const std::string shown = withoutColours(shownOn({true, columns}, text));
    std::size_t length = 0, longest = 0;
    for (const char c : shown)
      longest = std::max(longest, length = c == '\n' ? 0 : length + 1);
    CHECK(longest <= columns);
    if (columns < 24)
      continue;
    const std::string words =
        std::regex_replace(shown, std::regex("\\s+"), " ");
    CHECK(words.find("640 transfers fill at most 32 of 128 partitions ") !=
          std::string::npos);
  }
  CHECK(shownOn({false, 40}, text).find("  transfers that ..\n") !=
        std::string::npos);
}

TEST_CASE("a text goes on in the next line, and keeps its words") {
  const std::string page = "  dst        writes sbuf[p0:128, 0x0]: 16 bytes\n"
                           "\n"
                           "anInstructionWithoutASpaceThatIsLongerThanAll of\n"
                           "a µ counts once: µµµµµµµµµµµ µµµµµµµµ\n";
  CHECK(wrappedOn({}, page) == page);
  const auto wordsOf = [](const std::string &text) {
    return std::regex_replace(text, std::regex("\\s+"), " ");
  };
  for (const std::size_t columns : {1, 2, 5, 24, 38, 60}) {
    INFO(columns);
    CHECK(wordsOf(wrappedOn({false, columns}, page)) == wordsOf(page));
  }
  CHECK(wrappedOn({false, 24}, page) ==
        "  dst        writes\n"
        "      sbuf[p0:128, 0x0]:\n"
        "      16 bytes\n"
        "\n"
        "anInstructionWithoutASpaceThatIsLongerThanAll\n"
        "    of\n"
        "a µ counts once:\n"
        "    µµµµµµµµµµµ µµµµµµµµ\n");
  // One line as it is: its 38 characters have more bytes.
  CHECK(wrappedOn({false, 38}, page).find("once: µµµµµµµµµµµ µµµµµµµµ\n") !=
        std::string::npos);
}
