//===- MatrixChecks.cpp - Tiles of the PE array, packed operands ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {
namespace {

struct ArrayTile {
  IntPair position, size;
};

/// One side of a tile: a legal length, at a multiple of it, inside the array.
CheckResult checkSide(const CheckContext &context, std::string_view what,
                      std::int32_t start, std::int32_t length) {
  bool v3 = context.target.generation >= Generation::v3;
  if (length != 128 && length != 64 && !(length == 32 && v3))
    return context.error(
        "KILN-I062", "tile_size has <|{}|> {}, but {} allows [|{}|]", length,
        what, targetName(context), v3 ? "128, 64 and 32" : "128 and 64");
  if (start < 0 || start % length != 0 || start + length > 128)
    return context.error("KILN-I062",
                         "tile_position {} is <|{}|>, but a tile of {} must "
                         "start at [|a multiple of its size within 128|]",
                         what, start, length);
  return std::nullopt;
}

/// The tile that both operands describe, with legal rows; an error if only one
/// is there.
CheckResult readTile(const CheckContext &context,
                     std::optional<ArrayTile> &tile) {
  const auto &position =
      *context.field<std::optional<IntPair>>("tile_position");
  const auto &size = *context.field<std::optional<IntPair>>("tile_size");
  if (position.has_value() != size.has_value())
    return context.error("KILN-I062", "{} is given without {}",
                         position ? "tile_position" : "tile_size",
                         position ? "tile_size" : "tile_position");
  if (!position)
    return std::nullopt;
  tile = ArrayTile{*position, *size};
  return checkSide(context, "rows", position->first, size->first);
}

CheckResult checkFits(const CheckContext &context, const ArrayTile &tile) {
  const Access &stationary = *context.access("stationary");
  if (stationary.partitions > tile.size.first)
    return context.error(
        "KILN-I062",
        "stationary has K = <|{}|> partitions, but the tile has [|{}|] rows",
        stationary.partitions, tile.size.first);
  for (std::string_view name : {"stationary", "moving"})
    if (context.access(name)->partition != tile.position.first)
      return context.error(
          "KILN-I062",
          "{} starts at partition <|{}|>, but the tile starts at row [|{}|]",
          name, context.access(name)->partition, tile.position.first);
  const Access &dst = *context.access("dst");
  if (dst.partitions > tile.size.second)
    return context.error(
        "KILN-I062",
        "dst has M = <|{}|> partitions, but the tile has [|{}|] columns",
        dst.partitions, tile.size.second);
  if (dst.partition != tile.position.second)
    return context.error(
        "KILN-I062",
        "dst starts at partition <|{}|>, but the tile starts at column [|{}|]",
        dst.partition, tile.position.second);
  return std::nullopt;
}

/// Scale rows of `operand`: four of each quadrant, from one of four offsets.
CheckResult checkScale(const CheckContext &context, std::string_view scaleName,
                       std::string_view operandName, std::uint64_t columns) {
  const Access &scale = *context.access(scaleName);
  const Access &operand = *context.access(operandName);
  unsigned span = 32u * (operand.partitions / 32u - 1) + 4;
  int behind = int{scale.partition} - int{operand.partition};
  if (behind < 0 || behind > 12 || behind % 4 != 0)
    return context.error(
        "KILN-I061",
        "{} starts <|{}|> partitions after {}, expected [|0, 4, 8 or 12|]",
        scaleName, behind, operandName);
  if (scale.partitions != span)
    return context.error("KILN-I061",
                         "{} covers <|{}|> partitions, but the scales of {} "
                         "partitions cover [|{}|]",
                         scaleName, scale.partitions, operand.partitions, span);
  if (scale.elements() != columns)
    return context.error("KILN-I061", "{} has <|{}|> columns, {} has [|{}|]",
                         scaleName, scale.elements(), operandName, columns);
  return std::nullopt;
}

CheckResult checkQuadrants(const CheckContext &context,
                           std::string_view operandName) {
  unsigned partitions = context.access(operandName)->partitions;
  if (partitions % 32 != 0)
    return context.error(
        "KILN-I061", "{} has <|{}|> partitions, expected [|a multiple of 32|]",
        operandName, partitions);
  return std::nullopt;
}

} // namespace

