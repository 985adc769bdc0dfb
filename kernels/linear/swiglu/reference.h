//===- reference.h - The feed-forward layer, in plain loops ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H
#define KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H

#include "linear/quantized_reference.h"
#include "linear/swiglu/kernel.h"
#include "linear/swiglu/scaled.h"
#include "support/list.h"
#include "support/plain.h"
#include "support/plain_product.h"
#include "support/rounded.h"

namespace kiln::kernels {

/// What is left of a gate, as the last product takes it: f8e4m3 in units.
template <class T> double SwiGlu<T>::kept(double value) const {
  if constexpr (BlockedProduct<T>::bytes == 1) {
    return saturated<T>(value / double(unit)) * double(unit);
  } else {
    return rounded<T>(value);
  }
}

template <class T>
void SwiGlu<T>::reference(Doubles x, Doubles wg, Doubles wu, Doubles wd,
                          Doubles x_scales, Doubles wg_scales,
                          Doubles wu_scales, Doubles wd_scales, Doubles bg,
                          Doubles bu, Doubles bd, Doubles y) const {
  const std::int64_t rows = x.dim(0);
  if constexpr (BlockedProduct<T>::bytes == 1)
    if (scales != Scales::none) {
      List<double> turned(x.size());
      for (std::size_t i = 0; i < turned.size(); ++i)
        turned[i % hidden * rows + i / hidden] =
            x[i] * x_scales[scales == Scales::row ? i / hidden : 0];
      return quantizedMlp<T>(
          [&](const QuantizedLayer &its, Doubles result) {
            scaledProduct(turned, its.scaled(scales), result);
          },
          {wg, wg_scales, bg}, {wu, wu_scales, bu}, {wd, wd_scales, bd}, rows,
          scales, double(unit), {activation}, y);
    }
  List<double> gate(static_cast<std::size_t>(rows * inner)), up = gate;
  addProduct(x, wg, {gate.data(), inner}, rows, hidden, inner);
  addProduct(x, wu, {up.data(), inner}, rows, hidden, inner);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double sum = gate[i] + (bias ? bg[i % inner] : 0);
    gate[i] = kept(
        Gate{activation}.reference(sum, up[i] + (bias ? bu[i % inner] : 0)));
  }
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = bias ? bd[i % hidden] : 0;
  addProduct({gate.data(), inner}, wd, y, rows, inner, hidden);
}

template <class P>
void SwiGluScaled<P>::reference(Doubles x, Doubles wg, Doubles wg_scales,
                                Doubles wu, Doubles wu_scales, Doubles wd,
                                Doubles wd_scales, Doubles bg, Doubles bu,
                                Doubles bd, Doubles y) const {
  const List<double> rows = quantized<MadeOnChip<P>>(x);
  quantizedMlp<P>(
      [&](const QuantizedLayer &its, Doubles result) {
        scaledProduct(rows, unpacked(its.w, its.scales), result);
      },
      {wg, wg_scales, bg}, {wu, wu_scales, bu}, {wd, wd_scales, bd}, x.dim(0),
      Scales::none, 1, {activation}, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H
