//===- StreamPlan.cpp - What a window of a store needs --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamPlan.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

int64_t tile::bytesTurned(TileType type) {
  int64_t shape[] = {type.getDimSize(1), type.getDimSize(0)};
  return bytesPerPartition(TileType::get(shape, type.getElementType()));
}

int64_t tile::bytesBeside(Operation *op, TileType type) {
  if (!mlir::isa<BinaryOp, ScalarOp, CompareOp, SelectOp>(op))
    return 0;
  int64_t tiles = 0;
  bool wide = false, hasTile = false;
  for (Value operand : op->getOperands()) {
    TileType given = tensorOf(operand);
    wide |= given.getElementType().isInteger(32);
    hasTile |= !splatOf(operand);
    tiles += given.getDimSize(0) == 1 && type.getDimSize(0) != 1;
  }
  auto binary = dyn_cast<BinaryOp>(op);
  auto scalar = dyn_cast<ScalarOp>(op);
  const bool isPower = (binary && binary.getOp() == isa::AluOp::power) ||
                       (scalar && scalar.getOp() == isa::AluOp::power);
  const bool isConstant = op->getNumOperands() == 1 ||
                          llvm::any_of(op->getOperands(), [](Value operand) {
                            return splatOf(operand).has_value();
                          });
  tiles += isConstant && hasTile && (wide || isPower);
  return tiles * bytesPerPartition(type);
}

AffineMap tile::shifted(AffineMap map, SmallVectorImpl<Value> &indices,
                        ArrayRef<std::pair<Span, int64_t>> spans,
                        ArrayRef<Value> counters) {
  AffineExpr result = map.getResult(0);
  unsigned dims = map.getNumDims();
  for (const auto &[span, stride] : spans) {
    result = result + span.start * stride;
    if (span.loop < 0)
      continue;
    result = result +
             getAffineDimExpr(dims++, map.getContext()) * (span.scale * stride);
    indices.push_back(counters[span.loop]);
  }
  return AffineMap::get(dims, 0, result);
}

