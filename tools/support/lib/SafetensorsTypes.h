//===- SafetensorsTypes.h - What .safetensors files hold -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_SAFETENSORSTYPES_H
#define KILN_TOOL_SAFETENSORSTYPES_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kiln::tool {

/// The length of the header comes first.
inline constexpr std::uint64_t lengthBytes = 8;

/// The member of the header that holds notes, not a tensor.
inline constexpr std::string_view metadataKey = "__metadata__";

/// `start` holds `lengthBytes` at least.
inline std::uint64_t headerLength(std::span<const std::uint8_t> start) {
  std::uint64_t length = 0;
  for (unsigned i = 0; i < lengthBytes; ++i)
    length |= std::uint64_t{start[i]} << (8 * i);
  return length;
}

/// A type as files spell it. `kind` is NumPy's letter, or 'x' where NumPy has
/// no such type; then `dtype` is Kiln's.
struct FileType {
  std::string_view name;
  unsigned bits;
  char kind;
  isa::DType dtype = isa::DType::f32;
};

inline constexpr FileType fileTypes[] = {
    {"F64", 64, 'f'},
    {"F32", 32, 'f'},
    {"F16", 16, 'f'},
    {"I64", 64, 'i'},
    {"I32", 32, 'i'},
    {"I16", 16, 'i'},
    {"I8", 8, 'i'},
    {"U64", 64, 'u'},
    {"U32", 32, 'u'},
    {"U16", 16, 'u'},
    {"U8", 8, 'u'},
    {"BOOL", 8, 'b'},
    {"BF16", 16, 'x', isa::DType::bf16},
    {"F8_E4M3", 8, 'x', isa::DType::f8e4m3fn},
    {"F8_E5M2", 8, 'x', isa::DType::f8e5m2},
    {"F8_E8M0", 8, 'x', isa::DType::f8e8m0},
    {"F4", 4, 'x', isa::DType::f4e2m1fn_x4},
};

/// A name of the file for messages.
inline std::string printable(std::string_view raw) {
  std::string out;
  for (char c : raw.substr(0, 80))
    out += (c >= 0x20 && c < 0x7f) ? c : '?';
  return out;
}

constexpr const FileType *findFileType(std::string_view name) {
  for (const FileType &type : fileTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

} // namespace kiln::tool

#endif // KILN_TOOL_SAFETENSORSTYPES_H
