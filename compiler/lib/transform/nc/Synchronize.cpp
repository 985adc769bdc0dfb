//===- Synchronize.cpp - Waits and signals -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Footprints.h"
#include "kiln/compiler/transform/nc/Passes.h"
#include "kiln/isa/limits.h"

#include <span>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCSYNCHRONIZE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

static constexpr Remarks synchronizeRemarks("nc-synchronize");

namespace {

/// The program's own semaphores are the last ones.
constexpr int64_t firstUserSemaphore = isa::numSemaphores - isa::userSemaphores;

SmallVector<Attribute> attributesOf(MLIRContext *context,
                                    std::span<const problems::Token> tokens) {
  SmallVector<Attribute> list;
  for (const problems::Token &token : tokens)
    if (!isMutated(Mutation::syncToken))
      list.push_back(TokenAttr::get(context, token.semaphore, token.value));
  return list;
}

/// The names of the attributes, looked up once.
struct TokenNames {
  explicit TokenNames(MLIRContext *context)
      : waits(StringAttr::get(context, waitsAttrName)),
        signals(StringAttr::get(context, signalsAttrName)),
        userWaits(StringAttr::get(context, userWaitsAttrName)),
        userSignals(StringAttr::get(context, userSignalsAttrName)) {}
  StringAttr waits, signals, userWaits, userSignals;
};

/// The solution's tokens and, behind them, those that the program wrote; false
/// if there are none.
bool setTokens(NamedAttrList &attributes, StringAttr name, StringAttr userName,
               std::span<const problems::Token> tokens) {
  MLIRContext *context = name.getContext();
  SmallVector<Attribute> list = attributesOf(context, tokens);
  for (TokenAttr token : tokensOf(attributes.get(userName)))
    list.push_back(TokenAttr::get(
        context, firstUserSemaphore + token.getSemaphore(), token.getValue()));
  if (!list.empty())
    attributes.set(name, ArrayAttr::get(context, list));
  return !list.empty();
}

/// Both lists at once: an operation's dictionary is looked up by its content.
void setTokens(Operation *op, const TokenNames &names,
               const problems::SyncTokens &tokens) {
  NamedAttrList attributes(op->getDiscardableAttrDictionary());
  bool any = setTokens(attributes, names.waits, names.userWaits, tokens.waits);
  any |=
      setTokens(attributes, names.signals, names.userSignals, tokens.signals);
  if (any)
    op->setDiscardableAttrs(attributes.getDictionary(op->getContext()));
}

class Synchronize
    : public kiln::compiler::nc::impl::NcSynchronizeBase<Synchronize> {
public:
  void runOnOperation() override {
    FailureOr<SyncInstance> instance = buildSyncInstance(getOperation());
    if (failed(instance))
      return signalPassFailure();
    problems::Parsed<problems::SyncSolution> result =
        problems::solveSync(instance->problem);
    if (!result.value) {
      if (problems::Problem wrong = instance->problem.check())
        return fail("the synchronisation problem is malformed: " + *wrong);
      getOperation().emitError()
          << Code{"KILN-C105"} << "synchronisation: " << result.error;
      return signalPassFailure();
    }
    if (problems::Problem wrong =
            problems::verify(instance->problem, *result.value))
      return fail("the synchronisation found is wrong: " + *wrong);
    instance->problem = {}; // Makes room for tokens.
    apply(*instance, *result.value);
  }

private:
  void fail(const std::string &text) {
    getOperation().emitError() << Code{"KILN-C900"} << "internal: " << text;
    signalPassFailure();
  }

  void apply(SyncInstance &instance, const problems::SyncSolution &solution) {
    Builder builder(&getContext());
    const TokenNames names(&getContext());
    for (auto [op, tokens] :
         llvm::zip(instance.instructions, solution.instructions))
      setTokens(op, names, tokens);
    std::vector<SmallVector<Attribute>> fences(instance.loops.size());
    for (const problems::SyncFence &fence : solution.fences) {
      auto listOf = [&](std::span<const problems::Token> tokens) {
        return builder.getArrayAttr(attributesOf(&getContext(), tokens));
      };
      fences[fence.loop].push_back(FenceAttr::get(
          &getContext(), EngineAttr::get(&getContext(), fence.engine),
          fence.after, listOf(fence.tokens.waits),
          listOf(fence.tokens.signals)));
    }
    for (auto [loop, list] : llvm::zip(instance.loops, fences))
      if (!list.empty())
        loop->setAttr(fencesAttrName, builder.getArrayAttr(list));
    size_t waits = 0, signals = 0, most = 0;
    Operation *busiest = getOperation();
    for (auto [op, tokens] :
         llvm::zip(instance.instructions, solution.instructions)) {
      waits += tokens.waits.size();
      signals += tokens.signals.size();
      if (tokens.waits.size() > most) {
        most = tokens.waits.size();
        busiest = op;
      }
    }
    synchronizeRemarks.analysis(busiest, "Synchronised")
        << count("semaphores", solution.semaphores)
        << noun(solution.semaphores, " semaphore") << "; instructions have "
        << count("waits", waits) << noun(waits, " wait") << " and "
        << count("signals", signals) << noun(signals, " signal")
        << "; this one has the most waits, " << measure("most_waits", most)
        << "; loops have " << count("fences", solution.fences.size())
        << noun(solution.fences.size(), " fence");
    getOperation()->setAttr(semaphoresAttrName,
                            builder.getI64IntegerAttr(solution.semaphores));
  }
};

} // namespace
