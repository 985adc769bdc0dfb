//===- Base.td - The vocabulary of instruction records -----*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record per instruction is the single source of: the C++ struct, encoder,
// decoder, assembler, disassembler, operand checks, the manual page, and the
// `nc` dialect operation with its translation to the struct.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_BASE
#define KILN_ISA_BASE

include "OperandKinds.td"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class EnumCase<string name, int value, string doc = "",
               list<string> traits = [], string since = "v2"> {
  string Name = name;   // C++ enumerator and spelling in assembly
  int Value = value;    // fixed for ever
  string Doc = doc;
  // Each trait becomes a predicate: "Unary" is isUnary(E).
  list<string> Traits = traits;
  string Since = since; // first generation
}

class EnumDef<string cppName, list<EnumCase> cases> {
  string CppName = cppName;
  list<EnumCase> Cases = cases;
}

//===----------------------------------------------------------------------===//
// Element-type sets (names of kiln::isa::DType)
//===----------------------------------------------------------------------===//

class DTypes<list<string> names> { list<string> Names = names; }
def FloatDType : DTypes<["f32", "tf32", "bf16", "f16", "f8e4m3", "f8e4m3fn",
  "f8e5m2"]>;
def IntegerDType : DTypes<["i32", "u32", "i16", "u16", "i8", "u8"]>;
// Every type that holds numbers.
def AnyDType : DTypes<FloatDType.Names # IntegerDType.Names # ["boolean"]>;
// And those that are only moved, or used by the MX instructions.
def CopyDType : DTypes<AnyDType.Names # ["f8e8m0", "f8e4m3fn_x4",
  "f8e5m2_x4", "f4e2m1fn_x4"]>;
def MatmulDType : DTypes<FloatDType.Names>;
// What a DMA transposes: two or four bytes.
def TransposeDType : DTypes<["f32", "tf32", "bf16", "f16", "i32", "u32", "i16",
  "u16", "f8e4m3fn_x4", "f8e5m2_x4", "f4e2m1fn_x4"]>;
def BiasDType : DTypes<["f32", "bf16", "f16", "f8e4m3", "f8e4m3fn", "f8e5m2",
  "boolean"] # IntegerDType.Names>;
def OnTrueDType : DTypes<["f32", "bf16", "f16", "f8e4m3", "f8e4m3fn",
  "f8e5m2", "i16", "u16", "i8", "u8", "boolean"]>;
def F32Only : DTypes<["f32"]>;
def Bf16Only : DTypes<["bf16"]>;
def I32Only : DTypes<["i32"]>;
def U16Only : DTypes<["u16"]>;
def U32Only : DTypes<["u32"]>;
def F32OrI32 : DTypes<["f32", "i32"]>;
def SelectDType : DTypes<["u8", "i8", "u16", "i16", "boolean"]>;
// What scales an operand: f32 for arithmetic, an integer for bitwise ones.
def ScalarDType : DTypes<["f32", "i32", "u32", "i16", "u16", "i8", "u8"]>;
def PredicateDType : DTypes<["u8", "u16", "u32"]>;
def IndexDType : DTypes<["u32", "u16"]>;
def TileIndexDType : DTypes<["i32", "u32", "u16"]>;
def RowIndexDType : DTypes<["i32", "u32"]>;
def AnyIntegerDType : DTypes<["i32", "u32", "i16", "u16", "i8", "u8"]>;
def SeedDType : DTypes<["u32", "i32", "f32"]>;
def ScaleDType : DTypes<["f8e8m0", "u8"]>;
def MxInDType : DTypes<["f8e5m2_x4", "f8e4m3fn_x4", "f4e2m1fn_x4"]>;
def MxOutDType : DTypes<["f8e5m2_x4", "f8e4m3fn_x4"]>;
// What a register holds: 32 bits and how to read them.
def RegisterDType : DTypes<["i32", "u32", "i16", "u16", "i8", "u8", "f32"]>;
def HalfDType : DTypes<["f16", "bf16"]>;
def F32OrBf16 : DTypes<["f32", "bf16"]>;
// What rand2 writes.
def RandomDType : DTypes<["f32", "tf32", "bf16", "f16", "f8e4m3", "f8e5m2"]
  # ["i32", "u32", "i16", "u16", "i8", "u8"]>;
