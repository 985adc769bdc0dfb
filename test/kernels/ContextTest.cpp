//===- ContextTest.cpp - Attention to keys that ranks or cores share ------===//
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
#include "kiln/sim/launch.h"
#include "kiln/tool/float_format.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kiln::test::context_test {

namespace {

constexpr std::int64_t keys = 512, kvHeads = 2, headDim = 32;

using Lengths = std::vector<double>; ///< One for each sequence.

/// Behind its length, the contiguous cache of a sequence holds no numbers.
void spoil(const Lengths &lengths, std::vector<double> &cache) {
  for (std::size_t b = 0; b < lengths.size(); ++b)
    for (std::int64_t head = 0; head < kvHeads; ++head)
      for (auto key = static_cast<std::int64_t>(lengths[b]); key < keys; ++key)
        for (std::int64_t c = 0; c < headDim; ++c)
          cache[static_cast<std::size_t>(
              ((static_cast<std::int64_t>(b) * kvHeads + head) * keys + key) *
                  headDim +
              c)] = (key + c) % 2 == 0
                        ? std::numeric_limits<double>::quiet_NaN()
                        : std::numeric_limits<double>::infinity();
}

/// Queries and what is new are the same on all ranks. Rank b % ranks keeps the
/// new token of sequence b.
test::KernelTensors tensorsOf(const program::Program &program, std::size_t rank,
                              const std::vector<Lengths> &lengths) {
  std::uint64_t seedOf = 0;
  return test::tensorsOf(
      program, [&](const program::Value &value, std::size_t count) {
        const bool isCache = value.name.ends_with("cache");
        std::vector<double> values =
            test::inputs(1, count, test::Distribution::normal,
                         ++seedOf + (isCache ? 100 * (rank + 1) : 0));
        if (value.name == "lengths")
          values = lengths[rank];
        else if (value.name == "slots")
          for (std::size_t b = 0; b < count; ++b)
            values[b] = b % lengths.size() == rank ? lengths[rank][b] : -1;
        else if (isCache)
          spoil(lengths[rank], values);
        return values;
      });
}

/// One rank with two cores, or several ranks.
void check(const std::string &targetName, const std::vector<Lengths> &lengths) {
  INFO(targetName << ", " << lengths.size() << " ranks");
  const isa::Target target = *isa::findTarget(targetName);
  const bool isDivided = lengths.size() > 1;
  const KernelEntry &kernel = *kernels::find(
      isDivided ? "context_parallel_decode" : "decode_attention");
  ParameterValues parameters{{"batch", std::to_string(lengths[0].size())},
                             {"heads", "4"},
                             {"kv_heads", std::to_string(kvHeads)},
                             {"head_dim", std::to_string(headDim)},
                             {"max_keys", std::to_string(keys)},
                             {"block", "128"}};
  if (isDivided)
    parameters["group"] = std::to_string(lengths.size());
  const std::uint32_t cores = isDivided ? 1 : 2;
  std::vector<isa::Module> modules;
  program::Program program;
  for (std::uint32_t core = 0; core < cores; ++core) {
    program = kernel.record(parameters, {core, cores, target.generation});
    compiler::CompileOptions options;
    options.target = target;
    const auto compiled = compiler::compile(program, options);
    REQUIRE(compiled.module);
    modules.push_back(*compiled.module);
  }

  sim::Launch launch;
  std::vector<std::vector<sim::TensorData>> inputs;
  launch.modules = modules;
  launch.ranks = static_cast<unsigned>(lengths.size());
  std::vector<kernels::ReferenceTensors> expected;
  std::map<std::string, isa::DType> types;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    test::KernelTensors own = tensorsOf(program, rank, lengths);
    inputs.push_back(std::move(own.inputs));
    expected.push_back(std::move(own.expected));
    types = std::move(own.types);
  }
  kernels::computeReference(kernel, parameters, expected);
  for (const auto &own : inputs)
    launch.inputsOfRank.push_back(own);
  const sim::LaunchResult run = sim::runLaunch(launch, target, {});
  if (run.fault)
    UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
  REQUIRE(!run.fault);
  std::vector<double> result;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    for (const sim::TensorData &output : run.outputs[rank])
      if (output.name == "o") { // The caches hold what is no number.
        const isa::DType type = types.at(output.name);
        const std::vector<double> values =
            tool::decodeValues(output.bytes, type);
        CHECK(kernels::compare(values, expected[rank].at("o").values, type)
                  .withinTolerance);
        if (rank == 0)
          result = values;
        CHECK(values == result); // The same on all ranks.
      }
}

} // namespace

TEST_CASE("keys that ranks share, and ranks without keys", "[small]") {
  // By rank: all keys, none, or some; around blocks and steps; a sequence
  // without any key, whose result is the value of the new token.
  for (const std::string target : {"trn1", "trn2", "trn3"}) {
    check(target, {{511, 0, 0, 128, 1, 300}, {0, 511, 0, 127, 129, 0}});
    check(target, {{0, 0, 0}, {256, 511, 0}, {0, 0, 0}, {1, 511, 0}});
    check(target, {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {7}});
  }
}

TEST_CASE("steps that two cores share", "[small]") {
  // A step has 128 keys: none, and ends in a step of either core.
  for (const std::string target : {"trn2", "trn3"})
    check(target, {{0, 1, 127, 128, 129, 255, 256, 257, 383, 384, 385, 511}});
}

} // namespace kiln::test::context_test
