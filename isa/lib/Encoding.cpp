//===- Encoding.cpp - Instructions as bytes -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/encoding.h"

#include "ByteIO.h"

#include <bit>
#include <fmt/format.h>

namespace kiln::isa {
namespace {

/// Writes one field after the other; the reader below mirrors it.
class FieldWriter {
public:
  explicit FieldWriter(std::vector<std::uint8_t> &out) : writer(out) {}

  template <class Field> void operator()(std::string_view, const Field &field) {
    write(field);
  }

private:
  template <class E> std::enable_if_t<std::is_enum_v<E>> write(const E &field) {
    writer.put(static_cast<std::uint8_t>(field));
  }
  void write(bool field) { writer.put(static_cast<std::uint8_t>(field)); }
  void write(std::int32_t field) { writer.put(field); }
  void write(float field) { writer.put(std::bit_cast<std::uint32_t>(field)); }
  void write(Register field) { writer.put(field.index); }
  void write(const RegisterOrInt &field) {
    writer.put(static_cast<std::uint8_t>(field.value.index()));
    if (const Register *reg = std::get_if<Register>(&field.value))
      writer.put(std::int32_t{reg->index});
    else
      writer.put(std::get<std::int32_t>(field.value));
  }
  void write(const Access &field) {
    writer.put(static_cast<std::uint8_t>(field.space));
    writer.put(static_cast<std::uint8_t>(field.dtype));
    writer.put(field.rank);
    writer.put(field.numTerms);
    writer.put(field.partition);
    writer.put(field.partitions);
    writer.put(field.tensor);
    writer.put(field.offset);
    for (unsigned i = 0; i < field.rank && i < Access::maxDims; ++i)
      write(field.dims[i]);
    for (unsigned i = 0; i < field.numTerms && i < Access::maxTerms; ++i) {
      writer.put(field.terms[i].reg.index);
      writer.put(field.terms[i].scale);
    }
  }
  void write(const Dim &dim) {
    writer.put(dim.stride);
    writer.put(dim.size);
  }
  void write(const ScalarOrTile &field) {
    writer.put(static_cast<std::uint8_t>(field.index()));
    std::visit([&](const auto &value) { write(value); }, field);
  }
  template <Composite T> void write(const T &field) {
    T::forEachPart(field, [&](const auto &part) { write(part); });
  }
  void write(const LaneMask &field) { writer.putBytes(field); }
  template <class T> void write(const std::vector<T> &field) {
    writer.put(static_cast<std::uint8_t>(field.size()));
    for (const T &entry : field)
      write(entry);
  }
  void write(const IndexPattern &field) {
    writer.put(field.rank);
    for (unsigned i = 0; i < field.rank && i < field.dims.size(); ++i)
      write(field.dims[i]);
  }
  template <AnyOptional T> void write(const T &field) {
    writer.put(static_cast<std::uint8_t>(field.has_value()));
    if (field)
      write(*field);
  }

  ByteWriter writer;
};

class FieldReader {
public:
  explicit FieldReader(ByteReader &reader) : reader(reader) {}

  template <class Field> void operator()(std::string_view name, Field &field) {
    bool wasGood = !reader.failed();
    read(field);
    if (wasGood && reader.failed())
      culprit = name;
  }

  std::string_view culprit; ///< The operand that could not be read.

private:
  /// A tag below `limit`; anything else fails.
  std::uint8_t tag(std::uint8_t limit) {
    std::uint8_t value = reader.get<std::uint8_t>();
    if (value >= limit) {
      reader.fail();
      return 0;
    }
    return value;
  }
  template <class E> std::enable_if_t<std::is_enum_v<E>> read(E &field) {
    if (auto value = fromValue<E>(reader.get<std::uint8_t>()))
      field = *value;
    else
      reader.fail();
  }
  void read(bool &field) { field = tag(2) != 0; }
  void read(std::int32_t &field) { field = reader.get<std::int32_t>(); }
  void read(float &field) {
    field = std::bit_cast<float>(reader.get<std::uint32_t>());
  }
  void read(Register &field) { field.index = tag(registersPerEngine); }
  void read(RegisterOrInt &field) {
    bool isRegister = tag(2) != 0;
    std::int32_t value = reader.get<std::int32_t>();
    if (!isRegister)
      field.value = value;
    else if (value >= 0 && value < static_cast<int>(registersPerEngine))
      field.value = Register{static_cast<std::uint8_t>(value)};
    else
      reader.fail();
  }
  void read(Access &field) {
    field.space = static_cast<Space>(tag(3));
    field.dtype = static_cast<DType>(reader.get<std::uint8_t>());
    if (info(field.dtype).dtype != field.dtype)
      reader.fail();
    field.rank = tag(Access::maxDims + 1);
    field.numTerms = tag(Access::maxTerms + 1);
    field.partition = reader.get<std::uint8_t>();
    field.partitions = reader.get<std::uint8_t>();
    field.tensor = reader.get<std::uint16_t>();
    field.offset = reader.get<std::int64_t>();
    for (unsigned i = 0; i < field.rank; ++i)
      read(field.dims[i]);
    for (unsigned i = 0; i < field.numTerms; ++i) {
      read(field.terms[i].reg);
      field.terms[i].scale = reader.get<std::int32_t>();
    }
  }
  void read(Dim &dim) {
    dim.stride = reader.get<std::int32_t>();
    dim.size = reader.get<std::uint32_t>();
  }
  void read(ScalarOrTile &field) {
    switch (tag(3)) {
    case 0:
      return read(field.emplace<float>());
    case 1:
      return read(field.emplace<Access>());
    default:
      return read(field.emplace<std::int32_t>());
    }
  }
  template <Composite T> void read(T &field) {
    T::forEachPart(field, [&](auto &part) { read(part); });
  }
  void read(LaneMask &field) {
    for (std::uint8_t &lane : field)
      lane = reader.get<std::uint8_t>();
  }
  template <class T> void read(std::vector<T> &field) {
    field.resize(tag(maxEntries<T> + 1));
    for (T &entry : field)
      read(entry);
  }
  void read(IndexPattern &field) {
    field.rank = tag(static_cast<std::uint8_t>(field.dims.size() + 1));
    for (unsigned i = 0; i < field.rank; ++i)
      read(field.dims[i]);
  }
  template <AnyOptional T> void read(T &field) {
    if (tag(2) != 0)
      read(field.emplace());
    else
      field.reset();
  }

