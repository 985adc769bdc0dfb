//===- nc_semaphores.h - The instruction level: semaphores ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler derives waits and signals from the data. A kernel adds its own
// if it needs more order than that. Any instruction can carry them
// (Instruction::wait and signal in order.h); the calls here do nothing else.
//
// The compiler checks three rules. In source order, the tokens of a wait are
// signalled before it. Only one stream waits for a semaphore. Every loop body
// takes as many tokens as it signals. Therefore no cycle of waits exists, for
// any trip count.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_SEMAPHORES_H
#define KILN_DSL_NC_SEMAPHORES_H

#include "kiln/dsl/nc_call.h"

namespace kiln {
namespace nc {

/// The stream of `engine` waits for tokens and takes them. Later instructions
/// of this stream start after that.
inline Instruction semaphore_wait(Engine engine, const Semaphore &semaphore,
                                  std::int64_t tokens = 1,
                                  dsl::Where where = dsl::Where::current()) {
  return Call("semaphore", where)
      .choice("engine", engine)
      .record({})
      .wait(semaphore, tokens, where);
}
/// Signals tokens when all earlier instructions of the stream are complete,
/// except transfers, which signal for themselves.
inline Instruction semaphore_signal(Engine engine, const Semaphore &semaphore,
                                    std::int64_t tokens = 1,
                                    dsl::Where where = dsl::Where::current()) {
  return Call("semaphore", where)
      .choice("engine", engine)
      .record({})
      .signal(semaphore, tokens, where);
}

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_SEMAPHORES_H
