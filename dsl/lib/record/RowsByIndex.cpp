//===- RowsByIndex.cpp - Rows of a tile that an index chooses -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsByIndex.h"

#include "TileRules.h"
#include "VariableRules.h"
#include "ViewRules.h"

namespace kiln::dsl {
namespace {

/// As a matrix with the same rows.
View flat(Recorder &recorder, const View &view, const Where &where) {
  if (view.sizes.size() == 2)
    return view;
  std::int64_t columns = 1;
  for (std::size_t i = 1; i < view.sizes.size(); ++i)
    columns *= view.sizes[i];
  return reshape(recorder, view, {view.sizes[0], columns}, where);
}

Id turned(Recorder &recorder, const View &view, const Where &where) {
  return recordMove(recorder, OpKind::transpose, flat(recorder, view, where),
                    view.dtype, where);
}

} // namespace

View rowsByIndex(Recorder &recorder, const View &view, const IndexValue &start,
                 std::int64_t size, const Where &where) {
  const View columns =
      slice(recorder, recorder.whole(turned(recorder, view, where)), 1, start,
            size, 1, where);
  const Id rows = turned(recorder, columns, where);
  recorder.indexedRows[rows] = {view, start};
  std::vector<std::int64_t> shape = view.sizes;
  shape[0] = size;
  return reshape(recorder, recorder.whole(rows), shape, where);
}

bool assignRowsByIndex(Recorder &recorder, const View &target,
                       const View &source, const Where &where) {
  const auto found = recorder.indexedRows.find(target.value);
  if (found == recorder.indexedRows.end())
    return false;
  const auto [of, start] = found->second;
  std::vector<std::int64_t> shape = of.sizes;
  shape[0] = recorder.value(target.value).shape[0];
  if (target != reshape(recorder, recorder.whole(target.value), shape, where))
    fail("KILN-A016",
         "the assignment is to a part of rows that an index chooses",
         "slice the columns first: t.cols_at(j, m).rows_at(i, n) = ..", where);
  recorder.makeVariable(of.value);
  const Id all = turned(recorder, of, where);
  recorder.makeVariable(all);
  recordAssign(
      recorder,
      slice(recorder, recorder.whole(all), 1, start, shape[0], 1, where),
      recorder.whole(turned(recorder, source, where)), where);
  const Id rows = turned(recorder, recorder.whole(all), where);
  recordAssign(recorder, of,
               reshape(recorder, recorder.whole(rows), of.sizes, where), where);
  return true;
}

void failWindow(const Where &where) {
  fail("KILN-A016",
       "an instruction writes rows of a tile that an index chooses",
       "assign them: t.rows_at(i, n) = .., or use a C++ for loop", where);
}

} // namespace kiln::dsl
