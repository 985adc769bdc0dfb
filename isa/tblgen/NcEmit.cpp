//===- NcEmit.cpp - From an `nc` operation to its instruction struct ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -gen-nc-emit writes, for every operation of -gen-nc-ods, buildInstruction()
// and verify(). Engines, effects, costs and checks are then asked of the built
// struct, through kiln::isa: no pass knows the operations by name.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

namespace {

/// "on_true_tile" -> "getOnTrueTile", as ODS names its getters.
std::string getter(StringRef name) {
  return "get" + convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true);
}

void emitField(const Record &operand, raw_ostream &os) {
  std::string name = operand.getValueAsString("Name").str();
  StringRef kind = operand.getValueAsString("Kind");
  std::string get = getter(name) + "()";
  std::string field = "body." + name;
  if (kind == "Tile" || kind == "Memory")
    os << "  " << field << " = resolver.access(" << get << ");\n";
  else if (kind == "OptionalTile")
    os << "  if (::mlir::Value view = " << get << ")\n    " << field
       << " = resolver.access(view);\n";
  else if (kind == "ScalarOrTile" || kind == "OptionalScalarOrTile")
    os << "  if (::mlir::Value view = " << get << ")\n    " << field
       << " = ::kiln::isa::ScalarOrTile(resolver.access(view));\n"
       << "  else if (auto value = " << getter(name + "_value") << "())\n    "
       << field << " = makeImmediate(*value);\n";
  else if (kind == "Enum" || kind == "OptionalEnum" || kind == "Flag")
    os << "  " << field << " = " << get << ";\n";
  else if (kind == "Int")
    os << "  " << field << " = static_cast<std::int32_t>(" << get << ");\n";
  else if (kind == "OptionalInt")
    os << "  if (auto value = " << get << ")\n    " << field
       << " = static_cast<std::int32_t>(*value);\n";
  else if (kind == "OptionalPair")
    os << "  if (auto value = " << get << ")\n    " << field
       << " = ::kiln::isa::IntPair{(*value)[0], (*value)[1]};\n";
  else if (kind == "Lanes")
    os << "  for (auto [lane, from] : ::llvm::zip(" << field << ", " << get
       << "))\n    lane = static_cast<std::uint8_t>(from);\n";
  else if (kind == "MemoryList")
    os << "  for (::mlir::Value view : " << get << ")\n    " << field
       << ".push_back(resolver.access(view));\n";
  else if (kind == "RankLists")
    os << "  " << field << " = rankListsOf(" << get << ");\n";
  else if (kind == "IntList")
    os << "  if (auto value = " << get << ")\n    " << field
       << ".assign(value->begin(), value->end());\n";
  else if (kind == "Float")
    os << "  " << field << " = " << get << ".convertToFloat();\n";
  else if (kind == "RegOrInt")
    os << "  " << field << " = resolver.index(" << getter(name + "_index")
       << "(), static_cast<std::int32_t>(" << get << "));\n";
  else if (kind == "Index")
    os << "  " << field << " = makeIndexPattern(" << getter(name + "_steps")
       << "(), " << getter(name + "_sizes") << "());\n";
}

void emitOperandCheck(const Record &operand, raw_ostream &os) {
  std::string name = operand.getValueAsString("Name").str();
  StringRef kind = operand.getValueAsString("Kind");
  std::string get = getter(name) + "()";
  if (kind == "ScalarOrTile" || kind == "OptionalScalarOrTile") {
    bool required =
        kind == "ScalarOrTile" && operand.getValueAsString("Default").empty();
    os << "  if (failed(checkScalarOrTile(*this, \"" << name << "\", " << get
       << ", " << getter(name + "_value") << "().has_value(), "
       << (required ? "true" : "false")
       << ")))\n    return ::mlir::failure();\n";
  } else if (kind == "OptionalPair")
    os << "  if (auto value = " << get
       << "; value && value->size() != 2)\n    return emitWrongCount(*this, \""
       << name << "\", value->size(), 2);\n";
  else if (kind == "Lanes")
    os << "  if (" << get
       << ".size() != 32)\n    return emitWrongCount(*this, \"" << name
       << "\", " << get << ".size(), 32);\n";
  else if (kind == "Index")
    os << "  if (failed(checkIndexPattern(*this, \"" << name << "\", "
       << getter(name + "_steps") << "(), " << getter(name + "_sizes")
       << "())))\n    return ::mlir::failure();\n";
}

void emitOperation(const Record &record, raw_ostream &os) {
  std::string name = record.getName().str() + "Op";
  os << "::kiln::isa::Body " << name
     << "::buildInstruction(OperandResolver &resolver) {\n  ::kiln::isa::"
     << record.getName() << " body;\n";
  for (const Record *operand : record.getValueAsListOfDefs("Operands"))
    emitField(*operand, os);
  os << "  return body;\n}\n\n::mlir::LogicalResult " << name
     << "::verify() {\n";
  for (const Record *operand : record.getValueAsListOfDefs("Operands"))
    emitOperandCheck(*operand, os);
  os << "  return verifyInstruction(*this);\n}\n\n";
}

/// For what names a case in a text of its own: a Program.
void emitEnumAttributes(const RecordKeeper &records, raw_ostream &os) {
  os << "::mlir::Attribute enumAttribute(::mlir::MLIRContext *context, "
        "std::string_view enumName, std::string_view spelling) {\n";
  for (const Record *record : records.getAllDerivedDefinitions("EnumDef")) {
    const std::string name = record->getValueAsString("CppName").str();
    os << "  if (enumName == \"" << name
       << "\")\n    if (auto value = ::kiln::isa::parse<::kiln::isa::" << name
       << ">(spelling))\n      return " << name
       << "Attr::get(context, *value);\n";
  }
  os << "  return {};\n}\n\n";
}

void emitNcEmit(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("nc operations to instruction structs", os, records);
  emitEnumAttributes(records, os);
  for (const Record *record : records.getAllDerivedDefinitions("Instruction"))
    if (!record->getValueAsBit("IsControl"))
      emitOperation(*record, os);
}

TableGen::Emitter::Opt registration("gen-nc-emit", emitNcEmit,
                                    "Translation of nc operations to structs");

} // namespace
