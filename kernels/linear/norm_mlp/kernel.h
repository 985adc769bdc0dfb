//===- kernel.h - Norm, feed-forward layer and residual -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_MLP_KERNEL_H
#define KILN_KERNELS_LINEAR_NORM_MLP_KERNEL_H

#include "linear/blocked_product.h"
#include "linear/gate.h"
#include "linear/mlp_biases.h"
#include "support/list.h"
#include "support/optional_argument.h"
#include "support/plain.h"
#include "support/share_of_core.h"
#include "support/weights.h"

namespace kiln::kernels {

/// y[T, H] = (silu(n wg (+ bg)) * (n wu (+ bu))) wd (+ bd) (+ x), n = norm(x):
/// the second half of a transformer layer. wg and wu are [H, I], wd is [I, H].
/// The gate may be a clamped one: see Gate.
template <class T> struct NormMlp {
  BOOST_HANA_DEFINE_STRUCT(NormMlp, (int, tokens), (int, hidden), (int, inner),
                           (bool, norm), (bool, residual), (float, epsilon),
                           (bool, bias), (Scales, scales), (float, unit),
                           (float, inner_unit), (GateActivation, activation));

  /// Of the residual, where ranks add up what each has.
  float share = 1.0f;

  static NormMlp defaults() { return defaultsOf<NormMlp>(); }
  /// What is the same for all element types.
  template <class Kernel> static Kernel defaultsOf() {
    return {512,
            1024,
            3072,
            true,
            true,
            1e-5f,
            false,
            Scales::none,
            1,
            1,
            GateActivation::silu};
  }

  using Biases = MlpBiases<Product<T>>;

  /// norm(x), transposed, in pieces of rows. The rows of x are scaled after the
  /// product, which does not wait for their norm.
  struct Rows {
    List<Tile<T, -1, -1>> pieces;
    List<Tile<f32, 1, -1>> scale; ///< [1, count], or nothing.
  };

  void describe(Signature &s) const {
    describeWith(s, [&](std::string_view name, std::int64_t inputs,
                        std::int64_t outputs) {
      weightArgument<T>(s, name, inputs, outputs);
    });
  }

  /// describeWeights(name, inputs, outputs) has the tensors of weights.
  void describeWith(Signature &s, auto describeWeights) const {
    s.summary("RMSNorm, gated feed-forward layer and residual");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("inner", "columns of the gate and of what it scales");
    s.doc("norm", "normalise each row of x, times gamma");
    s.doc("residual", "add x to the result");
    s.doc("epsilon", "added to the mean square");
    Biases::document(s);
    describeQuantization(s);
    s.doc("inner-unit", "likewise, what wd multiplies");
    Gate::document(s);
    describeTensors(s, describeWeights,
                    [&] { Biases::describe(s, bias, hidden, inner); });
    s.tokens(tokens);
  }

  void describeTensors(Signature &s, auto describeWeights,
                       auto describeBiases) const {
    s.argument("x", {tokens, hidden});
    optionalArgument(s, norm, "gamma", {hidden});
    describeWeights("wg", hidden, inner);
    describeWeights("wu", hidden, inner);
    describeWeights("wd", inner, hidden);
    describeBiases();
    s.argument("y", {tokens, hidden});
    s.flops(6.0 * tokens * hidden * inner);
  }

  static constexpr std::int64_t piece = 512;

  /// If a block of tokens has no room on chip beside the weights, or the sums
  /// of a few tokens have none.
  bool isWide() const {
    // Its PSUM has no room for 16 whole pieces beside the sums of squares.
    if (norm && tokens > 1024 && hidden == 16 * piece &&
        target().generation == nc::Generation::v2)
      return true;
    return tokens > 256
               ? hidden > 9216
               : hidden * isa::ceilDiv<std::int64_t>(tokens, 128) > 16384;
  }

  /// Rows of wg and wu at once if x is wide: equal parts, if there are some.
  std::int64_t depthAtOnce() const {
    const std::int64_t blocks = isa::ceilDiv<std::int64_t>(hidden, 128);
    const std::int64_t most = 32 / isa::sizeInBytes(T::dtype);
    std::int64_t size = most;
    while (size > most / 2 && blocks % size != 0)
      --size;
    return 128 * (blocks % size == 0 ? size : most);
  }

  /// Columns of wg and wu at once. With few tokens, transfers bind, and those
  /// of long rows take less time: as many as have room, in equal blocks.
  std::int64_t blockOf(std::int64_t count) const {
    constexpr std::int64_t least = BlockedProduct<T>::bytes == 1 ? 512 : 256,
                           most = 1024;
    if (count > 16 || hidden > 4096 ||
        target().generation == nc::Generation::v2)
      return least;
    const std::int64_t bytes = std::is_same_v<T, f32> ? 4 : 2;
    const std::int64_t room = (std::int64_t(168) << 10) / (3 * hidden * bytes);
    const std::int64_t wide = plain::clamp(room * 128, least, most);
    const std::int64_t columns = ShareOfCore::of(inner).count;
    const std::int64_t blocks = isa::ceilDiv(columns, wide);
    return plain::max(least,
                      (columns + blocks * 128 - 1) / (blocks * 128) * 128);
  }

  void operator()(In<T, 2> x, In<Product<T>, 1> gamma, In<T, 2> wg, In<T, 2> wu,
                  In<T, 2> wd, In<Product<T>, 1> bg, In<Product<T>, 1> bu,
                  In<Product<T>, 1> bd, Out<Product<T>, 2> y) const {
    requireWide(scales, unit);
    inBlocks(x, gamma, wg, wu, wd, {bias, bg, bu, bd}, y,
             [](Index, std::int64_t) {});
  }

  /// whenDone(first, count) follows the store of these rows of y.
  /// Few tokens stay on chip until they are done, with their sums, while the
  /// weights stream by. Of many, what is between the products goes to HBM, with
  /// `inner` on partitions, as the product with wd wants it: so no product
  /// waits for the one before, and blocks of wd serve more tokens.
  void inBlocks(In<T, 2> x, In<Product<T>, 1> gamma, In<T, 2> wg, In<T, 2> wu,
                In<T, 2> wd, const Biases &biases, Out<Product<T>, 2> y,
                auto whenDone) const {
    checkShares();
    if (tokens <= 256 && !isWide()) {
      const Rows rows = normalised(x, gamma);
      Tile<f32, -1, -1> sums = residualOf(x);
      forGated(rows, tokens, wg, wu, biases,
               [&](Index i, std::int64_t size, const auto &h) {
                 add(sums, h, load(wd.rows_at(i, size)));
               });
      if (ShareOfCore::isPart())
        putHalf(y, sums, biases);
      else
        put(y, sums, biases, 0);
      whenDone(0, tokens);
      return;
    }
    auto kept = hbm<T>("h", inner, tokens);
    tiles("tokens", tokens, 512, [&](Index m, std::int64_t count) {
      if (isWide())
        return addGated(x.rows_at(m, count), gamma, wg, wu, biases,
                        kept.cols_at(m, count));
      forGated(normalised(x.rows_at(m, count), gamma), count, wg, wu, biases,
               [&](Index i, std::int64_t size, const auto &h) {
                 store(kept.rows_at(i, size).cols_at(m, count), h);
               });
    });
    if (inner <= BlockedProduct<T>::wide)
      return streamDown(x, kept, wd, biases, y, whenDone);
    tiles("rows", tokens, 512, [&](Index m, std::int64_t count) {
      tiles("columns", hidden, about(hidden), [&](Index n, std::int64_t width) {
        Tile<f32, -1, -1> sums =
            residualOf(x.rows_at(m, count).cols_at(n, width));
        tiles("k", inner, about(inner), [&](Index k, std::int64_t size) {
          add(sums, load(kept.rows_at(k, size).cols_at(m, count)),
              load(wd.rows_at(k, size).cols_at(n, width)));
        });
        put(y.rows_at(m, count).cols_at(n, width), sums, biases, n);
      });
      whenDone(m, count);
    });
  }

  /// About equal parts: a narrow one would wait for its loads.
  static std::int64_t about(std::int64_t extent) {
    return BlockedProduct<T>::part(extent, isa::ceilDiv(extent, 1024));
  }

  /// h [inner, count] of a block of tokens, if x is wide: blocks of it stay on
  /// chip, in f32, while norm(x), wg and wu stream by.
  void addGated(auto x, const auto &gamma, const auto &wg, const auto &wu,
                const Biases &biases, auto h) const {
    const std::int64_t count = x.dim(0), deep = depthAtOnce();
    auto rows = hbm<T>("rows", hidden, count);
    const auto forPieces = [&](const char *name, auto use) {
      tiles(name, hidden, deep, [&](Index k, std::int64_t size) {
        use(k, size, load_transposed(x.cols_at(k, size)));
      });
    };
    const auto put = [&](const Index &k, std::int64_t size, const auto &its) {
      store(rows.rows_at(k, size), cast<T>(its));
    };
    List<Tile<f32, -1, -1>> scale;
    if (norm) {
      Tile<f32, -1, -1> squares = zeros<f32>(1, count);
      forPieces("squares", [&](Index k, std::int64_t size, const auto &its) {
        squares = squares + col_sum(square(its));
        put(k, size, its * load(gamma.reshape(hidden, 1_c).rows_at(k, size)));
      });
      scale.push_back(rsqrt(squares * (1.0 / hidden) + epsilon));
    } else {
      forPieces("turn", put);
    }
    tiles("inner", inner, about(inner), [&](Index i, std::int64_t width) {
      Tile<f32, -1, -1> gate = zeros<f32>(width, count);
      Tile<f32, -1, -1> up = zeros<f32>(width, count);
      tiles("k", hidden, deep, [&](Index k, std::int64_t size) {
        auto right = load(rows.rows_at(k, size));
        add(gate, load(wg.rows_at(k, size).cols_at(i, width)), right);
        add(up, load(wu.rows_at(k, size).cols_at(i, width)), right);
      });
      if (norm) {
        gate = gate * scale[0];
        up = up * scale[0];
      }
      addRows(gate, biases, biases.gate, i);
      addRows(up, biases, biases.up, i);
      store(h.rows_at(i, width), gated(Gate{activation}.of(gate), up));
    });
  }

  /// sum[r] += bias[first + r], if there are biases.
  void addRows(auto &sum, const Biases &biases, const auto &bias,
               const Index &first) const {
    if (biases.areGiven)
      sum =
          sum + load(bias.reshape(bias.dim(0), 1_c).rows_at(first, sum.dim(0)));
  }

  /// What the product with wd takes. In units of a number, for 8 bits hold a
  /// short range: what is beyond becomes the largest number, not infinite.
  auto gated(const auto &gate, const auto &up) const {
    const auto times = [&](const auto &its) {
      if constexpr (BlockedProduct<T>::bytes == 1)
        return quantize<T>(gate * its, inner_unit);
      else
        return cast<T>(inner_unit == 1.0f ? gate * its
                                          : gate * (1 / inner_unit) * its);
    };
    return Gate{activation}.withUp(up, times);
  }

  /// If `inner` is short, all of h of a block of tokens stays on chip while wd
  /// streams by.
  void streamDown(In<T, 2> x, const auto &kept, In<T, 2> wd,
                  const Biases &biases, Out<Product<T>, 2> y,
                  auto whenDone) const {
    using Blocks = BlockedProduct<T>;
    Blocks::streamPast(
        "rows", tokens, wd,
        [&](Index m, std::int64_t count, std::int64_t k, std::int64_t size) {
          return load(kept.rows_at(k, size).cols_at(m, count));
        },
        [&](Index row, Index n, const auto &sum) {
          auto out = Blocks::beside(y, row, n, sum);
          put(out,
              residual ? sum + residualOf(Blocks::beside(x, row, n, sum)) : sum,
              biases, n);
        },
        whenDone);
  }

  /// use(i, size, h) for blocks of columns of wg and wu, where h [size, count]
  /// is what the product with wd takes.
  void forGated(const Rows &rows, std::int64_t count, const auto &wg,
                const auto &wu, const Biases &biases, auto use) const {
    const ShareOfCore mine = ShareOfCore::of(inner);
    tiles("inner", mine.count, blockOf(count), [&](Index b, std::int64_t size) {
      const Index i = b + mine.first;
      const auto product = [&](const auto &w, const auto &bias) {
        const auto part = [&](std::size_t k) {
          const auto &right = rows.pieces[k];
          return matmul(
              load(w.rows_at(k * piece, right.dim(0)).cols_at(i, size)), right);
        };
        auto sum = part(0);
        for (std::size_t k = 1; k < rows.pieces.size(); ++k)
          sum = sum + part(k);
        if (rows.scale.size() > 0)
          sum = sum * rows.scale[0];
        addRows(sum, biases, bias, i);
        return sum; // [size, count]
      };
      auto gate = Gate{activation}.of(product(wg, biases.gate));
      auto up = product(wu, biases.up);
      use(i, size, gated(gate, up));
    });
  }

  /// Columns n ..
  void put(auto out, const auto &sums, const Biases &biases,
           const Index &n) const {
    const auto finish = [&](const auto &values) {
      if (biases.areGiven)
        store(
            out,
            values +
                load(biases.down.reshape(1_c, hidden).cols_at(n, sums.dim(1))));
      else
        store(out, values);
    };
    if (inner_unit == 1.0f)
      finish(sums);
    else
      finish(sums * inner_unit);
  }

  /// What two cores have of the sums is added: each has the inner columns of
  /// its share, gets what the other one has of its half of y, and stores that.
  void putHalf(auto y, const auto &sums, const Biases &biases) const {
    const auto other = static_cast<std::int32_t>(1 - program_id());
    const ShareOfCore mine = ShareOfCore::of(hidden);
    auto theirs = sbuf<f32>(tokens, mine.count);
    nc::sendrecv(ShareOfCore::of(hidden, other).columnsOf(sums), theirs, other,
                 other, 0);
    put(mine.columnsOf(y), mine.columnsOf(sums) + theirs, biases, mine.first);
  }
  /// Two cores share the work on few tokens.
  void checkShares() const {
    ShareOfCore::requireFew(tokens);
    require(
        !ShareOfCore::isPart() || !isWide(),
        {"hidden is <|", hidden, "|>, expected [|at most 16384|] on two cores"},
        "compile for one core");
    ShareOfCore::half("hidden", hidden);
    ShareOfCore::half("inner", inner);
  }

  Tile<f32, -1, -1> residualOf(auto in) const {
    if (!residual || program_id() > 0)
      return zeros<f32>(in.dim(0), in.dim(1));
    if (share == 1.0f)
      return cast<f32>(load(in));
    return share * load(in);
  }

  /// sums[r, c] += h[k, r] right[k, c], in tiles of 128 rows.
  static void add(auto &sums, const auto &h, const auto &right) {
    BlockedProduct<T>::forPieces(sums.dim(0), 128, [&](auto r, auto height) {
      BlockedProduct<T>::forPieces(sums.dim(1), piece, [&](auto c, auto width) {
        auto sum = sums.rows_at(r, height).cols_at(c, width);
        sum = sum + matmul(h.cols_at(r, height), right.cols_at(c, width));
      });
    });
  }

  Rows normalised(auto x, const auto &gamma) const {
    Rows rows;
    const auto forPieces = [&](auto use) {
      BlockedProduct<T>::forPieces(hidden, piece, use);
    };
    forPieces([&](std::int64_t k, std::int64_t size) {
      rows.pieces.push_back(load_transposed(x.cols_at(k, size)));
    });
    if (!norm)
      return rows;
    auto squares = col_sum(square(rows.pieces[0])); // [1, count]
    for (std::size_t k = 1; k < rows.pieces.size(); ++k)
      squares = squares + col_sum(square(rows.pieces[k]));
    auto scale = rsqrt(squares * (1.0 / hidden) + epsilon);
    Rows results;
    forPieces([&](std::int64_t k, std::int64_t size) {
      auto its = load(gamma.reshape(hidden, 1_c).rows_at(k, size));
      results.pieces.push_back(cast<T>(rows.pieces[k / piece] * its));
    });
    results.scale.push_back(scale);
    return results;
  }

  void reference(Doubles x, Doubles gamma, Doubles wg, Doubles wu, Doubles wd,
                 Doubles bg, Doubles bu, Doubles bd,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_MLP_KERNEL_H
