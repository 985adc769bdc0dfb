//===- access.h - Access patterns: which bytes an operand touches ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_ACCESS_H
#define KILN_ISA_ACCESS_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <variant>
#include <vector>

namespace kiln::isa {

/// A sequencer register, 0..63, private to its engine.
struct Register {
  std::uint8_t index = 0;
  friend bool operator==(const Register &, const Register &) = default;
};

/// An immediate, or a register that is read when the instruction issues.
struct RegisterOrInt {
  std::variant<std::int32_t, Register> value = 0;
  friend bool operator==(const RegisterOrInt &,
                         const RegisterOrInt &) = default;
};

/// One dimension of a pattern. `stride` is in elements; 0 repeats (reads only).
struct Dim {
  std::int32_t stride = 1;
  std::uint32_t size = 1;
  friend bool operator==(const Dim &, const Dim &) = default;
};

/// The run-time part of an address: `register * scale` bytes.
struct RegisterTerm {
  Register reg;
  std::int32_t scale = 1;
  friend bool operator==(const RegisterTerm &, const RegisterTerm &) = default;
};

/// The bytes that one operand touches.
///
/// On chip, the operand covers partitions [partition, partition + partitions).
/// Every partition has the same free pattern: element (i0, .., ik) is at byte
/// `offset + sum(terms) + sizeInBytes(dtype) * sum(i_j * dims[j].stride)`. At
/// most four free dimensions.
///
/// On chip, `tensor` identifies the buffer: an index into Module::buffers, or 0
/// if unspecified. Engines ignore it; checks use it.
///
/// In HBM, `tensor` indexes Module::tensors, and `partition` and `partitions`
/// are 0. The same formula gives the byte within the tensor. At most five
/// dimensions.
///
/// Dimensions are outermost first; elements are enumerated row-major. An
/// on-chip operand's elements are (partition, free...) in row-major order.
struct Access {
  static constexpr unsigned maxDims = 5;
  static constexpr unsigned maxTerms = 2;

  Space space = Space::sbuf;
  DType dtype = DType::f32;
  std::uint16_t tensor = 0;
  std::uint8_t partition = 0;
  std::uint8_t partitions = 0;
  std::uint8_t rank = 0;     ///< Number of live entries of `dims`.
  std::uint8_t numTerms = 0; ///< Number of live entries of `terms`.
  std::int64_t offset = 0;   ///< Bytes.
  std::array<Dim, maxDims> dims{};
  std::array<RegisterTerm, maxTerms> terms{};

  /// Elements per partition (HBM: in total).
  constexpr std::uint64_t elements() const {
    std::uint64_t count = 1;
    for (unsigned i = 0; i < rank; ++i)
      count *= dims[i].size;
    return count;
  }
  /// Elements over all partitions.
  constexpr std::uint64_t totalElements() const {
    return elements() * (space == Space::hbm ? 1u : partitions);
  }
  friend bool operator==(const Access &, const Access &) = default;
};

/// A number, or a [P, 1] tile with one value per partition. Bitwise operators
/// take integers, all others take floats.
using ScalarOrTile = std::variant<float, Access, std::int32_t>;

/// `value = offset + partition * channel_multiplier + sum(i_j * dims[j].step)`:
/// the index pattern of iota and affine_select. Outermost dimension first.
struct IndexPattern {
  std::uint8_t rank = 0;
  std::array<Dim, 4> dims{}; ///< `stride` is the step added per index.
  friend bool operator==(const IndexPattern &, const IndexPattern &) = default;
};

/// Maximum length of a list of accesses, such as the sources of dma_compute.
inline constexpr unsigned maxListAccesses = 16;

/// Maximum number of ranks in a launch, and of rank lists in one operand.
inline constexpr unsigned maxRanks = 64;

/// Lists of ranks: a replica group, or (source, target) pairs.
using RankLists = std::vector<std::vector<std::int32_t>>;

/// Maximum number of entries in a list operand.
template <class T> inline constexpr unsigned maxEntries = maxRanks;
template <> inline constexpr unsigned maxEntries<Access> = maxListAccesses;

/// A type of operands that consists of parts. The binary stores them one after
/// the other, and assembly as `(32, 0)`, so no other code needs to know the
/// type.
template <class T>
concept Composite =
    requires(T &value) { T::forEachPart(value, [](auto &) {}); };

/// Two integers, as in `tile_position=(32, 0)`.
struct IntPair {
  std::int32_t first = 0;
  std::int32_t second = 0;
  /// In the order of the text and of the bytes.
  template <class Self, class Visitor>
  static constexpr void forEachPart(Self &self, Visitor &&visit) {
    visit(self.first);
    visit(self.second);
  }
  friend bool operator==(const IntPair &, const IntPair &) = default;
};

/// For each lane of a quadrant: the lane that supplies its value.
using LaneMask = std::array<std::uint8_t, 32>;
inline constexpr std::uint8_t keepLane = 255; ///< The lane keeps its own value.

/// Waits until the semaphore holds at least `value`, then subtracts `value`.
struct Wait {
  std::uint16_t semaphore = 0;
  std::uint16_t value = 1;
  friend bool operator==(const Wait &, const Wait &) = default;
};

/// Adds `value` when the instruction completes: its writes are visible and its
/// reads are done. A DMA signals when its last byte has landed.
struct Signal {
  std::uint16_t semaphore = 0;
  std::uint16_t value = 1;
  friend bool operator==(const Signal &, const Signal &) = default;
};

} // namespace kiln::isa

#endif // KILN_ISA_ACCESS_H
