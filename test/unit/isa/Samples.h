//===- Samples.h - Modules and instructions for the tests -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNIT_ISA_SAMPLES_H
#define KILN_TEST_UNIT_ISA_SAMPLES_H

#include "kiln/isa/assembly.h"
#include "kiln/isa/encoding.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

namespace kiln::isa::test {

using Random = std::mt19937_64;

inline std::uint64_t below(Random &random, std::uint64_t limit) {
  return random() % limit;
}

/// Fills every field of an instruction with anything its type can hold: what
/// encoding and assembly must carry, whether a machine could run it or not.
class RandomFields {
public:
  RandomFields(Random &random, std::size_t tensors)
      : random(random), tensors(tensors) {}

  template <class Field> void operator()(std::string_view, Field &field) {
    fill(field);
  }

  void fill(float &field) {
    switch (below(random, 8)) {
    case 0:
      field = -0.0f;
      return;
    case 1:
      field = std::numeric_limits<float>::infinity();
      return;
    case 2:
      field = -std::numeric_limits<float>::infinity();
      return;
    case 3:
      field = static_cast<float>(below(random, 100)) / 8;
      return;
    default: // Any bits: denormals and every kind of NaN are among them.
      field = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    }
  }
  void fill(bool &field) { field = below(random, 2) != 0; }
  void fill(std::int32_t &field) {
    field = below(random, 4) == 0 ? std::numeric_limits<std::int32_t>::min()
                                  : static_cast<std::int32_t>(random());
  }
  void fill(Register &field) {
    field.index = static_cast<std::uint8_t>(below(random, 64));
  }
  void fill(RegisterOrInt &field) {
    if (below(random, 2))
      fill(field.value.emplace<Register>());
    else
      fill(field.value.emplace<std::int32_t>());
  }
  void fill(Dim &dim) {
    fill(dim.stride);
    dim.size = 1 + static_cast<std::uint32_t>(below(random, 0xffffffff));
    if (below(random, 2))
      dim = {static_cast<std::int32_t>(below(random, 9)) - 4, dim.size % 512};
  }
  void fill(Access &field) {
    field = Access{};
    field.space = static_cast<Space>(below(random, 3));
    field.dtype = dtypeTable[below(random, dtypeTable.size())].dtype;
    field.tensor = static_cast<std::uint16_t>(below(random, tensors));
    if (field.space != Space::hbm) {
      field.partition = static_cast<std::uint8_t>(below(random, 128));
      field.partitions = static_cast<std::uint8_t>(below(random, 129));
    }
    field.rank = static_cast<std::uint8_t>(below(random, Access::maxDims + 1));
    for (unsigned i = 0; i < field.rank; ++i)
      fill(field.dims[i]);
    field.numTerms =
        static_cast<std::uint8_t>(below(random, Access::maxTerms + 1));
    for (unsigned i = 0; i < field.numTerms; ++i) {
      fill(field.terms[i].reg);
      fill(field.terms[i].scale);
    }
    field.offset = static_cast<std::int64_t>(random()) >> below(random, 64);
  }
  void fill(IntPair &field) {
    fill(field.first);
    fill(field.second);
  }
  void fill(LaneMask &field) {
    for (std::uint8_t &lane : field)
      lane = static_cast<std::uint8_t>(random());
  }
  template <class T> void fill(std::vector<T> &field) {
    field.resize(below(random, 4) == 0 ? below(random, maxEntries<T> + 1)
                                       : below(random, 4));
    for (T &entry : field)
      fill(entry);
  }
  void fill(IndexPattern &field) {
    field = IndexPattern{};
    field.rank = static_cast<std::uint8_t>(below(random, 5));
    for (unsigned i = 0; i < field.rank; ++i)
      fill(field.dims[i]);
  }
  void fill(ScalarOrTile &field) {
    switch (below(random, 5)) {
    case 0:
      return fill(field.emplace<std::int32_t>());
    case 1:
    case 2:
      return fill(field.emplace<float>());
    default:
      return fill(field.emplace<Access>());
    }
  }
  template <AnyOptional T> void fill(T &field) {
    field.reset();
    if (below(random, 2))
      fill(field.emplace());
  }
  template <class E> std::enable_if_t<std::is_enum_v<E>> fill(E &field) {
    const auto &entries = EnumTraits<E>::entries;
    field = entries[below(random, entries.size())].value;
  }

private:
  Random &random;
  std::size_t tensors;
};

inline Instruction randomInstruction(Opcode opcode, Random &random,
                                     std::size_t tensors) {
  Instruction result;
  result.body = makeBody(opcode);
  std::visit(
      [&](auto &body) { forEachOperand(body, RandomFields(random, tensors)); },
      result.body);
  for (std::uint64_t i = below(random, 4); i > 0; --i)
    result.waits.push_back(
        {static_cast<std::uint16_t>(below(random, 256)),
         static_cast<std::uint16_t>(1 + below(random, 65535))});
  for (std::uint64_t i = below(random, 4); i > 0; --i)
    result.signals.push_back(
        {static_cast<std::uint16_t>(below(random, 256)),
         static_cast<std::uint16_t>(1 + below(random, 65535))});
  result.position = static_cast<std::uint32_t>(below(random, 3) * random());
  return result;
}

inline std::vector<std::uint8_t> encoded(const Instruction &instruction) {
  std::vector<std::uint8_t> bytes;
  encode(instruction, bytes);
  return bytes;
}

/// The bytes of every instruction: equal also where NaNs make == false.
inline std::vector<std::uint8_t> encodedStreams(const Module &module) {
  std::vector<std::uint8_t> bytes;
  for (const auto &stream : module.streams)
    for (const Instruction &instruction : stream)
      encode(instruction, bytes);
  return bytes;
}

/// The tensors that the examples of the manual use.
inline Module emptyModule(Generation generation = Generation::v3) {
  Module module;
  module.kernel = "sample";
  module.generation = generation;
  module.tensors = {
      {"x", DType::bf16, TensorKind::input, {256, 2048}, {}},
      {"y", DType::f32, TensorKind::output, {128, 512}, {}},
      {"odd name; \"quoted\"", DType::u8, TensorKind::internal, {}, {}},
      {"table", DType::i32, TensorKind::constant, {3, 5}, {}},
  };
  // Barriers and exchanges need the second core of a rank.
  if (generation >= Generation::v3)
    module.facts = {{"core", "0"}, {"cores", "2"}};
  for (std::uint8_t i = 0; i < 60; ++i)
    module.tensors[3].bytes.push_back(static_cast<std::uint8_t>(i * 7));
  module.locations.push_back({"flash.cpp", 12, 3, "q/kv", "scores"});
  module.locations.push_back({"a \"b\"\n;.cpp", 4294967295u, 1, "", ""});
  module.buffers = {0, 2, 1};
  module.facts["kiln.version"] = "0.1";
  module.facts["param.name"] = "a\tb\"c\\";
  return module;
}

/// One line of assembly as an instruction of `module`.
inline Instruction line(const std::string &text, const Module &module) {
  std::string source;
  for (const Tensor &tensor : module.tensors) {
    Module holder;
    holder.tensors = {tensor};
    std::string printed = printAssembly(holder);
    source += printed.substr(printed.find(".tensor"));
  }
  Expected<Module> parsed =
      parseAssembly(source + ".stream sync\n" + text + "\n", "line");
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return parsed->streams[static_cast<std::size_t>(Engine::sync)].at(0);
}

/// A valid module that holds the example of every instruction of a machine.
inline Module exampleModule(Generation generation = Generation::v4) {
  Module module = emptyModule(generation);
  std::uint32_t position = 0;
  auto add = [&](Engine engine, Instruction instruction) {
    instruction.position = position++;
    instruction.location = position % 3;
    std::vector<OperandAccess> operands;
    collectAccesses(instruction.body, operands);
    for (const OperandAccess &operand : operands)
      if (operand.access->space != Space::hbm)
        const_cast<Access *>(operand.access)->tensor =
            static_cast<std::uint16_t>(position % 3);
    module.streams[static_cast<std::size_t>(engine)].push_back(
        std::move(instruction));
  };
  for (const InstructionInfo &entry : instructionTable)
    if (entry.isOn(generation) && entry.nesting == Nesting::none)
      add(entry.defaultEngine, line(std::string(entry.example), module));
  for (std::size_t i = 0; i < numEngines; ++i) {
    add(static_cast<Engine>(i),
        line(std::string(info(Opcode::LoopBegin).example), module));
    add(static_cast<Engine>(i), line("loop r7 = r5 to -3 step 2", module));
    for (const char *text :
         {"semaphore", "while r3", "if r4, wait s1>=1", "else", "end_if",
          "end_loop", "end_loop", "end_loop"})
      add(static_cast<Engine>(i), line(text, module));
  }
  return module;
}

} // namespace kiln::isa::test

#endif // KILN_TEST_UNIT_ISA_SAMPLES_H
