//===- cores.cpp - Two cores that meet ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

namespace kiln::test {
/// Each core writes its half of memory that both see; behind a barrier it reads
/// what the other wrote.
void Generator::exchangeStatement() {
  Tensor shared;
  shared.dtype = drawType();
  shared.rows = drawRows();
  shared.cols = drawCols();
  shared.range = limitsOf(shared.dtype);
  const std::string name = "h" + std::to_string(names++);
  const ViewRef both =
      rec->scratch(true, name, shared.dtype,
                   {settings.cores * shared.rows, shared.cols}, here());
  const auto half = [&](std::int64_t core) {
    return rec->slice(both, 0, {core * shared.rows}, shared.rows, 1, here());
  };
  shared.ref = half(settings.core);
  // The halves differ.
  Item value = within(operand(shared.rows, shared.cols), {0, 20});
  value = scaled("add", value, static_cast<double>(settings.core));
  rec->store(shared.ref, value.ref, here());
  nc::core_barrier(AnyTensor{both});
  shared.ref = half(1 - settings.core);
  tensors.push_back(shared);
}

} // namespace kiln::test
