//===- SourceLoops.cpp - The loops of the source around a place ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/source_loops.h"

#include "NumberedFact.h"

#include <algorithm>
#include <charconv>

namespace kiln::isa {

namespace {

/// The text up to `at`, which goes with it.
std::string_view taken(std::string_view &text, char at) {
  const std::string_view part = text.substr(0, text.find(at));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

/// All of the text is a number.
template <class Number> bool read(std::string_view text, Number &number) {
  const char *const end = text.data() + text.size();
  const auto found = std::from_chars(text.data(), end, number);
  return found.ec == std::errc{} && found.ptr == end;
}

} // namespace

std::string textOf(const std::vector<SourceLoop> &loops) {
  std::string text;
  for (const SourceLoop &loop : loops) {
    text += (text.empty() ? "" : ",") + std::to_string(loop.depth) + '=' +
            std::to_string(loop.trips);
    if (loop.turn)
      text += '@' + std::to_string(*loop.turn);
  }
  return text;
}

std::vector<SourceLoop> sourceLoopsFrom(std::string_view text) {
  std::vector<SourceLoop> loops;
  while (!text.empty()) {
    std::string_view entry = taken(text, ',');
    const bool isUnrolled = entry.find('@') != std::string_view::npos;
    SourceLoop loop;
    std::uint64_t turn = 0;
    const bool isRead = read(taken(entry, '='), loop.depth) &&
                        read(taken(entry, '@'), loop.trips) &&
                        (!isUnrolled || read(entry, turn));
    if (!isRead || (isUnrolled && turn >= loop.trips) ||
        (!loops.empty() && loops.back().depth >= loop.depth))
      continue;
    if (isUnrolled)
      loop.turn = turn;
    loops.push_back(loop);
  }
  return loops;
}

SourceLoops::SourceLoops(const Module &module) {
  eachOfFact(module, sourceLoopsFact,
             [&](std::uint32_t location, std::string_view text) {
               loops[location] = sourceLoopsFrom(text);
             });
}

const std::vector<SourceLoop> &SourceLoops::of(std::uint32_t location) const {
  static const std::vector<SourceLoop> none;
  const auto found = loops.find(location);
  return found == loops.end() ? none : found->second;
}

bool SourceLoops::isRepeated(std::uint32_t location) const {
  const std::vector<SourceLoop> &own = of(location);
  return std::any_of(own.begin(), own.end(),
                     [](const SourceLoop &loop) { return loop.trips > 1; });
}

void noteSourceLoops(Module &module, std::uint32_t location,
                     std::string_view text) {
  addToFact(module, sourceLoopsFact, location, text);
}

} // namespace kiln::isa
