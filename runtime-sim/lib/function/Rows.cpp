//===- Rows.cpp - Lanes of operands as rows of fp32 -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace kiln::sim {

namespace {

/// Calls run(address, count, stride) for the innermost dimension, in order.
template <class Run>
void forEachInner(const Layout &layout, std::uint8_t *address, Run &&run) {
  if (layout.rank == 0) {
    run(address, std::uint64_t{1}, std::int64_t{layout.elementBytes});
    return;
  }
  const unsigned outer = layout.rank - 1;
  const Layout::Step inner = layout.dims[outer];
  std::array<std::uint64_t, isa::Access::maxDims + 1> index{};
  while (true) {
    run(address, inner.size, inner.stride);
    unsigned d = outer;
    while (true) {
      if (d == 0)
        return;
      --d;
      address += layout.dims[d].stride;
      if (++index[d] < layout.dims[d].size)
        break;
      address -= layout.dims[d].stride *
                 static_cast<std::int64_t>(layout.dims[d].size);
      index[d] = 0;
    }
  }
}

template <class T>
void gatherAs(const Layout &layout, std::uint8_t *from, T *out) {
  forEachInner(layout, from,
               [&](const std::uint8_t *address, std::uint64_t count,
                   std::int64_t stride) {
                 if (stride == sizeof(T)) {
                   std::memcpy(out, address, count * sizeof(T));
                   out += count;
                   return;
                 }
                 for (std::uint64_t i = 0; i < count; ++i) {
                   std::memcpy(out++, address, sizeof(T));
                   address += stride;
                 }
               });
}

template <class T>
void scatterAs(const Layout &layout, std::uint8_t *to, const T *in) {
  forEachInner(
      layout, to,
      [&](std::uint8_t *address, std::uint64_t count, std::int64_t stride) {
        if (stride == sizeof(T)) {
          std::memcpy(address, in, count * sizeof(T));
          in += count;
          return;
        }
        for (std::uint64_t i = 0; i < count; ++i) {
          std::memcpy(address, in++, sizeof(T));
          address += stride;
        }
      });
}

} // namespace

void gather(const View &view, unsigned lane, void *out) {
  std::uint8_t *from = view.lane(lane);
  if (view.places) {
    const unsigned bytes = view.layout.elementBytes;
    const std::int64_t *places = view.placesOf(lane);
    auto *to = static_cast<std::uint8_t *>(out);
    for (std::uint64_t i = 0; i < view.elements(); ++i)
      std::memcpy(to + i * bytes, from + places[i], bytes);
    return;
  }
  switch (view.layout.elementBytes) {
  case 1:
    return gatherAs(view.layout, from, static_cast<std::uint8_t *>(out));
  case 2:
    return gatherAs(view.layout, from, static_cast<std::uint16_t *>(out));
  default:
    return gatherAs(view.layout, from, static_cast<std::uint32_t *>(out));
  }
}

void scatter(const void *in, const View &view, unsigned lane) {
  std::uint8_t *to = view.lane(lane);
  if (view.places) {
    const unsigned bytes = view.layout.elementBytes;
    const std::int64_t *places = view.placesOf(lane);
    const auto *from = static_cast<const std::uint8_t *>(in);
    for (std::uint64_t i = 0; i < view.elements(); ++i)
      std::memcpy(to + places[i], from + i * bytes, bytes);
    return;
  }
  switch (view.layout.elementBytes) {
  case 1:
    return scatterAs(view.layout, to, static_cast<const std::uint8_t *>(in));
  case 2:
    return scatterAs(view.layout, to, static_cast<const std::uint16_t *>(in));
  default:
    return scatterAs(view.layout, to, static_cast<const std::uint32_t *>(in));
  }
}

