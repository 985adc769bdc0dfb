//===- handmade.cpp - Instructions on tiles of any type -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "handmade.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/program_check.h"
#include "kiln/program_names.h"
#include "kiln/program_text.h"
#include "kiln/sim/executor.h"
#include "meaning.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace kiln::test {
namespace {

using program::Id;
using program::Op;
using program::Value;
using program::ValueKind;

class Builder {
public:
  program::Program make(const HandmadeCall &instruction) {
    program.kernel = "handmade";
    program.locations.push_back({"handmade.cpp", 1, ""});
    std::vector<Id> buffers;
    for (std::size_t i = 0; i < instruction.tiles.size(); ++i) {
      const Operand &tile = instruction.tiles[i];
      buffers.push_back(declare(tile, tile.space));
      if (!tile.values.empty())
        fill(tile, buffers.back(), i);
    }
    program::Operands operands;
    for (std::size_t i = 0; i < buffers.size(); ++i)
      operands.push_back(
          {instruction.tiles[i].name, program::wholeView(program, buffers[i])});
    call({{instruction.mnemonic, operands, instruction.attributes}});
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (instruction.tiles[i].isWritten)
        store(instruction.tiles[i], buffers[i], i);
    return program;
  }

private:
  Id add(const Operand &tile, ValueKind kind, isa::Space space,
         const std::string &name) {
    Value value;
    value.kind = kind;
    value.dtype = tile.dtype;
    value.space = space;
    value.shape = tile.shape;
    value.name = name;
    program.values.push_back(value);
    return static_cast<Id>(program.values.size() - 1);
  }
  Id declare(const Operand &tile, isa::Space space) {
    Op op;
    op.operation = program::Declare();
    op.result = add(tile, ValueKind::buffer, space, "");
    op.location = 0;
    program.body.push_back(op);
    return op.result;
  }
  Id argument(const Operand &tile, program::ArgumentKind kind,
              std::size_t number) {
    const bool isOutput = kind == program::ArgumentKind::output;
    const Id id =
        add(tile, ValueKind::tensor, isa::Space::hbm,
            tile.name + (isOutput ? "_out" : "_in") + std::to_string(number));
    program.arguments.push_back({id, kind});
    return id;
  }
  void call(program::Instruction instruction) {
    Op op;
    op.operation = std::move(instruction);
    op.location = 0;
    program.body.push_back(std::move(op));
  }
  void copy(const std::string &mnemonic, Id dst, Id src) {
    call({{mnemonic,
           {{"dst", program::wholeView(program, dst)},
            {"src", program::wholeView(program, src)}},
           {}}});
  }
  void fill(const Operand &tile, Id buffer, std::size_t number) {
    const Id tensor = argument(tile, program::ArgumentKind::input, number);
    if (tile.space == isa::Space::sbuf)
      return copy("dma_copy", buffer, tensor);
    const Id between = declare(tile, isa::Space::sbuf);
    copy("dma_copy", between, tensor);
    copy("tensor_copy", buffer, between);
  }
  void store(const Operand &tile, Id buffer, std::size_t number) {
    const Id tensor = argument(tile, program::ArgumentKind::output, number);
    if (tile.space == isa::Space::sbuf)
      return copy("dma_copy", tensor, buffer);
    const Id between = declare(tile, isa::Space::sbuf);
    copy("tensor_copy", between, buffer);
    copy("dma_copy", tensor, between);
  }

  program::Program program;
};

} // namespace

std::map<std::string, std::map<isa::DType, int>> &coverage() {
  static std::map<std::string, std::map<isa::DType, int>> runs;
  return runs;
}

bool runInstruction(const HandmadeCall &call) {
  const program::Program program = Builder().make(call);
  INFO(call.target << "\n"
                   << program::printProgram(program, {.locations = false}));
  REQUIRE(!program::checkProgram(program));
  compiler::CompileOptions options;
  options.target = *isa::findTarget(call.target);
  const compiler::CompileResult result = compiler::compile(program, options);
  if (!result.module) {
    // A refusal is the user's fault; all else is ours.
    for (const auto &diagnostic : result.diagnostics)
      UNSCOPED_INFO(diagnostic.str());
    CHECK(result.fault == compiler::Fault::user);
    return false;
  }
  std::vector<sim::TensorData> data;
  interpret::Inputs inputs;
  std::map<std::string, isa::DType> types;
  for (std::size_t i = 0; i < call.tiles.size(); ++i) {
    const Operand &tile = call.tiles[i];
    types[tile.name + "_out" + std::to_string(i)] = tile.dtype;
    if (tile.values.empty())
      continue;
    data.push_back({tile.name + "_in" + std::to_string(i),
                    tool::encodeValues(tile.values, tile.dtype)});
    inputs[data.back().name] =
        tool::decodeValues(data.back().bytes, tile.dtype);
  }
  const isa::Target target = *isa::findTarget(call.target);
  const sim::Result run = sim::run(*result.module, target, data, {});
  if (run.fault) {
    FAIL_CHECK(run.fault->code << " " << run.fault->text);
    return true;
  }
  NamedOutputs found;
  for (const sim::TensorData &output : run.outputs)
    found[output.name] =
        tool::decodeValues(output.bytes, types.at(output.name));
  checkMeaning(std::span(&program, 1), target.generation, std::span(&inputs, 1),
               std::span(&found, 1));
  ++coverage()[call.mnemonic][call.tiles.front().dtype];
  return true;
}

