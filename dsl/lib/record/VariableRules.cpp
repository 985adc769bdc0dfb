//===- VariableRules.cpp - Declaring and assigning while recording
//---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableRules.h"

namespace kiln::dsl {

void recordAssign(Recorder &recorder, View target, View source,
                  const Where &where) {
  Op op;
  op.operation = program::Assign{std::move(target), std::move(source)};
  recorder.append(std::move(op), where);
}

View assignedView(Recorder &recorder, const Source &from, View source,
                  const View &target, const Where &where) {
  if (from.isNumber) {
    checkFilled(target.dtype, from.number, "is assigned", where);
    return recorder.whole(recorder.appendTile(
        program::Fill{from.number}, target.dtype, target.sizes, where));
  }
  if (source.sizes != target.sizes)
    fail("KILN-A005",
         "a tile of shape <|" + shapeText(source.sizes) +
             "|> is assigned to a variable of shape [|" +
             shapeText(target.sizes) + "|]",
         "give both the same shape", where);
  return converted(recorder, std::move(source), target.dtype, where);
}

Id assignTile(Recorder &recorder, Id id, const Source &from,
              const View &fromView, const Where &where) {
  recorder.checkVisible(id, where);
  const View source =
      assignedView(recorder, from, fromView, recorder.whole(id), where);
  const bool sameBody =
      recorder.isLocal(id) && !recorder.isBuffer(id) && !recorder.isViewed(id);
  if (!sameBody) {
    recorder.makeVariable(id);
    recordAssign(recorder, recorder.whole(id), source, where);
    return id;
  }
  if (from.isNumber || source.value != fromView.value ||
      (source.value == from.temporary && recorder.isLocal(source.value)))
    return source.value;
  if (source == recorder.whole(source.value))
    return recorder.appendAlias(source.value, where);
  return recordMove(recorder, OpKind::copy, source, source.dtype, where);
}

Id declareBuffer(Recorder &recorder, isa::Space space, DType dtype,
                 std::vector<std::int64_t> shape, const Placement &place,
                 const Where &where) {
  for (std::int64_t extent : shape)
    if (extent < 1)
      fail("KILN-A012",
           "a buffer has shape <|" + shapeText(shape) +
               "|>; every extent must be [|at least 1|]",
           "guard the call with a C++ if", where);
  if (place.partition != -1 && (place.partition < 0 || place.partition > 127 ||
                                place.partition + shape[0] > 128))
    fail("KILN-A014",
         "a buffer of " + std::to_string(shape[0]) +
             " rows is pinned to partition <|" +
             std::to_string(place.partition) +
             "|>; there are [|128|] partitions",
         "pin it lower, or give it fewer rows", where);
  if (place.byte < -1 ||
      (place.bank != -1 &&
       (place.bank < 0 || place.bank > 7 || space != isa::Space::psum)))
    fail("KILN-A014",
         "a buffer is pinned to <|byte " + std::to_string(place.byte) +
             ", bank " + std::to_string(place.bank) + "|>",
         "PSUM has banks 0 to 7; SBUF is addressed by byte", where);
  Value value;
  value.kind = ValueKind::buffer;
  value.dtype = dtype;
  value.space = space;
  value.shape = std::move(shape);
  Op op;
  const auto given = [](std::int64_t number) {
    return number == -1 ? std::nullopt : std::optional(number);
  };
  op.operation = program::Declare{given(place.partition), given(place.byte),
                                  given(place.bank), given(place.ring)};
  op.result = recorder.addValue(std::move(value));
  const Id result = op.result;
  recorder.append(std::move(op), where);
  return result;
}

} // namespace kiln::dsl
