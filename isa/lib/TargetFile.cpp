//===- TargetFile.cpp - Machine parameters from a file -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/target_file.h"

#include "NamedValues.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace kiln::isa {
namespace {

class Reader {
public:
  /// `whole`: a target, with `base` and `name`.
  Reader(std::string_view text, std::string_view fileName, bool whole)
      : text(text), fileName(fileName), whole(whole) {}

  std::optional<Diagnostic> read(Target &target) {
    Target changed = target;
    const NamedValues given = readNamedValues(text);
    if (!given.problem.empty())
      return fail(given.problem, given.problemAt);
    for (const NamedValue &pair : given.values)
      if (auto error = readPair(changed, pair))
        return error;
    if (whole && !hasBase)
      return fail("a target must begin with 'base = trn1', trn2 or trn3", 0);
    if (auto error = checkSizes(changed))
      return error;
    target = changed;
    return std::nullopt;
  }

private:
  std::optional<Diagnostic> readPair(Target &target, const NamedValue &pair) {
    if (whole && pair.name == "base")
      return readBase(target, pair);
    if (whole && pair.name == "name")
      return readName(target, pair);
    bool known = false;
    std::string problem;
    forEachParameter(target, [&](const ParameterInfo &info, auto &field) {
      if (info.name != pair.name)
        return;
      known = true;
      problem = assign(field, pair.isQuoted ? "" : pair.value, info.isPositive);
    });
    if (!known)
      return fail(fmt::format("no target parameter is called '{}'", pair.name),
                  pair.nameAt);
    hasOthers = true;
    if (!problem.empty())
      return fail(fmt::format("{} must be [|{}|], found '<|{}|>'", pair.name,
                              problem, pair.value),
                  pair.valueAt);
    return std::nullopt;
  }

  /// `base = trn3`, in front of all others.
  std::optional<Diagnostic> readBase(Target &target, const NamedValue &pair) {
    const std::optional<Target> known = findTarget(pair.value);
    if (!known)
      return fail(
          fmt::format("base must be [|trn1, trn2 or trn3|], found '<|{}|>'",
                      pair.value),
          pair.valueAt);
    if (hasBase || hasOthers)
      return fail("base must come first, and only once: it sets all parameters",
                  pair.nameAt);
    const TargetName name = target.name;
    target = *known;
    if (hasName)
      target.name = name;
    hasBase = true;
    return std::nullopt;
  }

  std::optional<Diagnostic> readName(Target &target, const NamedValue &pair) {
    const std::string &name = pair.value;
    if (name.empty() || name.size() > TargetName::maxSize)
      return fail(fmt::format("a name has [|1 to {}|] characters, found <|{}|>",
                              TargetName::maxSize, name.size()),
                  pair.valueAt);
    if (findTarget(name))
      return fail(
          fmt::format("'{}' is the name of a target that Kiln knows", name),
          pair.valueAt);
    target.name = std::string_view(name);
    hasName = true;
    return std::nullopt;
  }

  /// Limits that the instruction set has, whatever the machine.
  std::optional<Diagnostic> checkSizes(const Target &target) const {
    const auto fail = [this](std::string message) {
      return this->fail(std::move(message), text.size());
    };
    constexpr int mostPsum = static_cast<int>(psumBanks * psumBankBytes);
    constexpr int mostSbuf = 1 << 24;
    if (target.sbuf_physical_bytes > mostSbuf)
      return fail(
          fmt::format("sbuf_physical_bytes may be [|{}|] at most, found <|{}|>",
                      mostSbuf, target.sbuf_physical_bytes));
    if (target.sbuf_reserved_bytes > target.sbuf_physical_bytes)
      return fail(fmt::format("sbuf_reserved_bytes may be sbuf_physical_bytes "
                              "([|{}|]) at most, found "
                              "<|{}|>",
                              target.sbuf_physical_bytes,
                              target.sbuf_reserved_bytes));
    if (target.psum_bytes > mostPsum ||
        target.psum_bytes % static_cast<int>(psumBankBytes) != 0)
      return fail(fmt::format("psum_bytes must be [|a multiple of {}, {} at "
                              "most|], found <|{}|>: a core has {} banks",
                              psumBankBytes, mostPsum, target.psum_bytes,
                              psumBanks));
    // The compiler cuts products to these sizes.
    constexpr int leastStationary = 128, leastMoving = 512;
    if (target.pe_max_stationary_free < leastStationary)
      return fail(fmt::format("pe_max_stationary_free must be [|{} or more|], "
                              "found <|{}|>",
                              leastStationary, target.pe_max_stationary_free));
    if (target.pe_max_moving_free < leastMoving)
      return fail(
          fmt::format("pe_max_moving_free must be [|{} or more|], found <|{}|>",
                      leastMoving, target.pe_max_moving_free));
    return std::nullopt;
  }

