//===- Lowering.h - The state of the lowering of one function -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_LOWERING_H
#define KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_LOWERING_H

#include "Plan.h"
#include "ProductSums.h"

#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/isa/shapes.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <memory>

namespace kiln::compiler {

/// Where a tile lies. Row r of the tile is row `row + r` of the memory, which
/// is partition (row + r) % 128 of slot (row + r) / 128; `sizes`, `strides` and
/// `offset` describe its free dimensions. In HBM, `rowStride` replaces slots.
struct Ref {
  mlir::Value base;
  nc::Space space = nc::Space::hbm; ///< As the type of `base` says.
  int64_t rows = 1;
  int64_t row = 0;
  llvm::SmallVector<int64_t, 2> sizes;
  llvm::SmallVector<int64_t, 2> strides;
  mlir::AffineMap offset;
  llvm::SmallVector<mlir::Value, 2> indices;
  int64_t slotStride = 0;
  int64_t rowStride = 0;
  /// Notes of the read or assignment for which a buffer of the program is
  /// accessed; null if that is the current operation.
  mlir::Attribute source;
  /// The type as which the bytes are viewed, if not as elements of `base`.
  mlir::Type seenAs;

  mlir::Type element() const {
    return seenAs
               ? seenAs
               : mlir::cast<mlir::MemRefType>(base.getType()).getElementType();
  }
  unsigned elementBytes() const {
    return isa::sizeInBytes(*nc::dtypeOf(element()));
  }
  int64_t free() const {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  }
  int64_t slots() const { return tile::slotsOf(rows); }
  bool isDense() const;
};

/// What a value of the tile level has become.
struct Lowered {
  Ref ref;
  /// Only the value and slices of it show the memory of `ref`.
  bool ownsMemory = false;
  /// SBUF copies of a product, by the block they were made in.
  llvm::MapVector<mlir::Block *, Ref> copies;
};

using isa::maxDimSize;
using isa::maxPsumElements;
using isa::maxSbufElements;
using isa::maxStride;

/// What one instruction takes of a tile: `slots` slots of `rows` rows, and of
/// the free dimensions the window of `sizes` from `starts`, or all.
struct Part {
  int64_t slot = 0;
  int64_t slots = 1;
  int64_t rows = 0;
  llvm::SmallVector<int64_t, 2> starts, sizes;
};

/// The map, `amount` further on.
mlir::AffineMap plus(mlir::AffineMap map, int64_t amount);

class Lowering {
public:
  Lowering(mlir::func::FuncOp function, const isa::Target &target)
      : function(function), target(target), plan(function),
        sums(function, plan), builder(function.getContext()),
        location(function.getLoc()), plain(location),
        zeroOffset(
            mlir::AffineMapAttr::get(tile::zeroOffset(builder.getContext()))),
        zero(builder.getI64IntegerAttr(0)), one(builder.getI64IntegerAttr(1)),
        noAttributes(builder.getDictionaryAttr({})),
        allocName(nc::AllocOp::getOperationName(), builder.getContext()),
        viewName(nc::ViewOp::getOperationName(), builder.getContext()) {}

  mlir::LogicalResult run();

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using LogicalResult = mlir::LogicalResult;

  // TileToNc.cpp: order and dispatch.
  LogicalResult lower(Operation *op);
  void eraseUnused(Operation *op);
  bool comesInSlots(Operation *op);
  void forget(Value tile);
  LogicalResult lowerDeclare(tile::DeclareOp op);

  // Memory.cpp: buffers and views.
  Ref allocate(tile::TileType type, nc::Space space);
  Ref allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element,
               nc::Space space);
  Ref refOf(Value tile);
  const Ref &destination(Value result);
  const Ref &makeAppended(tile::AppendOp op);
  const Ref &remember(Value tile, Ref ref, bool ownsMemory);
  Ref hbm(Value base, Value tile, mlir::OperandRange indices,
          mlir::AffineMap offset, llvm::ArrayRef<int64_t> sizes,
          llvm::ArrayRef<int64_t> strides);
  Ref window(Value base, Value tile, mlir::OperandRange indices, int64_t row,
             mlir::AffineMap offset, llvm::ArrayRef<int64_t> sizes,
             llvm::ArrayRef<int64_t> strides);
  Ref columns(const Ref &ref, int64_t first, int64_t count);
  Ref rowsOf(const Ref &ref, int64_t first, int64_t count);

  mlir::MemRefType bufferType(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                              nc::Space space);

