//===- Lanes.h - What an instruction works with -----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The context of every function: the memories, the engines' registers and the
// current instruction. It knows nothing about order: the scheduler owns
// streams, queues and semaphores. Shapes have been checked by isa::checkModule
// and addresses by the caller.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_LANES_H
#define KILN_SIM_LIB_FUNCTION_LANES_H

#include "Accumulator.h"
#include "Converter.h"
#include "Outcome.h"
#include "Products.h"
#include "RandomState.h"
#include "Scratch.h"

#include "../Memory.h"
#include "../Pool.h"
#include "../StreamCursor.h"

#include "kiln/isa/target.h"

#include <vector>

namespace kiln::sim {

/// What engines keep between instructions, besides memory.
struct EngineState {
  explicit EngineState(const isa::Target &target)
      : vectorRandom(target.generation >= isa::Generation::v4 ? 4 : 1) {}

  Accumulator scalar, vector;
  RandomState vectorRandom, gpsimdRandom;
};

/// Some lanes of an instruction; none means all.
struct LaneRange {
  unsigned first = 0;
  unsigned count = 0;
};

/// What one host thread executes an instruction with, on some of its lanes.
struct Lanes {
  /// `pool` may be null: then everything runs on the calling thread.
  Lanes(Memory &memory, EngineState &state, const isa::Target &target,
        const Numerics &numerics, Products &products, Pool *pool)
      : memory(memory), state(state), target(target), kernels(sim::kernels()),
        converter(kernels, numerics), products(products), pool(pool) {}

  Memory &memory;
  EngineState &state;
  const isa::Target &target;
  const Kernels &kernels;
  Converter converter;
  Products &products;
  Pool *pool;
  Scratch scratch;

  // Of the current instruction.
  const StreamCursor *cursor = nullptr; ///< Holds its registers.
  isa::Engine engine = isa::Engine::sync;
  LaneRange range;

  /// The operand at its place; only the lanes of this call.
  View view(const isa::Access &access) const {
    View result = memory.view(access, cursor->byteOffset(access));
    if (range.count != 0) {
      result.data += range.first * result.pitch;
      result.lanes = range.count;
    }
    return result;
  }
  /// The same for an operand that may have an index, which `resolve` has read.
  View view(const isa::Access &access,
            const isa::Optional<isa::Access> &index) const {
    if (index)
      for (const Indexed &operand : indexed)
        if (operand.access == &access)
          return operand.view;
    return view(access);
  }
  /// Reads the indices of the instruction's operands (Indirection.h).
  template <class Instruction> Outcome resolve(const Instruction &op);

  /// The row functions of an operator that the instruction's record allows.
  Kernels::Binary binary(isa::AluOp op) const {
    return kernels.vv[static_cast<std::size_t>(op)];
  }
  Kernels::Scalar withScalar(isa::AluOp op, bool reversed) const {
    return (reversed ? kernels.sv : kernels.vs)[static_cast<std::size_t>(op)];
  }
  Kernels::Bits onBits(isa::AluOp op, bool isSigned = false) const {
    return (isSigned ? kernels.onSigned
                     : kernels.onUnsigned)[static_cast<std::size_t>(op)];
  }
  Kernels::Unary function(isa::ActivationFunction op) const {
    return kernels.activation[static_cast<std::size_t>(op)];
  }

  /// The hidden registers of the lanes of this call.
  AccumulatorLanes scalarRegisters() { return {state.scalar, range.first}; }
  AccumulatorLanes vectorRegisters() { return {state.vector, range.first}; }
  RandomState &randomState() {
    return engine == isa::Engine::gpsimd ? state.gpsimdRandom
                                         : state.vectorRandom;
  }

  /// Calls task(i, worker) for i < count, on the pool if there is one.
  template <class Task> void inParallel(unsigned count, const Task &task) {
    if (pool)
      return pool->run(count, task);
    for (unsigned i = 0; i < count; ++i)
      task(i, 0u);
  }

private:
  struct Indexed {
    const isa::Access *access;
    View view;
  };
  Outcome resolveOperand(const isa::Access &access, const isa::Access &index);

  std::vector<Indexed> indexed;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_LANES_H
