//===- OperandChecks.cpp - Limits of one operand --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

#include "kiln/isa/shapes.h"

#include <limits>

namespace kiln::isa {
namespace {

/// Names of the members of a mask, "sbuf or psum".
template <class E, class Names>
std::string listOf(std::uint32_t mask, const Names &all) {
  std::string result;
  for (E member : all)
    if (mask & maskOf(member))
      result += (result.empty() ? "" : " or ") + std::string(name(member));
  return result;
}

std::string spacesOf(std::uint32_t mask) {
  return listOf<Space>(mask, std::array{Space::hbm, Space::sbuf, Space::psum});
}

std::string typesOf(std::uint32_t mask) {
  std::array<DType, dtypeTable.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = dtypeTable[i].dtype;
  return listOf<DType>(mask, all);
}

bool isKnown(Space space) { return static_cast<unsigned>(space) < 3; }
bool isKnown(DType dtype) { return isa::info(dtype).dtype == dtype; }

CheckResult checkKind(const CheckContext &context,
                      const CheckedOperand &operand) {
  const Access &access = *operand.access;
  if (!isKnown(access.space) || !(operand.info->spaces & maskOf(access.space)))
    return context.error("KILN-I004", "{} is in <|{}|>, but must be in [|{}|]",
                         operand.info->name,
                         isKnown(access.space) ? name(access.space)
                                               : "no memory",
                         spacesOf(operand.info->spaces));
  if (!isKnown(access.dtype) || !(operand.info->types & maskOf(access.dtype)))
    return context.error("KILN-I012",
                         "{} has element type <|{}|>, expected [|{}|]",
                         operand.info->name,
                         isKnown(access.dtype) ? name(access.dtype) : "unknown",
                         typesOf(operand.info->types));
  const bool isMx = isPacked(access.dtype) || access.dtype == DType::f8e8m0;
  const bool computesFn =
      access.dtype == DType::f8e4m3fn && !context.info.movesBits;
  if ((isMx && !context.target.takes_mx) ||
      (computesFn && !context.target.takes_fp8_fn))
    return context.error("KILN-I012", "{} has element type {}, which {} {}",
                         operand.info->name, name(access.dtype),
                         targetName(context),
                         computesFn ? "only moves" : "does not have");
  return std::nullopt;
}

CheckResult checkPartitions(const CheckContext &context,
                            const CheckedOperand &operand) {
  const Access &access = *operand.access;
  unsigned start = access.partition, count = access.partitions;
  if (access.space == Space::hbm) {
    if (start != 0 || count != 0)
      return context.error(
          "KILN-I005",
          "{} is in hbm, which has no partitions, found <|p{}:{}|>",
          operand.info->name, start, start + count);
    return std::nullopt;
  }
  if (count == 0 || start + count > maxPartitions)
    return context.error("KILN-I005",
                         "{} covers partitions <|{}|> to {}, expected [|1 to "
                         "{} partitions that end before {}|]",
                         operand.info->name, start, start + count,
                         maxPartitions, maxPartitions);
  // Byte addresses free DMA and the sequencers from the lanes' wiring.
  if (context.info.isDma || context.info.isControl || operand.info->anyStart)
    return std::nullopt;
  unsigned step = count > 64 ? maxPartitions : count > 32 ? 64 : 32;
  if (start % step != 0)
    return context.error("KILN-I007",
                         "{} starts at partition <|{}|>, but {} partitions may "
                         "start only at [|{}|]",
                         operand.info->name, start, count,
                         step == maxPartitions ? "0"
                         : step == 64          ? "0 or 64"
                                               : "0, 32, 64 or 96");
  return std::nullopt;
}

/// Free dimensions after those of size 1 are dropped and those that continue
/// each other are merged: what an instruction word must hold.
unsigned countedDims(const Access &access) {
  unsigned count = 0;
  const Dim *outer = nullptr;
  for (unsigned i = 0; i < access.rank; ++i) {
    const Dim &dim = access.dims[i];
    if (dim.size == 1)
      continue;
    bool continues = outer && std::int64_t{outer->stride} ==
                                  std::int64_t{dim.stride} * dim.size;
    count += !continues;
    outer = &dim;
  }
  return count;
}

/// The limits that the record gives to this operand alone.
CheckResult checkElementLimits(const CheckContext &context,
                               const CheckedOperand &operand,
                               std::uint64_t elements) {
  const OperandInfo &info = *operand.info;
  std::uint64_t most = info.maxElements;
  if (elements >= info.minElements && (most == 0 || elements <= most) &&
      elements % info.elementStep == 0)
    return std::nullopt;
  std::string allowed =
      most == info.minElements ? fmt::format("exactly {}", most)
      : most == 0 ? fmt::format("at least {}", info.minElements)
                  : fmt::format("{} to {}", info.minElements, most);
  if (info.elementStep > 1)
    allowed += fmt::format(", a multiple of {}", info.elementStep);
  return context.error("KILN-I036",
                       "{} has <|{}|> elements per partition, expected [|{}|]",
                       info.name, elements, allowed);
}

CheckResult checkPattern(const CheckContext &context,
                         const CheckedOperand &operand) {
  const Access &access = *operand.access;
  bool onChip = access.space != Space::hbm;
  unsigned maxRank = onChip ? maxFreeDims : Access::maxDims;
  if (access.rank > maxRank)
    return context.error(
        "KILN-I009", "{} has <|{}|> free dimensions, but {} allows [|{}|]",
        operand.info->name, access.rank, name(access.space), maxRank);
  for (unsigned i = 0; i < access.rank; ++i) {
    const Dim &dim = access.dims[i];
    std::uint64_t maxSize = onChip ? maxDimSize : (1ull << 31) - 1;
    if (dim.size == 0 || dim.size > maxSize)
      return context.error(
          "KILN-I009", "{}: dimension {} has size <|{}|>, expected [|1 to {}|]",
          operand.info->name, i, dim.size, maxSize);
    if (onChip && (dim.stride < minStride || dim.stride > maxStride))
      return context.error(
          "KILN-I009",
          "{}: dimension {} has stride <|{}|>, expected [|{} to {}|]",
          operand.info->name, i, dim.stride, minStride, maxStride);
    // An index replaces the places, and with them the stride.
    if (operand.isWritten() && dim.stride == 0 && dim.size > 1 &&
        !context.indexOf(operand.info->name))
      return context.error("KILN-I019",
                           "{}: dimension {} writes {} times to one place; "
                           "stride 0 is only for reading",
                           operand.info->name, i, dim.size);
  }
  std::uint64_t elements = elementsOf(access);
  std::uint64_t maxElements = access.space == Space::psum ? maxPsumElements
                              : onChip                    ? maxSbufElements
                                                          : 1ull << 48;
  if (elements == 0 || elements > maxElements)
    return context.error(
        "KILN-I009",
        "{} has <|{}|> elements per partition, but {} allows [|{}|]",
        operand.info->name, access.elements(), name(access.space), maxElements);
  if (onChip && operand.info->maxDims != 0 &&
      countedDims(access) > operand.info->maxDims)
    return context.error("KILN-I009",
                         "{} has <|{}|> free dimensions that do not merge, but "
                         "this instruction has room for [|{}|]",
                         operand.info->name, countedDims(access),
                         operand.info->maxDims);
  if (operand.info->perPartitionScalar && elements != 1)
    return context.error("KILN-I020",
                         "{} has <|{}|> elements per partition, but must hold "
                         "[|one value for each|]",
                         operand.info->name, elements);
  return checkElementLimits(context, operand, elements);
}

/// A table whose receive counts are known is only read.
bool isEverWritten(const CheckContext &context, const CheckedOperand &operand) {
  const bool *known = context.field<bool>("recv_counts_known");
  return operand.isWritten() &&
         !(known && *known && operand.info->effect == Effect::readWrite);
}

CheckResult checkAddress(const CheckContext &context,
                         const CheckedOperand &operand) {
  const Access &access = *operand.access;
  std::int64_t elementBytes = sizeInBytes(access.dtype);
  if (access.numTerms > Access::maxTerms)
    return context.error("KILN-I008",
                         "{} adds <|{}|> registers, expected at most [|{}|]",
                         operand.info->name, access.numTerms, Access::maxTerms);
  bool aligned = access.offset % elementBytes == 0;
  for (unsigned i = 0; i < access.numTerms; ++i) {
    aligned = aligned && access.terms[i].scale % elementBytes == 0;
    if (access.terms[i].reg.index >= registersPerEngine)
      return context.error("KILN-I008",
                           "{} reads register <|{}|>, but the last is [|{}|]",
                           operand.info->name, access.terms[i].reg.index,
                           registersPerEngine - 1);
  }
  if (!aligned)
    return context.error("KILN-I013",
                         "{} at byte <|{:#x}|> is not aligned to its element "
                         "size of [|{} bytes|]",
                         operand.info->name, access.offset, elementBytes);

  std::int64_t capacity = 0;
  if (access.space == Space::hbm) {
    if (access.tensor >= context.module.tensors.size())
      return context.error(
          "KILN-I034", "{} uses tensor <|{}|>, but the module has [|{}|]",
          operand.info->name, access.tensor, context.module.tensors.size());
    const Tensor &tensor = context.module.tensors[access.tensor];
    if (isEverWritten(context, operand) &&
        (tensor.kind == TensorKind::input ||
         tensor.kind == TensorKind::constant))
      return context.error("KILN-I038", "{} writes tensor {}, which is {}",
                           operand.info->name, tensor.name,
                           tensor.kind == TensorKind::input ? "an input"
                                                            : "a constant");
    capacity = static_cast<std::int64_t>(tensor.sizeInBytes());
  } else {
    if (access.tensor >= context.module.buffers.size())
      return context.error(
          "KILN-I034", "{} belongs to buffer <|{}|>, but the last is [|{}|]",
          operand.info->name, access.tensor, context.module.buffers.size() - 1);
    capacity = context.target.bytes(access.space);
  }
  // An index says which rows of a tensor: the pattern is that of one row.
  Access pattern = access;
  if (access.space == Space::hbm && access.rank > 0 &&
      context.isIndexed(operand))
    pattern.dims[0].size = 1;
  std::optional<ByteRange> range = byteRange(pattern);
  if (!range)
    return context.error("KILN-I010", "{}: the address does not fit 64 bits",
                         operand.info->name);
  // With register terms only the extent of the pattern itself is known.
  bool isStatic = access.numTerms == 0;
  bool fits = isStatic ? range->begin >= 0 && range->end <= capacity
                       : range->end - range->begin <= capacity;
  if (!fits)
    return context.error(
        "KILN-I010",
        "{} reaches bytes <|{:#x} to {:#x}|> of {}, which has [|{:#x}|]{}",
        operand.info->name, range->begin, range->end,
        access.space == Space::hbm ? context.module.tensors[access.tensor].name
                                   : std::string(name(access.space)),
        capacity, access.space == Space::hbm ? "" : " per partition");
  return std::nullopt;
}

} // namespace

std::uint64_t elementsOf(const Access &access) {
  std::uint64_t count = 1;
  for (unsigned i = 0; i < access.rank && i < Access::maxDims; ++i)
    if (__builtin_mul_overflow(count, std::uint64_t{access.dims[i].size},
                               &count) ||
        count > (1ull << 48))
      return 0;
  return count;
}

std::optional<ByteRange> byteRange(const Access &access) {
  std::int64_t elementBytes = sizeInBytes(access.dtype);
  ByteRange range{access.offset, access.offset};
  for (unsigned i = 0; i < access.rank && i < Access::maxDims; ++i) {
    const Dim &dim = access.dims[i];
    std::int64_t last = static_cast<std::int64_t>(dim.size) - 1;
    std::int64_t reach = 0;
    std::int64_t &side = dim.stride < 0 ? range.begin : range.end;
    if (__builtin_mul_overflow(last, std::int64_t{dim.stride}, &reach) ||
        __builtin_mul_overflow(reach, elementBytes, &reach) ||
        __builtin_add_overflow(side, reach, &side))
      return std::nullopt;
  }
  std::int64_t width = 0;
  if (__builtin_add_overflow(range.end, elementBytes, &range.end) ||
      __builtin_sub_overflow(range.end, range.begin, &width))
    return std::nullopt;
  return range;
}

CheckResult checkOperand(const CheckContext &context,
                         const CheckedOperand &operand) {
  if (CheckResult error = checkKind(context, operand))
    return error;
  if (CheckResult error = checkPartitions(context, operand))
    return error;
  if (CheckResult error = checkPattern(context, operand))
    return error;
  return checkAddress(context, operand);
}

} // namespace kiln::isa
