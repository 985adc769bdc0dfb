//===- safetensors_test.cpp - .safetensors files --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/failure.h"
#include "kiln/tool/float_format.h"
#include "kiln/tool/random_data.h"
#include "kiln/tool/safetensors.h"

#include "catch.h"

#include <random>

using namespace kiln::tool;
using kiln::isa::DType;
using Bytes = std::vector<std::uint8_t>;
using Shape = std::vector<std::int64_t>;

namespace {

Bytes fileOf(const std::string &header, std::size_t dataBytes) {
  Bytes file(8 + header.size() + dataBytes);
  for (unsigned i = 0; i < 8; ++i)
    file[i] = static_cast<std::uint8_t>(std::uint64_t{header.size()} >> 8 * i);
  std::copy(header.begin(), header.end(), file.begin() + 8);
  return file;
}

/// The code and the byte of the error that reading gives; "accepted" without.
std::string said(const Bytes &file) {
  try {
    parseSafetensors(file, file.size(), "f.safetensors");
  } catch (const Failure &failure) {
    CHECK(failure.exitCode == userError);
    const std::string &text = failure.text;
    const std::string before = "'f.safetensors' is malformed at byte ";
    const std::size_t at = text.find(before);
    REQUIRE(at != std::string::npos);
    const std::size_t number = at + before.size();
    return failure.diagnostics.front().code + " " +
           text.substr(number, text.find(':', number) - number);
  }
  return "accepted";
}

/// The bytes of one tensor in `file`.
Bytes dataOf(const Bytes &file, const std::string &name, DType dtype,
             const Shape &shape) {
  for (const StoredTensor &stored :
       parseSafetensors(file, file.size(), "f.safetensors"))
    if (stored.name == name)
      return toTensorBytes(
          stored,
          {file.data() + stored.begin,
           static_cast<std::size_t>(stored.end - stored.begin)},
          "x", dtype, shape, "f.safetensors");
  return {};
}

} // namespace

TEST_CASE("every type that is written is read back, bit for bit") {
  // All bits of f8e4m3 but its infinities.
  Bytes small;
  for (unsigned bits = 0; bits < 256; ++bits)
    if ((bits & 0x7f) != 0x78)
      small.push_back(static_cast<std::uint8_t>(bits));
  std::vector<NamedTensor> tensors;
  for (const DType dtype :
       {DType::f32, DType::bf16, DType::f16, DType::f8e4m3fn, DType::f8e5m2,
        DType::f8e8m0, DType::i32, DType::u32, DType::i16, DType::u16,
        DType::i8, DType::u8, DType::f8e4m3fn_x4, DType::f8e5m2_x4,
        DType::f4e2m1fn_x4}) {
    Bytes bytes(6 * kiln::isa::sizeInBytes(dtype));
    std::mt19937 bits(7);
    for (std::uint8_t &byte : bytes)
      byte = static_cast<std::uint8_t>(bits());
    tensors.push_back(
        {"a." + std::string(kiln::isa::name(dtype)), dtype, {2, 3}, bytes});
  }
  tensors.push_back({"truth", DType::boolean, {2}, {1, 0}});
  tensors.push_back({"none", DType::f32, {0, 4}, {}});
  tensors.push_back({"one", DType::f32, {}, {1, 2, 3, 4}});
  const Bytes file = formatSafetensors(tensors, "f.safetensors");
  CHECK(file[8] == '{');
  for (const NamedTensor &tensor : tensors)
    CHECK(dataOf(file, tensor.name, tensor.dtype, tensor.shape) ==
          tensor.bytes);
  // In any order, and aligned.
  std::vector<NamedTensor> reversed(tensors.rbegin(), tensors.rend());
  CHECK(formatSafetensors(reversed, "f.safetensors") == file);
  for (const StoredTensor &stored :
       parseSafetensors(file, file.size(), "f.safetensors"))
    if (stored.name == "a.f32" || stored.name == "a.i32")
      CHECK(stored.begin % 4 == 0);

  const auto count = static_cast<std::int64_t>(small.size());
  const Bytes fp8 = formatSafetensors({{"x", DType::f8e4m3, {count}, small}},
                                      "f.safetensors");
  const Bytes back = dataOf(fp8, "x", DType::f8e4m3, {count});
  for (std::size_t i = 0; i < small.size(); ++i) {
    const double was = decodeFloat(small[i], DType::f8e4m3);
    const double is = decodeFloat(back[i], DType::f8e4m3);
    CHECK(((was == is) || (was != was && is != is)));
  }
}

