//===- errors.cpp - Programs that no recorder makes
//---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kiln::record and the parser of Program text refuse these; whoever builds a
// Program by hand meets the importer's own words.
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/compiler/convert/Import.h"
#include "kiln/program.h"

#include "mlir/IR/Diagnostics.h"

using namespace kiln;
using namespace kiln::compiler;
using program::IndexKind;
using program::Load;
using program::Loop;
using program::Op;
using program::Program;
using program::Store;
using program::ValueKind;

namespace {

/// y = x, [64, 32], with a loop whose value is %3.
Program good() {
  Program p;
  p.kernel = "k";
  const auto value = [&](ValueKind kind, isa::Space space) {
    p.values.push_back({kind, isa::DType::f32, space, {64, 32}, ""});
  };
  value(ValueKind::tensor, isa::Space::hbm);
  value(ValueKind::tensor, isa::Space::hbm);
  value(ValueKind::tile, isa::Space::sbuf);
  value(ValueKind::loop, isa::Space::sbuf);
  p.arguments = {{0, program::ArgumentKind::input},
                 {1, program::ArgumentKind::output}};
  p.indices = {{IndexKind::constant, 0, program::none, program::none},
               {IndexKind::constant, 2, program::none, program::none},
               {IndexKind::variable, 0, 3, program::none}};
  const auto whole = [](program::Id id) {
    program::View view;
    view.value = id;
    view.sizes = {64, 32};
    view.strides = {32, 1};
    return view;
  };
  program::View tile = whole(2);
  tile.strides = {1, 1};
  Op load, store, loop;
  load.operation = Load{whole(0)};
  load.result = 2;
  store.operation = Store{whole(1), tile};
  loop.operation = Loop{{0}, {1}, 1, {}};
  loop.result = 3;
  p.body = {load, store, loop};
  return p;
}

/// What importing says.
std::string messages(const Program &p, bool withDialects = true) {
  mlir::DialectRegistry registry;
  if (withDialects)
    registerImportDialects(registry);
  mlir::MLIRContext context{registry, mlir::MLIRContext::Threading::DISABLED};
  std::string text;
  mlir::ScopedDiagnosticHandler handler{&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          text += diagnostic.str() + "\n";
                                          return mlir::success();
                                        }};
  const bool made = static_cast<bool>(importProgram(p, context));
  CHECK(made == text.empty());
  return text;
}

template <class Change>
void expect(const std::string &code, const std::string &part, Change &&change) {
  Program p = good();
  change(p);
  const std::string text = messages(p);
  INFO(text);
  CHECK(text.find(code + ": ") != std::string::npos);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("the program that the others damage is good") {
  CHECK(messages(good()).empty());
}

TEST_CASE("a context without the dialects") {
  CHECK(messages(good(), false).find("KILN-P100: dialect 'nc'") !=
        std::string::npos);
}

TEST_CASE("a program for another generation") {
  expect("KILN-P108",
         "for generation 4; it cannot be compiled for generation 3",
         [](Program &p) { p.generation = kiln::isa::Generation::v4; });
  Program same = good();
  same.generation = kiln::isa::Generation::v3;
  CHECK(messages(same).empty());
}

TEST_CASE("numbers of values and indices that do not exist") {
  expect("KILN-P101", "argument refers to value %9",
         [](Program &p) { p.arguments[1].value = 9; });
  expect("KILN-P101", "result %4 does not exist",
         [](Program &p) { p.body[0].result = 4; });
  expect("KILN-P101", "used before it is defined",
         [](Program &p) { std::swap(p.body[0], p.body[1]); });
  expect("KILN-P101", "index #3 does not exist, the program has 3",
         [](Program &p) { p.body[0].as<Load>().source.offset = 3; });
  expect("KILN-P101", "refers to a later index", [](Program &p) {
    p.indices.push_back({IndexKind::multiply, 2, 3, program::none});
    p.body[0].as<Load>().source.offset = 3;
  });
}

TEST_CASE("loops and index arithmetic") {
  for (std::int64_t step : {0, -1})
    expect("KILN-P102", "it must be at least 1",
           [&](Program &p) { p.body[2].as<Loop>().step = step; });
  expect("KILN-P103", "loop value %3 is used outside its loop",
         [](Program &p) { p.body[0].as<Load>().source.offset = 2; });
  for (const IndexKind kind : {IndexKind::floorDivide, IndexKind::modulo})
    for (std::int64_t divisor : {0, -4})
      expect("KILN-P105", "divisors must be positive", [&](Program &p) {
        p.indices.push_back({kind, divisor, 1, program::none});
        p.body[2].as<Loop>().end.index = 3;
      });
}

TEST_CASE("operands") {
  expect("KILN-P106", "operand %2 is not a memory",
         [](Program &p) { p.body[1].as<Store>().target.value = 2; });
  expect("KILN-P107", "load needs a result",
         [](Program &p) { p.body[0].result = program::none; });
  expect("KILN-P107", "max8 needs a result", [](Program &p) {
    const program::View source = p.body[0].as<Load>().source;
    p.body[0].result = program::none;
    p.body[0].operation = program::Apply{{"max8", {{"src", source}}, {}}};
  });
  expect("KILN-P111", "'dma_copy' has no operand 'quueue'", [](Program &p) {
    const Store store = p.body[1].as<Store>();
    p.body[1].operation =
        program::Instruction{{"dma_copy",
                              {{"dst", store.target}, {"src", store.source}},
                              {{"quueue", std::int64_t(3)}}}};
  });
  expect("KILN-P111", "'while' must be in a loop", [](Program &p) {
    Op &op = p.body[2];
    op.operation = program::Instruction{
        {"while", {}, {{"condition", program::IndexRef{1}}}}};
  });
}
