//===- Transfer.cpp - What a DMA moves ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace kiln::sim {

//===----------------------------------------------------------------------===//
// At issue
//===----------------------------------------------------------------------===//

TransferViews Machine::prepare(const isa::Body &body,
                               const StreamCursor &position) {
  cursor = &position;
  TransferViews views;
  std::visit(
      [&](const auto &op) {
        if constexpr (requires { prepare(op, views); })
          prepare(op, views);
      },
      body);
  return views;
}

RowIndices Machine::rowsOf(const isa::Access &access,
                           const isa::Access &index) {
  RowIndices result;
  result.index = view(index);
  result.isSigned = index.dtype == isa::DType::i32;
  result.rows = view(access);
  result.count = access.dims[0].size;
  result.stride =
      std::int64_t{access.dims[0].stride} * isa::sizeInBytes(access.dtype);
  result.extent = memory.tensorRows(access.tensor);
  result.offset = cursor->byteOffset(access);
  result.tensorBytes = memory.tensorBytes(access.tensor);
  isa::Access row = access;
  row.rank = static_cast<std::uint8_t>(access.rank - 1);
  std::copy(access.dims.begin() + 1, access.dims.end(), row.dims.begin());
  result.rows.layout = layoutOf(row);
  return result;
}

void Machine::prepare(const isa::DmaCopy &op, TransferViews &views) {
  views.dst = view(op.dst);
  views.srcs = {view(op.src)};
  views.queue = static_cast<unsigned>(op.queue);
  views.skips = op.oob_mode == isa::OobMode::skip;
  if (op.dst_index)
    views.dstRows = rowsOf(op.dst, *op.dst_index);
  if (op.src_index)
    views.srcRows = rowsOf(op.src, *op.src_index);
}

void Machine::prepare(const isa::DmaTranspose &op, TransferViews &views) {
  views.dst = view(op.dst);
  views.srcs = {view(op.src)};
  views.queue = static_cast<unsigned>(op.queue);
  views.transpose = true;
  views.skips = op.oob_mode == isa::OobMode::skip;
  if (op.src_index)
    views.srcRows = rowsOf(op.src, *op.src_index);
  const bool inHbm = op.src.space == isa::Space::hbm;
  views.rows = inHbm ? op.src.dims[0].size : op.src.partitions;
  views.columns = views.dst.lanes;
  views.middle = op.src.totalElements() / (views.rows * views.columns);
}

void Machine::prepare(const isa::DmaCompute &op, TransferViews &views) {
  views.dst = view(op.dst);
  for (const isa::Access &source : op.srcs)
    views.srcs.push_back(view(source));
  views.queue = static_cast<unsigned>(op.queue);
  views.adds = true;
  views.skips = op.oob_mode == isa::OobMode::skip;
  if (op.dst_index)
    views.dstRows = rowsOf(op.dst, *op.dst_index);
  if (op.srcs_index)
    views.srcRows = rowsOf(op.srcs.back(), *op.srcs_index);
}

//===----------------------------------------------------------------------===//
// When it moves
//===----------------------------------------------------------------------===//

std::optional<std::string> Machine::transfer(const TransferViews &views) {
  converter.begin(static_cast<std::uint64_t>(views.engine), views.serial);
  if (std::optional<std::string> wrong = resolveRows(views))
    return wrong;
  if (views.adds)
    addTransfer(views);
  else if (views.transpose)
    transposeTransfer(views);
  else
    copyTransfer(views);
  return std::nullopt;
}