  // Parts.cpp: what fits one instruction.
  struct ViewForm {
    nc::ViewType type;
    mlir::DenseI64ArrayAttr sizes, strides;
  };
  ViewForm viewForm(nc::Space space, mlir::Type element,
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides);
  Value view(const Ref &ref, const Part &part, bool merge = true);
  Value view(const Ref &ref) { return view(ref, {0, 1, ref.rows, {}, {}}); }
  /// The parts of operands that have the same rows, and the same columns or
  /// one value per row; each fits the patterns of all.
  llvm::SmallVector<Part> partsOf(llvm::ArrayRef<const Ref *> operands,
                                  bool eachSlot = false,
                                  bool merge = true) const;

  /// One instruction can take that part of the operand.
  static bool fits(const Ref &ref, const Part &part, bool merge = true);
  /// Each slot whole, whatever an instruction can take.
  static llvm::SmallVector<Part> slotsOf(int64_t rows);

  // Copies.cpp: rows from anywhere to anywhere.
  using RowsUse = llvm::function_ref<void(const Ref &, int64_t)>;
  Ref bufferLike(const Ref &ref, int64_t rows,
                 mlir::Type element = mlir::Type());
  Ref toSbuf(Value tile);
  Ref inSbuf(Ref ref);
  Ref aligned(Ref ref);
  Ref quarterOn(const Ref &ref);
  void forEachSlot(const Ref &ref, RowsUse use);
  void forEachStart(const Ref &ref, RowsUse use);
  void copy(const Ref &to, const Ref &from);
  void engineCopy(const Ref &to, const Ref &from);
  void place(const Ref &to, const Ref &from);
  void dma(const Ref &to, const Ref &from);
  void repeatRow(const Ref &to, const Ref &from);
  void memset(const Ref &to, double value);

  // Elementwise.cpp.
  double detourOfReciprocal();
  LogicalResult lowerActivate(tile::ActivateOp op);
  LogicalResult lowerChain(tile::ChainOp op);
  LogicalResult lowerScalarTensor(tile::ScalarTensorOp op);
  LogicalResult lowerBinary(tile::BinaryOp op);
  LogicalResult lowerReduce(tile::ReduceOp op);
  LogicalResult lowerKeep(tile::KeepOp op);
  LogicalResult lowerSelect(tile::SelectOp op);
  void reduce(isa::AluOp op, const Ref &to, const Ref &in);
  void reduceMagnitudes(isa::AluOp op, const Ref &to, const Ref &in);
  Ref partials(const Ref &column, llvm::ArrayRef<Part> parts);
  Value partial(const Ref &buffer, llvm::ArrayRef<Part> parts, size_t i);
  void tensorTensor(isa::AluOp op, const Ref &to, Ref lhs, Ref rhs);

  // Apply.cpp.
  LogicalResult lowerApply(tile::ApplyOp op);

  // Movement.cpp.
  LogicalResult lowerLoad(tile::LoadOp op);
  void dmaPieces(const Ref &to, const Ref &from, bool hasPieces);
  LogicalResult lowerLoadTransposed(tile::LoadTransposedOp op);
  Ref seenWhole(Ref ref, int64_t group);
  LogicalResult lowerStore(tile::StoreOp op);
  LogicalResult lowerAssign(tile::AssignOp op);
  LogicalResult lowerRead(tile::ReadOp op);
  LogicalResult lowerSlice(tile::SliceOp op);
  LogicalResult lowerAppend(tile::AppendOp op);
  Ref sliceOf(const Ref &base, tile::SliceOp op, int64_t row, int64_t rows);
  void transpose(const Ref &to, const Ref &from);
  void transposeSmall(const Ref &to, const Ref &from);

  // Matmul.cpp.
  LogicalResult lowerMatmul(tile::MatmulOp op);
  /// The operands of a product, and where the scales of packed ones lie.
  struct Factors {
    Ref a, b;
    std::optional<Ref> aScales, bScales;
  };
  void product(const Ref &to, const Factors &factors, int64_t firstRow,
               int64_t rows, int64_t firstColumn, int64_t columns,
               bool accumulate = false);
  llvm::SmallVector<Part> contractionOf(const Ref &a, const Ref &b) const;
  LogicalResult lowerSumOfProducts(const ProductSums::Sum &sum);
  bool staysInPsum(Operation *op) const;
  /// A bank of PSUM, and the place in a tile of what goes through it.
  struct Bank {
    Ref ref;
    int64_t row = 0, column = 0;
  };
  Bank allocateBank(tile::TileType type, int64_t row, int64_t column);
  /// Where products are added up: bank by bank, or in one buffer if the user of
  /// the sum reads it there.
  struct SumInPsum {
    llvm::SmallVector<Bank> banks;
    std::optional<Ref> whole;
  };
  SumInPsum allocateSum(const ProductSums::Sum &sum);
  Ref bankOf(const Ref &all, const Bank &bank);

