//===- KilnIsaHeaders.h - Precompiled where instructions are used ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nearly every file of isa, runtime-sim and compiler/lib/problem reads:
// a change here compiles them all. Every file includes what it uses.
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/instruction.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <vector>
