//===- NcBase.td - The nc dialect: types and attributes ----*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_NC_BASE
#define KILN_NC_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nc_Dialect : Dialect {
  let name = "nc";
  let cppNamespace = "::kiln::compiler::nc";
  let summary = "One operation is one instruction";
  let description = [{
    Instruction operations are generated from the instruction set's TableGen
    records. Memory is `nc.alloc` (or a function argument for HBM), an operand
    is an `nc.view` of it, loops are `scf.for`, loop bounds and register
    operands are values of type index made by `arith` and `affine.apply`,
    `affine.min`, `affine.max`. A kernel is a `func.func` whose arguments are
    its HBM tensors, with argument attributes `nc.name` and `nc.kind`, a
    `#nc.kind<input>`, `output` or `inout`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerOperations();
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Memory spaces and views
//===----------------------------------------------------------------------===//

def Nc_SpaceEnum : I32EnumAttr<"Space", "where a tensor lives", [
  I32EnumAttrCase<"hbm", 0>, I32EnumAttrCase<"sbuf", 1>,
  I32EnumAttrCase<"psum", 2>
]> {
  let cppNamespace = "::kiln::compiler::nc";
  let genSpecializedAttr = 0;
}

def Nc_SpaceAttr : EnumAttr<Nc_Dialect, Nc_SpaceEnum, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Enumerations of the instruction set
//===----------------------------------------------------------------------===//

/// An enumeration of kiln::isa. Its cases and their spellings are only there.
class Nc_IsaEnumParameter<string enum>
    : AttrOrTypeParameter<"::kiln::isa::" # enum, "a case of isa::" # enum> {
  let parser = "parseCase<::kiln::isa::" # enum # ">($_parser)";
  let printer = "$_printer << textOf($_self)";
}

class Nc_IsaEnumAttr<string enum, string attrMnemonic>
    : AttrDef<Nc_Dialect, enum> {
  let mnemonic = attrMnemonic;
  let summary = "a case of isa::" # enum;
  let parameters = (ins Nc_IsaEnumParameter<enum>:$value);
  let assemblyFormat = "`<` $value `>`";
  // Getters of operations return the case.
  let returnType = "::kiln::isa::" # enum;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::kiln::compiler::nc::" # enum #
                         "Attr::get($_builder.getContext(), $0)";
}

def Nc_EngineAttr : Nc_IsaEnumAttr<"Engine", "engine">;
def Nc_OpcodeAttr : Nc_IsaEnumAttr<"Opcode", "opcode">;
def Nc_ArgumentKindAttr : Nc_IsaEnumAttr<"ArgumentKind", "kind">;

// Generated: one of them for each enumeration of isa/td.
include "kiln/compiler/dialect/nc/NcIsaEnums.td"

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

def Nc_TokenAttr : AttrDef<Nc_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "a number of tokens of one semaphore";
  let description = [{
    `#nc.token<3, 2>`: two tokens of semaphore 3. Lists of them say what an
    instruction waits for (`nc.waits`) and signals (`nc.signals`). In
    `nc.user_waits` and `nc.user_signals` the number is that of a semaphore of
    the program's own.
  }];
  let parameters = (ins "::int64_t":$semaphore, "::int64_t":$value);
  let assemblyFormat = "`<` $semaphore `,` $value `>`";
  let genVerifyDecl = 1;
}

