//===- GenEnums.cpp - -gen-enums: operators, opcodes, classes -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandKinds.h"
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <set>

using namespace llvm;

namespace kiln::tblgen {
namespace {

void emitEnum(raw_ostream &os, const EnumRecord &record, StringRef storage,
              StringRef comment) {
  os << "/// " << comment << "\n";
  os << "enum class " << record.cppName << " : " << storage << " {\n";
  for (const EnumCaseRecord &entry : record.cases) {
    os << "  " << entry.name << " = " << entry.value << ",";
    if (!entry.doc.empty())
      os << " ///< " << entry.doc;
    os << "\n";
  }
  os << "};\n";
}

void emitTraits(raw_ostream &os, const EnumRecord &record) {
  os << "template <> struct EnumTraits<" << record.cppName << "> {\n"
     << "  static constexpr std::string_view typeName = \"" << record.cppName
     << "\";\n"
     << "  static constexpr std::array<EnumEntry<" << record.cppName << ">, "
     << record.cases.size() << "> entries{{\n";
  for (const EnumCaseRecord &entry : record.cases)
    os << "      {" << record.cppName << "::" << entry.name << ", \""
       << entry.name << "\", " << quoted(entry.doc) << "},\n";
  os << "  }};\n};\n"
     << "constexpr std::string_view name(" << record.cppName
     << " value) { return spelling(value); }\n\n";
}

/// `constexpr bool isUnary(AluOp)` for every trait that a case has, and
/// `since(E)` where not every case is as old as the first machine.
void emitPredicates(raw_ostream &os, const EnumRecord &record) {
  std::set<std::string> traits;
  bool grew = false;
  for (const EnumCaseRecord &entry : record.cases) {
    traits.insert(entry.traits.begin(), entry.traits.end());
    grew |= entry.since != "v2";
  }
  for (const std::string &trait : traits) {
    os << "constexpr bool is" << trait << "(" << record.cppName
       << " value) {\n  switch (value) {\n";
    for (const EnumCaseRecord &entry : record.cases)
      if (is_contained(entry.traits, trait))
        os << "  case " << record.cppName << "::" << entry.name << ":\n";
    os << "    return true;\n  default:\n    return false;\n  }\n}\n";
  }
  if (!grew)
    return;
  os << "/// The first generation that has the case.\n"
     << "constexpr Generation since(" << record.cppName
     << " value) {\n  switch (value) {\n";
  for (const EnumCaseRecord &entry : record.cases)
    if (entry.since != "v2")
      os << "  case " << record.cppName << "::" << entry.name
         << ":\n    return Generation::" << entry.since << ";\n";
  os << "  default:\n    return Generation::v2;\n  }\n}\n";
}

/// An enum whose values are the positions in a list of names.
EnumRecord enumOfNames(const std::string &cppName,
                       const std::vector<std::string> &names) {
  EnumRecord record;
  record.cppName = cppName;
  for (const std::string &name : names)
    record.cases.push_back(
        {name, static_cast<std::int64_t>(record.cases.size()), "", {}, "v2"});
  return record;
}

void emitOpcodes(raw_ostream &os, const IsaRecords &records) {
  os << "/// One instruction a value, for ever; named like its struct.\n"
     << "enum class Opcode : std::uint16_t {\n";
  for (const InstructionRecord &record : records.instructions)
    os << "  " << record.cppName << " = " << record.opcode << ", ///< "
       << record.mnemonic << "\n";
  os << "};\n"
     << "inline constexpr std::array<EnumEntry<Opcode>, "
     << records.instructions.size() << "> opcodeTable{{\n";
  for (const InstructionRecord &record : records.instructions)
    os << "    {Opcode::" << record.cppName << ", \"" << record.mnemonic
       << "\", " << quoted(record.summary) << "},\n";
  os << "}};\n\n";
}

/// The kinds of operands, in the order of td/OperandKinds.td.
void emitOperandKinds(const RecordKeeper &keeper, raw_ostream &os) {
  EnumRecord kinds{"OperandKind", {}};
  std::vector<const Record *> records =
      keeper.getAllDerivedDefinitions("OperandKind").vec();
  llvm::sort(records, [](const Record *a, const Record *b) {
    return a->getID() < b->getID();
  });
  EnumRecord forms{"OperandForm", {}};
  std::string formsOfKinds;
  for (const Record *record : records) {
    const std::string name = kindName(*record);
    StringRef cppType = record->getValueAsString("CppType");
    if (cppType.contains('$'))
      cppType = "its enumeration";
    std::vector<std::string> traits;
    if (!record->getValueAsString("Format").empty())
      traits.push_back("Value");
    if (record->getValueAsBit("IsOptionalValue"))
      traits.push_back("OptionalValue");
    if (record->getValueAsBit("IsOptional"))
      traits.push_back("Omittable");
    kinds.cases.push_back({name, static_cast<std::int64_t>(kinds.cases.size()),
                           cppType.str(), traits, "v2"});
    const std::string form = record->getValueAsString("Form").str();
    formsOfKinds +=
        llvm::formatv(
            "  case OperandKind::{0}:\n    return OperandForm::{1};\n", name,
            form)
            .str();
    if (llvm::none_of(forms.cases, [&](const EnumCaseRecord &known) {
          return known.name == form;
        }))
      forms.cases.push_back(
          {form, static_cast<std::int64_t>(forms.cases.size()), "", {}, "v2"});
  }
  emitEnum(os, kinds, "std::uint8_t", "The C++ type of an operand's field.");
  emitPredicates(os, kinds);
  emitEnum(os, forms, "std::uint8_t", "How a Program holds an operand.");
  os << "/// How a Program holds it: td/OperandKinds.td.\n"
        "constexpr OperandForm formOf(OperandKind kind) {\n"
        "  switch (kind) {\n"
     << formsOfKinds << "  }\n  return {};\n}\n";
}

void emitEnums(const RecordKeeper &keeper, raw_ostream &os) {
  IsaRecords records = readRecords(keeper);
  emitBanner(os, "Operator enumerations and opcodes");
  for (const EnumRecord &record : records.enums) {
    emitEnum(os, record, "std::uint8_t",
             "The numbers are part of the binary format.");
    emitTraits(os, record);
    emitPredicates(os, record);
  }
  emitOpcodes(os, records);
  std::vector<std::string> checkNames;
  for (const CheckRecord &check : records.checks)
    checkNames.push_back(check.name);
  for (const EnumRecord &record :
       {enumOfNames("CostClass", records.costClasses()),
        enumOfNames("CheckId", checkNames)}) {
    emitEnum(os, record, "std::uint8_t", "Not stored anywhere.");
    emitTraits(os, record);
  }
  emitOperandKinds(keeper, os);
}

TableGen::Emitter::Opt enumsBackend("gen-enums", emitEnums,
                                    "Operator enumerations and opcodes");

} // namespace
} // namespace kiln::tblgen
