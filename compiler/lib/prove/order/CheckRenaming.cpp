//===- CheckRenaming.cpp - Each iteration looks at one copy of a buffer ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notes of an instruction alone say which instruction it stands for, and in
// which iteration. The schedule and the code that emitted it are not consulted.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/prove/Renaming.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/isa/split_mix.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

namespace isa = kiln::isa;

namespace {

/// The product of what `expr` divides by: apart from a linear part, its value
/// repeats after so many steps of what is in it.
int64_t periodOf(AffineExpr expr) {
  int64_t period = 1;
  expr.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary || (part.getKind() != AffineExprKind::Mod &&
                    part.getKind() != AffineExprKind::FloorDiv))
      return;
    if (auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      period = llvm::SaturatingMultiply<uint64_t>(
          period, std::max<int64_t>(1, divisor.getValue()));
  });
  return period;
}

/// Where its dimensions have these values; nothing where it divides by what is
/// not positive.
std::optional<int64_t> valueOf(AffineExpr expr, ArrayRef<int64_t> values) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return values[dim.getPosition()];
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return std::nullopt;
  const std::optional<int64_t> left = valueOf(both.getLHS(), values),
                               right = valueOf(both.getRHS(), values);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *left + *right;
  if (expr.getKind() == AffineExprKind::Mul)
    return *left * *right;
  if (*right <= 0)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::Mod ? llvm::mod(*left, *right)
         : expr.getKind() == AffineExprKind::FloorDiv
             ? llvm::divideFloorSigned(*left, *right)
             : llvm::divideCeilSigned(*left, *right);
}

int64_t constantOf(Value bound) { return analyseIndex(bound).constant; }

/// The place that an operand has in one iteration.
struct Look {
  Value base;
  int64_t shift = 0; ///< Elements, relative to the place in the source.
  int64_t rows = 0;  ///< The same on partitions.
  friend bool operator==(const Look &, const Look &) = default;
};

class Checker {
public:
  explicit Checker(scf::ForOp loop)
      : loop(loop), isOpen(!constantTrips(loop)),
        first(constantOf(loop.getLowerBound())),
        step(constantOf(loop.getStep())) {}

  LogicalResult run(Operation *before) {
    const SmallVector<int64_t, 1> numbers = numbersOf(loop);
    if (numbers.empty())
      return success();
    number = numbers.front();
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      if (const std::optional<Origin> origin = originOf(op))
        sources[origin->key].push_back({op, origin->turn});
    Block::iterator at =
        before ? std::next(before->getIterator()) : loop->getBlock()->begin();
    const auto made = llvm::make_range(at, loop->getIterator());
    // The order of copies repeats with the trips of the new loop.
    for (Operation &op : made)
      if (auto inner = dyn_cast<scf::ForOp>(op))
        period =
            std::max(period.value_or(1), constantOf(inner.getStep()) / step);
    if (isOpen)
      return checkOpen(made);
    for (Operation &op : made) {
      if (auto inner = dyn_cast<scf::ForOp>(op)) {
        for (auto instruction : inner.getBody()->getOps<NcInstruction>())
          if (failed(checkRounds(instruction, inner)))
            return failure();
      } else if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (failed(check(copyOf(instruction), Value(), 0)))
          return failure();
      }
    }
    return success();
  }

