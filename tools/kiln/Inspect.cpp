//===- Inspect.cpp - --break and --dump of kiln run -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inspect.h"

#include "kiln/isa/noun.h"
#include "kiln/tool/float_format.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace kiln::tool {
namespace {

constexpr const char *rangeHelp = "write sbuf[p0:4, 0x400:0x440], psum[...] or "
                                  "TENSOR[0:64]; an end is one past the last";

/// Consumes a text from its start.
class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) {}
  bool eat(char c) {
    skipBlanks();
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    skipBlanks();
    const std::size_t end = std::min(rest.find_first_of("[]:, "), rest.size());
    const std::string_view result = rest.substr(0, end);
    rest.remove_prefix(end);
    return result;
  }
  template <class Integer> bool number(Integer &value) {
    skipBlanks();
    const bool hex = rest.starts_with("0x");
    if (hex)
      rest.remove_prefix(2);
    const auto [end, error] = std::from_chars(
        rest.data(), rest.data() + rest.size(), value, hex ? 16 : 10);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return error == std::errc{};
  }
  bool atEnd() {
    skipBlanks();
    return rest.empty();
  }

private:
  void skipBlanks() {
    while (rest.starts_with(' '))
      rest.remove_prefix(1);
  }
  std::string_view rest;
};

[[noreturn]] void wrong(const std::string &option, const std::string &text,
                        const std::string &help) {
  throw Failure("KILN-T020", "'" + option + " " + text + "': " + help,
                usageError);
}

/// A range without what may follow it, or nothing.
std::optional<sim::MemoryRange> readRange(Reader &reader,
                                          const isa::Module &module) {
  sim::MemoryRange range;
  const std::string_view name = reader.word();
  if (!reader.eat('['))
    return std::nullopt;
  if (name == "sbuf" || name == "psum") {
    range.space = name == "sbuf" ? isa::Space::sbuf : isa::Space::psum;
    unsigned end = 0;
    if (!reader.eat('p') || !reader.number(range.firstPartition) ||
        !reader.eat(':') || !reader.number(end) || !reader.eat(',') ||
        end <= range.firstPartition)
      return std::nullopt;
    range.partitions = end - range.firstPartition;
  } else {
    const auto found = std::find_if(
        module.tensors.begin(), module.tensors.end(),
        [&](const isa::Tensor &tensor) { return tensor.name == name; });
    if (found == module.tensors.end())
      return std::nullopt;
    range.space = isa::Space::hbm;
    range.tensor = static_cast<std::size_t>(found - module.tensors.begin());
  }
  if (!reader.number(range.begin) || !reader.eat(':') ||
      !reader.number(range.end) || !reader.eat(']'))
    return std::nullopt;
  return range;
}

/// ENGINE:INDEX[:VISIT].
std::optional<sim::Inspection::Place> readPlace(Reader reader,
                                                const isa::Module &module) {
  const std::string_view name = reader.word();
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    sim::Inspection::Place place;
    place.engine = static_cast<isa::Engine>(e);
    if (isa::name(place.engine) != name)
      continue;
    if (!reader.eat(':') || !reader.number(place.index) ||
        (reader.eat(':') && !reader.number(place.visit)) || !reader.atEnd() ||
        place.visit == 0 || place.index >= module.streams[e].size())
      return std::nullopt;
    return place;
  }
  return std::nullopt;
}

} // namespace

Inspect parseInspection(const CommandLine &line, const ModuleInput &input,
                        unsigned ranks) {
  Inspect result;
  const std::uint64_t rank = line.number("--at-rank").value_or(0);
  const std::uint64_t core = line.number("--at-core").value_or(0);
  if (rank >= ranks || core >= input.cores.size())
    wrong(rank >= ranks ? "--at-rank" : "--at-core",
          std::to_string(rank >= ranks ? rank : core),
          "the launch has " + isa::counted(ranks, "rank") + " of " +
              isa::counted(input.cores.size(), "core") + ", counted from 0");
  result.inspection.rank = static_cast<unsigned>(rank);
  result.inspection.core = static_cast<unsigned>(core);
  const isa::Module &module = input.cores[core];
  if (const auto text = line.value("--break")) {
    result.stop = *text;
    Reader reader(*text);
    result.inspection.before = readPlace(reader, module);
    if (!result.inspection.before) {
      result.inspection.onWrite = readRange(reader, module);
      if (!result.inspection.onWrite || !reader.atEnd())
        wrong("--break", *text,
              std::string("name an instruction that exists, as vector:12 or "
                          "vector:12:3 for its third time, or bytes: ") +
                  rangeHelp);
    }
  }
  for (const std::string &text : line.values("--dump")) {
    Reader reader(text);
    const auto range = readRange(reader, module);
    Inspect::Shown shown{text, isa::DType::u8};
    bool good = range.has_value();
    if (good && reader.eat(':')) {
      const auto dtype = isa::parseDType(reader.word());
      good =
          dtype && (range->end - range->begin) % isa::sizeInBytes(*dtype) == 0;
      shown.dtype = dtype.value_or(isa::DType::u8);
    }
    if (!good || !reader.atEnd())
      wrong("--dump", text,
            std::string(rangeHelp) +
                ", and whole elements of a type, as in sbuf[p0:4, 0:64]:f32");
    result.inspection.dump.push_back(*range);
    result.shown.push_back(std::move(shown));
  }
  return result;
}

void printInspection(const Inspect &inspect, const sim::LaunchResult &result) {
  if (result.stopped) {
    const sim::FaultParty &at = *result.stopped;
    std::printf("stopped %s %s #%u: %s\n",
                inspect.inspection.before ? "before" : "after",
                std::string(isa::name(at.engine)).c_str(), at.index,
                at.instruction.c_str());
    if (!at.location.file.empty())
      std::printf("  from %s:%u\n", at.location.file.c_str(), at.location.line);
  } else if (!inspect.stop.empty()) {
    std::printf("'--break %s' was never reached: the run ended%s\n",
                inspect.stop.c_str(),
                inspect.shown.empty() ? "" : ", and this is what it left");
  }
  for (std::size_t i = 0; i < result.dumps.size(); ++i) {
    const Inspect::Shown &shown = inspect.shown[i];
    const sim::MemoryRange &range = inspect.inspection.dump[i];
    const std::vector<std::uint8_t> &bytes = result.dumps[i];
    std::printf("%s\n", shown.text.c_str());
    const auto rowBytes = static_cast<std::size_t>(range.end - range.begin);
    const std::vector<double> values = decodeValues(bytes, shown.dtype);
    const std::size_t inRow = rowBytes * 8 / bitsOfValue(shown.dtype);
    for (std::size_t row = 0; row * rowBytes < bytes.size(); ++row) {
      if (range.space != isa::Space::hbm)
        std::printf("  p%zu:", range.firstPartition + row);
      for (std::size_t at = 0; at < inRow; ++at) {
        const std::size_t index = row * inRow + at;
        if (shown.dtype == isa::DType::u8)
          std::printf(" %02x", bytes[index]);
        else
          std::printf(" %.9g", values[index]);
      }
      std::printf("\n");
    }
  }
  std::fflush(stdout);
}

} // namespace kiln::tool
