//===- NpyHeader.cpp - The header of a .npy file --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The header is a Python dictionary literal. Only what numpy.save writes is
// read: three known keys with a string, a boolean and a tuple of integers.
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"

#include "kiln/tool/failure.h"

#include <algorithm>

namespace kiln::tool {
namespace {

constexpr std::size_t maxHeader = 1 << 20;
constexpr std::size_t maxRank = 32; // NumPy's own limit.

/// Reads the dictionary from left to right.
class DictParser {
public:
  /// `text` begins at byte `begin` of the file.
  DictParser(std::string_view text, std::size_t begin,
             const std::string &fileName)
      : text(text), begin(begin), fileName(fileName) {}

  void parse(NpyHeader &header) {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      const std::size_t keyAt = token;
      expect(':');
      bool *seen = key == "descr"           ? &descr
                   : key == "fortran_order" ? &order
                   : key == "shape"         ? &shape
                                            : nullptr;
      if (!seen)
        failAt(keyAt, "unknown key '" + printable(key) + "'");
      if (*seen)
        failAt(keyAt, "key '" + key + "' twice");
      *seen = true;
      if (seen == &descr)
        element(header);
      else if (seen == &order)
        header.fortranOrder = boolean();
      else
        header.shape = tuple();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at != text.size())
      fail("text after the dictionary");
    if (!descr || !order || !shape)
      fail(std::string("no key '") +
           (!descr   ? "descr"
            : !order ? "fortran_order"
                     : "shape") +
           "'");
  }

  /// At the token that was read last.
  [[noreturn]] void fail(const std::string &what) const { failAt(token, what); }

private:
  [[noreturn]] void failAt(std::size_t place, const std::string &what) const {
    throw Failure("KILN-T011", "'" + fileName +
                                   "' has a malformed .npy header: " + what +
                                   " at byte " + byte(place));
  }
  /// Of the file.
  std::string byte(std::size_t place) const {
    return std::to_string(begin + place);
  }
  static std::string printable(std::string_view raw) {
    std::string out;
    for (char c : raw.substr(0, 40))
      out += (c >= 0x20 && c < 0x7f) ? c : '?';
    return out;
  }
  void skipSpace() {
    while (at < text.size() &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
    token = at;
  }
  bool accept(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("expected '") + c + "'");
  }
  std::string string() {
    skipSpace();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      fail("expected a quoted string");
    char quote = text[at++];
    std::size_t end = text.find(quote, at);
    if (end == std::string_view::npos)
      fail("a string that does not end");
    std::string value(text.substr(at, end - at));
    at = end + 1;
    return value;
  }
  bool boolean() {
    skipSpace();
    for (std::string_view word : {"True", "False"})
      if (text.substr(at, word.size()) == word) {
        at += word.size();
        return word == "True";
      }
    fail("fortran_order is neither True nor False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(extent());
      if (extents.size() > maxRank)
        fail("more than " + std::to_string(maxRank) + " dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }
  std::int64_t extent() {
    skipSpace();
    std::int64_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text[at] - '0', &value))
        fail("an extent that is too large");
      ++at;
    }
    if (at == token)
      fail("expected an extent");
    return value;
  }
  /// A type string such as '<f4'.
  void element(NpyHeader &header) {
    skipSpace();
    if (at < text.size() && text[at] == '[')
      throw Failure("KILN-T013", "'" + fileName + "' holds records (byte " +
                                     byte(at) +
                                     "); Kiln reads arrays of one float, "
                                     "integer or bool type");
    std::string descr = string();
    static constexpr std::string_view known[] = {
        "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    std::string_view type = descr;
    char order = '=';
    if (!type.empty() &&
        std::string_view("<>|=").find(type[0]) != std::string_view::npos) {
      order = type[0];
      type.remove_prefix(1);
    }
    if (std::find(std::begin(known), std::end(known), type) == std::end(known))
      throw Failure(
          "KILN-T013",
          "'" + fileName + "' has element type '<|" + printable(descr) +
              "|>' at byte " + byte(token) +
              "; Kiln reads [|f2, f4, f8, i1 to i8, u1 to u8 and b1|] "
              "(save bfloat16 as float32)");
    header.type = {type[0], static_cast<unsigned>(type[1] - '0')};
    if (order == '|' && header.type.bytes != 1)
      fail("type '" + descr + "' has no byte order");
    header.bigEndian = order == '>';
  }

  std::string_view text;
  std::size_t begin;
  const std::string &fileName;
  std::size_t at = 0;
  std::size_t token = 0; ///< Where the last token begins.
};

} // namespace

NpyHeader parseNpyHeader(std::span<const std::uint8_t> file,
                         const std::string &fileName) {
  static constexpr std::uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  if (file.size() < 8 ||
      !std::equal(std::begin(magic), std::end(magic), file.begin()))
    throw Failure("KILN-T010", "'" + fileName +
                                   "' is not a .npy file: it does not begin "
                                   "with the bytes 93 4e 55 4d 50 59 and a "
                                   "version");
  const unsigned major = file[6], minor = file[7];
  if (major < 1 || major > 3 || minor != 0)
    throw Failure("KILN-T010",
                  "'" + fileName + "' is a .npy file of version <|" +
                      std::to_string(major) + "." + std::to_string(minor) +
                      "|> (bytes 6 and 7); Kiln reads [|1.0, 2.0 and 3.0|]");
  const std::size_t lengthBytes = major == 1 ? 2 : 4;
  std::size_t length = 0;
  NpyHeader header;
  header.dataOffset = 8 + lengthBytes;
  if (file.size() < header.dataOffset)
    throw Failure("KILN-T011", "'" + fileName +
                                   "' ends inside its .npy header, at byte " +
                                   std::to_string(file.size()));
  for (std::size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<std::size_t>(file[8 + i]) << (8 * i);
  if (length > maxHeader || length > file.size() - header.dataOffset)
    throw Failure("KILN-T011", "'" + fileName + "' has a .npy header of <|" +
                                   std::to_string(length) +
                                   "|> bytes (its length is at byte 8), more "
                                   "than the file holds or Kiln reads ([|1 "
                                   "MiB|])");
  std::string_view text(
      reinterpret_cast<const char *>(file.data()) + header.dataOffset, length);
  DictParser parser(text, header.dataOffset, fileName);
  header.dataOffset += length;
  parser.parse(header);
  std::int64_t bytes = header.type.bytes;
  bool empty = std::find(header.shape.begin(), header.shape.end(), 0) !=
               header.shape.end();
  for (std::int64_t extent : header.shape)
    if (!empty && __builtin_mul_overflow(bytes, extent, &bytes))
      parser.fail("a shape whose size in bytes is more than 63 bits");
  return header;
}

} // namespace kiln::tool
