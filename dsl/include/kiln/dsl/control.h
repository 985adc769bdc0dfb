//===- control.h - Conditions known when the kernel runs ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A C++ `if` is decided while recording. when() and while_loop() are recorded
// and are decided at run time, by registers:
//
//   when("last", i == n - 1, [&] { ... });
//   while_loop("refine", left, [&] { ...; return nc::register_load(more); });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_CONTROL_H
#define KILN_DSL_CONTROL_H

#include "kiln/dsl/loop.h"

namespace kiln {

/// A comparison of Index values whose difference fits in 32 bits, or an Index
/// that is tested for not being 0. It is never a C++ bool.
class Condition {
public:
  /// True above or below 0. Uses -1 - value, because -value may not exist.
  Condition(const Index &value)
      : truth(max(min(value, Index(1)), min(value * -1 - 1, Index(0)) + 1)) {}
  /// 1 or 0.
  const Index &index() const { return truth; }

  friend Condition operator!(const Condition &a) { return of(1 - a.truth); }
  friend Condition operator&&(const Condition &a, const Condition &b) {
    return of(min(a.truth, b.truth));
  }
  friend Condition operator||(const Condition &a, const Condition &b) {
    return of(max(a.truth, b.truth));
  }
  /// True if the number is above 0.
  static Condition positive(const Index &value) {
    return of(max(min(value, Index(1)), Index(0)));
  }

private:
  struct Truth {
    Index value;
  };
  explicit Condition(Truth known) : truth(std::move(known.value)) {}
  static Condition of(const Index &truth) { return Condition(Truth{truth}); }

  Index truth;
};

inline Condition operator<(const Index &a, const Index &b) {
  return Condition::positive(b - a);
}
inline Condition operator>(const Index &a, const Index &b) { return b < a; }
inline Condition operator<=(const Index &a, const Index &b) {
  return a < b + 1;
}
inline Condition operator>=(const Index &a, const Index &b) { return b <= a; }
inline Condition operator!=(const Index &a, const Index &b) { return a - b; }
inline Condition operator==(const Index &a, const Index &b) {
  return !(a != b);
}

/// Records `body`, which runs if the condition holds at run time. For the
/// compiler it is a loop of at most one trip: the same rules apply to tiles and
/// variables.
template <class Body>
void when(std::string_view name, const Condition &condition, Body &&body,
          dsl::Where where = dsl::Where::current()) {
  loop(name, 0, condition.index(), 1, [&](Index) { body(); }, where);
}
/// Adds a second body, which runs if the condition does not hold.
template <class Body, class Otherwise>
void when(std::string_view name, const Condition &condition, Body &&body,
          Otherwise &&otherwise, dsl::Where where = dsl::Where::current()) {
  when(name, condition, body, where);
  when(name, !condition, otherwise, where);
}

/// Records a loop that runs while a condition holds: `initial` before the first
/// iteration, then what `body` returns, a Condition or an Index. Values that
/// iterations pass on go through memory, as does everything that the condition
/// depends on.
template <class Body>
void while_loop(std::string_view name, const Condition &initial, Body &&body,
                dsl::Where where = dsl::Where::current()) {
  const Index &first = initial.index();
  if (first.isConstant() && first.constantValue() == 0)
    return;
  dsl::LoopBody open(name, 0, first, 1, where);
  const Condition next = body();
  dsl::recording(where).repeatWhile(next.index().value(), where);
}

} // namespace kiln

#endif // KILN_DSL_CONTROL_H
