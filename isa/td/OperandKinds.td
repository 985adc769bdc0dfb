//===- OperandKinds.td - What an operand can be ------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that the generators know of a kind of operand. In the texts,
//   $name     is the operand's name, $enum its enumeration, $init its default;
//   $field    is the field of the struct (Emit);
//   $get      is the getter of the operation's operand $name, $get_value that
//             of $name_value, and so on (Emit, Verify);
//   $tile     is the language's type of a tile or tensor, by effect and
//             memory, $tiles that of a list of them (CallType).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_OPERAND_KINDS
#define KILN_ISA_OPERAND_KINDS

class OperandKind<string cppType, string words> {
  string CppType = cppType;   // of the field; namespace kiln::isa
  string Words = words;       // in the manual
  bit HoldsAccess = false;    // the field is, or may hold, an Access
  bit IsOptional = false;     // the field may be absent

  // The language: the type of the argument (kiln/dsl/nc_call.h), and the form
  // in which a Program holds it: "view", "scalar", "choice", "flag",
  // "integer", "number", "list", "lists", "index" or "pattern".
  string CallType = "";
  string Form = "view";
  bit PassedByValue = false;

  // The nc dialect: ODS arguments, of which the last one takes a default if
  // the operand has one; its place in the assembly format; whether it may be
  // no value or several; from the operation to the field; what the verifier
  // adds.
  list<string> Arguments = [];
  string DefaultScope = "";   // in front of the default
  string WithoutDefault = ""; // the default of operands that have none
  string Format = "";
  bit IsOptionalValue = false;
  string Emit = "";
  string Verify = "";
  // How the example's value becomes an attribute: "number", "suffixedNumber",
  // "enum", "flag", "list", "lists", "pattern", "views" or "register".
  string Example = "number";
}

// An on-chip access pattern; HBM or SBUF, for DMA.
class AccessKind<string words> : OperandKind<"Access", words> {
  let HoldsAccess = true;
  let CallType = "$tile";
  let Arguments = ["Nc_View:$$name"];
  let Format = "`$name` `(` $$name `:` type($$name) `)` ";
  let Emit = "  $field = resolver.access($get);\n";
}
def TileKind : AccessKind<"tile">;
def MemoryKind : AccessKind<"memory pattern">;
class OptionalViewKind<string cppType, string words> : OperandKind<cppType, words> {
  let Arguments = ["Optional<Nc_View>:$$name"];
  let Format = "(`$name` `(` $$name^ `:` type($$name) `)`)? ";
  let IsOptionalValue = true;
}
def OptionalTileKind : OptionalViewKind<"Optional<Access>", "tile"> {
  let HoldsAccess = true;
  let IsOptional = true;
  let CallType = "Optional<$tile>";
  let Emit = "  if (::mlir::Value view = $get)\n    $field = resolver.access(view);\n";
}
// 1 to 16 of them.
def MemoryListKind : OperandKind<"std::vector<Access>", "1 to 16 memory patterns"> {
  let HoldsAccess = true;
  let CallType = "$tiles";
  let Arguments = ["Variadic<Nc_View>:$$name"];
  let Format = "`$name` `(` $$name `:` type($$name) `)` ";
  let IsOptionalValue = true;
  let Emit = "  for (::mlir::Value view : $get)\n    $field.push_back(resolver.access(view));\n";
  let Example = "views";
}

// An immediate or a tile, mostly [P, 1].
class ScalarKind<string cppType, string isRequired>
    : OptionalViewKind<cppType, "number or [P, 1] tile"> {
  let HoldsAccess = true;
  let Form = "scalar";
  let Arguments = ["Optional<Nc_View>:$$name", "OptionalAttr<AnyAttrOf<[F32Attr, I32Attr]>>:$$name_value"];
  let Emit = "  if (::mlir::Value view = $get)\n    $field = ::kiln::isa::ScalarOrTile(resolver.access(view));\n"
             "  else if (auto value = $get_value)\n    $field = makeImmediate(*value);\n";
  let Verify = "  if (failed(checkScalarOrTile(*this, \"$name\", $get, $get_value.has_value(), " # isRequired # ")))\n"
               "    return ::mlir::failure();\n";
  let Example = "suffixedNumber";
}
def ScalarOrTileKind : ScalarKind<"ScalarOrTile", "$required"> { let CallType = "ScalarOrTile"; }
def OptionalScalarOrTileKind : ScalarKind<"Optional<ScalarOrTile>", "false"> {
  let IsOptional = true;
  let CallType = "Optional<ScalarOrTile>";
}

