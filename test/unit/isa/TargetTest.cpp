//===- TargetTest.cpp - Machine parameters --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/isa/target_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace kiln::isa;

namespace {

/// `name = value` for every parameter, in order.
std::vector<std::string> values(const Target &target) {
  std::vector<std::string> result;
  forEachParameter(target, [&](const ParameterInfo &info, const auto &field) {
    result.push_back(fmt::format("{} = {}", info.name, field));
  });
  return result;
}

/// The cells of a row of a table, none if `line` is none.
std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> result;
  constexpr std::string_view bar = " | ";
  if (!line.starts_with("| ") || !line.ends_with(" |"))
    return result;
  line = line.substr(2, line.size() - 4);
  for (std::size_t end; (end = line.find(bar)) != std::string_view::npos;
       line.remove_prefix(end + bar.size()))
    result.emplace_back(line.substr(0, end));
  result.emplace_back(line);
  return result;
}

/// Whether "fit" or "fit (trn1, trn2), choice (trn3)" says it of `machine`.
bool says(std::string_view text, std::string_view origin,
          std::string_view machine) {
  if (text == origin)
    return true;
  std::size_t begin = text.find(fmt::format("{} (", origin));
  if (begin == std::string_view::npos)
    return false;
  text = text.substr(begin, text.find(')', begin) - begin);
  return text.find(machine) != std::string_view::npos;
}

} // namespace

TEST_CASE("the three generations differ where the machines do") {
  CHECK(trn1.sbufBytes() == 180224);
  CHECK(trn2.sbufBytes() == 212992);
  CHECK(trn3.sbufBytes() == 245760);
  for (Generation generation :
       {Generation::v2, Generation::v3, Generation::v4}) {
    CHECK(target(generation).generation == generation);
    CHECK(target(generation).bytes(Space::psum) ==
          static_cast<int>(psumBanks * psumBankBytes));
  }
  CHECK(trn1.ghz(Engine::tensor) == 2.8);
  CHECK(trn2.ghz(Engine::vector) == 0.96);
  CHECK(trn3.ghz(Engine::vector) == 1.2);
  CHECK_FALSE(trn1.has_hwdge);
  CHECK(trn3.pe_max_moving_free == 4096);
  CHECK(findTarget("trn3")->generation == Generation::v4);
  CHECK_FALSE(findTarget("trn4"));
}

TEST_CASE("energies are the published ones, and 0 where there are none") {
  // Ten Lessons, table 2, 7 nm: pJ of an operation, or for 64 bits of SRAM.
  constexpr double fp32Add = 0.38, fp32Multiply = 1.31, bf16Multiply = 0.21,
                   int8Multiply = 0.07, sram1MB = 14, sram32KB = 8.5;
  // Fine-Grained DRAM, HBM2: pJ for a bit.
  constexpr double hbm2 = 3.92;
  const std::map<std::string_view, double> published{
      {"energy_mac_f32_pj", fp32Multiply + fp32Add},
      {"energy_mac_16bit_pj", bf16Multiply + fp32Add},
      {"energy_mac_8bit_pj", int8Multiply + fp32Add},
      {"energy_mac_4bit_pj", int8Multiply + fp32Add},
      {"energy_add_pj", fp32Add},
      {"energy_multiply_pj", fp32Multiply},
      {"energy_sbuf_pj", sram1MB / 8},
      {"energy_psum_pj", sram32KB / 8},
      {"energy_hbm_pj", hbm2 * 8}};
  for (const Target &target : {trn1, trn2, trn3}) {
    std::size_t known = 0;
    forEachParameter(target, [&](const ParameterInfo &info, const auto &field) {
      if (!info.name.starts_with("energy_"))
        return;
      CAPTURE(info.name, target.name.view());
      CHECK(info.origin == "choice");
      const auto value = static_cast<double>(field);
      const auto found = published.find(info.name);
      if (found == published.end()) {
        CHECK(value == 0);
        CHECK(info.source.starts_with("unknown: "));
        return;
      }
      ++known;
      CHECK(std::abs(value - found->second) < 1e-9);
      CHECK(std::any_of(publications.begin(), publications.end(),
                        [&](const Publication &one) {
                          return info.source.starts_with(one.title);
                        }));
    });
    CHECK(known == published.size());
  }
}

TEST_CASE("parameters are overridden from lines and from JSON") {
  Target changed = trn2;
  CHECK_FALSE(
      applyOverrides(changed,
                     "# slower\ndma_start_ns = 1000\n\n"
                     "has_hwdge=false\npe_latency_cycles = 400 # more\n",
                     "slow.txt"));
  CHECK(changed.dma_start_ns == 1000);
  CHECK_FALSE(changed.has_hwdge);
  CHECK(changed.pe_latency_cycles == 400);
  CHECK(changed.dma_done_ns == trn2.dma_done_ns);

  changed = trn2;
  CHECK_FALSE(applyOverrides(
      changed, "{\"dma_start_ns\": 1e3,\n \"has_hwdge\": false}", "slow.json"));
  CHECK(changed.dma_start_ns == 1000);
  CHECK_FALSE(applyOverrides(changed, "{}", "empty.json"));
}