Values edgeValues(std::size_t count, isa::DType dtype, std::uint64_t seed) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Values floats{0.0,
                      -0.0,
                      1,
                      -1,
                      0.5,
                      1.5,
                      2.5,
                      -3.5,
                      127.5,
                      -129,
                      255.5,
                      300,
                      65504,
                      65535.5,
                      16777217,
                      -2147483648.0,
                      4294967295.0,
                      3e38,
                      -3.4028235e38,
                      1e-3,
                      1e-30,
                      -1e-42,
                      1e-45,
                      240,
                      448,
                      464,
                      57344,
                      infinity,
                      -infinity,
                      std::nan("")};
  const Values integers{0,
                        1,
                        -1,
                        2,
                        3,
                        31,
                        32,
                        33,
                        100,
                        127,
                        -128,
                        255,
                        32767,
                        -32768,
                        65535,
                        16777217,
                        -16777219,
                        2147483647.0,
                        -2147483648.0,
                        4294967295.0};
  const bool isFloat = isa::isFloat(dtype);
  const Values &edges = isFloat ? floats : integers;
  Random random(seed);
  Values values(count);
  for (double &value : values) {
    const auto pick = static_cast<std::size_t>(
        random.uniform() * static_cast<double>(edges.size() + 8));
    value = pick < edges.size() ? edges[pick]
                                : std::floor(random.normal() * 64) / 16;
    if (isFloat) {
      value = rounded(value, dtype);
      continue;
    }
    const tool::IntegerRange range = tool::rangeOf(dtype);
    value = std::clamp(std::floor(value), static_cast<double>(range.low),
                       static_cast<double>(range.high));
  }
  return values;
}

Operand input(const std::string &name, isa::DType dtype, const Extents &shape) {
  static std::uint64_t seed = 1;
  std::size_t count = isa::info(dtype).values;
  for (const std::int64_t extent : shape)
    count *= static_cast<std::size_t>(extent);
  return {name, dtype, shape, edgeValues(count, dtype, ++seed)};
}
Operand output(const std::string &name, isa::DType dtype,
               const Extents &shape) {
  return {name, dtype, shape, {}, true};
}
Operand inPlace(Operand tile) {
  tile.isWritten = true;
  return tile;
}
Operand numbers(const std::string &name, isa::DType dtype, const Extents &shape,
                Values values) {
  return {name, dtype, shape, std::move(values)};
}

std::vector<std::string> operators(const std::string &mnemonic,
                                   const std::string &name) {
  return words<isa::AluOp>(mnemonic, name);
}
std::vector<isa::DType> types(const std::string &mnemonic,
                              const std::string &name) {
  const isa::OperandInfo &operand =
      *isa::info(*isa::parseOpcode(mnemonic)).operand(name);
  std::vector<isa::DType> result;
  for (const isa::DTypeInfo &entry : isa::dtypeTable)
    if ((operand.types & isa::maskOf(entry.dtype)) != 0)
      result.push_back(entry.dtype);
  return result;
}
bool isBits(const std::string &op) {
  return isa::isBitwise(*isa::parse<isa::AluOp>(op));
}
bool takesNone(const std::string &op) {
  return isa::isUnary(*isa::parse<isa::AluOp>(op));
}
std::string targetFor(isa::DType dtype) {
  const bool isNew = dtype == isa::DType::f8e4m3fn ||
                     dtype == isa::DType::f8e8m0 || isa::isPacked(dtype);
  return isNew ? "trn3" : "trn2";
}
bool isTurn(int n) {
  static int count = 0;
  return count++ % n == 0;
}

std::vector<Family> &families() {
  static std::vector<Family> all;
  return all;
}
void runOnce(Family family) {
  static std::set<Family> done;
  if (done.insert(family).second)
    family();
  SUCCEED();
}

TEST_CASE("meaning: every instruction was compared, on every type") {
  for (const Family family : families())
    runOnce(family);
  for (const isa::InstructionInfo &entry : isa::instructionTable) {
    if (entry.operands.empty() || entry.isControl ||
        entry.state == isa::HiddenState::peers)
      continue; // Their own tests: no type, or several cores.
    const std::string mnemonic(entry.mnemonic);
    std::string ran;
    for (const isa::DType type :
         types(mnemonic, std::string(entry.operands.front().name))) {
      INFO(mnemonic << " on " << isa::name(type));
      CHECK(coverage()[mnemonic][type] > 0);
      ran += ' ' + std::string(isa::name(type)) + ':' +
             std::to_string(coverage()[mnemonic][type]);
    }
    UNSCOPED_INFO(mnemonic << ran);
  }
  SUCCEED("the table of instructions x types"); // shown by --success
}

} // namespace kiln::test
