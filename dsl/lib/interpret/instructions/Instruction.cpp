//===- Instruction.cpp - The meaning of instructions --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"

#include <array>

namespace kiln::interpret {

namespace {

constexpr std::array table{
    Meaning{"activate2", interpretActivate2},
    Meaning{"activation", interpretActivation},
    Meaning{"activation_reduce", interpretActivationReduce},
    Meaning{"affine_select", interpretAffineSelect},
    Meaning{"all_gather_v_prepare", interpretPrepare},
    Meaning{"all_to_all_v_prepare", interpretPrepare},
    Meaning{"bn_aggr", interpretBnAggr},
    Meaning{"bn_stats", interpretBnStats},
    Meaning{"dma_compute", interpretDmaCompute},
    Meaning{"dma_copy", interpretDmaCopy},
    Meaning{"dma_transpose", interpretDmaTranspose},
    Meaning{"dropout", interpretDropout},
    Meaning{"exponential", interpretExponential},
    Meaning{"iota", interpretIota},
    Meaning{"local_gather", interpretLocalGather},
    Meaning{"max8", interpretMax8},
    Meaning{"memset", interpretMemset},
    Meaning{"nc_find_index8", interpretFindIndex8},
    Meaning{"nc_match_replace8", interpretMatchReplace8},
    Meaning{"nc_matmul", interpretMatmul},
    Meaning{"nc_matmul_mx", interpretMatmulMx},
    Meaning{"nc_n_gather", interpretNGather},
    Meaning{"nc_stream_shuffle", interpretStreamShuffle},
    Meaning{"nc_transpose", interpretTranspose},
    Meaning{"nonzero_with_count", interpretNonzeroWithCount},
    Meaning{"quantize_mx", interpretQuantizeMx},
    Meaning{"rand2", interpretRand2},
    Meaning{"rand_get_state", interpretRandGetState},
    Meaning{"rand_set_state", interpretRandSetState},
    Meaning{"range_select", interpretRangeSelect},
    Meaning{"reciprocal", interpretReciprocal},
    Meaning{"rng", interpretRng},
    Meaning{"scalar_tensor_tensor", interpretScalarTensorTensor},
    Meaning{"select_reduce", interpretSelectReduce},
    Meaning{"sequence_bounds", interpretSequenceBounds},
    Meaning{"set_rng_seed", interpretSetRngSeed},
    Meaning{"tensor_copy", interpretTensorCopy},
    Meaning{"tensor_copy_predicated", interpretTensorCopyPredicated},
    Meaning{"tensor_partition_reduce", interpretTensorPartitionReduce},
    Meaning{"tensor_reduce", interpretTensorReduce},
    Meaning{"tensor_scalar", interpretTensorScalar},
    Meaning{"tensor_scalar_cumulative", interpretTensorScalarCumulative},
    Meaning{"tensor_scalar_reduce", interpretTensorScalarReduce},
    Meaning{"tensor_tensor", interpretTensorTensor},
    Meaning{"tensor_tensor_scan", interpretTensorTensorScan},
    Meaning{"topk", interpretTopk},
};

} // namespace

constexpr std::array elsewhere{
    WithoutMeaning{"register_move", "an Index is its value"},
    WithoutMeaning{"register_alu", "arithmetic of Index: Machine.cpp"},
    WithoutMeaning{"register_wrap", "made by the compiler for rings"},
    WithoutMeaning{"register_load", "Control.cpp"},
    WithoutMeaning{"register_store", "Control.cpp"},
    WithoutMeaning{"loop", "an operation of the Program"},
    WithoutMeaning{"end_loop", "an operation of the Program"},
    WithoutMeaning{"while", "ends a body: Control.cpp"},
    WithoutMeaning{"if", "a loop of one trip or none"},
    WithoutMeaning{"else", "a loop of one trip or none"},
    WithoutMeaning{"end_if", "a loop of one trip or none"},
    WithoutMeaning{"semaphore", "order, which a sequence has"},
    WithoutMeaning{"rank_id", "Meetings.cpp"},
    WithoutMeaning{"collective_permute_implicit_current_processing_rank_id",
                   "Meetings.cpp"},
};

std::span<const WithoutMeaning> instructionsElsewhere() { return elsewhere; }
std::span<const Meaning> meanings() { return table; }

void interpretInstruction(Call &call) {
  constexpr std::int64_t most = isa::maxPartitions;
  for (const Call::Operand &operand : call.operands)
    if (operand.window.storage->onChip && operand.window.sizes.front() > most)
      return call.fail("operand '" + operand.name + "' of '" + call.mnemonic +
                       "' has " + std::to_string(operand.window.sizes.front()) +
                       " partitions of 128");
  for (const Meaning &meaning : table)
    if (meaning.mnemonic == call.mnemonic)
      return meaning.interpret(call);
  call.fail("instruction '" + call.mnemonic + "' is not known",
            Fault::unsupported);
}

} // namespace kiln::interpret
