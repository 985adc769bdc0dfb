//===- reference.cpp - Attention, in plain loops ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Computes a whole row of scores at once, without the online algorithm.
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

#include <algorithm>
#include <cmath>

namespace kiln::kernels {

void flashAttentionReference(const ParameterValues &parameters,
                             ReferenceTensors &tensors) {
  const ReferenceTensor &q = tensors.at("q"), &k = tensors.at("k"),
                        &v = tensors.at("v");
  ReferenceTensor &o = tensors.at("o");
  const std::int64_t heads = q.shape[0], queries = q.shape[1],
                     width = q.shape[2], group = heads / k.shape[0],
                     keys = k.shape[1];
  const bool causal = parameters.at("causal") == "true";
  const double given = std::stof(parameters.at("scale"));
  const double scale = given > 0 ? given : 1 / std::sqrt(double(width));

  parallelFor(heads * queries, [&](std::int64_t row) {
    const std::int64_t head = row / queries, i = row % queries;
    const double *query = q.values.data() + row * width;
    const double *kHead = k.values.data() + head / group * keys * width;
    const double *vHead = v.values.data() + head / group * keys * width;
    double *out = o.values.data() + row * width;
    // Query i sees keys up to i + keys - queries; maybe none.
    const std::int64_t seen =
        causal ? std::clamp<std::int64_t>(i + keys - queries + 1, 0, keys)
               : keys;
    std::fill(out, out + width, 0.0);
    if (seen == 0)
      return;
    std::vector<double> p(seen);
    for (std::int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < width; ++c)
        score += query[c] * kHead[j * width + c];
      p[j] = scale * score;
    }
    const double largest = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double &value : p)
      sum += value = std::exp(value - largest);
    for (std::int64_t j = 0; j < seen; ++j)
      for (std::int64_t c = 0; c < width; ++c)
        out[c] += p[j] / sum * vHead[j * width + c];
  });
}

} // namespace kiln::kernels
