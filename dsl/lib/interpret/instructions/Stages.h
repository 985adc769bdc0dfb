//===- Stages.h - One operator of an engine, rounded ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction defines which operators round: each of its stages gives an
// fp32 number. So exact operands give an exact result, unlike the operators of
// the language, which the compiler may fuse.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_INSTRUCTIONS_STAGES_H
#define KILN_INTERPRET_INSTRUCTIONS_STAGES_H

#include "../Number.h"

namespace kiln::interpret {

/// a op b in fp32, rounded once. Any operator that apply() takes.
Number stage(isa::AluOp op, const Number &a, const Number &b);
/// The same, or b op a.
inline Number stage(isa::AluOp op, const Number &a, const Number &b,
                    bool reversed) {
  return reversed ? stage(op, b, a) : stage(op, a, b);
}
/// a * b + c in fp32, rounded once.
Number fusedStage(const Number &a, const Number &b, const Number &c);
/// a / count in fp32, rounded once; count is exact and not 0.
Number quotient(const Number &a, double count);
/// -a.
inline Number negated(const Number &a) { return {-a.value, a.bound}; }

/// The initial value of a reduction with `op`, if it does not start from its
/// first element.
double identityOf(isa::AluOp op);

/// a op b on the bits of integers: an operand of each type, and the type as
/// which the bits of the result are read. All are of one width.
Number bitwise(isa::AluOp op, const Number &a, DType aType, const Number &b,
               DType bType, DType result);
/// Any integer of the type.
Number anyInteger(DType dtype);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_INSTRUCTIONS_STAGES_H
