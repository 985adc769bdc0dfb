//===- ErrorPages.cpp - What a code means ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorPages.h"

#include "error_pages.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>

namespace kiln::tool {
namespace {

constexpr std::string_view prefix = "KILN-";

std::string_view stripped(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

ErrorPage pageOf(const std::pair<std::string_view, std::string_view> &file) {
  ErrorPage page;
  page.code = file.first.substr(0, file.first.rfind('.'));
  page.text = file.second;
  // "# KILN-X005: a race"
  const std::string_view line = page.text.substr(0, page.text.find('\n'));
  page.title = stripped(line.substr(line.find(':') + 1));
  return page;
}

char letterOf(std::string_view code) { return code[prefix.size()]; }

int numberOf(std::string_view code) {
  int number = 0;
  std::from_chars(code.data() + prefix.size() + 1, code.data() + code.size(),
                  number);
  return number;
}

} // namespace

std::string_view ErrorPage::part(std::string_view name) const {
  const std::string mark = "\n**" + std::string(name) + ".**";
  const std::size_t found = text.find(mark);
  if (found == std::string_view::npos)
    return {};
  const std::string_view rest = text.substr(found + mark.size());
  return stripped(rest.substr(0, rest.find("\n**")));
}

std::optional<std::string> codeOf(std::string_view word) {
  std::string code = absl::AsciiStrToUpper(std::string(word));
  if (!code.starts_with(prefix))
    code.insert(0, prefix);
  const std::string_view rest = std::string_view(code).substr(prefix.size());
  constexpr std::size_t digits = 3;
  const bool isCode =
      rest.size() == 1 + digits && absl::ascii_isalpha(rest[0]) != 0 &&
      std::all_of(rest.begin() + 1, rest.end(),
                  [](char c) { return absl::ascii_isdigit(c) != 0; });
  return isCode ? std::optional(std::move(code)) : std::nullopt;
}

std::optional<ErrorPage> findErrorPage(std::string_view code) {
  for (const auto &file : pages::all)
    if (const ErrorPage page = pageOf(file); page.code == code)
      return page;
  return std::nullopt;
}

std::vector<ErrorPage> nearPages(std::string_view code, std::size_t most) {
  std::vector<ErrorPage> near;
  for (const auto &file : pages::all)
    if (const ErrorPage page = pageOf(file);
        letterOf(page.code) == letterOf(code))
      near.push_back(page);
  std::stable_sort(near.begin(), near.end(), [&](auto &a, auto &b) {
    return std::abs(numberOf(a.code) - numberOf(code)) <
           std::abs(numberOf(b.code) - numberOf(code));
  });
  near.resize(std::min(near.size(), most));
  return near;
}

std::string codeLetters() {
  std::set<char> letters;
  for (const auto &file : pages::all)
    letters.insert(letterOf(pageOf(file).code));
  std::string text;
  for (const char letter : letters)
    text += (text.empty() ? "" : ", ") + std::string(1, letter);
  return text;
}

} // namespace kiln::tool
