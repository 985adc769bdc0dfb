//===- NcRegisters.td - Registers and semaphores -----------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register is a value of type index. Moves and arithmetic need no operation
// of their own: emission computes index values in registers of every stream
// that uses them. What touches memory is an instruction. A `while` is a loop
// with an operation that names its condition.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_NC_REGISTERS
#define KILN_NC_REGISTERS

include "kiln/compiler/dialect/nc/NcBase.td"

def Nc_RegisterLoadOp : Nc_WrittenInstructionOp<"register_load"> {
  let summary = "loads a register from one element of memory";
  let description = [{
    The result may offset views and bound loops. Every stream that uses it
    needs a copy: nc-replicate-registers makes one load for each, all with the
    same `group`; users name the result of any of them.

    ```mlir
    %r = nc.register_load src(%element : !nc.view<1x1xi32, sbuf>)
      {engine = #nc.engine<sync>}
    ```
  }];
  let arguments = (ins Nc_View:$src, OptionalAttr<I64Attr>:$group,
                       OptionalAttr<Nc_EngineAttr>:$engine,
                       Nc_SourceNumber:$source_number);
  let results = (outs Index:$dst);
  let assemblyFormat = [{
    `src` `(` $src `:` type($src) `)` (`source` `(` $source_number^ `)`)?
    attr-dict
  }];
}

def Nc_RegisterStoreOp : Nc_WrittenInstructionOp<"register_store"> {
  let summary = "stores an index value to one element of memory";
  let description = [{
    The element is of 32 bits. The stream is any that may hold the instruction.

    ```mlir
    nc.register_store dst(%element : !nc.view<1x1xi32, sbuf>) src(%i)
      {engine = #nc.engine<sync>}
    ```
  }];
  let arguments = (ins Nc_View:$dst, Index:$src,
                       OptionalAttr<Nc_EngineAttr>:$engine,
                       Nc_SourceNumber:$source_number);
  let assemblyFormat = [{
    `dst` `(` $dst `:` type($dst) `)` `src` `(` $src `)`
    (`source` `(` $source_number^ `)`)? attr-dict
  }];
}

def Nc_RankIdOp : Nc_Op<"rank_id", [Pure]> {
  let summary = "the number of the own rank";
  let description = [{
    A register of every stream that uses it.

    ```mlir
    %rank = nc.rank_id
    ```
  }];
  let results = (outs Index:$dst);
  let assemblyFormat = "attr-dict";
}

def Nc_RingRankOp : Nc_Op<"ring_rank", [Pure]> {
  let summary = "the rank whose data is at hand at a step of the ring";
  let description = [{
    The ring is the own list of `replica_group`. In step 0 it is the own rank.

    ```mlir
    %from = nc.ring_rank %i of [array<i32: 0, 1, 2, 3>]
    ```
  }];
  let arguments = (ins Index:$iteration,
    TypedArrayAttrBase<DenseI32ArrayAttr, "lists of ranks">:$replica_group,
    DefaultValuedAttr<I32Attr, "0">:$channel_id);
  let results = (outs Index:$dst);
  let assemblyFormat = "$iteration `of` $replica_group attr-dict";
  let hasVerifier = 1;
}

def Nc_SemaphoreOp : Nc_WrittenInstructionOp<"semaphore"> {
  let summary = "only waits and signals";
  let description = [{
    Tokens of the user's own are the attributes `nc.user_waits` and
    `nc.user_signals`, which every instruction may have; this one has nothing
    else.

    ```mlir
    nc.semaphore {engine = #nc.engine<vector>, nc.waits = [#nc.token<3, 1>]}
    ```
  }];
  let arguments = (ins Nc_EngineAttr:$engine, Nc_SourceNumber:$source_number);
  let assemblyFormat = "(`source` `(` $source_number^ `)`)? attr-dict";
}

def Nc_WhileEntryOp : Nc_Op<"while_entry"> {
  let summary = "the upper bound of a loop that runs while a condition holds";
  let description = [{
    Such a loop is an `scf.for` from 0 whose number of trips nobody knows, with
    an `nc.while` in its body. It is not entered if `condition` is 0.

    ```mlir
    %bound = nc.while_entry %i
    ```
  }];
  let arguments = (ins Index:$condition);
  let results = (outs Index:$bound);
  let assemblyFormat = "$condition attr-dict";
}

def Nc_WhileOp : Nc_Op<"while", [HasParent<"::mlir::scf::ForOp">]> {
  let summary = "makes the loop around it run again unless its operand is 0";
  let description = [{
    Every stream that takes part in the loop needs the registers that the
    condition is computed from.

    ```mlir
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %bound = nc.while_entry %i
    scf.for %turn = %zero to %bound step %one {
      %again = nc.rank_id
      nc.while %again
    }
    ```
  }];
  let arguments = (ins Index:$condition);
  let assemblyFormat = "$condition attr-dict";
}

#endif // KILN_NC_REGISTERS
