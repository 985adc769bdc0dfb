//===- CoresTest.cpp - One file for the cores of a rank -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checksum.h"
#include "Samples.h"

#include "catch.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

std::vector<Module> twoCores() {
  std::vector<Module> cores{exampleModule(), exampleModule()};
  for (Module &module : cores)
    module.tensors.push_back(
        {"meeting", DType::f32, TensorKind::shared, {4}, {}});
  cores[1].facts["core"] = "1";
  cores[1].streams[0].back().position = 7;
  return cores;
}

std::string codeOf(const std::optional<Diagnostic> &error) {
  return error ? error->code : "";
}

} // namespace

TEST_CASE("two cores are equal after writing and reading") {
  const std::vector<Module> cores = twoCores();
  const std::vector<std::uint8_t> file = writeKbin(cores);
  const Expected<std::vector<Module>> read = readKbinCores(file);
  INFO((read ? "" : read.error().str()));
  REQUIRE(read);
  CHECK(*read == cores);
  CHECK(writeKbin(*read) == file);

  const Expected<Module> alone = readKbin(file);
  REQUIRE_FALSE(alone);
  CHECK(alone.error().code == "KILN-I051");
  CHECK(alone.error().text.find("two cores") != std::string::npos);
}

TEST_CASE("a file for one core is what it was") {
  const Module module = exampleModule();
  CHECK(writeKbin(std::span(&module, 1)) == writeKbin(module));
  const auto read = readKbinCores(writeKbin(module));
  REQUIRE(read);
  REQUIRE(read->size() == 1);
  CHECK(read->front() == module);
}

TEST_CASE("a file that lost a core or a byte is refused") {
  std::vector<std::uint8_t> file = writeKbin(twoCores());
  for (std::size_t i = 0; i < file.size(); i += 61) {
    file[i] ^= 0x10;
    REQUIRE_FALSE(readKbinCores(file));
    file[i] ^= 0x10;
  }
  // The version is the first word of the note's content.
  std::vector<std::uint8_t> one = file;
  one[64 + 20] = 2;
  kiln::isa::test::repairChecksum(one);
  CHECK(readKbinCores(one).error().code == "KILN-I050");
}

TEST_CASE("two cores as text") {
  const std::vector<Module> cores = twoCores();
  const std::string text = printAssembly(cores);
  const auto parsed = parseAssemblyCores(text, "two.kasm");
  INFO((parsed ? "" : parsed.error().str()));
  REQUIRE(parsed);
  CHECK(*parsed == cores);
  CHECK(printAssembly(*parsed) == text);
  CHECK(parseAssembly(text, "two.kasm").error().code == "KILN-I044");
  CHECK(parseAssemblyCores(text + "\n.core 1\n", "two.kasm").error().code ==
        "KILN-I044");
  CHECK(parseAssemblyCores(".core 2\n", "two.kasm").error().code ==
        "KILN-I043");
  CHECK(parseAssemblyCores(printAssembly(cores[0]), "one.kasm")->size() == 1);
}

namespace {

std::string textOf(int core, const std::string &code) {
  return ".kernel k\n.target trn2\n.fact core = \"" + std::to_string(core) +
         "\"\n.fact cores = \"2\"\n.tensor shared s: f32[64]\n"
         ".tensor shared t: f32[64]\n.stream gpsimd\n" +
         code + ".location 1 \"k.cpp\" " + std::to_string(10 + core) +
         ":3 \"\" \"\"\n";
}

std::string meetingOf(const std::string &code0, const std::string &code1) {
  const auto cores = parseAssemblyCores(
      textOf(0, code0) + ".core 1\n" + textOf(1, code1), "meet.kasm");
  REQUIRE(cores);
  const auto error = checkMeetings(*cores);
  if (!error)
    return "";
  CHECK(error->code == "KILN-I085");
  return error->file + ":" + std::to_string(error->line) + " " + error->text;
}

} // namespace

