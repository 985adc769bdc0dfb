//===- OverflowTest.cpp - Norms of rows whose squares overflow f32 --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scale from the largest magnitude of a row would take another pass over it,
// so that such a row becomes 0, never NaN, and the others are right.
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
#include "kiln/record.h"
#include "kiln/record_parameters.h"
#include "kiln/sim/executor.h"
#include "kiln/tool/float_format.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace kiln;

namespace {

constexpr std::size_t rows = 5, cols = 96, hot = 3;

/// Is element i of x, or of y, in the row (in norm_columns: the column)?
bool isHot(const std::string &kernel, std::size_t i) {
  return kernel == "norm_columns" ? i % rows == hot : i / cols == hot;
}

void check(const std::string &kernel, ParameterValues parameters) {
  INFO(kernel);
  const isa::Target target = *isa::findTarget("trn2");
  const program::Program program =
      kernels::find(kernel)->record(parameters, {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  const auto compiled = compiler::compile(program, options);
  REQUIRE(compiled.module);
  std::uint64_t seedOf = 0;
  auto [inputs, tensors, types] = test::tensorsOf(
      program, [&](const program::Value &value, std::size_t count) {
        std::vector<double> values =
            test::inputs(1, count, test::Distribution::normal, ++seedOf);
        for (std::size_t i = 0; i < count; ++i)
          if (value.name == "beta")
            values[i] = 0;
          else if (value.name == "x" && isHot(kernel, i))
            values[i] = i % 2 == 0 ? 0x1p66 : -0x1p67;
        return values;
      });
  std::vector<kernels::ReferenceTensors> expected{std::move(tensors)};
  kernels::computeReference(*kernels::find(kernel), parameters, expected);
  std::vector<double> &y = expected[0].at("y").values;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (isHot(kernel, i))
      y[i] = 0;
  const sim::Result run = sim::run(*compiled.module, target, inputs, {});
  REQUIRE(!run.fault);
  for (const sim::TensorData &output : run.outputs)
    if (output.name == "y") {
      const isa::DType type = types.at(output.name);
      CHECK(kernels::compare(tool::decodeValues(output.bytes, type), y, type)
                .withinTolerance);
    }
}

} // namespace

TEST_CASE("a norm whose squares overflow is 0", "[small]") {
  const std::string count = std::to_string(rows), width = std::to_string(cols);
  for (const char *type : {"bf16", "f32"})
    for (const char *kernel :
         {"rmsnorm", "rmsnorm_cores", "layernorm", "residual_norm"})
      check(kernel, {{"rows", count}, {"cols", width}, {"dtype", type}});
  for (const char *centred : {"false", "true"})
    check("norm_columns",
          {{"tokens", count}, {"hidden", width}, {"centred", centred}});
  check("residual_norm",
        {{"rows", count}, {"cols", width}, {"centred", "true"}});
  check("norm_quantize", {{"rows", count}, {"cols", width}});
}