  ByteReader &reader;
};

/// Bytes of the fixed part, see docs/encoding.md.
constexpr std::size_t headerBytes = 16;

Diagnostic malformed(std::string text) {
  return {"KILN-I054", std::move(text), {}, 0, 0, {}};
}

} // namespace

void encode(const Instruction &instruction, std::vector<std::uint8_t> &out) {
  std::size_t begin = out.size();
  ByteWriter writer(out);
  writer.put(static_cast<std::uint16_t>(opcode(instruction.body)));
  writer.put(std::uint16_t{0}); // Length in words, patched below.
  writer.put(instruction.location);
  writer.put(instruction.position);
  writer.put(static_cast<std::uint8_t>(instruction.waits.size()));
  writer.put(static_cast<std::uint8_t>(instruction.signals.size()));
  writer.put(std::uint16_t{0});
  for (const Wait &wait : instruction.waits) {
    writer.put(wait.semaphore);
    writer.put(wait.value);
  }
  for (const Signal &signal : instruction.signals) {
    writer.put(signal.semaphore);
    writer.put(signal.value);
  }
  std::visit([&](const auto &body) { forEachOperand(body, FieldWriter(out)); },
             instruction.body);
  while ((out.size() - begin) % 4 != 0)
    out.push_back(0);
  std::size_t words = (out.size() - begin) / 4;
  out[begin + 2] = static_cast<std::uint8_t>(words);
  out[begin + 3] = static_cast<std::uint8_t>(words >> 8);
}

Expected<Instruction> decode(std::span<const std::uint8_t> &bytes) {
  ByteReader header(bytes);
  unsigned number = header.get<std::uint16_t>();
  std::size_t length = std::size_t{header.get<std::uint16_t>()} * 4;
  if (header.failed() || length < headerBytes || length > bytes.size())
    return malformed(fmt::format(
        "an instruction of {} bytes does not fit: it needs at least {}, and {} "
        "bytes are left",
        length, headerBytes, bytes.size()));
  std::optional<Opcode> known = opcodeFromValue(number);
  if (!known)
    return malformed(fmt::format("no instruction has opcode {}", number));

  ByteReader reader(bytes.first(length));
  reader.getBytes(4);
  Instruction instruction;
  instruction.body = makeBody(*known);
  instruction.location = reader.get<std::uint32_t>();
  instruction.position = reader.get<std::uint32_t>();
  unsigned waits = reader.get<std::uint8_t>();
  unsigned signals = reader.get<std::uint8_t>();
  if (reader.get<std::uint16_t>() != 0)
    return malformed(
        fmt::format("{}: the reserved bytes are not zero", mnemonic(*known)));
  for (unsigned i = 0; i < waits && !reader.failed(); ++i) {
    Wait &wait = instruction.waits.emplace_back();
    wait.semaphore = reader.get<std::uint16_t>();
    wait.value = reader.get<std::uint16_t>();
  }
  for (unsigned i = 0; i < signals && !reader.failed(); ++i) {
    Signal &signal = instruction.signals.emplace_back();
    signal.semaphore = reader.get<std::uint16_t>();
    signal.value = reader.get<std::uint16_t>();
  }
  FieldReader fields(reader);
  std::visit([&](auto &body) { forEachOperand(body, fields); },
             instruction.body);
  if (reader.failed())
    return malformed(fields.culprit.empty()
                         ? fmt::format("{}: the waits and signals are cut off",
                                       mnemonic(*known))
                         : fmt::format("{}: operand {} is cut off or holds a "
                                       "value that does not exist",
                                       mnemonic(*known), fields.culprit));
  bool onlyPadding = reader.remaining() < 4;
  for (std::uint8_t byte : reader.getBytes(reader.remaining()))
    onlyPadding = onlyPadding && byte == 0;
  if (!onlyPadding)
    return malformed(fmt::format("{}: there are bytes after the last operand",
                                 mnemonic(*known)));
  bytes = bytes.subspan(length);
  return instruction;
}

} // namespace kiln::isa
