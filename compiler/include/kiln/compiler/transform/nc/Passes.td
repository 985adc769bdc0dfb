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
    order of the program, as their source; `nc.order_record` of the function says
    which loops they are in and how much they write. Numbers ride along with
    what the operations become. A tile operation that reads a tensor which
    nothing writes needs none.
  }];
  let options = [Option<"allMemory", "all-memory", "bool", "false",
                        "of all buffers, not only what the source declares">];
}

def NcCheckOrder : Pass<"nc-check-order", "::mlir::func::FuncOp"> {
  let summary = "Proves that accesses are in the order that was noted";
  let description = [{
    Plays the program, loops for a few iterations: of two accesses that share
    bytes of a tensor or a declared buffer, one of them a write, the one that
    was noted as earlier must come first. A read that was merged or moved stands
    for all that it replaces. And nothing that writes may have been lost. The
    numbers are removed.
  }];
}

def NcCheckWhole : Pass<"nc-check-whole", "::mlir::func::FuncOp"> {
  let summary = "Proves that nothing that was noted is lost";
  let description = [{
    Each operation that was noted runs as often, and buffers that each iteration
    wrote before it read them are written first. The numbers stay: emission
    proves the order of the streams by them.
  }];
}

def NcMergeEqual : Pass<"merge-equal", "::mlir::func::FuncOp"> {
  let summary = "Common subexpression and dead code elimination";
  let description = [{
    Operations without effects, and reads with nothing between them that may
    write. What was merged is noted for nc-check-order.
  }];
}

def NcKeepLoads : Pass<"nc-keep-loads", "::mlir::func::FuncOp"> {
  let summary = "Data reuse: keeps in SBUF what every outer iteration loads again";
  let description = [{
    Loads of an inner loop whose address depends on its own counter only bring
    the same in every iteration of the loop around it. Where all of them fit in
    SBUF, the first outer iteration, which is peeled, loads them and they stay.
    For constant trip counts; loops with pinned memory, registers, tokens or
    promises stay.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def NcShareWork : Pass<"nc-share-work", "::mlir::func::FuncOp"> {
  let summary = "Load balancing by other forms of an operation, on less busy engines";
  let description = [{
    In innermost loops that nc-pipeline-loops schedules, which hides latencies,
    other forms of an operation take its place where that makes whatever is
    busiest in the body less busy. Blocks of 16 bits that the tensor engine
    would transpose through PSUM go to the DMA engines. Chains of two operators
    in fp32, which only VectorE runs, become two passes of GpSimd. Tiles that
    the loop only reads are copied to PSUM, where VectorE reads them beside one
    of SBUF. ScalarE takes sums of rows from VectorE.
  }];
}

def NcRotate : Pass<"nc-rotate", "::mlir::func::FuncOp"> {
  let summary = "Software pipelining in two stages: first products run early";
  let description = [{
    In an innermost loop whose body multiplies, works on the product and
    multiplies again, the first stage moves to the previous iteration. A copy of
    it stands before the loop, and the rest of the last iteration after it. So
    nc-order may put it where the engines would wait. This is correct for any
    trip count. Loops with pinned memory, tokens or promises stay.
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
    belongs to the next iteration. A copy precedes the first iteration; the
    last one does without. The sequence is the same, but nc-order finds both
    parts in one block. For constant trip counts; loops with pinned memory,
    tokens or promises stay.
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
    block: others run at other times. Loads are issued by sync, stores by
    gpsimd, so that a store that waits for its data blocks no load. A copy within
    HBM behind the last load is issued by sync, too. If the descriptors of sync
    keep a loop for longer than anything else, scalar issues some of its loads:
    it has a generator of its own. An engine or queue that the program chose is
    kept. A queue is fed by one stream.
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
    epilogue hold the iterations that begin and end. What is scheduled keeps its
    order (`nc.scheduled`). Loops with pinned memory, registers, tokens or
    promises stay.
  }];
  let options = [Option<"exactSteps", "exact-steps", "unsigned", "0",
                        "steps of the exact solver for each question that it "
                        "answers about a loop; 0 = the iterative one alone">,
                 Option<"keepProblems", "keep-problems", "bool", "false",
                        "keep each loop's problem in `nc.loop_problems`">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def NcReplicateRegisters
    : Pass<"nc-replicate-registers", "::mlir::func::FuncOp"> {
  let summary = "Replication of scalar loads in every stream that uses them";
  let description = [{
    Registers belong to one stream. A `nc.register_load` becomes one load for
    each stream that offsets an operand by its value, directly or through index
    arithmetic, or runs a loop that it bounds. Copies share a `group`. A load
    that nobody uses goes.
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
    and eight in all in a loop whose number of turns comes from memory.
    Pinned buffers and rings that the program chose stay. nc-allocate takes copies
    back where memory is short.
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
                        "of SBUF for what is in use at once in such a run; "
                        "where it is more already, the order of the program "
                        "stays">];
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
    First every buffer of a loop body lives as long as the loop, so that no two
    of them share bytes and iterations overlap freely; then with fewer copies:
    third ones first, then those that stand beside inner loops and that no DMA
    fills, then the largest, and those that a DMA fills or reads last, in inner
    loops above all; then from its first to its last use. In PSUM, a loop whose
    own buffers have room for all their copies keeps them. What still does not
    fit is an error with a map of what was live. Where there is room, what a DMA
    fills outside of loops has its memory some instructions before.
  }];
}

def NcCheckSemaphores : Pass<"nc-check-semaphores", "::mlir::func::FuncOp"> {
  let summary = "Checks the protocol of the program's own semaphores";
  let description = [{
    In the order of the text: a wait finds its tokens given, one stream waits
    for a semaphore, a loop body takes what it gives, no level passes 65535 and
    every semaphore ends at 0. A semaphore of which more than 65535 tokens are
    given in all, or an unknown number, is noted in `nc.paced_semaphores`:
    nc-synchronize then keeps the stream that gives from running ahead.
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
    `#nc.token`) and `nc.fences` of loops. Edges of `nc.order_edges` count as data
    that flow. The user's tokens are added, on semaphores that no others use.
  }];
}

#endif // KILN_NC_PASSES
