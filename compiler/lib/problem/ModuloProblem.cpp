//===- ModuloProblem.cpp - Instances: check, bounds, text ------------- ===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
//   modulo
//   room psum 16384                  # bytes per partition
//   op scores tensor 213000          # name, engine, ps in its stream
//   op load sync 60000 work 900000   # a transfer, and its time on all engines
//   op late vector 60000 urgency 2   # gets its place before the others
//   edge 0 1 400000                  # from, to, latency
//   edge 1 0 200000 distance 1 spreads
//   buffer s psum 4096 users w0:213000 r1:300000   # release, in ps
//   buffer p sbuf 1024 copies 2 users w1:60000 r3:200000
//   buffer o psum 2048 shared 2 users w1:60000 r3:200000  # two lie in a bank
//   buffer u psum 2048 beside 2 users w1:60000 r3:200000  # or one beside o
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/ModuloProblem.h"

#include "TextReader.h"

#include <charconv>
#include <compare>
#include <fmt/format.h>
#include <limits>

namespace kiln::problems {

Problem ModuloProblem::check() const {
  const std::size_t size = operations.size();
  if (size == 0)
    return "no operations";
  for (const ModuloOperation &op : operations)
    if (op.issue < 0 || op.work < 0)
      return fmt::format("operation {}: a negative time", op.name);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const ModuloEdge &edge = edges[e];
    if (edge.from >= size || edge.to >= size)
      return fmt::format("edge {}: operation {} of {}", e,
                         std::max(edge.from, edge.to), size);
    if (edge.latency < 0)
      return fmt::format("edge {}: a negative latency", e);
    if (edge.distance == 0 && edge.from >= edge.to)
      return fmt::format("edge {}: from {} to {} within an iteration, against "
                         "the source order",
                         e, edge.from, edge.to);
  }
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const ModuloBuffer &buffer = buffers[b];
    if (buffer.beside &&
        (*buffer.beside >= b || buffers[*buffer.beside].space != buffer.space ||
         buffers[*buffer.beside].beside))
      return fmt::format("buffer {}: it cannot lie beside buffer {}",
                         buffer.name, *buffer.beside);
    if (buffer.bytes < 0)
      return fmt::format("buffer {}: {} bytes", buffer.name, buffer.bytes);
    if (buffer.shared == 0)
      return fmt::format("buffer {}: no copy in {} bytes", buffer.name,
                         buffer.bytes);
    if (buffer.users.empty() || !buffer.users.front().writes ||
        buffer.users.front().alsoReads)
      return fmt::format("buffer {}: nothing writes it first", buffer.name);
    for (const ModuloBuffer::User &user : buffer.users) {
      if (user.operation >= size)
        return fmt::format("buffer {}: user {} of {}", buffer.name,
                           user.operation, size);
      if (user.release < 0)
        return fmt::format("buffer {}: a negative time", buffer.name);
    }
  }
  if (sbufRoom < 0 || psumRoom < 0)
    return "room for a negative number of bytes";
  return std::nullopt;
}

/// With each buffer in bytes of its own.
static std::int64_t takenApart(const std::vector<ModuloBuffer> &buffers,
                               isa::Space space,
                               const std::vector<std::uint32_t> &copies) {
  std::int64_t bytes = 0;
  for (std::size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].space == space)
      bytes += buffers[b].taken(copies[b]);
  return bytes;
}

bool ModuloProblem::laysBeside(const std::vector<std::uint32_t> &copies) const {
  return takenApart(buffers, isa::Space::psum, copies) > psumRoom;
}

std::int64_t
ModuloProblem::taken(isa::Space space,
                     const std::vector<std::uint32_t> &copies) const {
  std::int64_t bytes = takenApart(buffers, space, copies);
  if (space != isa::Space::psum || !laysBeside(copies))
    return bytes;
  for (std::size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].beside && copies[b] == 1 && copies[*buffers[b].beside] == 1)
      bytes -= buffers[b].bytes;
  return bytes;
}

