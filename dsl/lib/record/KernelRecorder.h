//===- KernelRecorder.h - The recorder behind the language ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_KERNELRECORDER_H
#define KILN_DSL_LIB_RECORD_KERNELRECORDER_H

#include "Calls.h"
#include "Comparisons.h"
#include "Finish.h"
#include "JoinedText.h"
#include "OrderRules.h"
#include "RowsByIndex.h"
#include "StructureRules.h"

#include <deque>
#include <optional>

namespace kiln::dsl {

/// Keeps the views a kernel file names by number, and calls the rules.
class KernelRecorder final : public Recording {
public:
  Recorder &state() { return recorder; }
  View viewOf(ViewRef view, const Where &where) const {
    if (view.isAbsent())
      failAbsent(view, where);
    return view.isWhole() ? recorder.whole(view.id & ~ViewRef::wholeBit)
                          : views[view.id];
  }
  /// The argument `name`, which these parameters leave out.
  ViewRef addAbsent(std::string name) {
    absent.push_back(std::move(name));
    return ViewRef::absent(static_cast<Id>(absent.size() - 1));
  }

  /// Operations get the calls that led to them. `end` is a frame above those
  /// of the kernel.
  void follow(CallResolver resolver, const void *end) {
    calls.emplace(resolver, end);
    followsCalls = true;
  }
  void enterFrame(const void *frame, const Where &where) override {
    recorder.enterCalls(calls->at(__builtin_return_address(0), frame), where);
  }

  IndexValue compute(IndexKind kind, const IndexValue &a, const IndexValue &b,
                     const Where &where) override {
    if (kind == IndexKind::maximum)
      if (const auto truth = Comparison(recorder, where).ofMaximum(a, b))
        return *truth;
    return IndexArithmetic(recorder, where).compute(kind, a, b);
  }

  std::int64_t extent(ViewRef view, std::int64_t dim,
                      const Where &where) override {
    const View found = viewOf(view, where);
    checkDim(found, dim, where);
    return found.sizes[static_cast<std::size_t>(dim)];
  }
  ViewRef slice(ViewRef view, std::int64_t dim, const IndexValue &start,
                std::int64_t size, std::int64_t step,
                const Where &where) override {
    return keepView(dsl::slice(recorder, viewOf(view, where), dim, start, size,
                               step, where));
  }
  ViewRef select(ViewRef view, std::int64_t dim, const IndexValue &index,
                 const Where &where) override {
    return keepView(
        dsl::select(recorder, viewOf(view, where), dim, index, where));
  }
  ViewRef permute(ViewRef view, Extents order, const Where &where) override {
    return keepView(dsl::permute(recorder, viewOf(view, where), order, where));
  }
  ViewRef reshape(ViewRef view, Extents shape, const Where &where) override {
    return keepView(dsl::reshape(recorder, viewOf(view, where), shape, where));
  }
  ViewRef broadcast(ViewRef view, std::int64_t dim, std::int64_t size,
                    const Where &where) override {
    return keepView(
        dsl::broadcast(recorder, viewOf(view, where), dim, size, where));
  }
  ViewRef bitcast(ViewRef view, DType dtype, const Where &where) override {
    return keepView(dsl::bitcast(recorder, viewOf(view, where), dtype, where));
  }

