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

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class EnumCase<string name, int value, string doc = ""> {
  string Name = name;   // C++ enumerator and spelling in assembly
  int Value = value;    // fixed for ever
  string Doc = doc;
}

class EnumDef<string cppName, list<EnumCase> cases> {
  string CppName = cppName;
  list<EnumCase> Cases = cases;
}

//===----------------------------------------------------------------------===//
// Element-type sets (names of kiln::isa::DType)
//===----------------------------------------------------------------------===//

class DTypes<list<string> names> { list<string> Names = names; }
def AnyDType : DTypes<["f32", "bf16", "f16", "i32", "u8"]>;
def FloatDType : DTypes<["f32", "bf16", "f16"]>;
def F32Only : DTypes<["f32"]>;
def PredicateDType : DTypes<["u8"]>;

//===----------------------------------------------------------------------===//
// Operands. C++ type of the struct field by kind:
//   Tile           Access                         on-chip access pattern
//   Memory         Access                         HBM or SBUF, for DMA
//   OptionalTile   std::optional<Access>
//   ScalarOrTile   ScalarOrTile                   immediate or [P, 1] tile
//   OptionalScalarOrTile  std::optional<ScalarOrTile>
//   Enum           the enum                       EnumOperand
//   OptionalEnum   std::optional<enum>
//   Flag           bool
//   Int            std::int32_t
//   Float          float
//   Reg            Register
//   RegOrInt       RegisterOrInt
//   Index          IndexPattern
//===----------------------------------------------------------------------===//

class Effect<string name> { string Name = name; }
def Read : Effect<"read">;
def Write : Effect<"write">;
def ReadWrite : Effect<"read_write">; // read if a flag says so, then written
def NoEffect : Effect<"none">;

class Operand<string name, string kind, string doc> {
  string Name = name;
  string Kind = kind;
  string Doc = doc;
  Effect Access = NoEffect;
  list<string> Spaces = [];
  DTypes Types = AnyDType;
  bit PerPartitionScalar = false; // free size must be 1
  string EnumName = "";           // Enum, OptionalEnum
  string Default = "";            // C++ expression; "" = required
}

class TileOperand<string name, Effect effect, list<string> spaces,
                  DTypes types, string doc> : Operand<name, "Tile", doc> {
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
class OptionalOut<string name, string doc, DTypes types = AnyDType,
                  list<string> spaces = ["sbuf", "psum"]>
    : TileOperand<name, Write, spaces, types, doc> {
  let Kind = "OptionalTile";
  let PerPartitionScalar = true;
}
class MemoryOperand<string name, Effect effect, string doc,
                    list<string> spaces = ["hbm", "sbuf"]>
    : Operand<name, "Memory", doc> {
  let Access = effect;
  let Spaces = spaces;
}
class ScalarIn<string name, string doc, DTypes types = F32Only>
    : Operand<name, "ScalarOrTile", doc> {
  let Access = Read;
  let Spaces = ["sbuf", "psum"];
  let Types = types;
  let PerPartitionScalar = true;
}
class DefaultScalarIn<string name, string doc, string init>
    : ScalarIn<name, doc, F32Only> {
  let Default = init;
}
class OptionalScalarIn<string name, string doc, DTypes types = F32Only>
    : ScalarIn<name, doc, types> {
  let Kind = "OptionalScalarOrTile";
}
class EnumOperand<string name, EnumDef enumDef, string doc, string init = "">
    : Operand<name, "Enum", doc> {
  let EnumName = enumDef.CppName;
  let Default = init;
}
class OptionalEnumOperand<string name, EnumDef enumDef, string doc>
    : Operand<name, "OptionalEnum", doc> {
  let EnumName = enumDef.CppName;
}
class Flag<string name, string doc, string init = "false">
    : Operand<name, "Flag", doc> { let Default = init; }
class Int<string name, string doc, string init = "">
    : Operand<name, "Int", doc> { let Default = init; }
class Float<string name, string doc, string init = "">
    : Operand<name, "Float", doc> { let Default = init; }
class Reg<string name, string doc> : Operand<name, "Reg", doc>;
class RegOrInt<string name, string doc, string init = "">
    : Operand<name, "RegOrInt", doc> { let Default = init; }
class Index<string name, string doc> : Operand<name, "Index", doc>;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

class Group<string name> { string Name = name; }
def TensorGroup : Group<"Tensor engine">;
def DataMovement : Group<"Data movement">;
def Elementwise : Group<"Element-wise">;
def Reduction : Group<"Reductions">;
def Control : Group<"Registers and control">;

class Instruction<string mnemonic, int opcode, Group group> {
  string Mnemonic = mnemonic;    // assembly, `nc` dialect and language name
  int Opcode = opcode;           // fixed for ever
  Group InstructionGroup = group;
  list<string> Engines = [];     // streams that may hold it; first is default
  string Since = "v2";           // first generation
  list<Operand> Operands = [];   // in the order of the manual
  // Conditions between operands, by the name of a check in Checks.td.
  // Limits of single operands (spaces, types, ranges) are derived, not listed.
  list<string> Checks = [];
  string Cost = "";              // name of a row of costModels in kiln/isa/cost.h
  bit IsControl = false;         // executes in the sequencer
  bit IsDma = false;             // runs on a DMA queue after it issued
  string Summary = "";           // one line
  string Equation = "";          // what it computes
  string Description = "";       // a paragraph
  string Example = "";           // one line of assembly; tested
}

#endif // KILN_ISA_BASE
