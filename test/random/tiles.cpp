//===- tiles.cpp - Tile operations of chance ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>
#include <cmath>

namespace kiln::test {
namespace {

/// The type of a result, as the language's templates deduce it.
DType arithmeticType(DType a, DType b) {
  if (isa::isFloat(a) || isa::isFloat(b))
    return DType::f32;
  return a == DType::u32 && b == DType::u32 ? DType::u32 : DType::i32;
}

/// Integers wrap: beyond the type's range they may be anything.
Interval wrapped(Interval range, DType dtype) {
  if (dtype == DType::i32 && (range.low < -0x1p31 || range.high >= 0x1p31))
    return {-0x1p31, 0x1p31 - 1};
  if (dtype == DType::u32 && (range.low < 0 || range.high >= 0x1p32))
    return {0, 0x1p32 - 1};
  return range;
}

Interval combined(std::string_view op, const Interval &a, const Interval &b) {
  if (op == "add")
    return {a.low + b.low, a.high + b.high};
  if (op == "subtract")
    return {a.low - b.high, a.high - b.low};
  if (op == "maximum")
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  if (op == "minimum")
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  const double size = a.size() * b.size();
  return {a.low >= 0 && b.low >= 0 ? 0 : -size, size};
}

} // namespace

Item Generator::made(Id id, DType dtype, Extents shape, Interval range) {
  Item item;
  item.id = id;
  item.ref = ViewRef::whole(id);
  item.dtype = dtype;
  item.range = range;
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape)
    elements *= extent;
  budget -= (elements + 2000) * repeats;
  item.shape = std::move(shape);
  return item;
}

double Generator::drawNumber(bool whole) {
  if (whole)
    return static_cast<double>(choices.pick({-3, -2, -1, 0, 1, 2, 3, 5, 7}));
  return choices.pick({-2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 0.3});
}

Item Generator::scaled(const char *op, const Item &item, double value,
                       bool reverse) {
  const DType dtype = arithmeticType(item.dtype, item.dtype);
  const Interval number{value, value};
  const Interval range = reverse ? combined(op, number, item.range)
                                 : combined(op, item.range, number);
  return made(
      rec->scalar(OpKind::scalar, op, item.ref, value, reverse, dtype, here()),
      dtype, item.shape, wrapped(range, dtype));
}

Item Generator::within(const Item &item, const Interval &limits) {
  Item result = item;
  // Integers meet whole numbers: at most 6.5 is at most 6.
  const bool integers = isInteger(item.dtype);
  const double low = integers ? std::ceil(limits.low) : limits.low;
  const double high = integers ? std::floor(limits.high) : limits.high;
  if (result.range.low < low)
    result = scaled("maximum", result, low);
  if (result.range.high > high)
    result = scaled("minimum", result, high);
  return result;
}

Item Generator::converted(const Item &item, DType dtype) {
  if (item.dtype == dtype)
    return item;
  return made(rec->move(OpKind::cast, item.ref, dtype, here()), dtype,
              item.shape, item.range);
}
Item Generator::asFloat(const Item &item) {
  return isInteger(item.dtype) ? converted(item, DType::f32) : item;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

Item Generator::loadTile(std::int64_t rows, std::int64_t cols) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    const Tensor *tensor = drawTensor(false);
    if (!tensor)
      break;
    if (choices.percent(8)) {
      if (const auto view = window(*tensor, cols, rows, false))
        return made(
            rec->move(OpKind::loadTransposed, *view, tensor->dtype, here()),
            tensor->dtype, {rows, cols}, tensor->range);
    } else if (const auto view = window(*tensor, rows, cols, false)) {
      if (depth > 0 && rows <= 128 && choices.percent(15)) {
        // The same, as an instruction.
        Item buffer =
            declared(Space::sbuf, tensor->dtype, rows, cols, tensor->range);
        nc::dma_copy(AnyTile{buffer.ref}, AnyTensor{*view});
        return buffer;
      }
      return made(rec->move(OpKind::load, *view, tensor->dtype, here()),
                  tensor->dtype, {rows, cols}, tensor->range);
    }
  }
  return fillTile(rows, cols);
}

