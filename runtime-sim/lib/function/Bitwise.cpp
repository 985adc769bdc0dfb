//===- Bitwise.cpp - Integers as patterns ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bitwise operators on integers of one width, and GpSimd's exact arithmetic on
// those of 32 bits. Elements are zero-extended to 32 bits; what overflows is
// dropped where they are stored.
//
//===----------------------------------------------------------------------===//

#include "Bitwise.h"

#include "Rows.h"

namespace kiln::sim {

namespace {

std::uint32_t widthMask(isa::DType dtype) {
  const unsigned bits = 8 * isa::sizeInBytes(dtype);
  return bits == 32 ? ~0u : (1u << bits) - 1;
}

/// The integer operand of one lane, as a pattern of the width of the data.
std::uint32_t bitsOf(const isa::Optional<isa::ScalarOrTile> &operand,
                     const View &tile, unsigned lane, std::uint32_t mask) {
  if (!operand)
    return 0;
  if (const auto *integer = std::get_if<std::int32_t>(&*operand))
    return static_cast<std::uint32_t>(*integer) & mask;
  if (const auto *number = std::get_if<float>(&*operand))
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(*number)) &
           mask;
  std::uint32_t bits = 0;
  gather(tile, lane, &bits);
  return bits & mask;
}

} // namespace

Outcome bitwise(Lanes &lanes, const isa::TensorTensor &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View left = lanes.view(op.data1, op.data1_index);
  const View right = lanes.view(op.data2);
  const std::uint64_t n = dst.elements();
  auto *a = lanes.scratch.get<std::uint32_t>(n);
  auto *b = lanes.scratch.get<std::uint32_t>(n);
  const bool isSigned =
      op.data1.dtype == isa::DType::i32 && op.data2.dtype == isa::DType::i32;
  const Kernels::Bits compute = lanes.onBits(op.op, isSigned);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gatherBits(left, p, lanes.scratch, a);
    gatherBits(right, p, lanes.scratch, b);
    compute(a, b, a, n);
    scatterBits(a, dst, p, lanes.scratch);
  }
  return Outcome::done;
}

Outcome bitwise(Lanes &lanes, const isa::TensorScalar &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View data = lanes.view(op.data, op.data_index);
  const std::uint64_t n = dst.elements();
  const std::uint32_t mask = widthMask(op.data.dtype);
  auto *row = lanes.scratch.get<std::uint32_t>(n);
  auto *constant = lanes.scratch.get<std::uint32_t>(n);
  struct Stage {
    Kernels::Bits compute;
    const isa::Optional<isa::ScalarOrTile> &operand;
    bool reversed;
    View tile;
  };
  const auto tileOf = [&](const isa::Optional<isa::ScalarOrTile> &operand) {
    const auto *access =
        operand ? std::get_if<isa::Access>(&*operand) : nullptr;
    return access ? lanes.view(*access) : View{};
  };
  const Stage stages[] = {
      {lanes.onBits(op.op0), op.operand0, op.reverse0 && !isa::isUnary(op.op0),
       tileOf(op.operand0)},
      {op.op1 ? lanes.onBits(*op.op1) : nullptr, op.operand1,
       op.reverse1 && op.op1 && !isa::isUnary(*op.op1), tileOf(op.operand1)}};
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gatherBits(data, p, lanes.scratch, row);
    for (const Stage &stage : stages) {
      if (!stage.compute)
        continue;
      std::fill(constant, constant + n,
                bitsOf(stage.operand, stage.tile, p, mask));
      if (stage.reversed)
        stage.compute(constant, row, row, n);
      else
        stage.compute(row, constant, row, n);
      // The next stage sees the bits that fit the width of the data.
      for (std::uint64_t i = 0; i < n; ++i)
        row[i] &= mask;
    }
    scatterBits(row, dst, p, lanes.scratch);
  }
  return Outcome::done;
}

Outcome bitwise(Lanes &lanes, const isa::TensorReduce &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View data = lanes.view(op.data, op.data_index);
  const std::uint64_t outer = dst.elements();
  const std::uint64_t inner = data.elements() / outer;
  auto *row = lanes.scratch.get<std::uint32_t>(data.elements());
  // All results before the first write: dst may lie within data.
  auto *results = lanes.scratch.get<std::uint32_t>(outer * dst.lanes);
  const Kernels::Bits compute = lanes.onBits(op.op);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gatherBits(data, p, lanes.scratch, row);
    for (std::uint64_t o = 0; o < outer; ++o) {
      std::uint32_t &result = results[p * outer + o];
      result = op.op == isa::AluOp::bitwise_and ? ~0u : 0u;
      for (std::uint64_t i = 0; i < inner; ++i)
        compute(&result, row + o * inner + i, &result, 1);
    }
  }
  for (unsigned p = 0; p < dst.lanes; ++p)
    scatterBits(results + p * outer, dst, p, lanes.scratch);
  return Outcome::done;
}

Outcome bitwise(Lanes &lanes, const isa::TensorPartitionReduce &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const std::uint64_t n = dst.elements();
  auto *row = lanes.scratch.get<std::uint32_t>(n);
  auto *result = lanes.scratch.get<std::uint32_t>(n);
  std::fill(result, result + n, op.op == isa::AluOp::bitwise_and ? ~0u : 0u);
  const Kernels::Bits compute = lanes.onBits(op.op);
  for (unsigned p = 0; p < data.lanes; ++p) {
    gatherBits(data, p, lanes.scratch, row);
    compute(result, row, result, n);
  }
  scatterBits(result, dst, 0, lanes.scratch);
  return Outcome::done;
}

} // namespace kiln::sim
