//===- RowsByIndex.h - Rows of a tile that an index chooses ----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions name their partitions by numbers. Columns can be chosen by an
// index, so such rows are columns of the transposed tile. What the kernel gets
// is a copy of the rows, not a window on them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_ROWSBYINDEX_H
#define KILN_DSL_LIB_RECORD_ROWSBYINDEX_H

#include "IndexRules.h"

namespace kiln::dsl {

/// Rows start to start + size - 1 of `view`, as a new tile.
View rowsByIndex(Recorder &recorder, const View &view, const IndexValue &start,
                 std::int64_t size, const Where &where);

/// If `target` is what rowsByIndex made, the rows of the tile that it was made
/// of become `source`, and the result is true.
bool assignRowsByIndex(Recorder &recorder, const View &target,
                       const View &source, const Where &where);

/// An instruction cannot write such rows.
[[noreturn]] void failWindow(const Where &where);

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_ROWSBYINDEX_H
