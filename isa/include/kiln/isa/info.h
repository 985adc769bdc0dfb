//===- info.h - What is known about each instruction ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The td records as constexpr tables. The checks, the assembler, hazards,
// timing, the manual and the language read these instead of switching over
// opcodes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_INFO_H
#define KILN_ISA_INFO_H

#include "kiln/isa/enums.h"

#include <optional>
#include <span>

namespace kiln::isa {

enum class Effect : std::uint8_t { none, read, write, readWrite };

// enums.h has the kinds of operands and what they have in common; they are
// generated from td/OperandKinds.td.

/// Sets of DType, Space and Engine are bit masks of these.
constexpr std::uint32_t maskOf(DType dtype) {
  return 1u << static_cast<unsigned>(dtype);
}
constexpr std::uint32_t maskOf(Space space) {
  return 1u << static_cast<unsigned>(space);
}
constexpr std::uint32_t maskOf(Engine engine) {
  return 1u << static_cast<unsigned>(engine);
}

struct OperandInfo {
  std::string_view name;
  OperandKind kind;
  Effect effect;
  std::uint32_t spaces;      ///< Mask of Space; 0 if not a memory access.
  std::uint32_t types;       ///< Mask of DType; 0 if not a memory access.
  bool perPartitionScalar;   ///< One element per partition.
  std::uint32_t minElements; ///< Per partition.
  std::uint32_t maxElements; ///< 0 = limited by the memory.
  std::uint32_t elementStep; ///< The count is a multiple of this.
  std::uint8_t maxDims;      ///< Free dimensions after merging; 0 = four.
  std::string_view indexOf;  ///< The operand that this index selects from.
  bool anyStart;             ///< May start at any partition.
  std::string_view readIf;   ///< A flag; if set, it is read, then written.
  std::uint64_t cases;       ///< Mask of legal enumerators; 0 = all.
  std::string_view enumName;
  std::string_view defaultValue; ///< C++ expression; empty = required.
  std::string_view doc;

  constexpr bool isOptional() const { return isOmittable(kind); }
  constexpr bool isRequired() const {
    return !isOptional() && defaultValue.empty();
  }
};

/// State that an engine keeps between instructions. Instructions of one engine
/// that name the same state must stay in order. `peers` is a single state for
/// all engines of a core: the order in which it meets other cores and ranks.
enum class HiddenState : std::uint8_t { none, accumulator, random, peers };

/// Control flow: what an instruction does to the bodies around it.
enum class Nesting : std::uint8_t { none, opens, divides, closes };

struct InstructionInfo {
  Opcode opcode;
  std::string_view mnemonic;
  std::string_view structName;
  std::uint32_t engines; ///< Mask of Engine: streams that may hold it.
  Engine defaultEngine;
  Generation since;
  std::optional<Generation> until; ///< None: the newest has it, too.
  bool isControl;                  ///< Executes in the sequencer.
  Nesting nesting;
  bool isDma; ///< Runs on a DMA queue after it issues.
  HiddenState state;
  CostClass cost;
  bool movesBits; ///< Accepts types that hold no numbers.
  std::string_view group;
  std::string_view summary;
  std::string_view equation;
  std::string_view example; ///< A line of valid assembly.
  std::span<const OperandInfo> operands;
  std::span<const CheckId> checks;

  constexpr bool isOn(Generation generation) const {
    return since <= generation && (!until || generation <= *until);
  }
  constexpr bool allows(Engine engine) const {
    return (engines & maskOf(engine)) != 0;
  }
  constexpr const OperandInfo *operand(std::string_view name) const {
    for (const OperandInfo &entry : operands)
      if (entry.name == name)
        return &entry;
    return nullptr;
  }
};

// Generated: `instructionTable` in opcode order and `info(Opcode)`.
#include "kiln/isa/InstructionInfo.h.inc"

/// all_gather_v and its parts: all ranks get what column 0 of a table counts.
constexpr bool gathersCounted(Opcode opcode) {
  return opcode == Opcode::AllGatherV || opcode == Opcode::AllGatherVPrepare ||
         opcode == Opcode::AllGatherVTrigger;
}

} // namespace kiln::isa

#endif // KILN_ISA_INFO_H