def Nc_FenceAttr : AttrDef<Nc_Dialect, "Fence"> {
  let mnemonic = "fence";
  let summary = "a semaphore instruction before or after a loop";
  let description = [{
    `#nc.fence<engine = <vector>, after = true, waits = [#nc.token<3, 2>],
    signals = []>`: what `nc-synchronize` puts at an end of a loop
    (`nc.fences`), for the stream of one engine.
  }];
  let parameters = (ins "::kiln::compiler::nc::EngineAttr":$engine,
                        "bool":$after,
                        "::mlir::ArrayAttr":$waits,
                        "::mlir::ArrayAttr":$signals);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

def Nc_TargetAttr : AttrDef<Nc_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the machine that a module is compiled for";
  let description = [{
    `#nc.target<"trn2">`: a generation, and for a machine of the user's own what
    differs from it:
    `#nc.target<"trn3" named "mine" with {hbm_bytes_per_ns = 4900.0}>`. The
    names of the parameters are those of isa/td/Target.td; integers are i64,
    other numbers f64. The module holds it as `nc.target`.
  }];
  let parameters = (ins StringRefParameter<"trn1, trn2 or trn3">:$base,
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::DictionaryAttr">:$changes);
  let assemblyFormat = [{
    `<` $base (`named` $name^)? (`with` $changes^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static TargetAttr get(::mlir::MLIRContext *context,
                          const ::kiln::isa::Target &target);
    ::kiln::isa::Target getTarget() const;
    /// As the generation is: without a name or changes.
    bool isUsual() const { return !getName() && !getChanges(); }
  }];
}

def Nc_ViewType : TypeDef<Nc_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "a strided window on a memref, one operand of an instruction";
  let description = [{
    `!nc.view<128x512xf32, sbuf>`. Dimension 0 of an on-chip view is its
    partitions.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                    "::mlir::Type":$elementType, "Space":$space);
  let hasCustomAssemblyFormat = 1;
}
def Nc_View : Type<CPred<"::llvm::isa<::kiln::compiler::nc::ViewType>($_self)">,
                   "view", "::kiln::compiler::nc::ViewType">;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

def NcInstruction : OpInterface<"NcInstruction"> {
  let cppNamespace = "::kiln::compiler::nc";
  let description = [{
    An operation that is one instruction. Everything else about it (engines,
    effects, cost, legality) is asked of the struct that it builds.
  }];
  let methods = [
    InterfaceMethod<"Builds the instruction; the resolver says where views are.",
      "::kiln::isa::Body", "buildInstruction",
      (ins "::kiln::compiler::nc::OperandResolver &":$resolver)>,
    InterfaceMethod<"Which instruction it is: operations have the mnemonics.",
      "::kiln::isa::Opcode", "getOpcode", (ins), "", [{
        static const ::kiln::isa::Opcode opcode = [] {
          const ::llvm::StringRef name =
              ConcreteOp::getOperationName().split('.').second;
          return *::kiln::isa::parseOpcode(
              std::string_view(name.data(), name.size()));
        }();
        return opcode;
      }]>,
    InterfaceMethod<"The stream that holds it, or null.",
      "::kiln::compiler::nc::EngineAttr", "getStream", (ins), "",
      [{ return $_op.getEngineAttr(); }]>,
    InterfaceMethod<"Puts it into a stream.", "void", "setStream",
      (ins "::kiln::compiler::nc::EngineAttr":$stream), "", [{ $_op.setEngineAttr(stream); }]>,
    InterfaceMethod<"What it stands for (SourceOrder.h), or a negative number.",
      "int64_t", "getSourceNumber", (ins), [{
        return $_op.getSourceNumber();
      }]>,
    InterfaceMethod<"See getSourceNumber.",
      "void", "setSourceNumber", (ins "int64_t":$number), [{
        $_op.setSourceNumber(number);
      }]>,
  ];
  let extraSharedClassDeclaration = [{
    /// The stream that holds it, once nc-choose-engines (or the user) chose.
    std::optional<::kiln::isa::Engine> getAssignedEngine() {
      if (::kiln::compiler::nc::EngineAttr stream = $_op.getStream())
        return stream.getValue();
      return std::nullopt;
    }
    void setAssignedEngine(::kiln::isa::Engine engine) {
      $_op.setStream(
          ::kiln::compiler::nc::EngineAttr::get($_op->getContext(), engine));
    }
  }];
}

/// A number that each instruction has for itself. As an attribute, each would
/// live in the context for ever, and each dictionary with it.
def Nc_SourceNumber : DefaultValuedProp<IntProp<"int64_t">, "-1">;

class Nc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nc_Dialect, mnemonic, traits>;

class Nc_WrittenInstructionOp<string mnemonic, list<Trait> traits = []>
    : Nc_Op<mnemonic, traits # [DeclareOpInterfaceMethods<NcInstruction>]> {
  let hasVerifier = 1;
}

/// Generated from an instruction record. The compiler makes these by their
/// mnemonic, with an OperationState: ODS's six builders of each would only be
/// slow to compile. It wants at least one.
class Nc_InstructionOp<string mnemonic, list<Trait> traits = []>
    : Nc_WrittenInstructionOp<mnemonic, traits> {
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$operands,
      "::llvm::ArrayRef<::mlir::NamedAttribute>":$attributes), [{
    $_state.addOperands(operands);
    $_state.addAttributes(attributes);
  }]>];
}

#endif // KILN_NC_BASE
