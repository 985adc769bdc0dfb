//===- old_binaries_test.cpp - Files of earlier builds still run
//--------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/unit/isa/inputs holds binaries of this format version as they were
// written once, the text that they print as, and hashes of what they compute.
// Files of another version are for the version that they name: whoever raises
// kbinVersion replaces them. KILN_WRITE_INPUTS=1 writes text and hashes anew.
//
//===----------------------------------------------------------------------===//

#include "function/Bench.h"

#include "catch.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace bench;

namespace {

std::string contentsOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Small numbers that every type holds.
sim::TensorData inputOf(const isa::Tensor &tensor) {
  sim::TensorData result{tensor.name, {}};
  std::mt19937 random(tensor.name.size());
  for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
    const int whole = static_cast<int>(random() % 9);
    const float number = 0.25f * static_cast<float>(whole) - 1.0f;
    std::uint32_t bits = 0;
    if (tensor.dtype == DType::f32)
      bits = std::bit_cast<std::uint32_t>(number);
    else if (tensor.dtype == DType::bf16)
      bits = slowBf16(number);
    else if (isa::isFloat(tensor.dtype))
      FAIL("no numbers for " << isa::name(tensor.dtype));
    else
      bits = static_cast<std::uint32_t>(whole) + 1;
    for (unsigned b = 0; b < isa::sizeInBytes(tensor.dtype); ++b)
      result.bytes.push_back(static_cast<std::uint8_t>(bits >> 8 * b));
  }
  return result;
}

/// "name 0123456789abcdef" for each output: FNV-1a over its bytes.
std::string hashesOf(const isa::Module &module) {
  std::vector<sim::TensorData> inputs;
  for (const isa::Tensor &tensor : module.tensors)
    if (tensor.kind == isa::TensorKind::input ||
        tensor.kind == isa::TensorKind::inout)
      inputs.push_back(inputOf(tensor));
  const sim::Result result =
      sim::run(module, isa::target(module.generation), inputs, {});
  if (result.fault)
    FAIL(result.fault->code << " " << result.fault->text);
  std::string text;
  for (const sim::TensorData &output : result.outputs) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint8_t byte : output.bytes)
      hash = (hash ^ byte) * 0x100000001b3;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(hash));
    text += output.name + " " + digits + "\n";
  }
  return text;
}

} // namespace

TEST_CASE("stored binaries load, print and run as they did") {
  const bool writes = std::getenv("KILN_WRITE_INPUTS") != nullptr;
  unsigned files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(KILN_INPUTS)) {
    std::filesystem::path path = entry.path();
    if (path.extension() != ".kbin")
      continue;
    ++files;
    INFO(path.filename().string());
    const std::string bytes = contentsOf(path);
    const isa::Expected<isa::Module> module = isa::readKbin(
        {reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
    if (!module)
      FAIL(module.error().str());
    CHECK_FALSE(isa::checkModule(*module));
    // What is written now is what was written then.
    const std::vector<std::uint8_t> again = isa::writeKbin(*module);
    CHECK(bytes == std::string(again.begin(), again.end()));
    const std::string text = isa::printAssembly(*module);
    // Every instruction once, to be read, not to be run.
    const bool runs = path.stem() != "every_instruction";
    const std::string hashes = runs ? hashesOf(*module) : "";
    const auto stored = [&](const char *extension) {
      return path.replace_extension(extension);
    };
    if (writes) {
      std::ofstream(stored(".kasm"), std::ios::binary) << text;
      if (runs)
        std::ofstream(stored(".hashes"), std::ios::binary) << hashes;
      continue;
    }
    CHECK(text == contentsOf(stored(".kasm")));
    if (runs)
      CHECK(hashes == contentsOf(stored(".hashes")));
  }
  CHECK(files >= 4);
}
