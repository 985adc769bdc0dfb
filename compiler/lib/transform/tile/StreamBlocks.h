//===- StreamBlocks.h - Which blocks a store is taken apart into ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMBLOCKS_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMBLOCKS_H

#include "StreamPlan.h"

namespace kiln::compiler::tile {

/// A block of the store's window, and how what it needs is made.
struct Blocks {
  int64_t rows = 0, columns = 0;
  /// Blocks of columns follow each other in the loop of the rows.
  bool unrolled = false;
  StreamPlan::Options plan;

  /// Elements of a block in a dimension.
  int64_t size(int loop) const { return loop == 0 ? rows : columns; }
  bool operator==(const Blocks &) const = default;
  /// Iterations over the full blocks.
  int64_t trips(int loop, int64_t extent) const { return extent / size(loop); }
  /// The full blocks of a dimension, as a loop if there are several, and what
  /// is left.
  std::vector<Span> spans(int loop, int64_t extent) const;
};

/// Searches the blocks of a store whose value is made of `cone`.
class StreamBlocks {
public:
  /// A partition of SBUF has `sbuf` bytes.
  StreamBlocks(StoreOp store, const StreamPlan::Cone &cone, int64_t sbuf);

  /// The best ones of those that fit and give the same value.
  std::optional<Blocks> choose();
  /// Whether the best ones take clearly less time than all at once.
  bool isQuicker();
  /// Of the best ones, or of all at once; nothing if neither fits.
  std::optional<double> leastTime();

private:
  StoreOp store;
  const StreamPlan::Cone &cone;
  int64_t sbuf;
  int64_t capacity; ///< Of these, what a plan may take.
  TileType type;
  int64_t rows, columns;
  bool moves = false;    ///< Products or transposes.
  bool reduces = false;  ///< Row reductions.
  bool computes = false; ///< Element by element.
  int64_t products = 0;
  bool chained = false;     ///< A product contracts what another one gives.
  int64_t contracted = 0;   ///< Rows, at most.
  double productsAlone = 0; ///< ns
  isa::Target target;
  /// Whether the model of products knows all that is computed beside them.
  /// Where the tensor engine transposes what is loaded, other engines also take
  /// that out of PSUM.
  bool modelsChains;

  /// The blocks with the least cost of those considered.
  struct Best {
    std::optional<Blocks> blocks;
    double least = 0;
    void consider(const Blocks &found, std::optional<double> cost);
  };

  Blocks whole() const;
  void ofProducts(bool parts, Best &usual, Best &waiting);
  /// These blocks, with products in parts of several sizes.
  void ofPieces(Blocks blocks, Best &usual, Best &waiting);
  std::optional<Blocks> ofChained();
  std::optional<Blocks> ofRows();
  void ofHeight(int64_t height, std::optional<Blocks> &best, double &least);
  /// Time; for transposes, traffic. Nothing if they do not fit, or give another
  /// value.
  std::optional<double> costOf(const Blocks &blocks);
  /// Time of products, with what they wait for.
  std::optional<double> waitOf(const Blocks &blocks);
  /// Null if it does not fit, or gives another value. Both estimates ask for
  /// it, one after the other.
  const StreamPlan *planOf(const Blocks &blocks, const Span &span);
  std::optional<StreamPlan> makePlan(const Blocks &blocks, const Span &span);

  /// The plan that planOf() returned last.
  struct {
    std::optional<Blocks> blocks;
    Span span;
    std::optional<StreamPlan> plan;
  } latest;
};

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMBLOCKS_H