/// Reads the index and finds where each row starts.
std::optional<std::string> Machine::resolveRows(const TransferViews &views) {
  rowStarts.clear();
  if (!views.dstRows && !views.srcRows)
    return std::nullopt;
  const RowIndices &list = views.dstRows ? *views.dstRows : *views.srcRows;
  const Layout &row = list.rows.layout;
  std::vector<std::int64_t> seen;
  for (std::uint64_t w = 0; w < list.count; ++w) {
    const auto lane = static_cast<unsigned>(w % list.index.lanes);
    auto *bits = buffers[9].get<std::uint32_t>(list.index.elements());
    gatherBits(list.index, lane, buffers[8], bits);
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

/// Calls task(lane) for every lane, on the pool if they have much to move.
template <class Task>
void Machine::forParts(unsigned count, std::uint64_t bytes, Task &&task) {
  constexpr std::uint64_t worthSharing = 1 << 14;
  const unsigned parts = pool && bytes >= worthSharing ? 2 * pool->size() : 1;
  const unsigned step = (count + parts - 1) / parts;
  inParallel((count + step - 1) / step, [&](unsigned i, unsigned) {
    const unsigned end = std::min((i + 1) * step, count);
    for (unsigned p = i * step; p < end; ++p)
      task(p);
  });
}

template <class Task> void Machine::forLanes(const View &view, Task &&task) {
  forParts(view.lanes, view.totalElements() * view.layout.elementBytes, task);
}

void Machine::collect(const View &view, std::uint8_t *dense) {
  const std::uint64_t bytes = view.elements() * view.layout.elementBytes;
  forLanes(view, [&](unsigned p) { gather(view, p, dense + p * bytes); });
}

void Machine::spread(const std::uint8_t *dense, const View &view) {
  const std::uint64_t bytes = view.elements() * view.layout.elementBytes;
  forLanes(view, [&](unsigned p) { scatter(dense + p * bytes, view, p); });
}

/// Rows that are left out stay as they are in `dense`.
void Machine::collectRows(const RowIndices &rows, std::uint8_t *dense) {
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

/// Writes dense elements of the destination's type, but for rows left out.
void Machine::deliver(const TransferViews &views, const std::uint8_t *dense) {
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
    return spread(dense, views.dst);
  const std::uint64_t bytes =
      views.dst.totalElements() * views.dst.layout.elementBytes;
  const std::uint64_t rowBytes = bytes / rowStarts.size();
  std::uint8_t *merged = buffers[7].get<std::uint8_t>(bytes);
  collect(views.dst, merged);
  for (std::size_t w = 0; w < rowStarts.size(); ++w)
    if (rowStarts[w])
      std::memcpy(merged + w * rowBytes, dense + w * rowBytes, rowBytes);
  spread(merged, views.dst);
}

bool Machine::ByteRows::areApart(unsigned count) const {
  const std::int64_t across = std::abs(pitch), along = std::abs(step);
  const auto end = [&](std::int64_t distance, unsigned number) {
    return distance * (number - 1) + bytes;
  };
  // Row after row, or the first runs of all rows before the second ones.
  const bool byRows =
      (runs == 1 || along >= bytes) && across >= end(along, runs);
  return byRows || (across >= bytes && along >= end(across, count));
}

/// The view as `count` rows of one or more equal runs, if it is that.
std::optional<Machine::ByteRows> Machine::rowsOf(const View &view,
                                                 unsigned count) {
  const Layout &layout = view.layout;
  if (view.places || view.totalElements() % count != 0)
    return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(view.totalElements() / count *
                                               layout.elementBytes);
  if (layout.contiguous() && (view.lanes == count || view.lanes == 1))
    return ByteRows{view.data, view.lanes == count ? view.pitch : bytes, bytes};
  if (view.lanes == 1 && layout.rank == 2 && layout.dims[0].size == count &&
      layout.dims[1].stride == layout.elementBytes)
    return ByteRows{view.data, layout.dims[0].stride, bytes};
  // Short runs are not worth the arithmetic.
  constexpr std::int64_t worthwhile = 64;
  if (view.lanes == 1 && layout.rank == 3 && layout.dims[0].size == count &&
      layout.dims[2].stride == layout.elementBytes) {
    const auto runs = static_cast<unsigned>(layout.dims[1].size);
    if (bytes / runs >= worthwhile)
      return ByteRows{view.data, layout.dims[0].stride, bytes / runs, runs,
                      layout.dims[1].stride};
  }
  return std::nullopt;
}

void Machine::copyRows(const ByteRows &to, const ByteRows &from,
                       unsigned count) {
  // Runs lie far apart, where no host foresees them.
  constexpr unsigned ahead = 2;
  constexpr std::int64_t lineBytes = 64, mostAhead = 2048;
  const auto bytes = static_cast<std::size_t>(from.bytes);
  const unsigned runs = count * from.runs;
  forParts(runs, runs * bytes, [&](unsigned i) {
    if (i + ahead < runs)
      for (std::int64_t b = 0; b < std::min(from.bytes, mostAhead);
           b += lineBytes)
        __builtin_prefetch(from.run(i + ahead) + b);
    std::memcpy(to.run(i), from.run(i), bytes);
  });
}

void Machine::copyTransfer(const TransferViews &views) {
  const View &dst = views.dst;
  const View &src = views.srcs.front();
  const std::uint64_t total = src.totalElements();
  const bool apart =
      dst.dtype == src.dtype && dst.space != src.space && rowStarts.empty();
  const unsigned lanes = std::max(dst.lanes, src.lanes);
  const std::optional<ByteRows> to = rowsOf(dst, lanes);
  const std::optional<ByteRows> from = rowsOf(src, lanes);
  // Of rows that overlap the last one wins: those go in order, below.
  if (apart && to && from && to->areApart(lanes)) {
    if (to->runs == from->runs)
      return copyRows(*to, *from, lanes);
    if (to->runs == 1)
      return copyRows(to->inRuns(from->runs), *from, lanes);
    if (from->runs == 1)
      return copyRows(*to, from->inRuns(to->runs), lanes);
  }
  // A dense side is the other side's buffer, unless both are one memory.
  if (apart && from && from->isDense())
    return spread(src.data, dst);
  if (apart && to && to->isDense())
    return collect(src, dst.data);
  std::uint8_t *dense =
      buffers[0].get<std::uint8_t>(total * src.layout.elementBytes);
  if (views.srcRows)
    collectRows(*views.srcRows, dense);
  else
    collect(src, dense);
  if (dst.dtype == src.dtype)
    return deliver(views, dense);
  float *wide = buffers[1].get<float>(total);
  converter.widen(src.dtype, dense, wide, total);
  std::uint8_t *narrow =
      buffers[2].get<std::uint8_t>(total * dst.layout.elementBytes);
  converter.narrow(dst.dtype, wide, narrow, total);
  deliver(views, narrow);
}

/// dst = srcs[0] + srcs[1] + .., in fp32 from left to right.
void Machine::addTransfer(const TransferViews &views) {
  const std::uint64_t total = views.dst.totalElements();
  float *sum = buffers[1].get<float>(total);
  float *next = buffers[2].get<float>(total);
  const Kernels::Binary add = binary(isa::AluOp::add);
  for (std::size_t k = 0; k < views.srcs.size(); ++k) {
    const View &src = views.srcs[k];
    std::uint8_t *dense =
        buffers[0].get<std::uint8_t>(total * src.layout.elementBytes);
    // Rows that are left out hold anything; what becomes of them is not used.
    if (!rowStarts.empty())
      std::memset(dense, 0, total * src.layout.elementBytes);
    if (k == 0 && views.dstRows)
      collectRows(*views.dstRows, dense);
    else if (k + 1 == views.srcs.size() && views.srcRows)
      collectRows(*views.srcRows, dense);
    else
      collect(src, dense);
    converter.widen(src.dtype, dense, k == 0 ? sum : next, total);
    if (k != 0)
      add(sum, next, sum, total);
  }
  converter.settle(sum, total);
  std::uint8_t *narrow =
      buffers[3].get<std::uint8_t>(total * views.dst.layout.elementBytes);
  converter.narrow(views.dst.dtype, sum, narrow, total);
  deliver(views, narrow);
}

/// dst[d, b, a] = src[a, b, d].
void Machine::transposeTransfer(const TransferViews &views) {
  const View &src = views.srcs.front();
  const unsigned bytes = src.layout.elementBytes;
  const auto [rows, middle, columns] =
      std::array{views.rows, views.middle, views.columns};
  const std::uint64_t total = rows * middle * columns * bytes;
  const std::uint8_t *in = src.data;
  if (src.lanes > 1 || !src.layout.contiguous() || views.srcRows) {
    std::uint8_t *dense = buffers[0].get<std::uint8_t>(total);
    if (views.srcRows)
      collectRows(*views.srcRows, dense);
    else
      collect(src, dense);
    in = dense;
  }
  const auto inPitch = static_cast<std::ptrdiff_t>(columns * bytes);
  // Each lane of the result is a column of the source.
  const auto transposeInto = [&](std::uint8_t *to, std::ptrdiff_t pitch) {
    const std::uint64_t parts = pool && total >= (1 << 14) ? pool->size() : 1;
    const std::uint64_t step = ((columns + parts - 1) / parts + 7) / 8 * 8;
    inParallel(static_cast<unsigned>((columns + step - 1) / step),
               [&](unsigned i, unsigned) {
                 const std::uint64_t first = i * step;
                 kernels.transpose(
                     in + first * bytes, inPitch,
                     to + static_cast<std::ptrdiff_t>(first) * pitch, pitch,
                     rows, std::min(step, columns - first), bytes);
               });
  };
  if (middle == 1 && rowStarts.empty() && views.dst.space != src.space &&
      views.dst.layout.contiguous())
    return transposeInto(views.dst.data, views.dst.pitch);
  std::uint8_t *out = buffers[1].get<std::uint8_t>(total);
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
      old = buffers[2].get<std::uint8_t>(total);
      collect(views.dst, old);
    }
    for (std::uint64_t i = a; i < rows * middle * columns; i += rows)
      std::memcpy(out + i * bytes, old + i * bytes, bytes);
  }
  spread(out, views.dst);
}

} // namespace kiln::sim
