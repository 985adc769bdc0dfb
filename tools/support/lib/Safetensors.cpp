//===- Safetensors.cpp - .safetensors files -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/safetensors.h"
#include "kiln/isa/noun.h"

#include "SafetensorsTypes.h"

#include "kiln/tool/command_line.h"
#include "kiln/tool/failure.h"
#include "kiln/tool/files.h"
#include "kiln/tool/float_format.h"
#include "kiln/tool/npy.h"

#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace kiln::tool {
namespace {

using isa::DType;

/// The type of the four values of a packed element, or the type itself.
DType typeOfValues(DType dtype) {
  switch (dtype) {
  case DType::f8e4m3fn_x4:
    return DType::f8e4m3fn;
  case DType::f8e5m2_x4:
    return DType::f8e5m2;
  default:
    return dtype;
  }
}

/// The file's spelling of a tensor's type.
const FileType &fileTypeOf(DType dtype) {
  const DType values =
      dtype == DType::f8e4m3 ? DType::f8e4m3fn : typeOfValues(dtype);
  for (const FileType &type : fileTypes)
    if (type.kind == 'x' && type.dtype == values)
      return type;
  const char kind = dtype == DType::boolean     ? 'b'
                    : isa::isFloat(dtype)       ? 'f'
                    : isa::info(dtype).isSigned ? 'i'
                                                : 'u';
  for (const FileType &type : fileTypes)
    if (type.kind == kind && type.bits == bitsOfValue(dtype))
      return type;
  return *findFileType("F32"); // tf32
}

/// A packed element is several values of the file.
std::vector<std::int64_t> shapeOfValues(std::vector<std::int64_t> shape,
                                        DType dtype) {
  if (!shape.empty())
    shape.back() *= isa::info(dtype).values;
  return shape;
}

/// f8e4m3 as F8_E4M3: the same bits for finite numbers. Those of many NaNs are
/// numbers there.
void toE4m3fn(NamedTensor &tensor, const std::string &fileName) {
  for (std::size_t i = 0; i < tensor.bytes.size(); ++i) {
    const double value = decodeFloat(tensor.bytes[i], tensor.dtype);
    if (std::isnan(value))
      tensor.bytes[i] |= 0x7f;
    if (std::isinf(value))
      throw Failure("KILN-T019",
                    absl::StrCat("'", fileName, "' cannot hold tensor '",
                                 tensor.name, "': element ", i,
                                 " is an infinity of f8e4m3, and F8_E4M3 has "
                                 "none; write a .npy"));
  }
}

} // namespace

std::vector<std::uint8_t> toTensorBytes(const StoredTensor &stored,
                                        std::span<const std::uint8_t> bytes,
                                        std::string_view tensor, DType dtype,
                                        const std::vector<std::int64_t> &shape,
                                        const std::string &fileName) {
  const std::string what = fileName + ":" + printable(stored.name);
  const FileType *type = findFileType(stored.type);
  if (!type)
    throw Failure("KILN-T013",
                  absl::StrCat("'", what, "' has element type '<|",
                               printable(stored.type),
                               "|>'; Kiln reads [|BF16, F16, F32, F64, "
                               "F8_E4M3, F8_E5M2, F8_E8M0, F4, I8 to I64, U8 "
                               "to U64 and BOOL|]"));
  NpyArray array{{type->kind, type->bits / 8}, stored.shape, {}};
  if (type->kind != 'x') {
    array.bytes.assign(bytes.begin(), bytes.end());
    return toTensorBytes(array, tensor, dtype, shape, what);
  }
  if (type->dtype == typeOfValues(dtype) &&
      stored.shape == shapeOfValues(shape, dtype))
    return {bytes.begin(), bytes.end()};
  // Their values are values of float32.
  array = fromTensorBytes(bytes, type->dtype, stored.shape);
  array.shape = stored.shape; // F4 counts values.
  return toTensorBytes(array, tensor, dtype, shape, what);
}