TEST_CASE("tensors of other types are converted once") {
  // 1.5, 448 and a NaN of F8_E4M3.
  Bytes file = fileOf(
      R"({"x":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]}})", 3);
  file[file.size() - 3] = 0x3c;
  file[file.size() - 2] = 0x7e;
  file[file.size() - 1] = 0x7f;
  CHECK(dataOf(file, "x", DType::bf16, {3}).size() == 6);
  const std::vector<double> values =
      decodeValues(dataOf(file, "x", DType::f32, {3}), DType::f32);
  CHECK(values[0] == 1.5);
  CHECK(values[1] == 448);
  CHECK(values[2] != values[2]);

  const auto codeOf = [&](DType dtype, const Shape &shape) {
    try {
      dataOf(file, "x", dtype, shape);
    } catch (const Failure &failure) {
      CHECK(failure.text.find("f.safetensors:x") != std::string::npos);
      return failure.diagnostics.front().code;
    }
    return std::string("accepted");
  };
  CHECK(codeOf(DType::bf16, {4}) == "KILN-T014");
  CHECK(codeOf(DType::f8e4m3fn, {3, 1}) == "KILN-T014");
  CHECK(codeOf(DType::i32, {3}) == "KILN-T015");
  file = fileOf(R"({"x":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", 8);
  CHECK(codeOf(DType::f32, {1}) == "KILN-T013");
  file = fileOf(R"({"x":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", 8);
  CHECK(codeOf(DType::i32, {1}) == "accepted");
  file.back() = 1;
  CHECK(codeOf(DType::i32, {1}) == "KILN-T016");
}

TEST_CASE("what a file cannot hold is refused") {
  const auto codeOf = [](std::vector<NamedTensor> tensors) {
    try {
      formatSafetensors(std::move(tensors), "f.safetensors");
    } catch (const Failure &failure) {
      return failure.diagnostics.front().code;
    }
    return std::string("accepted");
  };
  CHECK(codeOf({{"x", DType::u8, {1}, {1}}, {"x", DType::i8, {1}, {1}}}) ==
        "KILN-T019");
  CHECK(codeOf({{"x", DType::f8e4m3, {2}, {0, 0x78}}}) == "KILN-T019");
  CHECK(codeOf({{"x", DType::f8e5m2, {2}, {0, 0x7c}}}) == "accepted");
}

