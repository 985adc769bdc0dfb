//===- GenTarget.cpp - -gen-target, -gen-machine: a machine's numbers -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that knows the field names of td/Target.td.
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <array>
#include <cmath>

using namespace llvm;

namespace kiln::tblgen {
namespace {

constexpr std::array<StringRef, 3> machines{"trn1", "trn2", "trn3"};
/// Whose values the fields have by default.
constexpr std::size_t usual = 1;

struct ParameterRecord {
  std::string name;
  std::string type;
  std::string unit;
  std::array<std::string, 3> values; ///< Of trn1, trn2, trn3.
  std::string origin;                ///< See originText.
  std::string source;
  bool isPositive = false; ///< Not 0.
};

struct GroupRecord {
  std::string title;
  std::string note;
  std::vector<ParameterRecord> parameters;
};

/// In the order of td/Target.td: the keeper's is by name.
std::vector<const Record *> inOrder(const RecordKeeper &keeper,
                                    StringRef name) {
  std::vector<const Record *> result =
      keeper.getAllDerivedDefinitions(name).vec();
  llvm::sort(result, LessRecordByID());
  return result;
}

std::string stringOf(const Record &record, StringRef field) {
  return record.getValueAsString(field).str();
}

/// A value must be what `--machine` could set, so that what is printed reads
/// back.
bool fits(StringRef type, StringRef value) {
  unsigned whole = 0;
  double number = 0;
  if (type == "int")
    return !value.getAsInteger(10, whole) && whole <= INT32_MAX;
  if (type == "double")
    return isDigit(value.front()) && !value.getAsDouble(number) &&
           std::isfinite(number);
  return type == "bool" && (value == "true" || value == "false");
}

/// "fit", or "documented (trn1, trn3), fit (trn2)".
std::string originText(ArrayRef<std::string> origins) {
  if (all_equal(origins))
    return origins.front();
  std::string result;
  ListSeparator comma;
  raw_string_ostream os(result);
  for (StringRef origin : {"documented", "fit", "choice"}) {
    std::vector<StringRef> of;
    for (std::size_t i = 0; i < machines.size(); ++i)
      if (origins[i] == origin)
        of.push_back(machines[i]);
    if (!of.empty())
      os << comma << origin << " (" << join(of, ", ") << ")";
  }
  return result;
}

ParameterRecord readParameter(const Record &record) {
  ParameterRecord result;
  result.name = record.getName().str();
  result.type = stringOf(record, "Type");
  result.unit = stringOf(record, "Unit");
  result.isPositive = record.isSubClassOf("Positive");
  std::vector<StringRef> values = record.getValueAsListOfStrings("Values");
  std::vector<std::string> origins;
  for (const Record *origin : record.getValueAsListOfDefs("Origins"))
    origins.push_back(stringOf(*origin, "Name"));
  if (values.size() != machines.size() ||
      (origins.size() != 1 && origins.size() != machines.size()))
    PrintFatalError(&record, "a value and an origin for each generation");
  for (std::size_t i = 0; i < machines.size(); ++i) {
    result.values[i] = values[i].str();
    double number = 1;
    if (values[i].empty() || !fits(result.type, values[i]) ||
        (result.isPositive && (values[i].getAsDouble(number) || number <= 0)))
      PrintFatalError(&record,
                      values[i] + " is no " + result.type +
                          (result.isPositive ? " above 0" : " from 0"));
  }
  result.origin = originText(origins);
  std::vector<std::string> titles;
  for (const Record *document : record.getValueAsListOfDefs("Documents"))
    titles.push_back(stringOf(*document, "Title"));
  if (titles.empty() && result.origin != "choice")
    PrintFatalError(&record, "what is no choice must name a document");
  std::string note = stringOf(record, "Note");
  result.source = join(titles, ", ");
  if (!titles.empty() && !note.empty())
    result.source += "; ";
  result.source += note;
  // One line and one cell: it is a comment in a file and part of a table.
  for (StringRef part : {result.unit, result.source})
    if (part.empty() || part.find_first_of("\n|") != StringRef::npos)
      PrintFatalError(&record, "unit and source must be one line without '|'");
  return result;
}

std::vector<GroupRecord> readGroups(const RecordKeeper &keeper) {
  std::vector<GroupRecord> result;
  std::vector<const Record *> parameters = inOrder(keeper, "Parameter");
  for (const Record *record : inOrder(keeper, "ParameterGroup")) {
    GroupRecord group{
        stringOf(*record, "Title"), stringOf(*record, "Note"), {}};
    for (const Record *parameter : parameters)
      if (parameter->getValueAsDef("Group") == record)
        group.parameters.push_back(readParameter(*parameter));
    result.push_back(std::move(group));
  }
  return result;
}

void emitFields(raw_ostream &os, const std::vector<GroupRecord> &groups) {
  os << "/// The numbers of a machine; " << machines[usual]
     << "'s unless set.\nstruct TargetParameters {\n";
  for (const GroupRecord &group : groups) {
    os << "  // " << group.title << ".";
    if (!group.note.empty())
      os << " " << group.note;
    os << "\n";
    for (const ParameterRecord &parameter : group.parameters)
      os << "  " << parameter.type << " " << parameter.name << " = "
         << parameter.values[usual] << "; ///< " << parameter.unit << "\n";
  }
  os << "  friend bool operator==(const TargetParameters &,\n"
        "                         const TargetParameters &) = default;\n"
        "};\n\n";
}

void emitValues(raw_ostream &os, const std::vector<GroupRecord> &groups) {
  for (std::size_t i = 0; i < machines.size(); ++i) {
    os << "inline constexpr TargetParameters " << machines[i]
       << "Parameters{\n";
    for (const GroupRecord &group : groups)
      for (const ParameterRecord &parameter : group.parameters)
        if (parameter.values[i] != parameter.values[usual])
          os << "    ." << parameter.name << " = " << parameter.values[i]
             << ",\n";
    os << "};\n\n";
  }
}

void emitTable(raw_ostream &os, const std::vector<GroupRecord> &groups) {
  std::size_t count = 0;
  for (const GroupRecord &group : groups)
    count += group.parameters.size();
  os << "/// In the order of the fields.\n"
     << "inline constexpr std::array<ParameterInfo, " << count
     << "> parameterTable{{\n";
  for (const GroupRecord &group : groups)
    for (const ParameterRecord &parameter : group.parameters)
      os << "    {\"" << parameter.name << "\", " << quoted(parameter.unit)
         << ", " << quoted(parameter.origin) << ",\n     "
         << quoted(parameter.source) << ", "
         << (parameter.isPositive ? "true" : "false") << "},\n";
  os << "}};\n\n"
     << "/// Calls `visitor(ParameterInfo, field)` for every number of "
        "`target`.\n"
     << "template <class T, class Visitor>\n"
     << "constexpr void forEachParameter(T &target, Visitor &&visitor) {\n";
  std::size_t next = 0;
  for (const GroupRecord &group : groups)
    for (const ParameterRecord &parameter : group.parameters)
      os << "  visitor(parameterTable[" << next++ << "], target."
         << parameter.name << ");\n";
  os << "}\n";
}

/// Publications by others than the vendor.
void emitPublications(raw_ostream &os, const RecordKeeper &keeper) {
  const std::vector<const Record *> records = inOrder(keeper, "Publication");
  os << "\ninline constexpr std::array<Publication, " << records.size()
     << "> publications{{\n";
  for (const Record *record : records)
    os << "    {" << quoted(stringOf(*record, "Title")) << ",\n     "
       << quoted(stringOf(*record, "Path")) << "},\n";
  os << "}};\n";
}

void emitTarget(const RecordKeeper &keeper, raw_ostream &os) {
  std::vector<GroupRecord> groups = readGroups(keeper);
  emitBanner(os, "Parameters of the three machines");
  emitFields(os, groups);
  emitValues(os, groups);
  emitTable(os, groups);
  emitPublications(os, keeper);
}

constexpr StringRef intro = R"(# Machines

The numbers that the three targets stand for. The compiler, the checks and the [model of time](timing.md) take them from
`isa::Target` (`kiln/isa/target.h`). `--machine FILE` replaces any of them by its name, in lines `name = value`, and
`--target FILE` names a [machine of your own](targets.md).

| origin | meaning |
|---|---|
| documented | a public document of the maker says the number, or a total of which it is an equal share |
| fit | derived by us from published measurements or profiles of that generation |
| choice | ours: nothing is published about that generation, or what is published can be read in several ways |

Nothing was measured on silicon. The [documents](#documents) are named by short titles.
)";

void emitMachine(const RecordKeeper &keeper, raw_ostream &os) {
  os << "<!-- Generated from isa/td by kiln-tblgen. -->\n" << intro;
  for (const GroupRecord &group : readGroups(keeper)) {
    os << "\n## " << group.title << "\n\n";
    if (!group.note.empty())
      os << group.note << "\n\n";
    os << "| parameter | unit | " << join(machines, " | ")
       << " | origin | source |\n|---|---|---|---|---|---|---|\n";
    for (const ParameterRecord &parameter : group.parameters)
      os << "| `" << parameter.name << "` | " << parameter.unit << " | "
         << join(parameter.values, " | ") << " | " << parameter.origin << " | "
         << parameter.source << " |\n";
  }
  const auto emitDocuments = [&](bool ofOthers) {
    for (const Record *document : inOrder(keeper, "Document"))
      if (document->isSubClassOf("Publication") == ofOthers)
        os << "| " << stringOf(*document, "Title") << " | "
           << (ofOthers ? "" : "`") << stringOf(*document, "Path")
           << (ofOthers ? "" : "`") << " |\n";
  };
  os << "\n## Documents\n\nThe paths are those in the sources of the public "
        "documentation of the AWS Neuron SDK.\n\n"
     << "| title | path |\n|---|---|\n";
  emitDocuments(false);
  os << "\nOthers have published these:\n\n| title | where |\n|---|---|\n";
  emitDocuments(true);
}

TableGen::Emitter::Opt target("gen-target", emitTarget,
                              "Fields and values of isa::Target");
TableGen::Emitter::Opt machine("gen-machine", emitMachine,
                               "The page of machine parameters in Markdown");

} // namespace
} // namespace kiln::tblgen
