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

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

namespace {

/// The attribute of an enumeration, made by -gen-nc-enums.
std::string enumAttribute(const Record &operand) {
  return "Nc_" + operand.getValueAsString("EnumName").str() + "Attr";
}

std::string withDefault(StringRef attribute, StringRef init) {
  return ("DefaultValuedAttr<" + attribute + ", \"" + init + "\">").str();
}

/// The ODS arguments of one operand of the manual.
void emitArguments(const Record &operand, SmallVectorImpl<std::string> &out) {
  std::string name = operand.getValueAsString("Name").str();
  StringRef kind = operand.getValueAsString("Kind");
  StringRef init = operand.getValueAsString("Default");
  auto attribute = [&](StringRef type, StringRef suffix = "") {
    std::string text = init.empty() ? type.str() : withDefault(type, init);
    out.push_back(text + ":$" + name + suffix.str());
  };
  if (kind == "Tile" || kind == "Memory")
    out.push_back("Nc_View:$" + name);
  else if (kind == "OptionalTile")
    out.push_back("Optional<Nc_View>:$" + name);
  else if (kind == "ScalarOrTile" || kind == "OptionalScalarOrTile") {
    out.push_back("Optional<Nc_View>:$" + name);
    out.push_back("OptionalAttr<AnyAttrOf<[F32Attr, I32Attr]>>:$" + name +
                  "_value");
  } else if (kind == "Enum")
    out.push_back((init.empty() ? enumAttribute(operand)
                                : withDefault(enumAttribute(operand),
                                              ("::kiln::isa::" + init).str())) +
                  ":$" + name);
  else if (kind == "OptionalEnum")
    out.push_back("OptionalAttr<" + enumAttribute(operand) + ">:$" + name);
  else if (kind == "Flag")
    attribute("BoolAttr");
  else if (kind == "Int")
    attribute("I32Attr");
  else if (kind == "OptionalInt")
    out.push_back("OptionalAttr<I32Attr>:$" + name);
  else if (kind == "OptionalPair")
    out.push_back("OptionalAttr<DenseI32ArrayAttr>:$" + name);
  else if (kind == "Lanes")
    out.push_back("DenseI32ArrayAttr:$" + name);
  else if (kind == "MemoryList")
    out.push_back("Variadic<Nc_View>:$" + name);
  else if (kind == "RankLists")
    out.push_back(
        "TypedArrayAttrBase<DenseI32ArrayAttr, \"lists of ranks\">:$" + name);
  else if (kind == "IntList")
    out.push_back("OptionalAttr<DenseI32ArrayAttr>:$" + name);
  else if (kind == "Float")
    attribute("F32Attr");
  else if (kind == "RegOrInt") {
    out.push_back("Optional<Index>:$" + name + "_index");
    out.push_back(withDefault("I32Attr", init.empty() ? "0" : init) + ":$" +
                  name);
  } else if (kind == "Index") {
    out.push_back("DenseI64ArrayAttr:$" + name + "_steps");
    out.push_back("DenseI64ArrayAttr:$" + name + "_sizes");
  }
}

/// The piece of the assembly format that prints the operand, if it is a value.
std::string formatOf(const Record &operand, unsigned &optionals) {
  std::string name = operand.getValueAsString("Name").str();
  StringRef kind = operand.getValueAsString("Kind");
  if (kind == "Tile" || kind == "Memory")
    return "`" + name + "` `(` $" + name + " `:` type($" + name + ") `)` ";
  if (kind == "MemoryList") {
    ++optionals;
    return "`" + name + "` `(` $" + name + " `:` type($" + name + ") `)` ";
  }
  bool optionalView = kind == "OptionalTile" || kind == "ScalarOrTile" ||
                      kind == "OptionalScalarOrTile";
  if (optionalView) {
    ++optionals;
    return "(`" + name + "` `(` $" + name + "^ `:` type($" + name + ") `)`)? ";
  }
  if (kind == "RegOrInt") {
    ++optionals;
    return "(`" + name + "_index` `(` $" + name + "_index^ `)`)? ";
  }
  return "";
}

void emitOperation(const Record &record, raw_ostream &os) {
  SmallVector<std::string> arguments;
  std::string format;
  unsigned optionals = 0;
  for (const Record *operand : record.getValueAsListOfDefs("Operands")) {
    emitArguments(*operand, arguments);
    format += formatOf(*operand, optionals);
  }
  os << "def Nc_" << record.getName() << "Op : Nc_InstructionOp<\""
     << record.getValueAsString("Mnemonic") << "\", ["
     << (optionals > 1 ? "AttrSizedOperandSegments" : "") << "]> {\n"
     << "  let summary = [{" << record.getValueAsString("Summary") << "}];\n"
     << "  let description = [{\n    ```\n    "
     << record.getValueAsString("Equation") << "\n    ```\n    "
     << record.getValueAsString("Description") << "\n\n    ```mlir\n    "
     << kiln::tblgen::ncExample(record) << "\n    ```\n  }];\n"
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
      emitOperation(*record, os);
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
TableGen::Emitter::Opt registration("gen-nc-ods", emitNcOds,
                                    "MLIR operations of the nc dialect");

} // namespace
