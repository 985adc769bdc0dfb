//===- LengthsTest.cpp - Attention of every length around a boundary ------===//
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

#include <limits>
#include <map>

using namespace kiln;

namespace {

constexpr std::int64_t keys = 1024, block = 256, headDim = 32;

/// Where loops make no trip, one, or two; where a block is full, or has one key
/// more or less; and the same for the rows of a block, which have two keys.
const std::vector<double> lengths{0,   1,   2,   3,   127, 128, 129, 255, 256,
                                  257, 258, 511, 512, 513, 767, 768, 769, 1023};

ParameterValues parameters(bool paged) {
  return {{"batch", std::to_string(lengths.size())},
          {"heads", "4"},
          {"kv_heads", "2"},
          {"head_dim", std::to_string(headDim)},
          {"max_keys", std::to_string(keys)},
          {"block", std::to_string(block)},
          {"paged", paged ? "true" : "false"}};
}

/// Behind its length, the cache of a sequence holds no numbers.
void spoil(std::vector<double> &cache) {
  const std::size_t head = cache.size() / lengths.size() / 2;
  for (std::size_t i = 0; i < cache.size(); ++i)
    if (const std::size_t row = i % head / headDim;
        static_cast<double>(row) >= lengths[i / head / 2])
      cache[i] = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity();
}

void check(const std::string &targetName, bool paged) {
  INFO(targetName << (paged ? ", paged" : ""));
  const isa::Target target = *isa::findTarget(targetName);
  const KernelEntry &kernel = *kernels::find("decode_attention");
  const program::Program program =
      kernel.record(parameters(paged), {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  const auto compiled = compiler::compile(program, options);
  REQUIRE(compiled.module);

  std::uint64_t seedOf = 0;
  auto [inputs, tensors, types] = test::tensorsOf(
      program, [&](const program::Value &value, std::size_t count) {
        std::vector<double> values =
            test::inputs(1, count, test::Distribution::normal, ++seedOf);
        if (value.name == "lengths")
          values = lengths;
        else if (value.name == "table") // Each page once, in another order.
          for (std::size_t i = 0; i < count; ++i)
            values[i] = static_cast<double>(i * 29 % count);
        else if (value.name.ends_with("cache") && !paged)
          spoil(values);
        return values;
      });
  std::vector<kernels::ReferenceTensors> expected{std::move(tensors)};
  kernels::computeReference(kernel, parameters(paged), expected);
  for (const std::uint64_t seed : {0, 1, 2}) {
    INFO("interleaving " << seed);
    sim::Options order;
    order.interleaveSeed = seed;
    const sim::Result run = sim::run(*compiled.module, target, inputs, order);
    if (run.fault)
      UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
    REQUIRE(!run.fault);
    for (const sim::TensorData &output : run.outputs) {
      const isa::DType type = types.at(output.name);
      if (output.name == "o") // The caches hold what is no number.
        CHECK(kernels::compare(tool::decodeValues(output.bytes, type),
                               expected[0].at(output.name).values, type)
                  .withinTolerance);
    }
  }
}

} // namespace

TEST_CASE("decode attention of every length around a boundary", "[small]") {
  for (const char *target : {"trn2", "trn3"})
    for (const bool paged : {false, true})
      check(target, paged);
}
