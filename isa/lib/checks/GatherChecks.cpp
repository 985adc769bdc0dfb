//===- GatherChecks.cpp - Shuffles, gathers, searches, sums by DMA --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

#include "kiln/isa/rounding.h"
#include "kiln/isa/shapes.h"

#include <algorithm>

namespace kiln::isa {

CheckResult checkStreamShuffle(const CheckContext &context) {
  const NcStreamShuffle &op = context.as<NcStreamShuffle>();
  if (op.dst.elements() != op.src.elements())
    return context.error("KILN-I006",
                         "dst has <|{}|> elements per partition, src has "
                         "[|{}|]; they must be equal",
                         op.dst.elements(), op.src.elements());
  // Whole quadrants move.
  unsigned lanes = std::max(op.dst.partitions, op.src.partitions);
  unsigned step = lanes > 64 ? 128 : lanes > 32 ? 64 : 32;
  for (std::string_view name : {"dst", "src"})
    if (context.access(name)->partition % step != 0)
      return context.error("KILN-I007",
                           "{} starts at partition <|{}|>, but {} lanes must "
                           "start at [|a multiple of {}|]",
                           name, context.access(name)->partition, lanes, step);
  for (std::size_t i = 0; i < op.shuffle_mask.size(); ++i) {
    std::uint8_t from = op.shuffle_mask[i];
    if (from != keepLane && from >= op.shuffle_mask.size())
      return context.error(
          "KILN-I064",
          "shuffle_mask[{}] is <|{}|>, expected [|0 to 31 or 255|]", i, from);
    // The last quadrant of dst that has this lane.
    unsigned quadrants = (op.dst.partitions + 31u - i) / 32u;
    bool isWritten = i < op.dst.partitions && from != keepLane;
    if (isWritten && 32 * (quadrants - 1) + from >= op.src.partitions &&
        !(op.src.partitions <= 32 && from < op.src.partitions))
      return context.error(
          "KILN-I064",
          "shuffle_mask[{}] is <|{}|>, but src has [|{}|] partitions", i, from,
          op.src.partitions);
  }
  return std::nullopt;
}

CheckResult checkLocalGather(const CheckContext &context) {
  const LocalGather &op = context.as<LocalGather>();
  if (op.dst.dtype != op.src_buffer.dtype)
    return context.error(
        "KILN-I012",
        "dst is <|{}|> and src_buffer is [|{}|]; they must be equal",
        name(op.dst.dtype), name(op.src_buffer.dtype));
  if (CheckResult error = checkSamePartitions(context))
    return error;
  if (op.dst.partitions % 16 != 0)
    return context.error(
        "KILN-I065",
        "there are <|{}|> partitions, expected [|a multiple of 16|]",
        op.dst.partitions);
  constexpr std::array sizes{1, 2, 4, 8, 16, 32};
  if (std::find(sizes.begin(), sizes.end(), op.num_elem_per_idx) == sizes.end())
    return context.error(
        "KILN-I065",
        "num_elem_per_idx is <|{}|>, expected [|1, 2, 4, 8, 16 or 32|]",
        op.num_elem_per_idx);
  auto listed = static_cast<std::int64_t>(16 * op.index.elements());
  std::int64_t used = op.num_valid_indices.value_or(
      static_cast<std::int32_t>(std::min<std::int64_t>(listed, INT32_MAX)));
  constexpr std::int64_t most = 4096;
  if (used < 1 || used > listed || used > most)
    return context.error("KILN-I065",
                         "<|{}|> indices are used, expected [|1 to {}|]", used,
                         std::min(listed, most));
  auto expected = static_cast<std::uint64_t>(used * op.num_elem_per_idx);
  if (op.dst.elements() != expected)
    return context.error(
        "KILN-I065",
        "dst has <|{}|> elements per partition, {} indices of {} give [|{}|]",
        op.dst.elements(), used, op.num_elem_per_idx, expected);
  return std::nullopt;
}

CheckResult checkGatherShapes(const CheckContext &context) {
  const NcNGather &op = context.as<NcNGather>();
  if (CheckResult error = checkSamePartitions(context))
    return error;
  if (op.dst.elements() != op.indices.elements())
    return context.error("KILN-I006",
                         "dst has <|{}|> elements per partition, indices has "
                         "[|{}|]; they must be equal",
                         op.dst.elements(), op.indices.elements());
  return std::nullopt;
}

CheckResult checkTopkShapes(const CheckContext &context) {
  const Topk &op = context.as<Topk>();
  if (CheckResult error = checkSamePartitions(context))
    return error;
  if (op.src.partitions % 16 != 0)
    return context.error(
        "KILN-I066",
        "there are <|{}|> partitions, expected [|a multiple of 16|]",
        op.src.partitions);
  if (op.n < 8 || op.n > 65535)
    return context.error("KILN-I066", "n is <|{}|>, expected [|8 to 65535|]",
                         op.n);
  auto n = static_cast<std::uint64_t>(op.n);
  std::uint64_t k = op.val_dst.elements();
  if (k != op.idx_dst.elements() || k > n || k >= 32768)
    return context.error(
        "KILN-I066",
        "val_dst has {} elements per partition and idx_dst {}; "
        "they must be equal, at most n = {} and below 32768",
        k, op.idx_dst.elements(), n);
  if (op.src.elements() < ceilDiv(n, poolLanes))
    return context.error(
        "KILN-I066",
        "src has <|{}|> columns, {} elements in 16 lanes need [|{}|]",
        op.src.elements(), n, ceilDiv(n, poolLanes));
  return std::nullopt;
}

CheckResult checkNonzeroShapes(const CheckContext &context) {
  const NonzeroWithCount &op = context.as<NonzeroWithCount>();
  if (CheckResult error = checkSamePartitions(context))
    return error;
  if (op.dst.elements() != op.src.elements() + 1)
    return context.error("KILN-I066",
                         "dst has <|{}|> elements per partition, {} of src and "
                         "the count need [|{}|]",
                         op.dst.elements(), op.src.elements(),
                         op.src.elements() + 1);
  return std::nullopt;
}

CheckResult checkSequenceShapes(const CheckContext &context) {
  const SequenceBounds &op = context.as<SequenceBounds>();
  if (op.segment_ids.partitions != 1 || op.dst.partitions != 1)
    return context.error(
        "KILN-I066",
        "segment_ids has <|{}|> partitions and dst {}, expected [|1|]",
        op.segment_ids.partitions, op.dst.partitions);
  if (op.dst.elements() != 2 * op.segment_ids.elements())
    return context.error(
        "KILN-I066",
        "dst has <|{}|> elements, but needs [|{} starts and as many ends|]",
        op.dst.elements(), op.segment_ids.elements());
  if (op.dst.dtype != op.segment_ids.dtype)
    return context.error(
        "KILN-I066",
        "dst is <|{}|> and segment_ids is [|{}|]; they must be equal",
        name(op.dst.dtype), name(op.segment_ids.dtype));
  return std::nullopt;
}

CheckResult checkDmaCompute(const CheckContext &context) {
  const DmaCompute &op = context.as<DmaCompute>();
  if (op.srcs.empty() || op.srcs.size() > maxListAccesses)
    return context.error("KILN-I067",
                         "it has <|{}|> sources, expected [|1 to {}|]",
                         op.srcs.size(), maxListAccesses);
  for (const Access &source : op.srcs)
    if (source.totalElements() != op.dst.totalElements())
      return context.error(
          "KILN-I006",
          "dst has <|{}|> elements, a source has [|{}|]; they must be equal",
          op.dst.totalElements(), source.totalElements());
  for (const CheckedOperand &operand : context.operands())
    if (operand.access->numTerms != 0)
      return context.error(
          "KILN-I067",
          "{} has a register in its address; a sum needs static addresses",
          operand.info->name);
  if (!op.dst_index && !op.srcs_index)
    return op.oob_mode == OobMode::skip
               ? context.error("KILN-I067",
                               "oob_mode is skip, but there is no index")
               : CheckResult();
  if (op.srcs.size() != 2 || !op.unique_indices || op.srcs[0] != op.dst)
    return context.error(
        "KILN-I067",
        "with an index, it needs [|two sources|], the first equal to dst, and "
        "unique_indices; found <|{} sources|>",
        op.srcs.size());
  bool scatters = op.dst_index.has_value();
  if (op.dst.space != (scatters ? Space::hbm : Space::sbuf) ||
      op.srcs[1].space != (scatters ? Space::sbuf : Space::hbm))
    return context.error("KILN-I067",
                         "dst is in {} and srcs[1] in {}; the indexed side is "
                         "in hbm, the other in sbuf",
                         name(op.dst.space), name(op.srcs[1].space));
  const Access &rows = scatters ? op.dst : op.srcs[1];
  const Access &index = scatters ? *op.dst_index : *op.srcs_index;
  if (context.target.generation < Generation::v3 || (scatters && op.srcs_index))
    return context.error("KILN-I067",
                         "one index is allowed, from [|trn2|] on; found <|{}|>",
                         targetName(context));
  if (rows.rank == 0 || index.elements() != 1 ||
      index.partitions != rows.dims[0].size)
    return context.error("KILN-I067",
                         "the index is <|[{}, {}]|>, but it needs [|one entry "
                         "for each of {} rows|]",
                         index.partitions, index.elements(),
                         rows.rank == 0 ? 0 : rows.dims[0].size);
  return std::nullopt;
}

} // namespace kiln::isa
