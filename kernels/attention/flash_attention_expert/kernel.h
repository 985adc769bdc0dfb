//===- kernel.h - Attention, every instruction placed by hand ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A section is 1024 keys for 128 queries. In step t, the streams work on
// sections that began up to ten steps ago: its scores and their maximum one
// step ahead, its exponential now, its transposes from now on, its product with
// the values five steps later, and what is added to the output behind that.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_EXPERT_KERNEL_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_EXPERT_KERNEL_H

#include "kiln/kiln.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>

namespace kiln::kernels {

/// o = softmax(q k^T / sqrt(128)) v for one head of 128 columns, not causal:
/// the order of every stream, the engines, the queues and the places in PSUM
/// are those of the text.
template <class T> struct FlashAttentionExpert {
  BOOST_HANA_DEFINE_STRUCT(FlashAttentionExpert, (int, seq_q), (int, seq_k));

  static FlashAttentionExpert defaults() { return {512, 2048}; }

  static constexpr std::int64_t head = 128, queries = 128, keys = 1024;
  /// Values have a column of ones behind them, whose product is the row sum.
  static constexpr std::int64_t wide = head + 1;
  static constexpr std::int64_t blocks = keys / 128;
  /// Of the blocks of a section, these are transposed by DMA, the rest by the
  /// tensor engine.
  static constexpr std::int64_t byDma = 6;
  /// Steps from the exponential of a section to other work on it.
  static constexpr std::int64_t copied = 3, multiplied = 5, evicted = 6,
                                added = 7, inverted = 9, stored = 10;

  void describe(Signature &s) const {
    s.summary("attention of one head, at the instruction level");
    s.doc("seq-q", "queries, a multiple of 128");
    s.doc("seq-k", "keys, a multiple of 1024");
    s.argument("q", {seq_q, head});
    s.argument("k", {seq_k, head});
    s.argument("v", {seq_k, head});
    s.argument("o", {seq_q, head});
    s.flops(4.0 * seq_q * seq_k * head);
  }

  void operator()(In<T, 2> q, In<T, 2> k, In<T, 2> v, Out<T, 2> o) const {
    require(
        seq_q % queries == 0,
        {"seq-q is <|", seq_q, "|>, expected [|a multiple of ", queries, "|]"},
        "use the kernel flash_attention for other lengths");
    require(seq_k % keys == 0,
            {"seq-k is <|", seq_k, "|>, expected [|a multiple of ", keys, "|]"},
            "use the kernel flash_attention for other lengths");
    Streams on{q, k, v, o, seq_q, seq_k};
    no_reorder keep;
    on.load();
    on.score(0, 0);
    on.score(0, 1);
    on.score(1, 0);
    on.score(1, 1);
    on.maximum(0);
    on.columns(0);
    for (std::int64_t t = 0; t < on.steps + stored + 1; ++t) {
      on.exponential(t);
      on.decay(t - 1);
      on.evict(t - evicted);
      on.copyTransposed(t - copied, nc::Engine::scalar);
      on.transposeByDma(t);
      on.score(t + 2, 0);
      on.score(t + 2, 1);
      for (std::int64_t block = 0; block < blocks; ++block) {
        if (block == 3)
          on.transpose(t - copied + 1);
        on.multiply(t - multiplied, block);
      }
      on.maximum(t + 1);
      on.copyTransposed(t - copied, nc::Engine::vector);
      on.invert(t - inverted);
      on.columns(t + 1);
      on.add(t - added);
      on.store(t - stored);
    }
  }

  template <class E> using Block = decltype(sbuf<E>(128_c, std::int64_t{1}));
  template <class E> using Bank = decltype(psum<E>(128_c, std::int64_t{1}));

  /// Copies of a buffer, by turns.
  template <class B> struct Ring {
    List<B> copies;
    const B &operator[](std::int64_t i) const {
      return copies[static_cast<std::size_t>(i) % copies.size()];
    }
  };
  template <class E> static Ring<Block<E>> ring(int count, std::int64_t width) {
    Ring<Block<E>> made;
    for (int i = 0; i < count; ++i)
      made.copies.push_back(sbuf<E>(128_c, width));
    return made;
  }
  /// In PSUM, `apart` bytes from each other.
  template <class E>
  static Ring<Bank<E>> banks(int count, std::int64_t width, std::int64_t first,
                             std::int64_t apart) {
    Ring<Bank<E>> made;
    for (int i = 0; i < count; ++i)
      made.copies.push_back(psum<E>(128_c, width, at(0, first + i * apart)));
    return made;
  }

  /// What each instruction is; sections before the first one and behind the
  /// last one have none.
  struct Streams {
    In<T, 2> q, k, v;
    Out<T, 2> o;
    std::int64_t seq_q, seq_k;
    std::int64_t sections = seq_k / keys, steps = sections * (seq_q / queries);
    double scale = 1 / plain::sqrt(static_cast<double>(head));
    static constexpr std::int64_t bank = 2048;

    Block<T> qT = sbuf<T>(128_c, seq_q), kT = sbuf<T>(128_c, seq_k),
             values = sbuf<T>(128_c, seq_k / 128 * wide);
    Block<f32> minus = sbuf<f32>(128_c, std::int64_t{1});
    Ring<Bank<f32>> scores = banks<f32>(3, keys, 0, 2 * bank),
                    products = banks<f32>(3, wide, 6 * bank, 640);
    Ring<Bank<T>> turned =
        banks<T>(3, (blocks - byDma) * 128, 7 * bank, bank / 4);
    Ring<Block<T>> powers = ring<T>(6, keys), powersT = ring<T>(8, keys),
                   out = ring<T>(4, head);
    Ring<Block<f32>> found = ring<f32>(12, 1), largest = ring<f32>(12, 1),
                     bias = ring<f32>(12, 1), decays = ring<f32>(12, 1),
                     inverses = ring<f32>(4, 1), parts = ring<f32>(4, wide),
                     sums = ring<f32>(6, wide);
    int transfers = 0;

    bool isSection(std::int64_t t) const { return t >= 0 && t < steps; }
    bool isFirst(std::int64_t t) const { return t % sections == 0; }
    bool isLast(std::int64_t t) const { return (t + 1) % sections == 0; }
    std::int64_t row(std::int64_t t) const { return t / sections * queries; }
    const Block<f32> &sum(std::int64_t t) const { return sums[t / sections]; }
    /// The largest score of the queries up to a section.
    const Block<f32> &maximumOf(std::int64_t t) const {
      return isFirst(t) ? found[t] : largest[t];
    }

    /// Queues 1 to 14 in turn. Descriptors are ready before the kernel runs.
    int nextQueue() { return 1 + transfers++ % 14; }
    void loadTransposed(const auto &dst, const auto &src) {
      nc::dma_transpose(dst, src,
                        {.queue = nextQueue(),
                         .dge_mode = nc::DgeMode::none,
                         .engine = nc::Engine::sync});
    }

    /// In the order in which the first row of sections needs it.
    void load() {
      nc::memset(minus, -scale, {.engine = nc::Engine::gpsimd});
      nc::memset(values.slice(1_c, head, seq_k / 128, wide), 1.0,
                 {.engine = nc::Engine::gpsimd});
      loadTransposed(qT.cols_at(0, queries), q.rows_at(0, queries));
      for (std::int64_t half = 0; half < 2; ++half)
        loadTransposed(kT.cols_at(half * 512, 512), k.rows_at(half * 512, 512));
      for (std::int64_t key = 0; key < seq_k; key += 128) {
        if (const std::int64_t next = key + keys;
            key % keys == 0 && next < seq_k)
          loadTransposed(kT.cols_at(next, keys), k.rows_at(next, keys));
        nc::dma_copy(values.cols_at(key / 128 * wide, head),
                     v.rows_at(key, 128),
                     {.queue = nextQueue(),
                      .dge_mode = nc::DgeMode::none,
                      .engine = nc::Engine::sync});
      }
      for (std::int64_t query = queries; query < seq_q; query += queries)
        loadTransposed(qT.cols_at(query, queries), q.rows_at(query, queries));
    }

    void score(std::int64_t t, std::int64_t half) const {
      if (isSection(t))
        nc::nc_matmul(scores[t].cols_at(half * 512, 512),
                      qT.cols_at(row(t), queries),
                      kT.cols_at(t % sections * keys + half * 512, 512));
    }
    void maximum(std::int64_t t) const {
      if (isSection(t))
        nc::tensor_reduce(found[t], nc::AluOp::maximum, scores[t]);
    }
    /// The running maximum, and what the exponential adds.
    void columns(std::int64_t t) const {
      if (!isSection(t))
        return;
      if (!isFirst(t))
        nc::tensor_tensor(largest[t], found[t], maximumOf(t - 1),
                          nc::AluOp::maximum, {.engine = nc::Engine::gpsimd});
      nc::tensor_tensor(bias[t], maximumOf(t), minus, nc::AluOp::multiply,
                        {.engine = nc::Engine::gpsimd});
    }
    void exponential(std::int64_t t) const {
      if (isSection(t))
        nc::activation(powers[t], nc::ActivationFunction::exp, scores[t],
                       {.bias = bias[t], .scale = scale});
    }
    /// By which earlier sections count less.
    void decay(std::int64_t t) const {
      if (isSection(t) && !isFirst(t))
        nc::activation(decays[t], nc::ActivationFunction::exp, maximumOf(t - 1),
                       {.bias = bias[t], .scale = scale});
    }
    void transposeByDma(std::int64_t t) {
      for (std::int64_t block = 0; isSection(t) && block < byDma; ++block)
        loadTransposed(powersT[t].cols_at(block * 128, 128),
                       powers[t].cols_at(block * 128, 128));
    }
    void transpose(std::int64_t t) const {
      for (std::int64_t block = byDma; isSection(t) && block < blocks; ++block)
        nc::nc_transpose(turned[t].cols_at((block - byDma) * 128, 128),
                         powers[t].cols_at(block * 128, 128),
                         {.engine = nc::Engine::tensor});
    }
    /// Vector and Scalar engine take turns.
    void copyTransposed(std::int64_t t, nc::Engine engine) const {
      const bool isMine = (t % 2 == 0) == (engine == nc::Engine::scalar);
      if (isSection(t) && isMine)
        nc::tensor_copy(powersT[t].cols_at(byDma * 128, (blocks - byDma) * 128),
                        turned[t], {.engine = engine});
    }
    void multiply(std::int64_t t, std::int64_t block) const {
      if (isSection(t))
        nc::nc_matmul(
            products[t], powersT[t].cols_at(block * 128, 128),
            values.cols_at((t % sections * blocks + block) * wide, wide),
            {.accumulate = block > 0});
    }
    void evict(std::int64_t t) const {
      if (isSection(t))
        nc::tensor_copy(isFirst(t) ? sum(t) : parts[t], products[t],
                        {.engine = nc::Engine::scalar});
    }
    void add(std::int64_t t) const {
      if (!isSection(t) || isFirst(t))
        return;
      nc::tensor_tensor(sum(t), sum(t), decays[t].broadcast(1_c, wide),
                        nc::AluOp::multiply, {.engine = nc::Engine::gpsimd});
      nc::tensor_tensor(sum(t), sum(t), parts[t], nc::AluOp::add,
                        {.engine = nc::Engine::gpsimd});
    }
    void invert(std::int64_t t) const {
      if (isSection(t) && isLast(t))
        nc::reciprocal(inverses[t / sections], sum(t).cols_at(head, 1));
    }
    void store(std::int64_t t) const {
      if (!isSection(t) || !isLast(t))
        return;
      const Block<T> &result = out[t / sections];
      nc::tensor_tensor(result, sum(t).cols_at(0, head),
                        inverses[t / sections].broadcast(1_c, head),
                        nc::AluOp::multiply, {.engine = nc::Engine::gpsimd});
      nc::dma_copy(o.rows_at(row(t), queries), result,
                   {.queue = 15,
                    .dge_mode = nc::DgeMode::none,
                    .engine = nc::Engine::gpsimd});
    }
  };

  void reference(Doubles q, Doubles k, Doubles v, Doubles o) const;
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_EXPERT_KERNEL_H
