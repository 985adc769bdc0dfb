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

def NcNoteOrder : Pass<"nc-note-order", "::mlir::func::FuncOp"> {
  let summary = "Numbers what accesses memory, for nc-check-order";
  let description = [{
    Loops, instructions and tile operations that touch memory get numbers in the
    order of the program, as their source; `nc.order_record` of the function
    says which loops they are in and how much they write. Rewritten operations
    keep the numbers. A tile operation that reads a tensor which nothing writes
    needs none.
  }];
  let options = [Option<"allMemory", "all-memory", "bool", "false",
                        "of all buffers, not only what the source declares">];
}

def NcCheckOrder : Pass<"nc-check-order", "::mlir::func::FuncOp"> {
  let summary = "Proves that accesses are in the order that was noted";
  let description = [{
    Simulates the program, with a few iterations of each loop. If two accesses
    share bytes of a tensor or a declared buffer and one of them writes, the one
    that was noted as earlier must come first. A read that was merged or moved
    stands for all reads that it replaces. No write may be lost. The numbers are
    removed.
  }];
}

def NcCheckWhole : Pass<"nc-check-whole", "::mlir::func::FuncOp"> {
  let summary = "Proves that nothing that was noted is lost";
  let description = [{
    Each noted operation still runs as often as in the source, and each
    iteration still writes a buffer before it reads it where it did so in the
    source. The numbers stay: emission uses them to prove the order of the
    streams.
  }];
}

def NcMergeEqual : Pass<"merge-equal", "::mlir::func::FuncOp"> {
  let summary = "Common subexpression and dead code elimination";
  let description = [{
    Merges equal operations without effects, and equal reads if nothing between
    them may write. Merges are noted for nc-check-order.
  }];
}

