//===- Trial.cpp - A Program through everything -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/trial/trial.h"

#include "Compared.h"
#include "Inputs.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"
#include "kiln/isa/target.h"
#include "kiln/program_check.h"
#include "kiln/program_text.h"
#include "kiln/sim/launch.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace kiln::trial {
namespace {

constexpr const char *classNames[] = {
    "passed",      "too-large",   "undecided", "malformed", "round-trip",
    "rejected",    "internal",    "unequal",   "fault",     "unstable",
    "wrong-value", "meaningless", "crash",     "timeout"};

/// Too little memory on chip or too few registers: the program may be right.
constexpr const char *capacityCodes[] = {"KILN-C101", "KILN-C102", "KILN-C106"};

Outcome outcome(Class kind, std::string code, std::string text) {
  Outcome result;
  result.kind = kind;
  result.code = std::move(code);
  result.text = std::move(text);
  return result;
}

std::optional<Outcome> checkText(const program::Program &program) {
  const program::ParseResult parsed =
      program::parseProgram(program::printProgram(program));
  if (!parsed)
    return outcome(Class::roundTrip, parsed.error.code,
                   "line " + std::to_string(parsed.error.line) + ": " +
                       parsed.error.text);
  if (*parsed.program != program)
    return outcome(Class::roundTrip, "different",
                   "the text gives another Program");
  return std::nullopt;
}

/// The modules of the cores, or why there are none.
std::optional<Outcome> compileAll(std::span<const program::Program> cores,
                                  const Settings &settings,
                                  std::vector<isa::Module> &modules) {
  for (const program::Program &program : cores) {
    compiler::CompileOptions options;
    options.target = settings.target;
    options.without = settings.without;
    compiler::CompileResult compiled = compiler::compile(program, options);
    if (compiled.module) {
      modules.push_back(std::move(*compiled.module));
      continue;
    }
    std::string text, code;
    for (const isa::Diagnostic &diagnostic : compiled.diagnostics) {
      text += diagnostic.str() + "\n";
      if (code.empty() && diagnostic.severity == isa::Severity::error)
        code = diagnostic.code;
    }
    const bool capacity =
        std::find(std::begin(capacityCodes), std::end(capacityCodes), code) !=
        std::end(capacityCodes);
    const Class kind = compiled.fault == compiler::Fault::internal
                           ? Class::internal
                       : capacity ? Class::tooLarge
                                  : Class::rejected;
    return outcome(kind, code, text);
  }
  for (auto *check : {&isa::checkCores, &isa::checkMeetings})
    if (const auto wrong = check(modules))
      return outcome(Class::rejected, wrong->code, wrong->text);
  return std::nullopt;
}

Outcome faultOutcome(const sim::Fault &fault, std::uint64_t interleaveSeed) {
  std::string text = fault.text;
  if (interleaveSeed > 0)
    text += " (--interleave seed " + std::to_string(interleaveSeed) + ")";
  for (const sim::FaultParty &party : fault.instructions)
    text += "\n  " + std::string(isa::name(party.engine)) + " #" +
            std::to_string(party.index) + ": " + party.instruction;
  return outcome(Class::fault, fault.code, text);
}

std::optional<std::string>
firstDifference(const std::vector<sim::TensorData> &a,
                const std::vector<sim::TensorData> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].bytes != b[i].bytes)
      return a[i].name;
  return std::nullopt;
}

} // namespace

const char *name(Class kind) {
  return classNames[static_cast<std::size_t>(kind)];
}
bool isFailure(Class kind) {
  return kind != Class::passed && kind != Class::tooLarge &&
         kind != Class::undecided;
}
std::string Outcome::key() const {
  // It does not matter which output differs: others are dropped on the way.
  return kind == Class::wrongValue || kind == Class::unstable
             ? name(kind)
             : std::string(name(kind)) + " " + code;
}

Outcome tryProgram(std::span<const program::Program> cores,
                   const Settings &settings) {
  for (const program::Program &program : cores)
    if (const auto wrong = program::checkProgram(program))
      return outcome(Class::malformed, wrong->code, wrong->text);
  if (settings.roundTrip)
    for (const program::Program &program : cores)
      if (auto wrong = checkText(program))
        return *wrong;

  std::vector<isa::Module> modules;
  if (auto wrong = compileAll(cores, settings, modules))
    return *wrong;
  if (settings.compileTwice) {
    std::vector<isa::Module> again;
    if (auto wrong = compileAll(cores, settings, again))
      return *wrong;
    if (isa::writeKbin(modules) != isa::writeKbin(again))
      return outcome(Class::unequal, "bytes", "compiled again, other bytes");
  }

  const std::vector<sim::TensorData> inputs =
      inputsFor(cores.front(), settings.inputSeed);
  const isa::Target &target = settings.target;
  sim::Launch launch;
  launch.modules = modules;
  launch.inputs = inputs;
  sim::Options options;
  options.threads = 1;
  options.maxSteps = settings.maxSteps;
  sim::LaunchResult first;
  for (std::uint64_t seed = 0; seed <= settings.interleavings; ++seed) {
    options.interleaveSeed = seed;
    sim::LaunchResult run = sim::runLaunch(launch, target, options);
    if (run.fault)
      return faultOutcome(*run.fault, seed);
    if (seed == 0)
      first = std::move(run);
    else if (const auto tensor =
                 firstDifference(first.outputs.front(), run.outputs.front()))
      return outcome(Class::unstable, *tensor,
                     "output '" + *tensor +
                         "' changes with --interleave seed " +
                         std::to_string(seed));
  }
  if (!settings.interpret)
    return {};
  return compareWithMeaning(cores, inputs, first.outputs.front(), target);
}

} // namespace kiln::trial
