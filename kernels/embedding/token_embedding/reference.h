//===- reference.h - Rows of a table, in plain loops ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_EMBEDDING_TOKEN_EMBEDDING_REFERENCE_H
#define KILN_KERNELS_EMBEDDING_TOKEN_EMBEDDING_REFERENCE_H

#include "embedding/token_embedding/kernel.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void TokenEmbedding<T>::reference(Doubles ids, Doubles table, Doubles y) const {
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t c = 0; c < hidden; ++c)
      y(t, c) = table(plain::clamp<std::int64_t>(
                          static_cast<std::int64_t>(ids(t, 0)), 0, words - 1),
                      c);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_EMBEDDING_TOKEN_EMBEDDING_REFERENCE_H
