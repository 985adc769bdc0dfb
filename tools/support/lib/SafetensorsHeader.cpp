//===- SafetensorsHeader.cpp - The header of a .safetensors file ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SafetensorsTypes.h"

#include "kiln/tool/failure.h"
#include "kiln/tool/npy.h"
#include "kiln/tool/safetensors.h"

#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace kiln::tool {
namespace {

constexpr std::uint64_t longestHeader = std::uint64_t{100} << 20;
constexpr std::size_t mostDimensions = 32;

/// Reports how far the JSON reader has read.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *at;
  const char **furthest;
  reference operator*() const { return *at; }
  CountingIterator &operator++() {
    *furthest = ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator &other) const {
    return at == other.at;
  }
};

/// Receives the header from the JSON reader. A member of the top object is a
/// tensor, except "__metadata__", whose members are strings.
class HeaderReader {
public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  HeaderReader(std::string_view text, const std::string &fileName)
      : text(text), furthest(text.data()), fileName(fileName) {}

  std::vector<StoredTensor> read() {
    // The format requires this; JSON would allow space before it.
    if (text.empty() || text.front() != '{')
      fail("the header does not begin with '{'");
    // The JSON reader would take it for the end.
    if (const std::size_t zero = text.find('\0'); zero != text.npos) {
      furthest = text.data() + zero + 1;
      fail("a zero in the header, which is text and padded with spaces");
    }
    const char *const end = text.data() + text.size();
    nlohmann::json::sax_parse(CountingIterator{text.data(), &furthest},
                              CountingIterator{end, &furthest}, this);
    return std::move(tensors);
  }

  //===--- What the reader calls ------------------------------------------===//
  bool start_object(std::size_t) {
    if (depth == 1 && name == metadataKey)
      inMetadata = true;
    else if (depth == 1)
      tensors.push_back({name, {}, {}, 0, 0});
    else if (depth != 0)
      unexpected("an object");
    seen.clear();
    ++depth;
    return true;
  }
  bool end_object() {
    --depth;
    if (depth == 1 && !std::exchange(inMetadata, false))
      for (const char *key : {"dtype", "shape", "data_offsets"})
        if (!seen.contains(key))
          fail(absl::StrCat("tensor '", printable(name), "' has no '", key,
                            "'"));
    return true;
  }
  bool key(string_t &value) {
    if (depth == 1) {
      name = value;
      if (!names.insert(name).second)
        fail(absl::StrCat("'", printable(name), "' occurs twice"));
      return true;
    }
    member = value;
    if (!inMetadata && member != "dtype" && member != "shape" &&
        member != "data_offsets")
      fail(absl::StrCat("tensor '", printable(name), "' has an unknown key '",
                        printable(member), "'"));
    if (!seen.insert(member).second)
      fail(absl::StrCat("key '", printable(member), "' occurs twice"));
    return true;
  }
  bool string(string_t &value) {
    if (inMetadata)
      return true;
    if (depth != 2 || member != "dtype" || inArray)
      unexpected("a string");
    tensors.back().type = value;
    return true;
  }
  bool start_array(std::size_t) {
    if (depth != 2 || inMetadata || member == "dtype" || inArray)
      unexpected("an array");
    inArray = true;
    offsets = 0;
    return true;
  }
  bool end_array() {
    inArray = false;
    if (member == "data_offsets" && offsets != 2)
      fail(absl::StrCat("tensor '", printable(name), "' has ", offsets,
                        " data_offsets, not 2"));
    return true;
  }
  bool number_unsigned(number_unsigned_t value) {
    if (!inArray)
      unexpected("a number");
    if (value > static_cast<std::uint64_t>(INT64_MAX))
      unexpected("a number of more than 63 bits");
    StoredTensor &tensor = tensors.back();
    if (member == "shape") {
      if (tensor.shape.size() == mostDimensions)
        fail(absl::StrCat("tensor '", printable(name), "' has more than ",
                          mostDimensions, " dimensions"));
      tensor.shape.push_back(static_cast<std::int64_t>(value));
    } else if (offsets++ == 0) {
      tensor.begin = value;
    } else {
      tensor.end = value;
    }
    return true;
  }
  bool number_integer(number_integer_t) { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t &) {
    unexpected("a number that is not whole");
  }
  bool boolean(bool) { unexpected("a boolean"); }
  bool null() { unexpected("null"); }
  bool binary(binary_t &) { unexpected("bytes"); }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::json::exception &) {
    fail("the header is not JSON there");
  }

