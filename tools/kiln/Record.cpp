//===- Record.cpp - What a run was, to see it again ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Record.h"

#include "kiln/isa/container.h"
#include "kiln/isa/target_file.h"
#include "kiln/tool/failure.h"
#include "kiln/tool/files.h"
#include "kiln/tool/sha256.h"

#include <charconv>
#include <cstdio>
#include <sstream>

namespace kiln::tool {
namespace {

constexpr const char *formatKey = "kiln-record";
constexpr const char *formatVersion = "1";

std::string digestOf(std::span<const std::uint8_t> bytes) {
  return sha256({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

std::string atRank(const std::string &name, std::size_t rank, bool several) {
  return several ? name + "@" + std::to_string(rank) : name;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(value));
  return text;
}

} // namespace

void RunRecord::noteLaunch(const ModuleInput &input, const RankTensors &tensors,
                           unsigned ranks,
                           std::optional<std::uint64_t> randomSeed,
                           std::uint64_t interleavings,
                           const sim::Numerics &numerics) {
  values[formatKey] = formatVersion;
  values["binary"] = digestOf(isa::writeKbin(input.cores));
  values["target"] = isa::describeTarget(input.target);
  values["ranks"] = std::to_string(ranks);
  values["interleave"] = std::to_string(interleavings);
  if (numerics.saturate)
    values["saturate"] = "1";
  if (numerics.stochasticRounding)
    values["stochastic-rounding"] = std::to_string(numerics.roundingSeed);
  if (numerics.flushSubnormals)
    values["flush-subnormals"] = "1";
  if (randomSeed)
    values["random-seed"] = std::to_string(*randomSeed);
  for (unsigned rank = 0; rank < ranks; ++rank)
    for (const isa::Tensor *tensor : tensorsOf(input, isInput))
      if (const auto data = tensors.find(rank, tensor->name))
        values["input " + atRank(tensor->name, rank, ranks > 1)] =
            digestOf(*data);
}

void RunRecord::noteRun(std::uint64_t interleaveSeed,
                        const sim::LaunchResult &result) {
  const std::string run = "run " + std::to_string(interleaveSeed) + " ";
  values[run + "instructions"] = std::to_string(result.steps);
  values[run + "order"] = hex(result.order);
  values[run + "end"] = result.fault ? result.fault->code : "complete";
  if (result.fault)
    values[run + "fault"] = sha256(result.fault->text);
  for (std::size_t rank = 0; rank < result.outputs.size(); ++rank)
    for (const sim::TensorData &output : result.outputs[rank])
      values[run + "output " +
             atRank(output.name, rank, result.outputs.size() > 1)] =
          digestOf(output.bytes);
}

void RunRecord::save(const std::string &path) const {
  std::string text;
  for (const auto &[key, value] : values)
    text.append(key).append(" = ").append(value).append("\n");
  writeTextFile(path, text);
}

RunRecord RunRecord::load(const std::string &path) {
  RunRecord record;
  std::istringstream lines(readTextFile(path));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(" = ");
    if (at == std::string::npos ||
        !record.values.try_emplace(line.substr(0, at), line.substr(at + 3))
             .second)
      throw Failure("KILN-T043", "'" + path + "' is not a record of a run: '" +
                                     line.substr(0, 80) + "'");
  }
  const auto format = record.values.find(formatKey);
  if (format == record.values.end() || format->second != formatVersion)
    throw Failure(
        "KILN-T043",
        "'" + path +
            "' is not a record of a run; 'kiln run --record' writes one");
  return record;
}

std::optional<std::uint64_t> RunRecord::number(const std::string &key) const {
  const auto found = values.find(key);
  if (found == values.end())
    return std::nullopt;
  const std::string &text = found->second;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Failure("KILN-T043", "the record holds '" + text + "' as " + key +
                                   ", not a number");
  return value;
}

sim::Numerics RunRecord::numerics() const {
  const std::optional<std::uint64_t> seed = number("stochastic-rounding");
  return {number("saturate").has_value(), seed.has_value(), seed.value_or(0),
          number("flush-subnormals").has_value()};
}

void RunRecord::compare(const RunRecord &again, const std::string &path) const {
  const auto differ = [&](const std::string &key, const std::string &then,
                          const std::string &now) {
    throw Failure("KILN-T043", "this run is not that of '" + path + "': " +
                                   key + " was " + then + ", now it is " + now);
  };
  // Keys are sorted so that causes come before what follows from them: binary,
  // inputs, ranks, runs.
  for (const auto &[key, value] : values) {
    const auto found = again.values.find(key);
    if (found == again.values.end())
      differ(key, value, "absent");
    if (found->second != value)
      differ(key, value, found->second);
  }
  for (const auto &[key, value] : again.values)
    if (!values.contains(key))
      differ(key, "absent", value);
}

} // namespace kiln::tool
