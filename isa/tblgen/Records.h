//===- Records.h - Instruction records as plain structs -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that knows the field names of td/Base.td. Backends see plain
// values, ordered by opcode.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TBLGEN_RECORDS_H
#define KILN_ISA_TBLGEN_RECORDS_H

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class RecordKeeper;
class raw_ostream;
} // namespace llvm

namespace kiln::tblgen {

struct EnumCaseRecord {
  std::string name;
  std::int64_t value = 0;
  std::string doc;
  std::vector<std::string> traits; ///< "Unary" makes isUnary(E).
  std::string since;               ///< "v2", "v3", "v4".
};

struct EnumRecord {
  std::string cppName;
  std::vector<EnumCaseRecord> cases;
};

struct OperandRecord {
  std::string name;
  // Of its kind, see td/OperandKinds.td.
  std::string kind; ///< "Tile", "Memory", ..
  std::string cppType, callType, form, words;
  bool holdsAccess = false, isOptionalKind = false, passedByValue = false;

  std::string doc;
  std::string effect; ///< "none", "read", "write", "read_write".
  std::vector<std::string> spaces;
  std::vector<std::string> types;
  bool perPartitionScalar = false;
  std::int64_t minElements = 1, maxElements = 0, elementStep = 1; ///< 0 = any.
  std::int64_t maxDims = 0;       ///< Free dimensions that count.
  std::string indexOf;            ///< The operand whose places it lists.
  bool anyStart = false;          ///< May start at any partition.
  std::string readIf;             ///< A Flag operand; empty = none.
  std::vector<std::string> cases; ///< Legal enumerators; empty = all.
  std::string enumName;
  std::string defaultValue; ///< C++ expression; empty = required.

  bool isEnum() const { return form == "choice"; } ///< Or may hold one.
  bool isTileInput() const; ///< A full tile that streams in.
};

struct InstructionRecord {
  std::string cppName;
  std::string mnemonic;
  std::int64_t opcode = 0;
  std::string group;
  std::vector<std::string> engines;
  std::string since; ///< "v2", "v3", "v4".
  std::string until; ///< May be empty.
  std::vector<OperandRecord> operands;
  std::vector<std::string> checks;
  std::string state; ///< "none", "accumulator", "random", "peers".
  std::string cost;
  bool movesBits = false; ///< Takes types that hold no numbers.
  bool isControl = false;
  std::string nesting; ///< "none", "opens", "divides", "closes".
  bool isDma = false;
  std::string summary;
  std::string equation;
  std::string description;
  std::string example;
};

struct CheckRecord {
  std::string name;
  std::string doc;
};

struct IsaRecords {
  std::vector<EnumRecord> enums;               ///< By name.
  std::vector<InstructionRecord> instructions; ///< By opcode.
  std::vector<CheckRecord> checks;             ///< By name.

  const EnumRecord &enumNamed(const std::string &cppName) const;
  const std::string &checkDoc(const std::string &name) const;
  /// Names of all cost classes, sorted.
  std::vector<std::string> costClasses() const;
};

/// Reads and validates every record; a mistake ends the tool with its place.
IsaRecords readRecords(const llvm::RecordKeeper &keeper);

/// `text` as a C++ string literal.
std::string quoted(const std::string &text);

/// The licence banner and "generated, do not edit".
void emitBanner(llvm::raw_ostream &os, const std::string &what);

} // namespace kiln::tblgen

#endif // KILN_ISA_TBLGEN_RECORDS_H
