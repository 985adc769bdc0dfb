//===- CheckProducts.cpp - Products that are lost -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warns of a product that overwrites another one that nothing has read: in NKI
// it would add to it. This is one walk over the program. The code around a loop
// sees only the products with which the loop's body starts and ends.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCCHECKPRODUCTS
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler::nc;
using kiln::compiler::Code;
using kiln::compiler::count;
using kiln::compiler::noun;
namespace isa = kiln::isa;

static constexpr kiln::compiler::Remarks
    checkProductsRemarks("nc-check-products");

namespace {

struct Product {
  NcInstruction op;
  ViewOp place;
};

/// What a stretch of code does to one buffer.
struct History {
  /// That overwrite before anything else touches the buffer.
  SmallVector<Product, 1> first;
  /// That nothing has read at the end.
  SmallVector<Product, 1> unread;
  bool isTouched = false; ///< By anything but `first`.
};
using Histories = llvm::MapVector<Value, History>;

bool isProduct(NcInstruction op) {
  const isa::Opcode opcode = infoOf(op).opcode;
  return opcode == isa::Opcode::NcMatmul || opcode == isa::Opcode::NcMatmulMx;
}

bool samePlace(ViewOp a, ViewOp b) {
  return a.getBase() == b.getBase() && a.getRow() == b.getRow() &&
         a.getView().getType() == b.getView().getType() &&
         a.getSizes() == b.getSizes() && a.getStrides() == b.getStrides() &&
         a.getOffset() == b.getOffset() &&
         llvm::equal(a.getIndices(), b.getIndices());
}

/// One place in all iterations.
bool isFixedIn(scf::ForOp loop, ViewOp place) {
  return llvm::all_of(place.getIndices(), [&](Value index) {
    return loop.isDefinedOutsideOfLoop(index);
  });
}

/// A `when` is a loop up to a computed 0 or 1.
bool mayBeBranch(scf::ForOp loop) {
  if (loop->hasAttr(onceAttrName))
    return true;
  Operation *end = loop.getUpperBound().getDefiningOp();
  return end && !constantTrips(loop) &&
         !llvm::isa<RegisterLoadOp, WhileEntryOp>(end);
}

class CheckProducts
    : public kiln::compiler::nc::impl::NcCheckProductsBase<CheckProducts> {
public:
  void runOnOperation() override {
    products = losses = 0;
    for (Block &block : getOperation().getBody())
      (void)walk(block);
    if (products > 0)
      checkProductsRemarks.analysis(getOperation(), "ProductsUsed")
          << count("products", products) << noun(products, " product")
          << " in PSUM, of which " << count("lost", losses)
          << noun(losses, " overwrites", " overwrite")
          << " a result before anything has read it";
  }

private:
  void lost(const Product &later, const Product &earlier) {
    ++losses;
    NcInstruction op = later.op;
    InFlightDiagnostic warning = op->emitWarning() << Code{"KILN-W110"};
    if (op == earlier.op)
      warning << "each iteration overwrites the product of the one before, "
                 "which nothing has read";
    else
      warning << "it overwrites a product that nothing has read";
    warning << "; to add to it give '.accumulate = true', or '.accumulate = "
               "nc::Accumulate::first_writes' for the first to write and all "
               "others to add";
    if (op != earlier.op)
      warning.attachNote(NcInstruction(earlier.op)->getLoc())
          << "that product is here";
  }

  void write(History &history, const Product &product) {
    auto covered = [&](const Product &earlier) {
      return samePlace(product.place, earlier.place);
    };
    if (auto found = llvm::find_if(history.unread, covered);
        found != history.unread.end())
      lost(product, *found);
    llvm::erase_if(history.unread, covered);
    history.unread.push_back(product);
    if (!history.isTouched && llvm::none_of(history.first, covered))
      history.first.push_back(product);
  }

  static void touch(History &history) {
    history.unread.clear();
    history.isTouched = true;
  }

  static bool usesPsum(NcInstruction op) {
    return llvm::any_of(op->getOperandTypes(), [](Type type) {
      auto view = dyn_cast<ViewType>(type);
      return view && view.getSpace() == Space::psum;
    });
  }

  void visit(NcInstruction op, Histories &histories) {
    if (!usesPsum(op))
      return;
    products += isProduct(op);
    SmallVector<MemoryAccess, 4> accesses = accessesOf(op);
    for (const MemoryAccess &access : accesses) {
      if (access.shape.space != isa::Space::psum)
        continue;
      if (isProduct(op) && !access.reads() && !access.isIndexed)
        write(histories[access.base], {op, access.view});
      else
        touch(histories[access.base]);
    }
  }

  Histories walk(Block &block) {
    Histories histories;
    for (Operation &op : block) {
      if (auto instruction = dyn_cast<NcInstruction>(op))
        visit(instruction, histories);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        enter(loop, histories);
    }
    return histories;
  }

  void enter(scf::ForOp loop, Histories &around) {
    Histories body = walk(*loop.getBody());
    // The two bodies of a `when` do not both run.
    const bool isBranch = mayBeBranch(loop);
    const bool repeats = !isBranch && constantTrips(loop) != 1;
    for (auto &[buffer, history] : body) {
      if (!loop.isDefinedOutsideOfLoop(buffer))
        continue; // Another buffer in each iteration.
      auto moves = [&](const Product &product) {
        return !isFixedIn(loop, product.place);
      };
      llvm::erase_if(history.first, moves);
      llvm::erase_if(history.unread, moves);
      if (repeats)
        for (const Product &later : history.first)
          for (const Product &earlier : history.unread)
            if (samePlace(later.place, earlier.place)) {
              lost(later, earlier);
              break;
            }
      History &whole = around[buffer];
      if (isBranch) {
        touch(whole);
        continue;
      }
      for (const Product &product : history.first)
        write(whole, product);
      if (history.isTouched)
        touch(whole);
      whole.unread = history.unread;
    }
  }

  std::uint64_t products = 0, losses = 0;
};

} // namespace