// tensor_scalar_cumulative: no tf32, no integers of 32 bits.
def CumulativeDType : DTypes<["f32", "bf16", "f16", "f8e4m3", "f8e4m3fn",
  "f8e5m2", "i16", "u16", "i8", "u8"]>;
def ExponentialIn : DTypes<["f32", "bf16", "f16", "f8e4m3", "f8e5m2",
  "i32", "u32", "i16", "u16", "i8", "u8"]>;
def ExponentialOut : DTypes<["f32", "tf32", "bf16", "f16", "f8e4m3",
  "f8e5m2", "i32", "i16", "u16", "i8", "u8"]>;

//===----------------------------------------------------------------------===//
// Operands; their kinds are in OperandKinds.td
//===----------------------------------------------------------------------===//

class Effect<string name> { string Name = name; }
def Read : Effect<"read">;
def Write : Effect<"write">;
def ReadWrite : Effect<"read_write">; // read if a flag says so, then written
def NoEffect : Effect<"none">;

class Operand<string name, OperandKind kind, string doc> {
  string Name = name;
  OperandKind Kind = kind;
  string Doc = doc;
  Effect Access = NoEffect;
  list<string> Spaces = [];
  DTypes Types = AnyDType;
  bit PerPartitionScalar = false; // free size must be 1
  // Elements in a partition: a multiple of ElementStep from MinElements to
  // MaxElements (0 = what the memory allows).
  int MinElements = 1;
  int MaxElements = 0;
  int ElementStep = 1;
  int MaxDims = 0;        // free dimensions that count; 0 = what its kind may
  // An operand called INDEXED_index holds element or row numbers that replace
  // those of the pattern of INDEXED, see docs/assembly.md.
  string IndexOf = "";
  bit AnyStart = false;   // may start at any partition
  string ReadIf = "";     // a Flag: if set, dst is read before it is written
  string EnumName = "";   // Enum, OptionalEnum
  list<string> Cases = []; // Enum, OptionalEnum: the legal ones; [] = all
  string Default = "";    // C++ expression; "" = required
}

class TileOperand<string name, Effect effect, list<string> spaces,
                  DTypes types, string doc> : Operand<name, TileKind, doc> {
  let Access = effect;
  let Spaces = spaces;
  let Types = types;
}
class TileIn<string name, string doc, DTypes types = AnyDType,
         list<string> spaces = ["sbuf", "psum"]>
    : TileOperand<name, Read, spaces, types, doc>;
class TileOut<string name, string doc, DTypes types = AnyDType,
          list<string> spaces = ["sbuf", "psum"]>
    : TileOperand<name, Write, spaces, types, doc>;