def NcKeepLoads : Pass<"nc-keep-loads", "::mlir::func::FuncOp"> {
  let summary = "Data reuse: keeps in SBUF what every outer iteration loads again";
  let description = [{
    Loads of an inner loop whose address depends only on its own counter bring
    the same data in every iteration of the loop around it. If all of it fits in
    SBUF, the first outer iteration, which is peeled, loads it and it stays
    there. Trip counts must be constant. Loops with pinned memory, registers,
    tokens or promises are not changed.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def NcShareWork : Pass<"nc-share-work", "::mlir::func::FuncOp"> {
  let summary = "Load balancing by other forms of an operation, on less busy engines";
  let description = [{
    In innermost loops that nc-pipeline-loops schedules, which hides latencies,
    other forms of an operation replace it where that relieves the busiest
    resource of the body. Blocks of 16 bits that the tensor engine would
    transpose through PSUM go to the DMA engines. Chains of two operators in
    fp32, which only VectorE runs, become two passes of GpSimd. Tiles that the
    loop only reads are copied to PSUM, so that VectorE reads one tile there and
    one in SBUF at once. ScalarE takes sums of rows from VectorE.
  }];
}

def NcRotate : Pass<"nc-rotate", "::mlir::func::FuncOp"> {
  let summary = "Software pipelining in two stages: first products run early";
  let description = [{
    In an innermost loop whose body multiplies, works on the product and
    multiplies again, the first stage moves to the previous iteration. A copy of
    it stands before the loop, and the rest of the last iteration after it. So
    nc-order may put it where the engines would wait. This is correct for any
    trip count. Loops with pinned memory, tokens or promises are not changed.
  }];
  let options = [Option<"early", "early", "bool", "false",
    "only loops that nc-pipeline-loops cannot schedule: the number of their "
    "iterations is not a constant">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def NcAdvance : Pass<"nc-advance", "::mlir::func::FuncOp"> {
  let summary = "Loop peeling: the next iteration begins beside this one's end";
  let description = [{
    A loop that multiplies before its only innermost loop is opened there. What
    stands before the inner loop moves after what follows that loop, and then
    belongs to the next iteration. A copy precedes the first iteration; the last
    one has none. The sequence is the same, but nc-order finds both parts in one
    block. Trip counts must be constant. Loops with pinned memory, tokens or
    promises are not changed.
  }];
  let options = [Option<"early", "early", "bool", "false",
    "only around loops that nc-pipeline-loops cannot schedule: the number of "
    "their iterations is not a constant">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def NcChooseEngines : Pass<"nc-choose-engines", "::mlir::func::FuncOp"> {
  let summary = "Assigns engines by load balance, and queues to transfers";
  let description = [{
    Instructions that only one engine can run load that engine first; the rest
    go, heaviest first, to the legal engine that ends up least loaded in their
    block, because other blocks run at other times. Loads are issued by sync,
    stores by gpsimd, so that a store that waits for its data blocks no load. A
    copy within HBM behind the last load is issued by sync, too. If the
    descriptors of sync keep a loop for longer than anything else, scalar issues
    some of its loads: it has a generator of its own. An engine or queue that
    the program chose is kept. A queue is fed by one stream. Loads of a body
    take as many of its queues as divide their number, so that they arrive in
    the order in which they are issued.
  }];
}

def NcAttachSchedule : Pass<"nc-attach-schedule", "::mlir::func::FuncOp"> {
  let summary = "Names loops and instructions, and takes decisions of a user's schedule";
  let description = [{
    Where the function has `nc.schedule`, loops, instructions and buffers get the
    names by which a schedule speaks of them (`nc.called`). Then its engines are
    taken, if instructions may run there. With `rings`, after nc-multi-buffer:
    the copies of buffers of loops that are not pipelined. nc-pipeline-loops and
    nc-order take the rest. What cannot be kept is an error.
  }];
  let options = [Option<"rings", "rings", "bool", "false",
                        "take the numbers of copies, and nothing else">];
}

def NcPipelineLoops : Pass<"nc-pipeline-loops", "::mlir::func::FuncOp"> {
  let summary = "Software pipelining by modulo scheduling";
  let description = [{
    Iterative modulo scheduling of innermost loops whose trip count is constant
    or follows from the loops around them. Instructions of several iterations
    are in one body, in the order in which they start; buffers of the body get
    as many copies as live at once, outside of the loop. A prologue and an
    epilogue hold the iterations that begin and end. Buffers get more copies
    where a replay takes less time with them. What is scheduled keeps its
    order (`nc.scheduled`). Loops with pinned memory, registers, tokens or
    promises are not changed.
  }];
  let options = [Option<"exactSteps", "exact-steps", "unsigned", "0",
                        "steps of the exact solver for each question that it "
                        "answers about a loop; 0 = the iterative one alone">,
                 Option<"keepProblems", "keep-problems", "bool", "false",
                        "keep each loop's problem in `nc.loop_problems`">,
                 Option<"overlapsInScopes", "overlaps-in-scopes", "bool", "true",
                        "also schedule loops with buffers in memory scopes">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def NcReplicateRegisters
    : Pass<"nc-replicate-registers", "::mlir::func::FuncOp"> {
  let summary = "Replication of scalar loads in every stream that uses them";
  let description = [{
    Registers belong to one stream. A `nc.register_load` becomes one load for
    each stream that offsets an operand by its value, directly or through index
    arithmetic, or runs a loop that it bounds. Copies share a `group`. Unused
    loads are removed.
  }];
}

def NcFixDescriptors : Pass<"nc-fix-descriptors", "::mlir::func::FuncOp"> {
  let summary = "Static DMA descriptors for transfers that run once";
  let description = [{
    Copies and transposes outside of loops, between addresses without an index,
    get `dge_mode` none, unless the program chose a mode. Their descriptors exist
    before the kernel runs.
  }];
}

def NcMultiBuffer : Pass<"nc-multi-buffer", "::mlir::func::FuncOp"> {
  let summary = "Multiple buffering of what a loop body declares";
  let description = [{
    A buffer declared inside a loop is fresh in each iteration, so the next
    iteration may fill another copy while this one is still in use. What a DMA
    brings from HBM gets one more copy, because transfers have a long latency,
    and eight in all in a loop whose trip count comes from memory. Pinned
    buffers and rings that the program chose do not change. nc-allocate takes
    copies back where memory is short.
  }];
  let options = [Option<"copies", "copies", "unsigned", "2",
                        "copies of each buffer of a loop body">];
}

def NcOrder : Pass<"nc-order", "::mlir::func::FuncOp"> {
  let summary = "List scheduling of each block by dependences and cost";
  let description = [{
    Builds an OrderProblem of each run of instructions between loops and
    permutes them as its solution says. The result is again a sequential
    program with the same meaning: conflicting accesses keep their order, so do
    uses of an engine's accumulator, the operations of one scope in
    `nc.ordered`, the operations that `nc.order_edges` names by their
    `nc.label`, and around user's tokens the whole stream.
  }];
  let options = [Option<"aheadPercent", "ahead-percent", "unsigned", "75",
                        "percentage of SBUF that may be in use at once in "
                        "such a run; a run that already uses more keeps the "
                        "order of the program">];
}

def NcDealQueues : Pass<"nc-deal-queues", "::mlir::func::FuncOp"> {
  let summary = "Round-robin assignment of queues to transfers that run once";
  let description = [{
    Transfers of one queue start one after the other, some time apart. This pass
    concerns transfers outside of loops whose queue nc-choose-engines chose and
    whose descriptors are static. They take the queues of their stream in turn,
    in the order that nc-order found. The set of queues does not change.
  }];
}

def NcAllocate : Pass<"nc-allocate", "::mlir::func::FuncOp"> {
  let summary = "Static memory allocation in SBUF and PSUM";
  let description = [{
    At first, every buffer of a loop body lives as long as the loop, so that no
    two of them share bytes and iterations overlap freely. If that does not fit,
    copies are taken back: third copies first, then those of buffers beside
    inner loops that no DMA fills, then the largest, and last those that a DMA
    fills or reads, above all in inner loops. If it still does not fit, a buffer
    lives only from its first to its last use. But nests of loops that fit with
    fewer copies still share no bytes, nor do inner loops that fit: with two
    copies, or with one of each load if there are many. What does not fit in the
    end is an error with a map of what was live. If there is room, a buffer that
    a DMA fills outside of loops gets its memory some instructions earlier.
  }];
}

def NcCheckSemaphores : Pass<"nc-check-semaphores", "::mlir::func::FuncOp"> {
  let summary = "Checks the protocol of the program's own semaphores";
  let description = [{
    In the order of the text, a wait must find its tokens, only one stream may
    wait for a semaphore, a loop body must take as many tokens as it signals, no
    semaphore may pass 65535, and each must end at 0. A semaphore that gets more
    than 65535 tokens in all, or an unknown number, is noted in
    `nc.paced_semaphores`: nc-synchronize then keeps the stream that signals it
    from running ahead.
  }];
}

def NcCheckProducts : Pass<"nc-check-products", "::mlir::func::FuncOp"> {
  let summary = "Warns of products that are overwritten unread";
  let description = [{
    A `nc.nc_matmul` or `nc.nc_matmul_mx` without `accumulate` that writes the
    place in PSUM of another one, or of itself in the iteration before, while
    nothing has read it: KILN-W110. Changes nothing.
  }];
}

def NcSynchronize : Pass<"nc-synchronize", "::mlir::func::FuncOp"> {
  let summary = "Synchronisation insertion: as few semaphores as transitivity allows";
  let description = [{
    From physical byte ranges, by SyncProblem. Waits and signals become the
    attributes `nc.waits` and `nc.signals` of instructions (lists of
    `#nc.token`) and `nc.fences` of loops. Edges of `nc.order_edges` count as
    data that flow. The user's tokens are added, on semaphores of their own.
  }];
}

#endif // KILN_NC_PASSES
