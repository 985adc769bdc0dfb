//===- Layout.cpp - The shape of an access, simplified --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include <algorithm>

namespace kiln::sim {

void Layout::append(std::int64_t stride, std::uint64_t size) {
  elements *= size;
  if (size == 1)
    return;
  if (size > 1) {
    const std::int64_t reach = stride * static_cast<std::int64_t>(size - 1);
    (reach < 0 ? low : high) += reach;
  }
  if (rank > 0 &&
      dims[rank - 1].stride == stride * static_cast<std::int64_t>(size)) {
    dims[rank - 1] = {stride, dims[rank - 1].size * size};
    return;
  }
  dims[rank++] = {stride, size};
}

Layout layoutOf(const isa::Access &access) {
  Layout layout;
  layout.elementBytes = isa::sizeInBytes(access.dtype);
  layout.high = layout.elementBytes;
  const unsigned rank = std::min<unsigned>(access.rank, isa::Access::maxDims);
  for (unsigned i = 0; i < rank; ++i)
    layout.append(std::int64_t{access.dims[i].stride} * layout.elementBytes,
                  access.dims[i].size);
  return layout;
}

Runs runsOf(const Layout &layout) {
  Runs runs;
  runs.length = layout.elementBytes;
  for (unsigned i = 0; i < layout.rank; ++i) {
    Layout::Step step = layout.dims[i];
    if (step.stride == 0)
      continue;
    if (step.stride < 0) {
      runs.start += step.stride * static_cast<std::int64_t>(step.size - 1);
      step.stride = -step.stride;
    }
    // Largest stride first.
    unsigned at = runs.rank++;
    for (; at > 0 && runs.dims[at - 1].stride < step.stride; --at)
      runs.dims[at] = runs.dims[at - 1];
    runs.dims[at] = step;
  }
  while (runs.rank > 0 && runs.dims[runs.rank - 1].stride <= runs.length) {
    const Layout::Step &inner = runs.dims[--runs.rank];
    runs.length += inner.stride * static_cast<std::int64_t>(inner.size - 1);
  }
  return runs;
}

} // namespace kiln::sim
