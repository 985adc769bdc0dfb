//===- Analysis.h - What an nc instruction touches ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_ANALYSIS_H
#define KILN_COMPILER_DIALECT_NC_ANALYSIS_H

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/isa/target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"

namespace kiln::compiler::nc {

/// An index value as `constant + sum(coefficient * leaf) + sum(coefficient *
/// residue)`. Leaves are loop counters or opaque values (affine.min, ..);
/// residues are floordiv and mod expressions over `leaves`.
struct IndexForm {
  struct Term {
    mlir::Value leaf;
    int64_t coefficient = 0;
  };
  struct Residue {
    mlir::AffineExpr expr;
    int64_t coefficient = 0;
  };
  int64_t constant = 0;
  llvm::SmallVector<Term, 2> terms;
  llvm::SmallVector<Residue, 1> residues;
  llvm::SmallVector<mlir::Value, 2> leaves; ///< Dimension i of the residues.

  bool isConstant() const { return terms.empty() && residues.empty(); }
  friend bool operator==(const IndexForm::Term &a, const IndexForm::Term &b) {
    return a.leaf == b.leaf && a.coefficient == b.coefficient;
  }
};
IndexForm analyseIndex(mlir::AffineMap map, mlir::ValueRange operands);
IndexForm analyseIndex(mlir::Value value);

/// The same as a sum in which each expression occurs once. A remainder stays a
/// remainder, so that its bounds are known.
mlir::AffineExpr simplifyIndex(mlir::AffineExpr expr);

/// On loops that run at most once, whatever their bounds look like.
inline constexpr llvm::StringLiteral onceAttrName = "nc.once";

/// On instructions that nc-pipeline-loops has ordered: nc-order keeps them.
inline constexpr llvm::StringLiteral scheduledAttrName = "nc.scheduled";

/// Attributes of transfers: the DMA queue, and the maker of the descriptors.
inline constexpr llvm::StringLiteral queueAttrName = "queue";
inline constexpr llvm::StringLiteral dgeModeAttrName = "dge_mode";
/// The compiler chose the queue.
inline constexpr llvm::StringLiteral dealtQueueAttrName = "nc.dealt_queue";

/// On instructions before and after a loop that nc-pipeline-loops made: [loop,
/// start] - a number of that loop, and their start time in ps, relative to the
/// loop's end in the previous iteration of the enclosing loop. Or [loop before,
/// start, loop]: they begin beside the end of the loop before, in ps from that
/// end.
inline constexpr llvm::StringLiteral startAttrName = "nc.start";

/// On an instruction of a loop that may be software pipelined: [engine, share]
/// - `engine` runs it in `share` of schedule::wholeShare iterations.
inline constexpr llvm::StringLiteral takesTurnsAttrName = "nc.takes_turns";
/// On an instruction that the compiler chose, not the user: others that compute
/// the same may take its place.
inline constexpr llvm::StringLiteral anyFormAttrName = "nc.any_form";

/// On buffers in PSUM that stand beside such a loop: it has left them room, so
/// they may be used while it fills or drains.
inline constexpr llvm::StringLiteral besideAttrName = "nc.beside";

/// On the copies that nc-pipeline-loops makes of a buffer: [buffer, copy,
/// trips]
/// - a number that the copies of one buffer of the loop share, the number of
/// this copy, and the trips of the loop. Iteration i has copy i modulo their
/// number. nc-advance moves them out of the loop around that one, and then
/// counts all iterations of both; 0, if each of its iterations begins with the
/// first copy.
inline constexpr llvm::StringLiteral copyAttrName = "nc.copy";

/// The loop that `value` counts, or null.
mlir::scf::ForOp loopOf(mlir::Value value);
/// The trip count, if it is one constant.
std::optional<uint64_t> constantTrips(mlir::scf::ForOp loop);
/// Is `value` computed from what a register load reads?
bool comesFromMemory(mlir::Value value);
/// Whether memory says how often it runs.
bool isBoundByData(mlir::scf::ForOp loop);
/// The constant step of a loop; loops at this level always have one.
int64_t stepOf(mlir::scf::ForOp loop);

/// A memory operand of an instruction, with its effect.
struct MemoryAccess {
  std::string_view operand; ///< "moving".
  isa::Effect effect = isa::Effect::none;
  ViewOp view;
  mlir::Value base;
  isa::Access shape;      ///< Address left at zero.
  bool isIndexed = false; ///< An index selects: anywhere in the base.

