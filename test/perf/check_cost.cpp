//===- check_cost.cpp - What the checks of order cost a compilation -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The share of a compilation's CPU time that noting the source's order and
// checking it take: the median of some compilations in one process, so a busy
// machine slows both sides. Fails above the bar.
//
//   check-cost [PERCENT [REPEAT]]
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"
#include "kiln/kernels/library.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace kiln;

namespace {

/// Load, exp, add, store, unrolled.
struct Rows {
  BOOST_HANA_DEFINE_STRUCT(Rows, (int, tiles));
  void describe(Signature &s) const {
    s.argument("x", {tiles * 128, 64});
    s.argument("y", {tiles * 128, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    for (int i = 0; i < tiles; ++i) {
      auto t = load(x.rows_at(i * 128, 128_c));
      store(y.rows_at(i * 128, 128_c), exp(t) + t);
    }
  }
};

struct Share {
  double percent = 0, milliseconds = 0;
};

Share compileOnce(const program::Program &program) {
  const compiler::CompileResult result = compiler::compile(program);
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.diagnostics.front().str().c_str());
    std::exit(1);
  }
  double checks = 0, all = 0;
  for (const compiler::StageTime &stage : result.stages) {
    all += stage.seconds;
    if (stage.name == "nc-note-order" || stage.name == "nc-check-order" ||
        stage.name == "nc-check-whole")
      checks += stage.seconds;
  }
  return {100 * checks / all, 1000 * all};
}

bool measure(const std::string &name, const program::Program &program,
             double bar, unsigned repeat) {
  compileOnce(program);
  std::vector<Share> shares;
  for (unsigned i = 0; i < repeat; ++i)
    shares.push_back(compileOnce(program));
  std::sort(shares.begin(), shares.end(), [](const Share &a, const Share &b) {
    return a.percent < b.percent;
  });
  const Share median = shares[repeat / 2];
  std::printf("%-16s %5.1f %% of %.0f ms\n", name.c_str(), median.percent,
              median.milliseconds);
  return median.percent <= bar;
}

} // namespace

int main(int argc, char **argv) {
  const double bar = argc > 1 ? std::atof(argv[1]) : 15;
  const unsigned repeat =
      argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 9;
  const auto library = [&](const std::string &name,
                           const ParameterValues &parameters) {
    return measure(name, kernels::find(name)->record(parameters), bar, repeat);
  };
  bool fine =
      library("flash_attention",
              {{"seq_q", "4096"}, {"seq_k", "4096"}, {"head_dim", "128"}});
  fine &= library("matmul", {{"m", "2048"}, {"k", "2048"}, {"n", "2048"}});
  fine &= library("qkv", {});
  fine &= measure("unrolled", record(Rows{5000}, "rows"), bar, repeat);
  return fine ? 0 : 1;
}
