//===- IndexChecks.cpp - Gathers and scatters by index --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {
namespace {

/// The operand that is read along the index: its elements correspond to the
/// places of dst.
const CheckedOperand *primarySource(const CheckContext &context) {
  for (const CheckedOperand &operand : context.operands())
    if (operand.info->effect == Effect::read && operand.isFullTile() &&
        context.info.operand(std::string(operand.info->name) + "_index"))
      return &operand;
  return nullptr;
}

const Access *indexed(const CheckContext &context,
                      const CheckedOperand &index) {
  return context.access(index.info->indexOf);
}

/// Lanes whose places one list holds.
std::uint64_t groupLanes(const CheckContext &context) {
  return context.stream == Engine::tensor ? 32 : 16;
}

CheckResult checkTileIndex(const CheckContext &context,
                           const CheckedOperand &index) {
  const Access *operand = indexed(context, index);
  if (context.target.generation < Generation::v4)
    return context.error("KILN-I068", "{} needs [|trn3|], found <|{}|>",
                         index.info->name, targetName(context));
  if (!operand)
    return context.error("KILN-I068", "{} is given, but {} is not a tile",
                         index.info->name, index.info->indexOf);
  if (index.access->partitions != operand->partitions)
    return context.error(
        "KILN-I068",
        "{} has <|{}|> partitions, {} has [|{}|]; they must be equal",
        index.info->name, index.access->partitions, index.info->indexOf,
        operand->partitions);
  if (index.access->partition % 32 != 0)
    return context.error(
        "KILN-I068",
        "{} starts at partition <|{}|>, but must start at [|a multiple of 32|]",
        index.info->name, index.access->partition);
  std::uint64_t places = groupLanes(context) * index.access->elements();
  if (operand->elements() > places)
    return context.error(
        "KILN-I068",
        "{} has <|{}|> elements per partition, but {} lists [|{}|] places",
        index.info->indexOf, operand->elements(), index.info->name, places);
  return std::nullopt;
}

} // namespace

CheckResult checkTileIndices(const CheckContext &context) {
  const CheckedOperand *source = primarySource(context);
  for (const CheckedOperand &index : context.operands()) {
    if (!index.isIndex())
      continue;
    if (CheckResult error = checkTileIndex(context, index))
      return error;
    const Access &operand = *indexed(context, index);
    bool scatters = index.info->indexOf == "dst";
    if (scatters && context.stream == Engine::scalar &&
        operand.space == Space::psum)
      return context.error("KILN-I068",
                           "the scalar engine cannot scatter into psum");
    unsigned start = operand.partition;
    if (scatters && source) {
      const Access *other = context.indexOf(source->info->name);
      bool inPsum = operand.space == Space::psum &&
                    source->access->space == Space::psum && other;
      start = inPsum ? other->partition : source->access->partition;
    }
    if (index.access->partition != start)
      return context.error(
          "KILN-I068",
          "{} starts at partition <|{}|>, but {} at [|{}|]; they must be equal",
          index.info->name, index.access->partition,
          scatters ? "the input" : index.info->indexOf, start);
  }
  return std::nullopt;
}

CheckResult checkMatmulIndices(const CheckContext &context) {
  for (const CheckedOperand &index : context.operands()) {
    if (!index.isIndex())
      continue;
    if (CheckResult error = checkTileIndex(context, index))
      return error;
    const auto *tile = context.field<std::optional<IntPair>>("tile_position");
    if (*tile && **tile != IntPair{0, 0})
      return context.error("KILN-I068",
                           "{} is given with a tile_position of <|({}, {})|>; "
                           "with an index, it must be [|(0, 0)|]",
                           index.info->name, (*tile)->first, (*tile)->second);
    const Access &input = *context.access("stationary");
    if (!isPacked(input.dtype) && sizeInBytes(input.dtype) > 2)
      return context.error(
          "KILN-I068",
          "{} with inputs of <|{}|>; indices take [|at most 16 bits|]",
          index.info->name, name(input.dtype));
    if (const bool *transposes = context.field<bool>("is_transpose");
        transposes && *transposes && index.info->indexOf == "moving")
      return context.error("KILN-I068",
                           "moving is the identity of is_transpose and takes "
                           "no index");
    unsigned start = index.info->indexOf == "dst"
                         ? input.partition
                         : indexed(context, index)->partition;
    if (index.access->partition != start)
      return context.error(
          "KILN-I068",
          "{} starts at partition <|{}|>, but must start at [|{}|]",
          index.info->name, index.access->partition, start);
  }
  return std::nullopt;
}

CheckResult checkRowIndices(const CheckContext &context) {
  const CheckedOperand *first = nullptr;
  bool dynamic = false;
  for (const CheckedOperand &operand : context.operands()) {
    dynamic = dynamic || operand.access->numTerms != 0;
    if (!operand.isIndex())
      continue;
    if (first)
      return context.error("KILN-I068",
                           "{} and {} are both given, but only one side may "
                           "be indexed",
                           first->info->name, operand.info->name);
    first = &operand;
  }
  OobMode mode = *context.field<OobMode>("oob_mode");
  if (!first) {
    if (mode == OobMode::skip && !dynamic)
      return context.error("KILN-I068",
                           "oob_mode is skip, but there is no index or "
                           "register that could leave the tensor");
    return std::nullopt;
  }
  if (context.target.generation < Generation::v3)
    return context.error("KILN-I068",
                         "{} needs [|trn2 or later|], found <|{}|>",
                         first->info->name, targetName(context));
  const Access &operand = *indexed(context, *first);
  if (operand.space != Space::hbm || operand.rank == 0)
    return context.error("KILN-I068", "{} needs rows of a tensor in hbm as {}",
                         first->info->name, first->info->indexOf);
  if (operand.numTerms != 0)
    return context.error("KILN-I068",
                         "{} has an index and a register in its address",
                         first->info->indexOf);
  std::uint64_t rows = operand.dims[0].size;
  if (first->access->elements() != 1 || first->access->partitions != rows)
    return context.error(
        "KILN-I068",
        "{} is <|[{}, {}]|>, but {} has {} rows, so it must be [|[{}, 1]|]",
        first->info->name, first->access->partitions, first->access->elements(),
        first->info->indexOf, rows, rows);
  const DgeMode *dge = context.field<DgeMode>("dge_mode");
  if (dge && *dge != DgeMode::unknown && *dge != DgeMode::swdge)
    return context.error(
        "KILN-I068",
        "dge_mode is <|{}|>, but only [|swdge|] can follow an index",
        name(*dge));
  return std::nullopt;
}

CheckResult checkDmaPriority(const CheckContext &context) {
  const auto &priority =
      *context.field<std::optional<std::int32_t>>("priority");
  if (!priority)
    return std::nullopt;
  if (context.target.generation < Generation::v4)
    return context.error("KILN-I071", "priority needs [|trn3|], found <|{}|>",
                         targetName(context));
  if (*priority < 0 || *priority > 3)
    return context.error("KILN-I071", "priority is <|{}|>, expected [|0 to 3|]",
                         *priority);
  return std::nullopt;
}

} // namespace kiln::isa
