//===- target.h - What a generation can hold and how fast it is -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything a pass, a check or the timing model needs to know about a machine
// is a field here; a generation number decides only which instructions exist
// and what they compute, never what they cost. The fields and their values are
// generated from td/Target.td.
//
// Standard library only and constexpr: the language reads capacities while it
// records. The source and unit of every number is in `parameterTable`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TARGET_H
#define KILN_ISA_TARGET_H

#include "kiln/isa/dtype.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::isa {

/// Unit and origin of a parameter.
struct ParameterInfo {
  std::string_view name;
  std::string_view unit;
  /// "documented": stated in a public document of the vendor; "fit": derived
  /// from published profiles; "choice": our own value because nothing is
  /// published. With the targets in parentheses where they differ: "fit (trn2),
  /// choice (trn1, trn3)".
  std::string_view origin;
  std::string_view source; ///< Documents and how to read them.
  bool isPositive;         ///< Must not be 0: it is used as a divisor.
};

/// A document of others than the maker; `title` is how sources name it.
struct Publication {
  std::string_view title;
  std::string_view where; ///< Authors, title, venue, year, table.
};

// TargetParameters, trn1Parameters to trn3Parameters, parameterTable,
// forEachParameter and publications.
#include "kiln/isa/Target.h.inc"

/// At most 31 characters: a target is a value that compares and copies fast.
class TargetName {
public:
  static constexpr std::size_t maxSize = 31;

  constexpr TargetName() = default;
  /// `text` must fit.
  constexpr TargetName(std::string_view text)
      : length(static_cast<std::uint8_t>(text.size())) {
    for (std::size_t i = 0; i < text.size(); ++i)
      characters.at(i) = text[i];
  }
  constexpr TargetName(const char *text) : TargetName(std::string_view(text)) {}
  constexpr std::string_view view() const {
    return {characters.data(), length};
  }
  constexpr operator std::string_view() const { return view(); }
  friend constexpr bool operator==(const TargetName &,
                                   const TargetName &) = default;

private:
  std::array<char, maxSize> characters{};
  std::uint8_t length = 0;
};

struct Target : TargetParameters {
  TargetName name = "trn2";
  Generation generation = Generation::v3;

  /// The bytes of a partition of SBUF that programs may use.
  constexpr int sbufBytes() const {
    return sbuf_physical_bytes - sbuf_reserved_bytes;
  }
  /// Bytes of one partition of an on-chip memory.
  constexpr int bytes(Space space) const {
    return space == Space::psum ? psum_bytes : sbufBytes();
  }
  constexpr double ghz(Engine engine) const {
    switch (engine) {
    case Engine::tensor:
      return tensor_ghz;
    case Engine::vector:
      return vector_ghz;
    case Engine::scalar:
      return scalar_ghz;
    case Engine::gpsimd:
      return gpsimd_ghz;
    case Engine::sync:
      return sync_ghz;
    }
    return sync_ghz;
  }
  friend bool operator==(const Target &, const Target &) = default;
};

/// trn1: NeuronCore-v2.
inline constexpr Target trn1{trn1Parameters, "trn1", Generation::v2};

/// trn2: NeuronCore-v3.
inline constexpr Target trn2{trn2Parameters, "trn2", Generation::v3};

/// trn3: NeuronCore-v4.
inline constexpr Target trn3{trn3Parameters, "trn3", Generation::v4};

/// Whether a rank may have a second core.
constexpr bool hasTwoCores(Generation generation) {
  return generation >= Generation::v3;
}

constexpr const Target &target(Generation generation) {
  return generation == Generation::v2   ? trn1
         : generation == Generation::v3 ? trn2
                                        : trn3;
}

/// As errors list them.
inline constexpr std::string_view targetNames = "trn1, trn2 and trn3";

/// The target called "trn1", "trn2" or "trn3".
constexpr std::optional<Target> findTarget(std::string_view name) {
  for (const Target *candidate : {&trn1, &trn2, &trn3})
    if (candidate->name.view() == name)
      return *candidate;
  return std::nullopt;
}

} // namespace kiln::isa

#endif // KILN_ISA_TARGET_H
