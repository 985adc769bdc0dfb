//===- Fifo.h - First in, first out ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_FIFO_H
#define KILN_SIM_LIB_TIMING_FIFO_H

#include <cstddef>
#include <utility>
#include <vector>

namespace kiln::sim::timing {

/// First in, first out, without freeing memory.
template <class T> struct Fifo {
  std::vector<T> slots;
  std::size_t head = 0;
  std::size_t count = 0;
  T &front() { return slots[head]; }
  const T &front() const { return slots[head]; }
  const T &at(std::size_t place) const {
    return slots[(head + place) & (slots.size() - 1)];
  }
  void pop() {
    head = (head + 1) & (slots.size() - 1);
    --count;
  }
  void push(const T &value) {
    if (count == slots.size())
      grow();
    slots[(head + count++) & (slots.size() - 1)] = value;
  }
  void drop(std::size_t values) {
    if (values == 0)
      return;
    head = (head + values) & (slots.size() - 1);
    count -= values;
  }
  void clear() { head = count = 0; }
  void grow() {
    std::vector<T> larger(slots.empty() ? 4 : 2 * slots.size());
    for (std::size_t i = 0; i < count; ++i)
      larger[i] = at(i);
    slots = std::move(larger);
    head = 0;
  }
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_FIFO_H
