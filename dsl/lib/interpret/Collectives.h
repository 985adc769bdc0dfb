//===- Collectives.h - What ranks exchange -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_COLLECTIVES_H
#define KILN_INTERPRET_COLLECTIVES_H

#include "Machine.h"

#include <string_view>
#include <vector>

namespace kiln::interpret {

/// True if the instruction meets other ranks.
bool isCollective(std::string_view mnemonic);

/// A collective of a list of ranks: one call for each, in the list's order.
void interpretCollective(std::vector<Call> &calls);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_COLLECTIVES_H
