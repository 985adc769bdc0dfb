//===- kernel.h - Attention of new tokens ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_KERNEL_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_KERNEL_H

#include "attention/decode_attention/cache_rows.h"
#include "attention/decode_attention/new_rows.h"
#include "attention/decode_attention/token_attention.h"
#include "collectives/group.h"
#include "kiln/kiln.h"
#include "support/optional_argument.h"
#include "support/plain.h"

#include <optional>

namespace kiln::kernels {

struct TokenCaches; // In reference.h.

/// New tokens of each sequence attend to the keys in its cache, to earlier new
/// ones and to themselves, and are written behind them. lengths[b] is what the
/// cache of sequence b holds before, read when the kernel runs and kept within
/// 0 .. max_keys - new_tokens.
template <class T> struct DecodeAttention {
  BOOST_HANA_DEFINE_STRUCT(DecodeAttention, (int, batch), (int, heads),
                           (int, kv_heads), (int, head_dim), (int, max_keys),
                           (int, block), (bool, paged), (int, pages),
                           (bool, slotted), (float, scale),
                           (bool, keys_transposed), (int, new_tokens));
  int ranks = 1; ///< That have keys of the same queries, from 0 on.

  static DecodeAttention defaults() {
    return {2, 8, 1, 128, 2048, 1024, false, 0, false, 0.0f, false, 1};
  }

  void describe(Signature &s) const {
    s.summary("attention of new tokens of each sequence, with its cache");
    s.doc("batch", "sequences");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("max-keys", "the most keys of a sequence, a multiple of block");
    s.doc("block", "keys of a block; of a page, if paged");
    s.doc("paged", "a table names the pages of each sequence");
    s.doc("pages", "pages in the cache; 0 is as many as all sequences fill");
    s.doc("slotted", "slots tell where new keys go; a negative one: nowhere");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.doc("keys-transposed",
          "a key is a column of its cache: [head-dim, keys]");
    s.doc("new-tokens",
          "new tokens per sequence; the tokens of a head are consecutive");
    describeTensors(s);
  }
  void describeTensors(Signature &s) const {
    s.argument("lengths", {batch, 1});
    s.argument("q", {batch, heads * new_tokens, head_dim});
    s.argument("k", {batch, kv_heads * new_tokens, head_dim});
    s.argument("v", {batch, kv_heads * new_tokens, head_dim});
    optionalArgument(s, paged, "table", {batch, max_keys / block});
    optionalArgument(s, slotted, "slots", {batch, new_tokens});
    if (keys_transposed)
      s.argument("k_cache", {parts(), kv_heads, head_dim, keysOfPart()});
    else
      s.argument("k_cache", {parts(), kv_heads, keysOfPart(), head_dim});
    s.argument("v_cache", {parts(), kv_heads, keysOfPart(), head_dim});
    s.argument("o", {batch, heads * new_tokens, head_dim});
    s.flops(4.0 * batch * heads * new_tokens *
            (max_keys + (new_tokens + 1) / 2.0) * head_dim);
  }

  /// The cache has a part for each sequence, or for each page.
  std::int64_t parts() const {
    if (!paged)
      return batch;
    return pages > 0 ? pages : std::int64_t(batch) * (max_keys / block);
  }
  std::int64_t keysOfPart() const { return paged ? block : max_keys; }

  void operator()(In<i32, 2> lengths, In<T, 3> q, In<T, 3> k, In<T, 3> v,
                  In<i32, 2> table, In<i32, 2> slots, InOut<T, 4> k_cache,
                  InOut<T, 4> v_cache, Out<T, 3> o) const {
    run(lengths, q, k, v, table, slots, k_cache, v_cache, o, true);
  }

  /// `contiguous`: what is new of all sequences lies back to back in HBM.
  void run(auto lengths, auto q, auto k, auto v, auto table, auto slots,
           auto k_cache, auto v_cache, auto o, bool contiguous) const {
    check();
    auto counts = sbuf<i32>(1_c, batch), names = sbuf<i32>(1_c, listed());
    nc::dma_copy(counts, lengths.reshape(1_c, batch));
    if (near())
      nc::dma_copy(names, table.reshape(1_c, listed()));
    const auto lengthOf = [&](Index b) {
      return within(nc::register_load(counts.cols_at(b, 1_c)),
                    max_keys - new_tokens + 1);
    };
    const auto pageOf = [&](Index b, Index j) {
      const Index at = b * blocks() + min(j, blocks() - 1);
      return within(
          near() ? nc::register_load(names.cols_at(at, 1_c))
                 : nc::register_load(table.rows_at(b, 1_c).cols_at(j, 1_c)),
          parts());
    };
    const NewRows rows = newRows();
    const auto go = [&](auto prepare) {
      attend(lengths, q, k, v, contiguous, table, lengthOf, pageOf, k_cache,
             v_cache, o, prepare);
    };
    if (contiguous && !keys_transposed && rows.possible())
      go([&] {
        return rows.prepare(lengths, table, slots, k, v, k_cache, v_cache);
      });
    else
      go([&] {
        return
            [&] { writeEach(k, v, slots, lengthOf, pageOf, k_cache, v_cache); };
      });
  }

  NewRows newRows() const {
    return {batch,   kv_heads,     new_tokens, max_keys,
            parts(), keysOfPart(), paged,      slotted};
  }
  /// One sequence after the other.
  void writeEach(auto k, auto v, auto slots, auto lengthOf, auto pageOf,
                 auto k_cache, auto v_cache) const {
    loop("write", batch, [&](Index b) {
      for (std::int64_t n = 0; n < new_tokens; ++n) {
        const Index at =
            slotted ? nc::register_load(slots.rows_at(b, 1_c).cols_at(n, 1_c))
                    : lengthOf(b) + n;
        const auto put = [&] {
          const Index part = !paged    ? b
                             : slotted ? within(at / block, parts())
                                       : pageOf(b, at / block);
          const Index row = paged ? at % block : within(at, max_keys);
          nc::dma_copy(k_cache[part].select(keys_transposed ? 2 : 1, row),
                       k[b].slice(0, n, kv_heads, new_tokens));
          nc::dma_copy(v_cache[part].select(1, row),
                       v[b].slice(0, n, kv_heads, new_tokens));
        };
        if (slotted)
          when("slot", at >= 0, put);
        else
          put();
      }
    });
  }

  void check() const {
    require(head_dim <= 128,
            {"head-dim is <|", head_dim, "|>, expected [|at most 128|]"});
    require(heads % kv_heads == 0,
            {"heads is <|", heads, "|>, no [|multiple of kv-heads, which is ",
             kv_heads, "|]"});
    require(queries() <= 128, {"a kv-head has <|", queries(),
                               "|> queries, expected [|at most 128|]"});
    require(new_tokens > 0 && new_tokens <= max_keys,
            {"new-tokens is <|", new_tokens, "|>, expected [|1 to ", max_keys,
             "|]"});
    require(ranks == 1 || num_programs() == 1,
            {"cores is <|", num_programs(),
             "|> and the keys are divided among ", ranks,
             " ranks, expected [|1 core|]"},
            "give each core a rank of its own");
    require(block > 0, {"block is <|", block, "|>, expected [|1 or more|]"});
    require(max_keys % block == 0,
            {"max-keys is <|", max_keys,
             "|>, no [|multiple of block, which is ", block, "|]"});
  }
  /// Of one kv-head: new tokens of its heads.
  std::int64_t queries() const {
    return std::int64_t{heads} / kv_heads * new_tokens;
  }
  static Index within(Index i, std::int64_t count) {
    return max(min(i, count - 1), 0);
  }
  std::int64_t blocks() const { return max_keys / block; } ///< Of a sequence.
  std::int64_t listed() const { return batch * blocks(); }
  /// Registers load from on chip in less time, if the table has room there.
  /// An access on chip is bounded, so that it is known what lies behind it.
  bool near() const { return paged && listed() <= 4096; }

  /// Rows of several keys, up to 4 KiB, if transfers can gather and transpose
  /// them.
  CacheRows cacheRows() const {
    return {batch,
            kv_heads,
            max_keys,
            keysOfPart(),
            parts(),
            head_dim,
            plain::clamp<std::int64_t>(
                plain::min<std::int64_t>(512 / queries(), max_keys / 16), 1,
                2048 / head_dim)};
  }
  static constexpr bool hasHalves = isa::sizeInBytes(T::dtype) == 2;
  bool gathers() const {
    // Finding the rows takes longer than the loads of a few pages or blocks. A
    // step may name a row more than once, but not more rows than the cache has.
    const CacheRows some = cacheRows();
    const bool isLong = max_keys >= 4096;
    const bool many = paged ? blocks() >= 8 || (isLong && listed() >= 16)
                            : blocks() >= 4 || isLong;
    return many && !keys_transposed && hasHalves &&
           target().generation != nc::Generation::v2 && some.rows() % 16 == 0 &&
           some.rows() <= some.all();
  }

  /// A step is rows that a transfer gathers, or a block.
  TokenShape shape() const {
    const bool gather = gathers();
    const std::int64_t rows =
        gather ? cacheRows().rows() : divisorUpTo(block, 128);
    const std::int64_t per = gather ? cacheRows().keysOfRow() : block / rows;
    require(per * queries() <= 512,
            {"the scores of a step are <|", per * queries(),
             "|> for each row (", per, " keys of ", queries(),
             " queries of a group), expected [|at most 512|]"},
            "give a shorter block");
    const std::int64_t cores = num_programs(), all = max_keys / (rows * per);
    return {batch,
            kv_heads,
            new_tokens,
            queries(),
            head_dim,
            rows,
            per,
            cores > 1 ? all / cores + 1 : all,
            gather ? cacheRows().stacked() : 1,
            scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim),
            ranks * cores,
            program_id(),
            cores,
            all};
  }