static std::int64_t floorDiv(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

std::vector<ModuloInstance> moduloOrder(const ModuloSolution &solution,
                                        std::uint32_t operations,
                                        std::uint32_t first,
                                        std::uint32_t end) {
  // At equal times as in the source: dependences without latency hold. In each
  // interval, what starts is in the same order, except that an iteration may
  // not have begun yet, or be over.
  struct Node {
    std::int64_t phase, turn;
    std::uint32_t operation;
    auto operator<=>(const Node &) const = default;
  };
  std::vector<ModuloInstance> order;
  if (operations == 0 || first >= end)
    return order;
  const std::int64_t interval = std::max<std::int64_t>(solution.interval, 1);
  const std::int64_t unroll = solution.unroll;
  std::vector<Node> nodes;
  for (std::int64_t u = 0; u < unroll; ++u)
    for (std::uint32_t op = 0; op < operations; ++op) {
      const std::int64_t start = solution.start[u * operations + op];
      const std::int64_t stage = floorDiv(start, interval);
      const std::int64_t phase = start - stage * interval;
      // Its iteration in interval 0.
      nodes.push_back({phase, u - stage * unroll, op});
    }
  std::sort(nodes.begin(), nodes.end());
  const std::size_t count = std::size_t{end - first} * operations;
  order.reserve(count);
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::int64_t now = never;
  const auto beginOf = [&](const Node &node) {
    return floorDiv(first - node.turn + unroll - 1, unroll);
  };
  for (const Node &node : nodes)
    now = std::min(now, beginOf(node));
  while (order.size() < count) {
    const std::size_t before = order.size();
    std::int64_t soonest = never;
    for (const Node &node : nodes) {
      const std::int64_t iteration = node.turn + now * unroll;
      if (iteration < first)
        soonest = std::min(soonest, beginOf(node));
      else if (iteration < end)
        order.push_back(
            {node.operation, static_cast<std::uint32_t>(iteration)});
    }
    now = order.size() == before ? soonest : now + 1;
  }
  return order;
}

std::string print(const ModuloProblem &problem) {
  std::string out = "modulo\n";
  for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum})
    out += fmt::format("room {} {}\n", isa::name(space), problem.room(space));
  for (const ModuloOperation &op : problem.operations) {
    out += fmt::format("op {} {} {}", op.name, isa::name(op.engine), op.issue);
    if (op.work)
      out += fmt::format(" work {}", op.work);
    if (op.urgency)
      out += fmt::format(" urgency {}", op.urgency);
    out += "\n";
  }
  for (const ModuloEdge &edge : problem.edges) {
    out += fmt::format("edge {} {} {}", edge.from, edge.to, edge.latency);
    if (edge.distance)
      out += fmt::format(" distance {}", edge.distance);
    out += edge.spreads ? " spreads\n" : "\n";
  }
  for (const ModuloBuffer &buffer : problem.buffers) {
    out += fmt::format("buffer {} {} {}", buffer.name, isa::name(buffer.space),
                       buffer.bytes);
    if (buffer.shared > 1)
      out += fmt::format(" shared {}", buffer.shared);
    if (buffer.beside)
      out += fmt::format(" beside {}", *buffer.beside);
    if (buffer.copies)
      out += fmt::format(" copies {}", buffer.copies);
    out += " users";
    for (const ModuloBuffer::User &user : buffer.users)
      out += fmt::format(" {}{}:{}",
                         user.alsoReads ? "u"
                         : user.writes  ? "w"
                                        : "r",
                         user.operation, user.release);
    out += "\n";
  }
  return out;
}

std::string print(const ModuloProblem &problem,
                  const ModuloSolution &solution) {
  std::string out = fmt::format("interval {} unroll {}\n", solution.interval,
                                solution.unroll);
  const std::size_t size = problem.operations.size();
  for (std::size_t node = 0; node < solution.start.size(); ++node)
    out +=
        fmt::format("{} {} at {} stage {}\n", node / size,
                    problem.operations[node % size].name, solution.start[node],
                    solution.start[node] / solution.interval);
  for (std::size_t b = 0; b < problem.buffers.size(); ++b)
    out += fmt::format("buffer {} copies {}\n", problem.buffers[b].name,
                       solution.copies[b]);
  return out;
}

/// "w0:213000 u1:5000 r2:700000": whether it writes, updates or reads, the
/// operation, its release.
static void readUsers(TextReader &reader, ModuloBuffer &buffer) {
  while (!reader.failed() && !reader.atEnd()) {
    const std::string_view word = reader.word();
    ModuloBuffer::User user;
    user.alsoReads = word.starts_with('u');
    user.writes = user.alsoReads || word.starts_with('w');
    const char *end = word.data() + word.size();
    auto [colon, wrong] = std::from_chars(word.data() + 1, end, user.operation);
    const bool isPair = (user.writes || word.starts_with('r')) &&
                        wrong == std::errc() && colon != end && *colon == ':';
    if (!isPair || std::from_chars(colon + 1, end, user.release).ptr != end)
      reader.fail("expected a user like w0:2000, u1:500 or r1:300, found '" +
                  std::string(word) + "'");
    buffer.users.push_back(user);
  }
}

Parsed<ModuloProblem> parseModuloProblem(std::string_view text) {
  ModuloProblem problem;
  TextReader reader(text);
  while (!reader.failed() && reader.nextLine()) {
    if (reader.accept("modulo")) {
    } else if (reader.accept("room")) {
      const isa::Space space = reader.onChipSpace();
      (space == isa::Space::psum ? problem.psumRoom : problem.sbufRoom) =
          reader.number<std::int64_t>();
    } else if (reader.accept("op")) {
      ModuloOperation op;
      op.name = reader.word();
      if (std::optional<isa::Engine> engine = isa::parseEngine(reader.word()))
        op.engine = *engine;
      else
        reader.fail("expected an engine");
      op.issue = reader.number<std::int64_t>();
      if (reader.accept("work"))
        op.work = reader.number<std::int64_t>();
      if (reader.accept("urgency"))
        op.urgency = reader.number<std::int64_t>();
      problem.operations.push_back(std::move(op));
    } else if (reader.accept("edge")) {
      ModuloEdge edge;
      edge.from = reader.number<std::uint32_t>();
      edge.to = reader.number<std::uint32_t>();
      edge.latency = reader.number<std::int64_t>();
      if (reader.accept("distance"))
        edge.distance = reader.number<std::uint32_t>();
      edge.spreads = reader.accept("spreads");
      problem.edges.push_back(edge);
    } else if (reader.accept("buffer")) {
      ModuloBuffer buffer;
      buffer.name = reader.word();
      buffer.space = reader.onChipSpace();
      buffer.bytes = reader.number<std::int64_t>();
      if (reader.accept("shared"))
        buffer.shared = reader.number<std::uint32_t>();
      if (reader.accept("beside"))
        buffer.beside = reader.number<std::uint32_t>();
      if (reader.accept("copies"))
        buffer.copies = reader.number<std::uint32_t>();
      if (!reader.accept("users"))
        reader.fail("expected users");
      readUsers(reader, buffer);
      problem.buffers.push_back(std::move(buffer));
    } else {
      reader.fail("expected modulo, room, op, edge or buffer");
    }
    reader.expectEnd();
  }
  return checked(reader, std::move(problem));
}

} // namespace kiln::problems
