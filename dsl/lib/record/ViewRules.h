//===- ViewRules.h - The arithmetic of views -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view is (value, offset, sizes, strides); slices, selections, permutations,
// reshapes and broadcasts fold into that, or are refused.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_VIEWRULES_H
#define KILN_DSL_LIB_RECORD_VIEWRULES_H

#include "IndexRules.h"

namespace kiln::dsl {

void addOffset(Recorder &recorder, View &view, const IndexValue &index,
               std::int64_t factor, const Where &where);

void checkDim(const View &view, std::int64_t dim, const Where &where);

bool onChip(const Recorder &recorder, const View &view);

View slice(Recorder &recorder, View view, std::int64_t dim,
           const IndexValue &start, std::int64_t size, std::int64_t step,
           const Where &where);

View select(Recorder &recorder, View view, std::int64_t dim,
            const IndexValue &index, const Where &where);

View permute(Recorder &recorder, const View &view,
             const std::vector<std::int64_t> &order, const Where &where);

/// Splits and merges dimensions where strides allow it without a copy.
View reshape(Recorder &recorder, const View &view,
             const std::vector<std::int64_t> &shape, const Where &where);

View broadcast(Recorder &recorder, View view, std::int64_t dim,
               std::int64_t size, const Where &where);

/// The bytes of the view as elements of type `dtype`.
View bitcast(Recorder &recorder, View view, DType dtype, const Where &where);

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_VIEWRULES_H
