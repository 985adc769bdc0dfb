//===- order.h - Promises about order -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Independent operations may run in any order, unless the kernel says
// otherwise:
//
//   auto k = load(...);
//   store(y, x).after(k);          // starts when the load is complete
//   { no_reorder keep; ... }       // every stream keeps the order of the text
//   nc::memset(b, 0).signal(s);    // tokens: nc_semaphores.h
//   store(y, x).urgency(1);        // a wish: before others that could run
//
// Either a promise is kept or compilation fails: the compiler checks it on the
// emitted streams.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_ORDER_H
#define KILN_DSL_ORDER_H

#include "kiln/dsl/recording.h"

namespace kiln {

namespace dsl {

/// Something recorded that another operation can be ordered after.
template <class X>
concept Orderable = requires(const X &x) { x.operation(); };

} // namespace dsl

/// A recorded operation without a result of its own: a store, an instruction.
class Operation {
public:
  explicit Operation(dsl::Id number) : number(number) {}
  dsl::Id operation() const { return number; }

  /// Starts when the most recent `earlier` before it is complete.
  template <dsl::Orderable X>
  Operation after(const X &earlier,
                  dsl::Where where = dsl::Where::current()) const {
    dsl::recording(where).orderAfter(number, earlier.operation(), where);
    return *this;
  }
  /// Among what could run, the most urgent runs first; see urgency.
  Operation urgency(std::int64_t n,
                    dsl::Where where = dsl::Where::current()) const {
    dsl::recording(where).setUrgency(number, n, where);
    return *this;
  }

private:
  dsl::Id number;
};

/// A semaphore of the kernel's own: instructions signal() tokens and wait() for
/// them. It starts and ends at 0.
class Semaphore {
public:
  explicit Semaphore(dsl::Id number) : number(number) {}
  dsl::Id id() const { return number; }

private:
  dsl::Id number;
};

/// The semaphore with this name; the same name gives the same semaphore.
inline Semaphore semaphore(std::string_view name,
                           dsl::Where where = dsl::Where::current()) {
  return Semaphore(dsl::recording(where).semaphore(name, where));
}

namespace nc {

/// A recorded instruction.
class Instruction : public Operation {
public:
  using Operation::Operation;

  /// Blocks its stream until `tokens` are available, then takes them.
  Instruction wait(const Semaphore &semaphore, std::int64_t tokens = 1,
                   dsl::Where where = dsl::Where::current()) const {
    dsl::recording(where).token(operation(), true, semaphore.id(), tokens,
                                where);
    return *this;
  }
  /// Signals `tokens` when it is complete.
  Instruction signal(const Semaphore &semaphore, std::int64_t tokens = 1,
                     dsl::Where where = dsl::Where::current()) const {
    dsl::recording(where).token(operation(), false, semaphore.id(), tokens,
                                where);
    return *this;
  }
  template <dsl::Orderable X>
  Instruction after(const X &earlier,
                    dsl::Where where = dsl::Where::current()) const {
    Operation::after(earlier, where);
    return *this;
  }
  Instruction urgency(std::int64_t n,
                      dsl::Where where = dsl::Where::current()) const {
    Operation::urgency(n, where);
    return *this;
  }
};

} // namespace nc

/// While it is alive, operations keep the order in which they are recorded:
/// every stream runs their instructions in that order, including those of loops
/// and of called functions. Other operations may still move among them.
class no_reorder {
public:
  explicit no_reorder(dsl::Where where = dsl::Where::current())
      : recorder(dsl::recording(where)) {
    recorder.openOrdered();
  }
  ~no_reorder() { recorder.closeOrdered(); }
  no_reorder(const no_reorder &) = delete;
  no_reorder &operator=(const no_reorder &) = delete;

private:
  dsl::Recording &recorder;
};

/// While it is alive, operations are more urgent than others, or less: the
/// compiler's schedulers prefer them among the instructions that could run. 0
/// is usual. It is a wish and changes no value. The innermost one counts.
class urgency {
public:
  explicit urgency(std::int64_t n, dsl::Where where = dsl::Where::current())
      : recorder(dsl::recording(where)) {
    recorder.openUrgency(n, where);
  }
  ~urgency() { recorder.closeUrgency(); }
  urgency(const urgency &) = delete;
  urgency &operator=(const urgency &) = delete;

private:
  dsl::Recording &recorder;
};

} // namespace kiln

#endif // KILN_DSL_ORDER_H
