//===- Collectives.td - Between cores and between ranks ----*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations by which the two cores of a rank and the ranks of a launch
// meet. A core keeps its own in the order of the program, so that peers which
// run one program meet in one order.
//
//===----------------------------------------------------------------------===//

include "Enums.td"

class PeerInstruction<string mnemonic, int opcode>
    : Instruction<mnemonic, opcode, Peers> {
  let State = "peers";
  let Cost = "collective";
}

def CoreBarrier : PeerInstruction<"core_barrier", 128> {
  let Engines = ["gpsimd", "sync", "scalar", "vector", "tensor"];
  let Since = "v3";
  let Operands = [
    MemoryOperand<"data", ReadWrite, "what is published: memory that the cores of a rank share", ["hbm"]>,
    OptionalPair<"cores", "the two cores of the rank, (0, 1)">
  ];
  let Checks = ["coreBarrier"];
  let Summary = "The two cores of a rank wait for each other.";
  let Description = [{
    The stream continues when the other core has reached its matching barrier: the n-th of one core meets the n-th of
    the other. After the barrier, each core sees what the other one did to `data` before it. Other streams wait only if
    they access `data`.
  }];
  let Example = "core_barrier data=hbm[y: f32 128x512, 512x1], cores=(0, 1)";
}

// Runs on a DMA queue.
class TransferBetween<string mnemonic, int opcode>
    : PeerInstruction<mnemonic, opcode> {
  let Engines = ["gpsimd", "sync", "scalar", "vector", "tensor"];
  let IsDma = true;
}

def PeerQueue : Int<"queue", "DMA queue, 0 to 15", "0">;
def PeerPriority : OptionalInt<"priority", "0 (most urgent) to 3 (v4)">;

def Sendrecv : TransferBetween<"sendrecv", 129> {
  let Since = "v3";
  let Operands = [
    MemoryOperand<"src", Read, "what is sent", ["sbuf"]>,
    MemoryOperand<"dst", Write, "where it is received", ["sbuf"]>,
    Int<"send_to_rank", "core that receives src: 0 or 1">,
    Int<"recv_from_rank", "core that fills dst: 0 or 1">,
    Int<"pipe_id", "operations of one pipe meet in order">,
    EnumOperand<"dma_engine", SendEngine, "what moves the bytes", "SendEngine::dma">,
    PeerQueue
  ];
  let Checks = ["sendrecv", "dmaQueue"];
  let MovesBits = true;
  let Summary = "Exchanges a tile with the other core of the rank.";
  let Equation = "dst of core send_to_rank = src; dst = src of core recv_from_rank";
  let Example = "sendrecv src=sbuf[p0:128, 0x0: f32 512x1], dst=sbuf[p0:128, 0x800: f32 512x1], send_to_rank=1, recv_from_rank=1, pipe_id=0, queue=9";
}

class RankRegister<string mnemonic, int opcode>
    : Instruction<mnemonic, opcode, Peers> {
  let Engines = ["tensor", "vector", "scalar", "gpsimd", "sync"];
  let IsControl = true;
  let Cost = "control";
}

def RankId : RankRegister<"rank_id", 130> {
  let Operands = [Reg<"dst", "destination">];
  let Summary = "Sets a register to the number of this rank.";
  let Equation = "dst = this rank, counted from 0";
  let Example = "rank_id dst=r0";
}

def CurrentProcessingRankId
    : RankRegister<"collective_permute_implicit_current_processing_rank_id", 131> {
  let Operands = [
    Reg<"dst", "destination">,
    RegOrInt<"iteration_id", "step of the ring, 0 or more">,
    RankLists<"replica_group", "lists of ranks; one of them holds this rank">,
    Int<"channel_id", "channel of the ring", "0">
  ];
  let Checks = ["replicaGroup", "ringChannel"];
  let Summary = "Sets a register to the rank whose data this rank holds at a step of the ring.";
  let Equation = "dst = list[(place of this rank - iteration_id) mod R]";
  let Description = [{
    At step 0 it is this rank, at step i its i-th predecessor, whose data arrives with the i-th
    collective_permute_implicit.
  }];
  let Example = "collective_permute_implicit_current_processing_rank_id dst=r1, iteration_id=r0, replica_group=[[0, 1, 2, 3]]";
}

class Sources<string name, string doc, list<string> spaces = ["hbm"],
              DTypes types = CopyDType>
    : MemoryList<name, doc, Read, spaces> { let Types = types; }
class Targets<string name, string doc, list<string> spaces = ["hbm"],
              DTypes types = CopyDType>
    : MemoryList<name, doc, Write, spaces> { let Types = types; }
