//===- ProtoWriter.h - Messages of protocol buffers ------------ -*- C++-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wire format of protocol buffers (protobuf.dev/programming-guides/
// encoding), as far as an execution trace needs it: varints, texts, messages
// in messages, and packed lists.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_PROTOWRITER_H
#define KILN_PROFILE_LIB_PROTOWRITER_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kiln::profile {

class ProtoWriter {
public:
  ProtoWriter &number(unsigned field, std::uint64_t value) {
    tag(field, varintType);
    varint(value);
    return *this;
  }
  ProtoWriter &text(unsigned field, std::string_view value) {
    tag(field, lengthType);
    varint(value.size());
    bytes += value;
    return *this;
  }
  ProtoWriter &message(unsigned field, const ProtoWriter &value) {
    return text(field, value.bytes);
  }
  /// A packed list; nothing if it is empty.
  ProtoWriter &list(unsigned field, std::span<const std::uint64_t> values) {
    if (values.empty())
      return *this;
    ProtoWriter packed;
    for (const std::uint64_t value : values)
      packed.varint(value);
    return message(field, packed);
  }
  /// Appends it as one of many in a file: its length, then its bytes.
  void appendTo(std::string &file) const {
    ProtoWriter length;
    length.varint(bytes.size());
    file += length.bytes;
    file += bytes;
  }

private:
  static constexpr unsigned varintType = 0, lengthType = 2;

  void tag(unsigned field, unsigned type) { varint(field << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7)
      bytes += static_cast<char>(value % 128 + 128);
    bytes += static_cast<char>(value);
  }

  std::string bytes;
};

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_PROTOWRITER_H
