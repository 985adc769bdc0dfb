//===- ContainerTest.cpp - .kbin and back ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "catch.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kiln::isa;
using namespace kiln::isa::test;

TEST_CASE("a module is equal after writing and reading") {
  Module module = exampleModule();
  std::vector<std::uint8_t> file = writeKbin(module);
  Expected<Module> read = readKbin(file);
  INFO((read ? "" : read.error().str()));
  REQUIRE(read);
  CHECK(*read == module);
  CHECK(writeKbin(*read) == file);

  Module nothing;
  CHECK(*readKbin(writeKbin(nothing)) == nothing);
}

TEST_CASE("a module that the machine cannot run is refused on reading") {
  Module module = exampleModule();
  module.streams[0].push_back(line("end_loop", module));
  Expected<Module> read = readKbin(writeKbin(module));
  REQUIRE_FALSE(read);
  CHECK(read.error().code == "KILN-I033");
}

TEST_CASE("refusals name what is wrong with the file") {
  std::vector<std::uint8_t> file = writeKbin(exampleModule());
  auto codeOf = [](const std::vector<std::uint8_t> &bytes) {
    Expected<Module> read = readKbin(bytes);
    return read ? std::string() : read.error().code;
  };
  CHECK(codeOf({}) == "KILN-I050");
  CHECK(codeOf(std::vector<std::uint8_t>(5000, 0x7f)) == "KILN-I050");

  std::vector<std::uint8_t> cut(file.begin(), file.end() - 1);
  CHECK(codeOf(cut) == "KILN-I050");
  CHECK(readKbin(cut).error().text.find("cut off") != std::string::npos);

  // The note is the first section, behind the 64 bytes of the ELF header.
  std::vector<std::uint8_t> newer = file;
  newer[64 + 20] = 99;
  CHECK(codeOf(newer) == "KILN-I051");
  CHECK(readKbin(newer).error().text.find("version 99") != std::string::npos);

  std::vector<std::uint8_t> damaged = file;
  damaged[file.size() / 2] ^= 1;
  CHECK(codeOf(damaged) == "KILN-I052");
}

TEST_CASE("every truncated file is refused") {
  std::vector<std::uint8_t> file = writeKbin(exampleModule());
  for (std::size_t length = 0; length < file.size(); ++length)
    REQUIRE_FALSE(readKbin(std::span(file).first(length)));
}

TEST_CASE("every changed byte is noticed") {
  std::vector<std::uint8_t> file = writeKbin(exampleModule());
  for (std::size_t i = 0; i < file.size(); ++i) {
    file[i] ^= 0x10;
    REQUIRE_FALSE(readKbin(file));
    file[i] ^= 0x10;
  }
  CHECK(readKbin(file));
}

#ifdef KILN_READELF
TEST_CASE("readelf opens a .kbin without complaint") {
  namespace fs = std::filesystem;
  fs::path base = fs::temp_directory_path() /
                  ("kiln-readelf-" + std::to_string(std::rand()));
  fs::path kbin = base;
  kbin += ".kbin";
  fs::path report = base;
  report += ".txt";
  std::vector<std::uint8_t> file = writeKbin(exampleModule());
  std::ofstream(kbin, std::ios::binary)
      .write(reinterpret_cast<const char *>(file.data()),
             static_cast<std::streamsize>(file.size()));
  std::string command = std::string(KILN_READELF) + " -aW \"" + kbin.string() +
                        "\" > \"" + report.string() + "\" 2>&1";
  int status = std::system(command.c_str());
  std::ifstream stream(report);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  fs::remove(kbin);
  fs::remove(report);
  INFO(text);
  CHECK(status == 0);
  CHECK(text.find("arning") == std::string::npos);
  CHECK(text.find("rror:") == std::string::npos);
  CHECK(text.find(".kiln.stream.tensor") != std::string::npos);
  CHECK(text.find("OBJECT  GLOBAL DEFAULT  UND x") != std::string::npos);
}
#endif
