//===- npy_test.cpp - NumPy's .npy files --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/failure.h"
#include "kiln/tool/float_format.h"
#include "kiln/tool/npy.h"
#include "kiln/tool/random_data.h"

#include "catch.h"

#include <cstring>

using namespace kiln::tool;
using kiln::isa::DType;

namespace {

std::vector<std::uint8_t> fileOf(const std::string &header,
                                 std::vector<std::uint8_t> data,
                                 int major = 1) {
  std::vector<std::uint8_t> file{0x93, 'N', 'U', 'M', 'P', 'Y'};
  file.push_back(static_cast<std::uint8_t>(major));
  file.push_back(0);
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file.push_back(static_cast<std::uint8_t>(header.size() >> (8 * i)));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::string header(const std::string &descr, const std::string &shape,
                   bool fortran = false) {
  return "{'descr': '" + descr +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

/// The code of the error that reading `file` gives.
std::string codeOf(const std::vector<std::uint8_t> &file) {
  try {
    parseNpy(file, "f.npy");
  } catch (const Failure &failure) {
    CHECK(failure.exitCode == userError);
    CHECK(failure.text.find("f.npy") != std::string::npos);
    return failure.diagnostics.front().code;
  }
  return "accepted";
}

std::vector<std::uint8_t> doubleBytes(std::vector<double> values) {
  std::vector<std::uint8_t> bytes(values.size() * 8);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

} // namespace

TEST_CASE("what is written is read back") {
  for (std::vector<std::int64_t> shape :
       {std::vector<std::int64_t>{}, {5}, {2, 3}, {0, 4}, {2, 1, 3, 2}}) {
    NpyArray array{{'f', 4}, shape, {}};
    array.bytes = randomTensor(1, "a", DType::f32, array.elements());
    std::vector<std::uint8_t> file = formatNpy(array);
    CHECK((file.size() - array.bytes.size()) % 64 == 0);
    NpyArray back = parseNpy(file, "f.npy");
    CHECK(back.type == array.type);
    CHECK(back.shape == array.shape);
    CHECK(back.bytes == array.bytes);
  }
}

TEST_CASE("versions, byte order and Fortran order") {
  for (int major : {1, 2, 3})
    CHECK(parseNpy(fileOf(header("|u1", "(3,)"), {1, 2, 3}, major), "f.npy")
              .bytes == std::vector<std::uint8_t>{1, 2, 3});
  CHECK(parseNpy(fileOf(header(">i2", "(2,)"), {1, 2, 3, 4}), "f.npy").bytes ==
        std::vector<std::uint8_t>{2, 1, 4, 3});
  // Columns of [[0, 1, 2], [3, 4, 5]] one after the other.
  CHECK(parseNpy(fileOf(header("|u1", "(2, 3)", true), {0, 3, 1, 4, 2, 5}),
                 "f.npy")
            .bytes == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5});
  CHECK(
      parseNpy(fileOf(header("|u1", "(2, 1, 2)", true), {0, 2, 1, 3}), "f.npy")
          .bytes == std::vector<std::uint8_t>{0, 1, 2, 3});
}

TEST_CASE("malformed files are refused") {
  CHECK(codeOf({}) == "KILN-T010");
  CHECK(codeOf({'P', 'K', 3, 4, 0, 0, 0, 0, 0}) == "KILN-T010");
  CHECK(codeOf(fileOf(header("<f4", "(1,)"), {0, 0, 0, 0}, 9)) == "KILN-T010");
  CHECK(codeOf({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 255, 255}) == "KILN-T011");
  for (const char *bad :
       {"", "{", "{}", "[1]", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}",
        "{'descr': '<f4",
        "{'descr': '|f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(4611686018427387904, 4611686018427387904)}"})
    CHECK(codeOf(fileOf(bad, {0, 0, 0, 0})) == "KILN-T011");
  CHECK(codeOf(fileOf(header("<c8", "(1,)"), {})) == "KILN-T013");
  CHECK(codeOf(fileOf("{'descr': [('a', '<f4')], 'fortran_order': False, "
                      "'shape': (1,)}",
                      {})) == "KILN-T013");
  CHECK(codeOf(fileOf(header("<f4", "(2,)"), {0, 0, 0, 0})) == "KILN-T012");
  CHECK(codeOf(fileOf(header("<f4", "()"), {0, 0, 0, 0, 0})) == "KILN-T012");
}

TEST_CASE("malformed .npy headers say at which byte") {
  const auto said = [](const std::string &dictionary) {
    try {
      parseNpy(fileOf(dictionary, {0, 0, 0, 0}), "f.npy");
    } catch (const Failure &failure) {
      const std::string text = failure.text.substr(failure.text.find("byte"));
      return text.substr(0, text.find(" [KILN"));
    }
    return std::string("accepted");
  };
  // The dictionary begins at byte 10.
  CHECK(said("[1]") == "byte 10");
  CHECK(said("{'x': 1}") == "byte 11");
  CHECK(said("{'descr': 4}") == "byte 20");
  CHECK(said("{'descr': '<f4', 'fortran_order': Maybe}") == "byte 44");
  CHECK(said("{'shape': (-1,)}") == "byte 21");
  CHECK(said("{'shape': (2, 99999999999999999999)}") == "byte 24");
  CHECK(said("{'shape': (1,)} x") == "byte 26");
  CHECK(said("{'descr': '<c8', ").starts_with("byte 20;"));
  CHECK(said("{'descr': [").starts_with("byte 20)"));
}

TEST_CASE("every truncation and every flipped byte is survived") {
  NpyArray array{{'f', 4}, {2, 3}, randomTensor(1, "a", DType::f32, 6)};
  const std::vector<std::uint8_t> file = formatNpy(array);
  for (std::size_t size = 0; size < file.size(); ++size)
    CHECK(codeOf({file.begin(), file.begin() + size}) != "accepted");
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::uint8_t> mutated = file;
      mutated[at] ^= static_cast<std::uint8_t>(1 << bit);
      codeOf(mutated); // Accepted or refused, never more than that.
    }
}