def ReplicaGroup : RankLists<"replica_group", "lists of ranks that do not overlap; each works for itself">;
def ReduceOperator : EnumOperand<"op", AluOp, "operator, in fp32", "", ["add", "maximum", "minimum"]>;
class CollectiveDim<string doc> : Int<"collective_dim", doc>;

def AllReduce : TransferBetween<"all_reduce", 132> {
  let Operands = [
    Sources<"srcs", "one to 16 in HBM, or one in SBUF", ["hbm", "sbuf"], AnyDType>,
    Targets<"dsts", "as many, with the same number of elements", ["hbm", "sbuf"], AnyDType>,
    ReplicaGroup, ReduceOperator, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "collectiveShapes", "dmaQueue", "dmaPriority"];
  let Summary = "Reduces over the ranks; every rank gets the result.";
  let Equation = "dsts[k] = cast(op over the ranks of srcs[k], in list order, in fp32)";
  let Example = "all_reduce srcs=[hbm[x: f32 128x512, 512x1]], dsts=[hbm[y: f32 128x512, 512x1]], replica_group=[[0, 1], [2, 3]], op=add, queue=9";
}

def AllGather : TransferBetween<"all_gather", 133> {
  let Operands = [
    Sources<"srcs", "one to 16 in HBM, or one in SBUF", ["hbm", "sbuf"]>,
    Targets<"dsts", "as many, R times as large", ["hbm", "sbuf"]>,
    ReplicaGroup, CollectiveDim<"0; in SBUF 0 for partitions, or 1">,
    PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "collectiveShapes", "dmaQueue", "dmaPriority"];
  let MovesBits = true;
  let Summary = "Concatenates what the ranks have; every rank gets all of it.";
  let Equation = "dsts[k] = srcs[k] of list[0], of list[1], .. along collective_dim";
  let Example = "all_gather srcs=[hbm[x: f32 64x512, 512x1]], dsts=[hbm[y: f32 128x512, 512x1]], replica_group=[[0, 1]], collective_dim=0, queue=9";
}

def ReduceScatter : TransferBetween<"reduce_scatter", 134> {
  let Operands = [
    Sources<"srcs", "one to 16 in HBM, or one in SBUF", ["hbm", "sbuf"], AnyDType>,
    Targets<"dsts", "as many, one R-th as large", ["hbm", "sbuf"], AnyDType>,
    ReplicaGroup, CollectiveDim<"0; in SBUF that is partitions">,
    ReduceOperator, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "collectiveShapes", "dmaQueue", "dmaPriority"];
  let Summary = "Reduces over the ranks; every rank gets its part of the result.";
  let Equation = "dsts[k] = cast(part r of (op over the ranks of srcs[k], in list order, in fp32)), r the place of this rank";
  let Example = "reduce_scatter srcs=[hbm[x: f32 128x512, 512x1]], dsts=[hbm[y: f32 64x512, 512x1]], replica_group=[[0, 1]], collective_dim=0, op=maximum, queue=9";
}

def AllToAll : TransferBetween<"all_to_all", 135> {
  let Operands = [
    Sources<"srcs", "one to 16">, Targets<"dsts", "as many, with the same number of elements">,
    ReplicaGroup, CollectiveDim<"0">, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "collectiveShapes", "dmaQueue", "dmaPriority"];
  let MovesBits = true;
  let Summary = "Every rank sends a part to each rank.";
  let Equation = "part r of dsts[k] on list[j] = part j of srcs[k] on list[r]";
  let Example = "all_to_all srcs=[hbm[x: f32 128x512, 512x1]], dsts=[hbm[y: f32 128x512, 512x1]], replica_group=[[0, 1, 2, 3]], collective_dim=0, queue=9";
}

def Metadata : MemoryOperand<"metadata_tensor", ReadWrite, "[rows, R], in SBUF on one partition: send counts, send displacements, receive counts (written) and, with has_rdispls, receive displacements, in elements"> {
  let Types = U32Only;
}

def RecvCountsKnown : Flag<"recv_counts_known", "the row of receive counts is left as it is">;
def HasRdispls : Flag<"has_rdispls", "there is a row of receive displacements">;

class CountedCollective<string mnemonic, int opcode>
    : TransferBetween<mnemonic, opcode> {
  let Operands = [
    Sources<"srcs", "one flat buffer">, Targets<"dsts", "one flat buffer">,
    ReplicaGroup, Metadata, RecvCountsKnown, HasRdispls, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "countedCollective", "dmaQueue", "dmaPriority"];
  let MovesBits = true;
}

