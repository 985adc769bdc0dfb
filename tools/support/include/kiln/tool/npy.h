//===- npy.h - NumPy's .npy files ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Reads versions 1 to 3 of the format, both byte orders, C and Fortran order;
// writes version 1, little endian, C order. Every malformed file is refused
// with a Failure (KILN-T01x) that names the file and what is wrong in it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_NPY_H
#define KILN_TOOL_NPY_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// An element type of a file, for example {'f', 4} for float32.
struct NpyType {
  char kind = 'f'; ///< 'f' float, 'i' signed, 'u' unsigned, 'b' bool.
  unsigned bytes = 4;
  friend bool operator==(const NpyType &, const NpyType &) = default;
};

/// NumPy's name of the type: "float32".
std::string name(NpyType type);

/// The array in a file: little endian, row-major (C order), dense.
struct NpyArray {
  NpyType type;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
  std::uint64_t elements() const;
};

/// "[2, 3]", for messages.
std::string formatShape(const std::vector<std::int64_t> &shape);

NpyArray parseNpy(std::span<const std::uint8_t> file,
                  const std::string &fileName);
NpyArray readNpy(const std::filesystem::path &path);

std::vector<std::uint8_t> formatNpy(const NpyArray &array);
void writeNpy(const std::filesystem::path &path, const NpyArray &array);

/// The bytes of tensor `tensor` of `dtype` and `shape`, taken from `array`.
/// Float files are rounded to a float tensor's type, once; integers must fit.
/// For a packed type the file holds its values, four times as many in the last
/// dimension, or unsigned integers of its size with the bits.
std::vector<std::uint8_t> toTensorBytes(const NpyArray &array,
                                        std::string_view tensor,
                                        isa::DType dtype,
                                        const std::vector<std::int64_t> &shape,
                                        const std::string &fileName);

/// The reverse. bf16, fp8 and the packed types have no NumPy type and become
/// float32, exactly.
NpyArray fromTensorBytes(std::span<const std::uint8_t> bytes, isa::DType dtype,
                         const std::vector<std::int64_t> &shape);

} // namespace kiln::tool

#endif // KILN_TOOL_NPY_H
