//===- TileRules.cpp - Tile operations while recording
//---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRules.h"

#include "kiln/isa/shapes.h"

namespace kiln::dsl {

IntegerLimits integerLimits(DType dtype) {
  const double values = std::ldexp(1.0, 8 * isa::sizeInBytes(dtype));
  const bool isSigned =
      dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32;
  if (dtype == DType::boolean)
    return {0, 1};
  return isSigned ? IntegerLimits{-values / 2, values / 2 - 1}
                  : IntegerLimits{0, values - 1};
}

std::string numberText(double value) {
  if (value == std::trunc(value) && std::abs(value) < 0x1p53)
    return std::to_string(static_cast<std::int64_t>(value));
  std::string text(40, '\0');
  text.resize(static_cast<std::size_t>(
      std::snprintf(text.data(), text.size(), "%.9g", value)));
  return text;
}

View converted(Recorder &recorder, View view, DType dtype, const Where &where) {
  if (view.dtype == dtype)
    return view;
  const std::vector<std::int64_t> shape = view.sizes;
  return recorder.whole(
      recorder.appendTile(program::Cast{std::move(view)}, dtype, shape, where));
}

void checkHeld(DType dtype, double value, const char *does,
               const Where &where) {
  if (isa::isFloat(dtype) || isa::isPacked(dtype) || dtype == DType::f8e8m0)
    return;
  const IntegerLimits limits = integerLimits(dtype);
  if (value >= limits.low && value <= limits.high && value == std::trunc(value))
    return;
  fail("KILN-A160",
       "a tile of " + std::string(isa::name(dtype)) + " " + does + " " +
           numberText(value),
       "give a whole number from " + numberText(limits.low) + " to " +
           numberText(limits.high) + ", or make it a tile of floats",
       where);
}

std::vector<std::int64_t> broadcastShape(const View &a, const View &b,
                                         const Where &where) {
  std::vector<std::int64_t> shape = a.sizes;
  bool agree = a.sizes.size() == b.sizes.size();
  for (std::size_t i = 0; agree && i < shape.size(); ++i) {
    if (shape[i] == 1)
      shape[i] = b.sizes[i];
    else
      agree = b.sizes[i] == 1 || b.sizes[i] == shape[i];
  }
  if (!agree)
    fail("KILN-A001",
         "tiles of shape [|" + shapeText(a.sizes) + "|] and <|" +
             shapeText(b.sizes) + "|> are combined element by element",
         "make the extents equal, or 1 where they repeat", where);
  return shape;
}

// The language names only existing operators.
static program::Operator operatorOf(const char *name) {
  return program::parseOperator(name).value();
}
static isa::AluOp aluOf(const char *name) {
  return isa::parse<isa::AluOp>(name).value();
}

Id recordBinary(Recorder &recorder, OpKind kind, const char *name,
                const View &a, const View &b, DType dtype, const Where &where) {
  std::vector<std::int64_t> shape = broadcastShape(a, b, where);
  program::Operation operation = program::Binary{a, b, operatorOf(name)};
  if (kind == OpKind::compare)
    operation = program::Compare{a, b, aluOf(name), {}, {}};
  return recorder.appendTile(std::move(operation), dtype, std::move(shape),
                             where);
}

void checkOperand(DType dtype, const char *name, double value,
                  const Where &where) {
  if (isa::isFloat(dtype))
    return;
  const std::string_view text = name;
  const bool wraps = text == "add" || text == "subtract" || text == "multiply";
  const IntegerLimits limits =
      dtype == DType::u32 && !wraps   ? IntegerLimits{0, 0x1p32 - 1}
      : dtype == DType::i32 && !wraps ? IntegerLimits{-0x1p31, 0x1p31 - 1}
                                      : IntegerLimits{-0x1p31, 0x1p32 - 1};
  if (value >= limits.low && value <= limits.high && value == std::trunc(value))
    return;
  fail("KILN-A025",
       "a tile of " + std::string(isa::name(dtype)) +
           " is combined with the number " + numberText(value),
       "give a whole number from " + numberText(limits.low) + " to " +
           numberText(limits.high) + ", or cast the tile to f32 first",
       where);
}

Id recordScalar(Recorder &recorder, OpKind kind, const char *name,
                const View &a, double value, bool reverse, DType dtype,
                const Where &where) {
  checkOperand(a.dtype, name, value, where);
  const program::Operator op = operatorOf(name);
  if (kind == OpKind::compare)
    return recorder.appendTile(program::Compare{a, {}, aluOf(name), value, {}},
                               dtype, a.sizes, where);
  // Other operators are the same in reverse.
  reverse = reverse && (!op.alu || *op.alu == isa::AluOp::subtract);
  return recorder.appendTile(program::Scalar{a, op, value, reverse}, dtype,
                             a.sizes, where);
}

Id recordUnary(Recorder &recorder, const char *name, const View &x, DType dtype,
               const Where &where) {
  const auto function = isa::parse<isa::ActivationFunction>(name);
  return recorder.appendTile(program::Unary{x, function.value()}, dtype,
                             x.sizes, where);
}

Id recordMove(Recorder &recorder, OpKind kind, View source, DType dtype,
              const Where &where) {
  if (kind == OpKind::cast && source.dtype == dtype)
    kind = OpKind::copy;
  std::vector<std::int64_t> shape = source.sizes;
  if (kind == OpKind::transpose || kind == OpKind::loadTransposed)
    std::swap(shape[0], shape[1]);
  const auto append = [&](program::Operation operation) {
    return recorder.appendTile(std::move(operation), dtype, std::move(shape),
                               where);
  };
  switch (kind) {
  case OpKind::load:
    return append(program::Load{std::move(source)});
  case OpKind::loadTransposed:
    return append(program::LoadTransposed{std::move(source)});
  case OpKind::transpose:
    return append(program::Transpose{std::move(source)});
  case OpKind::cast:
    return append(program::Cast{std::move(source)});
  default:
    return append(program::Copy{std::move(source)});
  }
}

Id recordStore(Recorder &recorder, const View &target, View source,
               const Where &where) {
  if (target.sizes != source.sizes)
    fail("KILN-A005",
         "a tile of shape <|" + shapeText(source.sizes) +
             "|> is stored to a view of shape [|" + shapeText(target.sizes) +
             "|]",
         "give both the same shape", where);
  source = converted(recorder, std::move(source), target.dtype, where);
  Op op;
  op.operation = program::Store{target, std::move(source)};
  return recorder.append(std::move(op), where);
}

void checkFilled(DType dtype, double value, const char *does,
                 const Where &where) {
  if (dtype == DType::f8e8m0 || (isa::isPacked(dtype) && value != 0))
    fail("KILN-A160",
         "a tile of " + std::string(isa::name(dtype)) + " " + does +
             " a number, " + numberText(value),
         "load packed floats and their scales, or make them with quantize_mx",
         where);
  checkHeld(dtype, value, does, where);
}

Id recordFill(Recorder &recorder, double value, DType dtype,
              std::vector<std::int64_t> shape, const Where &where) {
  for (std::int64_t extent : shape)
    if (extent < 1)
      fail("KILN-A012",
           "a tile has shape <|" + shapeText(shape) +
               "|>; every extent must be [|at least 1|]",
           "guard the call with a C++ if", where);
  checkFilled(dtype, value, "is filled with", where);
  return recorder.appendTile(program::Fill{value}, dtype, std::move(shape),
                             where);
}

/// The tensor engine reads floats of one type, or 8-bit floats of any two, but
/// f8e4m3 with f8e4m3fn. An f32 operand is rounded to the type of the other.
static void checkFactors(DType a, DType b, const Where &where) {
  const auto isSmall = [](DType dtype) {
    return dtype == DType::f8e4m3 || dtype == DType::f8e4m3fn ||
           dtype == DType::f8e5m2;
  };
  const std::string both =
      std::string(isa::name(a)) + " and " + std::string(isa::name(b));
  if (isa::isPacked(a) || isa::isPacked(b))
    fail("KILN-A018", "matmul of " + both + " lacks their scales",
         "join packed floats and scales with scaled(data, scales)", where);
  const bool isOne = a == b || ((a == DType::f32 || b == DType::f32) &&
                                isa::isFloat(a) && isa::isFloat(b));
  const bool isMixed =
      isSmall(a) && isSmall(b) && (a == DType::f8e5m2 || b == DType::f8e5m2);
  if (!isOne && !isMixed)
    fail("KILN-A018", "matmul of " + both + " has no common element type",
         "cast one of them", where);
  if (!isa::isFloat(a))
    fail("KILN-A018", "matmul of integers", "cast the operands to f32 first",
         where);
}

Id recordMatmul(Recorder &recorder, View a, View b, bool transposeA,
                bool transposeB, const Where &where) {
  const std::int64_t m = a.sizes[transposeA ? 1 : 0];
  const std::int64_t k = a.sizes[transposeA ? 0 : 1];
  const std::int64_t kb = b.sizes[transposeB ? 1 : 0];
  const std::int64_t n = b.sizes[transposeB ? 0 : 1];
  if (k != kb)
    fail("KILN-A002",
         "matmul contracts [|" + std::to_string(k) + "|] (dimension " +
             std::to_string(transposeA ? 0 : 1) + " of " + shapeText(a.sizes) +
             ") with <|" + std::to_string(kb) + "|> (dimension " +
             std::to_string(transposeB ? 1 : 0) + " of " + shapeText(b.sizes) +
             ")",
         "matmul(a, b) contracts the rows of both; see matmul_nn, matmul_nt, "
         "matmul_tt for the other orientations",
         where);
  checkFactors(a.dtype, b.dtype, where);
  if (a.dtype == DType::f32)
    a = converted(recorder, std::move(a), b.dtype, where);
  if (b.dtype == DType::f32)
    b = converted(recorder, std::move(b), a.dtype, where);
  return recorder.appendTile(
      program::Matmul{
          std::move(a), std::move(b), transposeA, transposeB, {}, {}},
      DType::f32, {m, n}, where);
}

/// Rows that share a scale, and rows that the tensor engine takes at least.
static constexpr std::int64_t scaledRows = isa::scaledRows, fewestRows = 128;

static void checkScales(const View &data, const View &scales,
                        const Where &where) {
  const std::vector<std::int64_t> expected = {data.sizes[0] / 8, data.sizes[1]};
  if (data.sizes[0] % (fewestRows / isa::packedRows) == 0 &&
      scales.sizes == expected)
    return;
  fail("KILN-A022",
       "a scaled tile has <|" + shapeText(data.sizes) + " packed floats and " +
           shapeText(scales.sizes) +
           " scales|>, expected [|[K / 4, N] and [K / 32, N], K a multiple of "
           "128|]",
       "an element of the packed floats holds four rows, and 32 rows share a "
       "scale; fill up K with zeros",
       where);
}

Id recordScaledMatmul(Recorder &recorder, View a, View aScales, View b,
                      View bScales, const Where &where) {
  checkScales(a, aScales, where);
  checkScales(b, bScales, where);
  if (a.sizes[0] != b.sizes[0])
    fail("KILN-A002",
         "matmul contracts [|" + std::to_string(4 * a.sizes[0]) +
             "|] scaled rows with <|" + std::to_string(4 * b.sizes[0]) + "|>",
         "matmul(a, b) contracts the rows of both", where);
  const std::int64_t m = a.sizes[1], n = b.sizes[1];
  if (m % 2 != 0)
    fail("KILN-A022",
         "a product of scaled tiles has <|" + std::to_string(m) +
             "|> rows, expected [|an even number|]",
         "give the first operand one column more", where);
  return recorder.appendTile(program::Matmul{std::move(a), std::move(b), true,
                                             false, std::move(aScales),
                                             std::move(bScales)},
                             DType::f32, {m, n}, where);
}

Id recordQuantize(Recorder &recorder, View x, DType dtype, bool scales,
                  const Where &where) {
  const std::int64_t k = x.sizes[0], n = x.sizes[1];
  if (k % fewestRows != 0)
    fail(
        "KILN-A022",
        "quantize_mx shares a scale among 32 rows, and the tensor engine takes "
        "four groups at once: the tile has <|" +
            std::to_string(k) + "|> rows, expected [|a multiple of 128|]",
        "fill up the tile with zeros", where);
  if (x.dtype != DType::f16)
    x = converted(recorder, std::move(x), DType::bf16, where);
  if (scales)
    return recorder.appendTile(program::Quantize{std::move(x), dtype},
                               DType::f8e8m0, {k / scaledRows, n}, where);
  return recorder.appendTile(program::Quantize{std::move(x), std::nullopt},
                             dtype, {k / 4, n}, where);
}

Id recordReduce(Recorder &recorder, const char *name, const View &x,
                DType dtype, const Where &where) {
  return recorder.appendTile(program::Reduce{x, aluOf(name)}, dtype,
                             {x.sizes[0], 1}, where);
}

Id recordKeep(Recorder &recorder, const View &x, const MaskValue &mask,
              double otherwise, const Where &where) {
  checkHeld(x.dtype, otherwise, "keeps elements or takes", where);
  IndexArithmetic arithmetic(recorder, where);
  const IndexValue offset = arithmetic.sum(
      arithmetic.sum(mask.offset, arithmetic.times(mask.rowBlocks, x.sizes[0])),
      arithmetic.times(mask.colBlocks, x.sizes[1]));
  checkAddress(recorder, offset, where);
  const program::Keep op{x,
                         mask.row,
                         mask.col,
                         {idOf(recorder, offset)},
                         aluOf(mask.compare),
                         otherwise};
  return recorder.appendTile(op, x.dtype, x.sizes, where);
}

Id recordSelect(Recorder &recorder, const View &mask, View x, View y,
                DType dtype, const Where &where) {
  View both = mask;
  both.sizes = broadcastShape(x, y, where);
  const std::vector<std::int64_t> shape = broadcastShape(mask, both, where);
  return recorder.appendTile(program::Select{mask, std::move(x), std::move(y)},
                             dtype, shape, where);
}

} // namespace kiln::dsl
