//===- compiled.h - In headers, or once in a library ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code that records a kernel, and that checks, prints and parses a Program,
// is defined in headers: the language needs no library. But this code takes
// seconds to compile in each file that uses it. A program that links
// kiln::record gets it compiled: linking defines KILN_RECORD_COMPILED, and
// kiln/record.h, program_check.h and program_text.h are then only declarations.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_COMPILED_H
#define KILN_DSL_COMPILED_H

#ifdef KILN_RECORD_COMPILED
#define KILN_RECORD_FUNCTION
#else
#define KILN_RECORD_FUNCTION inline
#endif

#endif // KILN_DSL_COMPILED_H
