//===- ValueBook.cpp - Counts the values of a run -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueBook.h"

#include "VainWork.h"

#include "../kernels/Kernels.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kiln::sim {

namespace {

constexpr unsigned blockLanes = 8;

/// The largest finite number of a small float; 0 for other types.
float limitOf(isa::DType dtype) {
  const unsigned bits = 8 * isa::sizeInBytes(dtype) / isa::info(dtype).values;
  if (!isa::isFloat(dtype) || bits > 8 || dtype == isa::DType::f8e8m0)
    return 0;
  if (dtype == isa::DType::f4e2m1fn_x4)
    return 6;
  const auto at = static_cast<std::size_t>(dtype);
  const float huge[4] = {1e30f, 1e30f, 1e30f, 1e30f};
  std::uint32_t code = 0;
  float back[4] = {};
  kernels().narrow[Kernels::saturating][at](huge, &code, 4, 0);
  kernels().widen[at](&code, back, 4);
  return back[0];
}

void count(float value, float limit, ValueCounts &counts) {
  ++counts.values;
  counts.zeros += value == 0;
  if (std::isfinite(value)) {
    counts.least = std::min(counts.least, value);
    counts.most = std::max(counts.most, value);
  } else if (std::isnan(value)) {
    ++counts.nans;
  } else {
    ++counts.infinities;
  }
  counts.saturated += limit != 0 && !(std::fabs(value) < limit);
}

ValueCounts countsOf(const View &view) {
  const float limit = limitOf(view.dtype);
  FloatRows rows(view);
  ValueCounts counts;
  for (unsigned p = 0; p < view.lanes; ++p)
    for (const float value : rows.row(p))
      count(value, limit, counts);
  return counts;
}

/// Of packed elements, those that share a scale.
PartCount blocksOf(const View &view) {
  const unsigned values = isa::info(view.dtype).values;
  if (values == 1 || view.space == isa::Space::hbm)
    return {};
  const float limit = limitOf(view.dtype);
  FloatRows rows(view);
  PartCount blocks;
  std::vector<bool> isSaturated(view.elements());
  for (unsigned p = 0; p < view.lanes; ++p) {
    const std::span<const float> row = rows.row(p);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!(std::fabs(row[i]) < limit))
        isSaturated[i / values] = true;
    if ((p + 1) % blockLanes != 0 && p + 1 != view.lanes)
      continue;
    blocks.all += isSaturated.size();
    blocks.part += static_cast<std::uint64_t>(
        std::count(isSaturated.begin(), isSaturated.end(), true));
    std::fill(isSaturated.begin(), isSaturated.end(), false);
  }
  return blocks;
}

bool holdsNaN(const View &view) {
  FloatRows rows(view);
  for (unsigned p = 0; p < view.lanes; ++p)
    for (const float value : rows.row(p))
      if (std::isnan(value))
        return true;
  return false;
}

/// Where the first NaN of a tile is.
std::optional<std::pair<unsigned, std::uint64_t>> placeOfNaN(const View &view) {
  FloatRows rows(view);
  for (unsigned p = 0; p < view.lanes; ++p) {
    const std::span<const float> row = rows.row(p);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (std::isnan(row[i]))
        return std::pair(p, std::uint64_t{i});
  }
  return std::nullopt;
}

} // namespace

ValueBook::ValueBook(const isa::Module &module, Memory &memory)
    : module(module), memory(memory) {
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    values.instructions[e].resize(module.streams[e].size());
    runs[e].resize(module.streams[e].size());
  }
}

void ValueBook::before(isa::Engine engine, std::uint32_t index,
                       const std::vector<PlacedAccess> &accesses,
                       const StreamCursor *cursor) {
  const auto e = static_cast<std::size_t>(engine);
  if (!values.firstNaN) {
    readNaN = false;
    for (const PlacedAccess &placed : accesses)
      readNaN = readNaN ||
                (placed.operand.effect != isa::Effect::write &&
                 isa::isFloat(placed.operand.access->dtype) &&
                 holdsNaN(memory.view(*placed.operand.access, placed.offset)));
  }
  if (!cursor)
    return;
  const isa::Body &body = module.streams[e][index].body;
  InstructionValues &own = values.instructions[e][index];
  own.masked += maskedOf(body, *cursor, memory);
  own.idle += idleOf(body, *cursor, memory);
}

void ValueBook::after(isa::Engine engine, std::uint32_t index,
                      const std::vector<PlacedAccess> &accesses) {
  const auto e = static_cast<std::size_t>(engine);
  InstructionValues &own = values.instructions[e][index];
  const std::uint64_t run = ++runs[e][index];
  bool isFirst = true;
  for (const PlacedAccess &placed : accesses) {
    if (placed.operand.effect == isa::Effect::read)
      continue;
    const View view = memory.view(*placed.operand.access, placed.offset);
    const ValueCounts counts = countsOf(view);
    own.written += counts;
    own.blocks += blocksOf(view);
    if (isFirst && isExp(module.streams[e][index].body))
      own.vanished += {counts.values, counts.zeros};
    isFirst = false;
    if (counts.nans == 0 || values.firstNaN)
      continue;
    const auto place = placeOfNaN(view);
    values.firstNaN = FirstNaN{
        engine,       index,         run,     std::string(placed.operand.name),
        place->first, place->second, !readNaN};
  }
}

CoreValues ValueBook::take() {
  values.tensors.resize(module.tensors.size());
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    const isa::Tensor &tensor = module.tensors[i];
    if (tensor.kind == isa::TensorKind::internal ||
        tensor.kind == isa::TensorKind::constant || tensor.elements() == 0)
      continue;
    isa::Access part;
    part.space = isa::Space::hbm;
    part.dtype = tensor.dtype;
    part.tensor = static_cast<std::uint16_t>(i);
    part.rank = 1;
    // Part by part: a row is copied as fp32.
    constexpr std::uint64_t most = 1u << 16;
    for (std::uint64_t at = 0; at < tensor.elements(); at += most) {
      const std::uint64_t count = std::min(most, tensor.elements() - at);
      part.dims[0] = {1, static_cast<std::uint32_t>(count)};
      values.tensors[i] +=
          countsOf(memory.view(part, static_cast<std::int64_t>(
                                         at * isa::sizeInBytes(tensor.dtype))));
    }
  }
  return std::move(values);
}

} // namespace kiln::sim
