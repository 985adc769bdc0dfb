//===- kernel.h - A word of the likeliest ones ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SAMPLING_TOP_P_KERNEL_H
#define KILN_KERNELS_SAMPLING_TOP_P_KERNEL_H

#include "sampling/vocabulary_top_k/kernel.h"
#include "support/optional_argument.h"
#include "support/plain.h"

namespace kiln::kernels {

/// Of the k likeliest words of each row, the fewest that together have
/// probability p, and the one of them that a number from 0 to 1 chooses.
template <class T> struct TopP {
  BOOST_HANA_DEFINE_STRUCT(TopP, (int, rows), (int, words), (int, k),
                           (float, p), (float, temperature), (bool, whole));

  static TopP defaults() { return {8, 32000, 64, 0.9f, 1.0f, false}; }

  void describe(Signature &s) const {
    s.summary("a word of the likeliest: top-k, then top-p");
    s.doc("rows", "rows (sequences), at most 128");
    s.doc("words", "logits of a row");
    s.doc("k", "the most words to choose from");
    s.doc("p", "their probability, above 0 and at most 1");
    s.doc("temperature", "what logits are divided by, above 0");
    s.doc("whole", "p is of all words, not of the k; mass tells what is kept");
    s.argument("x", {rows, words});
    s.argument("uniform", {rows, 1});
    s.argument("probabilities", {rows, k});
    s.argument("places", {rows, k});
    s.argument("word", {rows, 1});
    optionalArgument(s, whole, "mass", {rows, 1});
  }

  void operator()(In<T, 2> x, In<f32, 2> uniform, Out<f32, 2> probabilities,
                  Out<u32, 2> places, Out<u32, 2> word,
                  Out<f32, 2> mass) const {
    require(p > 0 && p <= 1,
            {"p is <|", p, "|>, expected [|a probability above 0|]"},
            "give a number up to 1, which keeps all k words");
    require(temperature > 0,
            {"temperature is <|", temperature, "|>, expected [|above 0|]"},
            "give a small one for the likeliest word, or use --k=1");
    auto logits = hbm<f32>("logits", rows, k);
    auto found = hbm<u32>("found", rows, k);
    call(VocabularyTopK<T>{rows, words, k})(x, logits, found);
    auto values = load(logits);
    auto words_of = load(found);
    auto weights =
        exp((values - copy(values.cols_at(0, 1_c))) * (1.0f / temperature));
    auto sums = cumsum(weights);
    // What comes before a word that is kept is not enough.
    auto before = sums - weights;
    auto all = copy(sums.cols_at(k - 1, 1_c));
    if (whole)
      all = sumOfAll(x, copy(values.cols_at(0, 1_c)));
    auto least = p * all;
    auto kept = where(before < least, weights, 0.0f);
    auto total = row_sum(kept);
    store(probabilities, kept / total);
    store(places, words_of);
    if (whole)
      store(mass, total / all);
    auto passed = cast<f32>(sums <= load(uniform) * total);
    auto last = row_sum(cast<f32>(kept > 0.0f)) - 1.0f;
    auto place = cast<u32>(min(row_sum(passed), last));
    store(word, gather(words_of, place));
  }

  /// What the softmax of all words divides by, relative to the likeliest one.
  /// Each row is split over partitions of its own.
  Tile<f32, -1, 1> sumOfAll(In<T, 2> x, const auto &largest) const {
    const std::int64_t parts = plain::min<std::int64_t>(128 / rows, words);
    const std::int64_t each = words / parts, left = words % parts;
    const auto weights = [&](const auto &some, const auto &most) {
      return row_sum(exp((some - most) * (1.0f / temperature)));
    };
    auto of_rows = hbm<f32>("largest", rows, 1);
    auto of_parts = hbm<f32>("sums", rows * parts, 1);
    store(of_rows, largest);
    auto most = sbuf<f32>(rows * parts, 1_c);
    for (std::int64_t r = 0; r < rows; ++r)
      nc::dma_copy(most.rows_at(r * parts, parts),
                   of_rows.rows_at(r, 1_c).broadcast(0_c, parts));
    auto sum = zeros<f32>(rows * parts, 1_c);
    tiles("words", each, 4096, [&](Index c, std::int64_t count) {
      auto some = sbuf<T>(rows * parts, count);
      for (std::int64_t r = 0; r < rows; ++r)
        nc::dma_copy(some.rows_at(r * parts, parts),
                     x.rows_at(r, 1_c)
                         .cols_at(0, parts * each)
                         .reshape(parts, each)
                         .cols_at(c, count));
      sum = sum + weights(some, most);
    });
    store(of_parts, sum);
    auto all = row_sum(load(of_parts.reshape(rows, parts)));
    if (left > 0)
      all = all + weights(load(x.cols_at(words - left, left)), largest);
    return all;
  }

  void reference(Doubles x, Doubles uniform, Doubles probabilities,
                 Doubles places, Doubles word,
                 Doubles mass) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_SAMPLING_TOP_P_KERNEL_H
