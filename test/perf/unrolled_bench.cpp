//===- unrolled_bench.cpp - Compiling straight-line code ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain C++ loop unrolls: load, exp, add, store, over and over. Prints CPU
// seconds a stage and the peak of memory for more and more instructions, and
// the slope in the log-log plot between the last two sizes (1 is linear).
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/resource.h>

using namespace kiln;

namespace {

struct Unrolled {
  BOOST_HANA_DEFINE_STRUCT(Unrolled, (int, tiles));
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

double cpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

int main(int argc, char **argv) {
  // Four instructions a tile.
  const long most = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  double before = 0;
  for (long count = 10'000; count <= most; count *= 10) {
    const double begin = cpuSeconds();
    const program::Program program =
        record(Unrolled{static_cast<int>(count / 4)}, "unrolled");
    const double recorded = cpuSeconds();
    const compiler::CompileResult result = compiler::compile(program);
    const double compiled = cpuSeconds();
    if (!result.ok()) {
      std::fprintf(stderr, "%s\n", result.diagnostics.front().str().c_str());
      return 1;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%8ld instructions: recording %.2f s, compiling %.2f s, peak "
                "%ld MiB",
                count, recorded - begin, compiled - recorded,
                usage.ru_maxrss / 1024);
    for (const compiler::StageTime &stage : result.stages)
      if (stage.seconds > 0.05 * (compiled - recorded))
        std::printf("\n    %-20s %.2f s", stage.name.c_str(), stage.seconds);
    if (before > 0)
      std::printf("\n    slope %.2f", std::log10((compiled - begin) / before));
    std::printf("\n");
    before = compiled - begin;
  }
}
