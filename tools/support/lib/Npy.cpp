//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/npy.h"

#include "NpyHeader.h"

#include "kiln/tool/failure.h"
#include "kiln/tool/files.h"
#include "kiln/tool/float_format.h"

#include <algorithm>
#include <cstring>

namespace kiln::tool {
namespace {

/// Copies `file` elements to `out`, row-major, from Fortran order.
void fromFortranOrder(const std::uint8_t *file, std::uint8_t *out,
                      const std::vector<std::int64_t> &shape,
                      std::uint64_t elements, unsigned size) {
  // Walk the output; `at` is the element's place in the file, kept by adding
  // strides instead of dividing.
  std::vector<std::uint64_t> stride(shape.size()), index(shape.size(), 0);
  std::uint64_t next = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    stride[i] = next;
    next *= static_cast<std::uint64_t>(shape[i]);
  }
  std::uint64_t at = 0;
  for (std::uint64_t element = 0; element < elements; ++element) {
    std::memcpy(out + element * size, file + at * size, size);
    for (std::size_t i = shape.size(); i-- > 0;) {
      at += stride[i];
      if (++index[i] < static_cast<std::uint64_t>(shape[i]))
        break;
      at -= stride[i] * index[i];
      index[i] = 0;
    }
  }
}

void swapBytes(std::vector<std::uint8_t> &bytes, unsigned size) {
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    std::reverse(bytes.begin() + at, bytes.begin() + at + size);
}

/// Little-endian unsigned integer of `size` bytes.
std::uint64_t loadUnsigned(const std::uint8_t *bytes, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

double loadFloat(const std::uint8_t *bytes, unsigned size) {
  std::uint64_t raw = loadUnsigned(bytes, size);
  if (size == 8) {
    double value;
    std::memcpy(&value, &raw, sizeof value);
    return value;
  }
  return decodeFloat(static_cast<std::uint32_t>(raw),
                     size == 4 ? isa::DType::f32 : isa::DType::f16);
}

/// A file's integer; `fits` tells whether `value` can hold it.
struct Integer {
  bool fits = true;
  std::int64_t value = 0;
};

Integer loadInteger(const std::uint8_t *bytes, NpyType type) {
  std::uint64_t raw = loadUnsigned(bytes, type.bytes);
  if (type.kind == 'i') {
    unsigned unused = 64 - 8 * type.bytes;
    auto value =
        static_cast<std::int64_t>(raw << unused) >> unused; // sign extension
    return {true, value};
  }
  bool fits = raw <= static_cast<std::uint64_t>(INT64_MAX);
  return {fits, static_cast<std::int64_t>(raw)};
}

} // namespace

std::string name(NpyType type) {
  if (type.kind == 'b')
    return "bool";
  const char *word = type.kind == 'f'   ? "float"
                     : type.kind == 'i' ? "int"
                                        : "uint";
  return word + std::to_string(8 * type.bytes);
}

std::uint64_t NpyArray::elements() const {
  std::uint64_t count = 1;
  for (std::int64_t extent : shape)
    count *= static_cast<std::uint64_t>(extent);
  return count;
}

std::string formatShape(const std::vector<std::int64_t> &shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

NpyArray parseNpy(std::span<const std::uint8_t> file,
                  const std::string &fileName) {
  NpyHeader header = parseNpyHeader(file, fileName);
  NpyArray array{header.type, header.shape, {}};
  // The header parser has made sure that this product does not overflow.
  std::uint64_t expected = array.elements() * array.type.bytes;
  std::uint64_t found = file.size() - header.dataOffset;
  if (found != expected)
    throw Failure(
        "KILN-T012",
        "'" + fileName + "' holds <|" + std::to_string(found) +
            "|> bytes of data from byte " + std::to_string(header.dataOffset) +
            ", but its header announces [|" + std::to_string(expected) +
            "|] (" + name(array.type) + formatShape(array.shape) + ")");
  const std::uint8_t *data = file.data() + header.dataOffset;
  array.bytes.resize(expected);
  if (expected == 0)
    return array;
  if (header.fortranOrder)
    fromFortranOrder(data, array.bytes.data(), array.shape, array.elements(),
                     array.type.bytes);
  else
    std::memcpy(array.bytes.data(), data, expected);
  if (header.bigEndian)
    swapBytes(array.bytes, array.type.bytes);
  return array;
}

NpyArray readNpy(const std::filesystem::path &path) {
  return parseNpy(readFile(path), path.string());
}

std::vector<std::uint8_t> formatNpy(const NpyArray &array) {
  std::string descr = array.type.bytes == 1 ? "|" : "<";
  descr += array.type.kind + std::to_string(array.type.bytes);
  std::string shape = "(";
  for (std::int64_t extent : array.shape)
    shape += std::to_string(extent) + (array.shape.size() == 1 ? "," : ", ");
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': False, 'shape': " + shape + "), }";
  // Magic, version and length are 10 bytes; data starts at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  std::vector<std::uint8_t> file{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  file.push_back(static_cast<std::uint8_t>(header.size()));
  file.push_back(static_cast<std::uint8_t>(header.size() >> 8));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), array.bytes.begin(), array.bytes.end());
  return file;
}

