//===- program_operations.h - The operations of a recorded Program --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one struct per operation. Its `fields` are the only list of its
// contents: code that prints, parses, checks or renumbers a Program visits
// them. The type of a field says what it is in the text: a View is an operand,
// in the order of the list; anything else is an attribute of that name, and an
// optional one may be absent. `result` is the kind of value that it defines.
//
// Every operand is a View; an operand that names a whole value has the value's
// own sizes and dense strides. Reading a buffer yields the value it holds at
// that point of the program order. Broadcasting: a dimension of 1 repeats.
//
// To add an operation, write its struct and name it in KILN_PROGRAM_OPERATIONS.
// Code that says more about it then asks for a function, or does not compile:
// program/ShapeRules.h, interpret/Tiles.cpp and the importer's ImportTile.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_OPERATIONS_H
#define KILN_PROGRAM_OPERATIONS_H

#include "kiln/program_fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace kiln::program {

/// A mutable tile: a variable that is assigned, or a buffer that instructions
/// name. The fields say where it is pinned.
struct Declare {
  static constexpr std::string_view name = "declare";
  static constexpr std::optional<ValueKind> result = ValueKind::buffer;
  std::optional<std::int64_t> partition, byte, bank, ring;
  static constexpr std::tuple fields{
      Field{"partition", &Declare::partition}, Field{"byte", &Declare::byte},
      Field{"bank", &Declare::bank}, Field{"ring", &Declare::ring}};
  friend bool operator==(const Declare &, const Declare &) = default;
};

struct Assign {
  static constexpr std::string_view name = "assign";
  static constexpr std::optional<ValueKind> result = std::nullopt;
  View target; ///< A view of a buffer.
  View source;
  static constexpr std::tuple fields{Field{"target", &Assign::target},
                                     Field{"source", &Assign::source}};
  friend bool operator==(const Assign &, const Assign &) = default;
};

/// From a tensor in HBM.
struct Load {
  static constexpr std::string_view name = "load";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View source;
  static constexpr std::tuple fields{Field{"source", &Load::source}};
  friend bool operator==(const Load &, const Load &) = default;
};

/// [R, C] to [C, R].
struct LoadTransposed {
  static constexpr std::string_view name = "load_transposed";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View source;
  static constexpr std::tuple fields{Field{"source", &LoadTransposed::source}};
  friend bool operator==(const LoadTransposed &,
                         const LoadTransposed &) = default;
};

struct Store {
  static constexpr std::string_view name = "store";
  static constexpr std::optional<ValueKind> result = std::nullopt;
  View target; ///< A view of a tensor in HBM.
  View source;
  static constexpr std::tuple fields{Field{"target", &Store::target},
                                     Field{"source", &Store::source}};
  friend bool operator==(const Store &, const Store &) = default;
};

struct Fill {
  static constexpr std::string_view name = "fill";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  Real value;
  static constexpr std::tuple fields{Field{"value", &Fill::value}};
  friend bool operator==(const Fill &, const Fill &) = default;
};

/// [M, N] of f32. `a` is [M, K], or [K, M] if it is transposed; `b` is [K, N],
/// or [N, K] if it is transposed. With scales, both contract their rows: `a` is
/// [K / 4, M] packed, its scales are [K / 32, M].
struct Matmul {
  static constexpr std::string_view name = "matmul";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View a, b;
  bool transposeA = false, transposeB = false;
  Rare<View> aScales, bScales; ///< Both or none.
  static constexpr std::tuple fields{Field{"a", &Matmul::a},
                                     Field{"b", &Matmul::b},
                                     Field{"a_scales", &Matmul::aScales},
                                     Field{"b_scales", &Matmul::bScales},
                                     Field{"transpose_a", &Matmul::transposeA},
                                     Field{"transpose_b", &Matmul::transposeB}};
  friend bool operator==(const Matmul &, const Matmul &) = default;
};

/// [R, C] to [C, R].
struct Transpose {
  static constexpr std::string_view name = "transpose";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  static constexpr std::tuple fields{Field{"x", &Transpose::x}};
  friend bool operator==(const Transpose &, const Transpose &) = default;
};

struct Unary {
  static constexpr std::string_view name = "unary";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  isa::ActivationFunction op = isa::ActivationFunction::copy;
  static constexpr std::tuple fields{Field{"x", &Unary::x},
                                     Field{"op", &Unary::op}};
  friend bool operator==(const Unary &, const Unary &) = default;
};

/// x and y broadcast.
struct Binary {
  static constexpr std::string_view name = "binary";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x, y;
  Operator op;
  static constexpr std::tuple fields{
      Field{"x", &Binary::x}, Field{"y", &Binary::y}, Field{"op", &Binary::op}};
  friend bool operator==(const Binary &, const Binary &) = default;
};

/// x op value, or value op x if it is reversed.
struct Scalar {
  static constexpr std::string_view name = "scalar";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  Operator op;
  Real value;
  std::optional<bool> reverse;
  static constexpr std::tuple fields{
      Field{"x", &Scalar::x}, Field{"op", &Scalar::op},
      Field{"value", &Scalar::value}, Field{"reverse", &Scalar::reverse}};
  friend bool operator==(const Scalar &, const Scalar &) = default;
};

/// u8, 1 where it holds. As Binary if there is y, else as Scalar.
struct Compare {
  static constexpr std::string_view name = "compare";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  Rare<View> y;
  isa::AluOp op = isa::AluOp::equal;
  std::optional<Real> value;
  std::optional<bool> reverse;
  static constexpr std::tuple fields{
      Field{"x", &Compare::x}, Field{"y", &Compare::y},
      Field{"op", &Compare::op}, Field{"value", &Compare::value},
      Field{"reverse", &Compare::reverse}};
  friend bool operator==(const Compare &, const Compare &) = default;
};

