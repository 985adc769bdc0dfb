//===- shared_keys.h - Keys that ranks or cores share ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rank, or each core of a rank, has some keys of all queries. It uses the
// maximum of its own scores until it has gone through them, so ranks meet only
// then, twice. A rank without keys has the score of the new token, a number, as
// its maximum.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_SHARED_KEYS_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_SHARED_KEYS_H

#include "kiln/kiln.h"

namespace kiln::kernels {

/// All have the same new tokens, and each adds its share of them.
void shareWeight(auto weight, std::int64_t sharers) {
  if (sharers > 1)
    nc::tensor_scalar(weight, weight, nc::AluOp::multiply,
                      1.0 / double(sharers));
}

/// `totals` and `sums` + `fresh` of one rank become those of all ranks, in
/// `totals` and `sums`. A column is a query, whose maximum is in `largest`.
/// meet(from, to, op) combines what the ranks have.
void addSharers(auto largest, auto totals, auto sums, auto fresh,
                const auto &meet) {
  const std::int64_t rows = totals.dim(0), n = totals.dim(1);
  auto most = sbuf<f32>(rows, n);
  auto mine = sbuf<f32>(rows, 2 * n);
  auto all = sbuf<f32>(rows, 2 * n);
  meet(largest, most, nc::AluOp::maximum);
  const auto factor = exp(largest - most);
  mine.cols(0, n) = totals * factor;
  mine.cols(1, n) = (sums + fresh) * factor;
  meet(mine, all, nc::AluOp::add);
  nc::tensor_copy(totals, all.cols(0, n));
  nc::tensor_copy(sums, all.cols(1, n));
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_SHARED_KEYS_H
