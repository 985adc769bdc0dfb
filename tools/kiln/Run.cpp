//===- Run.cpp - kiln run: values, checks, comparison -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSource.h"
#include "Command.h"
#include "Compare.h"
#include "Execute.h"
#include "Inspect.h"
#include "ModuleFile.h"
#include "Record.h"
#include "Remarks.h"
#include "Tensors.h"
#include "Timed.h"

#include "kiln/isa/described.h"
#include "kiln/isa/noun.h"
#include "kiln/profile/parts.h"
#include "kiln/tool/files.h"
#include "kiln/tool/npy.h"
#include "kiln/tool/safetensors.h"

#include <cstdio>
#include <iostream>

namespace kiln::tool {
namespace {

/// Runs again in other orders of ready streams: the results must be equal.
void runInterleavings(const ModuleInput &input, const RankTensors &tensors,
                      sim::Options options, std::uint64_t seeds,
                      const sim::LaunchResult &expected, RunRecord &record) {
  options.timing = false;
  options.inspection = {};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    options.interleaveSeed = seed;
    sim::LaunchResult result = execute(input, tensors, options);
    record.noteRun(seed, result);
    for (std::size_t rank = 0; rank < result.outputs.size(); ++rank)
      for (std::size_t i = 0; i < result.outputs[rank].size(); ++i)
        if (result.outputs[rank][i].bytes != expected.outputs[rank][i].bytes)
          throw Failure("KILN-T042",
                        "output '" + result.outputs[rank][i].name +
                            "' changes with the order of the engines "
                            "(--interleave seed " +
                            std::to_string(seed) +
                            "); run with checks to find the race");
  }
  std::cout << seeds << " other orders of the engines: the same bits\n";
}

void printTiming(const sim::LaunchTiming &launch) {
  const sim::Timing *most = &launch.cores.front();
  for (const sim::Timing &core : launch.cores)
    if (core.lowerBound > most->lowerBound)
      most = &core;
  std::printf("makespan %.1f us, lower bound %.1f us (%s)\n",
              static_cast<double>(launch.makespan) * 1e-6,
              static_cast<double>(most->lowerBound) * 1e-6,
              most->boundBy.c_str());
  std::fflush(stdout);
}

/// The time of each part of the kernel.
void printParts(const ModuleInput &input, const RankTensors &tensors,
                const sim::LaunchResult &result) {
  const sim::LaunchTiming traced =
      tracedForTable(input, tensors.launch(input), result);
  std::cout << profile::toPartsTable(profile::LaunchProfile(
      input.cores, traced, input.target, input.compileMs));
}

/// How values are converted. A replay uses the settings of the record.
sim::Numerics chosenNumerics(const CommandLine &line,
                             const std::optional<RunRecord> &recorded) {
  sim::Numerics numerics;
  if (recorded)
    numerics = recorded->numerics();
  numerics.saturate |= line.has("--saturate");
  numerics.stochasticRounding |= line.has("--stochastic-rounding");
  numerics.flushSubnormals |= line.has("--flush-subnormals");
  if (const auto seed = line.number("--rounding-seed")) {
    if (!numerics.stochasticRounding)
      throw Failure("KILN-T020",
                    "'--rounding-seed' needs '--stochastic-rounding'",
                    usageError);
    numerics.roundingSeed = *seed;
  }
  const bool differs = numerics.saturate || numerics.stochasticRounding ||
                       numerics.flushSubnormals;
  if (differs && line.has("--check-source"))
    throw Failure("KILN-T020",
                  "'--check-source' compares with the hardware's own "
                  "conversions; leave out '--saturate', "
                  "'--stochastic-rounding' and '--flush-subnormals'",
                  usageError);
  return numerics;
}

int runRun(const CommandLine &line) {
  if (line.has("--checks") && line.has("--no-checks"))
    throw Failure("KILN-T020", "give '--checks' or '--no-checks', not both",
                  usageError);
  const std::vector<KeyValue> in = line.pairs("--in");
  const std::vector<KeyValue> out = line.pairs("--out");
  for (const KeyValue &pair : out)
    checkWritable(parsePlace(pair.second).file);
  if (const auto path = line.value("--record"))
    checkWritable(*path);
  std::optional<RunRecord> recorded;
  if (const auto path = line.value("--replay"))
    recorded = RunRecord::load(*path);
  const auto numberOf = [&](const char *key) {
    const auto given = line.number(std::string("--") + key);
    return given || !recorded ? given : recorded->number(key);
  };
  const sim::Numerics numerics = chosenNumerics(line, recorded);
  const std::optional<std::uint64_t> seed = numberOf("random-seed");
  const std::uint64_t seeds = numberOf("interleave").value_or(0);

  const unsigned ranks = chosenRanks(line);
  ModuleInput input = loadModule(line);
  checkOutputNames(input, out, ranks);
  if (line.has("--reference"))
    requireReference(input);
  if (line.has("--check-source"))
    requireSource(input);
  const RankTensors tensors = gatherInputs(input, in, seed, ranks);

  sim::Options options;
  options.numerics = numerics;
  options.checks = !line.has("--no-checks");
  const bool hasParts = isa::hasParts(input.module());
  options.timing = line.has("--timing") || hasParts;
  options.permissions = parsePermissions(line);
  options.findNaN = line.has("--find-nan");
  options.maxTurns = chosenMaxTurns(line);
  const Inspect inspect = parseInspection(line, input, ranks);
  options.inspection = inspect.inspection;
  RunRecord record;
  if (line.has("--record") || recorded)
    record.noteLaunch(input, tensors, ranks, seed, seeds, numerics);
  // A run that fails is recorded, too, and then reported.
  const auto keep = [&] {
    if (const auto path = line.value("--record"))
      record.save(*path);
    if (recorded)
      recorded->compare(record, *line.value("--replay"));
  };
  sim::LaunchResult result = attempt(input, tensors, options);
  record.noteRun(0, result);
  if (result.fault)
    keep();
  throwFault(result);
  if (result.stopped) {
    printInspection(inspect, result);
    return success;
  }
  printRemarks(result.remarks);
  std::cout << "ran " << describe(input.module())
            << (input.cores.size() > 1 ? ", on two cores" : "")
            << (ranks > 1 ? ", " + isa::counted(ranks, "rank") : "")
            << (options.checks ? ", all checks passed\n" : ", no checks\n");
  for (const sim::TensorData &output : result.outputs.front()) {
    const isa::Tensor &tensor = *findTensor(input, output.name);
    std::cout << "  " << tensor.name << ": " << isa::name(tensor.dtype)
              << formatShape(tensor.shape) << "\n";
  }
  saveOutputs(input, result.outputs, out);
  printInspection(inspect, result);
  if (result.timing && line.has("--timing"))
    printTiming(*result.timing);
  if (result.timing && hasParts)
    printParts(input, tensors, result);
  if (seeds > 0)
    runInterleavings(input, tensors, options, seeds, result, record);
  keep();
  if (recorded)
    std::cout << "the same run as '" << *line.value("--replay") << "'\n";
  if (line.has("--reference"))
    compareWithReference(input, tensors, result.outputs);
  if (line.has("--check-source"))
    checkSource(input, tensors, result.outputs);
  return success;
}

std::vector<Option> runOptions() {
  std::vector<Option> all = schedulingOptions();
  all.push_back({"--ranks", "N", "launch N ranks, 1 to 64 (default 1)"});
  all.push_back({"--in", "NAME[@RANK]=FILE",
                 "values of an input: X.npy or X.safetensors:TENSOR", true});
  all.push_back({"--out", "NAME[@RANK]=FILE",
                 "the file for an output; without @RANK, all ranks are stacked",
                 true});
  all.push_back(
      {"--random-seed", "N", "random values for inputs without a file"});
  all.push_back({"--reference", "",
                 "compare with the kernel's plain loops in double precision"});
  all.push_back(
      {"--check-source", "", "compare with the meaning of the source"});
  all.push_back(
      {"--checks", "", "find races, bad addresses, unwritten bytes (default)"});
  all.push_back({"--no-checks", "", "run faster, without these checks"});
  all.push_back({"--allow", "CODE[@PLACE]",
                 "suppress KILN-X060 or KILN-X061 (at FILE:LINE or vector:12)",
                 true});
  all.push_back({"--saturate", "",
                 "overflow gives the largest finite number of the type"});
  all.push_back({"--stochastic-rounding", "",
                 "round up or down at random, in proportion"});
  all.push_back(
      {"--rounding-seed", "N", "for --stochastic-rounding (default 0)"});
  all.push_back({"--flush-subnormals", "",
                 "flush subnormal fp32 numbers to zero in arithmetic"});
  all.push_back({"--interleave", "N",
                 "run N more times in other orders: DMA early, late, any"});
  all.push_back(
      {"--record", "FILE", "record the run: binary, inputs, order, outputs"});
  all.push_back({"--replay", "FILE",
                 "run again with its seeds; report the first difference"});
  all.push_back({"--find-nan", "",
                 "stop at the instruction that produces the first NaN"});
  all.push_back({"--break", "PLACE",
                 "stop before vector:12[:VISIT], or when bytes are written"});
  all.push_back({"--dump", "RANGE[:DTYPE]",
                 "then show sbuf[p0:4, 0x0:0x40] or TENSOR[0:64]", true});
  all.push_back(
      {"--at-rank", "N", "the rank for --break and --dump (default 0)"});
  all.push_back(
      {"--at-core", "N", "its core for --break and --dump (default 0)"});
  all.push_back(maxTurnsOption());
  all.push_back(
      {"--timing", "", "also print the makespan (see 'kiln profile')"});
  return all;
}

} // namespace

const Command runCommand{
    {"run", "X.kbin|KERNEL", "runs a kernel bit for bit",
     "Runs the binary. If you give a KERNEL, it is compiled first.\n"
     "A float .npy is rounded once to the tensor's type; bf16 results are\n"
     "written as float32. Random values differ between ranks.",
     runOptions(), true, 1, 1},
    runRun};

} // namespace kiln::tool
