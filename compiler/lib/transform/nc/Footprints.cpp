//===- Footprints.cpp - An nc kernel as a SyncProblem --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/transform/nc/Footprints.h"
#include "kiln/compiler/dialect/nc/Blame.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/transform/nc/OrderCells.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

TensorNumbers::TensorNumbers(func::FuncOp func) {
  auto add = [&](Value value) {
    numbers[value] = order.size();
    order.push_back(value);
  };
  for (Value argument : func.getArguments())
    add(argument);
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() == 0)
      ++effects;
    else if (auto alloc = dyn_cast<AllocOp>(op);
             alloc && alloc.getSpace() == Space::hbm)
      add(alloc.getMemory());
  });
}

namespace {

class InstanceBuilder {
public:
  explicit InstanceBuilder(func::FuncOp func)
      : func(func), tensors(func),
        cells(func, static_cast<std::uint32_t>(tensors.values().size())) {}

  FailureOr<SyncInstance> build() {
    reserve();
    if (failed(visit(func.getBody().front())))
      return failure();
    return std::move(instance);
  }

private:
  /// To move a long list costs as much room again.
  void reserve() {
    instance.problem.items.reserve(tensors.operationsForEffect());
    instance.problem.instructions.reserve(tensors.operationsForEffect());
    instance.instructions.reserve(tensors.operationsForEffect());
  }

  LogicalResult visit(Block &block) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (stepOf(loop) <= 0)
          return loop.emitOpError()
                 << Code{"KILN-C104"} << "needs a constant, positive step";
        loopIds[loop] = instance.problem.openLoop(constantTrips(loop));
        instance.loops.push_back(loop);
        if (failed(visit(*loop.getBody())))
          return failure();
        instance.problem.closeLoop();
      } else if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (failed(add(instruction)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult add(NcInstruction op) {
    const FailureOr<isa::Engine> engine = engineBefore("nc-synchronize", op);
    if (failed(engine))
      return failure();
    problems::SyncInstruction instruction;
    instruction.engine = *engine;
    instruction.name = op->getName().stripDialect().str();
    if (infoOf(op).isDma)
      if (auto queue = op->getAttrOfType<IntegerAttr>(queueAttrName))
        instruction.queue = static_cast<std::int32_t>(queue.getInt());
    SmallVector<MemoryAccess, 4> accesses = accessesOf(op);
    instruction.accesses.reserve(accesses.size());
    for (MemoryAccess &access : accesses) {
      if (isMutated(Mutation::syncAccess))
        continue;
      FailureOr<problems::Footprint> bytes = footprint(access);
      if (failed(bytes))
        return op->emitOpError()
               << Code{"KILN-C113"} << Culprit::kiln << "operand '"
               << StringRef(access.operand)
               << "' has no address; nc-allocate comes before nc-synchronize";
      if (access.reads() && access.writes())
        instruction.accesses.push_back({false, *bytes});
      instruction.accesses.push_back({access.writes(), std::move(*bytes)});
    }
    cells.addAccesses(op, loopIds, instruction.accesses);
    instance.problem.add(std::move(instruction));
    instance.instructions.push_back(op);
    return success();
  }

  FailureOr<problems::Footprint> footprint(MemoryAccess &access) {
    problems::Footprint bytes;
    bytes.space = access.shape.space;
    auto type = cast<MemRefType>(access.base.getType());
    int64_t width = isa::sizeInBytes(access.shape.dtype);
    int64_t wholeBytes = width;
    auto alloc = access.base.getDefiningOp<AllocOp>();
    if (bytes.space == isa::Space::hbm) {
      bytes.tensor = tensors[access.base];
      wholeBytes =
          type.getNumElements() *
          isa::sizeInBytes(
              dtypeOf(type.getElementType()).value_or(isa::DType::f32));
    } else {
      if (!alloc || !alloc.getByte())
        return failure();
      bytes.partition = static_cast<std::uint32_t>(*alloc.getPartition()) +
                        access.shape.partition;
      bytes.partitions = access.shape.partitions;
      bytes.offset = static_cast<int64_t>(*alloc.getByte());
      wholeBytes = alloc.getBytesPerPartition();
      if (auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
          loop && alloc.getRing() > 1)
        bytes.ring = problems::RingTerm{
            loopIds.lookup(loop), static_cast<std::uint32_t>(alloc.getRing()),
            static_cast<int64_t>(*alloc.getSlotBytes()), problems::noLoop};
    }
    IndexForm form =
        analyseIndex(access.view.getOffset(), access.view.getIndices());
    const int64_t begin = bytes.offset;
    if (access.isIndexed || !addIndex(bytes, form, width)) {
      bytes.offset = begin;
      bytes.terms.clear();
      bytes.run = static_cast<std::uint64_t>(wholeBytes);
      return bytes;
    }
    addPattern(bytes, access.shape, width);
    return bytes;
  }

  /// False if the index is not affine in loop counters: then any byte of the
  /// buffer may be meant.
  bool addIndex(problems::Footprint &bytes, const IndexForm &form,
                int64_t factor) {
    if (!form.residues.empty())
      return false;
    bytes.offset += form.constant * factor;
    for (const IndexForm::Term &term : form.terms) {
      scf::ForOp loop = loopOf(term.leaf);
      if (!loop || !addIndex(bytes, analyseIndex(loop.getLowerBound()),
                             factor * term.coefficient))
        return false;
      addTerm(bytes, loopIds.lookup(loop),
              factor * term.coefficient * stepOf(loop));
    }
    return true;
  }

  static void addTerm(problems::Footprint &bytes, problems::LoopId loop,
                      int64_t stride) {
    for (problems::LoopTerm &term : bytes.terms)
      if (term.loop == loop) {
        term.bytes += stride;
        return;
      }
    bytes.terms.push_back({loop, stride});
  }

  static void addPattern(problems::Footprint &bytes, const isa::Access &shape,
                         int64_t width) {
    int64_t run = width;
    for (unsigned i = shape.rank; i-- > 0;) {
      const isa::Dim &dim = shape.dims[i];
      if (dim.size == 1 || dim.stride == 0)
        continue;
      if (bytes.dims.empty() && dim.stride * width == run)
        run *= dim.size;
      else
        bytes.dims.push_back({dim.stride * width, dim.size});
    }
    bytes.run = static_cast<std::uint64_t>(run);
  }

  func::FuncOp func;
  TensorNumbers tensors;
  OrderCells cells;
  SyncInstance instance;
  DenseMap<Operation *, problems::LoopId> loopIds;
};

} // namespace

FailureOr<SyncInstance>
kiln::compiler::nc::buildSyncInstance(func::FuncOp func) {
  return InstanceBuilder(func).build();
}
