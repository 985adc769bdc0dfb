//===- GenInfo.cpp - -gen-info: constexpr tables about each record --------===//
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

std::string mask(StringRef type, const std::vector<std::string> &names) {
  if (names.empty())
    return "0";
  std::string result;
  ListSeparator bar(" | ");
  raw_string_ostream os(result);
  for (const std::string &name : names)
    os << bar << "maskOf(" << type << "::" << name << ")";
  return result;
}

/// A bit for each legal enumerator; 0 = all.
std::uint64_t caseMask(const IsaRecords &records,
                       const OperandRecord &operand) {
  std::uint64_t result = 0;
  for (const std::string &name : operand.cases)
    for (const EnumCaseRecord &entry :
         records.enumNamed(operand.enumName).cases)
      if (entry.name == name)
        result |= std::uint64_t{1} << entry.value;
  return result;
}

std::string effectName(const std::string &effect) {
  return effect == "read_write" ? "readWrite" : effect;
}

std::string operandTableName(const InstructionRecord &record) {
  std::string result = record.cppName + "Operands";
  result[0] = toLower(result[0]);
  return result;
}

std::string checkTableName(const InstructionRecord &record) {
  std::string result = record.cppName + "Checks";
  result[0] = toLower(result[0]);
  return result;
}

void emitOperands(raw_ostream &os, const IsaRecords &records,
                  const InstructionRecord &record) {
  if (record.operands.empty())
    return;
  os << "inline constexpr std::array<OperandInfo, " << record.operands.size()
     << "> " << operandTableName(record) << "{{\n";
  for (const OperandRecord &operand : record.operands) {
    bool access = operand.holdsAccess;
    os << "    {\"" << operand.name << "\", OperandKind::" << operand.kind
       << ", Effect::" << effectName(operand.effect) << ",\n     "
       << (access ? mask("Space", operand.spaces) : "0") << ",\n     "
       << (access ? mask("DType", operand.types) : "0") << ",\n     "
       << (operand.perPartitionScalar ? "true" : "false") << ", "
       << operand.minElements << ", " << operand.maxElements << ", "
       << operand.elementStep << ", " << operand.maxDims << ", \""
       << operand.indexOf << "\", " << (operand.anyStart ? "true" : "false")
       << ", \"" << operand.readIf << "\", " << caseMask(records, operand)
       << "u, \"" << operand.enumName << "\", " << quoted(operand.defaultValue)
       << ", " << quoted(operand.doc) << "},\n";
  }
  os << "}};\n";
}

void emitChecks(raw_ostream &os, const InstructionRecord &record) {
  if (record.checks.empty())
    return;
  ListSeparator comma;
  os << "inline constexpr std::array<CheckId, " << record.checks.size() << "> "
     << checkTableName(record) << "{";
  for (const std::string &check : record.checks)
    os << comma << "CheckId::" << check;
  os << "};\n";
}

void emitInstruction(raw_ostream &os, const InstructionRecord &record) {
  os << "    {Opcode::" << record.cppName << ", \"" << record.mnemonic
     << "\", \"" << record.cppName << "\",\n     "
     << mask("Engine", record.engines) << ", Engine::" << record.engines.front()
     << ", Generation::" << record.since << ", "
     << (record.until.empty() ? "{}" : "Generation::" + record.until) << ", "
     << (record.isControl ? "true" : "false") << ", Nesting::" << record.nesting
     << ", " << (record.isDma ? "true" : "false")
     << ", HiddenState::" << record.state << ", CostClass::" << record.cost
     << ", " << (record.movesBits ? "true" : "false") << ",\n     "
     << quoted(record.group) << ", " << quoted(record.summary) << ",\n     "
     << quoted(record.equation) << ",\n     " << quoted(record.example)
     << ",\n     "
     << (record.operands.empty() ? "{}" : operandTableName(record)) << ", "
     << (record.checks.empty() ? "{}" : checkTableName(record)) << "},\n";
}

void emitInfo(const RecordKeeper &keeper, raw_ostream &os) {
  IsaRecords records = readRecords(keeper);
  emitBanner(os, "Tables about instructions and operands");
  for (const InstructionRecord &record : records.instructions) {
    emitOperands(os, records, record);
    emitChecks(os, record);
  }
  os << "inline constexpr std::array<InstructionInfo, "
     << records.instructions.size() << "> instructionTable{{\n";
  for (const InstructionRecord &record : records.instructions)
    emitInstruction(os, record);
  os << "}};\n\n"
     << "constexpr const InstructionInfo &info(Opcode opcode) {\n"
     << "  switch (opcode) {\n";
  for (std::size_t i = 0; i < records.instructions.size(); ++i)
    os << "  case Opcode::" << records.instructions[i].cppName
       << ":\n    return instructionTable[" << i << "];\n";
  os << "  }\n  return instructionTable[0];\n}\n";
}

TableGen::Emitter::Opt infoBackend("gen-info", emitInfo,
                                   "Tables about instructions");

} // namespace
} // namespace kiln::tblgen
