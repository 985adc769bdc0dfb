//===- CoreChecks.cpp - Between the two cores of a rank -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {
namespace {

bool isCore(std::int32_t number) { return number == 0 || number == 1; }

} // namespace

CheckResult checkTwoCores(const CheckContext &context) {
  const unsigned cores = context.module.cores();
  if (cores != 2)
    return context.error("KILN-I080",
                         "it needs the [|two|] cores of a rank, but the module "
                         "is for <|{}|>; compile for two (--cores=2)",
                         cores);
  return std::nullopt;
}

CheckResult checkCoreBarrier(const CheckContext &context) {
  const CoreBarrier &op = context.as<CoreBarrier>();
  if (op.cores && *op.cores != IntPair{0, 1})
    return context.error("KILN-I080",
                         "cores are <|({}, {})|>, expected [|(0, 1)|]",
                         op.cores->first, op.cores->second);
  const Tensor &tensor = context.module.tensors[op.data.tensor];
  if (tensor.kind == TensorKind::internal)
    return context.error("KILN-I080",
                         "data is in {}, the scratch of one core; use an "
                         "argument or shared scratch",
                         tensor.name);
  return checkTwoCores(context);
}

CheckResult checkSendrecv(const CheckContext &context) {
  const Sendrecv &op = context.as<Sendrecv>();
  if (!isCore(op.send_to_rank) || !isCore(op.recv_from_rank))
    return context.error("KILN-I080",
                         "send_to_rank is <|{} and recv_from_rank is {}|>; the "
                         "cores of a rank are [|0 and 1|]",
                         op.send_to_rank, op.recv_from_rank);
  if (op.pipe_id < 0)
    return context.error(
        "KILN-I080", "pipe_id is <|{}|>, expected [|0 or more|]", op.pipe_id);
  if (op.src.dtype != op.dst.dtype || op.src.partitions != op.dst.partitions ||
      op.src.elements() != op.dst.elements())
    return context.error("KILN-I080",
                         "src is <|[{}, {}] of {}|> and dst [|[{}, {}] of "
                         "{}|]; they must be equal",
                         op.src.partitions, op.src.elements(),
                         name(op.src.dtype), op.dst.partitions,
                         op.dst.elements(), name(op.dst.dtype));
  if (op.dma_engine == SendEngine::gpsimd_dma) {
    constexpr std::uint64_t limit = 256;
    if (context.stream != Engine::gpsimd)
      return context.error("KILN-I080",
                           "dma_engine gpsimd_dma must be issued by the "
                           "[|gpsimd|] stream, found <|{}|>",
                           name(context.stream));
    if (op.src.elements() > limit)
      return context.error("KILN-I080",
                           "src has <|{}|> elements per partition, but "
                           "dma_engine gpsimd_dma moves up to [|{}|]",
                           op.src.elements(), limit);
  }
  return checkTwoCores(context);
}

} // namespace kiln::isa
