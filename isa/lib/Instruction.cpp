//===- Instruction.cpp - The accesses of an instruction -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/instruction.h"

namespace kiln::isa {
namespace {

/// Appends the accesses of one operand after the other.
class Collector {
public:
  Collector(const InstructionInfo &info, std::vector<OperandAccess> &out)
      : info(info), out(out) {}

  template <class Field>
  void operator()(std::string_view name, const Field &field) {
    const OperandInfo &operand = info.operands[index++];
    add(name, operand.effect, field);
  }

private:
  void add(std::string_view name, Effect effect, const Access &access) {
    out.push_back({name, effect, &access});
  }
  void add(std::string_view name, Effect effect, const ScalarOrTile &operand) {
    if (const Access *access = std::get_if<Access>(&operand))
      add(name, effect, *access);
  }
  template <class T>
  void add(std::string_view name, Effect effect,
           const std::optional<T> &field) {
    if (field)
      add(name, effect, *field);
  }
  // Immediates, flags, registers: no memory.
  template <class T> void add(std::string_view, Effect, const T &) {}

  const InstructionInfo &info;
  std::vector<OperandAccess> &out;
  std::size_t index = 0;
};

} // namespace

void collectAccesses(const Body &body, std::vector<OperandAccess> &out) {
  std::size_t first = out.size();
  std::visit(
      [&](const auto &instruction) {
        forEachOperand(instruction, Collector(info(instruction.opcode), out));
      },
      body);
  // The only destination that may keep what it held: PSUM accumulation.
  if (const NcMatmul *matmul = std::get_if<NcMatmul>(&body))
    if (matmul->accumulate)
      out[first].effect = Effect::readWrite;
}

} // namespace kiln::isa
