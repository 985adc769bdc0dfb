//===- Main.cpp - kiln-tblgen: generates code from isa/td -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each backend is one file that registers itself with
// `static llvm::TableGen::Emitter::Opt`; nothing here needs to know it.
//
//===----------------------------------------------------------------------===//

#include "llvm/TableGen/Main.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Kiln instruction set generator\n");
  return llvm::TableGenMain(argv[0], llvm::MultiFileTableGenMainFn());
}
