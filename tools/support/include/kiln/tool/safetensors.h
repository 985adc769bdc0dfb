//===- safetensors.h - .safetensors files ----------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of named tensors: the length of a header (8 bytes, little endian), the
// header in JSON, then the bytes of all tensors, row-major, without gaps. A
// malformed file is refused with a Failure (KILN-T017) that names the byte at
// which reading stopped, counted from the start of the file.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_SAFETENSORS_H
#define KILN_TOOL_SAFETENSORS_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// One entry of a header.
struct StoredTensor {
  std::string name;
  std::string type; ///< As the file spells it: "BF16".
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0; ///< Bytes of the file.
  friend bool operator==(const StoredTensor &, const StoredTensor &) = default;
};

/// The entries, in the order of their bytes. `start` holds the length and the
/// header at least; the file has `fileSize` bytes.
std::vector<StoredTensor> parseSafetensors(std::span<const std::uint8_t> start,
                                           std::uint64_t fileSize,
                                           const std::string &fileName);

/// The bytes of tensor `tensor` of `dtype` and `shape`, made of the `stored`
/// one, whose bytes are `bytes`. Bits stay where the types are the same;
/// F8_E4M3 is f8e4m3fn, and a packed type has four times as many values in the
/// last dimension. Other floats are rounded once, and integers must fit
/// (KILN-T014 to T016).
std::vector<std::uint8_t> toTensorBytes(const StoredTensor &stored,
                                        std::span<const std::uint8_t> bytes,
                                        std::string_view tensor,
                                        isa::DType dtype,
                                        const std::vector<std::int64_t> &shape,
                                        const std::string &fileName);

/// Reads one tensor of the file and nothing else of its data. An empty
/// `storedName` is that of the tensor, or the only one in the file; KILN-T018
/// if there is none.
std::vector<std::uint8_t>
readSafetensor(const std::filesystem::path &path, const std::string &storedName,
               const std::string &tensor, isa::DType dtype,
               const std::vector<std::int64_t> &shape);

/// A tensor of a file.
struct NamedTensor {
  std::string name;
  isa::DType dtype = isa::DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

/// The same tensors, in any order, give the same bytes: wide types come first,
/// then the names decide. bf16 and the 8-bit floats keep their bits. f8e4m3 is
/// written as F8_E4M3, which has no infinities: these are refused, and so are
/// two tensors of one name (KILN-T019).
std::vector<std::uint8_t> formatSafetensors(std::vector<NamedTensor> tensors,
                                            const std::string &fileName);
void writeSafetensors(const std::filesystem::path &path,
                      std::vector<NamedTensor> tensors);

/// A place of `--in` and `--out`: FILE.npy, FILE.safetensors, or
/// FILE.safetensors:NAME.
struct TensorPlace {
  std::string file;
  std::string name; ///< Empty if it is not given.
  bool isSafetensors = false;
};
TensorPlace parsePlace(std::string_view text);

} // namespace kiln::tool

#endif // KILN_TOOL_SAFETENSORS_H
