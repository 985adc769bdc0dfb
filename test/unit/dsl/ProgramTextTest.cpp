//===- ProgramTextTest.cpp - Printing and parsing Programs ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedProgram.h"
#include "catch.h"
#include "kiln/kernels/library.h"
#include "kiln/program_check.h"
#include "kiln/record.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <variant>

using namespace kiln;
using namespace kiln::program;
using namespace kiln::test;

namespace {

/// A Program with every field away from its default.
Program rich() {
  Program p;
  p.kernel = "quo\"te\\ \n";
  p.parameters = {{"a", "1"}, {"b", ""}};
  p.flops = -7;
  p.tokens = 300;
  p.semaphores = {"ready", "a \"b\""};
  p.memoryScopes = {{MemoryScope::Limit{"w", 0, 65536}, {}},
                    {MemoryScope::Limit{"in \"w\"", 64, 128},
                     MemoryScope::Limit{"sums", 2, 8}},
                    {{}, MemoryScope::Limit{"", 0, 1}}};
  p.schedule = "schedule k trn2\nloop a ordered\n";
  p.core = 1;
  p.cores = 2;
  p.values.resize(5);
  p.values[0] = {ValueKind::tensor, DType::bf16, isa::Space::hbm, {4, 8}, "x"};
  p.values[1] = {ValueKind::loop, DType::i32, isa::Space::sbuf, {}, ""};
  p.values[2] = {ValueKind::tile, DType::bf16, isa::Space::sbuf, {4, 4}, "t"};
  p.values[3] = {ValueKind::buffer, DType::f32, isa::Space::psum, {4, 4}, ""};
  p.values[4] = {
      ValueKind::tensor, DType::f32, isa::Space::hbm, {4}, "s", true};
  p.arguments = {{0, ArgumentKind::inout, 0.1}};
  p.hasParts = true;
  p.indices = {{IndexKind::constant, -3, none, none},
               {IndexKind::variable, 0, 1, none},
               {IndexKind::add, 0, 0, 1},
               {IndexKind::multiply, -2, 1, none},
               {IndexKind::floorDivide, 4, 1, none},
               {IndexKind::modulo, 5, 1, none},
               {IndexKind::minimum, 0, 1, 2},
               {IndexKind::maximum, 0, 1, 2}};
  p.locations = {{"dir/a b.cpp", 3, "s/t"},
                 {"b.h", 4294967295, "", {{"b.h", 7}, {"dir/a \"b\".cpp", 0}}}};
  const View part{2, 5, 1, {2, 4}, {1, 1}, DType::bf16};
  const auto add = [&](Operation operation, Id result = none) -> Op & {
    Op op;
    op.operation = std::move(operation);
    op.result = result;
    p.body.front().body.push_back(op);
    return p.body.front().body.back();
  };
  Op loop;
  loop.operation = Loop{{0}, {6}, 3, "rows"};
  loop.result = 1;
  p.body = {loop};
  Op &load = add(Load{{0, 1, 0, {4, 4}, {8, 0}, DType::f16}}, 2);
  load.location = 0;
  load.name = "named";
  load.order.label = 4;
  load.order.after = {7, 0};
  load.order.ordered = Place{1, 2};
  load.order.urgency = std::int64_t{-3};
  load.order.within = std::int64_t{1};
  add(Declare{0, 4, 2, -1}, 3);
  add(Assign{{3, none, 2, {2, 4}, {1, 1}, DType::f32}, part});
  add(Store{part, part});
  add(LoadTransposed{part});
  add(Fill{std::numeric_limits<double>::quiet_NaN()});
  add(Matmul{part, part, true, false, {}, {}});
  add(Transpose{part});
  add(Unary{part, isa::ActivationFunction::gelu});
  add(Binary{part, part, {}});
  add(Scalar{part, {isa::AluOp::subtract}, 0.5, true});
  add(Scalar{part, {isa::AluOp::add}, 3.0, {}});
  add(Compare{part, part, isa::AluOp::less, {}, false});
  add(Compare{part, {}, isa::AluOp::greater, -0.0, {}});
  add(Select{part, part, part});
  add(Keep{part, -1, 2, {6}, isa::AluOp::greater_equal, 1e300});
  add(Reduce{part, isa::AluOp::maximum});
  add(Cast{part});
  add(Copy{part});
  add(Quantize{part, DType::f8e4m3fn_x4});
  Op &call =
      add(Instruction{{"anything",
                       {{"dst", part}, {"srcs", part}, {"srcs", part}},
                       {{"list", std::vector<std::int64_t>{1, -2}},
                        {"half", 0.1},
                        {"large", 1e300},
                        {"low", -std::numeric_limits<double>::infinity()},
                        {"high", std::numeric_limits<double>::infinity()},
                        {"none", std::numeric_limits<double>::quiet_NaN()},
                        {"tiny", 5e-324},
                        {"zero", -0.0},
                        {"whole", 3.0},
                        {"int", std::int64_t(-4)},
                        {"text", std::string("a, b=c")},
                        {"index", IndexRef{6}}}}});
  call.order.waits = {{0, 1}, {1, 65535}};
  call.order.signals = {{1, 2}};
  add(Instruction{{"bare", {}, {}}});
  add(Apply{{"max8", {{"src", part}}, {}}});
  return p;
}

} // namespace

