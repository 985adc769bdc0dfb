//===- Rows.h - Lanes of operands as rows of fp32 ---------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_ROWS_H
#define KILN_SIM_LIB_FUNCTION_ROWS_H

#include "Lanes.h"

#include "../Memory.h"

#include <cstdint>

namespace kiln::sim {

/// Copies the elements of one lane, in order, to or from a dense row.
void gather(const View &view, unsigned lane, void *out);
void scatter(const void *in, const View &view, unsigned lane);

/// The same for integers as patterns of 32 bits: zeros above on the way out of
/// memory, dropped on the way in.
void gatherBits(const View &view, unsigned lane, Scratch &scratch,
                std::uint32_t *out);
void scatterBits(const std::uint32_t *in, const View &view, unsigned lane,
                 Scratch &scratch);

/// True if writing rows of `a` in place could disturb later reads of `b`.
bool overlapsInPart(const View &a, const View &b);

/// Reads lanes as fp32.
class RowSource {
public:
  RowSource(Lanes &lanes, const View &view)
      : converter(lanes.converter), view(view),
        isDense(view.layout.contiguous()),
        isFloat(view.dtype == isa::DType::f32 && converter.readsInPlace()) {
    if (!isDense)
      raw = lanes.scratch.get<std::uint32_t>(view.elements());
    if (!isFloat)
      wide = lanes.scratch.get<float>(view.elements() *
                                      isa::info(view.dtype).values);
  }

  /// Valid until the next call, or until the lane is written.
  const float *row(unsigned lane);

private:
  const Converter &converter;
  const View &view;
  bool isDense, isFloat;
  std::uint32_t *raw = nullptr; ///< A row without gaps.
  float *wide = nullptr;        ///< The same as fp32.
};

/// Writes lanes from fp32. Results of arithmetic get canonical NaNs.
class RowSink {
public:
  /// `inPlace`: rows may be produced directly in the destination.
  RowSink(Lanes &lanes, const View &view, bool inPlace)
      : converter(lanes.converter), view(view),
        isDense(view.layout.contiguous()),
        inPlace(inPlace && view.dtype == isa::DType::f32 && isDense) {
    if (!isDense && view.dtype != isa::DType::f32)
      raw = lanes.scratch.get<std::uint32_t>(view.elements());
    if (!this->inPlace)
      wide = lanes.scratch.get<float>(view.elements());
  }

  bool writesInPlace() const { return inPlace; }
  /// Where to put the row of `lane` before `finish`.
  float *row(unsigned lane);
  /// Converts and stores the row that `row` returned, or `from`.
  void finish(unsigned lane, float *from);

private:
  Converter &converter;
  const View &view;
  bool isDense, inPlace;
  std::uint32_t *raw = nullptr;
  float *wide = nullptr;
};

/// The elements of a lane in type `to`: their bits if that is their type.
/// `source` reads `src`.
void castRow(Lanes &lanes, const View &src, unsigned lane, RowSource &source,
             isa::DType to, void *out);
/// The bits of `value` in `dtype`.
void narrowOne(Lanes &lanes, float value, isa::DType dtype, void *out);

/// One i32 or u8 element, for register_load and register_store. Narrow integers
/// are sign-extended; a float keeps its bits.
std::int32_t loadElement(const View &view);
/// The low bits, as many as the element has.
void storeElement(const View &view, std::int32_t value);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_ROWS_H
