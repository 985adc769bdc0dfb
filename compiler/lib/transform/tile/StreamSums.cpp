//===- StreamSums.cpp - Products that contract in turns -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a product that contracts many rows, no block has both operands on chip for
// long. So the sums of a block stay, and a loop adds the products of as many
// rows as each of its turns loads.
//
//===----------------------------------------------------------------------===//

#include "StreamPlan.h"

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// What is left of the rows follows the loop.
std::optional<int> StreamPlan::sumOfLoop(MatmulOp op, const Window &window) {
  // A loop in a loop would count in the same counter. Rows in groups are not
  // slices of columns.
  if (inLoop || tensorOf(op.getA()).getRank() != 2 ||
      tensorOf(op.getB()).getRank() != 2)
    return std::nullopt;
  llvm::SaveAndRestore inThisLoop(inLoop, true);
  llvm::SaveAndRestore thisPass(pass, ++passes);
  const int64_t rows =
      tensorOf(op.getA()).getDimSize(op.getTransposeA() ? 0 : 1);
  const int64_t turns = rows / options.step, full = turns * options.step;
  const size_t inner = nodes.size();
  SmallVector<int, 4> operands;
  auto addOperands = [&](const Span &contracted) {
    const size_t before = lately.size();
    if (!addOperandsOf(op, contracted, window, operands))
      return false;
    forgetInLoop(before);
    return true;
  };
  if (!addOperands({0, options.step, loopOfContracted, options.step}) ||
      (full < rows && !addOperands({full, rows - full, -1, 0})))
    return std::nullopt;
  const int sums = add(Kind::sums, op.getResult(), window, operands);
  nodes[sums].turns = turns;
  nodes[sums].inner = inner;
  return sums;
}

/// Behind the loop and in other loops, nobody sees what is in this one.
void StreamPlan::forgetInLoop(size_t since) {
  const auto isInLoop = [&](int node) {
    return nodes[node].level == levelOfContracted;
  };
  std::vector<Key> kept;
  for (size_t i = since; i < lately.size(); ++i)
    if (isInLoop(known[lately[i]]))
      known.erase(lately[i]);
    else
      kept.push_back(lately[i]);
  lately.resize(since);
  lately.insert(lately.end(), kept.begin(), kept.end());
  std::erase_if(repeatedRows,
                [&](const auto &entry) { return isInLoop(entry.second); });
}

namespace {

/// Adds to sums in SBUF, one bank of products at a time.
class SumBuilder {
public:
  SumBuilder(OpBuilder &builder, MatmulOp op, TileType type)
      : builder(builder), op(op), type(type),
        location(nc::withWishes(op.getLoc(), op.getLoc(), Attribute())),
        sums(DeclareOp::create(
            builder, location,
            MemRefType::get(
                type.getShape(), type.getElementType(),
                MemRefLayoutAttrInterface(),
                nc::SpaceAttr::get(builder.getContext(), nc::Space::sbuf)),
            IntegerAttr(), IntegerAttr(), IntegerAttr(), StringAttr())) {
    Value zero =
        FillOp::create(builder, location, type, builder.getF64FloatAttr(0));
    assign(zero, 0, 0);
  }

  scf::ForOp loop(int64_t turns) {
    const Location place = nc::placeOf(location);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, place, value);
    };
    auto made = scf::ForOp::create(builder, place, constant(0), constant(turns),
                                   constant(1));
    builder.setInsertionPointToStart(made.getBody());
    return made;
  }

  /// The operands of a product, and their scales, if there are any.
  void add(ValueRange operands) {
    SmallVector<Value, 4> factors(operands);
    if (!op.getTransposeA())
      factors[0] = turned(factors[0]);
    if (op.getTransposeB())
      factors[1] = turned(factors[1]);
    for (int64_t row = 0; row < type.getDimSize(0); row += isa::maxPartitions)
      for (int64_t column = 0; column < type.getDimSize(1);
           column += isa::psumBankSums)
        addBank(factors, row, column);
  }

  Value read() { return read(type, 0, 0); }

