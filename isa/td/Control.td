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
    RegOrInt<"a", "left operand">, RegOrInt<"b", "right operand">,
    EnumOperand<"type", RegisterType, "how it reads the bits", "RegisterType::i32">
  ];
  let Checks = ["registerOperator"];
  let Summary = "Arithmetic, comparisons and bits on 32-bit registers.";
  let Equation = "dst = a op b";
  let Description = [{
    Integers wrap at 32 bits. f32 rounds to nearest even, any NaN result is 0x7fc00000, and an integer written as an
    operand is converted. A comparison gives the integer 1 or 0, whatever the type, which `if` and `while` test.
  }];
  let Example = "register_alu dst=r2, op=less, a=r0, b=128, type=u32";
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
    RegisterElement<"src", Read>
  ];
  let Checks = ["registerElement"];
  let Cost = "registerLoad";
  let Summary = "Loads a register from memory.";
  let Equation = "dst = src[0]";
  let Description = [{
    Signed elements are sign-extended, unsigned ones zero-extended; an f32 keeps its bits.
  }];
  let Example = "register_load dst=r4, src=hbm[x + 0x10: i32]";
}

def RegisterStore : ControlInstruction<"register_store", 68> {
  let Operands = [
    RegisterElement<"dst", Write>,
    RegOrInt<"src", "value">
  ];
  let Checks = ["registerElement"];
  let Cost = "registerLoad";
  let Summary = "Stores a register to memory.";
  let Equation = "dst[0] = src";
  let Description = [{
    Stores the low bits, as many as the element has.
  }];
  let Example = "register_store dst=sbuf[p5:6, 0x40: i32], src=r4";
}

def LoopBegin : ControlInstruction<"loop", 80> {
  let Operands = [
    Reg<"counter", "holds the iteration value; the body must not write it">,
    RegOrInt<"begin", "first value">, RegOrInt<"end", "one past the last value">,
    Int<"step", "positive", "1">
  ];
  let Checks = ["loopStep"];
  let Nesting = "opens";
  let Summary = "Opens a counted loop, closed by end_loop; the bounds are read once.";
  let Equation = "for (counter = begin; counter < end; counter += step) { ... }";
  let Description = [{
    If there are no iterations, the body is skipped. Every stream that takes part in a loop has its own copy with its
    own registers.
  }];
  let Example = "loop r0 = 0 to r1 step 128";
}

def LoopEnd : ControlInstruction<"end_loop", 81> {
  let Nesting = "closes";
  let Summary = "Closes the innermost loop or while.";
  let Example = "end_loop";
}

def While : ControlInstruction<"while", 82> {
  let Operands = [Reg<"condition", "0 ends the loop; the body writes it">];
  let Nesting = "opens";
  let Summary = "Opens a loop, closed by end_loop, that runs while a register is not 0.";
  let Equation = "while (condition != 0) { ... }";
  let Description = [{
    The register is tested before each iteration: where `while` stands, then at each `end_loop`. `while` itself executes
    once, with its waits and signals; if the register is 0 then, nothing of the loop executes. Every stream that takes
    part has its own copy with its own register, and all must find the same values in it.
  }];
  let Example = "while r0";
}

def If : ControlInstruction<"if", 83> {
  let Operands = [Reg<"condition", "not 0: the body executes">];
  let Nesting = "opens";
  let Summary = "Opens a body, closed by end_if, that executes if a register is not 0.";
  let Equation = "if (condition != 0) { ... } else { ... }";
  let Description = [{
    `end_if` executes in either case, `else` only at the end of the first body; their waits and signals take effect
    then. As with loops, every stream that takes part has its own copy.
  }];
  let Example = "if r0";
}

def Else : ControlInstruction<"else", 84> {
  let Nesting = "divides";
  let Summary = "Begins the body that executes if the register of the innermost if is 0.";
  let Example = "else";
}

def EndIf : ControlInstruction<"end_if", 85> {
  let Nesting = "closes";
  let Summary = "Closes the innermost if.";
  let Example = "end_if";
}

def Semaphore : ControlInstruction<"semaphore", 96> {
  let Summary = "Only waits and signals: it signals when all earlier instructions of its stream have completed.";
  let Description = [{
    It does not wait for transfers that the stream triggered: they have signals of their own.
  }];
  let Example = "semaphore wait s3>=1, signal s5+=2";
}
