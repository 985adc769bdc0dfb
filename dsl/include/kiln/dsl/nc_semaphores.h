//===- nc_semaphores.h - The instruction level: semaphores ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits and signals follow from the data; a kernel adds its own where it wants
// more order than that. Any instruction carries them (Instruction::wait and
// signal in order.h); the calls here do nothing else.
//
// Read in the order of the text, a wait finds its tokens given, one stream
// waits for a semaphore, and every loop body takes what it gives. So no cycle
// of waits exists, for any trip count. The compiler checks all three.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_SEMAPHORES_H
#define KILN_DSL_NC_SEMAPHORES_H

#include "kiln/dsl/nc_call.h"

namespace kiln {
namespace nc {

/// The stream of `engine` waits for tokens and takes them; what follows in this
/// stream starts afterwards.
inline Instruction semaphore_wait(Engine engine, const Semaphore &semaphore,
                                  std::int64_t tokens = 1,
                                  dsl::Where where = dsl::Where::current()) {
  return Call("semaphore", where)
      .choice("engine", engine)
      .record({})
      .wait(semaphore, tokens, where);
}
/// Gives tokens when all earlier instructions of the stream are complete, apart
/// from transfers, which signal for themselves.
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