  void attend(auto lengths, auto q, auto k, auto v, bool contiguous, auto table,
              auto lengthOf, auto pageOf, auto k_cache, auto v_cache, auto o,
              auto prepare) const {
    const bool gather = gathers();
    const CacheRows some = cacheRows();
    TokenAttention<T> token{shape()};
    token.loadNew(q, k, v, contiguous);
    std::optional<CacheRows::Places> places;
    if constexpr (hasHalves)
      if (gather)
        places.emplace(paged ? some.places(table) : some.placesInOrder());
    token.findEnds(lengths);
    const auto blockOf = [&](auto cache, Index i, Index j, bool columns) {
      const Index b = i / kv_heads, g = i % kv_heads;
      auto part = paged ? cache[pageOf(b, j)][g] : cache[b][g];
      const Index at = paged ? Index(0) : j * block;
      return columns ? part.cols_at(at, block) : part.rows_at(at, block);
    };
    const auto keys = [&](Index i, Index step, auto use) {
      const Index j = token.placeOf(step);
      if constexpr (hasHalves)
        if (gather)
          return use(some.keys(k_cache, *places, i, j), token.rows, 1);
      use(keys_transposed ? load(blockOf(k_cache, i, j, true))
                          : load_transposed(blockOf(k_cache, i, j, false)),
          1, token.per);
    };
    const auto block = [&](auto cache, Index i, Index j, auto into) {
      nc::dma_copy(into, blockOf(cache, i, j, false)
                             .reshape(token.rows, token.per * head_dim));
    };
    const auto keyRows = [&](Index i, Index step, auto into) {
      block(k_cache, i, token.placeOf(step), into);
    };
    const auto values = [&](Index i, Index step, auto into) {
      const Index j = token.placeOf(step);
      if constexpr (hasHalves)
        if (gather)
          return some.values(v_cache, *places, i, j, into);
      block(v_cache, i, j, into);
    };
    const bool spreads = hasHalves && !keys_transposed &&
                         target().generation == nc::Generation::v2;
    const auto length = [&](Index i) { return lengthOf(i / kv_heads); };
    const auto meet = [&](const auto &from, auto &to, nc::AluOp op) {
      meetOthers(from, to, op);
    };
    token.attend(StepSource{keys, keyRows, values, length, spreads}, o,
                 once(k_cache, v_cache, prepare), meet);
  }