// With exactly `count` elements in a partition.
class CountedOut<string name, string doc, int count, DTypes types = AnyDType>
    : TileOut<name, doc, types> {
  let MinElements = count;
  let MaxElements = count;
}
class PerPartitionIn<string name, string doc, DTypes types, list<string> spaces>
    : TileIn<name, doc, types, spaces> {
  let PerPartitionScalar = true;
}
class OptionalOut<string name, string doc, DTypes types = AnyDType,
                  list<string> spaces = ["sbuf", "psum"]>
    : TileOperand<name, Write, spaces, types, doc> {
  let Kind = OptionalTileKind;
  let PerPartitionScalar = true;
}
class MemoryOperand<string name, Effect effect, string doc,
                    list<string> spaces = ["hbm", "sbuf"],
                    DTypes types = CopyDType>
    : Operand<name, MemoryKind, doc> {
  let Access = effect;
  let Spaces = spaces;
  let Types = types;
}
class RegisterElement<string name, Effect effect>
    : MemoryOperand<name, effect, "one element"> {
  let Types = RegisterDType;
}
class ScalarIn<string name, string doc, DTypes types = F32Only>
    : Operand<name, ScalarOrTileKind, doc> {
  let Access = Read;
  let Spaces = ["sbuf", "psum"];
  let Types = types;
  let PerPartitionScalar = true;
}
class DefaultScalarIn<string name, string doc, string init>
    : ScalarIn<name, doc, F32Only> {
  let Default = init;
}
// A full tile, or one number for all of it.
class TileOrNumber<string name, string doc, DTypes types = AnyDType>
    : ScalarIn<name, doc, types> {
  let PerPartitionScalar = false;
}
class OptionalScalarIn<string name, string doc, DTypes types = F32Only>
    : ScalarIn<name, doc, types> {
  let Kind = OptionalScalarOrTileKind;
}
class EnumOperand<string name, EnumDef enumDef, string doc, string init = "",
                  list<string> cases = []>
    : Operand<name, EnumKind, doc> {
  let EnumName = enumDef.CppName;
  let Default = init;
  let Cases = cases;
}
class OptionalEnumOperand<string name, EnumDef enumDef, string doc,
                          list<string> cases = []>
    : Operand<name, OptionalEnumKind, doc> {
  let EnumName = enumDef.CppName;
  let Cases = cases;
}
// The list of places that the tile operand `indexed` gathers or scatters.
class TileIndex<string indexed>
    : TileOperand<indexed # "_index", Read, ["sbuf"], TileIndexDType,
        "[P, K]: places in " # indexed # ", 16 lanes by lane (v4)"> {
  let Kind = OptionalTileKind;
  let IndexOf = indexed;
}
// The rows of the HBM operand `indexed`.
class RowIndex<string indexed>
    : TileOperand<indexed # "_index", Read, ["sbuf"], RowIndexDType,
        "[rows, 1]: number of each row of " # indexed # " (v3)"> {
  let Kind = OptionalTileKind;
  let IndexOf = indexed;
}
class OptionalInt<string name, string doc> : Operand<name, OptionalIntKind, doc>;
class OptionalPair<string name, string doc> : Operand<name, OptionalPairKind, doc>;
class Lanes<string name, string doc> : Operand<name, LanesKind, doc>;
class MemoryList<string name, string doc, Effect effect = Read,
                 list<string> spaces = ["hbm", "sbuf"],
                 DTypes types = CopyDType>
    : MemoryOperand<name, effect, doc, spaces, types> {
  let Kind = MemoryListKind;
}
class RankLists<string name, string doc> : Operand<name, RankListsKind, doc>;
class IntList<string name, string doc> : Operand<name, IntListKind, doc> {
  let Default = "{}";
}
class Flag<string name, string doc, string init = "false">
    : Operand<name, FlagKind, doc> { let Default = init; }
class Int<string name, string doc, string init = "">
    : Operand<name, IntKind, doc> { let Default = init; }
class Float<string name, string doc, string init = "">
    : Operand<name, FloatKind, doc> { let Default = init; }
class Reg<string name, string doc> : Operand<name, RegKind, doc>;
class RegOrInt<string name, string doc, string init = "">
    : Operand<name, RegOrIntKind, doc> { let Default = init; }
class Index<string name, string doc> : Operand<name, IndexKind, doc>;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

class Group<string name> { string Name = name; }
def TensorGroup : Group<"Tensor engine">;
def DataMovement : Group<"Data movement">;
def Elementwise : Group<"Element-wise">;
def Reduction : Group<"Reductions, scans, statistics">;
def Random : Group<"Random numbers">;
def Control : Group<"Registers and control">;
def Peers : Group<"Cores and ranks">;

class Instruction<string mnemonic, int opcode, Group group> {
  string Mnemonic = mnemonic;    // assembly, `nc` dialect and language name
  int Opcode = opcode;           // fixed for ever
  Group InstructionGroup = group;
  list<string> Engines = [];     // streams that may hold it; first is default
  string Since = "v2";           // first generation
  string Until = "";             // last one; "": the newest has it, too
  list<Operand> Operands = [];   // in the order of the manual
  // Conditions between operands, by the name of a check in Checks.td.
  // Limits of single operands (spaces, types, ranges) are derived, not listed.
  list<string> Checks = [];
  // What an engine keeps between instructions and this one reads or writes:
  // "none", "accumulator", "random"; "peers": the order in which a core meets
  // other cores, one for all its engines.
  string State = "none";
  string Cost = "";              // name of a row of costModels in kiln/isa/cost.h
  // It moves elements without computing: takes types that hold no numbers.
  bit MovesBits = false;
  bit IsControl = false;         // executes in the sequencer
  // Control flow: "opens" a body, "divides" it in two, "closes" it.
  string Nesting = "none";
  bit IsDma = false;             // runs on a DMA queue after it issued
  string Summary = "";           // one line
  string Equation = "";          // what it computes
  string Description = "";       // a paragraph
  string Example = "";           // one line of assembly; tested
}

#endif // KILN_ISA_BASE
