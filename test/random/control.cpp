//===- control.cpp - Loops, conditions, bursts of chance ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>

namespace kiln::test {
Index Generator::drawRegister(std::int64_t &low, std::int64_t &high) {
  const Tensor &numbers = tensors.front();
  const Index row = start(numbers.rows, 1, 1, true);
  const Index col = start(numbers.cols, 1, 1, true);
  ViewRef view = rec->slice(numbers.ref, 0, row.value(), 1, 1, here());
  view = rec->slice(view, 1, col.value(), 1, 1, here());
  const Index value = rec->loadRegister(view, "", here());
  const std::int64_t bound = choices.pick({2, 3, 4, 5});
  low = 0;
  high = bound - 1;
  return value % bound;
}

Condition Generator::drawCondition() {
  if (counters.empty() || choices.percent(20)) {
    std::int64_t low = 0, high = 0;
    const Index value = drawRegister(low, high);
    return value > choices.from(low, high);
  }
  const Counter counter = choices.pick(counters);
  const std::int64_t number = choices.from(counter.low, counter.high + 1);
  Condition condition = choices.percent(50)   ? counter.value == number
                        : choices.percent(50) ? counter.value < number
                                              : counter.value % 2 == 0;
  if (choices.percent(20))
    condition = condition && counter.value > counter.low;
  if (choices.percent(20))
    condition = !condition;
  return condition;
}

void Generator::loopStatement() {
  const std::string name = "l" + std::to_string(names++);
  const std::int64_t most = repeats > 8 ? 3 : 6;
  Index begin = 0, end = choices.from(1, most);
  std::int64_t low = 0, high = end.constantValue() - 1, step = 1;
  switch (choices.weighted({8, 3, 3, 3, 1})) {
  case 0:
    if (choices.percent(8)) {
      high = choices.from(8, 20);
      end = high + 1;
    }
    break;
  case 1:
    low = choices.from(1, 4);
    step = choices.pick({1, 2, 3});
    high = low + (high * step);
    begin = low;
    end = high + choices.from(1, step);
    break;
  case 2: { // As many as a register says.
    std::int64_t least = 0, greatest = 0;
    const Index bound = drawRegister(least, greatest);
    end = choices.percent(50) ? min(bound, choices.from(1, 4)) : bound;
    high = greatest - 1;
    if (high < 0)
      high = 0;
    break;
  }
  case 3:
    if (!counters.empty()) {
      const Counter counter = choices.pick(counters);
      if (choices.percent(50)) {
        end = min(counter.value + choices.from(0, 1), most);
        high = std::min(counter.high + 1, most) - 1;
      } else {
        begin = counter.value;
        low = counter.low;
        high = counter.high + choices.from(0, 1);
        end = high + 1;
      }
      if (high < low)
        high = low;
      break;
    }
    break;
  default:
    end = 1;
    high = 0;
  }
  loop(name, begin, end, step, [&](const Index &index) {
    nested((high - low) / step + 1, [&] {
      counters.push_back({index, low, high, false});
      statements(choices.from(1, 5));
      if (choices.percent(50))
        storeStatement();
    });
  });
}

void Generator::whenStatement() {
  const std::string name = "w" + std::to_string(names++);
  const Condition condition = drawCondition();
  const auto body = [&] {
    nested(1, [&] {
      statements(choices.from(1, 3));
      if (choices.percent(50))
        assignStatement();
    });
  };
  if (choices.percent(40))
    when(name, condition, body, body);
  else
    when(name, condition, body);
}

/// Runs until a counter of its own is 0.
void Generator::whileStatement() {
  const std::string name = "u" + std::to_string(names++);
  Item left;
  if (choices.percent(50)) {
    const auto trips = static_cast<double>(choices.from(0, 3));
    left = made(rec->fill(trips, DType::i32, {1, 1}, here()), DType::i32,
                {1, 1}, {0, 3});
  } else {
    const Tensor &numbers = tensors.front();
    ViewRef view = rec->slice(numbers.ref, 0, {0}, 1, 1, here());
    view = rec->slice(view, 1, {1}, 1, 1, here());
    Item number = made(rec->move(OpKind::load, view, DType::i32, here()),
                       DType::i32, {1, 1}, numbers.range);
    left = within(number, {0, 3});
  }
  const Index first = rec->loadRegister(left.ref, "", here());
  while_loop(name, first, [&] {
    std::optional<Condition> again;
    nested(3, [&] {
      statements(choices.from(1, 3));
      const Item less = scaled("subtract", left, 1.0);
      dsl::Source source;
      source.view = less.ref;
      left.id = rec->assignTile(left.id, source, here());
      again = Index(rec->loadRegister(left.ref, "", here()));
    });
    return *again;
  });
}

/// Many accesses of one memory, in a row.
void Generator::burst() {
  const std::int64_t count = depth == 0 && repeats == 1 && choices.percent(6)
                                 ? choices.from(500, 640)
                             : choices.percent(40) ? choices.from(45, 70)
                                                   : choices.from(6, 30);
  if (repeats > 4)
    return;
  const Tensor *drawn = drawTensor(true);
  if (!drawn)
    return;
  const Tensor tensor = *drawn;
  const std::int64_t rows =
      std::min<std::int64_t>(tensor.rows, choices.from(1, 8));
  const std::int64_t cols =
      std::min<std::int64_t>(tensor.cols, choices.from(1, 8));
  Item value = within(operand(rows, cols), tensor.range);
  for (std::int64_t i = 0; i < count; ++i) {
    if (choices.percent(25)) {
      const auto view = window(tensor, rows, cols, true);
      if (!view)
        continue;
      rec->store(*view, value.ref, here());
      budget -= 1500 * repeats;
    } else if (tensor.read && choices.percent(60)) {
      const auto view = window(tensor, rows, cols, false);
      if (!view)
        continue;
      value = made(rec->move(OpKind::load, *view, tensor.dtype, here()),
                   tensor.dtype, {rows, cols}, tensor.range);
    } else {
      value = within(scaled("add", value, 1.0), tensor.range);
    }
  }
  pool.push_back(value);
  storeStatement();
}

void Generator::orderedStatements() {
  no_reorder keep;
  ++ordered;
  statements(choices.from(2, 4));
  --ordered;
}

void Generator::controlStatement() {
  switch (choices.weighted({14, 5, 2, 4, 2, 2, 2})) {
  case 0:
    loopStatement();
    break;
  case 1:
    whenStatement();
    break;
  case 2:
    whileStatement();
    break;
  case 3:
    burst();
    break;
  case 4:
    orderedStatements();
    break;
  case 5: { // A register that offsets what follows.
    std::int64_t low = 0, high = 0;
    const Index value = drawRegister(low, high);
    counters.push_back({value, low, high, true});
    break;
  }
  default: // Unrolled by the C++ compiler.
    if (repeats <= 8) {
      const std::int64_t times = choices.from(2, 4);
      for (std::int64_t i = 0; i < times && budget > 0; ++i)
        statements(2);
    }
  }
  if (settings.cores > 1 && depth == 0 && choices.percent(40))
    exchangeStatement();
}

} // namespace kiln::test