  /// `to` is what all ranks or cores have of `from`.
  void meetOthers(const auto &from, auto &to, nc::AluOp op) const {
    if (num_programs() == 1) {
      nc::all_reduce(from, to, ranksOf(ranks), op);
      return;
    }
    const auto other = static_cast<std::int32_t>(1 - program_id());
    auto theirs = sbuf<f32>(from.dim(0), from.dim(1));
    nc::sendrecv(from, theirs, other, other, 0);
    nc::tensor_tensor(to, from, theirs, op);
  }
  /// What `prepare` returns, on the first core, when all cores have read.
  auto once(auto k_cache, auto v_cache, auto prepare) const {
    return [=] {
      // In a statement of its own: compilers differ in the lines of captures.
      const auto write = prepare();
      return [=] {
        if (num_programs() > 1) {
          nc::core_barrier(k_cache);
          nc::core_barrier(v_cache);
        }
        if (program_id() == 0)
          write();
      };
    };
  }

  TokenCaches caches(Doubles lengths, Doubles table, Doubles k_cache,
                     Doubles v_cache) const; // In reference.h.
  void reference(Doubles lengths, Doubles q, Doubles k, Doubles v,
                 Doubles table, Doubles slots, Doubles k_cache, Doubles v_cache,
                 Doubles o) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_KERNEL_H
