//===- profile_test.cpp - Reports and renderings of a profile ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profiled.h"

#include "kiln/profile/document.h"
#include "kiln/profile/render.h"

#include <nlohmann/json.hpp>

#include <map>

using namespace kiln::sim::test;
using nlohmann::json;

TEST_CASE("a report adds up") {
  const Profiled p = profiled();
  REQUIRE(p.report.target == "trn2");
  REQUIRE(p.report.makespanNs > 0);
  REQUIRE(p.report.lowerBoundNs <= p.report.makespanNs);
  REQUIRE(p.report.sbufAllocatedBytes == 4096);
  REQUIRE(p.report.psumBanksAllocated == 3);
  REQUIRE(p.report.matmulFlops == 20u * 2 * 128 * 128 * 512);
  REQUIRE(p.report.flops == p.report.matmulFlops);
  REQUIRE(p.report.hardwareFlops == p.report.matmulFlops);
  REQUIRE(p.report.hfu == p.report.mfu);
  REQUIRE(p.report.peakFlopsPerNs == Approx(78643.2));
  REQUIRE(p.report.mfu == Approx(static_cast<double>(p.report.flops) /
                                 (p.report.makespanNs * 78643.2)));
  REQUIRE(p.report.mfuOfType == p.report.mfu);
  REQUIRE(p.report.productType == "bf16");
  REQUIRE(p.report.hbmReadBytes == 20u * 128 * 512 * 2);
  REQUIRE(p.report.hbmWriteBytes == 20u * 128 * 512 * 2);
  REQUIRE(p.report.engines.size() == 6);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const ProfileReport::Engine &engine = p.report.engines[i];
    total += engine.instructions;
    double sum = engine.busyNs;
    for (const auto &[reason, time] : engine.stalls)
      sum += time;
    REQUIRE(sum == Approx(p.report.makespanNs));
  }
  REQUIRE(total == p.report.instructions);
  std::uint64_t counted = 0;
  for (const auto &[mnemonic, count] : p.report.instructionCounts)
    counted += count;
  REQUIRE(counted == total);
  REQUIRE(p.report.engines[5].instructions == 40);
}

TEST_CASE("the trace has each token that an instruction took") {
  const Profiled p = profiled();
  // The product takes two in each of 20 turns, three others one, and the last
  // instruction two.
  std::size_t tokens = 0;
  for (const TraceEdge &edge : p.timing.edges) {
    if (edge.starts || !isSemaphoreWait(edge.reason))
      continue;
    ++tokens;
    const TraceRun &from = p.timing.runs[edge.from],
                   &to = p.timing.runs[edge.to];
    REQUIRE(edge.when <= to.acted);
    const auto gave = [&](const TraceEvent &event) {
      return event.run == edge.from && event.visible <= edge.when;
    };
    // Of the instructions that give tokens, only `semaphore` has no event.
    REQUIRE(std::any_of(p.timing.events.begin(), p.timing.events.end(), gave) !=
            std::holds_alternative<isa::Semaphore>(
                p.module.streams[from.engine][from.index].body));
  }
  REQUIRE(tokens == 20 * (2 + 1 + 1 + 1) + 2);
}

TEST_CASE("utilisation takes the model's flops and the products' type") {
  Profiled p = profiled(DType::f32);
  REQUIRE(p.report.peakFlopsPerNs == Approx(78643.2));
  REQUIRE(p.report.peakOfTypeFlopsPerNs == Approx(78643.2 / 4));
  REQUIRE(p.report.productType == "f32");
  REQUIRE(p.report.mfuOfType == Approx(4 * p.report.mfu));
  p.module.facts["model_flops"] = "1000000";
  const ProfileReport report = makeProfile(p.module, p.timing, isa::trn2);
  REQUIRE(report.flops == 1000000);
  REQUIRE(report.flopsFromModel);
  p.module.facts["model_flops"] = "many";
  REQUIRE_FALSE(makeProfile(p.module, p.timing, isa::trn2).flopsFromModel);
}

