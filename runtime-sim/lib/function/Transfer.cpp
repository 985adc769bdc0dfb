//===- Transfer.cpp - What a DMA moves ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"

#include "Bulk.h"
#include "Rows.h"

#include "kiln/isa/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace kiln::sim {

namespace {

//===----------------------------------------------------------------------===//
// At issue
//===----------------------------------------------------------------------===//

RowIndices rowsOf(const Lanes &lanes, const isa::Access &access,
                  const isa::Access &index) {
  RowIndices result;
  result.index = lanes.view(index);
  result.isSigned = index.dtype == isa::DType::i32;
  result.rows = lanes.view(access);
  result.count = access.dims[0].size;
  result.stride =
      std::int64_t{access.dims[0].stride} * isa::sizeInBytes(access.dtype);
  result.offset = lanes.cursor->byteOffset(access);
  result.tensorBytes = lanes.memory.tensorBytes(access.tensor);
  result.extent = lanes.memory.tensorRows(access.tensor, result.stride);
  isa::Access row = access;
  row.rank = static_cast<std::uint8_t>(access.rank - 1);
  std::copy(access.dims.begin() + 1, access.dims.end(), row.dims.begin());
  result.rows.layout = layoutOf(row);
  return result;
}

void describe(const Lanes &lanes, const isa::DmaCopy &op,
              TransferViews &views) {
  views.dst = lanes.view(op.dst);
  views.srcs = {lanes.view(op.src)};
  views.queue = static_cast<unsigned>(op.queue);
  views.skips = op.oob_mode == isa::OobMode::skip;
  if (op.dst_index)
    views.dstRows = rowsOf(lanes, op.dst, *op.dst_index);
  if (op.src_index)
    views.srcRows = rowsOf(lanes, op.src, *op.src_index);
}

void describe(const Lanes &lanes, const isa::DmaTranspose &op,
              TransferViews &views) {
  views.dst = lanes.view(op.dst);
  views.srcs = {lanes.view(op.src)};
  views.queue = static_cast<unsigned>(op.queue);
  views.transpose = true;
  views.skips = op.oob_mode == isa::OobMode::skip;
  if (op.src_index)
    views.srcRows = rowsOf(lanes, op.src, *op.src_index);
  const bool inHbm = op.src.space == isa::Space::hbm;
  views.rows = inHbm ? op.src.dims[0].size : op.src.partitions;
  views.columns = views.dst.lanes;
  views.middle = op.src.totalElements() / (views.rows * views.columns);
}

void describe(const Lanes &lanes, const isa::DmaCompute &op,
              TransferViews &views) {
  views.dst = lanes.view(op.dst);
  for (const isa::Access &source : op.srcs)
    views.srcs.push_back(lanes.view(source));
  views.queue = static_cast<unsigned>(op.queue);
  views.adds = true;
  views.skips = op.oob_mode == isa::OobMode::skip;
  if (op.dst_index)
    views.dstRows = rowsOf(lanes, op.dst, *op.dst_index);
  if (op.srcs_index)
    views.srcRows = rowsOf(lanes, op.srcs.back(), *op.srcs_index);
}

//===----------------------------------------------------------------------===//
// When it moves
//===----------------------------------------------------------------------===//

/// A transfer that moves its bytes now.
class Move {
public:
  Move(Lanes &lanes, const TransferViews &views) : lanes(lanes), views(views) {}

  /// Reads the index and finds the start of each row, or an error in the index.
  std::optional<std::string> resolveRows();
  void copy();
  /// dst = srcs[0] + srcs[1] + .., in fp32 from left to right.
  void add();
  /// dst[d, b, a] = src[a, b, d].
  void transpose();

private:
  /// Rows that are left out stay as they are in `dense`.
  void collectRows(const RowIndices &rows, std::uint8_t *dense);
  /// Writes dense elements of the destination's type, but for rows left out.
  void deliver(const std::uint8_t *dense);

