//===- loop.h - Recorded loops and scopes ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A C++ `for` unrolls; loop() is recorded once and stays a loop down to the
// instruction streams. Its body is called once, with the loop's value.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LOOP_H
#define KILN_DSL_LOOP_H

#include "kiln/dsl/tile.h"

#include <string_view>

namespace kiln {

/// Names a part of the kernel in locations, traces and profiles.
class scope {
public:
  explicit scope(const std::string &name,
                 dsl::Where where = dsl::Where::current())
      : recorder(dsl::Recorder::current(where)) {
    recorder.pushScope(name);
  }
  ~scope() { recorder.popScope(); }
  scope(const scope &) = delete;
  scope &operator=(const scope &) = delete;

private:
  dsl::Recorder &recorder;
};

namespace dsl {

/// The open body of a recorded loop.
class LoopBody {
public:
  LoopBody(const std::string &name, const Index &begin, const Index &end,
           std::int64_t step, const Where &where)
      : recorder(Recorder::current(where)) {
    if (step < 1)
      fail("KILN-A012",
           "loop \"" + name + "\" has step " + std::to_string(step) +
               "; it must be at least 1",
           "count upwards and compute with the index", where);
    for (const Index *bound : {&begin, &end})
      if (!bound->isConstant())
        checkVisible(recorder, bound->id(), where);
    Value value;
    value.kind = ValueKind::loop;
    value.dtype = DType::i32;
    Op op;
    op.kind = OpKind::loop;
    op.attributes["name"] = name;
    op.attributes["begin"] = program::IndexRef{begin.id()};
    op.attributes["end"] = program::IndexRef{end.id()};
    op.attributes["step"] = step;
    // The value belongs to the body, the operation to the block around it.
    op.result = recorder.addValue(std::move(value));
    variable = op.result;
    recorder.append(std::move(op), where);
    recorder.openBody();
    recorder.enclose(variable);
    const Range first = rangeOf(recorder, begin);
    const Range last = rangeOf(recorder, end);
    Range range{first.low, last.high - 1,
                begin.isConstant() && end.isConstant()};
    if (range.exact && range.low <= range.high)
      range.high -= (range.high - range.low) % step;
    recorder.loopRanges[variable] = range;
    recorder.pushScope(name);
  }
  ~LoopBody() {
    recorder.popScope();
    recorder.closeBody();
  }
  LoopBody(const LoopBody &) = delete;
  LoopBody &operator=(const LoopBody &) = delete;

  Index index() const {
    program::IndexNode node;
    node.kind = program::IndexKind::variable;
    node.lhs = variable;
    return Index::ofNode(recorder.addIndex(node));
  }

private:
  Recorder &recorder;
  Id variable = none;
};

} // namespace dsl

/// Records a loop over begin, begin + step, ... below end. A loop that
/// certainly makes no trip is not recorded, nor is its body called.
template <class Body>
void loop(const std::string &name, const Index &begin, const Index &end,
          std::int64_t step, Body &&body,
          dsl::Where where = dsl::Where::current()) {
  if (begin.isConstant() && end.isConstant() &&
      end.constantValue() <= begin.constantValue())
    return;
  dsl::LoopBody open(name, begin, end, step, where);
  body(open.index());
}
template <class Body>
void loop(const std::string &name, const Index &begin, const Index &end,
          Body &&body, dsl::Where where = dsl::Where::current()) {
  loop(name, begin, end, 1, body, where);
}
template <class Body>
void loop(const std::string &name, const Index &trips, Body &&body,
          dsl::Where where = dsl::Where::current()) {
  loop(name, 0, trips, 1, body, where);
}

/// Covers 0 .. extent - 1 with blocks: body(begin, size) is recorded as a loop
/// over the full blocks and once more for a ragged tail, whose size is smaller.
template <dsl::Extent N, dsl::Extent B, class Body>
void tiles(const std::string &name, const N &extent, const B &block,
           Body &&body, dsl::Where where = dsl::Where::current()) {
  const std::int64_t n = dsl::extentValue(extent);
  const std::int64_t size = dsl::extentValue(block);
  if (size < 1)
    dsl::fail("KILN-A012",
              "tiles \"" + name + "\" have size " + std::to_string(size) +
                  "; it must be at least 1",
              "choose a positive block size", where);
  const std::int64_t full = n / size;
  if (full == 1) {
    scope inner(name, where);
    body(Index(0), block);
  } else {
    loop(
        name, 0, full, 1, [&](Index i) { body(i * Index(size), block); },
        where);
  }
  if (n % size > 0) {
    scope inner(name + " tail", where);
    body(Index(full * size), n % size);
  }
}

} // namespace kiln

#endif // KILN_DSL_LOOP_H
