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

namespace kiln::kernels {

/// Of the k likeliest words of each row, the fewest that together have
/// probability p, and the one of them that a number from 0 to 1 chooses.
template <class T> struct TopP {
  BOOST_HANA_DEFINE_STRUCT(TopP, (int, rows), (int, words), (int, k),
                           (float, p), (float, temperature));

  static TopP defaults() { return {8, 32000, 64, 0.9f, 1.0f}; }

  void describe(Signature &s) const {
    s.summary("a word of the likeliest: top-k, then top-p");
    s.doc("rows", "rows (sequences), at most 128");
    s.doc("words", "logits of a row");
    s.doc("k", "the most words to choose from");
    s.doc("p", "their probability, above 0 and at most 1");
    s.doc("temperature", "what logits are divided by, above 0");
    s.argument("x", {rows, words});
    s.argument("uniform", {rows, 1});
    s.argument("probabilities", {rows, k});
    s.argument("places", {rows, k});
    s.argument("word", {rows, 1});
  }

  void operator()(In<T, 2> x, In<f32, 2> uniform, Out<f32, 2> probabilities,
                  Out<u32, 2> places, Out<u32, 2> word) const {
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
    auto least = p * copy(sums.cols_at(k - 1, 1_c));
    auto kept = where(before < least, weights, 0.0f);
    auto total = row_sum(kept);
    store(probabilities, kept / total);
    store(places, words_of);
    auto passed = cast<f32>(sums <= load(uniform) * total);
    auto last = row_sum(cast<f32>(kept > 0.0f)) - 1.0f;
    auto place = cast<u32>(min(row_sum(passed), last));
    store(word, gather(words_of, place));
  }

  void reference(Doubles x, Doubles uniform, Doubles probabilities,
                 Doubles places, Doubles word) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_SAMPLING_TOP_P_KERNEL_H