TEST_CASE("a Program survives its text") {
  const Program p = rich();
  const std::string text = printProgram(p);
  INFO(text);
  CHECK(parsed(text) == p);
  CHECK(printProgram(parsed(text)) == text);
  CHECK(parsed(printProgram(Program())) == Program());
}

TEST_CASE("the rich Program has every operation") {
  std::set<std::size_t> kinds{static_cast<std::size_t>(OpKind::loop)};
  const Program p = rich(); // Lives as long as the loop.
  for (const Op &op : p.body.front().body)
    kinds.insert(op.operation.index());
  CHECK(kinds.size() == std::variant_size_v<Operation>);
}

TEST_CASE("operations have their fields and no others") {
  const auto error = [](const std::string &operation) {
    const isa::Diagnostic found =
        parseProgram(header +
                     "argument input %0 : tensor f32 hbm [4, 8] \"x\"\n"
                     "#0 = 0\nbody {\n  %1 : tile f32 sbuf [4, 8] \"\" = " +
                     operation + "\n}\n")
            .error;
    return found.code + ":" + std::to_string(found.column) + " " + found.text;
  };
  CHECK(error("load(%0)") == ":0 ");
  CHECK(error("load(%0, %0)") ==
        "KILN-P010:34 load has 2 operands, but it takes 1");
  CHECK(error("compare() op=\"less\", value=1.0") ==
        "KILN-P010:34 compare has 0 operands, but it takes 1 or 2");
  CHECK(error("load(%0) queue=1") ==
        "KILN-P010:43 load has no attribute 'queue'");
  CHECK(error("fill()") == "KILN-P010:34 fill lacks attribute 'value'");
  CHECK(error("fill() value=1") ==
        "KILN-P010:41 attribute 'value' of fill must be a number with a point "
        "or an exponent");
  CHECK(error("matmul(%0, %0) transpose_a=2, transpose_b=0") ==
        "KILN-P010:49 attribute 'transpose_a' of matmul must be 0 or 1");
  CHECK(error("unary(%0) op=\"expo\"") ==
        "KILN-P010:44 attribute 'op' of unary must be the name of a function");
  CHECK(error("binary(%0, %0) op=\"expo\"").ends_with("of an operator"));
  CHECK(error("scalar(%0) op=\"add\", value=1.0, reverse=\"no\"")
            .ends_with("'reverse' of scalar must be 0 or 1"));
  CHECK(error("keep(%0) col_step=1, compare=\"less\", offset=#0, "
              "otherwise=0.0, row_step=#0")
            .ends_with("'row_step' of keep must be an integer"));
  CHECK(error("loop() begin=0, end=#0, step=1")
            .ends_with("'begin' of loop must be an index expression"));
  CHECK(error("loop() begin=#0, end=#0, name=1, step=1")
            .ends_with("'name' of loop must be a quoted text"));
  CHECK(error("quantize(%0) scales_of=\"f8e4m3fn_x5\"")
            .ends_with("must be the name of an element type"));
  CHECK(error("load(%0) after=1")
            .ends_with("'after' of load must be a list of integers"));
  CHECK(error("load(%0) ordered=[1]")
            .ends_with("must be a list of a no_reorder and a place in it"));
  CHECK(error("apply(%0) mnemonic=\"max8\", operands=\"src,src\"") ==
        "KILN-P010:34 apply names 2 operands and has 1");
  CHECK(error("apply(%0) mnemonic=\"max8\"") ==
        "KILN-P010:34 apply lacks attribute 'operands'");
}

