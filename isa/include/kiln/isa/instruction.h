//===- instruction.h - One decoded instruction ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structs themselves (NcMatmul, Activation, ...) are generated from td/.
// Their fields have the operand names of the manual: one name serves the
// manual, the assembly, the `nc` dialect and the language.
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
// `bodyOpcodes`, both in opcode order, the list KILN_ISA_ENGINE_INSTRUCTIONS,
// and
//   template <class Visitor> void forEachOperand(S &, Visitor &&);
// which calls `visitor(std::string_view name, field)` in operand order. The
// enumerations are in enums.h, the tables about the records in info.h.
#include "kiln/isa/Instructions.h.inc"

/// One of the structs. Copying, moving and comparing are defined out of line.
/// Otherwise every file that holds an instruction would compile these
/// operations for a variant of this many structs.
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

/// A body of this kind with every operand at its default.
Body makeBody(Opcode opcode);

/// An instruction as it stands in a stream.
struct Instruction {
  Body body;
  std::vector<Wait> waits;     ///< All must be met before it issues.
  std::vector<Signal> signals; ///< Given when it completes.
  std::uint32_t location = 0;  ///< Index into Module::locations; 0 = unknown.
  /// Position in the sequential program from which the streams were emitted.
  /// The order of these positions inside each loop body defines the meaning of
  /// the kernel. Hazard checkers use it; engines ignore it.
  std::uint32_t position = 0;
  friend bool operator==(const Instruction &, const Instruction &) = default;
};

/// A memory access of an instruction, for hazards, shadow state and printing.
struct OperandAccess {
  std::string_view name; ///< Operand name, for example "moving".
  Effect effect = Effect::none;
  const Access *access = nullptr;
  /// An index operand selects the rows or elements: they may be anywhere in the
  /// tensor or, on chip, anywhere in the partitions of `access`.
  bool isIndexed = false;
};

/// Every memory operand that `instruction` accesses, with its effect resolved:
/// nc_matmul's dst is readWrite if `accumulate` is set, else write.
void collectAccesses(const Body &body, std::vector<OperandAccess> &out);

/// The DMA queue that the instruction runs on, if any.
std::optional<std::int32_t> queueOf(const Body &body);

template <class... Structs> bool isOneOf(const Body &body) {
  return (std::holds_alternative<Structs>(body) || ...);
}

/// True if it opens a body that end_loop repeats.
inline bool isLoop(const Body &body) { return isOneOf<LoopBegin, While>(body); }

} // namespace kiln::isa

#endif // KILN_ISA_INSTRUCTION_H
