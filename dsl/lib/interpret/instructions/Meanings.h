//===- Meanings.h - The meaning of each instruction ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_INSTRUCTIONS_MEANINGS_H
#define KILN_INTERPRET_INSTRUCTIONS_MEANINGS_H

#include "../Machine.h"

#include <span>
#include <string_view>

namespace kiln::interpret {

struct Meaning {
  std::string_view mnemonic;
  void (*interpret)(Call &call);
};
/// The instructions that interpretInstruction() knows.
std::span<const Meaning> meanings();

/// Instructions that no call of the language leads to, and why.
struct WithoutMeaning {
  std::string_view mnemonic;
  std::string_view reason;
};
std::span<const WithoutMeaning> instructionsElsewhere();

// Elementwise.cpp
void interpretTensorTensor(Call &call);
void interpretTensorScalar(Call &call);
void interpretScalarTensorTensor(Call &call);
void interpretReciprocal(Call &call);
// Activations.cpp
void interpretActivation(Call &call);
void interpretActivationReduce(Call &call);
void interpretActivate2(Call &call);
void interpretExponential(Call &call);
// Copies.cpp
void interpretTensorCopy(Call &call);
void interpretTensorCopyPredicated(Call &call);
void interpretMemset(Call &call);
void interpretStreamShuffle(Call &call);
// Selections.cpp
void interpretIota(Call &call);
void interpretAffineSelect(Call &call);
void interpretRangeSelect(Call &call);
void interpretSelectReduce(Call &call);
// Reductions.cpp
void interpretTensorReduce(Call &call);
void interpretTensorPartitionReduce(Call &call);
void interpretTensorScalarCumulative(Call &call);
void interpretTensorScalarReduce(Call &call);
void interpretTensorTensorScan(Call &call);
// Statistics.cpp
void interpretBnStats(Call &call);
void interpretBnAggr(Call &call);
// Searches.cpp
void interpretMax8(Call &call);
void interpretFindIndex8(Call &call);
void interpretMatchReplace8(Call &call);
void interpretTopk(Call &call);
// Lists.cpp
void interpretNonzeroWithCount(Call &call);
void interpretSequenceBounds(Call &call);
void interpretLocalGather(Call &call);
void interpretNGather(Call &call);
// Products.cpp
void interpretMatmul(Call &call);
void interpretTranspose(Call &call);
// Microscaling.cpp
void interpretMatmulMx(Call &call);
void interpretQuantizeMx(Call &call);
// Transfers.cpp
void interpretDmaCopy(Call &call);
void interpretPrepare(Call &call);
void interpretDmaTranspose(Call &call);
void interpretDmaCompute(Call &call);
// Randoms.cpp
void interpretRng(Call &call);
void interpretRand2(Call &call);
void interpretDropout(Call &call);
void interpretSetRngSeed(Call &call);
void interpretRandSetState(Call &call);
void interpretRandGetState(Call &call);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_INSTRUCTIONS_MEANINGS_H
