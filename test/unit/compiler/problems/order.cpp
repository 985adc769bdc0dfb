//===- order.cpp - Order: solver against every permutation ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "catch.h"
#include "kiln/compiler/solve/OrderSolver.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::problems;

namespace {

OrderProblem randomBlock(std::uint64_t seed, unsigned size, bool loop) {
  test::Random random(seed);
  OrderProblem problem;
  problem.loop = loop;
  for (unsigned i = 0; i < size; ++i) {
    OrderOperation op;
    op.engine = static_cast<isa::Engine>(random.below(3));
    if (random.oneIn(4)) {
      op.engine = isa::Engine::sync;
      op.queue = static_cast<std::int32_t>(random.below(2));
      op.issue = 10;
    }
    op.occupancy = 50 + random.below(300);
    op.latency = op.occupancy + random.below(200);
    problem.operations.push_back(op);
    for (unsigned from = 0; from < i; ++from)
      if (random.oneIn(4))
        problem.edges.push_back({from, i, problem.operations[from].latency, 0});
    if (loop && random.oneIn(2)) {
      std::uint32_t to = random.below(i + 1);
      problem.edges.push_back({i, to, op.latency, 1 + random.below(2)});
    }
  }
  return problem;
}

std::int64_t score(const OrderProblem &problem, const OrderSolution &solution) {
  OrderReport report = replayOrder(problem, solution);
  return problem.loop ? report.interval : report.makespan;
}

} // namespace

TEST_CASE("an order never beats its bounds and stays near the best") {
  std::int64_t solved = 0, best = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    bool loop = seed % 2;
    OrderProblem problem = randomBlock(seed, 6, loop);
    REQUIRE_FALSE(problem.check());
    OrderSolution solution = solveOrder(problem);
    REQUIRE_FALSE(verify(problem, solution));
    OrderBounds bounds = orderBounds(problem);
    std::int64_t reached = score(problem, solution);
    CHECK(reached <= score(problem, solveOrderAsWritten(problem)));

    std::int64_t least = reached;
    OrderSolution any = solveOrderAsWritten(problem);
    do {
      if (!verify(problem, any))
        least = std::min(least, score(problem, any));
    } while (std::next_permutation(any.order.begin(), any.order.end()));
    if (loop) {
      // The interval is measured over a window, so allow its rounding.
      CHECK(least + 1 >= bounds.resource);
      CHECK(least + 1 >= bounds.recurrence);
    } else {
      CHECK(least >= bounds.path);
      CHECK(least >= bounds.resource);
    }
    solved += reached;
    best += least;
  }
  INFO("solver " << solved << ", best of all orders " << best);
  CHECK(solved * 100 <= best * 105);
}

TEST_CASE("scores of the next step go before values of this one") {
  // As written, the tensor engine waits for the softmax; the edges allow the
  // next score product in between.
  auto parsed = parseOrderProblem(R"(loop
    op tensor 100 100     # 0 scores of the next step
    op scalar 90 90       # 1 exp of this step's scores
    op tensor 100 100     # 2 values
    edge 0 1 100 distance 1
    edge 1 2 90
    edge 2 2 100 distance 1
  )");
  REQUIRE(parsed.value);
  OrderBounds bounds = orderBounds(*parsed.value);
  CHECK(bounds.resource == 200);
  CHECK(bounds.recurrence == 100);
  CHECK(score(*parsed.value, solveOrder(*parsed.value)) == 200);
}

TEST_CASE("recurrences bound the interval") {
  auto parsed = parseOrderProblem(R"(loop
    op vector 10 70
    op scalar 10 50
    edge 0 1 70
    edge 1 0 50 distance 2
  )");
  REQUIRE(parsed.value);
  CHECK(orderBounds(*parsed.value).recurrence == 60);
  CHECK(score(*parsed.value, solveOrder(*parsed.value)) == 60);
}

TEST_CASE("order verification refuses what breaks an edge") {
  OrderProblem problem = randomBlock(3, 5, false);
  problem.edges = {{0, 4, 10, 0}};
  CHECK_FALSE(verify(problem, {{1, 0, 2, 4, 3}}));
  CHECK(verify(problem, {{4, 0, 1, 2, 3}}));
  CHECK(verify(problem, {{0, 0, 1, 2, 3}}));
  CHECK(verify(problem, {{0, 1, 2, 3}}));
  problem.edges = {{4, 0, 10, 0}};
  CHECK(problem.check());
  problem.edges = {{0, 1, 10, 1}};
  CHECK(problem.check());
}

