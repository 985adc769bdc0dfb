//===- kernel.h - Largest logits of a vocabulary --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SAMPLING_VOCABULARY_TOP_K_KERNEL_H
#define KILN_KERNELS_SAMPLING_VOCABULARY_TOP_K_KERNEL_H

#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// The k largest logits of each row, descending, and the words they are of.
template <class T> struct VocabularyTopK {
  BOOST_HANA_DEFINE_STRUCT(VocabularyTopK, (int, rows), (int, words), (int, k));

  static VocabularyTopK defaults() { return {8, 32000, 1}; }

  void describe(Signature &s) const {
    s.summary("largest logits of a vocabulary: argmax, top-k");
    s.doc("rows", "rows (sequences), at most 128");
    s.doc("words", "logits of a row");
    s.doc("k", "how many to find; 1 is argmax");
    s.argument("x", {rows, words});
    s.argument("values", {rows, k});
    s.argument("places", {rows, k});
  }

  /// Parts of a row on partitions of their own, that each hold at least k.
  std::int64_t parts() const {
    return plain::max<std::int64_t>(
        plain::min<std::int64_t>(128 / rows, words / k), 1);
  }

  /// Each part finds its k largest; then the row finds those of all parts, and
  /// of the few words that are left over.
  void operator()(In<T, 2> x, Out<f32, 2> values, Out<u32, 2> places) const {
    require(rows <= 128, {"rows is <|", rows, "|>, at most [|128|] fit"},
            "call the kernel for blocks of rows");
    require(k >= 1 && k <= words, "k is not between 1 and the number of words");
    const std::int64_t each = words / parts(), left = words % parts();
    const std::int64_t found = parts() * k, all = found + left;
    auto partly = sbuf<T>(rows * parts(), each);
    for (std::int64_t r = 0; r < rows; ++r)
      nc::dma_copy(
          partly.rows_at(r * parts(), parts()),
          x.rows_at(r, 1_c).cols_at(0, parts() * each).reshape(parts(), each));
    auto best = top_k(partly, k);
    auto best_values = hbm<f32>("best_values", rows * parts(), k);
    auto best_places = hbm<u32>("best_places", rows * parts(), k);
    store(best_values, best.values);
    store(best_places, best.places);
    auto candidates = sbuf<f32>(rows, all);
    auto words_of = sbuf<u32>(rows, all), starts = sbuf<u32>(rows, all);
    candidates.cols_at(0, found) = load(best_values.reshape(rows, found));
    words_of.cols_at(0, found) = load(best_places.reshape(rows, found));
    nc::iota(starts.cols_at(0, found), nc::Pattern{{each, parts()}, {0, k}});
    if (left > 0) {
      candidates.cols_at(found, left) =
          cast<f32>(load(x.cols_at(words - left, left)));
      words_of.cols_at(found, left) =
          full<u32>(double(words - left), rows, left);
      nc::iota(starts.cols_at(found, left), nc::Pattern{{1, left}});
    }
    auto chosen = top_k(candidates, k);
    store(values, chosen.values);
    store(places, gather(copy(words_of + starts), chosen.places));
  }

  void reference(Doubles x, Doubles values,
                 Doubles places) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_SAMPLING_VOCABULARY_TOP_K_KERNEL_H