void gatherBits(const View &view, unsigned lane, Scratch &scratch,
                std::uint32_t *out) {
  const Scratch::Scope scope(scratch);
  const std::uint64_t n = view.elements();
  if (view.layout.elementBytes == 4)
    return gather(view, lane, out);
  if (view.layout.elementBytes == 2) {
    auto *narrow = scratch.get<std::uint16_t>(n);
    gather(view, lane, narrow);
    std::copy(narrow, narrow + n, out);
    return;
  }
  auto *narrow = scratch.get<std::uint8_t>(n);
  gather(view, lane, narrow);
  std::copy(narrow, narrow + n, out);
}

void scatterBits(const std::uint32_t *in, const View &view, unsigned lane,
                 Scratch &scratch) {
  const Scratch::Scope scope(scratch);
  const std::uint64_t n = view.elements();
  const auto store = [&](auto *narrow) {
    for (std::uint64_t i = 0; i < n; ++i)
      narrow[i] =
          static_cast<std::remove_reference_t<decltype(*narrow)>>(in[i]);
    scatter(narrow, view, lane);
  };
  if (view.layout.elementBytes == 4)
    scatter(in, view, lane);
  else if (view.layout.elementBytes == 2)
    store(scratch.get<std::uint16_t>(n));
  else
    store(scratch.get<std::uint8_t>(n));
}

bool overlapsInPart(const View &a, const View &b) {
  if (a.space != b.space)
    return false;
  if (a.data == b.data && a.dtype == b.dtype && a.layout.contiguous() &&
      b.layout.contiguous() && a.elements() == b.elements())
    return false;
  // Compared over all lanes at once: conservative, which costs only a copy.
  const auto reach = [](const View &v) {
    return v.lane(v.lanes - 1) + v.layout.high;
  };
  if (a.data + a.layout.low >= reach(b) || b.data + b.layout.low >= reach(a))
    return false;
  if (a.pitch == 0)
    return true;
  // Same memory: lanes have the same pitch, so columns decide.
  const std::int64_t column = (b.data - a.data) % a.pitch;
  for (const std::int64_t shift : {column - a.pitch, column, column + a.pitch})
    if (shift + b.layout.low < a.layout.high &&
        a.layout.low < shift + b.layout.high)
      return true;
  return false;
}

const float *RowSource::row(unsigned lane) {
  const void *from = view.lane(lane);
  if (!isDense) {
    gather(view, lane, raw);
    from = raw;
  }
  if (isFloat)
    return static_cast<const float *>(from);
  converter.widen(view.dtype, from, wide,
                  view.elements() * isa::info(view.dtype).values);
  return wide;
}

float *RowSink::row(unsigned lane) {
  if (inPlace)
    return reinterpret_cast<float *>(view.lane(lane));
  return wide;
}

void RowSink::finish(unsigned lane, float *from) {
  const std::uint64_t n = view.elements();
  converter.settle(from, n);
  if (view.dtype == isa::DType::f32) {
    if (reinterpret_cast<std::uint8_t *>(from) != view.lane(lane))
      scatter(from, view, lane);
    return;
  }
  if (isDense) {
    converter.narrow(view.dtype, from, view.lane(lane), n);
    return;
  }
  converter.narrow(view.dtype, from, raw, n);
  scatter(raw, view, lane);
}

void castRow(Lanes &lanes, const View &src, unsigned lane, RowSource &source,
             isa::DType to, void *out) {
  if (to == src.dtype)
    gather(src, lane, out);
  else
    lanes.converter.narrow(to, source.row(lane), out, src.elements());
}

void narrowOne(Lanes &lanes, float value, isa::DType dtype, void *out) {
  lanes.converter.narrow(dtype, &value, out, 1);
}

std::int32_t loadElement(const View &view) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, view.data, view.layout.elementBytes);
  switch (view.dtype) {
  case isa::DType::i8:
    return static_cast<std::int8_t>(bits);
  case isa::DType::i16:
    return static_cast<std::int16_t>(bits);
  default:
    return static_cast<std::int32_t>(bits);
  }
}

void storeElement(const View &view, std::int32_t value) {
  std::memcpy(view.data, &value, view.layout.elementBytes);
}

} // namespace kiln::sim
