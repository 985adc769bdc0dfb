//===- Rows.h - Lanes of operands as rows of fp32 ---------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_ROWS_H
#define KILN_SIM_LIB_FUNCTION_ROWS_H

#include "Converter.h"

#include "../Memory.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln::sim {

/// Memory that only grows and starts at a cache line; reused from instruction
/// to instruction.
class Buffer {
public:
  template <class T> T *get(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (lines.size() * sizeof(Line) < bytes)
      lines.resize(bytes / sizeof(Line) + 1);
    return reinterpret_cast<T *>(lines.data());
  }

private:
  struct alignas(64) Line {
    std::uint8_t bytes[64];
  };
  std::vector<Line> lines;
};

/// Copies the elements of one lane, in order, to or from a dense row.
void gather(const View &view, unsigned lane, void *out);
void scatter(const void *in, const View &view, unsigned lane);

/// The same for integers as patterns of 32 bits: zeros above on the way out of
/// memory, dropped on the way in.
void gatherBits(const View &view, unsigned lane, Buffer &raw,
                std::uint32_t *out);
void scatterBits(const std::uint32_t *in, const View &view, unsigned lane,
                 Buffer &raw);

/// True if writing rows of `a` in place could disturb later reads of `b`.
bool overlapsInPart(const View &a, const View &b);

/// Reads lanes as fp32.
class RowSource {
public:
  RowSource(const Converter &converter, const View &view, Buffer &raw,
            Buffer &wide)
      : converter(converter), view(view), raw(raw), wide(wide),
        direct(view.layout.contiguous()) {}

  /// Valid until the next call, or until the lane is written.
  const float *row(unsigned lane);

private:
  const Converter &converter;
  const View &view;
  Buffer &raw;
  Buffer &wide;
  bool direct;
};

/// Writes lanes from fp32. Results of arithmetic get canonical NaNs.
class RowSink {
public:
  /// `inPlace`: rows may be produced directly in the destination.
  RowSink(Converter &converter, const View &view, Buffer &raw, Buffer &wide,
          bool inPlace)
      : converter(converter), view(view), raw(raw), wide(wide),
        inPlace(inPlace && view.dtype == isa::DType::f32 &&
                view.layout.contiguous()) {}

  bool writesInPlace() const { return inPlace; }
  /// Where to put the row of `lane` before `finish`.
  float *row(unsigned lane);
  /// Converts and stores the row that `row` returned, or `from`.
  void finish(unsigned lane, float *from);

private:
  Converter &converter;
  const View &view;
  Buffer &raw;
  Buffer &wide;
  bool inPlace;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_ROWS_H
