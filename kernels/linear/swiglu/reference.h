//===- reference.h - The feed-forward layer, in plain loops ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H
#define KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H

#include "linear/scaled_reference.h"
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
    return value;
  }
}

template <class T>
void SwiGlu<T>::reference(Doubles x, Doubles wg, Doubles wu, Doubles wd,
                          Doubles y) const {
  const std::int64_t rows = x.dim(0);
  List<double> gate(static_cast<std::size_t>(rows * inner)), up = gate;
  addProduct(x, wg, {gate.data(), inner}, rows, hidden, inner);
  addProduct(x, wu, {up.data(), inner}, rows, hidden, inner);
  for (std::size_t i = 0; i < gate.size(); ++i)
    gate[i] = kept(gate[i] / (1 + plain::exp(-gate[i])) * up[i]);
  plain::fill(y.begin(), y.end(), 0.0);
  addProduct({gate.data(), inner}, wd, y, rows, inner, hidden);
}

template <class P>
void SwiGluScaled<P>::reference(Doubles x, Doubles wg, Doubles wg_scales,
                                Doubles wu, Doubles wu_scales, Doubles wd,
                                Doubles wd_scales, Doubles y) const {
  const std::int64_t shape[] = {x.dim(0), inner};
  const List<double> rows = quantized<A>(x);
  const auto times = [&](Doubles w, Doubles scales) {
    List<double> result(static_cast<std::size_t>(shape[0] * inner));
    scaledProduct(rows, unpacked(w, scales), {result.data(), shape, 2});
    return result;
  };
  List<double> gate = times(wg, wg_scales);
  const List<double> up = times(wu, wu_scales);
  for (std::size_t i = 0; i < gate.size(); ++i)
    gate[i] = rounded<bf16>(gate[i] / (1 + plain::exp(-gate[i])) * up[i]);
  scaledProduct(quantized<A>({gate.data(), shape, 2}), unpacked(wd, wd_scales),
                y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H
