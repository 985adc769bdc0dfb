//===- StreamPlan.h - What a window of a store needs ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMPLAN_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMPLAN_H

#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/isa/target.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace kiln::compiler::tile {

/// Bytes of a partition that a matrix takes when it is transposed.
int64_t bytesTurned(TileType type);

/// Bytes of a partition that a tile takes. Scales are spread over the rows of
/// what they belong to.
int64_t bytesOfTile(TileType type);
/// The type of the scales of a tile of packed floats.
TileType typeOfScales(TileType packed);

/// Bytes of a partition that an operation takes beside its operands and its
/// result of this type: constants that meet integers of 32 bits, and rows that
/// repeat, become tiles.
int64_t bytesBeside(mlir::Operation *op, TileType type);

/// The loop over the rows that a product contracts; 0 and 1 are those over the
/// rows and the columns of what is stored.
inline constexpr int loopOfContracted = 2;
/// The level of what is in it; less is the number of loops around a value.
inline constexpr int levelOfContracted = 3;

/// Elements from `start` plus `scale` for each trip of a loop; which of the
/// loops, or -1.
struct Span {
  int64_t start = 0, size = 0;
  int loop = -1;
  int64_t scale = 0;

  std::tuple<int64_t, int64_t, int, int64_t> key() const {
    return {start, size, loop, scale};
  }
  bool covers(int64_t extent) const {
    return loop < 0 && start == 0 && size == extent;
  }
};

/// Rows and columns (dimensions 0 and 1); others are whole.
struct Window {
  Span rows, columns;
};

/// The values that the window of a stored value is made of, operands first.
/// Nothing is built before build().
class StreamPlan {
public:
  using Cone = llvm::DenseSet<mlir::Operation *>;
  struct Options {
    int outer = 0;     ///< Of rows and columns, whose loop is around the other.
    int64_t piece = 0; ///< Bytes of a partition that are reduced at once.
    bool parts = false; ///< Products contract parts of their rows.
    /// Rows are loaded whole, and stay while their parts are processed.
    bool resident = false;
    /// A row for all rows is loaded to all partitions, once for as many blocks
    /// as there are.
    bool repeatRows = false;
    /// Rows that a product contracts in each turn of a loop, if there are two
    /// turns or more; sums stay in SBUF. 0: there is no loop.
    int64_t step = 0;
    /// What is multiplied in a turn is made of products, whole or in parts.
    bool nested = false;

    bool operator==(const Options &) const = default;
  };
  struct Transfer; ///< The times of one.

  /// Operations outside of `cone` stay as they are.
  StreamPlan(const Cone &cone, const Options &options)
      : cone(cone), options(options) {}

  /// On a load that is made again: equal ones of other passes over the tensor
  /// are no reason to keep it.
  static constexpr llvm::StringLiteral passAttrName = "tile.pass";

  /// Adds a part: a window that is stored. What parts have in common is
  /// computed once. False if a window of `value` cannot be made of windows.
  bool plan(mlir::Value value, const Window &window);

  /// Bytes of a partition that are live at once, loads twice: the next ones
  /// arrive while these are used.
  int64_t liveBytes() const;
  /// Bytes of a partition that are loaded, and operations that run, in all.
  double cost(int64_t outerTrips, int64_t innerTrips) const;
  /// Nanoseconds, if there are products: the busiest of the engines, and what
  /// is loaded before the first product.
  std::optional<double> productTime(int64_t outerTrips, int64_t innerTrips,
                                    const isa::Target &target) const;
  /// The same with what the products wait for, also of loops over contracted
  /// rows. Loads overlap with products if two copies of them fit into `room`
  /// bytes of a partition.
  std::optional<double> waitingTime(int64_t outerTrips, int64_t innerTrips,
                                    int64_t room,
                                    const isa::Target &target) const;
  /// About how long it takes, in ns. Iterations overlap if two of them fit
  /// into `sbuf` bytes of a partition.
  double time(int64_t outerTrips, int64_t innerTrips, int64_t sbuf,
              const isa::Target &target) const;
  /// Whether all that is loaded of this tensor is the window of `store` that
  /// its part writes, or is loaded before the first part is written and lies
  /// in rows that no other iteration writes.
  bool loadsOnly(mlir::Value base, StoreOp store) const;
  size_t size() const { return nodes.size(); }

  /// The values of a part that depend on no loop (level 0), on the outer one
  /// alone (1), or on the inner one (2). `counters` are those of the loop of
  /// the rows and of the columns.
  /// `store` is the number of the store among those that are taken apart.
  void build(mlir::OpBuilder &builder, int level, size_t part, int64_t store,
             llvm::ArrayRef<mlir::Value> counters);
  mlir::Value result(size_t part) const {
    return nodes[partsOf[part].root].made;
  }

private:
  enum class Kind {
    original,
    window,
    columnsOf,
    viewOf,
    combine,
    repeated,
    scales, ///< Of what the operand quantizes.
    sums    ///< What a loop over contracted rows adds up.
  };
  struct Node {
    Kind kind;
    mlir::Value source;
    Window window;
    llvm::SmallVector<int, 3> operands;
    int level = 0;       ///< Loops around it.
    bool turned = false; ///< A product contracts its columns.
    bool stays = false;  ///< A loop further in reads it.
    int64_t pass = 0;    ///< For which reduction in pieces, from 1.
    /// Of sums: turns of the loop, and the first node that may be in it.
    int64_t turns = 0;
    size_t inner = 0;
    mlir::Value made;
  };

