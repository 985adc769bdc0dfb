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

#include "OperandKinds.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace kiln::tblgen;

namespace {

void emitOperation(const Record &record, raw_ostream &os) {
  std::string name = record.getName().str() + "Op";
  os << "::kiln::isa::Body " << name
     << "::buildInstruction(OperandResolver &resolver) {\n  ::kiln::isa::"
     << record.getName() << " body;\n";
  for (const Record *operand : record.getValueAsListOfDefs("Operands"))
    os << kindText(*operand, "Emit");
  os << "  return body;\n}\n\n::mlir::LogicalResult " << name
     << "::verify() {\n";
  for (const Record *operand : record.getValueAsListOfDefs("Operands"))
    os << kindText(*operand, "Verify");
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

TableGen::Emitter::Opt ncEmitBackend("gen-nc-emit", emitNcEmit,
                                     "Translation of nc operations to structs");

} // namespace
