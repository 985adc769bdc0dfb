//===- PlanTimes.cpp - What the executor takes for parts of a plan --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTimes.h"

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/isa/shapes.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/fetch.h"
#include "kiln/machine/instruction_times.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// The stream that issues loads.
static constexpr isa::Engine loader = isa::Engine::sync;

static double inNanoseconds(machine::Picoseconds time) {
  return static_cast<double>(time) / 1000;
}

static isa::DType typeOf(Type element) {
  return nc::dtypeOf(element).value_or(isa::DType::f32);
}

static isa::Access onChip(isa::Space space, isa::DType dtype, int64_t rows,
                          int64_t columns) {
  isa::Access access;
  access.space = space;
  access.dtype = dtype;
  access.partitions = static_cast<uint8_t>(std::min(rows, rowsOfSlot));
  access.rank = 2;
  access.dims[0] = {static_cast<int32_t>(columns),
                    static_cast<uint32_t>(llvm::divideCeil(rows, rowsOfSlot))};
  access.dims[1] = {1, static_cast<uint32_t>(columns)};
  return access;
}

/// Whole rows would be one piece.
static isa::Access inHbm(isa::DType dtype, int64_t rows, int64_t columns) {
  isa::Access access;
  access.space = isa::Space::hbm;
  access.dtype = dtype;
  access.rank = 2;
  access.dims[0] = {static_cast<int32_t>(2 * columns),
                    static_cast<uint32_t>(rows)};
  access.dims[1] = {1, static_cast<uint32_t>(columns)};
  return access;
}

static TransferTime timeOf(const isa::Body &body, const isa::Target &target) {
  const machine::DmaPlan plan = machine::planDma(body, loader, target);
  TransferTime time;
  const machine::Picoseconds sum = std::accumulate(
      plan.work.begin(), plan.work.end(), machine::Picoseconds{});
  time.longest =
      inNanoseconds(*std::max_element(plan.work.begin(), plan.work.end()));
  time.mean = inNanoseconds(sum) / machine::dmaEngines(target);
  time.generator = inNanoseconds(plan.generation);
  return time;
}

TransferTime tile::transferTime(int64_t rows, int64_t columns, Type element,
                                const isa::Target &target) {
  const isa::DType dtype = typeOf(element);
  isa::DmaCopy copy;
  copy.dst = onChip(isa::Space::sbuf, dtype, rows, columns);
  copy.src = inHbm(dtype, rows, columns);
  return timeOf(copy, target);
}

TransferTime tile::transposedTransferTime(int64_t rows, int64_t columns,
                                          Type element,
                                          const isa::Target &target) {
  const isa::DType dtype = typeOf(element);
  const int64_t together = std::min(columns, rowsOfSlot);
  isa::DmaTranspose turn;
  turn.dst = onChip(isa::Space::sbuf, dtype, together, rows);
  turn.src = inHbm(dtype, rows, together);
  TransferTime time = timeOf(turn, target);
  const auto transfers =
      static_cast<double>(llvm::divideCeil(columns, rowsOfSlot));
  for (double *part : {&time.longest, &time.mean, &time.generator})
    *part *= transfers;
  return time;
}

static double paceOf(const isa::Body &body, isa::Engine engine,
                     const isa::Target &target) {
  return inNanoseconds(machine::timesOf(body, engine, target).pace);
}

double tile::transposeTime(Type element, const isa::Target &target) {
  isa::NcTranspose turn;
  turn.data = onChip(isa::Space::sbuf, typeOf(element), rowsOfSlot, rowsOfSlot);
  turn.dst = turn.data;
  turn.dst.space = isa::Space::psum;
  return paceOf(turn, isa::Engine::tensor, target);
}

double tile::multiplyTime(int64_t columns, Type element,
                          const isa::Target &target) {
  const isa::DType dtype = typeOf(element);
  if (isa::isPacked(dtype)) {
    isa::NcMatmulMx product;
    product.stationary =
        onChip(isa::Space::sbuf, dtype, rowsOfSlot, rowsOfSlot);
    product.moving = onChip(isa::Space::sbuf, dtype, rowsOfSlot, columns);
    product.dst =
        onChip(isa::Space::psum, isa::DType::f32, rowsOfSlot, columns);
    return paceOf(product, isa::Engine::tensor, target);
  }
  isa::NcMatmul product;
  product.stationary = onChip(isa::Space::sbuf, dtype, rowsOfSlot, rowsOfSlot);
  product.moving = onChip(isa::Space::sbuf, dtype, rowsOfSlot, columns);
  product.dst = onChip(isa::Space::psum, isa::DType::f32, rowsOfSlot, columns);
  return paceOf(product, isa::Engine::tensor, target);
}

double tile::addTime(int64_t columns, const isa::Target &target) {
  isa::TensorCopy copy;
  copy.src = onChip(isa::Space::psum, isa::DType::f32, rowsOfSlot, columns);
  copy.dst = onChip(isa::Space::sbuf, isa::DType::f32, rowsOfSlot, columns);
  isa::TensorTensor sum;
  sum.dst = sum.data1 = sum.data2 = copy.dst;
  return paceOf(copy, isa::Engine::vector, target) +
         paceOf(sum, isa::Engine::vector, target);
}

double tile::sumTime(int64_t columns, const isa::Target &target) {
  isa::TensorTensor sum;
  sum.dst = onChip(isa::Space::sbuf, isa::DType::f32, rowsOfSlot, columns);
  sum.data1 = sum.dst;
  sum.data2 = onChip(isa::Space::psum, isa::DType::f32, rowsOfSlot, columns);
  return paceOf(sum, isa::Engine::vector, target);
}

double tile::elementwiseTime(int64_t elements, bool ofTwoTiles,
                             const isa::Target &target) {
  isa::ScalarTensorTensor step;
  step.dst = step.data =
      onChip(isa::Space::sbuf, isa::DType::f32, rowsOfSlot, elements);
  step.operand1 =
      ofTwoTiles ? step.data
                 : onChip(isa::Space::sbuf, isa::DType::f32, rowsOfSlot, 1);
  return paceOf(step, isa::Engine::vector, target);
}

double tile::quantizeTime(int64_t columns, Type element, Type packed,
                          const isa::Target &target) {
  isa::QuantizeMx quantize;
  quantize.src = onChip(isa::Space::sbuf, typeOf(element), rowsOfSlot,
                        columns * isa::packedRows);
  quantize.dst = onChip(isa::Space::sbuf, typeOf(packed), rowsOfSlot, columns);
  return paceOf(quantize, isa::Engine::vector, target);
}

double tile::emptyTime(int64_t columns, Type element,
                       const isa::Target &target) {
  isa::TensorCopy copy;
  copy.src = onChip(isa::Space::psum, typeOf(element), rowsOfSlot, columns);
  copy.dst = onChip(isa::Space::sbuf, typeOf(element), rowsOfSlot, columns);
  return paceOf(copy, isa::Engine::vector, target);
}

double tile::transferLatency(const isa::Target &target) {
  return inNanoseconds(machine::emptyTransferLatency(target));
}

double tile::fetchLatency(const isa::Target &target) {
  return inNanoseconds(machine::fetchLatency(target));
}
