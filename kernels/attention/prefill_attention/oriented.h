//===- oriented.h - Tensors whose rows may be stored as columns -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries, keys and outputs may be [heads, head-dim, tokens] in HBM. Kernels
// see [heads, tokens, head-dim] all the same: what they load transposed is
// loaded as it is, and what they store is transposed first.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_ORIENTED_H
#define KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_ORIENTED_H

#include "attention/flash_attention/resident_heads.h"
#include "kiln/kiln.h"

// Of its own, so that other calls of load and store do not see these.
namespace kiln::kernels::orientation {

/// A view [.., tokens, head-dim].
template <class View> struct Oriented {
  View view;
  bool isTransposed;

  std::int64_t dim(std::size_t i) const { return view.dim(i); }
  auto operator[](Index i) const { return of(view[i]); }
  auto rows_at(Index from, auto count) const {
    return of(view.rows_at(from, count));
  }
  auto slice(auto dim, Index from, std::int64_t count) const {
    return of(view.slice(dim, from, count));
  }
  /// Heads one below the other; only rows have them.
  auto reshape(std::int64_t heads, std::int64_t rows,
               std::int64_t width) const {
    return of(isTransposed ? view : view.reshape(heads, rows, width));
  }
  template <class Part> Oriented<Part> of(const Part &part) const {
    return {part, isTransposed};
  }
};

template <class View>
auto load(const Oriented<View> &x, dsl::Where at = dsl::Where::current()) {
  if (x.isTransposed)
    return kiln::transpose(kiln::load(x.view.permute(1, 0), at), at);
  return kiln::load(x.view, at);
}
template <class View>
auto load_transposed(const Oriented<View> &x,
                     dsl::Where at = dsl::Where::current()) {
  if (x.isTransposed)
    return kiln::load(x.view.permute(1, 0), at);
  return kiln::load_transposed(x.view, at);
}
template <class View>
void store(const Oriented<View> &to, const auto &tile,
           dsl::Where at = dsl::Where::current()) {
  if (to.isTransposed)
    kiln::store(to.view.permute(1, 0),
                kiln::transpose(cast<typename View::Element>(tile, at), at),
                at);
  else
    kiln::store(to.view, tile, at);
}
/// A transfer for each tile, if rows are columns.
template <class View>
void storeTiles(const Oriented<View> &to, Index row, int count, const auto &out,
                int width) {
  if (!to.isTransposed) {
    kernels::storeTiles(to.view, row, count, out, width);
    return;
  }
  constexpr int tile = 128;
  for (int from = 0; from < count; from += tile) {
    const int n = count - from < tile ? count - from : tile;
    store(to.rows_at(row + from, std::int64_t{n}),
          out.cols(from / tile, width).rows_at(tile - n, n));
  }
}

} // namespace kiln::kernels::orientation

namespace kiln::kernels {

/// x is [heads, head-dim, tokens] if it is transposed.
template <class View> auto oriented(View x, bool isTransposed) {
  return orientation::Oriented<View>{
      isTransposed ? View(x.permute(0, 2, 1)) : x, isTransposed};
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_ORIENTED_H
