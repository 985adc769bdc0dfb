//===- Jam.cpp - Independent iterations side by side ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries a value is a chain: each engine waits for the one before
// it, and no order of the streams helps. Several iterations of a loop around
// it, if they are independent, are several chains; with all of them in one
// body the engines have other work while one chain waits.
//
//===----------------------------------------------------------------------===//

#include "JamProfit.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEJAM
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks remarks("tile-jam");

namespace {

/// Products of divisors beyond this are not examined.
constexpr int64_t maxPeriod = 4096;

/// An expression of one counter repeats, but for a constant, after this many
/// steps; nothing if it is no sum of floors and remainders by constants.
std::optional<int64_t> periodOf(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  std::optional<int64_t> lhs = periodOf(binary.getLHS());
  std::optional<int64_t> rhs = periodOf(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t period = *lhs * *rhs;
  switch (binary.getKind()) {
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
  case AffineExprKind::Mod: {
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor || divisor.getValue() <= 0)
      return std::nullopt;
    period *= divisor.getValue();
    break;
  }
  default:
    break;
  }
  return period <= maxPeriod ? std::optional(period) : std::nullopt;
}

/// The iterations of `loop` in groups of `factor`.
struct Group {
  mutable scf::ForOp loop; ///< A handle.
  int64_t begin = 0, step = 1, factor = 1;

  /// `expr` over dimension `dim` alone is the same in all of each group.
  bool sameInGroup(AffineExpr expr, unsigned dims, unsigned dim) const {
    std::optional<int64_t> period = periodOf(expr);
    if (!period)
      return false;
    MLIRContext *context = expr.getContext();
    auto at = [&](int64_t iteration) -> std::optional<int64_t> {
      SmallVector<AffineExpr> values(dims, getAffineConstantExpr(0, context));
      values[dim] = getAffineConstantExpr(begin + step * iteration, context);
      auto value = dyn_cast<AffineConstantExpr>(
          simplifyAffineExpr(expr.replaceDimsAndSymbols(values, {}), dims, 0));
      return value ? std::optional(value.getValue()) : std::nullopt;
    };
    for (int64_t first = 0; first < *period * factor; first += factor) {
      std::optional<int64_t> value = at(first);
      for (int64_t other = 1; other < factor; ++other)
        if (!value || at(first + other) != value)
          return false;
    }
    return true;
  }

  bool invariant(Value value) const;
};

/// Splits a sum.
void addends(AffineExpr expr, SmallVectorImpl<AffineExpr> &parts) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Add) {
    parts.push_back(expr);
    return;
  }
  addends(binary.getLHS(), parts);
  addends(binary.getRHS(), parts);
}

