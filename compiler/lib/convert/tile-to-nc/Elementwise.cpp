//===- Elementwise.cpp - Element-wise operations and reductions -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/isa/cost.h"
#include "kiln/machine/instruction_times.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// Operators without a second operand.
static bool isUnaryOperator(isa::AluOp op) {
  return op == isa::AluOp::abs || op == isa::AluOp::rsqrt;
}

/// The cost of a detour to the Scalar engine for a reciprocal, in picoseconds.
/// The Vector engine's reciprocal is more precise, and its users run there as
/// well, but on long rows it takes longer than the detour. If the kernel needs
/// other function tables, the detour loads two of them.
double Lowering::detourOfReciprocal() {
  if (reciprocalDetour)
    return *reciprocalDetour;
  bool changesTable = false;
  function.walk([&](Operation *op) {
    // tile.activate, nc.activation and its variants.
    auto function = op->getAttrOfType<nc::ActivationFunctionAttr>("op");
    if (!function || mlir::isa<UnaryOp>(op))
      return;
    const isa::FunctionTable table = isa::functionTable(function.getValue());
    changesTable |=
        table != isa::FunctionTable::all &&
        table != isa::functionTable(isa::ActivationFunction::reciprocal);
  });
  double change = target.engine_change_ns;
  if (changesTable)
    change += target.activation_table_load_ns;
  reciprocalDetour = 2 * 1000 * change;
  return *reciprocalDetour;
}

/// The time of VectorE for the reciprocals of so many columns.
static machine::Picoseconds reciprocalTime(int64_t columns,
                                           const isa::Target &target) {
  isa::Reciprocal body;
  body.dst.dtype = body.data.dtype = isa::DType::f32;
  body.dst.partitions = body.data.partitions = isa::maxPartitions;
  body.dst.rank = body.data.rank = 1;
  body.dst.dims[0] = body.data.dims[0] = {1, static_cast<uint32_t>(columns)};
  return machine::timesOf(body, isa::Engine::vector, target).occupancy;
}

/// Magnitudes, exact, of which only the largest or the smallest of each row is
/// read: the instruction that finds it takes them.
static ReduceOp reductionOfMagnitudes(ActivateOp op) {
  if (op.getOp() != isa::ActivationFunction::abs || op.getScale() ||
      op.getBias() || op.getRowSum() ||
      op.getScaleValue().convertToFloat() != 1.0f ||
      op.getBiasValue().convertToFloat() != 0.0f || !op.getResult().hasOneUse())
    return {};
  auto reduce = dyn_cast<ReduceOp>(*op.getResult().getUsers().begin());
  const TileType from = tensorOf(op.getInput()), to = tensorOf(op.getResult());
  const bool isExact = mlir::isa<FloatType>(from.getElementType()) &&
                       (to.getElementType() == from.getElementType() ||
                        to.getElementType().isF32());
  return reduce && reduce->getBlock() == op->getBlock() && isExact &&
                 from.getRank() == 2 &&
                 (reduce.getOp() == isa::AluOp::maximum ||
                  reduce.getOp() == isa::AluOp::minimum)
             ? reduce
             : ReduceOp();
}

