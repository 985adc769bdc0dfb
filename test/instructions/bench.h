//===- bench.h - A kernel around some calls, compiled and run -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records a kernel, compiles it, runs its binary with all checks, and returns
// what its tensors hold, as doubles. What is expected is computed by plain
// loops in each test, never by the executor's code.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_INSTRUCTIONS_BENCH_H
#define KILN_TEST_INSTRUCTIONS_BENCH_H

#include "catch.h"
#include "inputs.h"
#include "kiln/isa/target.h"
#include "kiln/tool/float_format.h"
#include "probe.h"

#include <cmath>
#include <set>

namespace kiln::test {

/// Compiles and runs; `inputs` are the values of In and InOut tensors, in
/// order. Returns those of Out and InOut ones. A test called "nc::NAME" fails
/// where the program has no instruction NAME.
std::vector<Values> execute(const program::Program &program,
                            const isa::Target &target,
                            const std::vector<Values> &inputs);
/// The error that compiling gives.
std::string compileError(const program::Program &program,
                         const std::string &target);

template <class... Tensors, class Body>
std::vector<Values> run(const isa::Target &target,
                        const std::vector<Extents> &shapes,
                        const std::vector<Values> &inputs, const Body &body) {
  return execute(recordProbe<Tensors...>(shapes, body), target, inputs);
}
template <class... Tensors, class Body>
std::vector<Values> run(const std::string &target,
                        const std::vector<Extents> &shapes,
                        const std::vector<Values> &inputs, const Body &body) {
  return run<Tensors...>(*isa::findTarget(target), shapes, inputs, body);
}
/// The named one with so many KiB of SBUF: what does not fit is small.
inline isa::Target withSbuf(const std::string &name, int kib) {
  isa::Target target = *isa::findTarget(name);
  target.sbuf_physical_bytes = target.sbuf_reserved_bytes + (kib << 10);
  return target;
}

/// `count` values that `dtype` holds, about normal; integers up to 100.
Values someValues(std::size_t count, isa::DType dtype, std::uint64_t seed = 1);

inline double rounded(double value, isa::DType dtype) {
  return tool::decodeFloat(tool::encodeFloat(value, dtype), dtype);
}
inline float f(double value) { return static_cast<float>(value); }

/// Bit for bit, but for the payload of NaN.
void checkSame(const Values &found, const Values &wanted);
/// |found - wanted| <= tolerance * max(1, |wanted|).
void checkNear(const Values &found, const Values &wanted, double tolerance);

/// Instructions that have a test.
std::set<std::string> &covered();
struct Covered {
  explicit Covered(const char *mnemonic) { covered().insert(mnemonic); }
};

/// Runs the rest of a test on every generation: what it means is the same.
inline std::string machine;
#ifdef KILN_TWO_TARGETS
#define KILN_EVERY_TARGET()                                                    \
  kiln::test::machine = GENERATE(as<std::string>(), "trn1", "trn3")
#else
#define KILN_EVERY_TARGET()                                                    \
  kiln::test::machine = GENERATE(as<std::string>(), "trn1", "trn2", "trn3")
#endif

/// Begins the test of one instruction.
#define KILN_INSTRUCTION(mnemonic)                                             \
  static const kiln::test::Covered covered_##mnemonic(#mnemonic);              \
  TEST_CASE("nc::" #mnemonic)

} // namespace kiln::test

#endif // KILN_TEST_INSTRUCTIONS_BENCH_H
