//===- module.h - A whole compiled kernel, in memory ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of a .kbin. The container writes and reads it, the assembler and
// the disassembler convert it from and to text, and the executor runs it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_MODULE_H
#define KILN_ISA_MODULE_H

#include "kiln/isa/argument_kind.h"
#include "kiln/isa/instruction.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace kiln::isa {

enum class TensorKind : std::uint8_t {
  input = static_cast<std::uint8_t>(ArgumentKind::input),
  output = static_cast<std::uint8_t>(ArgumentKind::output),
  inout = static_cast<std::uint8_t>(ArgumentKind::inout),
  internal = 3, ///< Scratch in HBM, uninitialised.
  constant = 4, ///< Bytes are in the file.
  shared = 5,   ///< Scratch in HBM that the cores of a rank share.
};

constexpr TensorKind tensorKind(ArgumentKind kind) {
  return static_cast<TensorKind>(kind);
}

/// An HBM tensor, row-major and dense.
struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  TensorKind kind = TensorKind::input;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes; ///< Constants only.

  std::uint64_t elements() const {
    std::uint64_t count = 1;
    for (std::int64_t extent : shape)
      count *= static_cast<std::uint64_t>(extent);
    return count;
  }
  std::uint64_t sizeInBytes() const {
    return elements() * isa::sizeInBytes(dtype);
  }
  friend bool operator==(const Tensor &, const Tensor &) = default;
};

/// A place in the user's source. `scopes` is the path of open scopes and loop
/// names, joined by '/'. `name` is the user's name for the instruction, if any.
struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string scopes;
  std::string name;
  friend bool operator==(const SourceLocation &,
                         const SourceLocation &) = default;
};

struct Module {
  std::string kernel; ///< Name of the kernel.
  Generation generation = Generation::v3;
  std::vector<Tensor> tensors; ///< Arguments first, in order.
  std::array<std::vector<Instruction>, numEngines> streams; ///< One per Engine.
  std::vector<SourceLocation> locations{SourceLocation{}};  ///< [0] = unknown.
  /// On-chip buffers: where each was declared, as an index into `locations`. An
  /// operand of a buffer reads only what was written through the same buffer,
  /// unless memory was reused too early. [0] stands for operands that name no
  /// buffer.
  std::vector<std::uint32_t> buffers{0};
  /// Build facts: "kiln.version", "param.<name>", "model_flops",
  /// "model_tokens", "sbuf_peak_bytes", "psum_banks_peak", ... Sorted by key.
  /// "bits" lists the places in `locations` where types differ because the
  /// source says so. Nothing here differs between two equal compilations (no
  /// times, no paths).
  std::map<std::string, std::string> facts;
  friend bool operator==(const Module &, const Module &) = default;

  /// The number of cores that a rank runs the kernel on, and the core that this
  /// module is for: the facts "cores" and "core", by default 1 and 0.
  unsigned cores() const { return numberOf("cores", 1); }
  unsigned core() const { return numberOf("core", 0); }

private:
  unsigned numberOf(const char *key, unsigned otherwise) const {
    const auto found = facts.find(key);
    const bool isDigit = found != facts.end() && found->second.size() == 1 &&
                         found->second[0] >= '0' && found->second[0] <= '9';
    return isDigit ? static_cast<unsigned>(found->second[0] - '0') : otherwise;
  }
};

} // namespace kiln::isa

#endif // KILN_ISA_MODULE_H
