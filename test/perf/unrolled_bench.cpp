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
//   unrolled-bench --check MOST [FORM...]
//
// The second one is a test: from an eighth of MOST to MOST, the slope and the
// memory for each instruction must stay below bounds that leave room for noise
// and none for what is quadratic.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"
#include "kiln/compiler/prove/SynchronisationChecker.h"
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
  long peak = 0; ///< KiB.
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
  Figures figures{compiled - begin, 0, 0};
  for (const auto &stream : result.module->streams)
    figures.instructions += static_cast<long>(stream.size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  figures.peak = usage.ru_maxrss;
  std::printf("%9ld instructions: recording %.2f s, compiling %.2f s, peak "
              "%ld MiB\n   ",
              figures.instructions, recorded - begin, compiled - recorded,
              usage.ru_maxrss / 1024);
  auto stages = result.stages;
  std::sort(stages.begin(), stages.end(),
            [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
  for (std::size_t i = 0; i < std::min<std::size_t>(stages.size(), 40); ++i)
    std::printf(" %s %.2f", stages[i].name.c_str(), stages[i].seconds);
  const double begun = cpuSeconds();
  const bool sound = !isa::checkModule(*result.module, isa::trn2) &&
                     !problems::checkSynchronisation(*result.module);
  std::printf("\n    proof of the module alone: %.2f s, %s\n",
              cpuSeconds() - begun, sound ? "sound" : "refused");
  return figures;
}

/// In a process of its own; no instructions if that failed.
template <class Kernel> Figures compileInChild(long count) {
  std::fflush(stdout);
  Figures figures;
  int ends[2];
  if (pipe(ends) != 0)
    return figures;
  const pid_t child = fork();
  if (child == 0) {
    const Figures own = compileOne<Kernel>(count);
    std::fflush(stdout);
    const bool told = write(ends[1], &own, sizeof own) == sizeof own;
    _exit(told && own.instructions ? 0 : 1);
  }
  close(ends[1]);
  const bool heard = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return heard && status == 0 ? figures : Figures{};
}

double slope(const Figures &from, const Figures &to) {
  return std::log(to.seconds / from.seconds) /
         std::log(static_cast<double>(to.instructions) /
                  static_cast<double>(from.instructions));
}

template <class Kernel> bool measure(const char *name, long most) {
  std::printf("%s\n", name);
  Figures before;
  for (long count = std::min(1000L, most); count <= most;
       count = count < most ? std::min(10 * count, most) : most + 1) {
    const Figures figures = compileInChild<Kernel>(count);
    if (!figures.instructions)
      return false;
    if (before.seconds > 0)
      std::printf("    slope %.2f\n", slope(before, figures));
    before = figures;
  }
  return true;
}

/// A million instructions take 2 GB, small kernels some more for each (a
/// product carries the scales of both its factors, 2861 bytes measured); and a
/// third of the way to what is quadratic.
constexpr double mostBytes = 2700, mostSlope = 1.3;
/// Two, and more where other work was in the way.
constexpr int mostRounds = 8;

template <class Kernel> bool check(const char *name, long most) {
  std::printf("%s\n", name);
  // What else the computer does only makes a run longer, and its peak higher.
  Figures best[2];
  double found = 0, bytes = 0;
  bool isFine = false;
  for (int round = 0; round < mostRounds && (round < 2 || !isFine); ++round) {
    for (int i = 0; i < 2; ++i) {
      const Figures figures = compileInChild<Kernel>(i == 0 ? most / 8 : most);
      if (!figures.instructions)
        return false;
      const long peak =
          round == 0 ? figures.peak : std::min(best[i].peak, figures.peak);
      if (round == 0 || figures.seconds < best[i].seconds)
        best[i] = figures;
      best[i].peak = peak;
    }
    bytes = 1024.0 * static_cast<double>(best[1].peak - best[0].peak) /
            static_cast<double>(best[1].instructions - best[0].instructions);
    found = slope(best[0], best[1]);
    isFine = found <= mostSlope && bytes <= mostBytes;
  }
  std::printf(
      "    slope %.2f, at most %.2f; %.0f bytes an instruction, at most "
      "%.0f\n",
      found, mostSlope, bytes, mostBytes);
  return isFine;
}

template <class Kernel> bool run(bool isCheck, const char *name, long most) {
  return isCheck ? check<Kernel>(name, most) : measure<Kernel>(name, most);
}

} // namespace

int main(int argc, char **argv) {
  const bool isCheck = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  const int first = isCheck ? 2 : 1;
  const long most = argc > first ? std::atol(argv[first]) : 1'000'000;
  const auto wanted = [&](const char *name) {
    bool found = argc <= first + 1;
    for (int i = first + 1; i < argc; ++i)
      found |= std::strcmp(argv[i], name) == 0;
    return found;
  };
  bool fine = true;
  if (wanted("rows"))
    fine &= run<Rows>(isCheck, "rows", most);
  if (wanted("columns"))
    fine &= run<Columns>(isCheck, "columns", most);
  if (wanted("products"))
    fine &= run<Products>(isCheck, "products", most);
  if (wanted("many"))
    fine &= run<Many>(isCheck, "many", most);
  if (wanted("chain"))
    fine &= run<Chain>(isCheck, "chain", most);
  return fine ? 0 : 1;
}