CheckResult checkMatmulTile(const CheckContext &context) {
  std::optional<ArrayTile> tile;
  if (CheckResult error = readTile(context, tile))
    return error;
  if (!tile)
    return std::nullopt;
  if (CheckResult error = checkSide(context, "columns", tile->position.second,
                                    tile->size.second))
    return error;
  if (!context.target.pe_column_tiling && tile->size.second != 128)
    return context.error("KILN-I062",
                         "tile_size has {} columns, but column tiling is off "
                         "for this target",
                         tile->size.second);
  return checkFits(context, *tile);
}

CheckResult checkMatmulDoubleRow(const CheckContext &context) {
  const NcMatmul &op = context.as<NcMatmul>();
  if (op.perf_mode != PerformanceMode::double_row)
    return std::nullopt;
  for (std::string_view name : {"stationary", "moving"}) {
    const Access &input = *context.access(name);
    if (sizeInBytes(input.dtype) != 1)
      return context.error(
          "KILN-I063", "double_row takes [|8-bit floats|], but {} is <|{}|>",
          name, isa::name(input.dtype));
    if (input.rank < 2 || input.dims[0].size != 2)
      return context.error("KILN-I063",
                           "double_row: the first of two or more free "
                           "dimensions of {} must be 2",
                           name);
  }
  if (op.is_transpose)
    return context.error("KILN-I063",
                         "double_row is not allowed with is_transpose");
  if (op.tile_size && op.tile_size->second != 128)
    return context.error(
        "KILN-I063",
        "double_row with a tile of <|{}|> columns, but it needs all [|128|]",
        op.tile_size->second);
  return std::nullopt;
}

CheckResult checkMatmulMxTile(const CheckContext &context) {
  std::optional<ArrayTile> tile;
  if (CheckResult error = readTile(context, tile))
    return error;
  if (!tile)
    return std::nullopt;
  if (tile->position.second != 0 || tile->size.second != 128)
    return context.error("KILN-I062",
                         "the tile has columns <|{} to {}|>, but packed "
                         "products take [|all 128|]",
                         tile->position.second,
                         tile->position.second + tile->size.second);
  return checkFits(context, *tile);
}

CheckResult checkMatmulMxShapes(const CheckContext &context) {
  const NcMatmulMx &op = context.as<NcMatmulMx>();
  if (CheckResult error = checkContraction(context))
    return error;
  if (CheckResult error = checkQuadrants(context, "stationary"))
    return error;
  std::uint64_t m = op.stationary.elements(), n = op.moving.elements();
  auto maxN = static_cast<std::uint64_t>(context.target.pe_max_moving_free) *
              (op.dst.dtype == DType::bf16 ? 2 : 1);
  if (m % 2 != 0)
    return context.error("KILN-I061", "stationary has M = {}, which is odd", m);
  if (m > 128 || n > maxN)
    return context.error("KILN-I015",
                         "M = <|{}|> and N = {}, expected [|128 and {}|]", m, n,
                         maxN);
  if (op.dst.partitions != m || op.dst.elements() != n)
    return context.error("KILN-I015",
                         "dst is <|[{}, {}]|>, but stationary and moving give "
                         "[M, N] = [|[{}, {}]|]",
                         op.dst.partitions, op.dst.elements(), m, n);
  if (CheckResult error =
          checkScale(context, "stationary_scale", "stationary", m))
    return error;
  return checkScale(context, "moving_scale", "moving", n);
}

CheckResult checkQuantizeShapes(const CheckContext &context) {
  const QuantizeMx &op = context.as<QuantizeMx>();
  if (op.src.partitions != op.dst.partitions)
    return context.error(
        "KILN-I005",
        "dst has <|{}|> partitions, src has [|{}|]; they must be equal",
        op.dst.partitions, op.src.partitions);
  if (CheckResult error = checkQuadrants(context, "src"))
    return error;
  if (op.src.elements() != 4 * op.dst.elements())
    return context.error("KILN-I061",
                         "src has <|{}|> elements per partition, but needs "
                         "[|four for each of dst's {}|]",
                         op.src.elements(), op.dst.elements());
  return checkScale(context, "dst_scale", "src", op.dst.elements());
}

} // namespace kiln::isa
