//===- ChunkTest.cpp - Attention behind every number of earlier keys ------===//
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
#include <limits>
#include <string>
#include <vector>

namespace kiln::test::chunk_test {

namespace {

constexpr std::int64_t tokens = 140, kvHeads = 2, headDim = 32;

/// Of the earlier keys, only the first ones hold numbers.
void spoil(std::int64_t prior, std::int64_t used, std::vector<double> &keys) {
  for (std::int64_t head = 0; head < kvHeads; ++head)
    for (std::int64_t key = used; key < prior; ++key)
      for (std::int64_t c = 0; c < headDim; ++c)
        keys[static_cast<std::size_t>(
            (head * (prior + tokens) + key) * headDim + c)] =
            (key + c) % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                               : std::numeric_limits<double>::infinity();
}

void check(const isa::Target &target, const isa::Module &module,
           const program::Program &program, const ParameterValues &parameters,
           std::int64_t prior, std::int64_t used) {
  INFO("prior " << prior << ", used " << used);
  std::uint64_t seedOf = 0;
  auto [inputs, tensors, types] = test::tensorsOf(
      program, [&](const program::Value &value, std::size_t count) {
        std::vector<double> values =
            test::inputs(1, count, test::Distribution::normal, ++seedOf);
        if (value.name == "used")
          values = {static_cast<double>(used)};
        else if (value.name == "k" || value.name == "v")
          spoil(prior, std::max<std::int64_t>(used, 0), values);
        return values;
      });
  std::vector<kernels::ReferenceTensors> expected{std::move(tensors)};
  kernels::computeReference(*kernels::find("prefill_attention"), parameters,
                            expected);
  for (const std::uint64_t seed : {0, 1}) {
    INFO("interleaving " << seed);
    sim::Options order;
    order.interleaveSeed = seed;
    const sim::Result run = sim::run(module, target, inputs, order);
    if (run.fault)
      UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
    REQUIRE(!run.fault);
    REQUIRE(run.outputs.size() == 2);
    for (const sim::TensorData &output : run.outputs) {
      const isa::DType type = types.at(output.name);
      CHECK(kernels::compare(tool::decodeValues(output.bytes, type),
                             expected[0].at(output.name).values, type)
                .withinTolerance);
    }
  }
}

/// Compiled once, for every number of earlier keys.
void checkAll(const char *name, std::int64_t prior, std::int64_t window,
              const std::vector<std::int64_t> &numbers) {
  INFO(name << ", window " << window);
  const isa::Target target = *isa::findTarget(name);
  const ParameterValues parameters{{"heads", "4"},
                                   {"kv_heads", std::to_string(kvHeads)},
                                   {"tokens", std::to_string(tokens)},
                                   {"prior", std::to_string(prior)},
                                   {"head_dim", std::to_string(headDim)},
                                   {"window", std::to_string(window)},
                                   {"sink", "true"},
                                   {"lse", "true"},
                                   {"chunked", "true"}};
  const program::Program program =
      kernels::find("prefill_attention")
          ->record(parameters, {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  const auto compiled = compiler::compile(program, options);
  REQUIRE(compiled.module);
  for (const std::int64_t used : numbers)
    check(target, *compiled.module, program, parameters, prior, used);
}

} // namespace

TEST_CASE("attention of a chunk behind any number of earlier keys", "[small]") {
  // Whole blocks of 512 keys, and a part of one behind them. What is out of
  // range is moved into it.
  if (KILN_CASE_STEP > 1) // Under a sanitizer.
    return checkAll("trn2", 1100, 0, {-1, 513, 9999});
  for (const std::int64_t prior : {1024, 1100})
    for (const char *name : {"trn1", "trn2", "trn3"})
      checkAll(
          name, prior, 0,
          {-1, 0, 1, 127, 511, 512, 513, 1023, 1024, 1025, 1099, 1100, 9999});
}

TEST_CASE("a window behind any number of earlier keys", "[small]") {
  // Its edge is in the chunk, in an earlier block, or at the end of one.
  if (KILN_CASE_STEP > 1)
    return checkAll("trn2", 1100, 514, {600, 1100});
  for (const std::int64_t window : {1, 90, 514, 2000})
    checkAll("trn2", 1100, window, {0, 1, 512, 600, 1024, 1099, 1100});
}

} // namespace kiln::test::chunk_test