TEST_CASE("two cores come to the same meetings") {
  const std::string s = "core_barrier data=hbm[s: f32 64x1] ; @1\n";
  const std::string t = "core_barrier data=hbm[t: f32 64x1] ; @1\n";
  auto loop = [](int trips, const std::string &body) {
    return "loop r0 = 0 to " + std::to_string(trips) + " step 1\n" + body +
           "end_loop\n";
  };
  auto exchange = [](int to, int from, int pipe, int columns = 8) {
    return "sendrecv src=sbuf[p0:4, 0: f32 " + std::to_string(columns) +
           "x1], dst=sbuf[p0:4, 64: f32 " + std::to_string(columns) +
           "x1], send_to_rank=" + std::to_string(to) +
           ", recv_from_rank=" + std::to_string(from) +
           ", pipe_id=" + std::to_string(pipe) + ", queue=8 ; @1\n";
  };
  CHECK(meetingOf(s + t, s + t) == "");
  CHECK(meetingOf(s + s + s, loop(3, s)) == "");
  CHECK(meetingOf("", "") == "");
  CHECK(meetingOf(s, "") == "k.cpp:10 core_barrier number 1 of core 0 has no "
                            "counterpart: core 1 has none");
  CHECK(meetingOf(s + s, loop(3, s)) ==
        "k.cpp:11 core_barrier number 3 of core 1 has no counterpart: core 0 "
        "has 2, "
        "the last at k.cpp:10");
  CHECK(meetingOf(s + t, t + s) ==
        "k.cpp:10 core_barrier number 1 of core 0 meets that of core 1 at "
        "k.cpp:11, but one publishes s and the other t");
  // Pipes are independent of each other and of barriers.
  CHECK(meetingOf(exchange(1, 1, 0) + exchange(1, 1, 5) + s,
                  s + exchange(0, 0, 5) + exchange(0, 0, 0)) == "");
  CHECK(meetingOf(exchange(1, 1, 0), exchange(0, 0, 1))
            .find("has no counterpart") != std::string::npos);
  CHECK(
      meetingOf(exchange(1, 1, 0), exchange(0, 0, 0, 9)).find("moves [4, 8]") !=
      std::string::npos);
  CHECK(meetingOf(exchange(0, 0, 0), exchange(1, 1, 0)) == "");
  CHECK(meetingOf(exchange(1, 1, 0), exchange(1, 1, 0)).find("receives from") !=
        std::string::npos);
  // How often a loop runs is not known before the run.
  CHECK(meetingOf("loop r0 = 0 to r1 step 1\n" + s + "end_loop\n", s) == "");
}

TEST_CASE("what cores share is equal") {
  const std::vector<Module> good = twoCores();
  CHECK(codeOf(checkCores(good)) == "");
  CHECK(codeOf(checkCores(std::span(good).first(1))) == "");
  CHECK(codeOf(checkCores({})) == "KILN-I084");
  std::vector<Module> three = good;
  three.push_back(good[1]);
  CHECK(codeOf(checkCores(three)) == "KILN-I084");

  auto changed = [&](auto change) {
    std::vector<Module> cores = good;
    change(cores[1]);
    return codeOf(checkCores(cores));
  };
  CHECK(changed([](Module &m) { m.facts["core"] = "0"; }) == "KILN-I084");
  CHECK(changed([](Module &m) { m.facts["cores"] = "1"; }) == "KILN-I084");
  CHECK(changed([](Module &m) { m.kernel = "other"; }) == "KILN-I084");
  CHECK(changed([](Module &m) { m.generation = Generation::v3; }) ==
        "KILN-I084");
  CHECK(changed([](Module &m) { m.tensors[0].shape[0] = 255; }) == "KILN-I084");
  CHECK(changed([](Module &m) { m.tensors[4].dtype = DType::i32; }) ==
        "KILN-I084");
  CHECK(changed([](Module &m) { m.tensors[1].kind = TensorKind::inout; }) ==
        "KILN-I084");
  // What is private to a core may differ, and so may what only one has.
  CHECK(changed([](Module &m) { m.tensors[2].shape = {9}; }) == "");
  CHECK(changed([](Module &m) { m.tensors[3].bytes[0] ^= 1; }) == "");
  CHECK(changed([](Module &m) { m.tensors[4].name = "mine"; }) == "");
}
