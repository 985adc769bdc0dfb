//===- kernel.h - Root-mean-square normalisation on two cores -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_RMSNORM_CORES_KERNEL_H
#define KILN_KERNELS_NORMALIZATION_RMSNORM_CORES_KERNEL_H

#include "kiln/kiln.h"

namespace kiln::kernels {

/// y[r, :] = x[r, :] / sqrt(mean(x[r, :]^2) + epsilon) * gamma. Each core of a
/// rank has half of the columns; they exchange their sums of squares half-way.
template <class T> struct RmsNormCores {
  BOOST_HANA_DEFINE_STRUCT(RmsNormCores, (int, rows), (int, cols));

  static RmsNormCores defaults() { return {512, 2048}; }
  static constexpr double epsilon = 1e-5;

  void describe(Signature &s) const {
    s.summary("RMS normalisation, columns split over the cores of a rank");
    s.doc("rows", "rows (tokens)");
    s.doc("cols", "elements of a row; even with --cores=2");
    s.argument("x", {rows, cols});
    s.argument("gamma", {cols});
    s.argument("y", {rows, cols});
    s.flops(4.0 * rows * cols);
  }

  void operator()(In<T, 2> x, In<T, 1> gamma, Out<T, 2> y) const {
    const auto cores = num_programs();
    require(cols % cores == 0,
            {"cols is <|", cols, "|>, no [|multiple of the cores, which are ",
             cores, "|]"},
            "give an even --cols");
    const auto width = cols / cores, first = program_id() * width;
    auto g = load(
        gamma.reshape(1_c, cols).cols_at(first, width).broadcast(0_c, 128_c));
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      auto t = load(x.rows_at(r, n).cols_at(first, width));
      auto squares = row_sum(square(t));
      auto finish = [&](const auto &sum) {
        auto scale = rsqrt(sum * (1.0 / cols) + epsilon);
        store(y.rows_at(r, n).cols_at(first, width),
              t * scale * g.rows_at(0, n));
      };
      if (cores == 1)
        return finish(squares);
      const auto other = static_cast<std::int32_t>(1 - program_id());
      auto theirs = sbuf<f32>(n, 1_c);
      // Does not queue behind the rows that the DMA engines load and store.
      nc::sendrecv(squares, theirs, other, other, 0,
                   {.dma_engine = nc::SendEngine::gpsimd_dma});
      finish(squares + theirs);
    });
  }

  void reference(Doubles x, Doubles gamma, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_RMSNORM_CORES_KERNEL_H
