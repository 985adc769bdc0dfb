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

  bool isSmall() const { return target().generation == nc::Generation::v2; }
  /// Parts of a row on partitions of their own, that each hold at least k.
  std::int64_t parts() const {
    return plain::max<std::int64_t>(
        plain::min<std::int64_t>(
            plain::min<std::int64_t>(128 / rows, words / k),
            (isSmall() ? 10240 : 12288) / k),
        1);
  }

  /// Do both searches fit in SBUF and in one transfer?
  bool fits() const {
    const std::int64_t size = isSmall() ? 172 << 10 : 204 << 10;
    const std::int64_t each = words / parts(),
                       all = parts() * k + words % parts();
    const std::int64_t copies = k > 8 ? 4 : 0; // Of what is not yet found.
    return each <= 65535 &&
           each * (isa::sizeInBytes(T::dtype) + copies) + 24 * k <= size &&
           16 * all + 8 * k <= size;
  }
  VocabularyTopK of(std::int64_t some, std::int64_t found) const {
    return {static_cast<int>(some), words, static_cast<int>(found)};
  }

  void operator()(In<T, 2> x, Out<f32, 2> values, Out<u32, 2> places) const {
    require(rows <= 128, {"rows is <|", rows, "|>, expected at most [|128|]"},
            "call the kernel for blocks of rows");
    require(k >= 1 && k <= words, {"k is <|", k, "|>, expected [|1 to ", words,
                                   "|], the number of words"});
    std::int64_t most = k, blocks = 1;
    while (most > 1 && !of(1, most).fits())
      --most;
    require(most == k, {"k is <|", k, "|>, expected at most [|", most, "|]"},
            "ask for fewer words");
    while (!of(isa::ceilDiv(rows, blocks), k).fits())
      ++blocks;
    const std::int64_t some = isa::ceilDiv(rows, blocks);
    const std::int64_t all = blocks == 1 ? rows * parts() : 128 * blocks;
    auto best_values = hbm<f32>("best_values", all, k);
    auto best_places = hbm<u32>("best_places", all, k);
    for (std::int64_t r = 0; r < rows; r += some) {
      const std::int64_t count = plain::min<std::int64_t>(some, rows - r);
      const std::int64_t parted = count * of(count, k).parts();
      of(count, k).find(x.rows_at(r, count), values.rows_at(r, count),
                        places.rows_at(r, count),
                        best_values.rows_at(r / some * 128, parted),
                        best_places.rows_at(r / some * 128, parted));
    }
  }

  /// Each part finds its k largest; then the row finds those of all parts, and
  /// of the few words that are left over.
  void find(const auto &x, const auto &values, const auto &places,
            const auto &best_values, const auto &best_places) const {
    const std::int64_t each = words / parts(), left = words % parts();
    const std::int64_t found = parts() * k, all = found + left;
    auto partly = sbuf<T>(rows * parts(), each);
    for (std::int64_t r = 0; r < rows; ++r)
      nc::dma_copy(
          partly.rows_at(r * parts(), parts()),
          x.rows_at(r, 1_c).cols_at(0, parts() * each).reshape(parts(), each));
    auto best = top_k(partly, k);
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
    auto words_found = sbuf<u32>(rows, all + 1);
    words_found.cols_at(0, all) = words_of + starts;
    // The word of a NaN, which has no place.
    words_found.cols_at(all, 1_c) = full<u32>(dsl::noPlace, rows, 1_c);
    // Few at a time, while the search finds the next ones.
    for (std::int64_t c = 0; c < k; c += 32) {
      const std::int64_t count = plain::min<std::int64_t>(32, k - c);
      store(places.cols_at(c, count),
            gather(words_found,
                   min(chosen.places.cols_at(c, count), double(all))));
    }
  }

  void reference(Doubles x, Doubles values,
                 Doubles places) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_SAMPLING_VOCABULARY_TOP_K_KERNEL_H
