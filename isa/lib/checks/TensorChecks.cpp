//===- TensorChecks.cpp - Conditions of the tensor engine -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {
namespace {

/// A destination of the tensor engine: accumulate slots are four bytes, and
/// before v4 one instruction writes within one bank.
CheckResult checkBank(const CheckContext &context, const Access &dst) {
  if (dst.offset % 4 != 0)
    return context.error("KILN-I017",
                         "dst starts at byte <|{:#x}|>, but PSUM slots of the "
                         "tensor engine are [|4 bytes|] wide",
                         dst.offset);
  if (context.target.pe_may_cross_banks)
    return std::nullopt;
  std::optional<ByteRange> range = byteRange(dst);
  if (!range)
    return std::nullopt;
  bool fits = dst.numTerms == 0 ? range->begin / psumBankBytes ==
                                      (range->end - 1) / psumBankBytes
                                : range->end - range->begin <= psumBankBytes;
  if (!fits)
    return context.error("KILN-I017",
                         "dst reaches bytes <|{:#x} to {:#x}|> of PSUM, but on "
                         "{} it must stay in [|one bank of {} bytes|]",
                         range->begin, range->end, targetName(context),
                         psumBankBytes);
  return std::nullopt;
}

} // namespace

CheckResult checkContraction(const CheckContext &context) {
  unsigned stationary = context.access("stationary")->partitions;
  unsigned moving = context.access("moving")->partitions;
  if (stationary == moving)
    return std::nullopt;
  return context.error("KILN-I015",
                       "stationary has K = <|{}|> partitions, moving has "
                       "[|{}|]; they must be equal",
                       stationary, moving);
}

CheckResult checkMatmulShapes(const CheckContext &context) {
  const NcMatmul &op = context.as<NcMatmul>();
  if (CheckResult error = checkContraction(context))
    return error;
  std::uint64_t m = op.stationary.elements(), n = op.moving.elements();
  if (op.perf_mode == PerformanceMode::double_row) {
    m /= 2;
    n /= 2;
  }
  auto maxM = static_cast<std::uint64_t>(context.target.pe_max_stationary_free);
  auto maxN = static_cast<std::uint64_t>(context.target.pe_max_moving_free);
  if (context.target.pe_may_cross_banks && sizeInBytes(op.dst.dtype) == 2)
    maxN *= 2; // The limit is the 16 KiB of a PSUM partition.
  if (m > maxM)
    return context.error("KILN-I015",
                         "stationary has M = <|{}|>, but {} allows [|{}|]", m,
                         targetName(context), maxM);
  if (n > maxN)
    return context.error("KILN-I015",
                         "moving has N = <|{}|>, but {} allows [|{}|]", n,
                         targetName(context), maxN);
  if (op.dst.partitions != m || op.dst.elements() != n)
    return context.error("KILN-I015",
                         "dst is <|[{}, {}]|>, but stationary and moving give "
                         "[M, N] = [|[{}, {}]|]",
                         op.dst.partitions, op.dst.elements(), m, n);
  if (!op.is_transpose)
    return std::nullopt;
  if (n != op.moving.partitions)
    return context.error(
        "KILN-I018",
        "is_transpose takes [|an identity|] as moving, found <|[{}, {}]|>",
        op.moving.partitions, n);
  if (op.accumulate)
    return context.error("KILN-I018",
                         "is_transpose passes bits through and cannot "
                         "accumulate");
  return std::nullopt;
}

CheckResult checkMatmulTypes(const CheckContext &context) {
  const NcMatmul &op = context.as<NcMatmul>();
  DType stationary = op.stationary.dtype, moving = op.moving.dtype;
  auto isWide = [](DType dtype) { return sizeInBytes(dtype) == 4; };
  auto isPair = [&](DType a, DType b) {
    return (stationary == a && moving == b) || (stationary == b && moving == a);
  };
  if (isWide(stationary) != isWide(moving) ||
      isPair(DType::f8e4m3, DType::f8e4m3fn))
    return context.error("KILN-I016",
                         "stationary is {} and moving is {}: f32 and tf32 pair "
                         "only with each other, f8e4m3 not with f8e4m3fn",
                         name(stationary), name(moving));
  bool v4 = context.target.generation >= Generation::v4;
  DType dst = op.dst.dtype;
  if (op.is_transpose && context.target.generation >= Generation::v3) {
    if (dst != stationary)
      return context.error("KILN-I017",
                           "is_transpose keeps the element type: dst is {}, "
                           "stationary is {}",
                           name(dst), name(stationary));
    return std::nullopt;
  }
  if (dst != DType::f32 && !(v4 && dst == DType::bf16))
    return context.error("KILN-I017", "dst is <|{}|>, but {} allows [|{}|]",
                         name(dst), targetName(context),
                         v4 ? "f32 or bf16" : "f32");
  return std::nullopt;
}

CheckResult checkMatmulBank(const CheckContext &context) {
  return checkBank(context, *context.access("dst"));
}

CheckResult checkTransposeShapes(const CheckContext &context) {
  const NcTranspose &op = context.as<NcTranspose>();
  bool onTensor = context.stream == Engine::tensor;
  if (onTensor && op.data.space != Space::sbuf)
    return context.error(
        "KILN-I004",
        "data is in <|{}|>, but the tensor engine reads only [|sbuf|]",
        name(op.data.space));
  if (onTensor && op.dst.space != Space::psum)
    return context.error(
        "KILN-I004",
        "dst is in <|{}|>, but the tensor engine writes only [|psum|]",
        name(op.dst.space));
  std::uint64_t p = op.data.partitions, f = op.data.elements();
  std::uint64_t limit = onTensor ? 128 : 32;
  if (p > limit || f > limit)
    return context.error(
        "KILN-I018",
        "data is <|[{}, {}]|>, but the {} engine transposes up to [|[{}, {}]|]",
        p, f, name(context.stream), limit, limit);
  if (op.dst.partitions != f || op.dst.elements() != p)
    return context.error(
        "KILN-I018",
        "dst is <|[{}, {}]|>, but the transpose of data is [|[{}, {}]|]",
        op.dst.partitions, op.dst.elements(), f, p);
  bool byProduct = onTensor && context.target.generation < Generation::v3;
  if (byProduct && !isFloat(op.data.dtype))
    return context.error(
        "KILN-I012",
        "data is <|{}|>, but the tensor engine of {} transposes by a product "
        "and takes only [|f32, bf16 and f16|]",
        name(op.data.dtype), targetName(context));
  if (op.dst.dtype != op.data.dtype &&
      !(byProduct && op.dst.dtype == DType::f32))
    return context.error(
        "KILN-I018",
        "dst is <|{}|> and data is [|{}|]: a transpose keeps the element type",
        name(op.dst.dtype), name(op.data.dtype));
  return onTensor ? checkBank(context, op.dst) : std::nullopt;
}

} // namespace kiln::isa