void writeNpy(const std::filesystem::path &path, const NpyArray &array) {
  writeFile(path, formatNpy(array));
}

std::vector<std::uint8_t> toTensorBytes(const NpyArray &array,
                                        std::string_view tensor,
                                        isa::DType dtype,
                                        const std::vector<std::int64_t> &shape,
                                        const std::string &fileName) {
  const std::string what =
      "'" + fileName + "' for tensor '" + std::string(tensor) + "'";
  const bool fileIsFloat = array.type.kind == 'f';
  const unsigned from = array.type.bytes, to = isa::sizeInBytes(dtype);
  // A file of unsigned integers may hold the bits of packed elements.
  const bool isBits =
      isa::isPacked(dtype) && array.type.kind == 'u' && from == to;
  std::vector<std::int64_t> wanted = shape;
  if (!isBits && !wanted.empty())
    wanted.back() *= isa::info(dtype).values;
  if (array.shape != wanted)
    throw Failure("KILN-T014", what + " has shape <|" +
                                   formatShape(array.shape) +
                                   "|>, but the kernel takes [|" +
                                   formatShape(wanted) + "|]");
  if (isBits)
    return array.bytes;
  if (fileIsFloat != isa::isFloat(dtype))
    throw Failure(
        "KILN-T015",
        what + " holds <|" + name(array.type) + "|>, but the kernel takes [|" +
            std::string(isa::name(dtype)) + "|]" +
            (fileIsFloat ? "; save an integer array" : "; save a float array"));

  const std::uint64_t count = array.elements();
  std::vector<std::uint8_t> out(count * bitsOfValue(dtype) / 8);
  // The same type passes through untouched: NaN payloads stay.
  if ((dtype == isa::DType::f32 && array.type == NpyType{'f', 4}) ||
      (dtype == isa::DType::f16 && array.type == NpyType{'f', 2}))
    return array.bytes;
  const IntegerRange range = rangeOf(dtype);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint8_t *source = array.bytes.data() + i * from;
    if (fileIsFloat) {
      storeBits(out.data(), i, dtype,
                encodeFloat(loadFloat(source, from), dtype));
      continue;
    }
    Integer value = loadInteger(source, array.type);
    if (!value.fits || value.value < range.low || value.value > range.high)
      throw Failure(
          "KILN-T016",
          what + " holds " +
              (value.fits ? std::to_string(value.value)
                          : std::to_string(loadUnsigned(source, from))) +
              " at element " + std::to_string(i) + "; " +
              std::string(isa::name(dtype)) + " holds " +
              std::to_string(range.low) + " to " + std::to_string(range.high));
    storeBits(out.data(), i, dtype, static_cast<std::uint32_t>(value.value));
  }
  return out;
}

NpyArray fromTensorBytes(std::span<const std::uint8_t> bytes, isa::DType dtype,
                         const std::vector<std::int64_t> &shape) {
  NpyArray array;
  array.shape = shape;
  if (!isa::isFloat(dtype) || dtype == isa::DType::f32 ||
      dtype == isa::DType::f16 || dtype == isa::DType::tf32) {
    array.type = {dtype == isa::DType::boolean ? 'b'
                  : isa::isFloat(dtype)        ? 'f'
                  : isa::info(dtype).isSigned  ? 'i'
                                               : 'u',
                  isa::sizeInBytes(dtype)};
    array.bytes.assign(bytes.begin(), bytes.end());
    return array;
  }
  // The others have no NumPy type; their values are values of float32.
  if (!array.shape.empty())
    array.shape.back() *= isa::info(dtype).values;
  array.type = {'f', 4};
  const std::uint64_t count = bytes.size() * 8 / bitsOfValue(dtype);
  array.bytes.resize(count * 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = loadBits(bytes.data(), i, dtype);
    storeBits(array.bytes.data(), i, isa::DType::f32,
              dtype == isa::DType::bf16
                  ? bits << 16 // Keeps what a NaN carries.
                  : encodeFloat(decodeFloat(bits, dtype), isa::DType::f32));
  }
  return array;
}

} // namespace kiln::tool
