//===- LineScanner.cpp - Reads one line of assembly -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineScanner.h"

#include "AssemblyText.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace kiln::isa {

void LineScanner::skipBlanks() {
  while (at < line.size() &&
         (line[at] == ' ' || line[at] == '\t' || line[at] == '\r'))
    ++at;
  last = at;
}

bool LineScanner::atEnd() {
  skipBlanks();
  return at == line.size() || line[at] == ';';
}

bool LineScanner::peek(std::string_view text) {
  skipBlanks();
  if (!rest().starts_with(text))
    return false;
  bool isWord = isWordPart(text.back());
  std::size_t end = at + text.size();
  return !isWord || end == line.size() || !isWordPart(line[end]);
}

bool LineScanner::accept(std::string_view text) {
  if (!peek(text))
    return false;
  at += text.size();
  return true;
}

bool LineScanner::expect(std::string_view text) {
  return accept(text) ||
         fail("KILN-I040", fmt::format("expected '[|{}|]'", text));
}

char LineScanner::peekChar() {
  skipBlanks();
  return at < line.size() ? line[at] : '\0';
}

bool LineScanner::acceptChar(char c) {
  if (at >= line.size() || line[at] != c)
    return false;
  ++at;
  return true;
}

bool LineScanner::peekTerm() {
  char sign = peekChar();
  std::size_t next = line.find_first_not_of(" \t", at + 1);
  return (sign == '+' || sign == '-') && next != std::string_view::npos &&
         line[next] == 'r';
}

bool LineScanner::word(std::string_view &out, std::string_view what) {
  skipBlanks();
  std::size_t end = at;
  if (end < line.size() && (isWordStart(line[end]) || line[end] == '.'))
    while (end < line.size() && isWordPart(line[end]))
      ++end;
  out = line.substr(at, end - at);
  if (out.empty())
    return fail("KILN-I040", fmt::format("expected [|{}|]", what));
  at = end;
  return true;
}

bool LineScanner::name(std::string &out, std::string_view what) {
  skipBlanks();
  if (rest().starts_with('"'))
    return string(out);
  std::string_view text;
  if (!word(text, what))
    return false;
  out = text;
  return true;
}

bool LineScanner::string(std::string &out) {
  skipBlanks();
  out.clear();
  std::size_t i = at;
  if (i >= line.size() || line[i] != '"')
    return fail("KILN-I040", "expected [|a string in quotes|]");
  for (++i; i < line.size() && line[i] != '"'; ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    if (++i >= line.size())
      break;
    if (line[i] == '"' || line[i] == '\\') {
      out += line[i];
      continue;
    }
    unsigned value = 0;
    std::string_view digits = line.substr(i + 1).substr(0, 2);
    auto [end, status] = std::from_chars(
        digits.data(), digits.data() + digits.size(), value, 16);
    if (line[i] != 'x' || digits.size() != 2 || status != std::errc() ||
        end != digits.data() + 2)
      return fail("KILN-I040",
                  "the escapes in a string are \\\", \\\\ and \\xNN");
    out += static_cast<char>(value);
    i += 2;
  }
  if (i >= line.size())
    return fail("KILN-I040", "the string is not closed on its line");
  at = i + 1;
  return true;
}

bool LineScanner::number64(std::int64_t &out, bool hex, std::int64_t low,
                           std::int64_t high, std::string_view what) {
  skipBlanks();
  std::string_view text = rest();
  bool negative = low < 0 && text.starts_with('-');
  if (negative)
    text.remove_prefix(1);
  int base = 10;
  if (hex && text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  auto outside = [&] {
    return fail("KILN-I043",
                fmt::format("{} must be [|{} to {}|]", what, low, high));
  };
  if (status == std::errc::result_out_of_range)
    return outside();
  if (status != std::errc())
    return fail("KILN-I040", fmt::format("expected [|{}|]", what));
  auto limit =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value > limit + (negative ? 1 : 0))
    return outside();
  out = static_cast<std::int64_t>(negative ? 0 - value : value);
  if (out < low || out > high)
    return outside();
  at = static_cast<std::size_t>(end - line.data());
  return true;
}

bool LineScanner::integer(std::int64_t &out, std::int64_t low,
                          std::int64_t high, std::string_view what) {
  return number64(out, true, low, high, what);
}

bool LineScanner::decimal(std::int64_t &out, std::int64_t low,
                          std::int64_t high, std::string_view what) {
  return number64(out, false, low, high, what);
}

bool LineScanner::floating(float &out, std::string_view what) {
  skipBlanks();
  if (accept("bits(")) {
    std::int64_t bits = 0;
    if (!integer(bits, 0, 0xffffffff, "the bits of a float") || !expect(")"))
      return false;
    out = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return true;
  }
  if (accept("nan")) {
    out = std::bit_cast<float>(canonicalNan);
    return true;
  }
  std::string_view text = rest();
  // from_chars would also take nan(...) and infinity.
  std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  bool plausible = !digits.empty() && (isDigit(digits[0]) || digits[0] == '.');
  if (digits.starts_with("inf")) {
    plausible = true;
    text = text.substr(0, digits.data() - text.data() + 3);
  }
  auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (plausible && status == std::errc::result_out_of_range)
    return fail("KILN-I043", fmt::format("{} does not fit a float", what));
  if (!plausible || status != std::errc())
    return fail("KILN-I040", fmt::format("expected [|{}|]", what));
  at = static_cast<std::size_t>(end - line.data());
  return true;
}

bool LineScanner::numbered(char prefix, std::int64_t &out, std::int64_t high,
                           std::string_view what) {
  skipBlanks();
  if (at >= line.size() || line[at] != prefix)
    return fail("KILN-I040", fmt::format("expected [|{}|]", what));
  std::size_t begin = at++;
  if (at >= line.size() || !isDigit(line[at])) {
    at = begin;
    return fail("KILN-I040", fmt::format("expected [|{}|]", what));
  }
  return decimal(out, 0, high, what);
}

std::string_view LineScanner::hexDigits() {
  skipBlanks();
  std::size_t end = at;
  while (end < line.size() &&
         (isDigit(line[end]) || (line[end] >= 'a' && line[end] <= 'f')))
    ++end;
  std::string_view digits = line.substr(at, end - at);
  at = end;
  return digits;
}

std::string_view LineScanner::comment() {
  skipBlanks();
  return rest().starts_with(';') ? rest().substr(1) : std::string_view();
}

bool LineScanner::failAtLast(std::string_view code, std::string text) {
  at = last;
  return fail(code, std::move(text));
}

bool LineScanner::fail(std::string_view code, std::string text) {
  if (!diagnostic) {
    diagnostic = makeError(code, std::move(text));
    diagnostic->file = fileName;
    diagnostic->line = number;
    diagnostic->column = static_cast<std::uint32_t>(at + 1);
    diagnostic->excerpt = line;
  }
  return false;
}

} // namespace kiln::isa