TEST_CASE("what has no room in memory is held back") {
  // Products of one engine that another one reads, one bank each; all of them
  // are written first.
  auto parsed = parseOrderProblem(R"(straight
    op tensor 10 10
    op tensor 10 10
    op tensor 10 10
    op tensor 10 10
    op vector 100 100
    op vector 100 100
    op vector 100 100
    op vector 100 100
    edge 0 4 10
    edge 1 5 10
    edge 2 6 10
    edge 3 7 10
    buffer psum 2048 0 4
    buffer psum 2048 1 5
    buffer psum 2048 2 6
    buffer psum 2048 3 7
  )");
  REQUIRE(parsed.value);
  OrderProblem problem = *parsed.value;
  const auto mostLive = [&](const OrderSolution &solution) {
    OrderProblem all = problem;
    all.psumRoom = 1;
    return excessBytes(all, solution) + 1;
  };
  CHECK(mostLive(solveOrderAsWritten(problem)) == 4 * 2048);
  for (std::int64_t room : {4096, 2048}) {
    problem.psumRoom = room;
    OrderSolution solution = solveOrder(problem);
    CHECK_FALSE(verify(problem, solution));
    CHECK(mostLive(solution) <= room);
    CHECK(excessBytes(problem, solution) == 0);
  }
  // Nothing fits: an order comes out all the same, and says by how much.
  problem.psumRoom = 2047;
  OrderSolution solution = solveOrder(problem);
  CHECK_FALSE(verify(problem, solution));
  CHECK(excessBytes(problem, solution) == 1);
}

TEST_CASE("loads come in the order in which they are needed") {
  // Of tiles of a product, each of which needs two loads a step; one of them is
  // for all tiles, and only two tiles have room.
  const auto byNeed = [](const OrderProblem &problem, OrderSolution solution) {
    const std::size_t size = problem.operations.size();
    std::vector<std::size_t> place(size), need(size, size);
    for (std::size_t i = 0; i < size; ++i)
      place[solution.order[i]] = i;
    for (const OrderEdge &edge : problem.edges)
      need[edge.from] = std::min(need[edge.from], place[edge.to]);
    std::vector<std::size_t> places;
    std::vector<std::uint32_t> loads;
    for (std::size_t i = 0; i < size; ++i)
      if (problem.operations[solution.order[i]].queue >= 0) {
        places.push_back(i);
        loads.push_back(solution.order[i]);
      }
    std::stable_sort(
        loads.begin(), loads.end(),
        [&](std::uint32_t a, std::uint32_t b) { return need[a] < need[b]; });
    for (std::size_t i = 0; i < places.size(); ++i)
      solution.order[places[i]] = loads[i];
    return solution;
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    test::Random random(seed);
    OrderProblem problem;
    const unsigned steps = 2 + random.below(4), tiles = 2 + random.below(4);
    const auto load = [&] {
      OrderOperation op;
      op.engine = isa::Engine::sync;
      op.queue = static_cast<std::int32_t>(random.below(4));
      op.issue = 10;
      op.moving = 300;
      op.occupancy = op.latency = 1000;
      problem.operations.push_back(op);
    };
    // As written, all of one kind come first.
    for (unsigned i = 0; i < steps * (1 + tiles); ++i)
      load();
    for (unsigned tile = 0; tile < tiles; ++tile) {
      OrderBuffer buffer{isa::Space::psum, 2048, {}};
      for (unsigned step = 0; step <= steps; ++step) {
        OrderOperation op;
        op.engine = step < steps ? isa::Engine::tensor : isa::Engine::vector;
        op.occupancy = 100 + random.below(400);
        op.latency = op.occupancy + 100;
        const auto at = static_cast<std::uint32_t>(problem.operations.size());
        problem.operations.push_back(op);
        buffer.users.push_back(at);
        if (step > 0)
          problem.edges.push_back(
              {at - 1, at, problem.operations[at - 1].latency, 0});
        if (step == steps)
          continue;
        problem.edges.push_back({step, at, 1000, 0});
        problem.edges.push_back({steps * (1 + tile) + step, at, 1000, 0});
      }
      problem.buffers.push_back(buffer);
    }
    problem.psumRoom = 4096;
    REQUIRE_FALSE(problem.check());
    const OrderSolution solution = solveOrder(problem);
    CHECK_FALSE(verify(problem, solution));
    CHECK(score(problem, solution) <=
          score(problem, byNeed(problem, solution)));
  }
}