def AllGatherV : CountedCollective<"all_gather_v", 136> {
  let Summary = "Every rank broadcasts a counted piece.";
  let Equation = "dsts[0][s * |dst| / R ..] = srcs[0][send_displ ..][.. send_count] of the rank at place s";
  let Description = [{
    Count and displacement are those of column 0. Counts are checked when it runs.
  }];
  let Example = "all_gather_v srcs=[hbm[x: f32 1024x1]], dsts=[hbm[y: f32 4096x1]], replica_group=[[0, 1, 2, 3]], metadata_tensor=hbm[y + 0x10000: u32 3x4, 4x1], queue=9";
}

def AllToAllV : CountedCollective<"all_to_all_v", 137> {
  let Summary = "Every rank sends a counted piece to each rank.";
  let Equation = "dsts[0][displ(s) ..] on list[j] = srcs[0][send_displ[j] ..][.. send_count[j]] on list[s]";
  let Description = [{
    displ(s) is s * |dst| / R, or the receive displacement. Counts are checked when it runs.
  }];
  let Example = "all_to_all_v srcs=[hbm[x: f32 1024x1]], dsts=[hbm[y: f32 4096x1]], replica_group=[[0, 1, 2, 3, 4, 5, 6, 7]], metadata_tensor=hbm[y + 0x10000: u32 3x8, 8x1], queue=9";
}

def ReduceScatterV : TransferBetween<"reduce_scatter_v", 141> {
  let Operands = [
    Sources<"srcs", "one flat buffer", ["hbm"], AnyDType>,
    Targets<"dsts", "one flat buffer of at most 16 KiB", ["hbm"], AnyDType>,
    ReplicaGroup, Metadata, ReduceOperator, RecvCountsKnown, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "countedCollective", "dmaQueue", "dmaPriority"];
  let Summary = "Reduces counted pieces over the ranks; every rank gets its piece.";
  let Equation = "dsts[0][0 ..] on list[j] = cast(op over the ranks of srcs[0][send_displ[j] ..][.. send_count[j]], in list order, in fp32)";
  let Description = [{
    All ranks give the same count for a piece; their displacements may differ. Receive count s is what rank s gave. Counts
    are checked when it runs.
  }];
  let Example = "reduce_scatter_v srcs=[hbm[x: f32 4096x1]], dsts=[hbm[y: f32 1024x1]], replica_group=[[0, 1, 2, 3]], metadata_tensor=hbm[y + 0x10000: u32 3x4, 4x1], op=add, queue=9";
}

// In two parts. A preparation reads its table and touches no data, a trigger
// moves them; so each names what it touches, and dependences follow. The switch
// that connects the ranks of v4 prepares nothing.
class Preparation<string mnemonic, int opcode>
    : TransferBetween<mnemonic, opcode> {
  let Until = "v3";
  let Operands = [
    MemoryOperand<"prepared", Write, "keeps what it reads of the table until the trigger; as large", ["hbm"], U32Only>,
    ReplicaGroup,
    MemoryOperand<"metadata_tensor", Read, "[rows, R], in SBUF on one partition: send counts, send displacements, room for receive counts, in elements", ["hbm", "sbuf"], U32Only>,
    RecvCountsKnown, HasRdispls, PeerQueue, PeerPriority
  ];
  let Checks = ["replicaGroup", "countedCollective", "preparedCollective", "dmaQueue", "dmaPriority"];
  let Summary = "Reads the table of a collective for its trigger.";
  let Equation = "prepared = rows 0 and 1 of metadata_tensor";
  let Description = [{
    A core has room for one preparation: its trigger is issued before the next one. The collective is launched here, and no
    other rank is needed for that.
  }];
}

class Trigger<string mnemonic, int opcode, string whole>
    : TransferBetween<mnemonic, opcode> {
  let Until = "v3";
  let Operands = [
    Sources<"srcs", "one flat buffer", ["hbm"], AnyDType>,
    Targets<"dsts", "one flat buffer", ["hbm"], AnyDType>,
    ReplicaGroup,
    MemoryOperand<"prepared", Read, "that of the preparation", ["hbm"], U32Only>,
    Metadata, RecvCountsKnown, HasRdispls, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "countedCollective", "preparedCollective", "dmaQueue", "dmaPriority"];
  let MovesBits = true;
  let Summary = "Moves the data of a prepared collective.";
  let Equation = "as " # whole # ", with the counts and displacements in prepared";
  let Description = [{
    Lists, flags, prepared and metadata_tensor are those of the preparation, which was issued last on this core. It
    writes the receive counts of metadata_tensor and reads nothing from it.
  }];
}