TEST_CASE("library kernels survive their text and are well formed") {
  for (const KernelEntry *entry : kernels::library()) {
    for (std::size_t i = 0; i < entry->variantCount; ++i) {
      const Program p = entry->record(
          {{"dtype", std::string(isa::name(entry->variants[i].dtype))}});
      CHECK(parsed(printProgram(p)) == p);
      const auto error = checkProgram(p);
      INFO(entry->name << ": " << (error ? error->text : ""));
      CHECK(!error);
    }
  }
}

TEST_CASE("stored programs survive their text and are well formed") {
  std::size_t count = 0;
  for (const auto &file :
       std::filesystem::directory_iterator(KILN_TEST_PROGRAMS)) {
    INFO(file.path());
    std::ifstream in(file.path());
    std::stringstream text;
    text << in.rdbuf();
    const ParseResult first = parseProgram(text.str());
    INFO(first.error.line << ": " << first.error.text);
    REQUIRE(first);
    const auto wrong = checkProgram(*first.program);
    INFO((wrong ? wrong->text : ""));
    CHECK(!wrong);
    // What is printed is the file itself.
    CHECK(printProgram(*first.program) == text.str());
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("syntax errors say where") {
  const auto error = [](const std::string &text) {
    return parseProgram(text).error;
  };
  CHECK(error("kiln.program 2").code == "KILN-P001");
  CHECK(error("").text.find("'kiln.program'") != std::string::npos);
  const isa::Diagnostic bad = error(header + "body {\n  %0 : tile f99");
  CHECK(bad.code == "KILN-P001");
  CHECK(bad.line == 5);
  CHECK(bad.column == 13);
  CHECK(error(header + "body { store(%0) }").code == "KILN-P002");
  CHECK(error(header + "body {} x").text.find("continues") !=
        std::string::npos);
  CHECK(error(header + "body { %99999999999 ").code == "KILN-P003");
  std::string deep = header + "body {";
  for (int i = 0; i < 400; ++i)
    deep += "%" + std::to_string(i) +
            " : loop i32 sbuf [] \"\" = loop() begin=#0, end=#0, step=1 {";
  CHECK(error(deep).code == "KILN-P003");
}

TEST_CASE("a location has a place, scopes and the calls that lead to it") {
  const auto error = [](const std::string &location) {
    const isa::Diagnostic found =
        parseProgram(header + "!0 = " + location + "\nbody {\n}\n").error;
    return found.code + ":" + std::to_string(found.line) + ":" +
           std::to_string(found.column) + " " + found.text;
  };
  const auto callers = [](const std::string &calls) {
    return parsed(header + "!0 = \"a.h\":3 \"s\"" + calls + "\nbody {}")
        .locations.front()
        .callers;
  };
  using Calls = std::vector<CallSite>;
  CHECK(callers("").empty());
  CHECK(callers(" from \"k.cpp\":12") == Calls{{"k.cpp", 12}});
  CHECK(callers(" from \"a.h\" : 1,\n \"a b\":0") ==
        Calls{{"a.h", 1}, {"a b", 0}});
  const std::string own = "\"a.h\":3 \"\" ";
  CHECK(error(own + "from") ==
        "KILN-P001:5:1 expected a quoted text, found 'body'");
  CHECK(error(own + "from \"a\":1,") ==
        "KILN-P001:5:1 expected a quoted text, found 'body'");
  CHECK(error(own + "from \"a\"") ==
        "KILN-P001:5:1 expected ':', found 'body'");
  CHECK(error(own + "from \"a\":x") ==
        "KILN-P001:4:26 expected an integer, found 'x'");
  CHECK(error(own + "from a:1") ==
        "KILN-P001:4:22 expected a quoted text, found 'a:1'");
  CHECK(error(own + "from \"a\":1 \"b\":2") ==
        "KILN-P001:4:28 expected 'body', found '\"b\":2'");
  CHECK(error(own + "form \"a\":1") ==
        "KILN-P001:4:17 expected 'body', found 'form'");
  CHECK(error(own + "from \"a\":-1") ==
        "KILN-P003:4:28 line -1 is outside 0 to 4294967295");
  CHECK(error("\"a.h\":4294967296 \"\"") ==
        "KILN-P003:4:22 line 4294967296 is outside 0 to 4294967295");
}

TEST_CASE("no prefix or mutation of a text crashes the reader") {
  const std::string text = printProgram(rich());
  for (std::size_t n = 0; n < text.size(); ++n) {
    CHECK_FALSE(parseProgram(text.substr(0, n == text.size() - 1 ? n - 1 : n)));
    std::string mutated = text;
    mutated[n] = static_cast<char>(33 + (n * 7) % 90);
    if (ParseResult result = parseProgram(mutated))
      checkProgram(*result.program);
  }
}
