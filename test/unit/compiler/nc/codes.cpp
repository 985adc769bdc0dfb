//===- codes.cpp - Codes of errors are data -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/compiler/dialect/nc/Code.h"

#include "mlir/IR/MLIRContext.h"

using namespace kiln::compiler;

namespace {

struct Told {
  std::string printed;
  kiln::isa::Diagnostic coded;
};

/// What a handler sees of the diagnostic that `fill` streams into.
template <class Fill> Told toldOf(Fill fill) {
  mlir::MLIRContext context;
  Told told;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        told = {diagnostic.str(), toldBy(diagnostic)};
        return mlir::success();
      });
  fill(mlir::emitError(mlir::UnknownLoc::get(&context)));
  return told;
}

} // namespace

TEST_CASE("a code is printed, and kept apart from the text", "[code]") {
  const Told front = toldOf([](mlir::InFlightDiagnostic error) {
    error << "'nc.x' op " << Code{"KILN-C112"} << "has no engine";
  });
  CHECK(front.printed == "'nc.x' op [KILN-C112] has no engine");
  CHECK(front.coded.code == "KILN-C112");
  CHECK(front.coded.text == "'nc.x' op has no engine");
  const Told behind = toldOf([](mlir::InFlightDiagnostic error) {
    error << "too long" << codeBehind(std::string("KILN-I012"));
  });
  CHECK(behind.printed == "too long [KILN-I012]");
  CHECK(behind.coded.code == "KILN-I012");
  CHECK(behind.coded.text == "too long");
}

TEST_CASE("a text that looks like a code is none", "[code]") {
  const Told none = toldOf([](mlir::InFlightDiagnostic error) {
    error << "buffer '[KILN-C101] a' is gone";
  });
  CHECK(none.coded.code.empty());
  CHECK(none.coded.text == "buffer '[KILN-C101] a' is gone");
  const Told both = toldOf([](mlir::InFlightDiagnostic error) {
    error << "buffer '[KILN-C101] a' " << Code{"KILN-C103", "", ": "}
          << "overlaps [KILN-C102]" << Code{"KILN-C900"};
  });
  CHECK(both.coded.code == "KILN-C103"); // The first one; others are text.
  CHECK(both.coded.text ==
        "buffer '[KILN-C101] a' overlaps [KILN-C102][KILN-C900] ");
}
