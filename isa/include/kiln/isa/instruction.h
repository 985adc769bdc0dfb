//===- instruction.h - One decoded instruction ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structs themselves (NcMatmul, Activation, ...) are generated from td/.
// Their fields carry the operand names of the manual, so that one name serves
// the manual, the assembly, the `nc` dialect and the language.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_INSTRUCTION_H
#define KILN_ISA_INSTRUCTION_H

#include "kiln/isa/access.h"
#include "kiln/isa/info.h"
#include "kiln/isa/optional.h"

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace kiln::isa {

// Generated: one struct per record, `using Bodies = std::variant<...>` and
// `bodyOpcodes`, both in opcode order, and
//   template <class Visitor> void forEachOperand(S &, Visitor &&);
// which calls `visitor(std::string_view name, field)` in operand order. The
// enumerations are in enums.h, the tables about the records in info.h.
#include "kiln/isa/Instructions.h.inc"

/// One of the structs. It is copied, moved and compared out of line, because
/// every file that holds an instruction would otherwise compile what a variant
/// of so many structs needs for that.
class Body : public Bodies {
public:
  using Bodies::Bodies;
  Body();
  Body(const Body &other);
  Body(Body &&other) noexcept;
  Body &operator=(const Body &other);
  Body &operator=(Body &&other) noexcept;
  ~Body();
  friend bool operator==(const Body &a, const Body &b);
};

inline Opcode opcode(const Body &body) { return bodyOpcodes[body.index()]; }

/// A body of that kind with every operand at its default.
Body makeBody(Opcode opcode);

/// An instruction as it stands in a stream.
struct Instruction {
  Body body;
  std::vector<Wait> waits;     ///< All must hold before it issues.
  std::vector<Signal> signals; ///< Given when it completes.
  std::uint32_t location = 0;  ///< Index into Module::locations; 0 = unknown.
  /// Position in the sequential program that the streams were made from. The
  /// meaning of the kernel is the order of these positions inside each loop
  /// body; hazard checkers use it, engines ignore it.
  std::uint32_t position = 0;
  friend bool operator==(const Instruction &, const Instruction &) = default;
};

/// A memory access of an instruction, for hazards, shadow state and printing.
struct OperandAccess {
  std::string_view name; ///< Operand name, for example "moving".
  Effect effect = Effect::none;
  const Access *access = nullptr;
  /// The rows or elements that it touches come from an index operand: anywhere
  /// in the tensor or, on chip, in the partitions of `access`.
  bool isIndexed = false;
};

/// Every memory operand of `instruction` that takes part, with its effect
/// resolved: nc_matmul's dst is readWrite if `accumulate` is set, else write.
void collectAccesses(const Body &body, std::vector<OperandAccess> &out);

/// Opens a body that end_loop repeats.
/// The DMA queue that it runs on, if it does.
std::optional<std::int32_t> queueOf(const Body &body);

inline bool isLoop(const Body &body) {
  return std::holds_alternative<LoopBegin>(body) ||
         std::holds_alternative<While>(body);
}

} // namespace kiln::isa

#endif // KILN_ISA_INSTRUCTION_H