  Lanes &lanes;
  const TransferViews &views;
  /// Where the rows start in their tensor; none for one that is left out.
  std::vector<std::optional<std::int64_t>> rowStarts;
};

std::optional<std::string> Move::resolveRows() {
  if (!views.dstRows && !views.srcRows)
    return std::nullopt;
  const RowIndices &list = views.dstRows ? *views.dstRows : *views.srcRows;
  const Layout &row = list.rows.layout;
  std::vector<std::int64_t> seen;
  auto *bits = lanes.scratch.get<std::uint32_t>(list.index.elements());
  for (std::uint64_t w = 0; w < list.count; ++w) {
    const auto lane = static_cast<unsigned>(w % list.index.lanes);
    gatherBits(list.index, lane, lanes.scratch, bits);
    const std::uint32_t raw = bits[w / list.index.lanes];
    const std::int64_t number =
        list.isSigned ? std::int64_t{static_cast<std::int32_t>(raw)}
                      : std::int64_t{raw};
    const std::int64_t start = number * list.stride;
    const bool inside = number >= 0 && number < list.extent &&
                        list.offset + start + row.low >= 0 &&
                        list.offset + start + row.high <= list.tensorBytes;
    if (!inside && !views.skips)
      return fmt::format(
          "has row number {} as index {}, but the tensor has {} rows of the "
          "pattern; correct the index, or skip such rows with oob_mode=skip",
          number, w, list.extent);
    if (inside && views.adds)
      seen.push_back(number);
    rowStarts.push_back(inside ? std::optional(start) : std::nullopt);
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end())
    return fmt::format("has row number {} more than once as index; rows that "
                       "are read, added to and written must differ",
                       *twice);
  return std::nullopt;
}

void Move::collectRows(const RowIndices &rows, std::uint8_t *dense) {
  const std::uint64_t bytes =
      rows.rows.layout.elements * rows.rows.layout.elementBytes;
  for (std::uint64_t w = 0; w < rows.count; ++w) {
    if (!rowStarts[w])
      continue;
    View row = rows.rows;
    row.data += *rowStarts[w];
    gather(row, 0, dense + w * bytes);
  }
}

void Move::deliver(const std::uint8_t *dense) {
  if (views.dstRows) {
    const Layout &layout = views.dstRows->rows.layout;
    const std::uint64_t bytes = layout.elements * layout.elementBytes;
    for (std::uint64_t w = 0; w < views.dstRows->count; ++w) {
      if (!rowStarts[w])
        continue;
      View row = views.dstRows->rows;
      row.data += *rowStarts[w];
      scatter(dense + w * bytes, row, 0);
    }
    return;
  }
  const bool whole =
      std::all_of(rowStarts.begin(), rowStarts.end(),
                  [](const auto &start) { return start.has_value(); });
  if (whole)
    return spread(lanes, dense, views.dst);
  const std::uint64_t bytes =
      views.dst.totalElements() * views.dst.layout.elementBytes;
  const std::uint64_t rowBytes = bytes / rowStarts.size();
  std::uint8_t *merged = lanes.scratch.get<std::uint8_t>(bytes);
  collect(lanes, views.dst, merged);
  for (std::size_t w = 0; w < rowStarts.size(); ++w)
    if (rowStarts[w])
      std::memcpy(merged + w * rowBytes, dense + w * rowBytes, rowBytes);
  spread(lanes, merged, views.dst);
}

void Move::copy() {
  const View &dst = views.dst;
  const View &src = views.srcs.front();
  const std::uint64_t total = src.totalElements();
  const bool apart =
      dst.dtype == src.dtype && dst.space != src.space && rowStarts.empty();
  const unsigned rows = std::max(dst.lanes, src.lanes);
  const std::optional<ByteRows> to = byteRowsOf(dst, rows);
  const std::optional<ByteRows> from = byteRowsOf(src, rows);
  // Of rows that overlap the last one wins: those go in order, below.
  if (apart && to && from && to->areApart(rows)) {
    if (to->runs == from->runs)
      return copyRows(lanes, *to, *from, rows);
    if (to->runs == 1)
      return copyRows(lanes, to->inRuns(from->runs), *from, rows);
    if (from->runs == 1)
      return copyRows(lanes, *to, from->inRuns(to->runs), rows);
  }
  // A dense side is the other side's buffer, unless both are one memory.
  if (apart && from && from->isDense())
    return spread(lanes, src.data, dst);
  if (apart && to && to->isDense())
    return collect(lanes, src, dst.data);
  std::uint8_t *dense =
      lanes.scratch.get<std::uint8_t>(total * src.layout.elementBytes);
  if (views.srcRows)
    collectRows(*views.srcRows, dense);
  else
    collect(lanes, src, dense);
  if (dst.dtype == src.dtype)
    return deliver(dense);
  float *wide = lanes.scratch.get<float>(total);
  lanes.converter.widen(src.dtype, dense, wide, total);
  std::uint8_t *narrow =
      lanes.scratch.get<std::uint8_t>(total * dst.layout.elementBytes);
  lanes.converter.narrow(dst.dtype, wide, narrow, total);
  deliver(narrow);
}

void Move::add() {
  const std::uint64_t total = views.dst.totalElements();
  float *sum = lanes.scratch.get<float>(total);
  float *next = lanes.scratch.get<float>(total);
  const Kernels::Binary add = lanes.binary(isa::AluOp::add);
  for (std::size_t k = 0; k < views.srcs.size(); ++k) {
    const View &src = views.srcs[k];
    const Scratch::Scope scope(lanes.scratch);
    std::uint8_t *dense =
        lanes.scratch.get<std::uint8_t>(total * src.layout.elementBytes);
    // Skipped rows hold arbitrary values; their results are not used.
    if (!rowStarts.empty())
      std::memset(dense, 0, total * src.layout.elementBytes);
    if (k == 0 && views.dstRows)
      collectRows(*views.dstRows, dense);
    else if (k + 1 == views.srcs.size() && views.srcRows)
      collectRows(*views.srcRows, dense);
    else
      collect(lanes, src, dense);
    lanes.converter.widen(src.dtype, dense, k == 0 ? sum : next, total);
    if (k != 0)
      add(sum, next, sum, total);
  }
  lanes.converter.settle(sum, total);
  std::uint8_t *narrow =
      lanes.scratch.get<std::uint8_t>(total * views.dst.layout.elementBytes);
  lanes.converter.narrow(views.dst.dtype, sum, narrow, total);
  deliver(narrow);
}

void Move::transpose() {
  const View &src = views.srcs.front();
  const unsigned bytes = src.layout.elementBytes;
  const auto [rows, middle, columns] =
      std::array{views.rows, views.middle, views.columns};
  const std::uint64_t total = rows * middle * columns * bytes;
  const std::uint8_t *in = src.data;
  if (src.lanes > 1 || !src.layout.contiguous() || views.srcRows) {
    std::uint8_t *dense = lanes.scratch.get<std::uint8_t>(total);
    if (views.srcRows)
      collectRows(*views.srcRows, dense);
    else
      collect(lanes, src, dense);
    in = dense;
  }
  const auto inPitch = static_cast<std::ptrdiff_t>(columns * bytes);
  // Each lane of the result is a column of the source.
  const auto transposeInto = [&](std::uint8_t *to, std::ptrdiff_t pitch) {
    const std::uint64_t parts =
        lanes.pool && total >= (1 << 14) ? lanes.pool->size() : 1;
    const std::uint64_t step = isa::roundUp(isa::ceilDiv(columns, parts), 8);
    lanes.inParallel(static_cast<unsigned>(isa::ceilDiv(columns, step)),
                     [&](unsigned i, unsigned) {
                       const std::uint64_t first = i * step;
                       lanes.kernels.transpose(
                           in + first * bytes, inPitch,
                           to + static_cast<std::ptrdiff_t>(first) * pitch,
                           pitch, rows, std::min(step, columns - first), bytes);
                     });
  };
  if (middle == 1 && rowStarts.empty() && views.dst.space != src.space &&
      views.dst.layout.contiguous())
    return transposeInto(views.dst.data, views.dst.pitch);
  std::uint8_t *out = lanes.scratch.get<std::uint8_t>(total);
  if (middle == 1) {
    transposeInto(out, static_cast<std::ptrdiff_t>(rows * bytes));
  } else {
    for (std::uint64_t a = 0; a < rows; ++a)
      for (std::uint64_t b = 0; b < middle; ++b)
        for (std::uint64_t d = 0; d < columns; ++d)
          std::memcpy(out + ((d * middle + b) * rows + a) * bytes,
                      in + ((a * middle + b) * columns + d) * bytes, bytes);
  }
  // A row that is left out is a place in each row of the result.
  std::uint8_t *old = nullptr;
  for (std::size_t a = 0; a < rowStarts.size(); ++a) {
    if (rowStarts[a])
      continue;
    if (!old) {
      old = lanes.scratch.get<std::uint8_t>(total);
      collect(lanes, views.dst, old);
    }
    for (std::uint64_t i = a; i < rows * middle * columns; i += rows)
      std::memcpy(out + i * bytes, old + i * bytes, bytes);
  }
  spread(lanes, out, views.dst);
}

} // namespace

bool isTransfer(const isa::Body &body) {
  return std::visit(
      [](const auto &op) {
        return requires(const Lanes &lanes, TransferViews &views) {
          describe(lanes, op, views);
        };
      },
      body);
}

TransferViews prepareTransfer(Lanes &lanes, const isa::Body &body,
                              const StreamCursor &cursor) {
  lanes.cursor = &cursor;
  lanes.range = {};
  TransferViews views;
  std::visit(
      [&](const auto &op) {
        if constexpr (requires { describe(lanes, op, views); })
          describe(lanes, op, views);
      },
      body);
  return views;
}

std::optional<std::string> moveTransfer(Lanes &lanes,
                                        const TransferViews &views) {
  const Scratch::Scope scope(lanes.scratch);
  lanes.converter.begin(static_cast<std::uint64_t>(views.engine), views.serial);
  Move move(lanes, views);
  if (std::optional<std::string> wrong = move.resolveRows())
    return wrong;
  if (views.adds)
    move.add();
  else if (views.transpose)
    move.transpose();
  else
    move.copy();
  return std::nullopt;
}

} // namespace kiln::sim