def AllGatherVPrepare : Preparation<"all_gather_v_prepare", 142> {
  let Example = "all_gather_v_prepare prepared=hbm[y + 0x20000: u32 12x1], replica_group=[[0, 1, 2, 3]], metadata_tensor=hbm[y + 0x10000: u32 3x4, 4x1], queue=9";
}

def AllGatherVTrigger : Trigger<"all_gather_v_trigger", 143, "all_gather_v"> {
  let Example = "all_gather_v_trigger srcs=[hbm[x: f32 1024x1]], dsts=[hbm[y: f32 4096x1]], replica_group=[[0, 1, 2, 3]], prepared=hbm[y + 0x20000: u32 12x1], metadata_tensor=hbm[y + 0x10000: u32 3x4, 4x1], queue=9";
}

def AllToAllVPrepare : Preparation<"all_to_all_v_prepare", 144> {
  let Example = "all_to_all_v_prepare prepared=hbm[y + 0x20000: u32 24x1], replica_group=[[0, 1, 2, 3, 4, 5, 6, 7]], metadata_tensor=hbm[y + 0x10000: u32 3x8, 8x1], queue=9";
}

def AllToAllVTrigger : Trigger<"all_to_all_v_trigger", 145, "all_to_all_v"> {
  let Example = "all_to_all_v_trigger srcs=[hbm[x: f32 1024x1]], dsts=[hbm[y: f32 4096x1]], replica_group=[[0, 1, 2, 3, 4, 5, 6, 7]], prepared=hbm[y + 0x20000: u32 24x1], metadata_tensor=hbm[y + 0x10000: u32 3x8, 8x1], queue=9";
}

def CollectivePermute : TransferBetween<"collective_permute", 138> {
  let Operands = [
    Sources<"srcs", "one">, Targets<"dsts", "one, with the same number of elements">,
    RankLists<"source_target_pairs", "pairs [source, target]; a rank is a source at most once and a target at most once">,
    PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "permutePairs", "collectiveShapes", "dmaQueue", "dmaPriority"];
  let MovesBits = true;
  let Summary = "Sends from sources to targets.";
  let Equation = "dsts[0] on target = srcs[0] on source";
  let Description = [{
    The dst of a rank that is not a target does not change, nor does anything on a rank that is in no pair.
  }];
  let Example = "collective_permute srcs=[hbm[x: f32 128x512, 512x1]], dsts=[hbm[y: f32 128x512, 512x1]], source_target_pairs=[[0, 1], [1, 0]], queue=9";
}

def Channels : IntList<"channel_ids", "ids of the channels: 0, 1, .. in order, one for each source">;

def CollectivePermuteImplicit
    : TransferBetween<"collective_permute_implicit", 139> {
  let Operands = [
    Sources<"srcs_by_channel", "one for each channel">,
    Targets<"dsts_by_channel", "as many, with the same number of elements">,
    ReplicaGroup, Channels, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "ringChannels", "collectiveShapes", "dmaQueue", "dmaPriority"];
  let MovesBits = true;
  let Summary = "A step of the ring: to the successor, from the predecessor.";
  let Equation = "dsts_by_channel[c] on list[r + 1] = srcs_by_channel[c] on list[r]";
  let Example = "collective_permute_implicit srcs_by_channel=[hbm[x: f32 128x512, 512x1]], dsts_by_channel=[hbm[y: f32 128x512, 512x1]], replica_group=[[0, 1, 2, 3]], queue=9";
}

def CollectivePermuteImplicitReduce
    : TransferBetween<"collective_permute_implicit_reduce", 140> {
  let Operands = [
    Sources<"srcs0", "one for each channel", ["hbm"], AnyDType>,
    Sources<"srcs1", "as many, with the same number of elements", ["hbm"], AnyDType>,
    Targets<"dsts", "as many, with the same number of elements", ["hbm"], AnyDType>,
    ReplicaGroup, ReduceOperator, Channels, PeerQueue, PeerPriority
  ];
  let Checks = ["collectiveOperands", "replicaGroup", "ringChannels", "collectiveShapes", "dmaQueue", "dmaPriority"];
  let Summary = "A step of the ring that sends what two inputs make.";
  let Equation = "dsts[c] on list[r + 1] = cast(srcs0[c] op srcs1[c]) on list[r], in fp32";
  let Example = "collective_permute_implicit_reduce srcs0=[hbm[x: f32 128x256, 512x1]], srcs1=[hbm[x + 0x400: f32 128x256, 512x1]], dsts=[hbm[y: f32 128x256, 512x1]], replica_group=[[0, 1, 2, 3]], op=add, queue=9";
}
