//===- Pattern.cpp - The bytes of an operand in a normal form -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checker/Trace.h"

#include <algorithm>

namespace kiln::problems::checker {

Pattern normalise(const isa::Access &access, isa::Effect effect) {
  Pattern pattern;
  pattern.access = &access;
  pattern.read =
      effect == isa::Effect::read || effect == isa::Effect::readWrite;
  pattern.write =
      effect == isa::Effect::write || effect == isa::Effect::readWrite;
  if (access.space == isa::Space::hbm) {
    pattern.memory = 2u + access.tensor;
  } else {
    pattern.memory = access.space == isa::Space::sbuf ? 0 : 1;
    pattern.partition = access.partition;
    pattern.partitionEnd = access.partition + access.partitions;
  }
  pattern.base = access.offset;
  std::int64_t element =
      static_cast<std::int64_t>(isa::sizeInBytes(access.dtype));
  pattern.run = element;
  std::vector<Pattern::Stride> strides;
  for (unsigned i = 0; i < access.rank; ++i) {
    std::int64_t bytes = access.dims[i].stride * element;
    std::int64_t count = access.dims[i].size;
    if (bytes < 0) {
      pattern.base += bytes * (count - 1);
      bytes = -bytes;
    }
    if (bytes != 0 && count > 1)
      strides.push_back({bytes, count});
  }
  std::sort(strides.begin(), strides.end(),
            [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
  for (const Pattern::Stride &stride : strides) {
    if (pattern.strides.empty() && stride.bytes <= pattern.run)
      pattern.run += stride.bytes * (stride.count - 1);
    else
      pattern.strides.push_back(stride);
  }
  std::reverse(pattern.strides.begin(), pattern.strides.end());
  pattern.extent = pattern.run;
  for (const Pattern::Stride &stride : pattern.strides)
    pattern.extent += stride.bytes * (stride.count - 1);
  return pattern;
}

} // namespace kiln::problems::checker