private:
  OpBuilder &builder;
  MatmulOp op;
  TileType type;
  Location location;
  Value sums;

  void addBank(ArrayRef<Value> factors, int64_t row, int64_t column) {
    const TileType part = TileType::get(
        {std::min<int64_t>(isa::maxPartitions, type.getDimSize(0) - row),
         std::min<int64_t>(isa::psumBankSums, type.getDimSize(1) - column)},
        type.getElementType());
    SmallVector<Value, 4> shown;
    for (auto [i, factor] : llvm::enumerate(factors))
      shown.push_back(i % 2 == 0
                          ? columnsOf(factor, row, part.getDimSize(0))
                          : columnsOf(factor, column, part.getDimSize(1)));
    shown.resize(4);
    Value product =
        MatmulOp::create(builder, location, part, shown[0], shown[1], shown[2],
                         shown[3], builder.getUnitAttr(), UnitAttr());
    Value sum = BinaryOp::create(builder, location, part, isa::AluOp::add,
                                 read(part, row, column), product);
    assign(sum, row, column);
  }

  AffineMap at(int64_t column) {
    return AffineMap::get(0, 0, builder.getAffineConstantExpr(column));
  }

  Value columnsOf(Value tile, int64_t first, int64_t count) {
    TileType whole = tensorOf(tile);
    const TileType part =
        TileType::get({whole.getDimSize(0), count}, whole.getElementType());
    return SliceOp::create(builder, location, part, tile, ValueRange(),
                           uint64_t(0), at(first), part.getShape(),
                           ArrayRef<int64_t>{1, 1});
  }

  Value read(TileType part, int64_t row, int64_t column) {
    return ReadOp::create(builder, location, part, sums, ValueRange(),
                          static_cast<uint64_t>(row), at(column),
                          part.getShape(), ArrayRef<int64_t>{1, 1});
  }

  void assign(Value value, int64_t row, int64_t column) {
    AssignOp::create(builder, location, sums, value, ValueRange(),
                     static_cast<uint64_t>(row), at(column),
                     tensorOf(value).getShape(), ArrayRef<int64_t>{1, 1});
  }

  /// tile-orient would turn each of its slices.
  Value turned(Value value) {
    TileType given = tensorOf(value);
    const TileType result = TileType::get(
        {given.getDimSize(1), given.getDimSize(0)}, given.getElementType());
    Operation *definition = value.getDefiningOp();
    auto as = [&]<class To>(auto load, To *) -> Value {
      Value made = To::create(
          builder, load.getLoc(), result, load.getBase(), load.getIndices(),
          load.getRow(), load.getOffset(), load.getSizes(), load.getStrides());
      made.getDefiningOp()->setDiscardableAttrs(
          load->getDiscardableAttrDictionary());
      return made;
    };
    if (auto load = dyn_cast_or_null<LoadOp>(definition);
        load && load.getSizes().size() == 2)
      return as(load, static_cast<LoadTransposedOp *>(nullptr));
    if (auto load = dyn_cast_or_null<LoadTransposedOp>(definition))
      return as(load, static_cast<LoadOp *>(nullptr));
    return TransposeOp::create(builder, location, result, value);
  }
};

} // namespace

Value StreamPlan::makeSums(OpBuilder &builder, size_t index, int64_t store,
                           ArrayRef<Value> counters) {
  const Node &node = nodes[index];
  const size_t each =
      cast<MatmulOp>(node.source.getDefiningOp()).getAScales() ? 4 : 2;
  auto operandsFrom = [&](size_t first) {
    SmallVector<Value, 4> made;
    for (size_t i = first; i < first + each; ++i)
      made.push_back(nodes[node.operands[i]].made);
    return made;
  };
  SumBuilder sums(builder, cast<MatmulOp>(node.source.getDefiningOp()),
                  typeOf(node));
  scf::ForOp loop = sums.loop(node.turns);
  SmallVector<Value, 3> all(counters);
  all.resize(loopOfContracted);
  all.push_back(loop.getInductionVar());
  for (size_t i = node.inner; i < index; ++i)
    if (nodes[i].level == levelOfContracted && nodes[i].kind != Kind::original)
      nodes[i].made = make(builder, nodes[i], store, all);
  sums.add(operandsFrom(0));
  builder.setInsertionPointAfter(loop);
  if (node.operands.size() > each)
    sums.add(operandsFrom(each));
  return sums.read();
}