TEST_CASE("a bank is there when its last user is done") {
  // Two products through one bank, each read by another engine.
  OrderProblem problem;
  problem.loop = true;
  for (int i = 0; i < 2; ++i) {
    OrderOperation product, reader;
    product.engine = isa::Engine::tensor;
    product.occupancy = product.latency = 100;
    reader.engine = isa::Engine::vector;
    reader.occupancy = reader.latency = 300;
    auto at = static_cast<std::uint32_t>(problem.operations.size());
    problem.operations.push_back(product);
    problem.operations.push_back(reader);
    problem.edges.push_back({at, at + 1, 100, 0});
    problem.buffers.push_back({isa::Space::psum, 2048, {at, at + 1}});
  }
  OrderSolution solution = solveOrderAsWritten(problem);
  problem.psumRoom = 2048;
  CHECK(replayOrder(problem, solution).interval == 800);
  problem.psumRoom = 4096; // The next product while this one is read.
  CHECK(replayOrder(problem, solution).interval == 600);
  CHECK(score(problem, solveOrder(problem)) == 600);
}

TEST_CASE("the tensor engine is slow where it has little to do") {
  // One product in an iteration of another engine's length.
  OrderProblem problem;
  problem.loop = true;
  OrderOperation product, other;
  product.engine = isa::Engine::tensor;
  product.occupancy = product.latency = 300;
  other.engine = isa::Engine::vector;
  problem.warmUp = {3000, 0.5, 0.9};
  // Slow, it takes 600: all of its time, so it warms up, and 300 of 550 keep
  // it warm.
  other.occupancy = other.latency = 550;
  problem.operations = {product, other};
  problem.edges = {{0, 1, 300, 0}, {1, 0, 0, 1}};
  problem.edges.push_back({0, 0, 300, 1});
  OrderSolution solution = solveOrderAsWritten(problem);
  CHECK(replayOrder(problem, solution).interval == 550);
  // 300 of 700 do not: once slow, always slow, but nobody waits for it.
  problem.operations[1].occupancy = problem.operations[1].latency = 700;
  problem.edges = {{0, 1, 300, 0}};
  CHECK(replayOrder(problem, solution).interval == 700);
  // Where the other one is waited for, each iteration takes both in full.
  problem.edges.push_back({1, 0, 700, 1});
  CHECK(replayOrder(problem, solution).interval == 1300);
  problem.warmUp = {};
  CHECK(replayOrder(problem, solution).interval == 1000);
}

TEST_CASE("the trips of a loop weigh an iteration against the first one") {
  // What is best for one iteration is no shorter in the long run, and the other
  // way round.
  OrderProblem problem = randomBlock(7, 8, true);
  problem.trips = 1;
  std::int64_t once = replayOrder(problem, solveOrder(problem)).makespan;
  problem.trips = 1000;
  OrderReport often = replayOrder(problem, solveOrder(problem));
  CHECK(once <= often.makespan);
  problem.trips = 1;
  CHECK(often.interval <= replayOrder(problem, solveOrder(problem)).interval);
}

TEST_CASE("transfers of a straight line share the DMA engines") {
  // Two loads on two queues, and who reads the second one.
  OrderProblem problem;
  for (int queue = 0; queue < 2; ++queue) {
    OrderOperation load;
    load.queue = queue;
    load.issue = 10;
    load.occupancy = 450;
    load.latency = 1400;
    load.moving = 400;
    problem.operations.push_back(load);
  }
  problem.operations.push_back({isa::Engine::tensor, -1, 0, 100, 100});
  problem.edges = {{1, 2, 1400, 0}};
  const OrderSolution asWritten = solveOrderAsWritten(problem);
  CHECK(replayOrder(problem, asWritten).makespan == 10 + 400 + 1400 + 100);
  CHECK(replayOrder(problem, solveOrder(problem)).makespan == 10 + 400 + 1400);
  // In a loop, each queue is as fast as it is alone.
  problem.loop = true;
  CHECK(replayOrder(problem, asWritten).makespan == 20 + 1400 + 100);
}