  // Microscaling.cpp.
  LogicalResult lowerQuantize(tile::QuantizeOp op);
  bool loadScales(tile::LoadOp op);
  bool sliceScales(tile::SliceOp op);
  Ref scalesOf(Value scales);
  Ref inRows(Value scales);
  Ref allocateScales(tile::TileType type);
  void moveScales(const Ref &spread, const Ref &rows, bool isToRows);
  void scaledProduct(Value dst, const Ref &a, const Ref &aScales, const Ref &b,
                     const Ref &bScales, bool accumulate);
  void quantizeTurned(const Ref &data, const Ref &scales, const Ref &from);
  void quantizeColumns(const Ref &data, const Ref &scales, const Ref &from);

  /// Emits nc.<mnemonic>. A null operand is an absent optional one, as are
  /// those behind the last.
  void emit(llvm::StringRef mnemonic, llvm::ArrayRef<Value> operands,
            llvm::ArrayRef<mlir::NamedAttribute> attributes);
  Operation *modelOf(llvm::StringRef mnemonic, uint32_t present);
  mlir::NamedAttribute choice(llvm::StringRef name, isa::AluOp value) {
    return builder.getNamedAttr(
        name, nc::AluOpAttr::get(builder.getContext(), value));
  }
  mlir::NamedAttribute choice(llvm::StringRef name,
                              isa::ActivationFunction value) {
    return builder.getNamedAttr(
        name, nc::ActivationFunctionAttr::get(builder.getContext(), value));
  }
  mlir::NamedAttribute choice(llvm::StringRef name, isa::ReduceCommand value) {
    return builder.getNamedAttr(
        name, nc::ReduceCommandAttr::get(builder.getContext(), value));
  }
  mlir::NamedAttribute onEngine(isa::Engine engine) {
    return builder.getNamedAttr(
        "engine", nc::EngineAttr::get(builder.getContext(), engine));
  }
  mlir::NamedAttribute number(llvm::StringRef name, double value) {
    return builder.getNamedAttr(
        name, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  mlir::NamedAttribute flag(llvm::StringRef name, bool value) {
    return builder.getNamedAttr(name, builder.getBoolAttr(value));
  }

  mlir::func::FuncOp function;
  isa::Target target;
  std::optional<double> reciprocalDetour; ///< If asked for before.
  BufferPlan plan;
  ProductSums sums;
  /// Outside of loops, products and what is computed of them.
  llvm::DenseSet<Value> slotted;
  /// Each slot of the current operation has its own instructions.
  bool inSlots = false;
  /// Of the sums of which some products are lowered, and some not.
  llvm::DenseMap<const ProductSums::Sum *, SumInPsum> startedSums;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::Location plain; ///< The location without promises.
  /// Only values with remaining uses. Entries are large and short-lived, so the
  /// table holds few of them, by pointer.
  llvm::DenseMap<Value, std::unique_ptr<Lowered>> lowered;
  /// Scales as the tensor engine reads them: row g of the tile is row 32 (g /
  /// 4) + g % 4 of the memory. They are also in `lowered` if other operations
  /// read them.
  llvm::DenseMap<Value, Ref> spread;
  /// The last view of each memory: the producer and the users of a tile mostly
  /// use the same view.
  llvm::DenseMap<Value, nc::ViewOp> lastViews;

  // A program has few forms of instructions, views and buffers. Looking up the
  // attributes and types of each one again would take as long as creating it.
  mlir::AffineMapAttr zeroOffset;
  mlir::IntegerAttr zero, one;
  mlir::DictionaryAttr noAttributes;
  mlir::OperationName allocName, viewName;
  /// As Op::create, without a search for its name.
  template <class Op>
  Op make(mlir::OperationName name, mlir::Location at, mlir::Type type,
          mlir::ValueRange operands, typename Op::Properties &properties) {
    return mlir::cast<Op>(builder.insert(Operation::create(
        at, name, type, operands, noAttributes,
        mlir::OpaqueProperties(&properties), mlir::BlockRange(), 0)));
  }
  /// An instruction without operands for each that was emitted and the bits of
  /// operands that it has.
  struct Model {
    uint32_t present;
    mlir::OwningOpRef<Operation *> op;
  };
  llvm::StringMap<llvm::SmallVector<Model, 1>> models;
  std::array<ViewForm, 8> viewForms;
  std::array<mlir::MemRefType, 8> bufferTypes;
  size_t nextViewForm = 0, nextBufferType = 0;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_LOWERING_H