class EnumKind<string cppType> : OperandKind<cppType, "[$enum](enums.md#$lowerenum)"> {
  let CallType = cppType;
  let Form = "choice";
  let DefaultScope = "::kiln::isa::";
  let Emit = "  $field = $get;\n";
  let Example = "enum";
}
def EnumKind : EnumKind<"$enum"> {
  let Arguments = ["Nc_$enumAttr:$$name"];
  let PassedByValue = true;
}
def OptionalEnumKind : EnumKind<"std::optional<$enum>"> {
  let IsOptional = true;
  let CallType = "Optional<$enum>";
  let Arguments = ["OptionalAttr<Nc_$enumAttr>:$$name"];
}

def FlagKind : OperandKind<"bool", "flag"> {
  let CallType = "bool";
  let Form = "flag";
  let PassedByValue = true;
  let Arguments = ["BoolAttr:$$name"];
  let Emit = "  $field = $get;\n";
  let Example = "flag";
}
def IntKind : OperandKind<"std::int32_t", "integer"> {
  let CallType = "std::int32_t";
  let Form = "integer";
  let PassedByValue = true;
  let Arguments = ["I32Attr:$$name"];
  let Emit = "  $field = static_cast<std::int32_t>($get);\n";
}
def OptionalIntKind : OperandKind<"std::optional<std::int32_t>", "integer"> {
  let IsOptional = true;
  let CallType = "Optional<std::int32_t>";
  let Form = "integer";
  let Arguments = ["OptionalAttr<I32Attr>:$$name"];
  let Emit = "  if (auto value = $get)\n    $field = static_cast<std::int32_t>(*value);\n";
}
def FloatKind : OperandKind<"float", "number"> {
  let CallType = "double";
  let Form = "number";
  let PassedByValue = true;
  let Arguments = ["F32Attr:$$name"];
  let Emit = "  $field = $get.convertToFloat();\n";
}

class ListKind<string cppType, string words> : OperandKind<cppType, words> {
  let Form = "list";
  let Arguments = ["OptionalAttr<DenseI32ArrayAttr>:$$name"];
  let Example = "list";
}
def OptionalPairKind : ListKind<"std::optional<IntPair>", "two integers"> {
  let IsOptional = true;
  let CallType = "Optional<Pair>";
  let Emit = "  if (auto value = $get)\n    $field = ::kiln::isa::IntPair{(*value)[0], (*value)[1]};\n";
  let Verify = "  if (auto value = $get; value && value->size() != 2)\n"
               "    return emitWrongCount(*this, \"$name\", value->size(), 2);\n";
}
// Numbers of lanes.
def LanesKind : ListKind<"LaneMask", "32 lanes"> {
  let CallType = "Lanes";
  let Arguments = ["DenseI32ArrayAttr:$$name"];
  let Emit = "  for (auto [lane, from] : ::llvm::zip($field, $get))\n    lane = static_cast<std::uint8_t>(from);\n";
  let Verify = "  if ($get.size() != 32)\n    return emitWrongCount(*this, \"$name\", $get.size(), 32);\n";
}
// May be empty.
def IntListKind : ListKind<"std::vector<std::int32_t>", "integers"> {
  let CallType = "Integers";
  let Emit = "  if (auto value = $get)\n    $field.assign(value->begin(), value->end());\n";
}
def RankListsKind : OperandKind<"RankLists", "lists of ranks"> {
  let CallType = "RankLists";
  let Form = "lists";
  let Arguments = ["TypedArrayAttrBase<DenseI32ArrayAttr, \"lists of ranks\">:$$name"];
  let Emit = "  $field = rankListsOf($get);\n";
  let Example = "lists";
}

def RegKind : OperandKind<"Register", "register">; // of a sequencer: no operation
def RegOrIntKind : OperandKind<"RegisterOrInt", "register or integer"> {
  let CallType = "Index";
  let Form = "index";
  let Arguments = ["Optional<Index>:$$name_index", "I32Attr:$$name"];
  let WithoutDefault = "0";
  let Format = "(`$name_index` `(` $$name_index^ `)`)? ";
  let IsOptionalValue = true;
  let Emit = "  $field = resolver.index($get_index, static_cast<std::int32_t>($get));\n";
  let Example = "register";
}
def IndexKind : OperandKind<"IndexPattern", "index pattern"> {
  let CallType = "Pattern";
  let Form = "pattern";
  let Arguments = ["DenseI64ArrayAttr:$$name_steps", "DenseI64ArrayAttr:$$name_sizes"];
  let Emit = "  $field = makeIndexPattern($get_steps, $get_sizes);\n";
  let Verify = "  if (failed(checkIndexPattern(*this, \"$name\", $get_steps, $get_sizes)))\n"
               "    return ::mlir::failure();\n";
  let Example = "pattern";
}

#endif // KILN_ISA_OPERAND_KINDS