TEST_CASE("the JSON holds every promised key") {
  Profiled p = profiled();
  p.report.compileMs = 12.5;
  const json j = json::parse(profile::toJson(p.report));
  for (const char *key : {"target",
                          "makespan_ns",
                          "end_to_end_ns",
                          "lower_bound_ns",
                          "bound_by",
                          "roofline_ns",
                          "roofline",
                          "mfu",
                          "mfu_of_type",
                          "product_type",
                          "peak_flops_per_ns",
                          "peak_of_type_flops_per_ns",
                          "hfu",
                          "flops",
                          "hardware_flops",
                          "engines",
                          "hbm_read_bytes",
                          "hbm_write_bytes",
                          "sbuf_allocated_bytes",
                          "psum_banks_allocated",
                          "instructions",
                          "compile_ms"}) {
    INFO(key);
    REQUIRE(j.contains(key));
  }
  for (const char *engine :
       {"tensor", "vector", "scalar", "gpsimd", "sync", "dma"})
    for (const char *key : {"busy_ns", "stall_ns", "instructions"}) {
      INFO(engine << "." << key);
      REQUIRE(j["engines"][engine][key].is_number());
      REQUIRE(j["engines"][engine][key].get<double>() >= 0);
    }
  REQUIRE(j["kernel"] == "pipe \"line\"");
  REQUIRE(j["target"] == "trn2");
  REQUIRE(j["compile_ms"].get<double>() == 12.5);
  REQUIRE(j["makespan_ns"].get<double>() == Approx(p.report.makespanNs));
  REQUIRE(j["end_to_end_ns"].get<double>() ==
          Approx(p.report.makespanNs + 20000));
  REQUIRE(j["lower_bound_ns"].get<double>() <= j["makespan_ns"].get<double>());
  REQUIRE(j["mfu"].get<double>() > 0);
  REQUIRE(j["mfu"].get<double>() < 1);
  REQUIRE(j["instruction_counts"]["nc_matmul"] == 20);
  REQUIRE(
      json::parse(profile::toJson(ProfileReport{}))["compile_ms"].is_null());
}

TEST_CASE("the trace has a track an engine and a queue, free of overlaps") {
  const Profiled p = profiled();
  const json j = json::parse(profile::toTrace(p.module, p.timing, isa::trn2));
  REQUIRE(j["otherData"]["tick"] == "1 ps");
  REQUIRE(j["otherData"]["makespan_ps"] == p.timing.makespan);
  std::map<int, std::string> names;
  std::map<int, double> last;
  std::map<int, int> count;
  for (const json &event : j["traceEvents"]) {
    if (event["ph"] == "M") {
      if (event["name"] == "thread_name")
        names[event["tid"]] = event["args"]["name"];
      continue;
    }
    if (event["ph"] != "X" || event["cat"] == "wait")
      continue;
    const int track = event["tid"];
    const double begin = event["ts"];
    const double length = event["dur"];
    REQUIRE(length >= 0);
    REQUIRE(begin >= last[track] - 1e-6);
    last[track] = begin + length;
    ++count[track];
    REQUIRE(begin + length <= p.report.makespanNs / 1000 + 1e-6);
    REQUIRE(event["args"]["visible"].get<double>() >= begin);
    REQUIRE_FALSE(event["args"]["asm"].get<std::string>().empty());
    if (track == 0) {
      REQUIRE(event["name"] == "scores<1>");
      REQUIRE(event["args"]["source"] == "kernel.cpp:12");
      REQUIRE(event["args"]["scopes"] == "outer/loop");
    }
  }
  REQUIRE(names.at(0) == "TensorE");
  REQUIRE(names.at(4) == "SyncE");
  REQUIRE(names.at(5) == "DMA queue 0");
  REQUIRE(names.at(6) == "DMA queue 1");
  REQUIRE(names.at(weightsTrack) == "TensorE loads");
  REQUIRE(count == std::map<int, int>{
                       {0, 20}, {1, 20}, {4, 41}, {5, 20}, {6, 20}, {21, 20}});
}

