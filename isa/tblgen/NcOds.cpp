//===- NcOds.cpp - One `nc` operation per instruction record --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -gen-nc-ods turns instruction records into MLIR operation definitions. The
// record's operand names become the operation's operand and attribute names,
// so the manual, the assembly and the IR speak the same words. Control
// instructions have no operation: loops are scf.for, registers are SSA values
// of type index, semaphores are attributes of the operations they belong to.
//
//===----------------------------------------------------------------------===//

#include "NcExample.h"
#include "OperandKinds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace kiln::tblgen;

namespace {

/// The ODS arguments of one operand of the manual; the last one takes the
/// default.
void emitArguments(const Record &operand, SmallVectorImpl<std::string> &out) {
  std::string init = operand.getValueAsString("Default").str();
  if (init.empty())
    init = kindText(operand, "WithoutDefault");
  const std::vector<std::string> arguments = kindTexts(operand, "Arguments");
  for (const std::string &argument : arguments) {
    if (init.empty() || &argument != &arguments.back() ||
        StringRef(argument).starts_with("Optional")) {
      out.push_back(argument);
      continue;
    }
    const auto [type, name] = StringRef(argument).split(':');
    out.push_back(("DefaultValuedAttr<" + type + ", \"" +
                   kindText(operand, "DefaultScope") + init + "\">:" + name)
                      .str());
  }
}

void emitDefinition(const Record &record, raw_ostream &os) {
  SmallVector<std::string> arguments;
  std::string format;
  unsigned optionals = 0;
  for (const Record *operand : record.getValueAsListOfDefs("Operands")) {
    emitArguments(*operand, arguments);
    format += kindText(*operand, "Format");
    optionals += kindBit(*operand, "IsOptionalValue");
  }
  os << "def Nc_" << record.getName() << "Op : Nc_InstructionOp<\""
     << record.getValueAsString("Mnemonic") << "\", ["
     << (optionals > 1 ? "AttrSizedOperandSegments" : "") << "]> {\n"
     << "  let summary = [{" << record.getValueAsString("Summary") << "}];\n"
     << "  let description = [{\n    ```\n    "
     << record.getValueAsString("Equation") << "\n    ```\n    "
     << record.getValueAsString("Description") << "\n\n    ```mlir\n    "
     << ncExample(record) << "\n    ```\n  }];\n"
     << "  let arguments = (ins\n";
  for (const std::string &argument : arguments)
    os << "    " << argument << ",\n";
  os << "    OptionalAttr<Nc_EngineAttr>:$engine,\n"
     << "    Nc_SourceNumber:$source_number);\n"
     << "  let assemblyFormat = [{ " << format
     << "(`source` `(` $source_number^ `)`)? attr-dict }];\n"
     << "}\n\n";
}

void emitNcOds(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("nc operations, one per instruction", os, records);
  os << "#ifndef KILN_NC_INSTRUCTIONS\n#define KILN_NC_INSTRUCTIONS\n\n"
     << "include \"kiln/compiler/dialect/nc/NcBase.td\"\n\n";
  for (const Record *record : records.getAllDerivedDefinitions("Instruction"))
    if (!record->getValueAsBit("IsControl"))
      emitDefinition(*record, os);
  os << "#endif // KILN_NC_INSTRUCTIONS\n";
}

/// One attribute for each enumeration: "AluOp" is #nc.alu_op.
void emitNcEnums(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("attributes of the enumerations", os, records);
  for (const Record *record : records.getAllDerivedDefinitions("EnumDef")) {
    const StringRef name = record->getValueAsString("CppName");
    os << "def Nc_" << name << "Attr : Nc_IsaEnumAttr<\"" << name << "\", \""
       << convertToSnakeFromCamelCase(name) << "\">;\n";
  }
}

TableGen::Emitter::Opt enumsRegistration("gen-nc-enums", emitNcEnums,
                                         "Attributes of the nc dialect");
TableGen::Emitter::Opt ncOdsBackend("gen-nc-ods", emitNcOds,
                                    "MLIR operations of the nc dialect");

} // namespace
