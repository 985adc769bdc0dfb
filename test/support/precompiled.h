//===- precompiled.h - What is precompiled for unit tests -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/isa/instruction.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>