TEST_CASE("the first chain is through when it has its operands") {
  // Two chains of products through a bank each, and what comes behind needs a
  // bank: side by side, the two would end together.
  OrderProblem problem;
  const auto add = [&](isa::Engine engine, std::int64_t time) {
    problem.operations.push_back({engine, -1, 0, time, time});
    return static_cast<std::uint32_t>(problem.operations.size()) - 1;
  };
  for (int chain = 0; chain < 3; ++chain) {
    std::vector<std::uint32_t> users;
    for (int i = 0; i < 4; ++i) {
      users.push_back(add(isa::Engine::tensor, 200));
      if (i > 0)
        problem.edges.push_back({users.back() - 1, users.back(), 200, 0});
    }
    users.push_back(add(isa::Engine::vector, 600));
    problem.edges.push_back({users.back() - 1, users.back(), 200, 0});
    problem.buffers.push_back({isa::Space::psum, 2048, users});
  }
  problem.psumRoom = 4096;
  // The tensor engine never waits; the last result is read behind it.
  CHECK(replayOrder(problem, solveOrder(problem)).makespan == 12 * 200 + 600);
}

TEST_CASE("start times that are given order a block") {
  OrderProblem problem;
  for (int i = 0; i < 4; ++i)
    problem.operations.push_back({isa::Engine::vector, -1, 0, 100, 150});
  problem.operations[0].start = 500;
  problem.operations[1].start = 100;
  CHECK(solveOrder(problem).order == std::vector<std::uint32_t>{2, 3, 1, 0});
  // What has no time starts when its inputs are there, and what comes after it
  // no earlier, whatever its own time says.
  problem.edges = {{0, 2, 150, 0}, {2, 3, 150, 0}};
  problem.operations[3].start = 0;
  CHECK(solveOrder(problem).order == std::vector<std::uint32_t>{1, 0, 2, 3});
  // A transfer that nobody waits for comes first if it waits for nothing, and
  // last if it does.
  problem.operations[1].queue = 0;
  problem.operations[1].start = std::nullopt;
  CHECK(solveOrder(problem).order == std::vector<std::uint32_t>{1, 0, 2, 3});
  problem.edges.push_back({0, 1, 150, 0});
  CHECK(solveOrder(problem).order == std::vector<std::uint32_t>{0, 2, 3, 1});
  // Others come in the order of their need: 2 waits for 0 until 400.
  OrderProblem loads = problem;
  loads.edges = {{0, 2, 100, 0}, {1, 3, 100, 0}};
  for (OrderOperation &op : loads.operations)
    op.start = std::nullopt;
  loads.operations[0].queue = loads.operations[1].queue = 0;
  loads.operations[2].start = 400;
  loads.operations[3].start = 300;
  CHECK(solveOrder(loads).order == std::vector<std::uint32_t>{1, 0, 3, 2});
  // If they do not fit in memory, times are no reason to refuse.
  problem.edges.clear();
  problem.psumRoom = 2048;
  problem.operations[2].start = 200;
  problem.operations[3].start = 300;
  problem.buffers = {{isa::Space::psum, 2048, {0, 2}},
                     {isa::Space::psum, 2048, {1, 3}}};
  CHECK(excessBytes(problem, solveOrderAsTimed(problem)) > 0);
  CHECK(excessBytes(problem, solveOrder(problem)) == 0);
}