private:
  /// Trips of a loop that runs any number of times. Its on-chip operands do not
  /// move.
  static constexpr int64_t mostOpen = 64;

  /// Of a loop that may begin anywhere and run any number of times: its
  /// prologue, its trips and its epilogue, each in a loop, for some of that.
  LogicalResult checkOpen(iterator_range<Block::iterator> made) {
    for (const int64_t begin : {0, 1, 2, 3, 12345}) {
      first = begin;
      copies.clear();
      bool isBehind = false;
      for (Operation &op : made) {
        auto inner = dyn_cast<scf::ForOp>(op);
        if (!inner)
          continue;
        const bool isSteady = !inner->hasAttr(onceAttrName);
        isBehind |= isSteady;
        for (auto instruction : inner.getBody()->getOps<NcInstruction>()) {
          const Copy copy = copyOf(instruction);
          for (int64_t round = isBehind && !isSteady ? 1 : 0;
               round <
               (isBehind ? std::min(roundsOf(instruction), mostOpen) + 1 : 1);
               ++round)
            if (failed(check(copy, inner.getInductionVar(),
                             begin + round * *period * step)))
              return failure();
        }
      }
    }
    return success();
  }

  LogicalResult checkRounds(NcInstruction op, scf::ForOp around) {
    const int64_t begin = constantOf(around.getLowerBound()),
                  end = constantOf(around.getUpperBound()),
                  stride = constantOf(around.getStep());
    const int64_t trips =
        std::min(llvm::divideCeilSigned(end - begin, stride), roundsOf(op));
    const Copy copy = copyOf(op);
    for (int64_t round = 0; round < trips; ++round)
      if (failed(check(copy, around.getInductionVar(), begin + round * stride)))
        return failure();
    return success();
  }

  /// Trips that represent all of them. Two places that are as far apart in the
  /// first trips as in those after one period are as far apart in all of them.
  int64_t roundsOf(NcInstruction op) {
    uint64_t period = 1;
    for (Value operand : op->getOperands())
      if (auto view = operand.getDefiningOp<ViewOp>())
        for (const IndexForm::Residue &residue : formOf(view).residues)
          period = llvm::SaturatingMultiply<uint64_t>(period,
                                                      periodOf(residue.expr));
    return static_cast<int64_t>(
        std::min<uint64_t>(period, std::numeric_limits<int32_t>::max()) + 1);
  }

  /// The instruction of the source, with its iterations of other loops; and in
  /// the loop, the counter for which it runs, or what is added to it.
  struct Origin {
    SmallVector<int64_t, 5> key;
    int64_t turn = 0;
    bool isAbsolute = false;
  };
  std::optional<Origin> originOf(NcInstruction op) const {
    const SmallVector<int64_t, 1> numbers = numbersOf(op);
    if (numbers.size() != 1)
      return std::nullopt;
    Origin origin{{numbers.front()}};
    const DenseI64ArrayAttr turns = turnsOf(op.getOperation());
    for (int64_t i = 0; turns && i + 3 < turns.size(); i += 4) {
      if (turns[i] != number) {
        llvm::append_range(origin.key, turns.asArrayRef().slice(i, 4));
        continue;
      }
      if (turns[i + 2] != turns[i + 3])
        return std::nullopt;
      origin.isAbsolute = turns[i + 1] != 0;
      origin.turn = turns[i + 2];
    }
    return origin;
  }

  struct Source {
    mutable NcInstruction op; ///< A handle.
    int64_t turn = 0;
  };
  /// What an instruction says of itself, in whichever iteration it runs.
  struct Copy {
    mutable NcInstruction op; ///< A handle.
    std::optional<Origin> origin;
    ArrayRef<Source> sources; ///< The instructions that it may stand for.
  };
  Copy copyOf(NcInstruction op) const {
    Copy copy{op, originOf(op), {}};
    if (copy.origin)
      if (const auto known = sources.find(copy.origin->key);
          known != sources.end())
        copy.sources = known->second;
    return copy;
  }

  /// `counter`: of the loop around the copy, if there is one, and its value.
  LogicalResult check(const Copy &copy, Value counter, int64_t value) {
    const std::optional<Origin> &origin = copy.origin;
    if (copy.sources.empty() || (!origin->isAbsolute && !counter))
      return fail(copy.op)
             << "it is not known for which instruction of the loop it "
                "stands, or for which iteration";
    const int64_t turn = origin->turn + (origin->isAbsolute ? 0 : value);
    // Parts of one instruction may share its number; it must be one of them.
    std::string why;
    for (const Source &source : copy.sources) {
      why = differs(copy.op, source.op, turn - source.turn, counter, value);
      if (why.empty())
        return success();
    }
    return fail(copy.op) << "where the counter is " << turn << ", " << why;
  }

  /// Notes the copies that it uses, if nothing is wrong.
  std::string differs(NcInstruction op, NcInstruction source, int64_t turn,
                      Value counter, int64_t value) {
    if (source->getNumOperands() != op->getNumOperands() ||
        source->getName() != op->getName())
      return "it is a different instruction";
    SmallVector<std::pair<std::pair<Operation *, int64_t>, Look>, 4> fresh;
    for (auto [wanted, found] :
         llvm::zip(source->getOperands(), op->getOperands())) {
      auto from = wanted.getDefiningOp<ViewOp>();
      if (!from) {
        if (wanted.getType().isIndex() &&
            placeOf(formOf(wanted), loop.getInductionVar(), turn) !=
                placeOf(formOf(found), counter, value))
          return "an index is not that of its iteration";
        continue;
      }
      auto view = found.getDefiningOp<ViewOp>();
      if (!view || view.getSizes() != from.getSizes() ||
          view.getStrides() != from.getStrides() ||
          view.getType() != from.getType())
        return "a view has a different shape";
      const Look look = lookOf(view, from, turn, counter, value);
      Look expected{from.getBase(), 0, 0};
      if (Operation *alloc = from.getBase().getDefiningOp();
          alloc && alloc->getBlock() == loop.getBody()) {
        const int64_t iteration = (turn - first) / step;
        const auto key =
            std::pair(alloc, period ? iteration % *period : iteration);
        expected = copies[key].value_or(look);
        fresh.push_back({key, look});
      }
      if (look != expected)
        return "it uses a different copy of a buffer than other instructions "
               "of that iteration, or a different place in it";
    }
    for (const auto &[key, look] : fresh)
      copies[key] = look;
    return {};
  }

  Look lookOf(ViewOp view, ViewOp source, int64_t turn, Value counter,
              int64_t value) {
    return {view.getBase(),
            placeOf(formOf(view), counter, value) -
                placeOf(formOf(source), loop.getInductionVar(), turn),
            static_cast<int64_t>(view.getRow()) -
                static_cast<int64_t>(source.getRow())};
  }

  /// Each is needed in many iterations. A reference stays valid.
  const IndexForm &formOf(ViewOp view) {
    auto &form = forms[view.getView()];
    if (!form)
      form = std::make_unique<IndexForm>(
          analyseIndex(view.getOffset(), view.getIndices()));
    return *form;
  }
  const IndexForm &formOf(Value index) {
    auto &form = forms[index];
    if (!form)
      form = std::make_unique<IndexForm>(analyseIndex(index));
    return *form;
  }

  /// The sum if `counter` has this value. What else is in it counts as a number
  /// of its own, the same for equal operations on equal operands.
  int64_t placeOf(const IndexForm &form, Value counter, int64_t value) {
    SmallVector<int64_t, 2> leaves;
    for (Value leaf : form.leaves)
      leaves.push_back(numberOf(leaf, counter, value));
    int64_t place = form.constant;
    for (const IndexForm::Term &term : form.terms) {
      const auto *leaf = llvm::find(form.leaves, term.leaf);
      place += term.coefficient * leaves[leaf - form.leaves.begin()];
    }
    for (const IndexForm::Residue &residue : form.residues)
      if (const std::optional<int64_t> known = valueOf(residue.expr, leaves))
        place += residue.coefficient * *known;
    return place;
  }

  int64_t numberOf(Value leaf, Value counter, int64_t value) {
    if (leaf == counter)
      return value;
    const auto known = numbers.find({leaf, counter});
    if (known != numbers.end() && known->second.first == value)
      return known->second.second;
    const int64_t number = computedNumberOf(leaf, counter, value);
    numbers[{leaf, counter}] = {value, number};
    return number;
  }
  int64_t computedNumberOf(Value leaf, Value counter, int64_t value) {
    std::vector<int64_t> key;
    Operation *op = leaf.getDefiningOp();
    if (op && isPure(op)) {
      key = {bitsOf(op->getName().getAsOpaquePointer()),
             bitsOf(op->getAttrDictionary().getAsOpaquePointer())};
      for (Value operand : op->getOperands())
        key.push_back(placeOf(formOf(operand), counter, value));
    } else {
      key = {bitsOf(leaf.getAsOpaquePointer())};
    }
    // Small enough for products with sizes of memory.
    auto number = static_cast<uint64_t>(
        opaque.try_emplace(key, opaque.size()).first->second);
    return static_cast<int64_t>(isa::splitMix(number) >> 40);
  }
  static int64_t bitsOf(const void *pointer) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
  }

  InFlightDiagnostic fail(NcInstruction op) {
    return op->emitOpError()
           << Code{"KILN-C900"}
           << "internal: a copy of the loop differs from the loop: ";
  }

  mutable scf::ForOp loop;
  bool isOpen = false; ///< The number of its iterations is not known.
  int64_t first, step, number = -1;
  std::optional<int64_t> period; ///< Iterations in a trip of the new loop.
  std::map<SmallVector<int64_t, 5>, SmallVector<Source, 1>>
      sources; ///< By key.
  /// By buffer of the loop and iteration in the period.
  llvm::DenseMap<std::pair<Operation *, int64_t>, std::optional<Look>> copies;
  llvm::DenseMap<Value, std::unique_ptr<IndexForm>> forms; ///< Only looked up.
  std::map<std::vector<int64_t>, size_t> opaque; ///< In order of appearance.
  /// By leaf and counter: the last value of the counter, and what the leaf is
  /// there. Only looked up.
  llvm::DenseMap<std::pair<Value, Value>, std::pair<int64_t, int64_t>> numbers;
};

} // namespace

LogicalResult kiln::compiler::nc::checkRenaming(scf::ForOp loop,
                                                Operation *before) {
  return Checker(loop).run(before);
}
