//===- Passes.td - Passes on the nc level ------------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_NC_PASSES
#define KILN_NC_PASSES

include "mlir/Pass/PassBase.td"

def NcChooseEngines : Pass<"nc-choose-engines", "::mlir::func::FuncOp"> {
  let summary = "Gives every instruction a stream and every transfer a queue";
  let description = [{
    Instructions that only one engine can run load that engine first; the rest
    go, heaviest first, to the legal engine that ends up least loaded, where a
    loop body counts as often as it runs. Loads are issued by sync, stores by
    gpsimd, so that a store that waits for its data blocks no load. An engine
    or queue that the program chose is kept. A queue is fed by one stream.
  }];
}

def NcReplicateRegisters
    : Pass<"nc-replicate-registers", "::mlir::func::FuncOp"> {
  let summary = "Loads a register in every stream that uses it";
  let description = [{
    Registers belong to one stream. A `nc.register_load` becomes one load for
    each stream that offsets an operand by its value, directly or through index
    arithmetic, or runs a loop that it bounds. Copies share a `group`. A load
    that nobody uses goes.
  }];
}

def NcMultiBuffer : Pass<"nc-multi-buffer", "::mlir::func::FuncOp"> {
  let summary = "Gives buffers declared in a loop body several copies";
  let description = [{
    A buffer declared inside a loop is fresh in each iteration, so the next
    iteration may fill another copy while this one is still in use. Pinned
    buffers and rings that the program chose stay. nc-allocate takes copies
    back where memory is short.
  }];
  let options = [Option<"copies", "copies", "unsigned", "2",
                        "copies of each buffer of a loop body">];
}

def NcOrder : Pass<"nc-order", "::mlir::func::FuncOp"> {
  let summary = "Orders each block by dependences and cost";
  let description = [{
    Builds an OrderProblem of each run of instructions between loops and
    permutes them as its solution says. The result is again a sequential
    program with the same meaning: conflicting accesses keep their order, so do
    uses of an engine's accumulator and operations marked `nc.ordered`.
  }];
}

def NcAllocate : Pass<"nc-allocate", "::mlir::func::FuncOp"> {
  let summary = "Places SBUF and PSUM buffers";
  let description = [{
    First every buffer of a loop body lives as long as the loop, so that no two
    of them share bytes and iterations overlap freely; then from its first to
    its last use; then with fewer copies, largest first. What still does not
    fit is an error with a map of what was live.
  }];
}

def NcSynchronize : Pass<"nc-synchronize", "::mlir::func::FuncOp"> {
  let summary = "Inserts semaphore waits and signals";
  let description = [{
    From physical byte ranges, by SyncProblem. Waits and signals become the
    attributes `nc.waits` and `nc.signals` of instructions (pairs of semaphore
    and value) and `nc.fences` of loops.
  }];
}

#endif // KILN_NC_PASSES
