//===- SyncTokens.cpp - Token flows to waits and signals ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each token of a flow goes:
//
//   source: an instruction signals itself; a loop by a fence behind it.
//   target: an instruction waits itself; a loop by a fence in front of it.
//   completion: in front of the node that asks for it, or behind the loop.
//   carried by d iterations: the target stream gives itself d tokens an edge
//   in front of the outermost loop and takes what is left behind the next one:
//   behind its own, it would wait for the source there, and begin nothing of
//   the next one. Both ends are in one stream, so the count is exact however
//   far the source has run: the n-th wait passes when the source has made the
//   n-th signal less the credits. For the same reason flows between the same
//   two streams can share a semaphore when one ends in the program before the
//   other begins. Those of loops within one outermost loop all last as long as
//   that one. If semaphores run out, they share one, too, if they need as many
//   credits: the tokens that one loop leaves are the credits of the next.
//
//===----------------------------------------------------------------------===//

#include "SyncFlows.h"

#include "kiln/isa/limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace kiln::problems::sync {
namespace {

/// First and last item of the program that a flow spans.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Placer {
public:
  Placer(const SyncProblem &problem, const LoopTree &tree,
         std::size_t semaphores)
      : tree(tree), available(semaphores) {
    instructionAt.resize(problem.instructions.size());
    loopAt.resize(problem.loops.size());
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
      const SyncItem &item = problem.items[i];
      if (item.kind == SyncItem::Kind::instruction)
        instructionAt[item.index] = i;
      else if (item.kind == SyncItem::Kind::loopBegin)
        loopAt[item.index].begin = i;
      else
        loopAt[item.index].end = i;
    }
    solution.instructions.resize(problem.instructions.size());
    findDrains(problem);
  }

  Parsed<SyncSolution> run(const std::vector<Flow> &flows) {
    chains.resize(flows.size());
    std::iota(chains.begin(), chains.end(), std::size_t{0});
    std::vector<std::uint16_t> numbers = number(flows);
    if (tooMany()) {
      drainsLate = false;
      numbers = number(flows);
    }
    if (tooMany()) {
      chain(flows);
      numbers = number(flows);
    }
    if (tooMany())
      return {std::nullopt,
              fmt::format("the program needs {} semaphores, but the compiler "
                          "has {}; use fewer engines or DMA queues in one loop "
                          "nest",
                          solution.semaphores, available)};
    for (std::size_t i = 0; i < flows.size(); ++i)
      place(flows[i], numbers[i], chains[i] == i);
    for (auto &[key, tokens] : fences) {
      auto [loop, engine, stage] = key;
      solution.fences.push_back({static_cast<isa::Engine>(engine), loop,
                                 stage != before, std::move(tokens)});
    }
    if (overflow)
      return {std::nullopt,
              fmt::format("a loop needs more than {} tokens at once; split it "
                          "or use rings of fewer slots",
                          isa::maxTokens)};
    return {std::move(solution), ""};
  }

