//===- attempt.cpp - A pipeline that goes on from where attempts differ ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pipeline/Attempt.h"

#include "catch.h"
#include "kiln/isa/container.h"
#include "kiln/kernels/library.h"
#include "kiln/record.h"

using namespace kiln;
using namespace kiln::compiler;

namespace {

/// Causal attention in f32 that fits if fewer of its loads run ahead.
program::Program attention(const isa::Target &target, const char *length) {
  const auto &all = kernels::library();
  const auto kernel = std::find_if(all.begin(), all.end(), [](const auto *one) {
    return one->name == "flash_attention";
  });
  REQUIRE(kernel != all.end());
  return (*kernel)->record({{"seq-q", length},
                            {"seq-k", length},
                            {"causal", "true"},
                            {"dtype", "f32"}},
                           {0, 1, target.generation});
}

std::vector<PipelineStep> stepsWith(unsigned aheadPercent) {
  PipelineChoices choices;
  choices.aheadPercent = aheadPercent;
  return pipelineSteps(choices);
}

template <class List, class Text>
std::string joined(const List &list, Text textOf) {
  std::string text;
  for (const auto &one : list)
    text += textOf(one) + "\n";
  return text;
}

std::string stagesOf(const CompileResult &result) {
  return joined(result.stages, [](const StageTime &one) { return one.name; });
}

void requireSame(const CompileResult &a, const CompileResult &b) {
  REQUIRE(a.ok() == b.ok());
  REQUIRE(a.module.has_value() == b.module.has_value());
  if (a.module)
    CHECK(isa::writeKbin(*a.module) == isa::writeKbin(*b.module));
  const auto textOf = [](const CompileRemark &one) {
    return one.str() + std::to_string(one.times);
  };
  CHECK(joined(a.remarks, textOf) == joined(b.remarks, textOf));
  CHECK(stagesOf(a) == stagesOf(b));
  CHECK(joined(a.passes, [](const PassIr &one) { return one.text; }) ==
        joined(b.passes, [](const PassIr &one) { return one.text; }));
  CHECK(a.decisions.loops.size() == b.decisions.loops.size());
}

} // namespace

TEST_CASE("an attempt that goes on gives what a whole one gives") {
  CompileOptions options;
  options.target = isa::trn1;
  options.keepRemarks = options.keepDecisions = options.keepPasses = true;
  const program::Program program = attention(options.target, "10240");
  Attempt first(program, options);
  REQUIRE_FALSE(first.mayRunAgain());
  const CompileResult usual = first.run(stepsWith(75));
  REQUIRE_FALSE(usual.ok());
  REQUIRE(usual.diagnostics.back().code == "KILN-C101");
  REQUIRE(first.mayRunAgain());
  // The same again fails again, and leaves no trace.
  requireSame(first.runAgain(stepsWith(75)), usual);
  unsigned fits = 0;
  for (const unsigned percent : {25u, 0u}) {
    CAPTURE(percent);
    if (!first.mayRunAgain())
      break;
    const CompileResult whole =
        Attempt(program, options).run(stepsWith(percent));
    requireSame(first.runAgain(stepsWith(percent)), whole);
    fits += whole.ok() ? 1 : 0;
  }
  CHECK(fits == 1);
  CHECK_FALSE(first.mayRunAgain());

  const CompileResult all = compile(program, options);
  REQUIRE(all.ok());
  CHECK(all.stages.back().name == "other attempts");
  CHECK(all.stages.back().seconds > 0);
}

TEST_CASE("what fits at once is tried once") {
  CompileOptions options;
  options.target = isa::trn1;
  const program::Program program = attention(options.target, "1024");
  const CompileResult result = compile(program, options);
  REQUIRE(result.ok());
  CHECK(result.stages.back().name == "emission");
}
