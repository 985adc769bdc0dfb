//===- head_major_reference.h - Heads stored one by one, in plain loops ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_HEAD_MAJOR_REFERENCE_H
#define KILN_KERNELS_LINEAR_HEAD_MAJOR_REFERENCE_H

#include "kiln/dsl/doubles.h"

#include "support/list.h"

namespace kiln::kernels {

/// make(rows) makes a result [T, heads d]: y itself, or what yHeads has as
/// [heads, T, d].
inline void withTokenMajor(Doubles y, Doubles yHeads, auto make) {
  if (yHeads.size() == 0)
    return make(y);
  const std::int64_t heads = yHeads.dim(0), tokens = yHeads.dim(1),
                     width = yHeads.dim(2);
  List<double> values(yHeads.size());
  const std::int64_t shape[] = {tokens, heads * width};
  const Doubles rows{values.data(), shape, 2};
  make(rows);
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t t = 0; t < tokens; ++t)
      for (std::int64_t i = 0; i < width; ++i)
        yHeads(h, t, i) = rows(t, h * width + i);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_HEAD_MAJOR_REFERENCE_H