TEST_CASE("a trace is one document, with an entry on each line") {
  const Profiled p = profiled();
  const std::string text = profile::toTrace(p.module, p.timing, isa::trn2);
  const auto document = nlohmann::ordered_json::parse(text);
  REQUIRE(document.begin().key() == "displayTimeUnit");
  REQUIRE(
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) ==
      document["traceEvents"].size() + 2);
  auto frame = document;
  frame["traceEvents"] = nlohmann::ordered_json::array();
  std::string head = frame.dump();
  head.resize(head.size() - 2);
  REQUIRE(text.starts_with(head + "\n"));
  REQUIRE(text.ends_with("}\n]}\n"));
}

TEST_CASE("the trace has the waits, with their reasons and for whom") {
  const Profiled p = profiled();
  const json j = json::parse(profile::toTrace(p.module, p.timing, isa::trn2));
  std::map<int, double> waited, last;
  bool data = false;
  for (const json &event : j["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != "wait")
      continue;
    const int track = event["tid"];
    const double begin = event["ts"], length = event["dur"];
    REQUIRE(begin >= last[track] - 1e-6);
    last[track] = begin + length;
    waited[track] += length;
    data |= event["name"] == "wait_dma" && event["args"]["kind"] == "data" &&
            event["args"]["who"] == "scores<1> kernel.cpp:12" &&
            event["args"]["for"] == "dma_copy";
  }
  REQUIRE(data);
  for (int e = 0; e < 5; ++e) {
    INFO(e);
    const double busy = p.report.engines[static_cast<std::size_t>(e)].busyNs;
    REQUIRE(waited[e] ==
            Approx((p.report.makespanNs - busy) / 1000).margin(1e-6));
  }
}

TEST_CASE("the trace has arrows between events and counters of memories") {
  const Profiled p = profiled();
  const json j = json::parse(profile::toTrace(p.module, p.timing, isa::trn2));
  // The slice of a track at a time, without waits.
  const auto sliceAt = [&](const json &entry) -> const json & {
    const double at = entry["ts"];
    for (const json &event : j["traceEvents"])
      if (event["ph"] == "X" && event["cat"] != "wait" &&
          event["tid"] == entry["tid"] && event["ts"] <= at &&
          at < event["ts"].get<double>() + event["dur"].get<double>())
        return event;
    FAIL("no slice at " << at);
    return entry;
  };
  std::map<std::uint64_t, const json *> open;
  std::map<std::string, double> most, last, moved, since;
  unsigned arrows = 0, loads = 0;
  for (const json &entry : j["traceEvents"]) {
    if (entry["ph"] == "s") {
      open[entry["id"]] = &entry;
    } else if (entry["ph"] == "f") {
      REQUIRE(entry["bp"] == "e");
      const json &from = *open.at(entry["id"]);
      REQUIRE(from["ts"] <= entry["ts"]);
      REQUIRE(from["name"] == entry["name"]);
      // A product waits for its load.
      const json &consumer = sliceAt(entry), &producer = sliceAt(from);
      loads += consumer["name"] == "scores<1>" && entry["name"] == "wait_dma" &&
               producer["name"] == "dma_copy" && producer["tid"] == 5;
      ++arrows;
    } else if (entry["ph"] == "C") {
      const std::string name = entry["name"];
      const double value = entry["args"].begin().value(), at = entry["ts"];
      REQUIRE(value >= 0);
      moved[name] += last[name] * (at - since[name]) * 1000;
      since[name] = at;
      last[name] = value;
      most[name] = std::max(most[name], value);
    }
  }
  REQUIRE(arrows > 40);
  REQUIRE(loads >= 10);
  for (const char *name : {"SBUF", "PSUM", "HBM read", "HBM written"}) {
    INFO(name);
    REQUIRE(last[name] == 0);
  }
  // The loaded and the stored tile have 1 KiB in a partition, and the operands
  // of the product are there, too; a bank of PSUM.
  REQUIRE(most["SBUF"] >= 2048);
  REQUIRE(most["SBUF"] <= 8192);
  REQUIRE(most["PSUM"] >= 2048);
  REQUIRE(most["PSUM"] <= 16384);
  REQUIRE(moved["HBM read"] ==
          Approx(double(p.timing.hbmReadBytes)).epsilon(1e-3));
  REQUIRE(moved["HBM written"] ==
          Approx(double(p.timing.hbmWriteBytes)).epsilon(1e-3));
}

TEST_CASE("waits name who waits, for whom, and why") {
  const Profiled p = profiled();
  const json j = json::parse(profile::toJson(p.report));
  bool data = false;
  bool buffer = false;
  double last = j["top_stalls"][0]["ns"]; // Without a trace, by length.
  for (const json &stall : j["top_stalls"]) {
    REQUIRE(stall["ns"].get<double>() <= last);
    last = stall["ns"];
    REQUIRE(stall["count"].get<int>() > 0);
    // The product waits for its load; the load for the tile's last reader.
    if (stall["reason"] == "wait_dma" && stall["at"]["engine"] == "tensor") {
      REQUIRE(stall["kind"] == "data");
      REQUIRE(stall["at"]["label"] == "scores<1>");
      REQUIRE(stall["at"]["source"] == "kernel.cpp:12");
      REQUIRE(stall["producer"]["engine"] == "sync");
      REQUIRE(stall["producer"]["label"] == "dma_copy");
      data = true;
    }
    if (stall["reason"] == "wait_tensor" && stall["at"]["engine"] == "sync") {
      REQUIRE(stall["kind"] == "buffer");
      REQUIRE(stall["producer"]["label"] == "scores<1>");
      buffer = true;
    }
  }
  REQUIRE(data);
  REQUIRE(buffer);
  for (const char *engine : {"tensor", "vector", "scalar", "sync"}) {
    double sum = 0;
    for (const auto &[kind, time] : j["engines"][engine]["waits"].items())
      sum += time.get<double>();
    REQUIRE(sum == Approx(j["engines"][engine]["stall_ns"].get<double>()));
  }
  const std::string table = profile::toTable(p.report);
  INFO(table);
  REQUIRE(table.find("longest waits") != std::string::npos);
  REQUIRE(table.find("scores<1> kernel.cpp:12: wait_dma, data of dma_copy") !=
          std::string::npos);
}

TEST_CASE("a wait at a port names who passed it as well") {
  ModuleBuilder builder;
  builder.add(Engine::vector, tensorCopy(sbuf(DType::f32, 128, 512),
                                         psum(DType::f32, 128, 512)));
  builder.add(Engine::scalar, activation(isa::ActivationFunction::copy,
                                         sbuf(DType::f32, 128, 512, 8192),
                                         psum(DType::f32, 128, 512)));
  const ProfileReport report =
      makeProfile(builder.module, builder.time(), isa::trn2);
  const std::string table = profile::toTable(report);
  INFO(table);
  REQUIRE(table.find("tensor_copy #0: bank, also used by activation #0") !=
          std::string::npos);
  REQUIRE(table.find("activation #0: bank, also used by tensor_copy #0") !=
          std::string::npos);
  REQUIRE(json::parse(profile::toJson(report))["top_stalls"][0]["kind"] ==
          "none");
}

TEST_CASE("the table names what decides") {
  Profiled p = profiled();
  p.report.compileMs = 3;
  const std::string table = profile::toTable(p.report);
  for (const char *words : {"makespan", "lower bound", "bound by", "roofline",
                            "MFU", "tensor", "vector", "scalar", "gpsimd",
                            "sync", "dma", "nc_matmul", "compiled in"}) {
    INFO(table);
    REQUIRE(table.find(words) != std::string::npos);
  }
  std::size_t begin = 0;
  while (begin < table.size()) {
    const std::size_t end = table.find('\n', begin);
    REQUIRE(end != std::string::npos);
    REQUIRE(end - begin <= 100);
    begin = end + 1;
  }
  // Nothing was run: no numbers to divide by.
  REQUIRE(profile::toTable(ProfileReport{}).find("nan") == std::string::npos);
}

TEST_CASE("a report says that sizes were not known") {
  Profiled p = profiled();
  REQUIRE(profile::toTable(p.report).find("upper bound") == std::string::npos);
  REQUIRE(json::parse(profile::toJson(p.report))["full_buffers_assumed"] == 0);
  p.timing.fullBuffersAssumed = 12;
  p.report = makeProfile(p.module, p.timing, isa::trn2);
  REQUIRE(json::parse(profile::toJson(p.report))["full_buffers_assumed"] == 12);
  const std::string table = profile::toTable(p.report);
  INFO(table);
  REQUIRE(table.find("upper bound     tables of 12 collectives not known") !=
          std::string::npos);
}

TEST_CASE("the table of many cores is short") {
  const Profiled p = profiled();
  const isa::Module both[] = {p.module, p.module};
  const auto tableOf = [&](std::size_t ranks, auto &&busyOf) {
    LaunchTiming timing;
    timing.makespan = p.timing.makespan;
    timing.cores.assign(2 * ranks, p.timing);
    profile::LaunchProfile launch(both, timing, isa::trn2, std::nullopt);
    for (std::size_t core = 0; core < 2 * ranks; ++core)
      launch.reports[core].lowerBoundNs = busyOf(core);
    const std::string table = profile::toTable(launch);
    return table.substr(0, table.find("the busiest:"));
  };
  const auto linesOf = [](const std::string &table) {
    return std::count(table.begin(), table.end(), '\n');
  };
  const auto has = [](const std::string &table, const std::string &part) {
    INFO(table);
    INFO(part);
    CHECK(table.find(part) != std::string::npos);
  };
  std::string table = tableOf(64, [](std::size_t) { return 1000.0; });
  CHECK(linesOf(table) == 4); // With the head, the energy, an empty one.
  has(table, "128 cores");
  has(table, "ranks 0-63 ");
  table = tableOf(64, [](std::size_t core) { return core % 2 ? 1e3 : 2e3; });
  CHECK(linesOf(table) == 5);
  has(table, "ranks 0-63 core 0");
  has(table, "ranks 0-63 core 1");
  table = tableOf(1, [](std::size_t) { return 1000.0; });
  has(table, "both cores");
  table = tableOf(3, [](std::size_t core) { return core == 2 ? 1e3 : 2e3; });
  has(table, "rank 0 core 0, 4 more");
  has(table, "rank 1 core 0 ");
  table = tableOf(4, [](std::size_t core) { return 1e3 * (double(core) + 1); });
  CHECK(linesOf(table) == 11); // Eight kinds are all there.
  table = tableOf(
      32, [](std::size_t core) { return 1e3 * double((core + 10) % 64 + 1); });
  CHECK(linesOf(table) == 6);
  for (const char *part : {"least busy   rank 27 core 0             1.00",
                           "median       rank 11 core 0            33.00",
                           "busiest      rank 26 core 1            64.00"})
    has(table, part);
}

TEST_CASE("the CSV quotes names and sources") {
  Profiled p = profiled();
  p.module.locations[1].name = "a \"b\", c";
  LaunchTiming timing;
  timing.makespan = p.timing.makespan;
  timing.cores = {p.timing};
  const std::string csv = profile::toCsv(
      profile::LaunchProfile({&p.module, 1}, timing, isa::trn2, std::nullopt));
  REQUIRE(csv.find(",matmul,\"a \"\"b\"\", c\",\"kernel.cpp:12\",") !=
          std::string::npos);
}

TEST_CASE("names that are not UTF-8 still make valid JSON") {
  Profiled p = profiled();
  p.module.locations[1].name = "bad\xff\x01 \xc3\xa9 \xed\xa0\x80";
  const json j = json::parse(profile::toTrace(p.module, p.timing, isa::trn2));
  bool found = false;
  for (const json &event : j["traceEvents"]) {
    const std::string name = event["name"];
    found |= name.starts_with("bad\xef\xbf\xbd\x01 \xc3\xa9 \xef\xbf\xbd") &&
             name.find('\xed') == std::string::npos;
  }
  REQUIRE(found);
}
