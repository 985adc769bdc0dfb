//===- Memory.h - SBUF, PSUM and HBM ----------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_MEMORY_H
#define KILN_SIM_LIB_MEMORY_H

#include "FreshBytes.h"
#include "Layout.h"

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include <cstdint>
#include <vector>

namespace kiln::sim {

/// An operand at its place: lane p, element (i..) at
/// data + p * pitch + sum(i * stride). In HBM there is one lane.
struct View {
  std::uint8_t *data = nullptr;
  std::int64_t pitch = 0;
  unsigned lanes = 1;
  isa::DType dtype = isa::DType::f32;
  isa::Space space = isa::Space::hbm;
  Layout layout;
  /// Byte offsets of the elements from `lane(p)`, one list for each group of
  /// `groupLanes` lanes, if an index operand replaces the pattern.
  const std::int64_t *places = nullptr;
  unsigned groupLanes = 1;

  std::uint64_t elements() const { return layout.elements; }
  std::uint64_t totalElements() const { return layout.elements * lanes; }
  std::uint8_t *lane(unsigned p) const { return data + p * pitch; }
  const std::int64_t *placesOf(unsigned p) const {
    return places + p / groupLanes * layout.elements;
  }
  /// The first element of every lane, for [P, 1] operands.
  bool isColumn() const { return layout.elements == 1; }
};

/// The bytes of all memories of a core. Fresh memory holds NaN where it is
/// read as floats; HBM integers hold 4.
class Memory {
public:
  /// Lanes that lie a power of two apart share few places of the host's caches;
  /// with one more line between them, columns of a tile fit.
  static constexpr std::int64_t lanePadding = 64;

  /// `lazy`: on-chip memory takes host memory only where it is written. Tensors
  /// have no bytes until `allocate`, `bind` or `share` gives them some.
  Memory(const isa::Module &module, const isa::Target &target, bool lazy);

  /// A separate tensor that nothing has written.
  void allocate(std::size_t tensor);
  /// Input tensors are read in place; `bytes` must outlive the memory.
  void bind(std::size_t tensor, const std::uint8_t *bytes, bool writable);
  /// The bytes of another core's tensor, which must outlive this memory.
  void share(std::size_t tensor, const Memory &other, std::size_t its) {
    base[tensor] = other.base[its];
  }
  std::vector<std::uint8_t> takeTensor(std::size_t index) {
    return std::move(owned[index]);
  }

  /// Returns lazy on-chip memory to the host: its contents are no longer
  /// needed.
  void releaseOnChip() {
    sbuf.release();
    psum.release();
  }

  /// Bytes of one lane of an on-chip memory of the machine.
  std::int64_t laneBytes(isa::Space space) const {
    return space == isa::Space::psum ? psumBytes : sbufBytes;
  }
  /// The first of them that have host memory. The module reaches no others, so
  /// that those hold FreshBytes::fresh.
  std::int64_t reachedBytes(isa::Space space) const {
    return (space == isa::Space::psum ? psumPitch : sbufPitch) - lanePadding;
  }
  std::int64_t tensorBytes(std::size_t index) const { return sizes[index]; }
  /// How many rows it has that begin `stride` bytes apart: those of any view.
  /// If they do not lie one after the other, the first extent of its shape.
  std::int64_t tensorRows(std::size_t index, std::int64_t stride) const {
    return stride > 0 ? sizes[index] / stride : rows[index];
  }

  /// `access` with its first element at `offset`; bounds are the caller's. It
  /// is an operand of the module: other on-chip bytes may have no host memory.
  View view(const isa::Access &access, std::int64_t offset);

private:
  std::int64_t sbufBytes;
  std::int64_t psumBytes;
  std::int64_t sbufPitch; ///< Of what the module can reach, not of all bytes.
  std::int64_t psumPitch;
  FreshBytes sbuf;
  FreshBytes psum;
  std::vector<std::vector<std::uint8_t>> owned;
  std::vector<std::uint8_t *> base;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> rows;
  std::vector<isa::DType> dtypes;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_MEMORY_H
