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
// that uses them. What touches memory is an instruction.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_NC_REGISTERS
#define KILN_NC_REGISTERS

include "kiln/compiler/Nc/NcBase.td"

def Nc_RegisterLoadOp : Nc_InstructionOp<"register_load"> {
  let summary = "loads a register from one element of memory";
  let description = [{
    The result may offset views and bound loops. Every stream that uses it
    needs a copy: nc-replicate-registers makes one load for each, all with the
    same `group`; users name the result of any of them.
  }];
  let arguments = (ins Nc_View:$src, OptionalAttr<I64Attr>:$group,
                       OptionalAttr<StrAttr>:$engine);
  let results = (outs Index:$dst);
  let assemblyFormat = "`src` `(` $src `:` type($src) `)` attr-dict";
}

def Nc_RegisterStoreOp : Nc_InstructionOp<"register_store"> {
  let summary = "stores an index value to one element of memory";
  let arguments = (ins Nc_View:$dst, Index:$src,
                       OptionalAttr<StrAttr>:$engine);
  let assemblyFormat =
    "`dst` `(` $dst `:` type($dst) `)` `src` `(` $src `)` attr-dict";
}

def Nc_SemaphoreOp : Nc_InstructionOp<"semaphore"> {
  let summary = "only waits and signals";
  let description = [{
    Tokens of the user's own are the attributes `nc.user_waits` and
    `nc.user_signals`, which every instruction may have; this one has nothing
    else.
  }];
  let arguments = (ins StrAttr:$engine);
  let assemblyFormat = "attr-dict";
}

#endif // KILN_NC_REGISTERS