  bool writes() const { return effect != isa::Effect::read; }
  bool reads() const { return effect != isa::Effect::write; }
};
llvm::SmallVector<MemoryAccess, 4> accessesOf(NcInstruction op);

/// The struct of an instruction, sufficient for costs, and its accesses.
/// Building it takes longer than most queries of it.
struct BuiltInstruction {
  /// Addresses are zero, with one term where registers will move them; tensors
  /// are numbered by operand.
  isa::Body body;
  llvm::SmallVector<MemoryAccess, 4> accesses;
};
BuiltInstruction built(NcInstruction op);

/// Bytes that the access covers, relative to the first byte of its base (one
/// ring copy) and without the index part: [begin, end).
struct ByteSpan {
  int64_t begin = 0;
  int64_t end = 0;
};
ByteSpan spanOf(const isa::Access &shape);

/// True if the two accesses cannot touch a common byte of a common base within
/// one iteration: their rows are disjoint, or their index parts are equal and
/// their spans are disjoint.
bool provablyDisjoint(MemoryAccess a, MemoryAccess b);
/// The same, with the indices analysed in advance.
IndexForm formOfOffset(const MemoryAccess &access);
bool provablyDisjoint(const MemoryAccess &a, const IndexForm &formA,
                      const MemoryAccess &b, const IndexForm &formB);

/// True if the instruction uses an accumulator of its engine, which orders it
/// among the instructions of that engine.
bool usesAccumulator(const isa::Body &body);

/// True if an instruction of the function continues with the value that another
/// one left in an accumulator. If none does, accumulators order nothing: each
/// instruction that uses one resets it and reads it itself.
bool continuesAccumulators(mlir::func::FuncOp function);

/// The record of the instruction. Operations are named by their mnemonics, so
/// nothing needs to be built.
const isa::InstructionInfo &infoOf(NcInstruction op);

/// True if it meets other cores or ranks. A core keeps the order of such
/// instructions across all its engines.
bool meetsPeers(NcInstruction op);

/// The target of `op`, of its function or its module; null if none has one.
TargetAttr targetAttrOf(mlir::Operation *op);
/// The same as a value; trn2 if there is none.
isa::Target targetOf(mlir::Operation *op);

/// On the module: the core of a rank that it is for, and the number of cores.
inline constexpr llvm::StringLiteral coreAttrName = "nc.core";
inline constexpr llvm::StringLiteral coresAttrName = "nc.cores";
/// The number that `name` holds on `op` or the nearest operation around it,
/// else `otherwise`.
int64_t numberAround(mlir::Operation *op, llvm::StringRef name,
                     int64_t otherwise);
inline constexpr llvm::StringLiteral targetAttrName = "nc.target";
inline constexpr llvm::StringLiteral argumentNameAttrName = "nc.name";
inline constexpr llvm::StringLiteral argumentKindAttrName = "nc.kind";
/// On the function: a dictionary of text facts for the module.
inline constexpr llvm::StringLiteral factsAttrName = "nc.facts";
/// On instructions: lists of #nc.token.
inline constexpr llvm::StringLiteral waitsAttrName = "nc.waits";
inline constexpr llvm::StringLiteral signalsAttrName = "nc.signals";
inline constexpr llvm::StringLiteral fencesAttrName = "nc.fences";

/// On the function: what the program and the passes say of the whole kernel.
inline constexpr llvm::StringLiteral flopsAttrName = "nc.flops";
inline constexpr llvm::StringLiteral tokensAttrName = "nc.tokens";
inline constexpr llvm::StringLiteral parametersAttrName = "nc.parameters";
inline constexpr llvm::StringLiteral sbufPeakAttrName = "nc.sbuf_peak_bytes";
inline constexpr llvm::StringLiteral psumPeakAttrName = "nc.psum_banks_peak";
inline constexpr llvm::StringLiteral semaphoresAttrName = "nc.semaphores";

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_ANALYSIS_H
