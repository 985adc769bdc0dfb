//===- ByteIO.h - Little-endian bytes in and out --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_BYTEIO_H
#define KILN_ISA_LIB_BYTEIO_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kiln::isa {

class ByteWriter {
public:
  explicit ByteWriter(std::vector<std::uint8_t> &out) : out(out) {}

  template <class Integer> void put(Integer value) {
    auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
    for (unsigned i = 0; i < sizeof(Integer); ++i)
      out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
  void putBytes(std::span<const std::uint8_t> bytes) {
    std::size_t old = out.size();
    out.resize(old + bytes.size());
    std::copy(bytes.begin(), bytes.end(), out.begin() + std::ptrdiff_t(old));
  }
  void putString(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
  }
  void padTo(std::size_t alignment) {
    while (out.size() % alignment != 0)
      out.push_back(0);
  }

private:
  std::vector<std::uint8_t> &out;
};

/// Reading past the end gives zeros and sets `failed`; callers may read a whole
/// record and ask once.
class ByteReader {
public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes(bytes) {}

  template <class Integer> Integer get() {
    using Bits = std::make_unsigned_t<Integer>;
    if (bytes.size() < sizeof(Integer)) {
      fail();
      return 0;
    }
    Bits value = 0;
    for (unsigned i = 0; i < sizeof(Integer); ++i)
      value = static_cast<Bits>(value | (Bits{bytes[i]} << (8 * i)));
    bytes = bytes.subspan(sizeof(Integer));
    return static_cast<Integer>(value);
  }
  std::span<const std::uint8_t> getBytes(std::uint64_t count) {
    if (bytes.size() < count) {
      fail();
      return {};
    }
    auto result = bytes.first(static_cast<std::size_t>(count));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    return result;
  }
  std::string getString() {
    auto text = getBytes(get<std::uint32_t>());
    return std::string(text.begin(), text.end());
  }
  /// A count of records of at least `recordBytes` each: more than fit into the
  /// rest is a failure, so that no memory is reserved for them.
  std::uint32_t getCount(std::size_t recordBytes) {
    std::uint32_t count = get<std::uint32_t>();
    if (count > bytes.size() / recordBytes) {
      fail();
      return 0;
    }
    return count;
  }

  bool failed() const { return hasFailed; }
  bool atEnd() const { return bytes.empty(); }
  std::size_t remaining() const { return bytes.size(); }
  void fail() {
    hasFailed = true;
    bytes = {};
  }

private:
  std::span<const std::uint8_t> bytes;
  bool hasFailed = false;
};

} // namespace kiln::isa

#endif // KILN_ISA_LIB_BYTEIO_H