static Span whole(int64_t extent) { return {0, extent, -1, 0}; }
static Window whole(TileType type) {
  return {whole(type.getDimSize(0)), whole(type.getDimSize(1))};
}
static bool coversAll(const Window &window, TileType type) {
  return window.rows.covers(type.getDimSize(0)) &&
         window.columns.covers(type.getDimSize(1));
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

bool StreamPlan::plan(Value value, const Window &window) {
  std::optional<int> node = request(value, window);
  if (node)
    partsOf.push_back({*node, nodes.size(), window});
  return node.has_value();
}

int StreamPlan::add(Kind kind, Value source, const Window &window,
                    ArrayRef<int> operands) {
  Node node{kind, source, window, SmallVector<int, 3>(operands),
            0,    false,  false,  pass,
            0,    0,      {}};
  for (const Span *span : {&window.rows, &window.columns})
    if (span->loop >= 0)
      node.level = std::max(node.level, span->loop == options.outer ? 1
                                        : span->loop == loopOfContracted
                                            ? levelOfContracted
                                            : 2);
  // What a loop adds up is there behind it.
  for (int operand : operands)
    if (kind != Kind::sums || nodes[operand].level != levelOfContracted)
      node.level = std::max(node.level, nodes[operand].level);
  for (int operand : operands)
    nodes[operand].stays |= nodes[operand].level < node.level;
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}

std::optional<int> StreamPlan::request(Value value, Window window) {
  TileType type = tensorOf(value);
  Key key(value.getAsOpaquePointer(), window.rows.key(), window.columns.key());
  if (auto found = known.find(key); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  std::optional<int> node;
  const bool isLoad = mlir::isa_and_nonnull<LoadOp, LoadTransposedOp>(op);
  if (coversAll(window, type) && (isLoad || !cone.contains(op))) {
    node = add(Kind::original, value, window, {});
  } else if (auto columns = ofWholeRows(value, window)) {
    node = columns;
  } else if (cone.contains(op)) {
    node = mlir::isa<QuantizeOp>(op) ? windowOfQuantized(value, window)
                                     : windowOf(op, window);
  } else if (window.rows.loop < 0) {
    // A tile's rows are addressed by numbers known while compiling.
    int tile = add(Kind::original, value, whole(type), {});
    node = add(Kind::columnsOf, value, window, {tile});
  }
  if (node) {
    known[key] = *node;
    lately.push_back(key);
  }
  return node;
}

/// Columns of rows that are there as a whole, or that are loaded so.
std::optional<int> StreamPlan::ofWholeRows(Value value, const Window &window) {
  const int64_t extent = tensorOf(value).getDimSize(1);
  if (!options.resident || window.columns.covers(extent))
    return std::nullopt;
  const Window rows{window.rows, whole(extent)};
  std::optional<int> node;
  if (auto found = known.find(
          {value.getAsOpaquePointer(), rows.rows.key(), rows.columns.key()});
      found != known.end()) {
    node = found->second;
  } else if (value.getDefiningOp<LoadOp>() &&
             cone.contains(value.getDefiningOp())) {
    llvm::SaveAndRestore inNoPass(pass, int64_t{0});
    node = request(value, rows);
  }
  if (!node || nodes[*node].kind == Kind::viewOf ||
      nodes[*node].kind == Kind::columnsOf)
    return std::nullopt;
  // The rows of an original are those of the whole value.
  Span first = whole(window.rows.size);
  if (nodes[*node].kind == Kind::original)
    first.start = window.rows.start;
  return add(Kind::columnsOf, value, {first, window.columns}, {*node});
}

/// The columns of one row of a tensor, on all partitions.
int StreamPlan::repeatedRow(LoadOp load, const Window &window) {
  Value value = load.getResult();
  const int64_t extent = tensorOf(value).getDimSize(1);
  const bool all = options.resident && !window.columns.covers(extent);
  const Window loaded{whole(window.rows.size),
                      all ? whole(extent) : window.columns};
  Key key(value.getAsOpaquePointer(), loaded.rows.key(), loaded.columns.key());
  auto [place, isNew] = repeatedRows.try_emplace(key, -1);
  if (isNew) {
    llvm::SaveAndRestore inNoPass(pass, int64_t{0});
    place->second = add(Kind::repeated, value, loaded, {});
  }
  if (!all)
    return place->second;
  return add(Kind::columnsOf, value, {loaded.rows, window.columns},
             {place->second});
}

std::optional<int> StreamPlan::windowOf(Operation *op, const Window &window) {
  Value value = op->getResult(0);
  if (mlir::isa<LoadOp, LoadTransposedOp, FillOp>(op))
    return add(Kind::window, value, window, {});
  if (auto slice = dyn_cast<SliceOp>(op))
    return windowOfSlice(slice, window);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return windowOfProduct(matmul, window);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduction(reduce, window);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    auto input = request(transpose.getInput(), {window.columns, window.rows});
    if (!input)
      return std::nullopt;
    return add(Kind::window, value, window, {*input});
  }
  const bool elementwise = mlir::isa<UnaryOp, BinaryOp, ScalarOp, CompareOp,
                                     SelectOp, KeepOp, CastOp>(op);
  // One instruction on each 128 rows: those of a window are the same ones.
  auto apply = dyn_cast<ApplyOp>(op);
  const int64_t extent = tensorOf(value).getDimSize(1);
  if (apply && !window.columns.covers(extent)) {
    auto input = request(value, {window.rows, whole(extent)});
    if (!input)
      return std::nullopt;
    Window columns{whole(window.rows.size), window.columns};
    return add(Kind::columnsOf, value, columns, {*input});
  }
  const bool alignedRows =
      window.rows.start % isa::maxPartitions == 0 &&
      (window.rows.loop < 0 || window.rows.scale % isa::maxPartitions == 0);
  if (!elementwise && !(apply && alignedRows))
    return std::nullopt;
  SmallVector<int, 3> operands;
  for (Value operand : op->getOperands()) {
    if (!mlir::isa<TileType>(operand.getType()))
      continue;
    TileType type = tensorOf(operand);
    Window part = window;
    auto load = operand.getDefiningOp<LoadOp>();
    // Also for a last row alone: the row itself would take its bytes from the
    // first block on.
    if (options.repeatRows && type.getDimSize(0) == 1 &&
        type.getDimSize(1) != 1 && tensorOf(value).getDimSize(0) > 1 &&
        elementwise && load && cone.contains(load)) {
      operands.push_back(repeatedRow(load, window));
      continue;
    }
    if (apply || type.getDimSize(1) == 1)
      part.columns = whole(type.getDimSize(1));
    if (type.getDimSize(0) == 1)
      part.rows = whole(1);
    auto input = request(operand, part);
    if (!input)
      return std::nullopt;
    operands.push_back(*input);
  }
  return add(Kind::window, value, window, operands);
}

std::optional<int> StreamPlan::windowOfSlice(SliceOp slice,
                                             const Window &window) {
  TileType base = tensorOf(slice.getBase());
  Span rows = window.rows, columns = whole(base.getDimSize(1));
  rows.start += static_cast<int64_t>(slice.getRow());
  auto offset = dyn_cast<AffineConstantExpr>(slice.getOffset().getResult(0));
  // Neighbouring columns of a matrix are a window of a window.
  if (base.getRank() == 2 && slice.getSizes().size() == 2 && offset &&
      slice.getIndices().empty() && slice.getStrides()[1] == 1 &&
      offset.getValue() + slice.getSizes()[1] <= base.getDimSize(1)) {
    columns = window.columns;
    columns.start += offset.getValue();
    return request(slice.getBase(), {rows, columns});
  }
  auto input = request(slice.getBase(), {rows, columns});
  if (!input)
    return std::nullopt;
  return add(Kind::viewOf, slice.getResult(), window, {*input});
}

/// An operand of a product: `contracted` of what it contracts.
std::optional<int> StreamPlan::operandOf(MatmulOp op, bool second,
                                         const Span &contracted,
                                         const Span &span) {
  Value value = second ? op.getB() : op.getA();
  if (second ? !op.getTransposeB() : op.getTransposeA())
    return request(value, {contracted, span});
  auto node = request(value, {span, contracted});
  if (node)
    nodes[*node].turned = true;
  return node;
}

std::optional<int> StreamPlan::windowOfProduct(MatmulOp op,
                                               const Window &window) {
  TileType a = tensorOf(op.getA()), b = tensorOf(op.getB());
  const int64_t rows = a.getDimSize(op.getTransposeA() ? 0 : 1);
  int64_t height = rows;
  const bool isF32 = tensorOf(op.getResult()).getElementType().isF32();
  // Operands that are products themselves are made in each turn.
  if (options.step > 0 && isF32 && !(inLoop && options.nested) &&
      rows >= 2 * options.step)
    return sumOfLoop(op, window);
  if (options.parts && isF32) {
    auto bytes = [](TileType type, int64_t columns) {
      int64_t shape[] = {isa::maxPartitions, columns};
      return bytesPerPartition(TileType::get(shape, type.getElementType()));
    };
    const int64_t slot =
        bytes(a, window.rows.size) + bytes(b, window.columns.size);
    height =
        std::max<int64_t>(1, options.piece / 2 / slot) * isa::maxPartitions;
  }
  llvm::SaveAndRestore thisPass(pass, height < rows ? ++passes : pass);
  std::optional<int> result;
  for (int64_t first = 0; first < rows; first += height) {
    const size_t before = lately.size();
    const Span part{first, std::min(height, rows - first), -1, 0};
    SmallVector<int, 4> operands;
    if (!addOperandsOf(op, part, window, operands))
      return std::nullopt;
    if (height < rows)
      forgetWide(before);
    int product = add(Kind::window, op.getResult(), window, operands);
    result =
        result ? add(Kind::combine, op.getResult(), window, {*result, product})
               : product;
  }
  return result;
}

/// Later users compute a part of a row again: if parts were kept, all would be
/// live together. What is outside of a loop over contracted rows is there for
/// all that is in it.
void StreamPlan::forgetWide(size_t since) {
  std::vector<Key> kept;
  for (size_t i = since; i < lately.size(); ++i) {
    const Node &node = nodes[known[lately[i]]];
    const bool stays = node.kind == Kind::original ||
                       (options.resident && isLoad(node)) ||
                       (inLoop && node.level < levelOfContracted);
    if (!stays && freeElements(typeOf(node)) > 1)
      known.erase(lately[i]);
    else
      kept.push_back(lately[i]);
  }
  lately.resize(since);
  lately.insert(lately.end(), kept.begin(), kept.end());
}

/// Of wide rows, the parts are reduced, and what they give.
std::optional<int> StreamPlan::reduction(ReduceOp op, const Window &window) {
  TileType type = tensorOf(op.getInput());
  const int64_t columns = type.getDimSize(1);
  int64_t width = columns;
  if (type.getRank() == 2) {
    const int64_t slots = std::max<int64_t>(1, slotsOf(window.rows.size));
    width = std::max<int64_t>(512, options.piece / 4 / slots / 512 * 512);
  }
  llvm::SaveAndRestore thisPass(pass, width < columns ? ++passes : pass);
  std::optional<int> result;
  for (int64_t first = 0; first < columns; first += width) {
    Span part{first, std::min(width, columns - first), -1, 0};
    const size_t before = lately.size();
    auto input = request(op.getInput(), {window.rows, part});
    if (!input)
      return std::nullopt;
    if (width < columns)
      forgetWide(before);
    int reduced = add(Kind::window, op.getResult(), window, {*input});
    result =
        result ? add(Kind::combine, op.getResult(), window, {*result, reduced})
               : reduced;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Build
//===----------------------------------------------------------------------===//

void StreamPlan::build(OpBuilder &builder, int level, size_t part,
                       int64_t store, ArrayRef<Value> counters) {
  for (size_t i = part == 0 ? 0 : partsOf[part - 1].end; i < partsOf[part].end;
       ++i)
    if (Node &node = nodes[i]; node.kind == Kind::original)
      node.made = node.source;
    else if (node.level == level)
      node.made = node.kind == Kind::sums
                      ? makeSums(builder, i, store, counters)
                      : make(builder, node, store, counters);
}

/// A window of what a view of HBM shows.
template <class Load>
static void narrow(Load load, const Span &rows, const Span &columns,
                   ArrayRef<Value> counters) {
  SmallVector<Value> indices(load.getIndices());
  ArrayRef<int64_t> strides = load.getStrides();
  load.setOffset(shifted(load.getOffset(), indices,
                         {{rows, strides[0]}, {columns, strides[1]}},
                         counters));
  load.getIndicesMutable().assign(indices);
  SmallVector<int64_t> sizes(load.getSizes());
  sizes[0] = rows.size;
  sizes[1] = columns.size;
  load.setSizes(sizes);
}

Value StreamPlan::make(OpBuilder &builder, const Node &node, int64_t store,
                       ArrayRef<Value> counters) {
  Operation *op = node.source.getDefiningOp();
  Location location = node.source.getLoc();
  const Window &window = node.window;
  TileType type = typeOf(node);
  auto operand = [&](size_t i) { return nodes[node.operands[i]].made; };
  if (node.kind == Kind::scales)
    return operand(0).getDefiningOp<QuantizeOp>().getScales();
  if (node.kind == Kind::combine) {
    auto reduce = dyn_cast<ReduceOp>(op);
    return BinaryOp::create(builder, location, type,
                            reduce ? reduce.getOp() : isa::AluOp::add,
                            operand(0), operand(1));
  }
  if (node.kind == Kind::columnsOf) {
    TileType base = tensorOf(operand(0));
    SmallVector<int64_t> strides = denseStrides(base.getShape(), true);
    SmallVector<Value> indices;
    AffineMap offset = shifted(zeroOffset(builder.getContext()), indices,
                               {{window.columns, strides[1]}}, counters);
    return SliceOp::create(builder, location, type, operand(0), indices,
                           static_cast<uint64_t>(window.rows.start), offset,
                           type.getShape(), strides);
  }
  if (node.kind == Kind::viewOf) {
    auto slice = cast<SliceOp>(op);
    SmallVector<Value> indices(slice.getIndices());
    AffineMap offset =
        shifted(slice.getOffset(), indices,
                {{window.columns, slice.getStrides()[1]}}, counters);
    return SliceOp::create(builder, location, type, operand(0), indices,
                           uint64_t(0), offset, type.getShape(),
                           slice.getStrides());
  }
  if (node.kind == Kind::repeated) {
    auto load = cast<LoadOp>(builder.clone(*op));
    load.getResult().setType(type);
    narrow(load, whole(1), window.columns, counters);
    SmallVector<int64_t> sizes(load.getSizes()), strides(load.getStrides());
    sizes[0] = window.rows.size;
    strides[0] = 0;
    load.setSizes(sizes);
    load.setStrides(strides);
    return load.getResult();
  }
  IRMapping mapping;
  size_t next = 0;
  if (!mlir::isa<LoadOp, LoadTransposedOp, FillOp>(op))
    for (Value tile : op->getOperands())
      if (mlir::isa<TileType>(tile.getType()))
        mapping.map(tile, operand(next++));
  Operation *made = builder.clone(*op, mapping);
  // A value may be two operands and show two windows.
  next = 0;
  if (!mlir::isa<LoadOp, LoadTransposedOp, FillOp>(op))
    for (OpOperand &use : made->getOpOperands())
      if (mlir::isa<TileType>(use.get().getType()))
        use.set(operand(next++));
  made->getResult(0).setType(type);
  if (auto quantize = dyn_cast<QuantizeOp>(made))
    quantize.getScales().setType(typeOfScales(type));
  if (isLoad(node) && node.pass)
    made->setDiscardableAttr(passAttrName,
                             builder.getDenseI64ArrayAttr({store, node.pass}));
  llvm::TypeSwitch<Operation *>(made)
      .Case<LoadOp>([&](LoadOp load) {
        narrow(load, window.rows, window.columns, counters);
      })
      .Case<LoadTransposedOp>([&](LoadTransposedOp load) {
        narrow(load, window.columns, window.rows, counters);
      })
      .Case<KeepOp>([&](KeepOp keep) {
        SmallVector<Value> indices(keep.getIndices());
        auto columnStep = static_cast<int64_t>(keep.getColStep()) *
                          (freeElements(type) / type.getDimSize(1));
        keep.setOffset(
            shifted(keep.getOffset(), indices,
                    {{window.rows, static_cast<int64_t>(keep.getRowStep())},
                     {window.columns, columnStep}},
                    counters));
        keep.getIndicesMutable().assign(indices);
      });
  return made->getResult(0);
}
