//===- Schedule.cpp - The text form of schedules --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   schedule softmax trn2
//   loop rows pipelined interval 5710.000 iterations 1   # ns
//     ring x 3
//     op dma_copy.0 sync stage 0 at 0.000                # kernel.h:31
//
//===----------------------------------------------------------------------===//

#include "kiln/schedule.h"

#include <algorithm>
#include <charconv>

namespace kiln::schedule {
namespace {

constexpr std::string_view code = "KILN-P130";
constexpr std::string_view outside = "outside";
constexpr std::string_view turn = "turn";
constexpr std::string_view formNames[] = {"unordered", "ordered", "pipelined"};
constexpr std::string_view space = " \t\r";
/// Longest time that is read: a second, in ps.
constexpr std::int64_t mostTime = 1'000'000'000'000;
/// Of stages, iterations and copies: beyond what any loop can have.
constexpr std::uint32_t mostNumber = 4096;

/// ps as ns with three decimals.
std::string nanoseconds(std::int64_t ps) {
  return std::to_string(ps / 1000) + "." +
         std::to_string(1000 + ps % 1000).substr(1);
}

class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  isa::Expected<std::vector<Schedule>> read() {
    while (!isWrong && nextLine())
      readLine();
    if (!isWrong && schedules.empty())
      fail("it holds no schedule; the first line must be [|schedule KERNEL "
           "TARGET|]");
    if (isWrong)
      return error;
    return std::move(schedules);
  }

private:
  bool nextLine() {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      rest = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view()
                                           : text.substr(end + 1);
      ++line;
      rest = rest.substr(0, rest.find('#'));
      if (rest.find_first_not_of(space) != std::string_view::npos)
        return true;
    }
    return false;
  }

  /// Empty at the end of the line.
  std::string_view word() {
    const std::size_t first = rest.find_first_not_of(space);
    if (first == std::string_view::npos)
      return rest = {};
    const std::size_t end = rest.find_first_of(space, first);
    const std::string_view found = rest.substr(first, end - first);
    rest =
        end == std::string_view::npos ? std::string_view() : rest.substr(end);
    return found;
  }

  void fail(const std::string &marked) {
    if (isWrong)
      return;
    isWrong = true;
    error = isa::makeError(code, marked);
    error.line = line;
  }

  void expected(const std::string &what, std::string_view found) {
    fail("expected [|" + what + "|], found '<|" + std::string(found) + "|>'");
  }

  std::string name(const std::string &what) {
    const std::string_view found = word();
    if (found.empty())
      expected(what, "the end of the line");
    return std::string(found);
  }

  std::uint32_t number(std::uint32_t least, std::uint32_t most = mostNumber) {
    const std::string_view found = word();
    std::uint32_t value = 0;
    const auto [end, wrong] =
        std::from_chars(found.data(), found.data() + found.size(), value);
    if (wrong != std::errc() || end != found.data() + found.size() ||
        value < least || value > most)
      expected("a number from " + std::to_string(least) + " to " +
                   std::to_string(most),
               found);
    return value;
  }

  /// ns, with up to three decimals, as ps.
  std::int64_t time() {
    const std::string_view found = word();
    std::int64_t ps = 0;
    int digits = 0, places = -1; // Behind the point; -1: before it.
    bool isTime = !found.empty() && found.size() < 17;
    for (const char c : found) {
      if (c == '.' && places < 0 && digits > 0) {
        places = 0;
        continue;
      }
      isTime &= c >= '0' && c <= '9' && places < 3;
      ++digits;
      places += places >= 0;
      ps = isTime ? 10 * ps + (c - '0') : 0;
    }
    for (int i = std::max(places, 0); i < 3; ++i)
      ps *= 10;
    if (!isTime || places == 0 || ps > mostTime)
      expected("a time in ns of at most a second, like 12.5", found);
    return ps;
  }

  void readLine() {
    const std::string_view first = word();
    if (first == "schedule") {
      schedules.emplace_back();
      schedules.back().line = line;
      schedules.back().kernel = name("the name of a kernel");
      schedules.back().target = name("the name of a target");
      loop = nullptr;
    } else if (schedules.empty()) {
      expected("schedule KERNEL TARGET", first);
    } else if (first == "loop" || first == outside) {
      readLoop(first == outside);
    } else if (!loop) {
      expected("outside, or loop NAME", first);
    } else if (first == "ring") {
      Ring ring;
      ring.line = line;
      ring.name = name("the name of a buffer");
      ring.copies = number(1);
      loop->rings.push_back(std::move(ring));
    } else if (first == "op" || first == turn) {
      readOperation(first == turn);
    } else {
      expected("schedule, outside, loop, ring, op or turn", first);
    }
    if (const std::string_view more = word(); !isWrong && !more.empty())
      expected("the end of the line", more);
  }

