//===- whole_runs_test.cpp - Compiled kernels on each version -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every binary of the directory KILN_TEST_BINARIES with each version of
// the row loops forced, on one and two threads: the outputs are the same bytes.
//
//===----------------------------------------------------------------------===//

#include "../SomeInputs.h"
#include "Versions.h"
#include "kiln/isa/container.h"
#include "kiln/isa/target.h"
#include "kiln/sim/executor.h"

#include "catch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

using namespace kiln;

namespace {

std::vector<std::filesystem::path> binaries() {
  const char *directory = std::getenv("KILN_TEST_BINARIES");
  std::vector<std::filesystem::path> result;
  std::error_code none; // A directory that is missing holds no files.
  if (directory)
    for (const auto &entry :
         std::filesystem::directory_iterator(directory, none))
      if (entry.path().extension() == ".kbin")
        result.push_back(entry.path());
  if (result.empty())
    FAIL("no compiled kernels: "
         << (directory ? "there is no .kbin file in "
                       : "KILN_TEST_BINARIES does not name their directory")
         << (directory ? directory : "")
         << "\n`ctest --preset release -R sim-hosts` compiles them and runs "
            "this program on them");
  std::sort(result.begin(), result.end());
  return result;
}

isa::Module moduleOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file),
                                        std::istreambuf_iterator<char>()};
  auto module = isa::readKbin(bytes);
  INFO(path.string() << (module ? "" : ": " + module.error().str()));
  REQUIRE(module);
  return *std::move(module);
}

} // namespace

TEST_CASE("whole runs give the same bits on all versions of the row loops") {
  const auto files = binaries();
  for (const auto &path : files) {
    const isa::Module module = moduleOf(path);
    const auto inputs = sim::test::someInputs(module, 7);
    for (const bool special : {false, true}) {
      sim::Options options;
      options.numerics.saturate = special;
      options.numerics.stochasticRounding = special;
      options.numerics.roundingSeed = 11;
      options.numerics.flushSubnormals = special;
      const auto outputsOf = [&](const sim::Kernels *version,
                                 unsigned threads) {
        const sim::Forced forced(version);
        options.threads = threads;
        sim::Execution run = sim::execute(
            module, isa::target(module.generation), inputs, options);
        INFO((run.fault ? run.fault->text : "no fault"));
        REQUIRE_FALSE(run.fault);
        return std::move(run.outputs);
      };
      const auto expected = outputsOf(sim::allKernels()[0], 1);
      REQUIRE_FALSE(expected.empty());
      for (const sim::Kernels *version : sim::versionsUnderTest())
        for (const unsigned threads : {1u, 2u}) {
          CAPTURE(path.filename().string(), std::string(version->name), threads,
                  special);
          const auto found = outputsOf(version, threads);
          REQUIRE(found.size() == expected.size());
          for (std::size_t i = 0; i < found.size(); ++i)
            CHECK((found[i].bytes == expected[i].bytes));
        }
    }
  }
}