/// x where the mask is not zero, else y; all broadcast.
struct Select {
  static constexpr std::string_view name = "select";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View mask, x, y;
  static constexpr std::tuple fields{Field{"mask", &Select::mask},
                                     Field{"x", &Select::x},
                                     Field{"y", &Select::y}};
  friend bool operator==(const Select &, const Select &) = default;
};

/// x[r, c] where `row_step * r + col_step * c + offset  compare  0`, else
/// `otherwise`.
struct Keep {
  static constexpr std::string_view name = "keep";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  std::int64_t rowStep = 0, colStep = 0;
  IndexRef offset;
  isa::AluOp compare = isa::AluOp::equal;
  Real otherwise;
  static constexpr std::tuple fields{Field{"x", &Keep::x},
                                     Field{"row_step", &Keep::rowStep},
                                     Field{"col_step", &Keep::colStep},
                                     Field{"offset", &Keep::offset},
                                     Field{"compare", &Keep::compare},
                                     Field{"otherwise", &Keep::otherwise}};
  friend bool operator==(const Keep &, const Keep &) = default;
};

/// [R, 1]: each row added, multiplied, or its maximum or minimum.
struct Reduce {
  static constexpr std::string_view name = "reduce";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  isa::AluOp op = isa::AluOp::add;
  static constexpr std::tuple fields{Field{"x", &Reduce::x},
                                     Field{"op", &Reduce::op}};
  friend bool operator==(const Reduce &, const Reduce &) = default;
};

/// To the type of the result.
struct Cast {
  static constexpr std::string_view name = "cast";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  static constexpr std::tuple fields{Field{"x", &Cast::x}};
  friend bool operator==(const Cast &, const Cast &) = default;
};

struct Copy {
  static constexpr std::string_view name = "copy";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  static constexpr std::tuple fields{Field{"x", &Copy::x}};
  friend bool operator==(const Copy &, const Copy &) = default;
};

/// Packed floats that share a scale per 32 rows. The result is [K / 4, N] for
/// an operand [K, N]; row r of it holds rows 4 r to 4 r + 3. With `scalesOf`, a
/// packed type, the result is instead the scales, [K / 32, N] of f8e8m0.
struct Quantize {
  static constexpr std::string_view name = "quantize";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  View x;
  std::optional<DType> scalesOf;
  static constexpr std::tuple fields{Field{"x", &Quantize::x},
                                     Field{"scales_of", &Quantize::scalesOf}};
  friend bool operator==(const Quantize &, const Quantize &) = default;
};

/// Its result is its counter; its body is Op::body.
struct Loop {
  static constexpr std::string_view name = "loop";
  static constexpr std::optional<ValueKind> result = ValueKind::loop;
  IndexRef begin, end;
  std::int64_t step = 1;
  std::optional<std::string> label; ///< The user's name for it.
  static constexpr std::tuple fields{
      Field{"begin", &Loop::begin}, Field{"end", &Loop::end},
      Field{"step", &Loop::step}, Field{"name", &Loop::label}};
  friend bool operator==(const Loop &, const Loop &) = default;
};

/// The call of an instruction.
struct InstructionCall {
  std::string mnemonic;
  Operands operands;
  CallFields more;
  static constexpr std::tuple fields{
      Field{"mnemonic", &InstructionCall::mnemonic},
      Field{"operands", &InstructionCall::operands},
      Field{"", &InstructionCall::more}};
  friend bool operator==(const InstructionCall &,
                         const InstructionCall &) = default;

  /// The field of that name, if it has one of that type.
  template <class T> const T *get(std::string_view field) const {
    const auto found = more.find(field);
    return found == more.end() ? nullptr : std::get_if<T>(&found->second);
  }
};

/// On buffers and tensors. Has a result only if it sets a register.
struct Instruction : InstructionCall {
  static constexpr std::string_view name = "instruction";
  static constexpr std::optional<ValueKind> result = std::nullopt;
  friend bool operator==(const Instruction &, const Instruction &) = default;
};

/// On tiles, 128 rows at a time. Its destination is the result.
struct Apply : InstructionCall {
  static constexpr std::string_view name = "apply";
  static constexpr std::optional<ValueKind> result = ValueKind::tile;
  friend bool operator==(const Apply &, const Apply &) = default;
};

namespace detail {
template <class First, class... T> struct VariantOf {
  using type = std::variant<T...>;
};
} // namespace detail
#define KILN_ALTERNATIVE(enumerator, Struct) , Struct
using Operation =
    detail::VariantOf<void KILN_PROGRAM_OPERATIONS(KILN_ALTERNATIVE)>::type;
#undef KILN_ALTERNATIVE

/// What a Program says about the order of any operation, and about the memory
/// of what it makes.
struct Order {
  std::optional<std::int64_t> label; ///< Later ones name it in `after`.
  std::vector<std::int64_t> after;
  std::optional<Place> ordered;
  std::vector<Tokens> waits, signals; ///< Only of instructions.
  Rare<std::int64_t> urgency;         ///< 0 if absent.
  Rare<std::int64_t> within;          ///< Index into Program::memoryScopes.
  static constexpr std::tuple fields{
      Field{"label", &Order::label},     Field{"after", &Order::after},
      Field{"ordered", &Order::ordered}, Field{"waits", &Order::waits},
      Field{"signals", &Order::signals}, Field{"urgency", &Order::urgency},
      Field{"within", &Order::within}};
  friend bool operator==(const Order &, const Order &) = default;
};

} // namespace kiln::program

#endif // KILN_PROGRAM_OPERATIONS_H