  Id move(OpKind kind, ViewRef source, DType dtype,
          const Where &where) override {
    return recordMove(recorder, kind, viewOf(source, where), dtype, where);
  }
  Id store(ViewRef target, ViewRef source, const Where &where) override {
    return recordStore(recorder, viewOf(target, where), viewOf(source, where),
                       where);
  }
  Id fill(double value, DType dtype, Extents shape,
          const Where &where) override {
    return recordFill(recorder, value, dtype, shape, where);
  }
  Id matmul(ViewRef a, ViewRef b, bool transposeA, bool transposeB,
            const Where &where) override {
    return recordMatmul(recorder, viewOf(a, where), viewOf(b, where),
                        transposeA, transposeB, where);
  }
  Id scaledMatmul(ViewRef a, ViewRef aScales, ViewRef b, ViewRef bScales,
                  const Where &where) override {
    return recordScaledMatmul(recorder, viewOf(a, where),
                              viewOf(aScales, where), viewOf(b, where),
                              viewOf(bScales, where), where);
  }
  Id quantize(ViewRef x, DType dtype, bool scales,
              const Where &where) override {
    return recordQuantize(recorder, viewOf(x, where), dtype, scales, where);
  }
  Id reduce(const char *name, ViewRef x, DType dtype,
            const Where &where) override {
    return recordReduce(recorder, name, viewOf(x, where), dtype, where);
  }
  Id apply(const char *mnemonic, const Field *fields, std::size_t count,
           DType dtype, Extents shape, const Where &where) override {
    InstructionBuilder builder(recorder, mnemonic, where);
    addFields(builder, fields, count, where);
    return builder.recordTile(dtype, shape);
  }
  Id unary(const char *name, ViewRef x, const Where &where) override {
    return recordUnary(recorder, name, viewOf(x, where), DType::f32, where);
  }
  Id binary(OpKind kind, const char *name, ViewRef a, ViewRef b, DType dtype,
            const Where &where) override {
    return recordBinary(recorder, kind, name, viewOf(a, where),
                        viewOf(b, where), dtype, where);
  }
  Id scalar(OpKind kind, const char *name, ViewRef a, double value,
            bool reverse, DType dtype, const Where &where) override {
    return recordScalar(recorder, kind, name, viewOf(a, where), value, reverse,
                        dtype, where);
  }
  Id keep(ViewRef x, const MaskValue &mask, double otherwise,
          const Where &where) override {
    return recordKeep(recorder, viewOf(x, where), mask, otherwise, where);
  }
  Id choose(ViewRef mask, ViewRef x, ViewRef y, DType dtype,
            const Where &where) override {
    return recordSelect(recorder, viewOf(mask, where),
                        converted(recorder, viewOf(x, where), dtype, where),
                        converted(recorder, viewOf(y, where), dtype, where),
                        dtype, where);
  }
  Id choose(ViewRef mask, ViewRef x, double y, DType dtype,
            const Where &where) override {
    const View view = viewOf(x, where);
    const Id other = recordFill(recorder, y, view.dtype, view.sizes, where);
    return choose(mask, x, ViewRef::whole(other), dtype, where);
  }
  Id choose(const MaskValue &mask, ViewRef x, ViewRef y, DType dtype,
            const Where &where) override {
    const Id ones =
        recordFill(recorder, 1.0, DType::u8, viewOf(x, where).sizes, where);
    const Id tile =
        recordKeep(recorder, recorder.whole(ones), mask, 0.0, where);
    return choose(ViewRef::whole(tile), x, y, dtype, where);
  }

  Id copied(Id tile, const Where &where) override {
    return recorder.appendAlias(tile, where);
  }
  Id moved(Id tile) override {
    if (recorder.isLocal(tile))
      return tile;
    // Uses the line of the tile: a move has no line of its own.
    const Id line = recorder.ops[recorder.definition[tile]].location;
    const Id result = recorder.appendAlias(tile, Where());
    recorder.ops.back().location = line;
    return result;
  }
  Id assignTile(Id target, const Source &source, const Where &where) override {
    return dsl::assignTile(recorder, target, source, sourceView(source, where),
                           where);
  }
  void assignView(ViewRef target, const Source &source,
                  const Where &where) override {
    const View view = viewOf(target, where);
    const View from =
        assignedView(recorder, source, sourceView(source, where), view, where);
    if (assignRowsByIndex(recorder, view, from, where))
      return;
    recorder.makeVariable(view.value);
    recordAssign(recorder, view, from, where);
  }
  void markViewed(ViewRef view) override {
    if (!view.isAbsent())
      recorder.markViewed(viewOf(view, {}).value);
  }
  void markWritten(ViewRef view) override {
    if (view.isAbsent())
      return; // The instruction refuses it, and knows the line.
    const Id value = viewOf(view, {}).value;
    if (recorder.indexedRows.contains(value))
      writesIndexedRows = true;
    recorder.makeVariable(value);
  }
  Id declare(isa::Space space, DType dtype, Extents shape,
             const Placement &place, const Where &where) override {
    return declareBuffer(recorder, space, dtype, shape, place, where);
  }
  void setName(Id value, std::string_view name) override {
    recorder.setName(value, std::string(name));
  }

