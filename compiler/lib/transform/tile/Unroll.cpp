//===- Unroll.cpp - Chains of few iterations in one body ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain of few iterations ends before it has filled the engines. Without the
// loop, they are part of the body of the loop around it, which is innermost
// now, so that nc-pipeline-loops overlaps its iterations, and tile-hoist loads
// what all of them load once.
//
//===----------------------------------------------------------------------===//

#include "JamProfit.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Locations.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/transform/tile/Passes.h"
#include "kiln/isa/scopes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEUNROLL
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks unrollRemarks("tile-unroll");

namespace {

class Unroll : public tile::impl::TileUnrollBase<Unroll> {
public:
  void runOnOperation() override {
    SmallVector<scf::ForOp> chains;
    getOperation().walk([&](scf::ForOp loop) {
      const std::optional<std::string> why =
          whyNotUnrolled(loop, loop->getParentOfType<scf::ForOp>());
      if (why && why->empty())
        chains.push_back(loop);
      else if (why)
        unrollRemarks.missed(loop, "NotUnrolled")
            << "its " << measure("trips", *nc::constantTrips(loop))
            << " iterations stay a loop, which the iterations around it wait "
               "for: "
            << *why;
    });
    for (scf::ForOp chain : chains)
      unroll(chain);
  }

private:
  static void unroll(scf::ForOp chain) {
    const uint64_t trips = *nc::constantTrips(chain);
    unrollRemarks.passed(chain, "Unrolled")
        << "its " << measure("trips", trips)
        << " iterations become part of the loop "
           "around it, whose iterations overlap";
    const int64_t first = nc::analyseIndex(chain.getLowerBound()).constant;
    // What the profile shows of it.
    const auto depth = static_cast<uint32_t>(
        kiln::isa::splitScopes(std::string_view(namesOf(chain.getLoc()).scopes))
            .size());
    OpBuilder builder(chain);
    for (uint64_t i = 0; i < trips; ++i) {
      const int64_t value = first + nc::stepOf(chain) * static_cast<int64_t>(i);
      IRMapping map;
      map.map(chain.getInductionVar(),
              arith::ConstantIndexOp::create(builder, chain.getLoc(), value)
                  .getResult());
      for (Operation &op : chain.getBody()->without_terminator()) {
        Operation *copy = builder.clone(op, map);
        nc::noteTurn(copy, chain, /*absolute=*/true, value);
        copy->walk([&](Operation *inner) {
          inner->setLoc(inTurn(inner->getLoc(), depth, i));
        });
      }
    }
    chain.erase();
  }
};

} // namespace