LogicalResult Lowering::lowerActivate(ActivateOp op) {
  if (reductionOfMagnitudes(op))
    return success();
  Ref in = aligned(refOf(op.getInput()));
  const Ref &to = destination(op.getResult());
  float scale = op.getScaleValue().convertToFloat();
  float bias = op.getBiasValue().convertToFloat();
  bool plain = !op.getScale() && !op.getBias() && scale == 1.0f &&
               bias == 0.0f && !op.getRowSum();
  if (op.getOp() == isa::ActivationFunction::reciprocal && plain &&
      static_cast<double>(reciprocalTime(in.free(), target)) <=
          detourOfReciprocal()) {
    for (const Part &part : partsOf({&in, &to}))
      emit("reciprocal", {view(to, part), view(in, part)}, {});
    return success();
  }
  std::optional<Ref> scaleRef, biasRef, sumRef;
  if (op.getScale())
    scaleRef = aligned(refOf(op.getScale()));
  if (op.getBias())
    biasRef = aligned(refOf(op.getBias()));
  if (op.getRowSum())
    sumRef = destination(op.getRowSum());
  if (!biasRef && bias != 0.0f && target.generation == isa::Generation::v2) {
    // trn1 takes a bias from memory only.
    biasRef = allocate({in.rows, 1}, builder.getF32Type(), nc::Space::sbuf);
    memset(*biasRef, bias);
  }
  bool eachSlot = scaleRef || biasRef || sumRef;
  SmallVector<Part> parts = partsOf({&in, &to}, eachSlot);
  std::optional<Ref> partialSums;
  if (sumRef && !parts.front().sizes.empty())
    partialSums = partials(*sumRef, parts);
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto column = [&](std::optional<Ref> &ref) {
      return ref ? view(*ref, part) : Value();
    };
    SmallVector<NamedAttribute> attributes{choice("op", op.getOp())};
    if (!scaleRef && scale != 1.0f)
      attributes.push_back(number("scale_value", scale));
    if (!biasRef && bias != 0.0f)
      attributes.push_back(number("bias_value", bias));
    if (op.getRowOp()) {
      Value most =
          partialSums ? partial(*partialSums, parts, i) : column(sumRef);
      emit("activate2",
           {view(to, part), view(in, part), Value(), Value(), Value(), most},
           {choice("op", op.getOp()), choice("op0", isa::AluOp::multiply),
            number("imm0_value", scale), choice("reduce_op", *op.getRowOp()),
            choice("reduce_cmd", isa::ReduceCommand::reset_reduce),
            builder.getNamedAttr(nc::anyFormAttrName, builder.getUnitAttr())});
      continue;
    }
    if (sumRef) {
      attributes.push_back(choice("reduce_op", isa::AluOp::add));
      attributes.push_back(
          choice("reduce_cmd", isa::ReduceCommand::reset_reduce));
    }
    Value sum = partialSums ? partial(*partialSums, parts, i) : column(sumRef);
    emit("activation",
         {view(to, part), view(in, part), column(biasRef), column(scaleRef),
          sum},
         attributes);
  }
  if (partialSums)
    reduce(op.getRowOp().value_or(isa::AluOp::add), *sumRef, *partialSums);
  return success();
}

LogicalResult Lowering::lowerChain(ChainOp op) {
  Ref in = aligned(refOf(op.getInput()));
  std::optional<Ref> first, second;
  if (op.getOperand0())
    first = aligned(refOf(op.getOperand0()));
  if (op.getOperand1())
    second = aligned(refOf(op.getOperand1()));
  // Only GpSimd has rsqrt as an operator, and it cannot access PSUM.
  if (op.getOp0() == isa::AluOp::rsqrt)
    in = inSbuf(in);
  const Ref &to = destination(op.getResult());
  for (const Part &part : partsOf({&in, &to}, first || second)) {
    SmallVector<NamedAttribute> attributes{choice("op0", op.getOp0())};
    if (!first && !isUnaryOperator(op.getOp0()))
      attributes.push_back(
          number("operand0_value", op.getValue0().convertToFloat()));
    if (op.getReverse0())
      attributes.push_back(flag("reverse0", true));
    if (op.getOp1()) {
      attributes.push_back(choice("op1", *op.getOp1()));
      if (!second)
        attributes.push_back(
            number("operand1_value", op.getValue1().convertToFloat()));
      if (op.getReverse1())
        attributes.push_back(flag("reverse1", true));
    }
    emit("tensor_scalar",
         {view(to, part), view(in, part), first ? view(*first, part) : Value(),
          second ? view(*second, part) : Value()},
         attributes);
  }
  return success();
}

LogicalResult Lowering::lowerScalarTensor(ScalarTensorOp op) {
  Ref in = aligned(refOf(op.getInput()));
  Ref other = aligned(refOf(op.getOperand1()));
  // The Vector engine reads at most one of two tiles from PSUM.
  if (in.space == nc::Space::psum && other.space == nc::Space::psum)
    other = toSbuf(op.getOperand1());
  std::optional<Ref> scalar;
  if (op.getOperand0())
    scalar = aligned(refOf(op.getOperand0()));
  const Ref &to = destination(op.getResult());
  for (const Part &part : partsOf({&in, &to, &other}, scalar.has_value())) {
    SmallVector<NamedAttribute> attributes{choice("op0", op.getOp0()),
                                           choice("op1", op.getOp1())};
    if (!scalar)
      attributes.push_back(
          number("operand0_value", op.getValue0().convertToFloat()));
    if (op.getReverse0())
      attributes.push_back(flag("reverse0", true));
    if (op.getReverse1())
      attributes.push_back(flag("reverse1", true));
    emit("scalar_tensor_tensor",
         {view(to, part), view(in, part),
          scalar ? view(*scalar, part) : Value(), view(other, part)},
         attributes);
  }
  return success();
}

