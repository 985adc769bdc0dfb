//===- AttachedSchedule.h - Decisions that came with the kernel -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nc-attach-schedule names loops, instructions and buffers; later passes look
// up what the text of the function's attribute says of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ATTACHEDSCHEDULE_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ATTACHEDSCHEDULE_H

#include "LoopProblem.h"

#include "kiln/schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::nc {

/// On a loop: its name. On an instruction or a buffer: the name of the loop it
/// was in, a colon, and its own.
inline constexpr llvm::StringLiteral calledAttrName = "nc.called";
/// On a loop whose order of instructions is given: they stay in it.
inline constexpr llvm::StringLiteral orderGivenAttrName = "nc.order_given";
/// On the function: sections that nc-pipeline-loops decided on, as text.
inline constexpr llvm::StringLiteral loopSchedulesAttrName =
    "nc.loop_schedules";

/// On nc.alloc: the line of the attached schedule with as many copies as the
/// compiler wants. It may not take them back.
inline constexpr llvm::StringLiteral attachedRingAttrName = "nc.attached_ring";
/// On nc.alloc, by nc-allocate: there was no room for as many copies as wanted.
inline constexpr llvm::StringLiteral fewerCopiesAttrName = "nc.fewer_copies";

/// "row/key:activation.3", or "" without a name.
llvm::StringRef calledName(mlir::Operation *op);
/// "activation.3".
llvm::StringRef ownName(mlir::Operation *op);

class AttachedSchedule {
public:
  /// Nothing is attached where the function has no schedule.
  explicit AttachedSchedule(mlir::func::FuncOp func);

  /// True if names are needed: for a schedule, or to write one.
  bool isWanted() const { return wanted; }
  const schedule::Schedule *get() const {
    return schedule ? &*schedule : nullptr;
  }
  /// What it says of the loop (null: of what is outside of loops); or null.
  const schedule::Loop *of(mlir::Operation *loop) const;
  const schedule::Loop *named(llvm::StringRef name) const;

  /// KILN-C191 at `op`, with the line of the schedule in a note.
  mlir::LogicalResult refuse(mlir::Operation *op, const schedule::Loop &loop,
                             std::uint32_t line,
                             const llvm::Twine &reason) const;
  /// A note that names a line of the schedule, if it has one.
  void noteLine(mlir::InFlightDiagnostic &error, std::uint32_t line) const;

private:
  bool wanted = false;
  std::optional<schedule::Schedule> schedule;
  mlir::StringAttr file;
};

/// The solution that a section of a pipelined loop describes. A failure, which
/// is told, if it names other instructions or buffers, breaks a dependence, or
/// needs more memory than there is.
mlir::FailureOr<problems::ModuloSolution>
attachedSolution(mlir::scf::ForOp loop, const LoopProblem &body,
                 const AttachedSchedule &attached,
                 const schedule::Loop &section);

/// Whether instructions and buffers of a section are those of the loop, each
/// once in each iteration; a failure, which is told, if not. Rings that are not
/// named are the compiler's, unless all are demanded. Turns are not checked.
mlir::LogicalResult
checkNames(mlir::Operation *loop, llvm::ArrayRef<NcInstruction> operations,
           llvm::ArrayRef<AllocOp> buffers, const AttachedSchedule &attached,
           const schedule::Loop &section, bool demandsRings);

/// The order that an ordered section gives to the instructions of a block, as
/// their numbers; a failure, which is told, if they are not those of the loop.
mlir::FailureOr<std::vector<std::uint32_t>>
attachedOrder(mlir::scf::ForOp loop, llvm::ArrayRef<NcInstruction> operations,
              const AttachedSchedule &attached, const schedule::Loop &section);

/// A solution for a loop as text, if a schedule is to be written and the text
/// can express it.
std::optional<std::string>
scheduleTextOf(mlir::scf::ForOp loop, const LoopProblem &body,
               const problems::ModuloSolution &solution,
               const AttachedSchedule &attached);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ATTACHEDSCHEDULE_H
