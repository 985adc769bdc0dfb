//===- MutationTest.cpp - Damaged files and texts -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checksum refuses nearly every damaged file, so half of the mutations
// repair it: then the readers behind it must hold by themselves.
//
//===----------------------------------------------------------------------===//

#include "Checksum.h"
#include "Samples.h"

#include "catch.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"

#include <set>

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

/// Changes, inserts, removes or repeats a few bytes.
template <class Bytes> void mutate(Bytes &bytes, Random &random) {
  using Byte = typename Bytes::value_type;
  for (std::uint64_t edits = 1 + below(random, 4); edits > 0; --edits) {
    if (bytes.empty())
      return;
    auto at = bytes.begin() +
              static_cast<std::ptrdiff_t>(below(random, bytes.size()));
    auto some = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(
        1 + below(random, 8), static_cast<std::uint64_t>(bytes.end() - at)));
    switch (below(random, 6)) {
    case 0:
      *at = static_cast<Byte>(random());
      break;
    case 1:
      *at = static_cast<Byte>(*at ^ (1 << below(random, 8)));
      break;
    case 2: // Numbers at their limits.
      std::fill(at, at + some, static_cast<Byte>(below(random, 2) ? 0xff : 0));
      break;
    case 3:
      bytes.erase(at, at + some);
      break;
    case 4: {
      Bytes piece(at, at + some);
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(
                                       below(random, bytes.size() + 1)),
                   piece.begin(), piece.end());
      break;
    }
    default: { // Bytes of another place: plausible values.
      auto from = bytes.begin() +
                  static_cast<std::ptrdiff_t>(below(random, bytes.size()));
      *at = *from;
    }
    }
  }
}

} // namespace

TEST_CASE("damaged files are refused, or they are good") {
  Random random(5);
  const std::vector<std::uint8_t> original = writeKbin(exampleModule());
  int accepted = 0, refused = 0, behindChecksum = 0;
  std::set<std::string> codes;
  for (int round = 0; round < 24000; ++round) {
    std::vector<std::uint8_t> file = original;
    mutate(file, random);
    if (round % 2)
      repairChecksum(file);
    Expected<Module> read = readKbin(file);
    if (!read) {
      ++refused;
      codes.insert(read.error().code);
      behindChecksum +=
          read.error().code != "KILN-I052" && read.error().code != "KILN-I050";
      continue;
    }
    ++accepted;
    REQUIRE_FALSE(checkModule(*read));
    REQUIRE(readKbin(writeKbin(*read)));
  }
  // The repaired half must reach the decoders, and some edits harm nothing.
  CHECK(codes.contains("KILN-I053"));
  CHECK(codes.contains("KILN-I054"));
  CHECK(behindChecksum > 2000);
  CHECK(accepted > 100);
  CHECK(refused > 10000);
}

TEST_CASE("damaged assembly is refused, or it prints and parses again") {
  Random random(6);
  const std::string original = printAssembly(exampleModule());
  int accepted = 0, refused = 0;
  for (int round = 0; round < 24000; ++round) {
    std::string text = original;
    mutate(text, random);
    Expected<Module> parsed = parseAssembly(text, "m.kasm");
    if (!parsed) {
      ++refused;
      REQUIRE(parsed.error().line >= 1);
      REQUIRE(parsed.error().column >= 1);
      continue;
    }
    ++accepted;
    (void)checkModule(*parsed);
    std::string printed = printAssembly(*parsed);
    Expected<Module> again = parseAssembly(printed, "again.kasm");
    REQUIRE(again);
    REQUIRE(printAssembly(*again) == printed);
  }
  CHECK(accepted > 500);
  CHECK(refused > 5000);
}
