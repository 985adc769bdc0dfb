//===- GenStructs.cpp - -gen-structs: one struct a record -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

namespace kiln::tblgen {
namespace {

/// The initial value of a field. A required enum starts at its first case: zero
/// need not be a case.
std::string initialValue(const IsaRecords &records,
                         const OperandRecord &operand) {
  if (!operand.defaultValue.empty())
    return " = " + operand.defaultValue;
  if (operand.kind == "Enum")
    return " = " + operand.enumName +
           "::" + records.enumNamed(operand.enumName).cases.front().name;
  if (operand.kind == "Int")
    return " = 0";
  if (operand.kind == "Float")
    return " = 0.0f";
  return "{}";
}

void emitStruct(raw_ostream &os, const IsaRecords &records,
                const InstructionRecord &record) {
  os << "/// " << record.summary << "\n"
     << "struct " << record.cppName << " {\n"
     << "  static constexpr Opcode opcode = Opcode::" << record.cppName << ";\n"
     << "  static constexpr std::string_view mnemonic = \"" << record.mnemonic
     << "\";\n";
  for (const OperandRecord &operand : record.operands) {
    std::string initial = initialValue(records, operand);
    if (operand.kind == "RegOrInt" && initial != "{}")
      initial = "{" + operand.defaultValue + "}";
    os << "  " << operand.cppType << " " << operand.name << initial << "; ///< "
       << operand.doc << "\n";
  }
  os << "  friend bool operator==(const " << record.cppName << " &, const "
     << record.cppName << " &) = default;\n};\n\n";
}

void emitForEachOperand(raw_ostream &os, const InstructionRecord &record) {
  for (StringRef qualifier : {"", "const "}) {
    os << "template <class Visitor>\nconstexpr void forEachOperand("
       << qualifier << record.cppName
       << " &instruction, Visitor &&visitor) {\n";
    if (record.operands.empty())
      os << "  (void)instruction;\n  (void)visitor;\n";
    for (const OperandRecord &operand : record.operands)
      os << "  visitor(std::string_view(\"" << operand.name
         << "\"), instruction." << operand.name << ");\n";
    os << "}\n";
  }
  os << "\n";
}

void emitBody(raw_ostream &os, const IsaRecords &records) {
  ListSeparator comma(",\n    ");
  os << "/// Every instruction, in opcode order.\n"
     << "using Bodies = std::variant<\n    ";
  for (const InstructionRecord &record : records.instructions)
    os << comma << record.cppName;
  os << ">;\n\n"
     << "inline constexpr std::array<Opcode, " << records.instructions.size()
     << "> bodyOpcodes{\n";
  for (const InstructionRecord &record : records.instructions)
    os << "    Opcode::" << record.cppName << ",\n";
  os << "};\n";
}

/// For code that lists the instructions of one kind.
void emitList(raw_ostream &os, const IsaRecords &records) {
  os << "\n/// X(Struct) for every instruction that an engine's data path "
        "executes alone:\n/// not the sequencer, not a DMA queue, not several "
        "cores together.\n"
     << "#define KILN_ISA_ENGINE_INSTRUCTIONS(X)";
  for (const InstructionRecord &record : records.instructions)
    if (!record.isControl && !record.isDma && record.state != "peers")
      os << " \\\n  X(" << record.cppName << ")";
  os << "\n";
}

void emitStructs(const RecordKeeper &keeper, raw_ostream &os) {
  IsaRecords records = readRecords(keeper);
  emitBanner(os, "Instruction structs");
  for (const InstructionRecord &record : records.instructions) {
    emitStruct(os, records, record);
    emitForEachOperand(os, record);
  }
  emitBody(os, records);
  emitList(os, records);
}

TableGen::Emitter::Opt structsBackend("gen-structs", emitStructs,
                                      "Instruction structs");

} // namespace
} // namespace kiln::tblgen
