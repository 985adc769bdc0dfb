//===- PackedTest.cpp - Attention of several sequences in one batch -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTensors.h"
#include "catch.h"
#include "inputs.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/kernels/reference.h"
#include "kiln/kernels/tolerance.h"
#include "kiln/record_parameters.h"
#include "kiln/sim/executor.h"
#include "kiln/tool/float_format.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::test::packed_test {

namespace {

/// The number of the sequence of each key: number[i] from places[i] on.
std::vector<double> sequences(std::size_t keys,
                              const std::vector<std::size_t> &places,
                              const std::vector<double> &numbers) {
  std::vector<double> result(keys);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t key = places[i]; key < keys; ++key)
      result[key] = numbers[i];
  return result;
}

/// Returns how many instructions it executes.
std::uint64_t check(const std::string &targetName, ParameterValues parameters,
                    const std::vector<double> &sequence) {
  const isa::Target target = *isa::findTarget(targetName);
  const KernelEntry &kernel = *kernels::find("prefill_attention");
  parameters["packed"] = "true";
  parameters["head_dim"] = "16";
  const program::Program program =
      kernel.record(parameters, {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  const auto compiled = compiler::compile(program, options);
  REQUIRE(compiled.module);
  std::uint64_t seedOf = 0;
  auto [inputs, tensors, types] = test::tensorsOf(
      program, [&](const program::Value &value, std::size_t count) {
        return value.name == "sequence"
                   ? sequence
                   : test::inputs(1, count, test::Distribution::normal,
                                  ++seedOf);
      });
  std::vector<kernels::ReferenceTensors> expected{std::move(tensors)};
  kernels::computeReference(kernel, parameters, expected);
  const sim::Execution run = sim::execute(*compiled.module, target, inputs, {});
  if (run.fault)
    UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
  REQUIRE(!run.fault);
  for (const sim::TensorData &output : run.outputs) {
    const isa::DType type = types.at(output.name);
    CHECK(kernels::compare(tool::decodeValues(output.bytes, type),
                           expected[0].at(output.name).values, type)
              .withinTolerance);
  }
  return run.steps;
}

} // namespace

TEST_CASE("blocks of other sequences are skipped", "[small]") {
  // Sequences that begin within blocks of 512 keys and at their ends; numbers
  // that rise, fall, and come back.
  const std::vector<std::size_t> places{0, 100, 512, 513, 1023, 1536};
  for (const std::string target : {"trn1", "trn2", "trn3"})
    for (const std::string causal : {"true", "false"}) {
      INFO(target << ", causal=" << causal);
      const ParameterValues parameters{{"tokens", "1500"},
                                       {"prior", "200"},
                                       {"lse", "true"},
                                       {"causal", causal}};
      check(target, parameters, sequences(1700, places, {0, 1, 2, 3, 4, 5}));
      if (KILN_CASE_STEP > 1) // Under a sanitizer.
        return;
      check(target, parameters, sequences(1700, places, {9, 7, 5, 4, 2, 0}));
      check(target, parameters, sequences(1700, places, {3, 1, 3, 2, 1, 3}));
    }
  const ParameterValues longer{{"tokens", "2048"}, {"causal", "false"}};
  const std::uint64_t whole = check("trn2", longer, sequences(2048, {0}, {1}));
  const std::uint64_t divided = check(
      "trn2", longer, sequences(2048, {0, 512, 1024, 1536}, {1, 2, 3, 4}));
  CHECK(5 * divided < 3 * whole);
}

} // namespace kiln::test::packed_test