  /// What is stored: its nodes are those up to `end` from the end before it.
  struct Part {
    int root;
    size_t end;
    Window window;
  };

  std::optional<int> request(mlir::Value value, Window window);
  std::optional<int> ofWholeRows(mlir::Value value, const Window &window);
  int repeatedRow(LoadOp load, const Window &window);
  std::optional<int> windowOf(mlir::Operation *op, const Window &window);
  std::optional<int> windowOfSlice(SliceOp slice, const Window &window);
  std::optional<int> windowOfProduct(MatmulOp op, const Window &window);
  std::optional<int> operandOf(MatmulOp op, bool second, const Span &contracted,
                               const Span &span);
  bool addOperandsOf(MatmulOp op, const Span &contracted, const Window &window,
                     llvm::SmallVectorImpl<int> &operands);
  std::optional<int> windowOfQuantized(mlir::Value value, const Window &window);
  std::optional<int> sumOfLoop(MatmulOp op, const Window &window);
  std::optional<int> reduction(ReduceOp op, const Window &window);
  void forgetWide(size_t since);
  void forgetInLoop(size_t since);
  int add(Kind kind, mlir::Value source, const Window &window,
          llvm::ArrayRef<int> operands);
  TileType typeOf(const Node &node) const;
  mlir::Value make(mlir::OpBuilder &builder, const Node &node, int64_t store,
                   llvm::ArrayRef<mlir::Value> counters);
  mlir::Value makeSums(mlir::OpBuilder &builder, size_t index, int64_t store,
                       llvm::ArrayRef<mlir::Value> counters);
  int64_t liveBytes(int level) const;
  int64_t bytesOf(const Node &node) const;
  int64_t besideOf(size_t index) const;
  std::vector<double> runsOf(int64_t outerTrips, int64_t innerTrips) const;
  static bool isLoad(const Node &node);
  bool isRoot(size_t node) const;
  bool isFused(size_t node, llvm::ArrayRef<int> users) const;
  /// By node: whether it is fused, if an instruction has two operators.
  std::vector<bool>
  fusedNodes(llvm::ArrayRef<llvm::SmallVector<int, 2>> users) const;
  bool isOfTwoTiles(const Node &node) const;
  bool hasValuesOfRows(const Node &node) const;
  double computeTime(const Node &node, const isa::Target &target) const;
  static uint32_t tableOf(const Node &node);
  /// The same of what it becomes: an instruction for each 128 rows, if these
  /// have values of their own.
  double workTime(const Node &node, const std::vector<bool> &fused,
                  const isa::Target &target) const;
  /// The same, or 0 if another instruction does it on the way.
  double chainTime(size_t index, llvm::ArrayRef<int> users,
                   const isa::Target &target) const;
  std::vector<llvm::SmallVector<int, 2>> usersOfNodes() const;
  /// By node: whether it is, or uses, what a product gives.
  std::vector<bool> behindProducts() const;
  bool takesFromHbm(const Node &node) const;
  static Transfer transferOf(int64_t rows, int64_t columns, mlir::Type element,
                             bool transposes, const isa::Target &target);
  Transfer loadOf(const Node &node, const isa::Target &target) const;
  /// Whether it makes packed floats and their scales.
  static bool isQuantized(const Node &node);
  /// Of VectorE, for these.
  double quantizeTimeOf(const Node &node, const isa::Target &target) const;
  /// Of the tensor engine and of the one that empties PSUM, where rows that
  /// are packed come as columns.
  double turnTimeOf(const Node &node, const isa::Target &target) const;
  double emptyTimeOf(const Node &node, const isa::Target &target) const;

  const Cone &cone;
  Options options;
  std::vector<Node> nodes;
  std::vector<Part> partsOf;
  using Key =
      std::tuple<const void *, decltype(Span().key()), decltype(Span().key())>;
  std::map<Key, int> known;
  std::map<Key, int> repeatedRows;
  std::vector<Key> lately; ///< What became known, in order.
  int64_t pass = 0, passes = 0;
  bool inLoop = false; ///< Of a product that contracts in turns.
};

/// `map`, further on by `strides` for each of `spans`; what it counts in is
/// added to `indices`.
mlir::AffineMap shifted(mlir::AffineMap map,
                        llvm::SmallVectorImpl<mlir::Value> &indices,
                        llvm::ArrayRef<std::pair<Span, int64_t>> spans,
                        llvm::ArrayRef<mlir::Value> counters);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMPLAN_H