void Lowering::tensorTensor(isa::AluOp op, const Ref &to, Ref lhs, Ref rhs) {
  SmallVector<NamedAttribute> attributes{choice("op", op)};
  // GpSimd has power, and exact 32-bit integers; it accesses only SBUF.
  auto isWide = [](const Ref &ref) { return ref.element().isInteger(32); };
  if (op == isa::AluOp::power || (isWide(to) && isWide(lhs) && isWide(rhs))) {
    attributes.push_back(onEngine(isa::Engine::gpsimd));
    lhs = inSbuf(lhs);
    rhs = inSbuf(rhs);
  }
  if (lhs.space == nc::Space::psum && rhs.space == nc::Space::psum)
    rhs = inSbuf(rhs);
  for (const Part &part : partsOf({&to, &lhs, &rhs}))
    emit("tensor_tensor", {view(to, part), view(lhs, part), view(rhs, part)},
         attributes);
}

LogicalResult Lowering::lowerBinary(BinaryOp op) {
  if (op.getOp().isDivision())
    return op.emitOpError("divides, which tile-legalize replaces");
  if (const ProductSums::Sum *sum = sums.sumOf(op))
    return sum->whole == op ? lowerSumOfProducts(*sum) : success();
  Ref lhs = aligned(refOf(op.getLhs()));
  Ref rhs = aligned(refOf(op.getRhs()));
  tensorTensor(op.getOp().aluOp(), destination(op.getResult()), lhs, rhs);
  return success();
}

/// A buffer with one column for each of the parts that a row falls into.
Ref Lowering::partials(const Ref &column, ArrayRef<Part> parts) {
  int64_t count = llvm::count_if(
      parts, [&](const Part &part) { return part.slot == parts[0].slot; });
  return allocate({column.rows, count}, builder.getF32Type(), nc::Space::sbuf);
}

/// What part `i` of slots one by one writes of such a buffer.
Value Lowering::partial(const Ref &buffer, ArrayRef<Part> parts, size_t i) {
  auto column = static_cast<int64_t>(i) % buffer.free();
  return view(columns(buffer, column, 1),
              {parts[i].slot, 1, parts[i].rows, {}, {}});
}

void Lowering::reduce(isa::AluOp op, const Ref &to, const Ref &in) {
  auto emitReduce = [&](Value result, const Part &part) {
    // The slots stay apart, all other free dimensions are reduced.
    Value data = view(in, part, /*merge=*/false);
    size_t kept = part.slots > 1 ? 2 : 1;
    size_t axes = cast<nc::ViewType>(data.getType()).getShape().size() - kept;
    emit("tensor_reduce", {result, data},
         {choice("op", op),
          builder.getNamedAttr(
              "axes", builder.getI32IntegerAttr(static_cast<int32_t>(axes)))});
  };
  SmallVector<Part> parts = partsOf({&in}, /*eachSlot=*/false, /*merge=*/false);
  if (llvm::all_of(parts, [](const Part &p) { return p.sizes.empty(); })) {
    for (const Part &part : parts)
      emitReduce(view(to, part), part);
    return;
  }
  parts = partsOf({&in}, /*eachSlot=*/true, /*merge=*/false);
  Ref some = partials(to, parts);
  for (auto [i, part] : llvm::enumerate(parts))
    emitReduce(partial(some, parts, i), part);
  reduce(op, to, some);
}

/// What it writes beside the result is not read.
void Lowering::reduceMagnitudes(isa::AluOp op, const Ref &to, const Ref &in) {
  const Ref unread =
      allocate({in.rows, in.free()},
               builder.getIntegerType(8, /*isSigned=*/false), nc::Space::sbuf);
  const SmallVector<Part> parts =
      partsOf({&in, &unread}, /*eachSlot=*/true, /*merge=*/false);
  const bool isWhole =
      llvm::all_of(parts, [](const Part &part) { return part.sizes.empty(); });
  const std::optional<Ref> some =
      isWhole ? std::nullopt : std::optional(partials(to, parts));
  for (auto [i, part] : llvm::enumerate(parts))
    emit("tensor_scalar_reduce",
         {view(unread, part), view(in, part), Value(),
          some ? partial(*some, parts, i) : view(to, part)},
         {choice("op0", isa::AluOp::abs), choice("reduce_op", op),
          choice("reduce_cmd", isa::ReduceCommand::reset_reduce)});
  if (some)
    reduce(op, to, *some);
}

LogicalResult Lowering::lowerReduce(ReduceOp op) {
  if (auto magnitudes = op.getInput().getDefiningOp<ActivateOp>();
      magnitudes && reductionOfMagnitudes(magnitudes) == op) {
    const Ref in = aligned(refOf(magnitudes.getInput()));
    reduceMagnitudes(op.getOp(), destination(op.getResult()), in);
    return success();
  }
  Ref in = aligned(refOf(op.getInput()));
  reduce(op.getOp(), destination(op.getResult()), in);
  return success();
}
