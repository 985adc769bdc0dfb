//===- TileRules.h - Tile operations while recording ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_TILERULES_H
#define KILN_DSL_LIB_RECORD_TILERULES_H

#include "ViewRules.h"

#include <cmath>
#include <cstdio>

namespace kiln::dsl {

/// The limits of an integer type.
struct IntegerLimits {
  double low, high;
};

IntegerLimits integerLimits(DType dtype);

/// The shortest text that reads back as the same number.
std::string numberText(double value);

/// `view` as a value of type `dtype`.
View converted(Recorder &recorder, View view, DType dtype, const Where &where);

/// Checks a number that a tile of `dtype` is to hold: an integer type holds
/// only its own values. `does` is what happens to the tile.
void checkHeld(DType dtype, double value, const char *does, const Where &where);
/// The same for a number in each place: packed floats hold only 0, and their
/// scales nothing.
void checkFilled(DType dtype, double value, const char *does,
                 const Where &where);

std::vector<std::int64_t> broadcastShape(const View &a, const View &b,
                                         const Where &where);

Id recordBinary(Recorder &recorder, OpKind kind, const char *name,
                const View &a, const View &b, DType dtype, const Where &where);

/// Checks a number that is combined with a tile. Sums and products wrap in any
/// case; a number to compare with must be a value that the tile could hold.
void checkOperand(DType dtype, const char *name, double value,
                  const Where &where);

Id recordScalar(Recorder &recorder, OpKind kind, const char *name,
                const View &a, double value, bool reverse, DType dtype,
                const Where &where);

Id recordUnary(Recorder &recorder, const char *name, const View &x, DType dtype,
               const Where &where);

Id recordMove(Recorder &recorder, OpKind kind, View source, DType dtype,
              const Where &where);

Id recordStore(Recorder &recorder, const View &target, View source,
               const Where &where);

Id recordFill(Recorder &recorder, double value, DType dtype,
              std::vector<std::int64_t> shape, const Where &where);

Id recordMatmul(Recorder &recorder, View a, View b, bool transposeA,
                bool transposeB, const Where &where);

Id recordScaledMatmul(Recorder &recorder, View a, View aScales, View b,
                      View bScales, const Where &where);

/// Packed floats of type `dtype`, or their scales.
Id recordQuantize(Recorder &recorder, View x, DType dtype, bool scales,
                  const Where &where);

Id recordReduce(Recorder &recorder, const char *name, const View &x,
                DType dtype, const Where &where);

Id recordKeep(Recorder &recorder, const View &x, const MaskValue &mask,
              double otherwise, const Where &where);

Id recordSelect(Recorder &recorder, const View &mask, View x, View y,
                DType dtype, const Where &where);

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_TILERULES_H