  static std::string assign(bool &field, std::string_view value, bool) {
    if (value != "true" && value != "false")
      return "true or false";
    field = value == "true";
    return {};
  }
  static std::string assign(int &field, std::string_view value,
                            bool isPositive) {
    int number = 0;
    auto [end, status] =
        std::from_chars(value.data(), value.data() + value.size(), number);
    if (status != std::errc() || end != value.data() + value.size() ||
        number < int(isPositive))
      return fmt::format("an integer from {}", int(isPositive));
    field = number;
    return {};
  }
  /// Times of at most 1e9 ns, and all that follows from them, fit in 64 bits.
  static std::string assign(double &field, std::string_view value,
                            bool isPositive) {
    constexpr double least = 1e-6, most = 1e9;
    double number = 0;
    auto [end, status] =
        std::from_chars(value.data(), value.data() + value.size(), number);
    if (status != std::errc() || end != value.data() + value.size() ||
        !(number >= (isPositive ? least : 0) && number <= most))
      return fmt::format("a number from {} to {}", isPositive ? least : 0,
                         most);
    field = number;
    return {};
  }

  Diagnostic fail(std::string message, std::size_t at) const {
    Diagnostic error = makeError("KILN-I060", std::move(message));
    error.file = fileName;
    std::size_t lineBegin = text.substr(0, at).rfind('\n');
    lineBegin = lineBegin == std::string_view::npos ? 0 : lineBegin + 1;
    error.line = 1;
    for (char c : text.substr(0, at))
      error.line += c == '\n';
    error.column = static_cast<std::uint32_t>(at - lineBegin + 1);
    error.excerpt =
        text.substr(lineBegin, text.find('\n', lineBegin) - lineBegin);
    return error;
  }

  std::string_view text;
  std::string_view fileName;
  bool whole;
  bool hasBase = false, hasName = false, hasOthers = false;
};

} // namespace

std::optional<Diagnostic> applyOverrides(Target &target, std::string_view text,
                                         std::string_view fileName) {
  return Reader(text, fileName, false).read(target);
}

std::string printParameters(const Target &target) {
  std::string out;
  forEachParameter(target, [&](const ParameterInfo &info, const auto &field) {
    out += fmt::format("{} = {} # {}; {}: {}\n", info.name, field, info.unit,
                       info.origin, info.source);
  });
  return out;
}

Expected<Target> parseTarget(std::string_view text, std::string_view fileName) {
  Target target;
  if (std::optional<Diagnostic> wrong =
          Reader(text, fileName, true).read(target))
    return std::move(*wrong);
  return target;
}

std::string changesOf(const Target &target) {
  const Target &usual = isa::target(target.generation);
  std::vector<std::string> values;
  forEachParameter(usual, [&](const ParameterInfo &info, const auto &field) {
    values.push_back(fmt::format("{} = {}", info.name, field));
  });
  std::string out;
  std::size_t next = 0;
  forEachParameter(target, [&](const ParameterInfo &info, const auto &field) {
    const std::string value = fmt::format("{} = {}", info.name, field);
    if (value != values[next++])
      out += (out.empty() ? "" : " ") + value;
  });
  return out;
}

std::string describeTarget(const Target &target) {
  const std::string changes = changesOf(target);
  return std::string(target.name) + (changes.empty() ? "" : " with " + changes);
}

namespace {
constexpr const char *nameFact = "target";
constexpr const char *changesFact = "target.changes";
} // namespace

Expected<Target> targetOf(const Module &module) {
  Target result = target(module.generation);
  const auto name = module.facts.find(nameFact);
  if (name != module.facts.end() && !name->second.empty() &&
      name->second.size() <= TargetName::maxSize && !findTarget(name->second))
    result.name = std::string_view(name->second);
  const auto changes = module.facts.find(changesFact);
  if (changes != module.facts.end())
    if (std::optional<Diagnostic> wrong =
            applyOverrides(result, changes->second, "the fact target.changes"))
      return std::move(*wrong);
  return result;
}

void noteTarget(Module &module, const Target &target) {
  module.generation = target.generation;
  module.facts[nameFact] = target.name.view();
  if (std::string changes = changesOf(target); !changes.empty())
    module.facts[changesFact] = std::move(changes);
}

} // namespace kiln::isa