TEST_CASE(
    "a load of code that runs once waits for those that are needed earlier") {
  constexpr std::int64_t us = 1'000'000;
  OrderProblem problem;
  for (const isa::Engine engine : {isa::Engine::sync, isa::Engine::sync,
                                   isa::Engine::sync, isa::Engine::vector})
    problem.operations.push_back({engine, -1, 0, us, us});
  for (const std::uint32_t load : {0, 1, 2})
    problem.operations[load].queue = 0;
  problem.operations[1].start = 10 * us;
  problem.operations[2].start = 14 * us;
  problem.operations[3].start = 18 * us;
  // What reads both waits 7 us for the one that comes first.
  problem.edges = {{0, 3, us, 0}, {1, 3, 7 * us, 0}};
  CHECK(solveOrder(problem).order == std::vector<std::uint32_t>{1, 2, 0, 3});
  // Beside other iterations, it runs ahead.
  problem.loop = true;
  CHECK(solveOrder(problem).order == std::vector<std::uint32_t>{0, 1, 2, 3});
  problem.loop = false;
  // The start time says 8 us after it, but the reader may be ready after 2.
  problem.edges.back().latency = 2 * us;
  CHECK(solveOrder(problem).order == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("order instances print and parse") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    OrderProblem problem = randomBlock(seed, 9, seed % 2);
    problem.psumRoom = seed % 3 * 2048;
    problem.trips = seed % 4 == 1 ? 16 : 0;
    if (seed % 5 == 0)
      problem.warmUp = {3000, 0.5, 0.9};
    problem.buffers = {{isa::Space::psum, 2048, {1, 4, 8}},
                       {isa::Space::sbuf, 64, {0}}};
    if (seed % 3 == 0)
      problem.operations[4].start = -700;
    problem.operations[5].moving = seed % 4 * 100;
    std::string text = print(problem);
    auto parsed = parseOrderProblem(text);
    REQUIRE(parsed.value);
    CHECK(print(*parsed.value) == text);
  }
  CHECK(parseOrderProblem("op cook 1 2").error == "line 1: expected an engine");
  CHECK(parseOrderProblem("loop -1").error == "-1 trips");
  CHECK(parseOrderProblem("warmup 3000 0 0.9").error ==
        "a window of 3000 ps and a rate of 0 while cold");
  CHECK(parseOrderProblem("room dram 4").error ==
        "line 1: expected sbuf or psum");
  CHECK(parseOrderProblem("op tensor 1 1\nbuffer psum 4 1").error ==
        "buffer 0: its users must ascend and be among 1 operations");
  CHECK(parseOrderProblem("op tensor 1").error ==
        "line 1: expected a number, found ''");
}

TEST_CASE("a hundred thousand operations are ordered") {
  OrderProblem problem;
  test::Random random(1);
  for (std::uint32_t i = 0; i < 100000; ++i) {
    problem.operations.push_back(
        {static_cast<isa::Engine>(random.below(4)), -1, 0, 100, 150});
    if (i > 10)
      problem.edges.push_back({i - 1 - random.below(10), i, 150, 0});
  }
  OrderSolution solution = solveOrder(problem);
  CHECK_FALSE(verify(problem, solution));
}

TEST_CASE("equal blocks are ordered once, and no others") {
  OrderSolver solver;
  std::vector<OrderProblem> blocks;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    blocks.push_back(randomBlock(seed, 12, true));
  for (unsigned turn = 0; turn < 3; ++turn)
    for (const OrderProblem &block : blocks)
      CHECK(solver.solve(block).order == solveOrder(block).order);
  CHECK(solver.searches() == 4);
  // Whatever differs makes it another block.
  const auto change = [&](auto edit) {
    OrderProblem other = blocks.front();
    edit(other);
    const unsigned before = solver.searches();
    CHECK(solver.solve(other).order == solveOrder(other).order);
    CHECK(solver.searches() == before + 1);
  };
  change([](OrderProblem &other) { ++other.operations[3].occupancy; });
  change([](OrderProblem &other) { ++other.edges[2].latency; });
  change([](OrderProblem &other) { other.trips = 2; });
  change([](OrderProblem &other) { other.sbufRoom = 1; });
  change([](OrderProblem &other) {
    other.buffers.push_back({isa::Space::sbuf, 64, {0, 1}});
  });
}

TEST_CASE("of the waits for one operation, the longest counts") {
  OrderProblem problem = randomBlock(1, 8, true);
  OrderProblem twice = problem;
  for (const OrderEdge &edge : problem.edges)
    twice.edges.insert(twice.edges.begin(),
                       {edge.from, edge.to, edge.latency / 2, edge.distance});
  const OrderSolution order = solveOrder(problem);
  const OrderReport once = replayOrder(problem, order),
                    both = replayOrder(twice, order);
  CHECK(once.makespan == both.makespan);
  CHECK(once.interval == both.interval);
  for (OrderEdge &edge : twice.edges)
    edge.latency *= 2;
  CHECK(replayOrder(twice, order).interval > once.interval);
}
