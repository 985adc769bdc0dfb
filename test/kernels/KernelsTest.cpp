//===- KernelsTest.cpp - Compiled kernels against plain loops -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records, compiles, executes with all checks on, and compares with the
// double-precision reference: every case that a kernel's folder declares. Tag
// [real] marks the sizes of real models.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "KernelTensors.h"
#include "catch.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/kernels/reference.h"
#include "kiln/kernels/tolerance.h"
#include "kiln/sim/launch.h"
#include "kiln/tool/float_format.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

namespace kiln::test::kernels_test {

using test::Case;

namespace {

/// One module per core.
std::vector<isa::Module> compileCores(const Case &wanted,
                                      program::Program &program) {
  std::vector<isa::Module> modules;
  for (std::uint32_t core = 0; core < wanted.cores; ++core) {
    program = kernels::find(wanted.kernel)
                  ->record(wanted.parameters,
                           {core, wanted.cores,
                            isa::findTarget(wanted.target)->generation});
    compiler::CompileOptions options;
    options.target = *isa::findTarget(wanted.target);
    const auto compiled = compiler::compile(program, options);
    for (const auto &diagnostic : compiled.diagnostics)
      UNSCOPED_INFO(diagnostic.str());
    REQUIRE(compiled.module);
    modules.push_back(*compiled.module);
  }
  REQUIRE(!isa::checkCores(modules));
  REQUIRE(!isa::checkMeetings(modules));
  return modules;
}

void check(const Case &wanted) {
  INFO(wanted.text);
  const isa::Target target = *isa::findTarget(wanted.target);
  program::Program program;
  const std::vector<isa::Module> modules = compileCores(wanted, program);

  std::vector<std::vector<sim::TensorData>> inputs;
  std::vector<kernels::ReferenceTensors> expected;
  std::map<std::string, isa::DType> types;
  for (unsigned rank = 0; rank < wanted.ranks; ++rank) {
    bool hasChosen = false;
    std::uint64_t seed = rank * 16;
    const auto valuesOf = [&](const program::Value &value, std::size_t count) {
      const auto rows = static_cast<std::size_t>(
          std::accumulate(value.shape.begin(), value.shape.end() - 1,
                          std::int64_t{1}, std::multiplies<>()));
      const bool isChosen = !hasChosen && isa::isFloat(value.dtype);
      hasChosen |= isChosen;
      return test::inputs(
          rows, count / rows,
          isChosen ? wanted.distribution : test::Distribution::normal, ++seed);
    };
    test::KernelTensors own = test::tensorsOf(program, valuesOf);
    inputs.push_back(std::move(own.inputs));
    expected.push_back(std::move(own.expected));
    types = std::move(own.types);
  }
  kernels::computeReference(*kernels::find(wanted.kernel), wanted.parameters,
                            expected);

  sim::Launch launch;
  launch.modules = modules;
  launch.ranks = wanted.ranks;
  for (const auto &own : inputs)
    launch.inputsOfRank.push_back(own);
  const sim::LaunchResult run = sim::runLaunch(launch, target, {});
  if (run.fault)
    UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
  REQUIRE(!run.fault);
  // A loop whose first step is made ahead may make no trip: results in vain
  // (KILN-X061) are no fault here.
  for (const sim::Fault &remark : run.remarks)
    if (remark.code != "KILN-X061")
      FAIL_CHECK(remark.code << " " << remark.text);
  REQUIRE(run.outputs.size() == wanted.ranks);
  for (unsigned rank = 0; rank < wanted.ranks; ++rank)
    for (const sim::TensorData &output : run.outputs[rank]) {
      const isa::DType dtype = types.at(output.name);
      const kernels::Comparison comparison =
          kernels::compare(tool::decodeValues(output.bytes, dtype),
                           expected[rank].at(output.name).values, dtype);
      INFO("rank " << rank << ", " << output.name << ": scaled error "
                   << comparison.scaledMaximum << ", l2 "
                   << comparison.relativeL2);
      if (wanted.tolerance == 1) {
        CHECK(comparison.withinTolerance);
        continue;
      }
      CHECK(comparison.notFinite.count + comparison.finite.count +
                comparison.otherSpecial.count ==
            0);
      const kernels::Tolerance allowed = kernels::toleranceOf(dtype);
      CHECK(comparison.scaledMaximum <=
            wanted.tolerance * allowed.scaledMaximum);
      CHECK(comparison.relativeL2 <= wanted.tolerance * allowed.relativeL2);
    }
}

} // namespace

TEST_CASE("library kernels", "[small]") {
  const std::vector<Case> cases = test::casesOf(test::CaseKind::small);
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (i % KILN_CASE_STEP == 0 || cases[i].kernel != cases[i - 1].kernel)
      check(cases[i]);
}

TEST_CASE("library kernels at real sizes", "[real]") {
  for (const Case &wanted : test::casesOf(test::CaseKind::real))
    check(wanted);
}

TEST_CASE("a case that makes no sense is refused with its line", "[small]") {
  const std::string path = "wrong_cases.txt";
  for (const auto &[line, words] :
       std::vector<std::pair<std::string, std::string>>{
           {"tiny --rows=1",
            "small, real, exact, source, measured, timed, nightly or parts"},
           {"small rows", "not NAME=VALUE"},
           {"small rows=1", "no word 'rows'"},
           {"small inputs=odd", "no inputs 'odd'"},
           {"# nothing", "no cases"}}) {
    std::ofstream(path) << "# A comment.\n" << line << "\n";
    CHECK_THROWS_WITH(test::readCases("x", path), Catch::Contains(words));
  }
  std::filesystem::remove(path);
}

} // namespace kiln::test::kernels_test