  void openScope(std::string_view name, std::string_view suffix) override {
    recorder.pushScope(std::string(name).append(suffix));
  }
  void closeScope() override { recorder.popScope(); }
  IndexValue openLoop(std::string_view name, const IndexValue &begin,
                      const IndexValue &end, std::int64_t step,
                      const Where &where) override {
    program::IndexNode node;
    node.kind = IndexKind::variable;
    node.lhs = recordLoop(recorder, std::string(name), begin, end, step, where);
    recorder.pushScope(std::string(name));
    return {0, recorder.addIndex(node)};
  }
  void closeLoop() override {
    recorder.popScope();
    recorder.closeBody();
  }
  void repeatWhile(const IndexValue &condition, const Where &where) override {
    recordWhile(recorder, condition, where);
  }
  IndexValue loadRegister(ViewRef source, std::string_view name,
                          const Where &where) override {
    program::IndexNode node;
    node.kind = IndexKind::variable;
    node.lhs = recordRegister(recorder, viewOf(source, where),
                              std::string(name), where);
    return {0, recorder.addIndex(node)};
  }
  Id instruction(const char *mnemonic, const Field *fields, std::size_t count,
                 std::string_view name, const Where &where) override {
    if (writesIndexedRows)
      failWindow(where);
    InstructionBuilder builder(recorder, mnemonic, where);
    addFields(builder, fields, count, where);
    return builder.record(name);
  }

  std::int64_t core() override { return recorder.program.core; }
  std::int64_t cores() override { return recorder.program.cores; }
  isa::Generation generation() override {
    recorder.program.generation = recorder.targetGeneration;
    return recorder.targetGeneration;
  }
  isa::Generation targetGeneration() const override {
    return recorder.targetGeneration;
  }
  ViewRef scratch(bool isShared, const Text &name, DType dtype, Extents shape,
                  const Where &where) override {
    return ViewRef::whole(
        recordScratch(recorder, isShared, joined(name), dtype, shape, where));
  }
  IndexValue readRegister(const char *mnemonic, const Field *fields,
                          std::size_t count, const Where &where) override {
    InstructionBuilder builder(recorder, mnemonic, where);
    addFields(builder, fields, count, where);
    program::IndexNode node;
    node.kind = IndexKind::variable;
    node.lhs = builder.recordRegister();
    return {0, recorder.addIndex(node)};
  }

  Id semaphore(std::string_view name, const Where &where) override {
    return recordSemaphore(recorder, name, where);
  }
  void token(Id operation, bool isWait, Id semaphore, std::int64_t count,
             const Where &where) override {
    recordToken(recorder, operation, isWait, semaphore, count, where);
  }
  Id operationOf(Id tile) override { return recorder.operationOf(tile); }
  void orderAfter(Id later, Id earlier, const Where &where) override {
    recordAfter(recorder, later, earlier, where);
  }
  void openOrdered() override { recorder.openOrdered(); }
  void closeOrdered() override { recorder.closeOrdered(); }
  void openUrgency(std::int64_t urgency, const Where &where) override {
    recordUrgency(recorder, none, urgency, where);
  }
  void closeUrgency() override { recorder.closeUrgency(); }
  void setUrgency(Id operation, std::int64_t urgency,
                  const Where &where) override {
    recordUrgency(recorder, operation, urgency, where);
  }
  void openMemory(std::string_view name, const MemoryRange *ranges,
                  std::size_t count, const Where &where) override {
    recordMemory(recorder, std::string(name), ranges, count, where);
  }
  void closeMemory() override { recorder.closeMemory(); }
  Id prepareCollective(const Where &where) override {
    return recordPrepare(recorder, where);
  }
  void triggerCollective(Id number, const Where &where) override {
    recordTrigger(recorder, number, where);
  }

  /// Called after the kernel: returns what it recorded. The recorder is then
  /// used up.
  Program finish() {
    views = {};
    checkNothingPrepared(recorder);
    return Finisher(recorder).finish();
  }

private:
  ViewRef keepView(View view) {
    views.push_back(std::move(view));
    return {static_cast<Id>(views.size() - 1)};
  }
  void addFields(InstructionBuilder &builder, const Field *fields,
                 std::size_t count, const Where &where) const {
    for (std::size_t i = 0; i < count; ++i)
      builder.add(fields[i], fields[i].takesView()
                                 ? viewOf(fields[i].operand, where)
                                 : View());
  }
  [[noreturn]] void failAbsent(ViewRef view, const Where &where) const {
    const Id number = view.absentNumber();
    fail("KILN-A034",
         number < absent.size()
             ? "tensor " + absent[number] +
                   " is used, but absent with these parameters"
             : "a tensor that was left out is used",
         "use it only with the parameters for which describe() gives its shape",
         where);
  }
  View sourceView(const Source &source, const Where &where) const {
    return source.isNumber ? View() : viewOf(source.view, where);
  }

  bool writesIndexedRows = false; ///< The instruction that comes next.
  std::optional<Calls> calls;
  Recorder recorder;
  std::vector<std::string> absent; ///< Names, in the order of arguments.
  std::deque<View> views;          ///< A deque moves no elements as it grows.
};

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_KERNELRECORDER_H
