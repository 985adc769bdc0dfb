//===- page_test.cpp - The page of a profile and its data -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profiled.h"

#include "Binary.h"
#include "Columns.h"
#include "StallRanking.h"
#include "kiln/profile/document.h"

#include <absl/strings/escaping.h>
#include <nlohmann/json.hpp>

#include <set>

using namespace kiln::sim::test;
using nlohmann::json;

namespace {

std::string pageOf(std::span<const isa::Module> modules,
                   std::vector<Timing> cores,
                   const profile::Document &document = {}) {
  LaunchTiming timing;
  timing.makespan = cores.front().makespan;
  timing.cores = std::move(cores);
  return profile::toHtml(
      profile::LaunchProfile(modules, timing, isa::trn2, std::nullopt),
      document);
}

/// What stands in the element with this id.
std::string elementOf(const std::string &page, const std::string &id) {
  const std::string start = "id=\"" + id + "\">";
  const std::size_t begin = page.find(start) + start.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}
json headOf(const std::string &page) {
  return json::parse(elementOf(page, "head"));
}

/// Reads columns again.
class Reader {
public:
  explicit Reader(const std::string &text) {
    REQUIRE(absl::Base64Unescape(text, &bytes));
  }
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      REQUIRE(at < bytes.size());
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80)
        return value;
    }
  }
  std::int64_t nextSigned() {
    const std::uint64_t value = next();
    return static_cast<std::int64_t>(value >> 1) ^
           -static_cast<std::int64_t>(value & 1);
  }
  bool atEnd() const { return at == bytes.size(); }

private:
  std::string bytes;
  std::size_t at = 0;
};

} // namespace

TEST_CASE("columns hold all numbers") {
  profile::Columns columns;
  const std::uint64_t numbers[] = {0,     1,     127,        128,
                                   16383, 16384, 1ull << 35, UINT64_MAX};
  const std::int64_t others[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
  for (const std::uint64_t number : numbers)
    columns.add(number);
  for (const std::int64_t number : others)
    columns.addSigned(number);
  Reader reader(columns.text());
  for (const std::uint64_t number : numbers)
    CHECK(reader.next() == number);
  for (const std::int64_t number : others)
    CHECK(reader.nextSigned() == number);
  CHECK(reader.atEnd());
}

TEST_CASE("the page holds its data and nothing from outside") {
  const Profiled p = profiled();
  const std::string page = pageOf({&p.module, 1}, {p.timing});
  CHECK(page.find("https:") == std::string::npos);
  CHECK(page.find("<script src") == std::string::npos);
  CHECK(page.find("<link") == std::string::npos);
  CHECK(page.find("{{") == std::string::npos);
  for (const char *part : {"--panel:", "function timeText", "class TrackView"})
    CHECK(page.find(part) != std::string::npos);
  CHECK(page.find("scores<1>") == std::string::npos); // Escaped everywhere.
  CHECK(page.find("<title>pipe \"line\" on trn2</title>") != std::string::npos);
  const json head = headOf(page);
  CHECK(head["makespan_ns"] == double(p.timing.makespan) / 1000);
  CHECK(head["names"] == json::parse(R"([["",0]])"));
  // What --json says is what the page shows, with its waits by their cost.
  REQUIRE(head["cores"].size() == 1);
  ProfileReport ranked = p.report;
  profile::rankStalls(ranked, p.timing,
                      profile::findCauses(p.module, isa::trn2, p.timing));
  const json report = json::parse(profile::toJson(ranked));
  for (const auto &[key, value] : report.items())
    CHECK(head["cores"][0][key] == value);
  double last = head["makespan_ns"];
  double sum = 0;
  for (const json &stall : report["top_stalls"]) {
    const double cost = stall["critical_ns"];
    CHECK(cost <= last);
    last = cost;
    sum += cost;
  }
  CHECK(sum > 0);
  CHECK(sum <= head["makespan_ns"]);
}

TEST_CASE("the page has all of the JSON but what is in its columns") {
  const Profiled p = profiled();
  LaunchTiming timing;
  timing.makespan = p.timing.makespan;
  timing.cores = {p.timing};
  const profile::LaunchProfile launch({&p.module, 1}, timing, isa::trn2,
                                      std::nullopt);
  profile::Document document;
  document.sources["kernel.cpp"] = "int a;\n";
  document.compiler["remarks"] = "[]";
  json written = json::parse(
      profile::toJson(launch, document, profile::Detail::instructions));
  const json head = headOf(profile::toHtml(launch, document));
  written["critical_path"].erase("steps");
  written["memory"].erase("ranges");
  written.erase("tracks"); // The page has those of engines that did nothing.
  const json &core = head["cores"][0];
  for (const auto &[key, value] : written.items()) {
    INFO(key);
    CHECK((core.contains(key) ? core : head)[key] == value);
  }
  for (const char *key : {"memory", "tensors", "hbm", "roofline_points",
                          "collectives", "hierarchy", "lines", "binary"})
    CHECK(core.contains(key));
}

TEST_CASE("the columns hold every event, token, step, wait and range") {
  const Profiled p = profiled();
  const std::string page = pageOf({&p.module, 1}, {p.timing});
  const json head = headOf(page);
  const json &binary = head["cores"][0]["binary"];
  Reader reader(elementOf(page, "columns"));
  std::uint64_t events = 0;
  for (const json &track : head["cores"][0]["tracks"]) {
    const std::uint64_t count = reader.next();
    Picoseconds start = 0, end = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      start += static_cast<Picoseconds>(reader.next());
      CHECK(start >= end); // Events of a track do not overlap.
      end = start + static_cast<Picoseconds>(reader.next());
      const json &instruction = binary[reader.next()];
      if (track == "VectorE")
        CHECK(instruction["op"] == "tensor_copy");
      CHECK(end + reader.nextSigned() <= p.timing.makespan);
      CHECK(Picoseconds(reader.next()) <= p.timing.makespan);
    }
    events += count;
  }
  CHECK(events == p.timing.events.size());
  std::uint64_t producers = 0;
  for (std::uint64_t event = 0; event < events; ++event) {
    const std::uint64_t count = reader.next();
    producers += count;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t other = std::int64_t(event) + reader.nextSigned();
      CHECK(other >= 0);
      CHECK(other < std::int64_t(events));
    }
  }
  // Each turn of each loop takes one token or two; those that the two
  // instructions in front give come from no event.
  CHECK(producers >= 4 * 20 - 4);
  // Steps of the path follow each other from 0 to the makespan.
  Picoseconds at = 0;
  const std::uint64_t steps = reader.next();
  CHECK(steps > 20);
  for (std::uint64_t i = 0; i < steps; ++i) {
    const auto length = static_cast<Picoseconds>(reader.next());
    CHECK(length > 0);
    at += length;
    // Work, latency, a reason to wait, or a transfer that starts.
    CHECK(reader.next() <= 2 + numStallReasons);
    const std::uint64_t who = reader.next();
    if (who == 1)
      reader.nextSigned();
    else
      CHECK(who < 2 + binary.size());
  }
  CHECK(at == p.timing.makespan);
  for (const ProfileReport::Engine &engine : p.report.engines) {
    if (engine.name == "dma")
      continue;
    double waited = 0;
    for (std::uint64_t left = reader.next(); left > 0; --left) {
      reader.next();
      waited += static_cast<double>(reader.next()) / 1000;
      CHECK(reader.next() <= binary.size());
      CHECK(reader.next() < numStallReasons);
      CHECK(reader.next() < waitKindNames.size());
      CHECK(reader.next() <= binary.size());
      CHECK(reader.next() == 0);
    }
    double stalls = 0;
    for (const auto &[reason, time] : engine.stalls)
      stalls += time;
    CHECK(waited == Approx(stalls));
  }
  for (const std::uint64_t peak : {head["cores"][0]["sbuf_peak_bytes"],
                                   head["cores"][0]["psum_peak_bytes"]}) {
    std::uint64_t most = 0;
    for (std::uint64_t left = reader.next(); left > 0; --left) {
      reader.next();
      most = std::max(most, reader.next());
    }
    CHECK(most == peak);
  }
  const std::uint64_t shapes = reader.next();
  CHECK(shapes >= 3); // The loaded tile, the product, the copy.
  CHECK(shapes <= 6);
  for (std::uint64_t i = 0; i < shapes; ++i) {
    CHECK(reader.next() < 2);
    reader.next(); // Its buffer.
    CHECK(reader.next() < p.module.locations.size());
    reader.next(); // Its first byte.
    CHECK(reader.next() > 0);
    CHECK(reader.next() == 0);
    CHECK(reader.next() == 128);
    CHECK(reader.next() < binary.size());
  }
  const std::uint64_t ranges = reader.next();
  CHECK(ranges > 50); // Each of 20 turns writes all three.
  at = 0;
  for (std::uint64_t i = 0; i < ranges; ++i) {
    at += static_cast<Picoseconds>(reader.next());
    CHECK(at + Picoseconds(reader.next()) <= p.timing.makespan);
    CHECK(reader.next() < shapes);
  }
  CHECK(reader.atEnd());
}