TEST_CASE("printed parameters read back to the same target") {
  Target changed = trn2;
  REQUIRE_FALSE(applyOverrides(changed, printParameters(trn3), "trn3"));
  CHECK(printParameters(changed) == printParameters(trn3));
}

TEST_CASE("a bad override names its line and changes nothing") {
  struct {
    std::string_view text;
    std::uint32_t line, column;
    std::string_view message;
  } cases[] = {
      {"dma_start = 3", 1, 1, "no target parameter is called 'dma_start'"},
      {"dma_start_ns = 5\nhas_hwdge = 1", 2, 13, "must be true or false"},
      {"dma_start_ns = -5", 1, 16,
       "must be a number from 0 to 1000000000, found '-5'"},
      {"dma_start_ns = inf", 1, 16, "must be a number from 0"},
      {"pe_latency_cycles = 1.5", 1, 21, "must be an integer from 0"},
      {"dma_start_ns 5", 1, 14, "expected '='"},
      {"{\"dma_start_ns\": 5", 1, 19, "expected '}'"},
      {"{dma_start_ns: 5}", 1, 2, "expected string literal"},
      {"{} x", 1, 4, "expected end of input"},
      {"{\"dma_start_ns\": null}", 1, 18, "must be a number, true, false"},
      {"{\"dma_start_ns\": \"5\"}", 1, 18, "must be a number from 0"},
      {"{\"dma_start_ns\": 5,\n \"dma_start\": 5}", 2, 2,
       "no target parameter is called 'dma_start'"},
      {"{\"dma_start_ns\": 5,\n \"has_hwdge\" : 1}", 2, 16,
       "must be true or false"},
  };
  for (const auto &bad : cases) {
    Target changed = trn2;
    std::optional<Diagnostic> error = applyOverrides(changed, bad.text, "f");
    INFO(bad.text);
    REQUIRE(error);
    INFO(error->str());
    CHECK(error->code == "KILN-I060");
    CHECK(error->file == "f");
    CHECK(error->line == bad.line);
    CHECK(error->column == bad.column);
    CHECK(error->text.find(bad.message) != std::string::npos);
    CHECK(printParameters(changed) == printParameters(trn2));
  }
}

TEST_CASE("a target file names its base and what differs") {
  Expected<Target> made = parseTarget(
      "# mine\nname = mine\nbase = trn3\nhbm_bytes_per_ns = 4900\n", "f");
  REQUIRE(made);
  CHECK(made->name.view() == "mine");
  CHECK(made->generation == Generation::v4);
  CHECK(made->hbm_bytes_per_ns == 4900);
  CHECK(changesOf(*made) == "hbm_bytes_per_ns = 4900");
  Target same = trn3;
  same.name = "mine";
  same.hbm_bytes_per_ns = 4900;
  CHECK(*made == same);
  made = parseTarget("{\"base\": \"trn1\", \"dma_engines\": 8}", "f");
  REQUIRE(made);
  CHECK(made->name.view() == "trn1");
  CHECK(describeTarget(*made) == "trn1 with dma_engines = 8");
  for (const char *text :
       {"", "name = mine", "dma_engines = 8\nbase = trn2",
        "base = trn2\nbase = trn3", "base = trn4", "base = trn2 name = trn2",
        "base = \"trn2", "{\"base\": trn2}"}) {
    INFO(text);
    made = parseTarget(text, "f");
    REQUIRE_FALSE(made);
    CHECK(made.error().code == "KILN-I060");
  }
  // Without a name of its own, a target file is no override, and the other way.
  Target changed = trn2;
  CHECK(applyOverrides(changed, "base = trn3", "f"));
}

TEST_CASE("a name has at most 31 characters") {
  const std::string longest(31, 'n');
  Expected<Target> made = parseTarget("base = trn2\nname = " + longest, "f");
  REQUIRE(made);
  CHECK(made->name.view() == longest);
  CHECK_FALSE(parseTarget("base = trn2\nname = " + longest + "n", "f"));
}

