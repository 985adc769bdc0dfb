//===- ReductionChecks.cpp - Accumulators, scans, statistics --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

#include <limits>

namespace kiln::isa {

CheckResult checkReduceShapes(const CheckContext &context) {
  const TensorReduce &op = context.as<TensorReduce>();
  if (op.axes < 1 || op.axes > static_cast<int>(maxFreeDims) ||
      op.axes > op.data.rank)
    return context.error("KILN-I024",
                         "axes is <|{}|>, expected [|1 to {}|], the number "
                         "of data's free dimensions",
                         op.axes, op.data.rank);
  std::uint64_t kept = 1;
  for (int i = 0; i < op.data.rank - op.axes; ++i)
    kept *= op.data.dims[static_cast<std::size_t>(i)].size;
  if (op.dst.partitions != op.data.partitions)
    return context.error(
        "KILN-I005",
        "dst has <|{}|> partitions, data has [|{}|]; they must be equal",
        op.dst.partitions, op.data.partitions);
  if (op.dst.elements() != kept)
    return context.error("KILN-I024",
                         "dst has <|{}|> elements per partition, but the "
                         "dimensions that are kept have [|{}|]",
                         op.dst.elements(), kept);
  return std::nullopt;
}

CheckResult checkNegateArithmetic(const CheckContext &context) {
  const TensorReduce &op = context.as<TensorReduce>();
  if (op.negate && isBitwise(op.op))
    return context.error("KILN-I039", "negate is arithmetic, {} is bitwise",
                         name(op.op));
  return std::nullopt;
}

CheckResult checkPartitionReduceShapes(const CheckContext &context) {
  const TensorPartitionReduce &op = context.as<TensorPartitionReduce>();
  if (op.dst.partitions != 1 || op.dst.elements() != op.data.elements())
    return context.error(
        "KILN-I024",
        "dst is <|[{}, {}]|>, but the reduction of data is [|[1, {}]|]",
        op.dst.partitions, op.dst.elements(), op.data.elements());
  return std::nullopt;
}

CheckResult checkMatchReplaceShapes(const CheckContext &context) {
  const NcMatchReplace8 &op = context.as<NcMatchReplace8>();
  if (CheckResult error = checkSamePartitions(context))
    return error;
  if (op.dst.elements() != op.data.elements())
    return context.error("KILN-I006",
                         "dst has <|{}|> elements per partition, data has "
                         "[|{}|]; they must be equal",
                         op.dst.elements(), op.data.elements());
  return std::nullopt;
}

CheckResult checkReduceInit(const CheckContext &context) {
  // The cumulative instruction calls it imm1.
  std::string_view operand =
      context.info.operand("reduce_init") ? "reduce_init" : "imm1";
  bool given = context.field<Optional<ScalarOrTile>>(operand)->has_value();
  ReduceCommand command = *context.field<ReduceCommand>("reduce_cmd");
  bool loads = command == ReduceCommand::load_reduce;
  if (given != loads)
    return context.error("KILN-I022", "reduce_cmd is {}, but {} is {}",
                         name(command), operand, given ? "given" : "missing");
  return std::nullopt;
}

CheckResult checkReduceResult(const CheckContext &context) {
  if (*context.field<ReduceCommand>("reduce_cmd") == ReduceCommand::idle &&
      context.access("reduce_res"))
    return context.error("KILN-I022",
                         "reduce_res is given, but reduce_cmd idle leaves the "
                         "accumulator undefined");
  return std::nullopt;
}

CheckResult checkRangeSelect(const CheckContext &context) {
  const RangeSelect &op = context.as<RangeSelect>();
  if (op.on_false_value != std::numeric_limits<float>::lowest())
    return context.error(
        "KILN-I070",
        "on_false_value is <|{}|>, but the machine fills only with [|{}|]",
        op.on_false_value, std::numeric_limits<float>::lowest());
  constexpr std::int64_t exact = 1 << 24; // Integers that fp32 holds exactly.
  std::int64_t end = std::int64_t{op.range_start} +
                     static_cast<std::int64_t>(op.on_true_tile.elements());
  if (op.range_start <= -exact || end >= exact)
    return context.error("KILN-I070",
                         "indices go from <|{} to {}|>, but fp32 is exact only "
                         "from [|-{} to {}|]",
                         op.range_start, end - 1, exact, exact - 1);
  return std::nullopt;
}

} // namespace kiln::isa
