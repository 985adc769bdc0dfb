//===- DataMovementChecks.cpp - Conditions of copies and patterns ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

#include <algorithm>

namespace kiln::isa {
namespace {

/// dma_copy and dma_transpose have the same frame.
struct DmaView {
  const Access *dst;
  const Access *src;
  DgeMode mode;
};

DmaView dmaView(const CheckContext &context) {
  if (const auto *op = std::get_if<DmaCopy>(&context.instruction.body))
    return {&op->dst, &op->src, op->dge_mode};
  const auto &op = context.as<DmaTranspose>();
  return {&op.dst, &op.src, op.dge_mode};
}

/// A transpose has sizes s0 .. s(n-1), outermost first: from HBM those of the
/// pattern, from SBUF its partitions and the elements of one.
struct TransposeSizes {
  unsigned rank = 2;
  std::array<std::uint64_t, 4> size{};
  std::uint64_t outer() const { return size[0]; }
  std::uint64_t inner() const { return size[rank - 1]; }
};

/// What a gather by rows requires of its source and index.
CheckResult checkGatheringTranspose(const CheckContext &context,
                                    const TransposeSizes &src) {
  const DmaTranspose &op = context.as<DmaTranspose>();
  const Access &index = *op.src_index;
  if (context.target.generation < Generation::v3)
    return context.error("KILN-I068",
                         "src_index needs [|trn2 or later|], found <|{}|>",
                         targetName(context));
  if (op.dge_mode != DgeMode::unknown && op.dge_mode != DgeMode::swdge)
    return context.error(
        "KILN-I068",
        "dge_mode is <|{}|>, but only [|swdge|] can follow an index",
        name(op.dge_mode));
  bool middleIsFlat = src.rank < 4 || src.size[1] == 1 || src.size[2] == 1;
  if (op.src.space != Space::hbm || sizeInBytes(op.src.dtype) != 2 ||
      src.inner() > 128 || src.outer() % 16 != 0 || !middleIsFlat ||
      op.src.numTerms != 0)
    return context.error(
        "KILN-I068",
        "a gathering transpose takes [|2-byte elements in hbm, a multiple of "
        "16 rows, up to 128 columns, one middle size of 1 and no register|]; "
        "found <|{} rows, {} columns of {}|>",
        src.outer(), src.inner(), name(op.src.dtype));
  std::uint64_t columns = index.elements();
  bool wholeColumns = columns == 1 || index.partitions == 128;
  if (index.partitions < 16 || index.partitions % 16 != 0 || !wholeColumns ||
      index.partitions * columns < src.outer())
    return context.error(
        "KILN-I068",
        "src_index is [{}, {}]; its partitions must be a multiple of 16, or "
        "128 with more than one column, and it must list {} rows",
        index.partitions, columns, src.outer());
  return std::nullopt;
}

} // namespace

CheckResult checkDmaCounts(const CheckContext &context) {
  DmaView dma = dmaView(context);
  if (dma.dst->totalElements() != dma.src->totalElements())
    return context.error(
        "KILN-I006",
        "dst has <|{}|> elements, src has [|{}|]; they must be equal",
        dma.dst->totalElements(), dma.src->totalElements());
  return std::nullopt;
}

CheckResult checkDmaQueue(const CheckContext &context) {
  const std::int32_t queue = *queueOf(context.instruction.body);
  if (queue < 0 || queue >= static_cast<int>(dmaQueues))
    return context.error("KILN-I028", "queue is <|{}|>, expected [|0 to {}|]",
                         queue, dmaQueues - 1);
  return std::nullopt;
}

CheckResult checkDmaDge(const CheckContext &context) {
  DmaView dma = dmaView(context);
  if (dma.mode == DgeMode::none &&
      (dma.dst->numTerms != 0 || dma.src->numTerms != 0))
    return context.error("KILN-I026",
                         "dge_mode none prepares descriptors before the run "
                         "and cannot use a register in an address");
  if (dma.mode != DgeMode::hwdge)
    return std::nullopt;
  if (!context.target.has_hwdge)
    return context.error("KILN-I026",
                         "dge_mode hwdge needs [|trn2 or later|], found <|{}|>",
                         targetName(context));
  if (context.stream != Engine::sync && context.stream != Engine::scalar)
    return context.error("KILN-I026",
                         "dge_mode hwdge must be issued by the [|sync or "
                         "scalar|] stream, found <|{}|>",
                         name(context.stream));
  if (dma.dst->dtype != dma.src->dtype)
    return context.error("KILN-I026",
                         "dge_mode hwdge moves raw bytes, but dst is {} and "
                         "src is {}",
                         name(dma.dst->dtype), name(dma.src->dtype));
  return std::nullopt;
}

CheckResult checkDmaTransposeShapes(const CheckContext &context) {
  const DmaTranspose &op = context.as<DmaTranspose>();
  bool fromHbm = op.src.space == Space::hbm;
  if (fromHbm && (op.src.rank < 2 || op.src.rank > 4))
    return context.error(
        "KILN-I027",
        "src has <|{}|> dimensions, but a transpose takes [|2 to 4|]",
        op.src.rank);
  TransposeSizes src{2, {op.src.partitions, op.src.elements()}};
  if (fromHbm) {
    src.rank = op.src.rank;
    for (unsigned i = 0; i < src.rank; ++i)
      src.size[i] = op.src.dims[i].size;
  }
  std::uint64_t f = src.inner(), p = op.src.totalElements() / f;
  if (op.dst.partitions != f || op.dst.elements() != p)
    return context.error(
        "KILN-I027",
        "dst is <|[{}, {}]|>, but the transpose of src is [|[{}, {}]|]",
        op.dst.partitions, op.dst.elements(), f, p);
  if (op.dst.dtype != op.src.dtype)
    return context.error(
        "KILN-I027",
        "dst is <|{}|> and src is [|{}|]: a transpose keeps the element type",
        name(op.dst.dtype), name(op.src.dtype));
  unsigned bytes = sizeInBytes(op.src.dtype);
  if (op.src_index)
    return checkGatheringTranspose(context, src);
  if (op.dge_mode == DgeMode::swdge)
    return context.error(
        "KILN-I027",
        "dge_mode <|swdge|> only gathers; use [|unknown, none or hwdge|]");
  if (op.dge_mode != DgeMode::hwdge)
    return std::nullopt;
  std::uint64_t outer = src.outer();
  bool goodOuter = src.rank == 2 ? outer == 16
                                 : outer <= 16 && 16 % outer == 0 &&
                                       outer * src.size[src.rank - 2] % 16 == 0;
  if (!goodOuter || f > 128 || bytes != 2)
    return context.error(
        "KILN-I027",
        "dge_mode hwdge transposes [|[16, up to 128] of 2-byte elements, or "
        "three or four sizes where the first divides 16 and, times the last "
        "but one, gives a multiple of 16|]; found <|{} x {} of {}|>",
        p, f, bytes);
  return std::nullopt;
}

CheckResult checkCopyTypes(const CheckContext &context) {
  const Access &dst = *context.access("dst"), &src = *context.access("src");
  auto onlyMoves = [](DType dtype) {
    return isPacked(dtype) || dtype == DType::f8e8m0;
  };
  if (dst.dtype != src.dtype && (onlyMoves(dst.dtype) || onlyMoves(src.dtype)))
    return context.error(
        "KILN-I012",
        "dst is {} and src is {}: this type can only be copied, not converted",
        name(dst.dtype), name(src.dtype));
  return std::nullopt;
}

CheckResult checkMemsetValue(const CheckContext &context) {
  const Memset &op = context.as<Memset>();
  bool holdsNumbers = !isPacked(op.dst.dtype) && op.dst.dtype != DType::f8e8m0;
  if (!holdsNumbers && op.value != 0)
    return context.error("KILN-I076",
                         "value is <|{}|>, a tile of {} takes only [|0|]",
                         op.value, name(op.dst.dtype));
  return std::nullopt;
}

CheckResult checkScalarCopyGeneration(const CheckContext &context) {
  if (context.stream == Engine::scalar &&
      context.target.generation < Generation::v3)
    return context.error("KILN-I001",
                         "the scalar engine supports it from [|trn2|] on, "
                         "found <|{}|>; use activation with copy",
                         targetName(context));
  return std::nullopt;
}

CheckResult checkIndexPatternSize(const CheckContext &context) {
  const IndexPattern *pattern = nullptr;
  const Access *dst = nullptr;
  if (const auto *op = std::get_if<Iota>(&context.instruction.body)) {
    pattern = &op->pattern;
    dst = &op->dst;
  } else {
    const auto &select = context.as<AffineSelect>();
    pattern = &select.pattern;
    dst = &select.dst;
  }
  if (pattern->rank > pattern->dims.size())
    return context.error(
        "KILN-I025", "pattern has <|{}|> dimensions, expected at most [|{}|]",
        pattern->rank, pattern->dims.size());
  std::uint64_t elements = 1;
  for (unsigned i = 0; i < pattern->rank; ++i) {
    std::uint64_t size = pattern->dims[i].size;
    if (size == 0 || size > 65536)
      return context.error(
          "KILN-I025",
          "pattern: dimension {} has size <|{}|>, expected [|1 to 65536|]", i,
          size);
    // At most 2^17 times 2^16 before the comparison: no overflow.
    elements = std::min<std::uint64_t>(elements * size, 1u << 17);
  }
  if (elements != dst->elements())
    return context.error("KILN-I025",
                         "pattern has <|{}|> elements, dst has [|{}|] per "
                         "partition; they must be equal",
                         elements, dst->elements());
  return std::nullopt;
}

} // namespace kiln::isa
