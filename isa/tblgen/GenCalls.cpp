//===- GenCalls.cpp - The calls of the language's instruction level -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function an instruction, nc::MNEMONIC: what must be given in the order of
// the record, destination first, the rest in a struct for designated
// initialisers. Only what differs from its default is recorded. The types of
// the operands are in dsl/include/kiln/dsl/nc_call.h, which includes the
// result.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

namespace kiln::tblgen {
namespace {

/// The language's type of an operand; "" for what it has no type for.
std::string callType(const OperandRecord &operand) {
  // The flag that says how a product treats its destination has words.
  return operand.kind == "Flag" && operand.name == "accumulate"
             ? "Accumulate"
             : operand.callType;
}

/// The function of Call that records it.
std::string recorder(const OperandRecord &operand) {
  if (operand.form == "scalar")
    return operand.perPartitionScalar ? "scalar" : "tileOrNumber";
  return operand.form == "flag"    ? "integer"
         : operand.form == "lists" ? "list"
                                   : operand.form;
}

/// Operands in their place are those that must be given, optional ones with
/// such a one behind them, and what belongs to the operator before it.
size_t placedOperands(const InstructionRecord &record) {
  size_t placed = 0;
  for (size_t i = 0; i < record.operands.size(); ++i) {
    const OperandRecord &operand = record.operands[i];
    const bool ofOperator = i > 0 && placed == i &&
                            operand.kind == "OptionalScalarOrTile" &&
                            record.operands[i - 1].enumName == "AluOp";
    if ((operand.defaultValue.empty() && !operand.isOptionalKind) || ofOperator)
      placed = i + 1;
  }
  return placed;
}

void emitOptions(raw_ostream &os, const InstructionRecord &record,
                 ArrayRef<OperandRecord> options) {
  os << "struct " << record.cppName << "Options {\n";
  for (const OperandRecord &operand : options)
    os << "  " << callType(operand) << " " << operand.name << " = "
       << (operand.defaultValue.empty() ? "{}" : operand.defaultValue)
       << "; ///< " << operand.doc << "\n";
  if (record.engines.size() > 1) {
    os << "  Optional<Engine> engine = {}; ///< ";
    ListSeparator comma;
    for (const std::string &engine : record.engines)
      os << comma << engine;
    os << "\n";
  }
  os << "  std::string_view name = {};\n};\n";
}

void emitCall(raw_ostream &os, const InstructionRecord &record) {
  ArrayRef<OperandRecord> operands(record.operands);
  const size_t placed = placedOperands(record);
  emitOptions(os, record, operands.drop_front(placed));
  os << "/// " << record.summary << "\n";
  if (!record.equation.empty())
    os << "///   " << record.equation << "\n";
  os << "inline Instruction " << record.mnemonic << "(";
  for (const OperandRecord &operand : operands.take_front(placed)) {
    const std::string type = callType(operand);
    const bool small = operand.passedByValue && type == operand.callType;
    os << (small ? type + " " : "const " + type + " &") << operand.name << ", ";
  }
  os << "const " << record.cppName
     << "Options &o = {}, dsl::Where where = dsl::Where::current()) {\n"
     << "  return Call(\"" << record.mnemonic << "\", where)";
  for (const auto &[i, operand] : enumerate(operands)) {
    os << "\n      ." << recorder(operand) << "(\"" << operand.name << "\", "
       << (i < placed ? "" : "o.") << operand.name;
    if (!operand.defaultValue.empty() && operand.defaultValue != "{}")
      os << ", " << operand.defaultValue;
    os << ")";
  }
  if (record.engines.size() > 1)
    os << "\n      .choice(\"engine\", o.engine)";
  os << "\n      .record(o.name);\n}\n\n";
}

/// The enumerations have the names of isa's, but not their tables.
void emitWords(raw_ostream &os, const EnumRecord &record) {
  os << "enum class " << record.cppName << " : std::uint8_t {\n";
  for (const EnumCaseRecord &entry : record.cases)
    os << "  " << entry.name << ", ///< " << entry.doc << "\n";
  os << "};\ninline const char *word(" << record.cppName
     << " value) {\n  static constexpr const char *words[] = {";
  ListSeparator comma;
  for (const EnumCaseRecord &entry : record.cases)
    os << comma << "\"" << entry.name << "\"";
  os << "};\n  return words[static_cast<unsigned>(value)];\n}\n\n";
}

void emitCalls(const RecordKeeper &keeper, raw_ostream &os) {
  IsaRecords records = readRecords(keeper);
  emitBanner(os, "Calls of the instruction level");
  for (const EnumRecord &entry : records.enums)
    emitWords(os, entry);
  for (const InstructionRecord &record : records.instructions)
    if (!record.isControl)
      emitCall(os, record);
}

TableGen::Emitter::Opt callsBackend("gen-calls", emitCalls,
                                    "Calls of the language");

} // namespace

std::string callText(const InstructionRecord &record) {
  const size_t placed = placedOperands(record);
  std::string text = "nc::" + record.mnemonic + "(", options;
  ListSeparator comma, optionComma;
  for (const auto &[i, operand] : enumerate(record.operands)) {
    if (i < placed) {
      text += StringRef(comma).str() + operand.name;
      continue;
    }
    options += StringRef(optionComma).str() + "." + operand.name;
    if (!operand.defaultValue.empty())
      options += " = " + operand.defaultValue;
  }
  if (record.engines.size() > 1)
    options += StringRef(optionComma).str() + ".engine";
  options += StringRef(optionComma).str() + ".name";
  return text + StringRef(comma).str() + "{" + options + "})";
}

} // namespace kiln::tblgen
