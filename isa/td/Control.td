//===- Control.td - Registers, loops, semaphores -----------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

class ControlInstruction<string mnemonic, int opcode>
    : Instruction<mnemonic, opcode, Control> {
  let Engines = ["tensor", "vector", "scalar", "gpsimd", "sync"];
  let IsControl = true;
  let Cost = "control";
}

def RegisterMove : ControlInstruction<"register_move", 64> {
  let Operands = [Reg<"dst", "destination">, RegOrInt<"src", "integer or register">];
  let Summary = "Sets a register.";
  let Equation = "dst = src";
  let Example = "register_move dst=r0, src=4096";
}

def RegisterAlu : ControlInstruction<"register_alu", 65> {
  let Operands = [
    Reg<"dst", "destination">, EnumOperand<"op", RegisterOp, "operator">,
    RegOrInt<"a", "left operand">, RegOrInt<"b", "right operand">
  ];
  let Checks = ["registerDivisor"];
  let Summary = "Integer arithmetic on 32-bit registers; wraps.";
  let Equation = "dst = a op b";
  let Example = "register_alu dst=r2, op=multiply, a=r0, b=128";
}

def RegisterWrap : ControlInstruction<"register_wrap", 66> {
  let Operands = [
    Reg<"dst", "ring pointer, read and written">,
    Int<"step", "added">, Int<"end", "value that wraps"> , Int<"begin", "value after the wrap">
  ];
  let Summary = "Advances a ring pointer.";
  let Equation = "dst = dst + step == end ? begin : dst + step";
  let Example = "register_wrap dst=r3, step=1, end=4, begin=0";
}

def RegisterLoad : ControlInstruction<"register_load", 67> {
  let Operands = [
    Reg<"dst", "destination">,
    MemoryOperand<"src", Read, "one element, i32 or u8"> 
  ];
  let Checks = ["registerElement"];
  let Cost = "registerLoad";
  let Summary = "Loads a register from memory.";
  let Equation = "dst = src[0]";
  let Example = "register_load dst=r4, src=hbm[x + 0x10: i32]";
}

def RegisterStore : ControlInstruction<"register_store", 68> {
  let Operands = [
    MemoryOperand<"dst", Write, "one element, i32 or u8">,
    RegOrInt<"src", "value">
  ];
  let Checks = ["registerElement"];
  let Cost = "registerLoad";
  let Summary = "Stores a register to memory.";
  let Equation = "dst[0] = src";
  let Example = "register_store dst=sbuf[p5:6, 0x40: i32], src=r4";
}

def LoopBegin : ControlInstruction<"loop", 80> {
  let Operands = [
    Reg<"counter", "holds the iteration value; the body must not write it">,
    RegOrInt<"begin", "first value">, RegOrInt<"end", "one past the last value">,
    Int<"step", "positive", "1">
  ];
  let Checks = ["loopStep"];
  let Summary = "Opens a counted loop, closed by end_loop; the bounds are read once.";
  let Equation = "for (counter = begin; counter < end; counter += step) { ... }";
  let Description = [{
    Zero trips skip the body. Every stream that takes part in a loop has its own copy with its own registers.
  }];
  let Example = "loop r0 = 0 to r1 step 128";
}

def LoopEnd : ControlInstruction<"end_loop", 81> {
  let Summary = "Closes the innermost open loop.";
  let Example = "end_loop";
}

def Semaphore : ControlInstruction<"semaphore", 96> {
  let Summary = "Only waits and signals: it signals when all earlier instructions of its stream have completed.";
  let Description = [{
    Transfers that the stream triggered are not waited for: they signal for themselves.
  }];
  let Example = "semaphore wait s3>=1, signal s5+=2";
}