private:
  [[noreturn]] void unexpected(const char *what) const {
    fail(absl::StrCat(what, " where the header has none",
                      name.empty() ? "" : ", in '" + printable(name) + "'"));
  }
  /// A number ends where the next character begins; all else with its last.
  [[noreturn]] void fail(const std::string &what) const {
    const std::ptrdiff_t read = furthest - text.data();
    throw Failure("KILN-T017",
                  absl::StrCat("'", fileName, "' is malformed at byte ",
                               lengthBytes + (read ? read - 1 : 0), ": ",
                               what));
  }

  std::string_view text;
  const char *furthest;
  const std::string &fileName;
  std::vector<StoredTensor> tensors;
  std::set<std::string> names, seen;
  std::string name, member;
  std::size_t depth = 0, offsets = 0;
  bool inMetadata = false, inArray = false;
};

[[noreturn]] void failAt(const std::string &fileName, std::uint64_t byte,
                         const std::string &what) {
  throw Failure(
      "KILN-T017",
      absl::StrCat("'", fileName, "' is malformed at byte ", byte, ": ", what));
}

/// The bytes that the shape asks for, unless they are more than 63 bits count.
std::optional<std::uint64_t> bytesOf(const StoredTensor &tensor,
                                     const FileType &type) {
  std::int64_t bits = type.bits;
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) !=
      tensor.shape.end())
    return 0;
  for (const std::int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(bits, extent, &bits))
      return std::nullopt;
  if (bits % 8)
    return std::nullopt;
  return static_cast<std::uint64_t>(bits) / 8;
}

/// The tensors fill the data exactly, each with as many bytes as it needs.
void checkPlaces(std::vector<StoredTensor> &tensors, std::uint64_t dataStart,
                 std::uint64_t fileSize, const std::string &fileName) {
  const std::uint64_t available = fileSize - dataStart;
  for (StoredTensor &tensor : tensors) {
    const std::string what = "tensor '" + printable(tensor.name) + "' ";
    if (tensor.begin > tensor.end || tensor.end > available)
      failAt(fileName, dataStart + std::min(tensor.begin, available),
             absl::StrCat(what, "has data_offsets ", tensor.begin, " to ",
                          tensor.end, ", but the file holds <|", available,
                          "|> bytes of data"));
    tensor.begin += dataStart;
    tensor.end += dataStart;
    const FileType *type = findFileType(tensor.type);
    if (!type)
      continue; // Refused if it is asked for.
    const std::optional<std::uint64_t> needed = bytesOf(tensor, *type);
    if (needed != tensor.end - tensor.begin)
      failAt(fileName, tensor.begin,
             absl::StrCat(what, "has <|", tensor.end - tensor.begin,
                          "|> bytes, ", tensor.type, formatShape(tensor.shape),
                          " takes [|",
                          needed ? std::to_string(*needed)
                                 : std::string("no whole number below 2^63"),
                          "|]"));
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const StoredTensor &a, const StoredTensor &b) {
              return std::tie(a.begin, a.end, a.name) <
                     std::tie(b.begin, b.end, b.name);
            });
  std::uint64_t at = dataStart;
  for (const StoredTensor &tensor : tensors) {
    if (tensor.begin != at)
      failAt(fileName, std::min(at, tensor.begin),
             absl::StrCat("tensor '", printable(tensor.name),
                          "' begins at byte <|", tensor.begin,
                          "|>, but the one before ends at [|", at, "|]"));
    at = tensor.end;
  }
  if (at != fileSize)
    failAt(
        fileName, at,
        absl::StrCat("the last ", fileSize - at, " bytes belong to no tensor"));
}

} // namespace

std::vector<StoredTensor> parseSafetensors(std::span<const std::uint8_t> start,
                                           std::uint64_t fileSize,
                                           const std::string &fileName) {
  if (fileSize < lengthBytes || start.size() < lengthBytes)
    failAt(fileName, fileSize, "the file ends inside the length of its header");
  const std::uint64_t length = headerLength(start);
  if (length > longestHeader || length > fileSize - lengthBytes ||
      length > start.size() - lengthBytes)
    failAt(fileName, 0,
           absl::StrCat("a header of <|", length,
                        "|> bytes is more than the file holds or Kiln reads "
                        "([|100 MiB|])"));
  const std::string_view text(
      reinterpret_cast<const char *>(start.data()) + lengthBytes, length);
  std::vector<StoredTensor> tensors = HeaderReader(text, fileName).read();
  checkPlaces(tensors, lengthBytes + length, fileSize, fileName);
  return tensors;
}

} // namespace kiln::tool