TEST_CASE("malformed files say at which byte") {
  CHECK(said({}) == "KILN-T017 0");
  CHECK(said({2, 0, 0, 0, 0, 0, 0}) == "KILN-T017 7");
  CHECK(said(fileOf("{}", 0)) == "accepted");
  CHECK(said(fileOf("{}      ", 0)) == "accepted");
  CHECK(said({3, 0, 0, 0, 0, 0, 0, 0, '{', '}'}) == "KILN-T017 0");
  CHECK(said({1, 0, 0, 0, 0, 0, 0, 0x80, '{', '}'}) == "KILN-T017 0");
  CHECK(said(fileOf("", 0)) == "KILN-T017 8");
  CHECK(said(fileOf(" {}", 0)) == "KILN-T017 8");
  CHECK(said(fileOf("{}x", 0)) == "KILN-T017 10");
  CHECK(said(fileOf("{}", 1)) == "KILN-T017 10");
  CHECK(said(fileOf(std::string("{}\0\0", 4), 0)) == "KILN-T017 10");
  CHECK(said(fileOf(R"({"a":?)", 0)) == "KILN-T017 13");
  const std::string good =
      R"({"__metadata__":{"format":"pt"},)"
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"U8","shape":[],"data_offsets":[8,9]}})";
  CHECK(said(fileOf(good, 9)) == "accepted");
  CHECK(said(fileOf(good, 8)) != "accepted");
  CHECK(said(fileOf(good, 10)) != "accepted");
  const auto changed = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return said(fileOf(text.replace(at, from.size(), to), 9));
  };
  for (const auto &[from, to] :
       std::vector<std::pair<std::string, std::string>>{
           {R"("pt")", "1"},
           {R"("pt")", "{}"},
           {R"({"format":"pt"})", "[]"},
           {R"("F32")", "4"},
           {R"("F32")", R"("F16")"},
           {R"("dtype":"F32",)", ""},
           {R"("dtype":"F32")", R"("dtype":["F32"])"},
           {R"("shape":[2])", R"("shape":2)"},
           {R"("shape":[2])", R"("shape":[[2]])"},
           {R"("shape":[2])", R"("shape":[-2])"},
           {R"("shape":[2])", R"("shape":[2.0])"},
           {R"("shape":[2])", R"("shape":["2"])"},
           {R"("shape":[2])", R"("shape":[null])"},
           {R"("shape":[2])", R"("shape":[true])"},
           {R"("shape":[2])", R"("shape":[{}])"},
           {R"("shape":[2])", R"("shape":[3])"},
           {R"("shape":[2])", R"("shape":[9223372036854775808])"},
           {R"("shape":[2])", R"("shape":[4294967296,4294967296])"},
           {R"("shape":[2])", R"("shapes":[2])"},
           {R"("shape":[2])", R"("shape":[2],"shape":[2])"},
           {"[0,8]", "[0]"},
           {"[0,8]", "[0,8,9]"},
           {"[0,8]", "[8,0]"},
           {"[0,8]", "[1,9]"},
           {"[8,9]", "[7,8]"},
           {"[8,9]", "[9,10]"},
           {R"("b")", R"("a")"},
           {R"("b":{)", R"("b":3,"c":{)"}})
    CHECK(changed(from, to).substr(0, 10) == "KILN-T017 ");
}

TEST_CASE("damaged files are accepted or refused, never more") {
  std::vector<NamedTensor> tensors{
      {"layers.0.weight", DType::bf16, {2, 3}, Bytes(12)},
      {"layers.0.scale", DType::f32, {2}, Bytes(8)}};
  const Bytes good = formatSafetensors(tensors, "f.safetensors");
  REQUIRE(said(good) == "accepted");
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(said({good.begin(), good.begin() + static_cast<long>(size)}) !=
          "accepted");
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Bytes damaged = good;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      const std::size_t at = random() % (good.size() - 20);
      static constexpr char letters[] = "{}[]\",:0123456789-.eE\\u \x80";
      damaged[at] = round % 2 ? static_cast<std::uint8_t>(random())
                              : static_cast<std::uint8_t>(
                                    letters[random() % (sizeof letters - 1)]);
    }
    if (said(damaged) != "accepted")
      continue;
    for (const StoredTensor &stored :
         parseSafetensors(damaged, damaged.size(), "f.safetensors"))
      CHECK((stored.begin <= stored.end && stored.end <= damaged.size()));
  }
}

TEST_CASE("places name a file and perhaps a tensor") {
  CHECK(!parsePlace("x.npy").isSafetensors);
  CHECK(!parsePlace("x.safetensors.npy").isSafetensors);
  CHECK(parsePlace("x.safetensors").name.empty());
  const TensorPlace place = parsePlace("a:b/m.safetensors:layers.0:q");
  CHECK(place.isSafetensors);
  CHECK(place.file == "a:b/m.safetensors");
  CHECK(place.name == "layers.0:q");
}
