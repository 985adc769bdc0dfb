//===- NamedValues.cpp - Names and their values from a text ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedValues.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace kiln::isa {
namespace {

constexpr std::string_view space = " \t\r\n";
bool isSpace(char c) { return space.find(c) != std::string_view::npos; }

class PairReader {
public:
  explicit PairReader(std::string_view text) : text(text) {}

  NamedValues read() && {
    while (skipSpace(), at < text.size() && result.problem.empty())
      readPair();
    return std::move(result);
  }

private:
  void fail(std::string problem) {
    result.problem = std::move(problem);
    result.problemAt = at;
  }
  bool accept(char c) {
    const bool isThere = at < text.size() && text[at] == c;
    at += isThere;
    return isThere;
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == '#' || isSpace(text[at])))
      at =
          text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
  }
  std::string_view word() {
    const std::size_t begin = at;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) ||
            std::string_view("_.-+").find(text[at]) != std::string_view::npos))
      ++at;
    return text.substr(begin, at - begin);
  }

  void readPair() {
    NamedValue pair;
    pair.nameAt = at;
    pair.name = word();
    if (pair.name.empty())
      return fail("expected a parameter name");
    skipSpace();
    if (!accept('='))
      return fail(fmt::format("expected '=' after {}", pair.name));
    skipSpace();
    pair.valueAt = at;
    pair.isQuoted = accept('"');
    pair.value = word();
    if (pair.isQuoted && !accept('"'))
      return fail(
          fmt::format("the value of {} lacks its closing quote", pair.name));
    result.values.push_back(std::move(pair));
  }

  std::string_view text;
  std::size_t at = 0;
  NamedValues result;
};

/// What the parser of JSON tells while it reads.
class JsonReader final : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit JsonReader(std::string_view text) : text(text) {}

  NamedValues read() && {
    nlohmann::json::sax_parse(text, this);
    return std::move(result);
  }

  bool key(string_t &name) override {
    NamedValue pair;
    pair.name = name;
    findName(pair);
    result.values.push_back(std::move(pair));
    return true;
  }
  bool string(string_t &value) override { return take(value, true); }
  bool boolean(bool value) override { return take(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return take(std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return take(std::to_string(value));
  }
  bool number_float(number_float_t, const string_t &digits) override {
    return take(digits);
  }
  bool binary(binary_t &) override { return refuse(); }
  bool null() override { return refuse(); }
  bool start_array(std::size_t) override { return refuse(); }
  bool start_object(std::size_t) override {
    return !std::exchange(isOpen, true) || refuse();
  }
  bool end_array() override { return true; }
  bool end_object() override { return true; }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &error) override {
    const std::string_view told = error.what();
    const std::size_t reason = told.find("syntax error");
    result.problem =
        reason == std::string_view::npos ? told : told.substr(reason);
    result.problemAt = std::min(position > 0 ? position - 1 : 0, text.size());
    return false;
  }

private:
  /// The parser does not say where it reads: the next `"name" :` is it.
  void findName(NamedValue &pair) {
    const std::string quoted = '"' + pair.name + '"';
    for (std::size_t at = text.find(quoted, next); at != std::string_view::npos;
         at = text.find(quoted, at + 1)) {
      const std::size_t colon =
          text.find_first_not_of(space, at + quoted.size());
      if (colon == std::string_view::npos || text[colon] != ':')
        continue;
      pair.nameAt = at;
      pair.valueAt = next =
          std::min(text.find_first_not_of(space, colon + 1), text.size());
      return;
    }
  }
  bool take(std::string value, bool isQuoted = false) {
    result.values.back().value = std::move(value);
    result.values.back().isQuoted = isQuoted;
    return true;
  }
  bool refuse() {
    const std::string &name = result.values.back().name;
    result.problem =
        fmt::format("{} must be a number, true, false or a quoted name", name);
    result.problemAt = result.values.back().valueAt;
    return false;
  }

  std::string_view text;
  std::size_t next = 0; ///< Behind the names that were found.
  bool isOpen = false;
  NamedValues result;
};

} // namespace

NamedValues readNamedValues(std::string_view text) {
  const std::size_t first = text.find_first_not_of(space);
  return first != std::string_view::npos && text[first] == '{'
             ? JsonReader(text).read()
             : PairReader(text).read();
}

} // namespace kiln::isa
