//===- Instruction.cpp - Instructions as values, and what they access -----===//
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
    if constexpr (std::is_same_v<Field, bool>) {
      if (field)
        readTargets(name);
    }
    std::size_t before = out.size();
    add(name, operand.effect, field);
    if (out.size() != before && !operand.indexOf.empty())
      markIndexed(operand.indexOf);
  }

  /// The operands that this instruction could write but does not.
  void onlyRead(std::string_view name) {
    for (std::size_t i = first; i < out.size(); ++i)
      if (out[i].name == name)
        out[i].effect = Effect::read;
  }

private:
  void add(std::string_view name, Effect effect, const Access &access) {
    out.push_back({name, effect, &access});
  }
  void add(std::string_view name, Effect effect,
           const std::vector<Access> &list) {
    for (const Access &access : list)
      add(name, effect, access);
  }
  void add(std::string_view name, Effect effect, const ScalarOrTile &operand) {
    if (const Access *access = std::get_if<Access>(&operand))
      add(name, effect, *access);
  }
  template <AnyOptional T>
  void add(std::string_view name, Effect effect, const T &field) {
    if (field)
      add(name, effect, *field);
  }
  // Immediates, flags, registers: no memory.
  template <class T> void add(std::string_view, Effect, const T &) {}

  /// A set flag turns the operand that names it from written into read and
  /// written.
  void readTargets(std::string_view flag) {
    for (std::size_t i = first; i < out.size(); ++i)
      if (info.operand(out[i].name)->readIf == flag)
        out[i].effect = Effect::readWrite;
  }

  /// In a list, the last one is indexed.
  void markIndexed(std::string_view name) {
    for (std::size_t i = out.size(); i-- > first;)
      if (out[i].name == name) {
        out[i].isIndexed = true;
        return;
      }
  }

  const InstructionInfo &info;
  std::vector<OperandAccess> &out;
  std::size_t first = out.size();
  std::size_t index = 0;
};

/// Makes the alternative whose opcode it is.
template <std::size_t... Index>
void makeAlternative(Body &body, Opcode opcode, std::index_sequence<Index...>) {
  ((bodyOpcodes[Index] == opcode ? void(body.emplace<Index>()) : void()), ...);
}

} // namespace

Body::Body() = default;
Body::Body(const Body &other) = default;
Body::Body(Body &&other) noexcept = default;
Body &Body::operator=(const Body &other) = default;
Body &Body::operator=(Body &&other) noexcept = default;
Body::~Body() = default;

bool operator==(const Body &a, const Body &b) {
  return static_cast<const Bodies &>(a) == static_cast<const Bodies &>(b);
}

Body makeBody(Opcode opcode) {
  Body body;
  makeAlternative(body, opcode, std::make_index_sequence<bodyOpcodes.size()>());
  return body;
}

std::optional<std::int32_t> queueOf(const Body &body) {
  return std::visit(
      [](const auto &op) -> std::optional<std::int32_t> {
        if constexpr (requires { op.queue; })
          return op.queue;
        else
          return std::nullopt;
      },
      body);
}

void collectAccesses(const Body &body, std::vector<OperandAccess> &out) {
  std::visit(
      [&](const auto &instruction) {
        Collector collector(info(instruction.opcode), out);
        forEachOperand(instruction, collector);
        // Receive counts that are known are not written.
        if constexpr (requires { instruction.recv_counts_known; })
          if (instruction.recv_counts_known)
            collector.onlyRead("metadata_tensor");
      },
      body);
}

} // namespace kiln::isa
