//===- Target.cpp - Machine parameters from a file ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/target_overrides.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <type_traits>

namespace kiln::isa {
namespace {

/// Reads both notations with one scanner: a flat JSON object is `name : value`
/// pairs with commas, the other form `name = value` pairs without.
class OverrideReader {
public:
  OverrideReader(std::string_view text, std::string_view fileName)
      : text(text), fileName(fileName) {}

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
    std::string_view value = word();
    bool known = false;
    std::string problem;
    forEachParameter(target, [&](const ParameterInfo &info, auto &field) {
      if (info.name != name)
        return;
      known = true;
      problem = assign(field, value);
    });
    if (!known) {
      at = begin;
      return fail(fmt::format("no target parameter is called '{}'", name));
    }
    if (!problem.empty()) {
      at = valueBegin;
      return fail(
          fmt::format("{} must be {}, found '{}'", name, problem, value));
    }
    return std::nullopt;
  }

  static std::string assign(bool &field, std::string_view value) {
    if (value != "true" && value != "false")
      return "true or false";
    field = value == "true";
    return {};
  }
  template <class Number>
  static std::string assign(Number &field, std::string_view value) {
    Number number{};
    auto [end, status] =
        std::from_chars(value.data(), value.data() + value.size(), number);
    bool good = status == std::errc() && end == value.data() + value.size();
    if constexpr (std::is_floating_point_v<Number>)
      good = good && std::isfinite(number);
    if (!good || number < 0)
      return std::is_integral_v<Number> ? "an integer from 0"
                                        : "a number from 0";
    field = number;
    return {};
  }

  Diagnostic fail(std::string message) const {
    Diagnostic error;
    error.code = "KILN-I060";
    error.text = std::move(message);
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
  std::size_t at = 0;
};

} // namespace

std::optional<Diagnostic> applyOverrides(Target &target, std::string_view text,
                                         std::string_view fileName) {
  return OverrideReader(text, fileName).read(target);
}

std::string printParameters(const Target &target) {
  std::string out;
  forEachParameter(target, [&](const ParameterInfo &info, const auto &field) {
    out += fmt::format("{} = {} # {}; {}: {}\n", info.name, field, info.unit,
                       info.origin, info.source);
  });
  return out;
}

std::string Diagnostic::str() const {
  std::string out;
  if (!file.empty())
    out += file + ":";
  if (line != 0)
    out += fmt::format("{}:", line);
  if (line != 0 && column != 0)
    out += fmt::format("{}:", column);
  if (!out.empty())
    out += ' ';
  out += fmt::format("error: {} [{}]", text, code);
  if (!excerpt.empty() && column != 0)
    out += fmt::format("\n  {}\n  {:>{}}", excerpt, '^', column);
  return out;
}

} // namespace kiln::isa
