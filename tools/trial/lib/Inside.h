//===- Inside.h - Do windows stay inside their memory? ------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_TRIAL_INSIDE_H
#define KILN_TOOLS_TRIAL_INSIDE_H

#include "kiln/program.h"

namespace kiln::trial {

/// Whether every window on chip lies inside its tile for all values of loops
/// and registers. The recorder ensures this, but the checker of Programs does
/// not: code that changes a Program must ask.
bool staysInside(const program::Program &program);

} // namespace kiln::trial

#endif // KILN_TOOLS_TRIAL_INSIDE_H
