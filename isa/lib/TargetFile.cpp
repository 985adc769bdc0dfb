//===- TargetFile.cpp - Machine parameters from a file -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/target_file.h"

#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace kiln::isa {
namespace {

/// Reads both notations with one scanner: a flat JSON object is `name : value`
/// pairs with commas, the other form `name = value` pairs without.
class Reader {
public:
  /// `whole`: a target, with `base` and `name`.
  Reader(std::string_view text, std::string_view fileName, bool whole)
      : text(text), fileName(fileName), whole(whole) {}

  std::optional<Diagnostic> read(Target &target) {
    Target changed = target;
    skipSpace();
    bool json = accept('{');
    while (skipSpace(), at < text.size() && !(json && text[at] == '}')) {
      if (auto error = readPair(changed, json))
        return error;
      skipSpace();
      if (json && !accept(',') && peek() != '}')
        return fail("expected ',' or '}' between parameters");
    }
    if (json && !accept('}'))
      return fail("the object is not closed by '}'");
    skipSpace();
    if (at < text.size())
      return fail("there is text behind the closing '}'");
    if (whole && !hasBase) {
      at = 0;
      return fail("a target begins with 'base = trn1', trn2 or trn3");
    }
    if (auto error = checkSizes(changed))
      return error;
    target = changed;
    return std::nullopt;
  }

private:
  char peek() const { return at < text.size() ? text[at] : '\0'; }
  bool accept(char c) {
    if (peek() != c || at >= text.size())
      return false;
    ++at;
    return true;
  }
  void skipSpace() {
    while (at < text.size()) {
      if (text[at] == '#')
        while (at < text.size() && text[at] != '\n')
          ++at;
      else if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' ||
               text[at] == '\r')
        ++at;
      else
        break;
    }
  }
  std::string_view word() {
    std::size_t begin = at;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) ||
            text[at] == '_' || text[at] == '.' || text[at] == '-' ||
            text[at] == '+'))
      ++at;
    return text.substr(begin, at - begin);
  }

  std::optional<Diagnostic> readPair(Target &target, bool json) {
    std::size_t begin = at;
    if (json && !accept('"'))
      return fail("expected a parameter name in quotes");
    std::string_view name = word();
    if (name.empty() || (json && !accept('"')))
      return fail("expected a parameter name");
    skipSpace();
    if (!accept(json ? ':' : '='))
      return fail(
          fmt::format("expected '{}' after {}", json ? ':' : '=', name));
    skipSpace();
    std::size_t valueBegin = at;
    if (whole && (name == "base" || name == "name"))
      return readName(target, name, json, begin);
    std::string_view value = word();
    bool known = false;
    std::string problem;
    forEachParameter(target, [&](const ParameterInfo &info, auto &field) {
      if (info.name != name)
        return;
      known = true;
      problem = assign(field, value, info.isPositive);
    });
    if (!known) {
      at = begin;
      return fail(fmt::format("no target parameter is called '{}'", name));
    }
    hasOthers = true;
    if (!problem.empty()) {
      at = valueBegin;
      return fail(fmt::format("{} must be [|{}|], found '<|{}|>'", name,
                              problem, value));
    }
    return std::nullopt;
  }

  /// `base = trn3`, in front of all others, or `name = mine`.
  std::optional<Diagnostic> readName(Target &target, std::string_view key,
                                     bool json, std::size_t begin) {
    const std::size_t valueBegin = at;
    const bool isQuoted = accept('"');
    const std::string_view value = word();
    if ((json && !isQuoted) || (isQuoted && !accept('"'))) {
      at = valueBegin;
      return fail(fmt::format("expected a name in quotes after {}", key));
    }
    const std::optional<Target> known = findTarget(value);
    const std::size_t end = std::exchange(at, valueBegin);
    if (key == "base") {
      if (!known)
        return fail(fmt::format(
            "base must be [|trn1, trn2 or trn3|], found '<|{}|>'", value));
      at = begin;
      if (hasBase || hasOthers)
        return fail("base comes first, and once: it sets all parameters");
      const TargetName name = target.name;
      target = *known;
      if (hasName)
        target.name = name;
      hasBase = true;
    } else {
      if (value.empty() || value.size() > TargetName::maxSize)
        return fail(
            fmt::format("a name has [|1 to {}|] characters, found <|{}|>",
                        TargetName::maxSize, value.size()));
      if (known)
        return fail(
            fmt::format("'{}' is the name of a target that Kiln knows", value));
      target.name = value;
      hasName = true;
    }
    at = end;
    return std::nullopt;
  }

  /// Limits that the instruction set has, whatever the machine.
  std::optional<Diagnostic> checkSizes(const Target &target) const {
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

  Diagnostic fail(std::string message) const {
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
  std::size_t at = 0;
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