Item Generator::fillTile(std::int64_t rows, std::int64_t cols) {
  const DType dtype = drawType();
  double value = drawNumber(isInteger(dtype) || whole);
  if (isInteger(dtype) && !isa::info(dtype).isSigned)
    value = std::abs(value);
  // 0.3 is not what a narrow type makes of it.
  const Interval range{value - 0.1, value + 0.1};
  return made(rec->fill(value, dtype, {rows, cols}, here()), dtype,
              {rows, cols}, isInteger(dtype) ? Interval{value, value} : range);
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Item Generator::unaryTile() {
  Item x = anyOperand();
  if (choices.percent(85))
    x = asFloat(x);
  const auto apply = [&](const char *op, const Item &item, Interval range) {
    return made(rec->unary(op, item.ref, here()), DType::f32, item.shape,
                range);
  };
  const auto positive = [&](const Item &item) {
    if (item.range.low >= 0.25)
      return item;
    const Item size = apply("abs", item, {0, item.range.size()});
    return scaled("add", size, choices.pick({0.25, 0.5, 1.0}));
  };
  switch (choices.weighted({4, 2, 3, 2, 2, 3, 4, 4, 6, 10})) {
  case 0:
    x = within(x, {-8, 4});
    return apply("exp", x, {0, 55});
  case 1:
    x = positive(x);
    return apply("log", x, {-1.5, 25});
  case 2: {
    const Item size = apply("abs", x, {0, x.range.size()});
    return apply("sqrt", size, {0, std::sqrt(x.range.size())});
  }
  case 3:
    return apply("rsqrt", positive(x), {0, 2.1});
  case 4:
    return apply("reciprocal", positive(x), {0, 4.1});
  case 5:
    x = within(x, {-300, 300});
    return apply("square", x, {0, x.range.size() * x.range.size()});
  case 6:
    return apply("abs", x, {0, x.range.size()});
  case 7:
    return apply("sign", x, {-1, 1});
  case 8:
    return apply("relu", x, {0, std::max(0.0, x.range.high)});
  default: {
    const char *op = choices.pick(
        {"arctan", "tanh", "sigmoid", "softplus", "mish", "erf", "erf_dx",
         "silu", "silu_dx", "gelu", "gelu_dx", "gelu_apprx_tanh",
         "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx"});
    x = within(x, {-20, 20});
    const double size = x.range.size() + 2;
    return apply(op, x, {-size, size});
  }
  }
}

Item Generator::binaryTile() {
  const bool integers = choices.percent(30);
  std::int64_t rows = drawRows();
  const std::int64_t cols = drawCols();
  Item a = typedOperand(rows, cols, integers);
  // A row or a column for all, an own tile, the same one again.
  Item b = a;
  switch (choices.weighted({10, 3, 3, 1})) {
  case 0:
    b = typedOperand(rows, cols, integers || choices.percent(10));
    break;
  case 1:
    b = typedOperand(rows, 1, integers);
    break;
  case 2:
    b = typedOperand(1, cols, integers);
    break;
  default:
    break;
  }
  if (choices.percent(25))
    std::swap(a, b);
  if (isInteger(a.dtype) && isInteger(b.dtype) &&
      (a.dtype == DType::u32) != (b.dtype == DType::u32)) {
    Item &odd = a.dtype == DType::u32 ? a : b;
    odd = converted(within(odd, {0, 1000}), DType::i32);
  }
  const char *op = choices.pick(
      {"add", "subtract", "multiply", "maximum", "minimum", "add"});
  DType dtype = arithmeticType(a.dtype, b.dtype);
  if (!isInteger(dtype)) {
    a = within(a, {-1e6, 1e6});
    b = within(b, {-1e6, 1e6});
    if (choices.percent(8)) {
      // Divided by what is not near 0.
      Item size = made(rec->unary("abs", b.ref, here()), DType::f32, b.shape,
                       {0, b.range.size()});
      size = scaled("add", size, 1.0);
      const double most = a.range.size();
      return made(rec->binary(OpKind::binary, "divide", a.ref, size.ref,
                              DType::f32, here()),
                  DType::f32, {rows, cols}, {-most, most});
    }
  }
  dtype = arithmeticType(a.dtype, b.dtype);
  return made(rec->binary(OpKind::binary, op, a.ref, b.ref, dtype, here()),
              dtype,
              {std::max(a.rows(), b.rows()), std::max(a.cols(), b.cols())},
              wrapped(combined(op, a.range, b.range), dtype));
}

Item Generator::scalarTile() {
  const Item x = anyOperand();
  const char *op =
      choices.pick({"add", "subtract", "multiply", "maximum", "minimum"});
  double value = drawNumber(whole || isInteger(x.dtype));
  if (x.dtype == DType::u32) // What -3 is there, nobody has to know.
    value = std::abs(value);
  return scaled(op, isInteger(x.dtype) ? x : within(x, {-1e6, 1e6}), value,
                choices.percent(30));
}

Item Generator::maskTile(std::int64_t rows, std::int64_t cols) {
  const bool integers = choices.percent(30);
  const Item a = typedOperand(rows, cols, integers);
  const char *op = choices.pick(
      {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"});
  const auto number = [&] {
    const double value = drawNumber(true);
    return a.dtype == DType::u32 ? std::abs(value) : value; // It has no -3.
  };
  if (choices.percent(40))
    return made(rec->scalar(OpKind::compare, op, a.ref, number(), false,
                            DType::u8, here()),
                DType::u8, {rows, cols}, {0, 1});
  const std::int64_t width = choices.percent(20) ? 1 : cols;
  Item b = typedOperand(choices.percent(20) ? 1 : rows, width, integers);
  if (isInteger(a.dtype) && isInteger(b.dtype) &&
      (a.dtype == DType::u32) != (b.dtype == DType::u32))
    b = asFloat(b);
  Item mask =
      made(rec->binary(OpKind::compare, op, a.ref, b.ref, DType::u8, here()),
           DType::u8, {rows, cols}, {0, 1});
  if (choices.percent(25)) {
    const Item other = made(rec->scalar(OpKind::compare, "greater", a.ref,
                                        number(), false, DType::u8, here()),
                            DType::u8, {rows, cols}, {0, 1});
    const char *logic =
        choices.pick({"logical_and", "logical_or", "logical_xor"});
    mask = made(rec->binary(OpKind::binary, logic, mask.ref, other.ref,
                            DType::u8, here()),
                DType::u8, {rows, cols}, {0, 1});
  }
  return mask;
}

Item Generator::selectTile() {
  const std::int64_t rows = drawRows(), cols = drawCols();
  Item mask = maskTile(rows, cols);
  if (choices.percent(15)) {
    const char *op = choices.pick({"maximum", "minimum"});
    mask = made(rec->reduce(op, mask.ref, DType::u8, here()), DType::u8,
                {rows, 1}, {0, 1});
  }
  const bool integers = choices.percent(35);
  const Item x = typedOperand(rows, choices.percent(15) ? 1 : cols, integers);
  if (choices.percent(30)) {
    double value = drawNumber(whole || integers);
    if (isInteger(x.dtype) && !isa::info(x.dtype).isSigned)
      value = std::abs(value);
    const std::int64_t width = std::max(mask.cols(), x.cols());
    return made(rec->choose(mask.ref, x.ref, value, x.dtype, here()), x.dtype,
                {rows, width}, hull(x.range, {value - 0.1, value + 0.1}));
  }
  const std::int64_t narrow = choices.percent(15) ? 1 : cols;
  Item y = typedOperand(choices.percent(25) ? 1 : rows, narrow, integers);
  if (isInteger(x.dtype) && isInteger(y.dtype) &&
      (x.dtype == DType::u32) != (y.dtype == DType::u32))
    y = converted(within(y, {0, 1000}), x.dtype);
  const DType dtype =
      x.dtype == y.dtype ? x.dtype : arithmeticType(x.dtype, y.dtype);
  return made(rec->choose(mask.ref, x.ref, y.ref, dtype, here()), dtype,
              {rows, std::max({mask.cols(), x.cols(), y.cols()})},
              hull(x.range, y.range));
}

Item Generator::keepTile() {
  const Item x = anyOperand();
  dsl::MaskValue mask;
  mask.row = choices.pick({1, 1, -1, 0, 2});
  mask.col = choices.pick({-1, -1, 1, 0, 3});
  mask.offset = {choices.from(-20, 20)};
  if (!counters.empty() && choices.percent(50)) {
    const Counter &counter = choices.pick(counters);
    if (!counter.isRegister) {
      const std::int64_t addend = choices.from(-5, 5);
      const std::int64_t factor = choices.pick({1, 8, -3});
      mask.offset = (counter.value * factor + addend).value();
    }
  }
  mask.compare = choices.pick(
      {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"});
  double other = drawNumber(whole || isInteger(x.dtype));
  if (isInteger(x.dtype) && !isa::info(x.dtype).isSigned)
    other = std::abs(other);
  return made(rec->keep(x.ref, mask, other, here()), x.dtype, x.shape,
              hull(x.range, {other - 0.1, other + 0.1}));
}

Item Generator::bitsTile() {
  const std::int64_t rows = drawRows(), cols = drawCols();
  Item x = typedOperand(rows, cols, true);
  const char *name = choices.pick({"bitwise_and", "bitwise_or", "bitwise_xor",
                                   "left_shift", "right_shift"});
  const unsigned bits = 8 * isa::sizeInBytes(x.dtype);
  const bool isSigned = isa::info(x.dtype).isSigned;
  const Interval all =
      isSigned ? Interval{-std::ldexp(1, static_cast<int>(bits) - 1),
                          std::ldexp(1, static_cast<int>(bits) - 1) - 1}
               : Interval{0, std::ldexp(1, static_cast<int>(bits)) - 1};
  const std::string_view op = name;
  nc::Call call("tensor_scalar", here());
  const auto number = choices.pick({0, 1, 2, 3, 5, 7, 15});
  call.view("data", {x.ref})
      .choice("op0", op == "bitwise_and"   ? nc::AluOp::bitwise_and
                     : op == "bitwise_or"  ? nc::AluOp::bitwise_or
                     : op == "bitwise_xor" ? nc::AluOp::bitwise_xor
                     : op == "left_shift"  ? nc::AluOp::left_shift
                                           : nc::AluOp::right_shift)
      .integer("operand0", number);
  return made(call.apply(x.dtype, {rows, cols}), x.dtype, {rows, cols}, all);
}

} // namespace kiln::test
