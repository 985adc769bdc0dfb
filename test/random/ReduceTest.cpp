//===- ReduceTest.cpp - Generated Programs, reduced -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "generator.h"

#include "kiln/program_check.h"
#include "kiln/program_names.h"
#include "kiln/program_text.h"
#include "kiln/program_visit.h"
#include "kiln/trial/isolated.h"
#include "kiln/trial/reduce.h"

#include <csignal>
#include <set>

using namespace kiln;
using namespace kiln::test;

namespace {

/// Kinds of operations, with the words of those that have one: "scalar add".
void collect(const std::vector<program::Op> &body,
             std::multiset<std::string> &found) {
  for (const program::Op &op : body) {
    std::string text(program::name(op.kind()));
    std::visit(
        [&](const auto &operation) {
          forEachField(operation, [&](std::string_view field, auto &value) {
            using T = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<T, program::Operator>)
              text += " " + std::string(program::name(value));
            else if constexpr (std::is_enum_v<T>)
              text += field == "op" ? " " + std::string(isa::name(value)) : "";
          });
        },
        op.operation);
    if (op.call())
      text += " " + std::string(op.mnemonic());
    found.insert(text);
    collect(op.body, found);
  }
}
std::multiset<std::string> operationsOf(const program::Program &program) {
  std::multiset<std::string> found;
  collect(program.body, found);
  return found;
}

/// A loop that holds an operation of this kind.
bool loopHolds(const std::vector<program::Op> &body, program::OpKind kind) {
  for (const program::Op &op : body) {
    if (!op.is<program::Loop>())
      continue;
    for (const program::Op &inner : op.body)
      if (inner.kind() == kind)
        return true;
    if (loopHolds(op.body, kind))
      return true;
  }
  return false;
}

} // namespace

TEST_CASE("a seed is a Program") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ProgramSettings settings;
    settings.seed = seed;
    const program::Program program = randomProgram(settings);
    INFO(seed);
    CHECK(!program::checkProgram(program));
    CHECK(randomProgram(settings) == program);
    const auto parsed = program::parseProgram(program::printProgram(program));
    REQUIRE(parsed);
    CHECK(*parsed.program == program);
  }
}

TEST_CASE("together the seeds have everything") {
  std::multiset<std::string> found;
  std::set<isa::DType> types;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    ProgramSettings settings;
    settings.seed = seed;
    settings.generation = isa::Generation::v4;
    const program::Program program = randomProgram(settings);
    found.merge(operationsOf(program));
    for (const program::Value &value : program.values)
      types.insert(value.dtype);
  }
  for (const char *kind : {"declare",
                           "assign",
                           "load",
                           "load_transposed",
                           "store",
                           "fill",
                           "matmul",
                           "transpose",
                           "unary exp",
                           "binary add",
                           "binary divide",
                           "scalar multiply",
                           "compare less",
                           "select",
                           "keep",
                           "reduce add",
                           "cast",
                           "copy",
                           "loop",
                           "instruction dma_copy",
                           "instruction nc_matmul",
                           "instruction register_load",
                           "instruction while",
                           "apply nc_n_gather",
                           "apply max8",
                           "apply rng",
                           "instruction set_rng_seed"}) {
    INFO(kind);
    CHECK(found.contains(kind));
  }
  for (const isa::DType type :
       {isa::DType::f32, isa::DType::bf16, isa::DType::f16, isa::DType::f8e4m3,
        isa::DType::f8e4m3fn, isa::DType::f8e5m2, isa::DType::i32,
        isa::DType::u32, isa::DType::i16, isa::DType::u16, isa::DType::i8,
        isa::DType::u8})
    CHECK(types.contains(type));
}

TEST_CASE("a planted fault is reduced to itself") {
  // The fault: a loop in which a tile is stored.
  const auto fails = [](const trial::Programs &programs) {
    return !program::checkProgram(programs.front()) &&
           loopHolds(programs.front().body, program::OpKind::store);
  };
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; tried < 8; ++seed) {
    ProgramSettings settings;
    settings.seed = seed;
    const trial::Programs programs{randomProgram(settings)};
    if (!fails(programs))
      continue;
    ++tried;
    const trial::Reduced reduced = trial::reducePrograms(programs, fails);
    INFO(seed << "\n" << program::printProgram(reduced.programs.front()));
    CHECK(fails(reduced.programs));
    // The loop, the store, what is stored.
    CHECK(trial::countOperations(reduced.programs.front()) <= 3);
    CHECK(reduced.programs.front().arguments.size() <= 1);
  }
}

TEST_CASE("a child that crashes, hangs or answers") {
  CHECK(trial::askIsolated(60, [] { return std::string("fine"); }).text ==
        "fine");
  CHECK(trial::askIsolated(60, []() -> std::string {
          std::raise(SIGABRT);
          return "";
        }).ended == "crash signal 6");
  CHECK(trial::askIsolated(1, []() -> std::string {
          for (;;)
            std::raise(SIGCHLD);
        }).ended == "timeout");
}