std::vector<std::uint8_t>
readSafetensor(const std::filesystem::path &path, const std::string &storedName,
               const std::string &tensor, DType dtype,
               const std::vector<std::int64_t> &shape) {
  const std::string file = path.string();
  FileParts parts(path);
  std::vector<std::uint8_t> start = parts.read(0, lengthBytes);
  if (start.size() == lengthBytes)
    // No more than the file has, whatever the length says.
    start = parts.read(0, lengthBytes +
                              std::min(headerLength(start), parts.size()));
  const std::vector<StoredTensor> all =
      parseSafetensors(start, parts.size(), file);
  const std::string &wanted = !storedName.empty() ? storedName
                              : all.size() == 1   ? all.front().name
                                                  : tensor;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const StoredTensor &entry) {
        return entry.name == wanted;
      });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const StoredTensor &entry : all)
      names.push_back(entry.name);
    throw Failure("KILN-T018", absl::StrCat("'", file, "' holds no tensor '<|",
                                            wanted, "|>'; it holds ",
                                            isa::counted(all.size(), "tensor"),
                                            suggestion(wanted, names)));
  }
  const std::vector<std::uint8_t> bytes =
      parts.read(found->begin, found->end - found->begin);
  return toTensorBytes(*found, bytes, tensor, dtype, shape, file);
}

std::vector<std::uint8_t> formatSafetensors(std::vector<NamedTensor> tensors,
                                            const std::string &fileName) {
  // Wide types first, so that every tensor begins at a multiple of its size.
  std::sort(tensors.begin(), tensors.end(),
            [](const NamedTensor &a, const NamedTensor &b) {
              const unsigned wide = fileTypeOf(a.dtype).bits;
              const unsigned other = fileTypeOf(b.dtype).bits;
              return wide != other ? wide > other : a.name < b.name;
            });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::uint64_t at = 0;
  for (NamedTensor &tensor : tensors) {
    if (tensor.name == metadataKey)
      throw Failure(
          "KILN-T019",
          absl::StrCat("'", fileName, "' cannot hold a tensor '",
                       std::string(metadataKey),
                       "': the format reserves that name for metadata"));
    if (header.contains(tensor.name))
      throw Failure("KILN-T019",
                    absl::StrCat("'", fileName, "' would hold two tensors '",
                                 tensor.name, "'"));
    if (tensor.dtype == DType::f8e4m3)
      toE4m3fn(tensor, fileName);
    header[tensor.name] = {{"dtype", fileTypeOf(tensor.dtype).name},
                           {"shape", shapeOfValues(tensor.shape, tensor.dtype)},
                           {"data_offsets", {at, at + tensor.bytes.size()}}};
    at += tensor.bytes.size();
  }
  std::string text =
      header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' '); // The data is aligned.
  std::vector<std::uint8_t> file;
  file.reserve(lengthBytes + text.size() + at);
  for (unsigned i = 0; i < lengthBytes; ++i)
    file.push_back(
        static_cast<std::uint8_t>(std::uint64_t{text.size()} >> (8 * i)));
  file.insert(file.end(), text.begin(), text.end());
  for (const NamedTensor &tensor : tensors)
    file.insert(file.end(), tensor.bytes.begin(), tensor.bytes.end());
  return file;
}

void writeSafetensors(const std::filesystem::path &path,
                      std::vector<NamedTensor> tensors) {
  writeFile(path, formatSafetensors(std::move(tensors), path.string()));
}

TensorPlace parsePlace(std::string_view text) {
  constexpr std::string_view ending = ".safetensors";
  if (text.ends_with(ending))
    return {std::string(text), {}, true};
  // The name may hold colons and dots, but hardly this.
  const std::size_t at = text.find(std::string(ending) + ":");
  if (at == std::string_view::npos)
    return {std::string(text), {}, false};
  const std::size_t colon = at + ending.size();
  return {std::string(text.substr(0, colon)),
          std::string(text.substr(colon + 1)), true};
}

} // namespace kiln::tool