TEST_CASE("the page says what it was made from") {
  Profiled p = profiled();
  p.module.facts["param.rows"] = "4096";
  p.module.facts["param.dtype"] = "</script>";
  profile::Document document;
  document.version = "1.2";
  document.command = "kiln profile '</title>'";
  document.sources["kernel.cpp"] = "int a < b;\n";
  document.compiler["remarks"] = R"([{"text":"</script>"}])";
  const std::string page = pageOf({&p.module, 1}, {p.timing}, document);
  const json head = headOf(page);
  CHECK(head["parameters"] ==
        json::parse(R"([["dtype","</script>"],["rows","4096"]])"));
  CHECK(head["kiln_version"] == "1.2");
  CHECK(head["command"] == "kiln profile '</title>'");
  CHECK(head["sources"]["kernel.cpp"] == "int a < b;\n");
  CHECK(head["remarks"][0]["text"] == "</script>");
  CHECK(
      page.find("<title>pipe \"line\" dtype=&lt;/script&gt; rows=4096 on trn2: "
                "kiln profile '&lt;/title&gt;' (kiln 1.2)</title>") !=
      std::string::npos);
  CHECK(page.find("\"</script>") == std::string::npos);
}

TEST_CASE("the page has all cores, and those that are alike once") {
  const Profiled p = profiled(), slow = profiled(DType::f32);
  REQUIRE(p.timing.events != slow.timing.events);
  const json head = headOf(
      pageOf({&p.module, 1}, {p.timing, slow.timing, p.timing, slow.timing}));
  REQUIRE(head["cores"].size() == 2);
  CHECK(head["names"] == json::parse(R"([["rank 0",0],["rank 1",1],
                                         ["rank 2",0],["rank 3",1]])"));
  CHECK(head["busiest"] == 1);
  CHECK(head["cores"][0] != head["cores"][1]);
}

TEST_CASE("work has kinds") {
  const Profiled p = profiled();
  std::set<std::string_view> kinds;
  for (unsigned engine = 0; engine < isa::numEngines; ++engine)
    for (const isa::Instruction &instruction : p.module.streams[engine])
      kinds.insert(profile::kindOf(instruction, static_cast<Engine>(engine)));
  CHECK(kinds == std::set<std::string_view>{"control", "dma_in", "dma_out",
                                            "matmul", "move"});
}
