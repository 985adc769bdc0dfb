//===- GenChecks.cpp - -gen-checks: from a check's name to its function ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check "matmulShapes" of td/Checks.td is checkMatmulShapes in lib/checks.
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

namespace kiln::tblgen {
namespace {

std::string functionName(const CheckRecord &check) {
  std::string result = check.name;
  result[0] = toUpper(result[0]);
  return "check" + result;
}

void emitChecks(const RecordKeeper &keeper, raw_ostream &os) {
  IsaRecords records = readRecords(keeper);
  emitBanner(os, "The functions behind the names of the checks");
  for (const CheckRecord &check : records.checks)
    os << "CheckResult " << functionName(check) << "(const CheckContext &);\n";
  os << "\ninline CheckResult runCheck(CheckId id, const CheckContext "
        "&context) "
        "{\n  switch (id) {\n";
  for (const CheckRecord &check : records.checks)
    os << "  case CheckId::" << check.name << ":\n    return "
       << functionName(check) << "(context);\n";
  os << "  }\n  return std::nullopt;\n}\n";
}

TableGen::Emitter::Opt checksBackend("gen-checks", emitChecks,
                                     "Dispatch over the named checks");

} // namespace
} // namespace kiln::tblgen