TEST_CASE("tensors take files of their kind and shape") {
  NpyArray doubles{{'f', 8}, {2}, doubleBytes({1.00390625000001, -2.0})};
  CHECK(toTensorBytes(doubles, "x", DType::bf16, {2}, "f.npy") ==
        std::vector<std::uint8_t>{0x81, 0x3f, 0x00, 0xc0});
  auto codeOfConversion = [](const NpyArray &array, DType dtype,
                             std::vector<std::int64_t> shape) {
    try {
      toTensorBytes(array, "x", dtype, shape, "f.npy");
    } catch (const Failure &failure) {
      return failure.diagnostics.front().code;
    }
    return std::string("accepted");
  };
  CHECK(codeOfConversion(doubles, DType::f32, {1, 2}) == "KILN-T014");
  CHECK(codeOfConversion(doubles, DType::i32, {2}) == "KILN-T015");
  NpyArray wide{{'i', 8}, {1}, {0, 0, 0, 0, 1, 0, 0, 0}};
  CHECK(codeOfConversion(wide, DType::f32, {1}) == "KILN-T015");
  CHECK(codeOfConversion(wide, DType::i32, {1}) == "KILN-T016");
  NpyArray negative{{'i', 2}, {1}, {0xff, 0xff}};
  CHECK(codeOfConversion(negative, DType::u8, {1}) == "KILN-T016");
  CHECK(toTensorBytes(negative, "x", DType::i32, {1}, "f.npy") ==
        std::vector<std::uint8_t>(4, 0xff));
  NpyArray huge{{'u', 8}, {1}, std::vector<std::uint8_t>(8, 0xff)};
  CHECK(codeOfConversion(huge, DType::i32, {1}) == "KILN-T016");
}

TEST_CASE("bf16 results become float32, exactly") {
  const std::uint8_t bytes[] = {0x81, 0x3f, 0x80, 0xff};
  NpyArray array = fromTensorBytes(bytes, DType::bf16, {2});
  CHECK(array.type == NpyType{'f', 4});
  float values[2];
  std::memcpy(values, array.bytes.data(), sizeof values);
  CHECK(values[0] == 1.0078125f);
  CHECK(values[1] == -std::numeric_limits<float>::infinity());
  CHECK(fromTensorBytes(bytes, DType::u8, {4}).type == NpyType{'u', 1});
  CHECK(fromTensorBytes(bytes, DType::f16, {2}).type == NpyType{'f', 2});
}

TEST_CASE(
    "narrow floats are files of float32, packed ones four times as wide") {
  const NpyArray values{{'f', 8}, {1, 4}, doubleBytes({0.5, -6, 3, 100})};
  CHECK(toTensorBytes(values, "x", DType::f8e4m3, {1, 4}, "f.npy") ==
        std::vector<std::uint8_t>{0x30, 0xcc, 0x44, 0x6c});
  const auto packed =
      toTensorBytes(values, "x", DType::f4e2m1fn_x4, {1, 1}, "f.npy");
  CHECK(packed == std::vector<std::uint8_t>{0xf1, 0x75});
  const NpyArray back = fromTensorBytes(packed, DType::f4e2m1fn_x4, {1, 1});
  CHECK(back.type == NpyType{'f', 4});
  CHECK(back.shape == std::vector<std::int64_t>{1, 4});
  float found[4];
  std::memcpy(found, back.bytes.data(), sizeof found);
  CHECK(found[1] == -6.0f);
  CHECK(found[3] == 6.0f); // The largest there is.
  // The bits themselves, as unsigned integers of the element's size.
  const NpyArray bits{{'u', 2}, {1, 1}, packed};
  CHECK(toTensorBytes(bits, "x", DType::f4e2m1fn_x4, {1, 1}, "f.npy") ==
        packed);
}

TEST_CASE("integers and truth values of every width") {
  const auto accepts = [](std::int16_t value, DType dtype) {
    NpyArray array{{'i', 2}, {1}, std::vector<std::uint8_t>(2)};
    std::memcpy(array.bytes.data(), &value, 2);
    try {
      toTensorBytes(array, "x", dtype, {1}, "f.npy");
    } catch (const Failure &) {
      return false;
    }
    return true;
  };
  CHECK((accepts(127, DType::i8) && !accepts(128, DType::i8)));
  CHECK((accepts(-128, DType::i8) && !accepts(-129, DType::i8)));
  CHECK((accepts(1, DType::boolean) && !accepts(2, DType::boolean)));
  CHECK((accepts(0, DType::u32) && !accepts(-1, DType::u32)));
  CHECK((accepts(-32768, DType::i16) && !accepts(-1, DType::u16)));
  const std::uint8_t truth[] = {1, 0};
  CHECK(fromTensorBytes(truth, DType::boolean, {2}).type == NpyType{'b', 1});
  CHECK(fromTensorBytes(truth, DType::i8, {2}).type == NpyType{'i', 1});
  CHECK(fromTensorBytes(truth, DType::u16, {1}).type == NpyType{'u', 2});
}