TEST_CASE("sizes that no binary can be made for are refused") {
  Target changed = trn2;
  CHECK_FALSE(applyOverrides(changed, "psum_bytes = 2048", "f"));
  CHECK(applyOverrides(changed, "psum_bytes = 2049", "f"));
  CHECK(applyOverrides(changed, "psum_bytes = 18432", "f"));
  CHECK_FALSE(applyOverrides(changed, "sbuf_physical_bytes = 16777216", "f"));
  CHECK(applyOverrides(changed, "sbuf_physical_bytes = 16777217", "f"));
  CHECK(applyOverrides(changed, "sbuf_physical_bytes = 16383", "f"));
  CHECK_FALSE(applyOverrides(changed, "sbuf_physical_bytes = 16384", "f"));
  CHECK_FALSE(applyOverrides(changed, "pe_max_moving_free = 512", "f"));
  CHECK(applyOverrides(changed, "pe_max_moving_free = 511", "f"));
  CHECK_FALSE(applyOverrides(changed, "pe_max_stationary_free = 128", "f"));
  CHECK(applyOverrides(changed, "pe_max_stationary_free = 127", "f"));
}

TEST_CASE("what is divided by is not 0, and no time overflows") {
  for (const ParameterInfo &info : parameterTable) {
    const std::string name(info.name);
    INFO(name);
    Target changed = trn2;
    const bool refused =
        applyOverrides(changed, name + " = 0", "f").has_value();
    const bool isBool =
        name + " = true" == values(trn2)[&info - &parameterTable[0]] ||
        name + " = false" == values(trn2)[&info - &parameterTable[0]];
    if (!isBool && name != "sbuf_physical_bytes")
      CHECK(refused == info.isPositive);
    CHECK(applyOverrides(changed, name + " = 1e300", "f"));
  }
}

TEST_CASE("a module remembers its target") {
  Module module;
  noteTarget(module, trn3);
  CHECK(module.generation == Generation::v4);
  CHECK(module.facts.at("target") == "trn3");
  CHECK_FALSE(module.facts.contains("target.changes"));
  REQUIRE(targetOf(module));
  CHECK(*targetOf(module) == trn3);
  Target mine = trn1;
  mine.name = "mine";
  mine.dma_start_ns = 0.1;
  mine.has_hwdge = true;
  noteTarget(module, mine);
  REQUIRE(targetOf(module));
  CHECK(*targetOf(module) == mine);
  module.facts["target.changes"] = "dma_start_ns = fast";
  REQUIRE_FALSE(targetOf(module));
  CHECK(targetOf(module).error().code == "KILN-I060");
}

TEST_CASE("every parameter has a unit, an origin and a source") {
  std::set<std::string_view> names;
  for (const ParameterInfo &info : parameterTable) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK_FALSE(info.unit.empty());
    CHECK_FALSE(info.source.empty());
    for (std::string_view machine : {"trn1", "trn2", "trn3"})
      CHECK(says(info.origin, "documented", machine) +
                says(info.origin, "fit", machine) +
                says(info.origin, "choice", machine) ==
            1);
  }
  // A number that the maker gives, one from a profile of trn2, one of ours.
  const auto origin = [](std::string_view name) {
    return std::ranges::find(parameterTable, name, &ParameterInfo::name)
        ->origin;
  };
  CHECK(origin("dma_engine_bytes_per_ns") == "documented");
  CHECK(origin("dma_start_ns") == "fit (trn2), choice (trn1, trn3)");
  CHECK(origin("loop_iteration_ns") == "choice");
}

TEST_CASE("the name of a parameter sets its field and no other") {
  const std::vector<std::string> before = values(trn2);
  REQUIRE(before.size() == parameterTable.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO(before[i]);
    const std::string name(parameterTable[i].name);
    const bool isTrue = before[i] == name + " = true";
    const bool isBool = isTrue || before[i] == name + " = false";
    const std::string number = name.starts_with("sbuf_")    ? " = 32768"
                               : name == "psum_bytes"       ? " = 4096"
                               : name.starts_with("pe_max") ? " = 777"
                                                            : " = 77";
    const std::string line = name + (!isBool  ? number
                                     : isTrue ? " = false"
                                              : " = true");
    Target changed = trn2;
    REQUIRE_FALSE(applyOverrides(changed, line, "f"));
    std::vector<std::string> expected = before;
    expected[i] = line;
    CHECK(values(changed) == expected);
  }
}

TEST_CASE("the page of machines holds what the targets hold") {
  std::ifstream page(KILN_MACHINE_PAGE);
  REQUIRE(page);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `"))
      rows.push_back(cells(line));
  REQUIRE(rows.size() == parameterTable.size());
  const Target *machines[] = {&trn1, &trn2, &trn3};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ParameterInfo &info = parameterTable[i];
    const std::vector<std::string> &row = rows[i];
    INFO(info.name);
    REQUIRE(row.size() == 7);
    CHECK(row[0] == fmt::format("`{}`", info.name));
    CHECK(row[1] == info.unit);
    for (std::size_t m = 0; m < 3; ++m)
      CHECK(fmt::format("{} = {}", info.name, row[2 + m]) ==
            values(*machines[m])[i]);
    CHECK(row[5] == info.origin);
    CHECK(row[6] == info.source);
  }
}