private:
  bool tooMany() const { return solution.semaphores > available; }

  /// In front of the loop; behind it, first what completes and reports the
  /// loop, then what only drains.
  enum Stage : int { before, report, drain };

  Span spanOf(const NodeRef &node) const {
    return node.loop
               ? loopAt[node.index]
               : Span{instructionAt[node.index], instructionAt[node.index]};
  }
  LoopId creditLoop(const Flow &flow) const {
    return flow.completes != noLoop ? flow.completes : tree.root(flow.block);
  }
  LoopId drainLoop(const Flow &flow) const {
    const LoopId loop = creditLoop(flow);
    if (flow.completes != noLoop || !drainsLate)
      return loop;
    return nextOf[static_cast<std::size_t>(flow.to)][loop];
  }

  /// By stream and outermost loop: the next one that the stream is in, or the
  /// same one.
  void findDrains(const SyncProblem &problem) {
    std::array<LoopId, isa::numEngines> last;
    last.fill(noLoop);
    for (std::vector<LoopId> &loops : nextOf) {
      loops.resize(problem.loops.size());
      for (LoopId loop = 0; loop < loops.size(); ++loop)
        loops[loop] = loop;
    }
    LoopId around = noLoop;
    for (const SyncItem &item : problem.items) {
      if (item.kind == SyncItem::Kind::instruction) {
        const auto engine =
            static_cast<std::size_t>(problem.instructions[item.index].engine);
        if (around == noLoop || last[engine] == around)
          continue;
        if (last[engine] != noLoop)
          nextOf[engine][last[engine]] = around;
        last[engine] = around;
      } else if (tree.parent(item.index) == noLoop) {
        around = item.kind == SyncItem::Kind::loopBegin ? item.index : noLoop;
      }
    }
  }
  Span spanOf(const Flow &flow) const {
    if (flow.before)
      return {loopAt[flow.completes].begin, spanOf(*flow.before).begin};
    if (flow.distance)
      return {loopAt[creditLoop(flow)].begin, loopAt[drainLoop(flow)].end};
    if (flow.block != noLoop)
      return loopAt[flow.block];
    return {spanOf(flow.edges.front().source).begin,
            spanOf(flow.edges.back().target).end};
  }

  static std::size_t creditsOf(const Flow &flow) {
    return flow.edges.size() * flow.distance;
  }

  /// Flows that share a semaphore and its credits: the first one brings them.
  /// Their loops follow each other, so signals and waits keep one order.
  void chain(const std::vector<Flow> &flows) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (flows[i].distance > 0 && flows[i].completes == noLoop)
        order.push_back(i);
    std::stable_sort(
        order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
          return loopAt[flows[a].block].begin < loopAt[flows[b].block].begin;
        });
    struct Chain {
      std::size_t first; ///< Flow.
      std::size_t end;   ///< Item.
    };
    std::map<std::tuple<unsigned, unsigned, LoopId, std::size_t>,
             std::vector<Chain>>
        known;
    for (std::size_t i : order) {
      const Flow &flow = flows[i];
      const Span span = loopAt[flow.block];
      std::vector<Chain> &alike =
          known[{flow.from, static_cast<unsigned>(flow.to),
                 tree.root(flow.block), creditsOf(flow)}];
      const auto found =
          std::find_if(alike.begin(), alike.end(), [&](const Chain &chain) {
            return chain.end < span.begin;
          });
      if (found == alike.end()) {
        alike.push_back({i, span.end});
        continue;
      }
      chains[i] = found->first;
      found->end = span.end;
    }
  }

  /// Semaphore of each flow: per pair of streams, the first that is free.
  std::vector<std::uint16_t> number(const std::vector<Flow> &flows) {
    solution.semaphores = 0;
    std::vector<std::size_t> order(flows.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::vector<Span> spans;
    for (const Flow &flow : flows)
      spans.push_back(spanOf(flow));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(spans[a].begin, a) < std::pair(spans[b].begin, b);
    });
    struct Lane {
      std::uint16_t semaphore;
      std::size_t end;
    };
    std::map<std::pair<unsigned, unsigned>, std::vector<Lane>> lanes;
    std::vector<std::uint16_t> numbers(flows.size());
    for (std::size_t i : order) {
      if (chains[i] != i)
        continue;
      auto &pair = lanes[{flows[i].from, static_cast<unsigned>(flows[i].to)}];
      Lane *lane = nullptr;
      for (Lane &candidate : pair)
        if (candidate.end < spans[i].begin) {
          lane = &candidate;
          break;
        }
      if (!lane) {
        pair.push_back({static_cast<std::uint16_t>(solution.semaphores++), 0});
        lane = &pair.back();
      }
      lane->end = spans[i].end;
      numbers[i] = lane->semaphore;
    }
    for (std::size_t i = 0; i < flows.size(); ++i)
      numbers[i] = numbers[chains[i]];
    return numbers;
  }

  void add(TokenList &tokens, std::uint16_t semaphore, std::size_t value) {
    for (Token &token : tokens)
      if (token.semaphore == semaphore) {
        value += token.value;
        overflow |= value > isa::maxTokens;
        token.value = static_cast<std::uint16_t>(value);
        return;
      }
    overflow |= value > isa::maxTokens;
    tokens.push_back({semaphore, static_cast<std::uint16_t>(value)});
  }
  SyncTokens &fence(LoopId loop, unsigned engine, Stage stage) {
    return fences[{loop, engine, stage}];
  }

  void place(const Flow &flow, std::uint16_t semaphore, bool bringsCredits) {
    unsigned to = static_cast<unsigned>(flow.to);
    const auto inFrontOf = [&](const NodeRef &target) -> SyncTokens & {
      return target.loop ? fence(target.index, to, before)
                         : solution.instructions[target.index];
    };
    for (const Flow::Edge &edge : flow.edges) {
      SyncTokens &source = edge.source.loop
                               ? fence(edge.source.index, flow.from, report)
                               : solution.instructions[edge.source.index];
      add(source.signals, semaphore, 1);
      add(inFrontOf(edge.target).waits, semaphore, 1);
    }
    if (flow.distance == 0 || !bringsCredits)
      return;
    std::size_t credits = creditsOf(flow);
    LoopId loop = creditLoop(flow);
    add(fence(loop, to, before).signals, semaphore, credits);
    SyncTokens &last = flow.before
                           ? inFrontOf(*flow.before)
                           : fence(drainLoop(flow), to,
                                   flow.completes != noLoop ? report : drain);
    add(last.waits, semaphore, credits);
  }

  const LoopTree &tree;
  std::size_t available; ///< Semaphores.
  std::vector<std::size_t> instructionAt;
  std::vector<Span> loopAt;
  std::array<std::vector<LoopId>, isa::numEngines> nextOf;
  bool drainsLate = true;
  std::vector<std::size_t> chains; ///< By flow: the first that it shares with.
  SyncSolution solution;
  std::map<std::tuple<LoopId, unsigned, int>, SyncTokens> fences;
  bool overflow = false;
};

} // namespace

Parsed<SyncSolution> placeTokens(const SyncProblem &problem,
                                 const LoopTree &tree,
                                 const std::vector<Flow> &flows,
                                 std::size_t semaphores) {
  return Placer(problem, tree, semaphores).run(flows);
}

} // namespace kiln::problems::sync

namespace kiln::problems {

Parsed<SyncSolution> solveSync(const SyncProblem &problem,
                               std::size_t semaphores) {
  if (Problem wrong = problem.check())
    return {std::nullopt, *wrong};
  sync::LoopTree tree(problem);
  return sync::placeTokens(problem, tree, sync::findFlows(problem, tree),
                           semaphores);
}

} // namespace kiln::problems
