//===- LineDiff.cpp - What differs between two texts ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithm is that of Myers, "An O(ND) Difference Algorithm and Its
// Variations", 1986.
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/line_diff.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace kiln::tool {

namespace {

/// Texts that differ in more lines are taken to have nothing in common.
constexpr std::ptrdiff_t mostChanges = 2000;
constexpr std::size_t context = 2;

using Lines = std::vector<std::string_view>;

Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The line without what does not matter.
std::string keyOf(std::string_view line) {
  const auto isName = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '#';
  };
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::string key;
  for (std::size_t i = 0; i < line.size(); ++i) {
    key += line[i];
    if (line[i] == '%')
      while (i + 1 < line.size() && isName(line[i + 1]))
        ++i;
  }
  return key;
}

std::vector<std::string> keysOf(const Lines &lines) {
  std::vector<std::string> keys;
  for (const std::string_view line : lines)
    keys.push_back(keyOf(line));
  return keys;
}

/// Lines of `before` and of `after` that are alike, in order.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Of the lines from `begin` up to the ends.
Pairs middle(const std::vector<std::string> &before,
             const std::vector<std::string> &after, std::size_t begin,
             std::size_t beforeEnd, std::size_t afterEnd) {
  const auto n = static_cast<std::ptrdiff_t>(beforeEnd - begin),
             m = static_cast<std::ptrdiff_t>(afterEnd - begin);
  const std::ptrdiff_t most = std::min(n + m, mostChanges);
  // Of each diagonal how far `before` has been followed; one list per round.
  std::vector<std::ptrdiff_t> far(static_cast<std::size_t>(2 * most + 3), 0);
  std::vector<std::vector<std::ptrdiff_t>> rounds;
  const auto at = [most](std::ptrdiff_t k) {
    return static_cast<std::size_t>(k + most + 1);
  };
  const auto same = [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    return before[begin + static_cast<std::size_t>(x)] ==
           after[begin + static_cast<std::size_t>(y)];
  };
  const auto isDown = [&](std::ptrdiff_t k, std::ptrdiff_t d,
                          const auto &reached) {
    return k == -d || (k != d && reached(k - 1) < reached(k + 1));
  };
  for (std::ptrdiff_t d = 0; d <= most; ++d) {
    rounds.emplace_back(far.begin() + (most + 1 - d - 1),
                        far.begin() + (most + 1 + d + 2));
    const auto reached = [&](std::ptrdiff_t k) { return far[at(k)]; };
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x =
          isDown(k, d, reached) ? reached(k + 1) : reached(k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && same(x, x - k))
        ++x;
      far[at(k)] = x;
      if (x < n || x - k < m)
        continue;
      // Back to the start, along what each round had reached.
      Pairs pairs;
      std::ptrdiff_t y = m;
      x = n;
      for (; d >= 0; --d) {
        const std::vector<std::ptrdiff_t> &then =
            rounds[static_cast<std::size_t>(d)];
        const auto was = [&](std::ptrdiff_t diagonal) {
          return then[static_cast<std::size_t>(diagonal + d + 1)];
        };
        const std::ptrdiff_t diagonal = x - y;
        const bool down = isDown(diagonal, d, was);
        const std::ptrdiff_t fromX = d == 0 ? 0
                                     : down ? was(diagonal + 1)
                                            : was(diagonal - 1);
        const std::ptrdiff_t fromY =
            d == 0 ? 0 : fromX - (down ? diagonal + 1 : diagonal - 1);
        while (x > fromX && y > fromY) {
          pairs.emplace_back(begin + static_cast<std::size_t>(--x),
                             begin + static_cast<std::size_t>(--y));
        }
        x = fromX;
        y = fromY;
      }
      std::reverse(pairs.begin(), pairs.end());
      return pairs;
    }
  }
  return {};
}

Pairs alike(const std::vector<std::string> &before,
            const std::vector<std::string> &after) {
  std::size_t begin = 0, beforeEnd = before.size(), afterEnd = after.size();
  Pairs pairs;
  while (begin < std::min(beforeEnd, afterEnd) &&
         before[begin] == after[begin]) {
    pairs.emplace_back(begin, begin);
    ++begin;
  }
  while (std::min(beforeEnd, afterEnd) > begin &&
         before[beforeEnd - 1] == after[afterEnd - 1]) {
    --beforeEnd;
    --afterEnd;
  }
  const Pairs between = middle(before, after, begin, beforeEnd, afterEnd);
  pairs.insert(pairs.end(), between.begin(), between.end());
  for (; beforeEnd < before.size(); ++beforeEnd, ++afterEnd)
    pairs.emplace_back(beforeEnd, afterEnd);
  return pairs;
}

/// Writes the stretches that differ.
class Writer {
public:
  Writer(const Lines &before, const Lines &after)
      : before(before), after(after) {}

  LineDiff write(const Pairs &pairs) {
    std::size_t b = 0, a = 0;
    for (const auto &[nextB, nextA] : pairs) {
      differ(b, nextB, a, nextA);
      b = nextB + 1;
      a = nextA + 1;
    }
    differ(b, before.size(), a, after.size());
    lead(after.size(), trail);
    return std::move(diff);
  }

private:
  void differ(std::size_t b, std::size_t bEnd, std::size_t a,
              std::size_t aEnd) {
    if (b == bEnd && a == aEnd)
      return;
    // Alike lines behind the stretch before this one, and in front of it.
    if (isOpen && a - shownTo <= 2 * context) {
      lead(a, a - shownTo);
    } else {
      lead(after.size(), trail);
      shownTo = std::max(shownTo, a - std::min(a, context));
      diff.text += "@@ " + std::to_string(shownTo + 1) + " @@\n";
      lead(a, a - shownTo);
    }
    for (; b < bEnd; ++b, ++diff.removed)
      add('-', before[b]);
    for (; a < aEnd; ++a, ++diff.added)
      add('+', after[a]);
    shownTo = aEnd;
    isOpen = true;
    trail = context;
  }
  /// Up to `count` alike lines, not beyond `end`.
  void lead(std::size_t end, std::size_t count) {
    for (; isBegun() && count > 0 && shownTo < end; --count)
      add(' ', after[shownTo++]);
  }
  void add(char mark, std::string_view line) {
    diff.text += mark;
    diff.text += line;
    diff.text += '\n';
  }
  bool isBegun() const { return !diff.text.empty(); }

  const Lines &before, &after;
  LineDiff diff;
  std::size_t shownTo = 0; ///< In `after`.
  std::size_t trail = 0;
  bool isOpen = false;
};

} // namespace

LineDiff diffOfIr(std::string_view before, std::string_view after) {
  const Lines old = linesOf(before), now = linesOf(after);
  return Writer(old, now).write(alike(keysOf(old), keysOf(now)));
}

} // namespace kiln::tool