/// The value is the same in all iterations of each group.
bool Group::invariant(Value value) const {
  if (value == loop.getInductionVar())
    return false;
  if (!loop.getBodyRegion().isAncestor(value.getParentRegion()))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def) // The counter of a loop inside: equal where its bounds are.
    return true;
  if (mlir::isa<arith::ConstantOp>(def))
    return true;
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(def))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(def))
    map = max.getAffineMap();
  else
    return false;
  SmallVector<Value> operands(def->getOperands());
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  if (map.getNumSymbols() != 0)
    return llvm::all_of(operands, [&](Value v) { return invariant(v); });
  std::optional<unsigned> counter;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand == loop.getInductionVar())
      counter = static_cast<unsigned>(i);
    else if (!invariant(operand))
      return false;
  }
  if (!counter)
    return true;
  for (AffineExpr result : map.getResults()) {
    SmallVector<AffineExpr> parts;
    addends(result, parts);
    AffineExpr sum = getAffineConstantExpr(0, value.getContext());
    for (AffineExpr part : parts) {
      if (!part.isFunctionOfDim(*counter))
        continue;
      for (unsigned other = 0; other < operands.size(); ++other)
        if (other != *counter && part.isFunctionOfDim(other))
          return false;
      sum = sum + part;
    }
    if (!sameInGroup(sum, map.getNumDims(), *counter))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Bytes of an HBM tensor, with the part that counts `loop` apart.
struct Window {
  int64_t coefficient = 0, low = 0, high = 0;
};

/// What a store writes while `loop` stands still; nothing if it is unknown.
std::optional<Window> windowOf(StoreOp store, scf::ForOp loop) {
  nc::IndexForm form = nc::analyseIndex(store.getOffset(), store.getIndices());
  if (!form.residues.empty())
    return std::nullopt;
  Window window;
  window.low = window.high = form.constant;
  auto reach = [&](int64_t distance) {
    (distance < 0 ? window.low : window.high) += distance;
  };
  for (const nc::IndexForm::Term &term : form.terms) {
    if (term.leaf == loop.getInductionVar()) {
      window.coefficient += term.coefficient;
      continue;
    }
    if (!loop.getBodyRegion().isAncestor(Value(term.leaf).getParentRegion()))
      continue; // The same in every iteration.
    scf::ForOp inner = nc::loopOf(term.leaf);
    std::optional<uint64_t> trips =
        inner ? nc::constantTrips(inner) : std::nullopt;
    nc::IndexForm begin =
        inner ? nc::analyseIndex(inner.getLowerBound()) : nc::IndexForm();
    if (!trips || !begin.isConstant())
      return std::nullopt;
    window.low += term.coefficient * begin.constant;
    window.high += term.coefficient * begin.constant;
    if (*trips > 0)
      reach(term.coefficient * nc::stepOf(inner) *
            static_cast<int64_t>(*trips - 1));
  }
  for (auto [size, stride] : llvm::zip(store.getSizes(), store.getStrides()))
    reach((size - 1) * stride);
  // Stores to one tensor may see it as elements of different types.
  const int64_t bytes = kiln::isa::sizeInBytes(
      nc::dtypeOf(tensorOf(store.getValue()).getElementType())
          .value_or(kiln::isa::DType::f32));
  window.coefficient *= bytes;
  window.low *= bytes;
  window.high = (window.high + 1) * bytes - 1;
  return window;
}

/// Iterations of `loop` neither pass values to each other nor write where
/// another one writes or reads.
bool iterationsAreIndependent(scf::ForOp loop) {
  auto inside = [&](Value value) {
    return loop.getBodyRegion().isAncestor(value.getParentRegion());
  };
  llvm::MapVector<Value, SmallVector<Window, 1>> written;
  llvm::SmallDenseSet<Value> read;
  WalkResult walked = loop.walk([&](Operation *op) -> WalkResult {
    if (nc::isPromised(op))
      return WalkResult::interrupt(); // It keeps its place among iterations.
    if (auto store = dyn_cast<StoreOp>(op)) {
      std::optional<Window> window = windowOf(store, loop);
      if (!window)
        return WalkResult::interrupt();
      written[store.getBase()].push_back(*window);
    } else if (auto assign = dyn_cast<AssignOp>(op)) {
      if (!inside(assign.getBase()))
        return WalkResult::interrupt();
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      read.insert(load.getBase());
    } else if (auto load = dyn_cast<LoadTransposedOp>(op)) {
      read.insert(load.getBase());
    } else if (auto declare = dyn_cast<DeclareOp>(op)) {
      if (declare.getPinByte() || declare.getRing())
        return WalkResult::interrupt(); // Memory that the program arranges.
    } else if (auto apply = dyn_cast<ApplyOp>(op); apply && !isPure(op)) {
      return WalkResult::interrupt(); // Draws are in order.
    } else if (op->getName().getDialectNamespace() == "nc") {
      return WalkResult::interrupt(); // So is instruction-level code.
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return false;
  for (const auto &[base, windows] : written) {
    if (read.contains(base))
      return false;
    int64_t low = windows.front().low, high = windows.front().high;
    for (const Window &window : windows) {
      if (window.coefficient != windows.front().coefficient)
        return false;
      low = std::min(low, window.low);
      high = std::max(high, window.high);
    }
    if (std::abs(windows.front().coefficient) * nc::stepOf(loop) <= high - low)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Puts a copy of each operation behind it for every map. Loops are shared,
/// and so is what is the same in all copies.
void jamBlock(Block &block, const Group &group,
              MutableArrayRef<IRMapping> maps) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      jamBlock(*loop.getBody(), group, maps);
      continue;
    }
    bool differs = llvm::any_of(op->getOperands(), [&](Value operand) {
      return maps.front().contains(operand);
    });
    // A fill is made in its buffer's place; a shared one would be copied.
    bool shareable = (isPure(op) && !mlir::isa<FillOp>(op)) ||
                     mlir::isa<LoadOp, LoadTransposedOp>(op);
    if (!differs && shareable) {
      nc::noteTurn(op, group.loop, false, 0, (group.factor - 1) * group.step);
      continue;
    }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [i, map] : llvm::enumerate(maps)) {
      Operation *copy = builder.clone(*op, map);
      nc::noteTurn(copy, group.loop, false,
                   static_cast<int64_t>(i + 1) * group.step);
      builder.setInsertionPointAfter(copy);
    }
  }
}

class Jam : public tile::impl::TileJamBase<Jam> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> chains;
    getOperation().walk([&](scf::ForOp loop) {
      if (isInnermost(loop) && carriesValue(loop))
        chains.push_back(loop);
    });
    llvm::SmallDenseSet<Operation *> done;
    for (scf::ForOp chain : chains) {
      SmallVector<scf::ForOp> around;
      for (auto loop = chain->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        around.push_back(loop);
      // One loop of a nest at the most, the innermost that allows it.
      if (llvm::any_of(around, [&](scf::ForOp loop) {
            return done.contains(loop.getOperation());
          }))
        continue;
      if (!around.empty() && overlapsAlone(chain, around.front(), budget)) {
        remarks.missed(around.front(), "NotJammed")
            << "its iterations run one at a time: software pipelining "
               "overlaps the "
            << measure("trips", *nc::constantTrips(chain))
            << " iterations of the loop inside, and what they load stays in "
               "SBUF";
        continue;
      }
      if (!around.empty() && unrolls(chain, around.front()))
        continue;
      for (scf::ForOp loop : around)
        if (jam(loop)) {
          done.insert(loop.getOperation());
          break;
        }
    }
  }

private:
  /// What one iteration takes of memory.
  struct Needs {
    int64_t bytes = 0;      ///< Of a partition of SBUF.
    int64_t banks = 0;      ///< That one body names.
    int64_t firstBanks = 0; ///< Of these, what the next iteration keeps.
  };

  static Needs needsOf(scf::ForOp loop) {
    Needs needs;
    needs.bytes = bytesOf(loop);
    loop.walk([&](scf::ForOp inner) {
      needs.banks = std::max(needs.banks, banksOf(inner));
      // Of fewer iterations, nc-rotate makes nothing.
      if (isInnermost(inner) && nc::constantTrips(inner).value_or(3) >= 3)
        needs.firstBanks = std::max(needs.firstBanks, firstBanksOf(inner));
    });
    return needs;
  }

  /// Beside the first products, those that they lead to need a bank.
  bool fitsPsum(const Needs &needs, int64_t copies) const {
    return copies * needs.banks <= banks &&
           copies * needs.firstBanks <
               static_cast<int64_t>(kiln::isa::psumBanks);
  }
  bool fits(const Needs &needs, int64_t copies) const {
    return copies * needs.bytes <= budget && fitsPsum(needs, copies);
  }

  /// Why not even two iterations run together.
  std::string whyTooLarge(const Needs &needs) const {
    const auto text = [](int64_t number) { return std::to_string(number); };
    if (2 * needs.bytes > budget)
      return "two of them take " + text(2 * needs.bytes) +
             " bytes per partition of SBUF, and " + text(budget) +
             " are allowed";
    if (2 * needs.banks > banks)
      return "products and transposes of two of them take " +
             text(2 * needs.banks) + " banks of PSUM, and " + text(banks) +
             " are allowed";
    return "the first products of two of them take " +
           text(2 * needs.firstBanks) + " of the " +
           text(kiln::isa::psumBanks) +
           " banks of PSUM, and leave none for the products after them";
  }

  bool boundsAgree(const Group &group) {
    return !group.loop.getBody()
                ->walk([&](scf::ForOp inner) {
                  return group.invariant(inner.getLowerBound()) &&
                                 group.invariant(inner.getUpperBound()) &&
                                 group.invariant(inner.getStep())
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  bool jam(scf::ForOp loop) {
    std::optional<uint64_t> trips = nc::constantTrips(loop);
    nc::IndexForm begin = nc::analyseIndex(loop.getLowerBound());
    const auto decline = [&](const Twine &reason) {
      remarks.missed(loop, "NotJammed")
          << "its iterations run one at a time, though an inner loop "
             "hands on a value: "
          << reason.str();
      return false;
    };
    if (!trips || !begin.isConstant() || loop.getNumResults() != 0)
      return decline("its bounds are not constants");
    if (!iterationsAreIndependent(loop) && !isMutated(Mutation::jamLegality))
      return decline("they may depend on each other");
    const Needs needs = needsOf(loop);
    Group group{loop, begin.constant, nc::stepOf(loop), copies};
    for (; group.factor > 1; group.factor /= 2)
      if (static_cast<uint64_t>(group.factor) <= *trips &&
          fits(needs, group.factor) && boundsAgree(group))
        break;
    if (group.factor < 2)
      return decline(*trips < 2 ? "there is only one"
                     : !fits(needs, 2)
                         ? whyTooLarge(needs)
                         : "their inner loops run a different number of times");
    remarks.passed(loop, "Jammed")
        << count("copies", group.factor) << " iterations of "
        << measure("trips", *trips)
        << " run together: they are independent, and the loop inside hands on "
           "a value";
    rewrite(group, static_cast<int64_t>(*trips));
    return true;
  }

  static void rewrite(const Group &group, int64_t trips) {
    scf::ForOp loop = group.loop;
    OpBuilder builder(loop);
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loop.getLoc(), value)
          .getResult();
    };
    int64_t whole = trips / group.factor * group.factor;
    Value middle = constant(group.begin + whole * group.step);
    if (whole != trips) { // The rest one by one.
      builder.setInsertionPointAfter(loop);
      auto rest = cast<scf::ForOp>(builder.clone(*loop));
      rest.setLowerBound(middle);
      builder.setInsertionPoint(loop);
    }
    loop.setUpperBound(middle);
    loop.setStep(constant(group.step * group.factor));
    SmallVector<IRMapping> maps(static_cast<size_t>(group.factor - 1));
    SmallVector<Operation *> counters;
    builder.setInsertionPointToStart(loop.getBody());
    Block &body = *loop.getBody();
    Operation *first = &body.front();
    for (auto [i, map] : llvm::enumerate(maps)) {
      AffineExpr counter = builder.getAffineDimExpr(0);
      Value next = affine::AffineApplyOp::create(
          builder, loop.getLoc(),
          AffineMap::get(1, 0,
                         counter + static_cast<int64_t>(i + 1) * group.step),
          ValueRange{loop.getInductionVar()});
      counters.push_back(next.getDefiningOp());
      map.map(loop.getInductionVar(), next);
    }
    // The counters themselves are no part of what is copied.
    for (Operation *op : counters)
      op->remove();
    jamBlock(body, group, maps);
    for (Operation *op : counters)
      body.getOperations().insert(Block::iterator(first), op);
  }
};

} // namespace
