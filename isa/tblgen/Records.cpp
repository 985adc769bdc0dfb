//===- Records.cpp - Instruction records as plain structs -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "OperandKinds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <algorithm>
#include <map>
#include <set>

using namespace llvm;

namespace kiln::tblgen {

bool OperandRecord::isTileInput() const {
  return holdsAccess && !perPartitionScalar && effect == "read" &&
         indexOf.empty();
}

const EnumRecord &IsaRecords::enumNamed(const std::string &cppName) const {
  for (const EnumRecord &entry : enums)
    if (entry.cppName == cppName)
      return entry;
  PrintFatalError("no enumeration is called " + cppName);
}

std::vector<std::string> IsaRecords::costClasses() const {
  std::set<std::string> names;
  for (const InstructionRecord &instruction : instructions)
    names.insert(instruction.cost);
  return {names.begin(), names.end()};
}

const std::string &IsaRecords::checkDoc(const std::string &name) const {
  for (const CheckRecord &check : checks)
    if (check.name == name)
      return check.doc;
  PrintFatalError("no Check in Checks.td is called " + name);
}

namespace {

std::vector<std::string> strings(const Record &record, StringRef field) {
  std::vector<std::string> result;
  for (StringRef text : record.getValueAsListOfStrings(field))
    result.push_back(text.str());
  return result;
}

std::string text(const Record &record, StringRef field) {
  return record.getValueAsString(field).trim().str();
}

EnumRecord readEnum(const Record &record) {
  EnumRecord result;
  result.cppName = text(record, "CppName");
  std::set<std::string> names;
  std::set<std::int64_t> values;
  for (const Record *entry : record.getValueAsListOfDefs("Cases")) {
    EnumCaseRecord enumCase{text(*entry, "Name"), entry->getValueAsInt("Value"),
                            text(*entry, "Doc"), strings(*entry, "Traits"),
                            text(*entry, "Since")};
    if (!names.insert(enumCase.name).second ||
        !values.insert(enumCase.value).second)
      PrintFatalError(&record,
                      "two cases share name or value: " + Twine(enumCase.name));
    if (enumCase.value < 0 || enumCase.value > 255)
      PrintFatalError(&record, "a value must fit one byte");
    result.cases.push_back(std::move(enumCase));
  }
  return result;
}

OperandRecord readOperand(const Record &record) {
  OperandRecord result;
  result.name = text(record, "Name");
  result.kind = kindName(*record.getValueAsDef("Kind"));
  result.cppType = kindText(record, "CppType");
  result.callType = kindText(record, "CallType");
  result.form = kindText(record, "Form");
  result.words = kindText(record, "Words");
  result.holdsAccess = kindBit(record, "HoldsAccess");
  result.isOptionalKind = kindBit(record, "IsOptional");
  result.passedByValue = kindBit(record, "PassedByValue");
  result.doc = text(record, "Doc");
  result.effect = text(*record.getValueAsDef("Access"), "Name");
  result.spaces = strings(record, "Spaces");
  result.types = strings(*record.getValueAsDef("Types"), "Names");
  result.perPartitionScalar = record.getValueAsBit("PerPartitionScalar");
  result.minElements = record.getValueAsInt("MinElements");
  result.maxElements = record.getValueAsInt("MaxElements");
  result.elementStep = record.getValueAsInt("ElementStep");
  result.maxDims = record.getValueAsInt("MaxDims");
  result.indexOf = text(record, "IndexOf");
  result.anyStart = record.getValueAsBit("AnyStart");
  result.readIf = text(record, "ReadIf");
  result.cases = strings(record, "Cases");
  if (result.perPartitionScalar)
    result.maxElements = 1;
  result.enumName = text(record, "EnumName");
  result.defaultValue = text(record, "Default");
  return result;
}

/// An instruction word has room for three free dimensions where two tiles
/// stream in, for four otherwise. The tensor engine loads its two inputs by
/// separate words, DMA has descriptors.
void limitDims(InstructionRecord &record) {
  unsigned inputs = 0;
  for (const OperandRecord &operand : record.operands)
    inputs += operand.isTileInput();
  bool narrow = inputs > 1 && !record.isDma && !record.isControl &&
                record.engines.front() != "tensor";
  for (OperandRecord &operand : record.operands)
    if (narrow && operand.maxDims == 0 && operand.holdsAccess)
      operand.maxDims = 3;
}

InstructionRecord readInstruction(const Record &record) {
  InstructionRecord result;
  result.cppName = record.getName().str();
  result.mnemonic = text(record, "Mnemonic");
  result.opcode = record.getValueAsInt("Opcode");
  result.group = text(*record.getValueAsDef("InstructionGroup"), "Name");
  result.engines = strings(record, "Engines");
  result.since = text(record, "Since");
  result.until = text(record, "Until");
  result.checks = strings(record, "Checks");
  result.cost = text(record, "Cost");
  result.movesBits = record.getValueAsBit("MovesBits");
  result.state = text(record, "State");
  result.isControl = record.getValueAsBit("IsControl");
  result.nesting = text(record, "Nesting");
  result.isDma = record.getValueAsBit("IsDma");
  result.summary = text(record, "Summary");
  result.equation = text(record, "Equation");
  result.description = text(record, "Description");
  result.example = text(record, "Example");
  std::set<std::string> names;
  for (const Record *operand : record.getValueAsListOfDefs("Operands")) {
    result.operands.push_back(readOperand(*operand));
    if (!names.insert(result.operands.back().name).second)
      PrintFatalError(&record, "two operands share a name");
  }
  limitDims(result);
  for (const OperandRecord &operand : result.operands)
    for (const std::string &name : {operand.readIf, operand.indexOf})
      if (!name.empty() && !names.count(name))
        PrintFatalError(&record, "no operand is called " + Twine(name));
  if (result.engines.empty() || result.cost.empty() || result.summary.empty())
    PrintFatalError(&record, "Engines, Cost and Summary must be given");
  if (result.opcode <= 0 || result.opcode > 0xffff)
    PrintFatalError(&record, "the opcode must be in 1..65535");
  return result;
}

} // namespace

IsaRecords readRecords(const RecordKeeper &keeper) {
  IsaRecords result;
  for (const Record *record : keeper.getAllDerivedDefinitions("EnumDef"))
    result.enums.push_back(readEnum(*record));
  std::map<std::int64_t, std::string> opcodes;
  std::set<std::string> mnemonics;
  for (const Record *record : keeper.getAllDerivedDefinitions("Instruction")) {
    InstructionRecord instruction = readInstruction(*record);
    auto [taken, isNew] =
        opcodes.try_emplace(instruction.opcode, instruction.cppName);
    if (!isNew)
      PrintFatalError(record, "opcode already used by " + taken->second);
    if (!mnemonics.insert(instruction.mnemonic).second)
      PrintFatalError(record, "mnemonic already used");
    result.instructions.push_back(std::move(instruction));
  }
  for (const Record *record : keeper.getAllDerivedDefinitions("Check"))
    result.checks.push_back({text(*record, "Name"), text(*record, "Doc")});
  std::sort(result.checks.begin(), result.checks.end(),
            [](const CheckRecord &a, const CheckRecord &b) {
              return a.name < b.name;
            });
  for (const InstructionRecord &instruction : result.instructions) {
    for (const std::string &check : instruction.checks)
      result.checkDoc(check);
    for (const OperandRecord &operand : instruction.operands)
      for (const std::string &name : operand.cases)
        if (llvm::none_of(result.enumNamed(operand.enumName).cases,
                          [&](const EnumCaseRecord &entry) {
                            return entry.name == name;
                          }))
          PrintFatalError(operand.enumName + " has no case " + name);
  }
  std::sort(result.enums.begin(), result.enums.end(),
            [](const EnumRecord &a, const EnumRecord &b) {
              return a.cppName < b.cppName;
            });
  std::sort(result.instructions.begin(), result.instructions.end(),
            [](const InstructionRecord &a, const InstructionRecord &b) {
              return a.opcode < b.opcode;
            });
  return result;
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  raw_string_ostream os(result);
  printEscapedString(text, os);
  // printEscapedString writes \XX in hexadecimal; C++ wants \n and the like.
  std::string escaped;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (i > 0 && result[i] == '\\' && result.compare(i, 3, "\\0A") == 0) {
      escaped += "\\n";
      i += 2;
    } else if (result.compare(i, 3, "\\22") == 0) {
      escaped += "\\\"";
      i += 2;
    } else {
      escaped += result[i];
    }
  }
  return escaped + "\"";
}

void emitBanner(raw_ostream &os, const std::string &what) {
  os << "// " << what << "\n"
     << "// Generated from isa/td by kiln-tblgen. Do not edit.\n\n";
}

} // namespace kiln::tblgen
