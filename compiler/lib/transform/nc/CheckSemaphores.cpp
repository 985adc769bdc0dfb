//===- CheckSemaphores.cpp - The user's own semaphores -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a program that passes cannot deadlock: consider the first instruction, in
// the order of the text, that has not run. Its stream has reached it;
// everything before it in the text has run, so its tokens were signalled, and
// no other stream takes them. So it runs. The compiler's own waits also point
// backwards.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Passes.h"
#include "kiln/isa/limits.h"
#include "kiln/isa/noun.h"

#include <vector>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCCHECKSEMAPHORES
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler::nc;
using kiln::compiler::allowed;
using kiln::compiler::Code;
using kiln::compiler::count;
using kiln::compiler::found;
using kiln::compiler::noun;
namespace isa = kiln::isa;

static constexpr kiln::compiler::Remarks
    checkSemaphoresRemarks("nc-check-semaphores");

namespace {

struct Counter {
  std::string name;
  int64_t level = 0;
  double given = 0; ///< In the whole run, if none were taken.
  NcInstruction waiter;
};

class CheckSemaphores
    : public kiln::compiler::nc::impl::NcCheckSemaphoresBase<CheckSemaphores> {
public:
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto names = func->getAttrOfType<ArrayAttr>(userSemaphoresAttrName);
    counters.clear();
    if (names)
      for (auto name : names.getAsRange<StringAttr>())
        counters.push_back({name.str(), 0, 0, {}});
    if (failed(walk(func.getBody().front(), 1)) || failed(checkEnd(func)))
      return signalPassFailure();
    SmallVector<int64_t> paced;
    for (auto [number, counter] : llvm::enumerate(counters))
      if (counter.given > static_cast<double>(isa::maxTokens))
        paced.push_back(static_cast<int64_t>(number));
    if (!paced.empty())
      func->setAttr(pacedSemaphoresAttrName,
                    Builder(&getContext()).getDenseI64ArrayAttr(paced));
    if (!counters.empty())
      checkSemaphoresRemarks.analysis(func, "SemaphoresMatch")
          << "every wait finds its tokens, and every token is taken: "
          << count("semaphores", counters.size())
          << noun(counters.size(), " semaphore") << " of the kernel, "
          << count("paced", paced.size())
          << " with more tokens in the whole run than one can hold";
  }

private:
  /// `runs` is how often the block runs; infinite if unknown.
  LogicalResult walk(Block &block, double runs) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (failed(walkLoop(loop, runs)))
          return failure();
      } else if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (hasUserTokens(&op) && failed(visit(instruction, runs)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult walkLoop(scf::ForOp loop, double runs) {
    std::vector<int64_t> before;
    for (const Counter &counter : counters)
      before.push_back(counter.level);
    std::optional<uint64_t> trips = constantTrips(loop);
    double turns = trips ? static_cast<double>(*trips)
                         : std::numeric_limits<double>::infinity();
    if (failed(walk(*loop.getBody(), runs * turns)))
      return failure();
    for (auto [level, counter] : llvm::zip(before, counters))
      if (counter.level != level)
        return loop.emitError()
               << Code{"KILN-C120"} << "each iteration of the loop "
               << (counter.level > level ? "gives " : "takes ")
               << isa::counted(std::abs(counter.level - level), "token")
               << " of semaphore \"" << counter.name << "\" more than it "
               << (counter.level > level ? "takes" : "gives")
               << "; a loop body must take as many tokens as it signals";
    return success();
  }

  LogicalResult visit(NcInstruction op, double runs) {
    auto each = [&](StringRef attribute, auto use) -> LogicalResult {
      for (TokenAttr token : tokensOf(op->getDiscardableAttr(attribute))) {
        const auto number = static_cast<size_t>(token.getSemaphore());
        if (number >= counters.size())
          return op->emitError()
                 << Code{"KILN-C120"} << "the instruction names semaphore "
                 << found(Twine(number)) << ", but the kernel has "
                 << allowed(Twine(counters.size()));
        if (failed(use(counters[number], token.getValue())))
          return failure();
      }
      return success();
    };
    if (failed(each(userWaitsAttrName, [&](Counter &counter, int64_t value) {
          return wait(op, counter, value);
        })))
      return failure();
    return each(userSignalsAttrName, [&](Counter &counter, int64_t value) {
      counter.given += static_cast<double>(value) * runs;
      counter.level += value;
      if (counter.level <= isa::maxTokens)
        return success();
      return LogicalResult(
          op->emitError() << Code{"KILN-C122"} << "semaphore \"" << counter.name
                          << "\" would hold " << found(Twine(counter.level))
                          << " tokens, but it can hold only "
                          << allowed(Twine(isa::maxTokens))
                          << "; wait for some of them first");
    });
  }

  static LogicalResult wait(NcInstruction op, Counter &counter, int64_t value) {
    if (counter.waiter &&
        counter.waiter.getAssignedEngine() != op.getAssignedEngine()) {
      InFlightDiagnostic diagnostic =
          op->emitError() << Code{"KILN-C123"} << "the stream " << engineOf(op)
                          << " waits for semaphore \"" << counter.name
                          << "\", and so does " << engineOf(counter.waiter)
                          << ": either could take the other's "
                             "tokens; use a semaphore for each";
      diagnostic.attachNote(counter.waiter->getLoc())
          << "the other stream waits here";
      return diagnostic;
    }
    counter.waiter = op;
    if (counter.level < value)
      return op->emitError()
             << Code{"KILN-C121"}
             << "the instruction would wait forever: it waits for "
             << found(Twine(value)) << noun(value, " token")
             << " of semaphore \"" << counter.name
             << "\", and what is written before it leaves "
             << allowed(Twine(counter.level))
             << "; signal before the wait, in program order";
    counter.level -= value;
    return success();
  }

  static StringRef engineOf(NcInstruction op) {
    std::string_view name = isa::name(*op.getAssignedEngine());
    return {name.data(), name.size()};
  }

  LogicalResult checkEnd(func::FuncOp func) {
    for (const Counter &counter : counters)
      if (counter.level != 0) {
        InFlightDiagnostic diagnostic =
            func.emitError()
            << Code{"KILN-C120"} << "semaphore \"" << counter.name
            << "\" ends with " << found(Twine(counter.level))
            << noun(counter.level, " token") << ", not " << allowed("0")
            << "; every token that is signalled must be taken";
        if (counter.waiter)
          diagnostic.attachNote(counter.waiter->getLoc())
              << "the last wait for it is here";
        return diagnostic;
      }
    return success();
  }

  std::vector<Counter> counters;
};

} // namespace
