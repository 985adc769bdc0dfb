//===- reference.h - Plain loops in double, to compare with -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_REFERENCE_H
#define KILN_KERNELS_REFERENCE_H

#include "kiln/record_parameters.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::kernels {

/// A tensor as the reference sees it: row-major doubles. Inputs hold what the
/// kernel reads, already rounded to its element type.
struct ReferenceTensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};
using ReferenceTensors = std::map<std::string, ReferenceTensor>;

/// Computes the outputs' values from the inputs and all parameters.
using Reference = void (*)(const ParameterValues &, ReferenceTensors &);

/// For a kernel whose ranks exchange data: takes the tensors of all ranks.
using RanksReference = void (*)(const ParameterValues &,
                                std::vector<ReferenceTensors> &);

/// The reference of a library kernel, or null.
Reference findReference(std::string_view kernel);
RanksReference findRanksReference(std::string_view kernel);

// One in each kernel's folder, reference.cpp.
void flashAttentionReference(const ParameterValues &, ReferenceTensors &);
void matmulReference(const ParameterValues &, ReferenceTensors &);
void qkvReference(const ParameterValues &, ReferenceTensors &);
void rmsnormReference(const ParameterValues &, ReferenceTensors &);
void softmaxReference(const ParameterValues &, ReferenceTensors &);
void ringAllGatherReference(const ParameterValues &,
                            std::vector<ReferenceTensors> &);
void ringReduceScatterReference(const ParameterValues &,
                                std::vector<ReferenceTensors> &);
void sbufAllReduceReference(const ParameterValues &,
                            std::vector<ReferenceTensors> &);

/// Calls `body(i)` for i in [0, count), on all cores; the calls must not
/// depend on each other.
void parallelFor(std::int64_t count,
                 const std::function<void(std::int64_t)> &body);

} // namespace kiln::kernels

#endif // KILN_KERNELS_REFERENCE_H
