//===- unrolled_bench.cpp - Compiling straight-line code ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain C++ loop unrolls. Kernels of several forms are compiled with more and
// more instructions; printed are CPU seconds, the stages that take most, the
// peak of memory and the slope in the log-log plot from size to size (1 is
// linear). Each compilation is a process of its own, so that peaks are apart.
//
//   unrolled-bench [MOST [FORM...]]
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Problems/SynchronisationChecker.h"
#include "kiln/compiler/compile.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/target.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;

namespace {

/// Load, exp, add, store; every tile has its own rows.
struct Rows {
  BOOST_HANA_DEFINE_STRUCT(Rows, (int, tiles));
  static constexpr int instructions = 4;
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

/// The same with blocks of columns: nearly the same bytes from end to end.
struct Columns {
  BOOST_HANA_DEFINE_STRUCT(Columns, (int, tiles));
  static constexpr int instructions = 3;
  void describe(Signature &s) const {
    s.argument("x", {128, tiles * 8});
    s.argument("y", {128, tiles * 8});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    for (int i = 0; i < tiles; ++i)
      store(y.cols_at(i * 8, 8), exp(load(x.cols_at(i * 8, 8))));
  }
};

/// Products that share one operand, which nobody writes again.
struct Products {
  BOOST_HANA_DEFINE_STRUCT(Products, (int, tiles));
  static constexpr int instructions = 4;
  void describe(Signature &s) const {
    s.argument("w", {128, 128});
    s.argument("x", {128, tiles * 64});
    s.argument("y", {128, tiles * 64});
  }
  void operator()(In<bf16, 2> w, In<bf16, 2> x, Out<f32, 2> y) const {
    auto a = load(w);
    for (int i = 0; i < tiles; ++i)
      store(y.cols_at(i * 64, 64), matmul(a, load(x.cols_at(i * 64, 64))));
  }
};

/// A tensor per tile.
struct Many {
  BOOST_HANA_DEFINE_STRUCT(Many, (int, tiles));
  static constexpr int instructions = 3;
  void describe(Signature &s) const {
    s.argument("x", {tiles, 128, 8});
    s.argument("y", {tiles, 128, 8});
  }
  void operator()(In<f32, 3> x, Out<f32, 3> y) const {
    for (int i = 0; i < tiles; ++i)
      store(y[i], exp(load(x[i])));
  }
};

/// Each step needs the one before.
struct Chain {
  BOOST_HANA_DEFINE_STRUCT(Chain, (int, tiles));
  static constexpr int instructions = 1;
  void describe(Signature &s) const {
    s.argument("x", {128, 64});
    s.argument("y", {128, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto a = load(x);
    for (int i = 0; i < tiles; ++i)
      a = {max(a + (i % 7 + 0.5) * a, 3.0)};
    store(y, a);
  }
};

double cpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// What a child says of one compilation.
struct Figures {
  double seconds = 0;
  long instructions = 0;
};

template <class Kernel> Figures compileOne(long count) {
  const double begin = cpuSeconds();
  const program::Program program =
      record(Kernel{static_cast<int>(count / Kernel::instructions)}, "bench");
  const double recorded = cpuSeconds();
  const compiler::CompileResult result = compiler::compile(program);
  const double compiled = cpuSeconds();
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.diagnostics.front().str().c_str());
    return {};
  }
  Figures figures{compiled - begin, 0};
  for (const auto &stream : result.module->streams)
    figures.instructions += static_cast<long>(stream.size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%9ld instructions: recording %.2f s, compiling %.2f s, peak "
              "%ld MiB\n   ",
              figures.instructions, recorded - begin, compiled - recorded,
              usage.ru_maxrss / 1024);
  auto stages = result.stages;
  std::sort(stages.begin(), stages.end(),
            [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
  for (std::size_t i = 0; i < std::min<std::size_t>(stages.size(), 8); ++i)
    std::printf(" %s %.2f", stages[i].name.c_str(), stages[i].seconds);
  const double begun = cpuSeconds();
  const bool sound = !isa::checkModule(*result.module, isa::trn2) &&
                     !problems::checkSynchronisation(*result.module);
  std::printf("\n    proof of the module alone: %.2f s, %s\n",
              cpuSeconds() - begun, sound ? "sound" : "refused");
  return figures;
}

template <class Kernel> bool measure(const char *name, long most) {
  std::printf("%s\n", name);
  Figures before;
  for (long count = std::min(1000L, most); count <= most;
       count = count < most ? std::min(10 * count, most) : most + 1) {
    std::fflush(stdout);
    int ends[2];
    if (pipe(ends) != 0)
      return false;
    const pid_t child = fork();
    if (child == 0) {
      const Figures figures = compileOne<Kernel>(count);
      std::fflush(stdout);
      const bool told =
          write(ends[1], &figures, sizeof figures) == sizeof figures;
      _exit(told && figures.instructions ? 0 : 1);
    }
    close(ends[1]);
    Figures figures;
    const bool heard =
        read(ends[0], &figures, sizeof figures) == sizeof figures;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!heard || status != 0)
      return false;
    if (before.seconds > 0)
      std::printf("    slope %.2f\n",
                  std::log(figures.seconds / before.seconds) /
                      std::log(static_cast<double>(figures.instructions) /
                               static_cast<double>(before.instructions)));
    before = figures;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  const long most = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const auto wanted = [&](const char *name) {
    bool found = argc <= 2;
    for (int i = 2; i < argc; ++i)
      found |= std::strcmp(argv[i], name) == 0;
    return found;
  };
  const bool fine =
      (!wanted("rows") || measure<Rows>("rows", most)) &&
      (!wanted("columns") || measure<Columns>("columns", most)) &&
      (!wanted("products") || measure<Products>("products", most)) &&
      (!wanted("many") || measure<Many>("many", most)) &&
      (!wanted("chain") || measure<Chain>("chain", most));
  return fine ? 0 : 1;
}