  void readLoop(bool isOutside) {
    schedules.back().loops.emplace_back();
    loop = &schedules.back().loops.back();
    loop->line = line;
    if (isOutside)
      return;
    loop->name = name("the name of a loop");
    const std::string_view form = word();
    if (form == formNames[1])
      loop->form = Form::ordered;
    else if (form == formNames[2])
      loop->form = Form::pipelined;
    else if (form != formNames[0])
      expected("unordered, ordered or pipelined", form);
    for (std::string_view next = pipelinedWord(); !next.empty() && !isWrong;
         next = pipelinedWord())
      if (next == "interval")
        loop->interval = time();
      else if (next == "iterations")
        loop->iterations = number(1);
      else
        expected("interval or iterations", next);
  }

  /// What only pipelined loops have.
  std::string_view pipelinedWord() {
    const std::string_view found = word();
    if (!found.empty() && loop->form != Form::pipelined)
      expected("the end of the line: only pipelined loops have more", found);
    return found;
  }

  void readOperation(bool isTurn) {
    if (isTurn && loop->form != Form::pipelined)
      expected("op: only pipelined loops have turns", turn);
    Operation op;
    op.line = line;
    op.name = name("the name of an instruction");
    const std::string_view engine = word();
    if (const std::optional<isa::Engine> found = isa::parseEngine(engine))
      op.engine = *found;
    else
      expected("tensor, vector, scalar, gpsimd or sync", engine);
    if (isTurn)
      op.share = number(1, wholeShare - 1);
    for (std::string_view next = pipelinedWord(); !next.empty() && !isWrong;
         next = pipelinedWord())
      if (next == "stage")
        op.stage = number(0);
      else if (next == "iteration")
        op.iteration = number(0);
      else if (next == "at")
        op.at = time();
      else
        expected("stage, iteration or at", next);
    loop->operations.push_back(std::move(op));
  }

  std::string_view text, rest;
  std::uint32_t line = 0;
  std::vector<Schedule> schedules;
  Loop *loop = nullptr;
  bool isWrong = false;
  isa::Diagnostic error;
};

void addComment(std::string &text, std::size_t begin,
                const std::string &place) {
  constexpr std::size_t column = 56;
  if (place.empty())
    return;
  const std::size_t width = text.size() - begin;
  text.append(width < column ? column - width : 1, ' ');
  text += "# " + place;
}

} // namespace

std::string print(const Loop &loop) {
  std::string text =
      loop.name.empty()
          ? std::string(outside)
          : "loop " + loop.name + " " +
                std::string(formNames[static_cast<std::size_t>(loop.form)]);
  if (loop.interval)
    text += " interval " + nanoseconds(*loop.interval);
  if (loop.iterations != 1)
    text += " iterations " + std::to_string(loop.iterations);
  addComment(text, 0, loop.place);
  text += "\n";
  for (const Ring &ring : loop.rings)
    text += "  ring " + ring.name + " " + std::to_string(ring.copies) + "\n";
  for (const Operation &op : loop.operations) {
    const std::size_t begin = text.size();
    text += "  " + std::string(op.isTurn() ? turn : "op") + " " + op.name +
            " " + std::string(isa::name(op.engine));
    if (op.isTurn())
      text += " " + std::to_string(op.share);
    if (loop.form == Form::pipelined)
      text += " stage " + std::to_string(op.stage);
    if (op.iteration != 0)
      text += " iteration " + std::to_string(op.iteration);
    if (op.at)
      text += " at " + nanoseconds(*op.at);
    addComment(text, begin, op.place);
    text += "\n";
  }
  return text;
}

std::string print(const Schedule &schedule) {
  std::string text =
      "schedule " + schedule.kernel + " " + schedule.target + "\n";
  for (const Loop &loop : schedule.loops)
    text += "\n" + print(loop);
  return text;
}

isa::Expected<std::vector<Schedule>> parseSchedules(std::string_view text) {
  return Reader(text).read();
}

} // namespace kiln::schedule
