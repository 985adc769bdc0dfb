//===- reference.h - What a kernel should compute -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_REFERENCE_H
#define KILN_KERNELS_REFERENCE_H

#include "kiln/record.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kiln::kernels {

/// A tensor in row-major order.
struct ReferenceTensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};
using ReferenceTensors = std::map<std::string, ReferenceTensor>;

/// Runs a kernel's own reference (kiln/dsl/doubles.h) on the tensors of each
/// rank: inputs are read, outputs written. The kernel must have one.
void computeReference(const KernelEntry &kernel, const ParameterValues &values,
                      std::vector<ReferenceTensors> &ranks);

} // namespace kiln::kernels

#endif // KILN_KERNELS_REFERENCE_H
