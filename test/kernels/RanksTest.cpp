//===- RanksTest.cpp - Library kernels of several ranks and cores ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "inputs.h"
#include "kiln/compiler/compile.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/kernels/reference.h"
#include "kiln/kernels/tolerance.h"
#include "kiln/record.h"
#include "kiln/sim/launch.h"
#include "kiln/tool/float_format.h"

using namespace kiln;

namespace {

using Data = std::vector<sim::TensorData>;

/// Runs the kernel on `ranks` ranks and compares every output with plain loops.
void check(const std::string &name, const ParameterValues &parameters,
           unsigned ranks, std::uint32_t cores = 1) {
  INFO(name << " on " << ranks << " ranks of " << cores << " cores");
  const KernelEntry &kernel = *kernels::find(name);
  std::vector<isa::Module> modules;
  program::Program program;
  for (std::uint32_t core = 0; core < cores; ++core) {
    program = kernel.record(parameters, {core, cores});
    const auto compiled = compiler::compile(program, {});
    for (const auto &diagnostic : compiled.diagnostics)
      UNSCOPED_INFO(diagnostic.str());
    REQUIRE(compiled.module);
    modules.push_back(*compiled.module);
  }
  REQUIRE(!isa::checkCores(modules));
  REQUIRE(!isa::checkMeetings(modules));

  std::vector<Data> inputs(ranks);
  std::vector<kernels::ReferenceTensors> expected(ranks);
  std::map<std::string, isa::DType> types;
  for (unsigned rank = 0; rank < ranks; ++rank)
    for (const program::Argument &argument : program.arguments) {
      const program::Value &value = program.values[argument.value];
      types[value.name] = value.dtype;
      std::size_t count = 1;
      for (std::int64_t extent : value.shape)
        count *= static_cast<std::size_t>(extent);
      kernels::ReferenceTensor &tensor = expected[rank][value.name];
      tensor = {value.shape, std::vector<double>(count)};
      if (argument.kind == program::ArgumentKind::output)
        continue;
      const auto cols = static_cast<std::size_t>(value.shape.back());
      const auto bytes = tool::encodeValues(
          test::inputs(count / cols, cols, test::Distribution::normal,
                       rank * 16 + inputs[rank].size() + 1),
          value.dtype);
      tensor.values = tool::decodeValues(bytes, value.dtype);
      inputs[rank].push_back({value.name, bytes});
    }
  if (const kernels::RanksReference together =
          kernels::findRanksReference(name))
    together({}, expected);
  else
    for (kernels::ReferenceTensors &own : expected)
      kernels::findReference(name)({}, own);

  sim::Launch launch;
  launch.modules = modules;
  launch.ranks = ranks;
  for (const Data &own : inputs)
    launch.inputsOfRank.push_back(own);
  const sim::LaunchResult run = sim::runLaunch(launch, isa::trn2, {});
  if (run.fault)
    UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
  REQUIRE(!run.fault);
  REQUIRE(run.outputs.size() == ranks);
  for (unsigned rank = 0; rank < ranks; ++rank)
    for (const sim::TensorData &output : run.outputs[rank]) {
      const isa::DType dtype = types.at(output.name);
      const kernels::Comparison comparison =
          kernels::compare(tool::decodeValues(output.bytes, dtype),
                           expected[rank].at(output.name).values, dtype);
      INFO("rank " << rank << ", " << output.name << ": scaled error "
                   << comparison.scaledMaximum);
      CHECK(comparison.withinTolerance);
    }
}

ParameterValues ring(unsigned group, int rows, int cols,
                     const std::string &dtype) {
  return {{"group", std::to_string(group)},
          {"rows", std::to_string(rows)},
          {"cols", std::to_string(cols)},
          {"dtype", dtype}};
}

} // namespace

TEST_CASE("a ring gathers", "[small]") {
  for (const unsigned ranks : {1u, 2u, 3u, 4u, 8u})
    check("ring_all_gather", ring(ranks, 20, 24, "bf16"), ranks);
  check("ring_all_gather", ring(64, 2, 16, "f32"), 64);
}

TEST_CASE("a ring reduces and scatters", "[small]") {
  for (const unsigned ranks : {1u, 2u, 4u, 8u})
    for (const char *dtype : {"bf16", "f32"})
      check("ring_reduce_scatter", ring(ranks, 130, 8, dtype), ranks);
}

TEST_CASE("tiles are reduced from SBUF to SBUF", "[small]") {
  for (const unsigned ranks : {1u, 2u, 4u, 8u})
    check("sbuf_all_reduce", ring(ranks, 140, 16, "f32"), ranks);
  check("sbuf_all_reduce", ring(4, 128, 64, "bf16"), 4);
}

TEST_CASE("two cores share rows", "[small]") {
  for (const std::uint32_t cores : {1u, 2u})
    for (const char *dtype : {"bf16", "f32"})
      check("rmsnorm_cores",
            {{"rows", "200"}, {"cols", "96"}, {"dtype", dtype}}, 1, cores);
  check("rmsnorm_cores", {{"rows", "128"}, {"cols", "64"}}, 4, 2);
}
