//===- GenManual.cpp - -gen-manual: one page an instruction ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <deque>

using namespace llvm;

namespace kiln::tblgen {
namespace {

constexpr StringRef note = "<!-- Generated from isa/td by kiln-tblgen. -->\n";

std::string joined(const std::vector<std::string> &words) {
  return join(words.begin(), words.end(), ", ");
}

/// Element types as assembly spells them: one enumerator is a C++ keyword
/// there.
std::string typeNames(std::vector<std::string> types) {
  for (std::string &type : types)
    if (type == "boolean")
      type = "bool";
  return joined(types);
}

/// Text inside a table cell.
std::string cell(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string wordsOf(const OperandRecord &operand) {
  return operand.words == "tile" && operand.perPartitionScalar ? "[P, 1] tile"
                                                               : operand.words;
}

std::string defaultText(const OperandRecord &operand) {
  if (operand.isOptionalKind)
    return "absent";
  if (operand.defaultValue.empty())
    return "required";
  StringRef text = operand.defaultValue;
  if (text == "{}")
    return "absent";
  return "`" + text.substr(text.rfind(':') + 1).str() + "`";
}

void emitOperands(raw_ostream &os, const InstructionRecord &record) {
  if (record.operands.empty()) {
    os << "None.\n";
    return;
  }
  os << "| operand | what | effect | memory | element types | default | "
        "meaning |\n|---|---|---|---|---|---|---|\n";
  for (const OperandRecord &operand : record.operands) {
    bool access = operand.holdsAccess;
    os << "| `" << operand.name << "` | " << wordsOf(operand) << " | "
       << (access ? operand.effect : "-") << " | "
       << (access ? joined(operand.spaces) : "-") << " | "
       << (access ? typeNames(operand.types) : "-") << " | "
       << defaultText(operand) << " | " << cell(operand.doc) << " |\n";
  }
}

std::string page(const IsaRecords &records, const InstructionRecord &record) {
  std::string text;
  raw_string_ostream os(text);
  os << note << "# " << record.mnemonic << "\n\n" << record.summary << "\n\n";
  if (!record.equation.empty())
    os << "```\n" << record.equation << "\n```\n\n";
  if (!record.description.empty()) {
    SmallVector<StringRef> lines;
    StringRef(record.description).split(lines, '\n');
    for (StringRef line : lines)
      os << line.trim() << "\n";
    os << "\n";
  }
  os << "| | |\n|---|---|\n| opcode | " << record.opcode << " |\n| streams | "
     << joined(record.engines) << " |\n| generations | " << record.since
     << (record.until.empty() ? " and later" : " to " + record.until)
     << " |\n| cost class | " << record.cost << " |\n| runs "
     << (record.isDma       ? "| on a DMA queue, after it is issued |\n"
         : record.isControl ? "| in the sequencer |\n"
                            : "| on the engine's data path |\n");
  os << "\n## Operands\n\n";
  emitOperands(os, record);
  if (!record.checks.empty()) {
    os << "\n## Conditions\n\n";
    for (const std::string &check : record.checks)
      os << "* " << records.checkDoc(check) << "\n";
  }
  os << "\nLimits of every operand: see [limits](../isa.md#limits).\n";
  os << "\n## Example\n\n```\n" << record.example << "\n```\n";
  if (!record.isControl)
    os << "\n## In the language\n\nParts in braces are optional.\n\n```cpp\n"
       << callText(record) << "\n```\n";
  return text;
}

std::string enumPage(const IsaRecords &records) {
  std::string text;
  raw_string_ostream os(text);
  os << note << "# Operators, functions, modes\n";
  for (const EnumRecord &record : records.enums) {
    os << "\n## " << record.cppName << "\n\n| name | number | meaning |\n"
       << "|---|---|---|\n";
    for (const EnumCaseRecord &entry : record.cases)
      os << "| `" << entry.name << "` | " << entry.value << " | "
         << cell(entry.doc) << " |\n";
  }
  return text;
}

constexpr StringRef limits = R"(
## Limits

They hold for every operand, whatever the instruction:

* On chip a pattern covers 1 to 128 partitions and at most 4 free dimensions with sizes 1 to 65535 and strides
  -32768 to 32767, in elements (KILN-I005, KILN-I009).
* Engine operands of 65 to 128 partitions start at partition 0, of 33 to 64 at 0 or 64, of up to 32 at 0, 32, 64 or 96
  (KILN-I007). DMA and registers may start anywhere.
* At most 65536 elements per partition in SBUF, 4096 in PSUM. Every byte must exist: 16 KiB of PSUM, and of SBUF what the
  target leaves to programs; in HBM the tensor (KILN-I010). Addresses with registers are checked when they run.
* Addresses are multiples of the element size (KILN-I013). A destination does not repeat (stride 0, KILN-I019).
* Registers r0 to r63, semaphores s0 to s255, queues 0 to 15.
)";

TableGenOutputFiles emitManual(StringRef, const RecordKeeper &keeper) {
  // The map holds references to its keys: they must outlive this function.
  static std::deque<std::string> names;
  IsaRecords records = readRecords(keeper);
  TableGenOutputFiles files;
  raw_string_ostream os(files.MainFile);
  os << note << "# Instructions\n\n"
     << "| instruction | streams | generations | what it does "
        "|\n|---|---|---|---|\n";
  for (const InstructionRecord &record : records.instructions) {
    os << "| [" << record.mnemonic << "](isa/" << record.mnemonic << ".md) | "
       << joined(record.engines) << " | " << record.since
       << (record.until.empty() ? "" : " to " + record.until) << " | "
       << cell(record.summary) << " |\n";
    files.AdditionalFiles[names.emplace_back("/" + record.mnemonic + ".md")] =
        page(records, record);
  }
  os << "\nOperators, functions and modes: [enums](isa/enums.md).\n" << limits;
  files.AdditionalFiles["/enums.md"] = enumPage(records);
  return files;
}

TableGen::Emitter::Opt manualBackend("gen-manual", emitManual,
                                     "The manual in Markdown");

} // namespace
} // namespace kiln::tblgen
