//===- ThresholdTest.cpp - Scores that outgrow their reference ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// flash_attention_threshold, with inputs whose scores are chosen: a query adds
// its columns to those of a key, where most are 0. Each case says how many
// queries of each tile have to be computed again.
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

#include <functional>
#include <limits>
#include <map>

namespace kiln::test::threshold_test {

namespace {

constexpr std::size_t queries = 512, keys = 1024, headDim = 64, tile = 128;

struct Inputs {
  std::vector<double> q = std::vector<double>(queries * headDim),
                      k = std::vector<double>(keys * headDim),
                      v = test::inputs(keys, headDim,
                                       test::Distribution::normal, 3);
  double &query(std::size_t i, std::size_t c) { return q[i * headDim + c]; }
  double &key(std::size_t j, std::size_t c) { return k[j * headDim + c]; }
  /// Every query scores x with key j.
  void score(std::size_t j, double x) { key(j, 0) = x; }
  /// Query i, too, and no other.
  void score(std::size_t i, std::size_t j, double x) {
    query(i, 1) = 1;
    key(j, 1) = x;
  }
};

struct Trial {
  const char *what;
  std::vector<double> outside; ///< Queries of each tile.
  std::function<void(Inputs &)> choose;
  int threshold = 64;
  bool causal = false;
};

/// A sum of about exp(x), as no other key counts.
auto onlyLast(double x) {
  return [x](Inputs &in) {
    for (std::size_t j = 1; j < keys; ++j)
      in.score(j, -60);
    in.score(keys - 1, x);
  };
}
/// Query 7 scores x less than all others, with every key.
auto below(double x) {
  return [x](Inputs &in) {
    for (std::size_t j = 0; j < keys; ++j)
      in.score(7, j, -x);
    for (std::size_t j = 1; j < keys; ++j)
      in.score(j, -60);
  };
}
auto ascending(double step) {
  return [step](Inputs &in) {
    for (std::size_t j = 0; j < keys; ++j) {
      const std::size_t block = j / tile;
      in.score(j, step * static_cast<double>(block));
    }
  };
}

const std::vector<double> none(queries / tile, 0.0), all(queries / tile, 128.0);

// 2^64 is exp(44.36), 2^8 is exp(5.545).
const std::vector<Trial> trials{
    {"all scores are equal", none, [](Inputs &) {}},
    {"each block of keys has a larger maximum", none, ascending(5)},
    {"each has one that is too large for the next one", all, ascending(64)},
    {"a sum just below 2^64", none, onlyLast(44.25)},
    {"a sum just above 2^64", all, onlyLast(44.5)},
    {"a sum just above 2^-64", none, below(44.25)},
    {"a sum just below 2^-64", {1, 0, 0, 0}, below(44.5)},
    {"a sum just below 2^8", none, onlyLast(5.5), 8},
    {"a sum just above 2^8", all, onlyLast(5.5625), 8},
    {"a sum just above 2^-8", none, below(5.5), 8},
    {"a sum just below 2^-8", {1, 0, 0, 0}, below(5.5625), 8},
    {"the last key overflows for one query",
     {0, 0, 1, 0},
     [](Inputs &in) { in.score(300, keys - 1, 1000); }},
    {"an outlier of all queries, late", all,
     [](Inputs &in) { in.score(keys - 2, 300); }},
    {"an outlier early on is the reference", none,
     [](Inputs &in) { in.score(3, 1000); }},
    {"all is far below 0", none,
     [](Inputs &in) {
       for (std::size_t j = 0; j < keys; ++j)
         in.score(j, -3000 - static_cast<double>(j % 7));
     }},
    {"masked, equal scores", none, [](Inputs &) {}, 64, true},
    {"masked, and the reference is behind the mask",
     {20, 0, 0, 0},
     [](Inputs &in) { in.score(20, 100); },
     64,
     true},
    {"masked, and a key that would overflow is hidden", none,
     [](Inputs &in) { in.score(399, 400, 1000); }, 64, true},
    {"masked but for the last query",
     {0, 0, 0, 1},
     [](Inputs &in) { in.score(511, 200); },
     64,
     true},
};

/// The maximum of its group is none, either. On trn1, transposed loads spread
/// it over the tile.
const Trial noNumber{
    "a query that is no number", {128, 128, 0, 0}, [](Inputs &in) {
      in.query(130, 0) = std::numeric_limits<double>::quiet_NaN();
    }};

void check(const Trial &trial, const std::string &targetName) {
  INFO(targetName << ": " << trial.what);
  const isa::Target target = *isa::findTarget(targetName);
  const KernelEntry &kernel = *kernels::find("flash_attention_threshold");
  const ParameterValues parameters{
      {"seq_q", std::to_string(queries)},
      {"seq_k", std::to_string(trial.causal ? queries : keys)},
      {"head_dim", std::to_string(headDim)},
      {"causal", trial.causal ? "true" : "false"},
      {"scale", "1"},
      {"threshold", std::to_string(trial.threshold)}};
  const program::Program program =
      kernel.record(parameters, {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  const auto compiled = compiler::compile(program, options);
  REQUIRE(compiled.module);

  Inputs in;
  for (std::size_t i = 0; i < queries; ++i)
    in.query(i, 0) = 1;
  trial.choose(in);
  if (trial.causal)
    for (auto *tensor : {&in.k, &in.v})
      tensor->resize(queries * headDim);
  const std::map<std::string, std::vector<double>> values{
      {"q", in.q}, {"k", in.k}, {"v", in.v}};
  auto [inputs, tensors, types] =
      test::tensorsOf(program, [&](const program::Value &value, std::size_t) {
        return values.at(value.name);
      });
  std::vector<kernels::ReferenceTensors> expected{std::move(tensors)};
  kernels::computeReference(kernel, parameters, expected);
  for (const std::uint64_t seed : {0, 1}) {
    sim::Options how;
    how.interleaveSeed = seed;
    const sim::Result run = sim::run(*compiled.module, target, inputs, how);
    if (run.fault)
      UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
    REQUIRE(!run.fault);
    // What is computed again was computed in vain (KILN-X061).
    for (const sim::Fault &remark : run.remarks)
      if (remark.code != "KILN-X061")
        FAIL_CHECK(remark.code << " " << remark.text);
    for (const sim::TensorData &output : run.outputs) {
      const isa::DType dtype = types.at(output.name);
      const auto actual = tool::decodeValues(output.bytes, dtype);
      const kernels::Comparison comparison =
          kernels::compare(actual, expected[0].at(output.name).values, dtype);
      INFO(output.name << ": scaled error " << comparison.scaledMaximum
                       << ", l2 " << comparison.relativeL2);
      CHECK(comparison.withinTolerance);
      if (output.name == "outside")
        CHECK(actual == trial.outside);
    }
  }
}

} // namespace

TEST_CASE("attention computes again what outgrew its reference", "[small]") {
  // With a sanitizer not all of them.
  std::size_t number = 0;
  for (const char *target : {"trn1", "trn2", "trn3"})
    for (const Trial &trial : trials)
      if (number++ % KILN_CASE_STEP == 0)
        check(trial, target);
  for (const char *target : {"trn2", "trn3"})
    check(noNumber, target);
}

} // namespace kiln::test::threshold_test
