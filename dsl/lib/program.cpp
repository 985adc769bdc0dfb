//===- program.cpp - Checks, prints, parses Programs, once ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/dsl/program_checker.h"
#include "kiln/dsl/program_parse.h"
#include "kiln/dsl/program_print.h"
