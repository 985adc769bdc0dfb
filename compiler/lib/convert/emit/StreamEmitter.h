//===- StreamEmitter.h - One engine's stream -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_EMIT_STREAMEMITTER_H
#define KILN_COMPILER_LIB_CONVERT_EMIT_STREAMEMITTER_H

#include "Registers.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/transform/nc/Footprints.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <map>
#include <tuple>
#include <vector>

namespace kiln::compiler {

/// An instruction or a loop, and where it stands: in the sequential program,
/// and in the user's text.
struct Member {
  mlir::Operation *op = nullptr;
  std::uint32_t position = 0;
  std::uint32_t location = 0;
};

/// What all streams agree on.
struct EmissionContext {
  explicit EmissionContext(mlir::func::FuncOp func) : tensors(func) {}

  nc::TensorNumbers tensors;
  /// Number of each buffer on chip; none for those that share memory on
  /// purpose.
  llvm::DenseMap<mlir::Value, std::uint16_t> buffers;
  /// By block and engine: its instructions there, and the loops that have some
  /// inside.
  using Members = std::array<std::vector<Member>, isa::numEngines>;
  llvm::MapVector<mlir::Block *, Members> members;
};

/// An integer while streams are emitted: known, or in a virtual register.
struct Scalar {
  std::optional<unsigned> reg;
  int64_t value = 0;
};

/// Registers and immediates have 32 bits.
inline bool fitsRegister(int64_t value) {
  return value == static_cast<std::int32_t>(value);
}

/// Walks the program and keeps what belongs to one engine. Index arithmetic
/// goes to the outermost loop level whose counters it needs.
class StreamEmitter : private nc::OperandResolver {
public:
  StreamEmitter(isa::Engine engine, const EmissionContext &context)
      : engine(engine), context(context) {}

  mlir::FailureOr<std::vector<isa::Instruction>> emit(mlir::func::FuncOp func);

private:
  /// Code of one loop body (or of the top), not yet in its place.
  struct Level {
    VirtualCode code;
    std::vector<std::tuple<int, int64_t, int64_t, int64_t, int64_t>> keys;
    mlir::Operation *loop = nullptr;
  };

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitLoop(mlir::scf::ForOp loop);
  /// Sets the condition of a while to `value`.
  void emitCondition(unsigned reg, Scalar value);
  void emitInstruction(nc::NcInstruction op);
  void emitFences(mlir::scf::ForOp loop, bool after);
  void emitRingSteps(mlir::scf::ForOp loop);

  // OperandResolver.
  isa::Access access(mlir::Value view) override;
  isa::RegisterOrInt index(mlir::Value value, std::int32_t constant) override;

  // Index arithmetic.
  Scalar valueOf(mlir::Value value);
  Scalar valueOf(const nc::IndexForm &form);
  Scalar valueOf(mlir::AffineExpr expr, llvm::ArrayRef<mlir::Value> leaves);
  Scalar extremum(mlir::AffineMap map, mlir::ValueRange operands,
                  isa::RegisterOp op);
  Scalar ownRank();
  Scalar ringRank(nc::RingRankOp op);
  Scalar alu(isa::RegisterOp op, Scalar a, Scalar b);
  unsigned ringPointer(nc::AllocOp alloc, mlir::scf::ForOp loop);
  void addTerms(isa::Access &access, const nc::IndexForm &form, int64_t width);
  void addTerm(isa::Access &access, unsigned reg, int64_t scale);

  unsigned newRegister(size_t level) {
    registerLevel.push_back(level);
    return static_cast<unsigned>(registerLevel.size() - 1);
  }
  size_t levelOf(Scalar scalar) {
    return scalar.reg ? registerLevel[*scalar.reg] : 0;
  }
  /// The instruction operand for `scalar`; notes the register in `registers`.
  isa::RegisterOrInt operandOf(Scalar scalar,
                               llvm::SmallVectorImpl<unsigned> &registers);
  isa::Instruction &append(size_t level, isa::Body body,
                           llvm::SmallVector<unsigned, 2> registers);
  /// What stands there in this stream, or the function.
  mlir::Operation *operationAt(std::uint32_t position,
                               mlir::func::FuncOp func) const;
  mlir::InFlightDiagnostic error(llvm::StringRef code, llvm::StringRef text);
  /// A pass before emission has left something out.
  void internalError(llvm::StringRef text);

  isa::Engine engine;
  const EmissionContext &context;
  std::vector<Level> levels;
  std::vector<size_t> registerLevel;
  llvm::DenseMap<mlir::Value, unsigned> counters; ///< And numbers of ranks.
  std::optional<unsigned> rank;
  /// This stream's copy of each group of register loads.
  llvm::DenseMap<int64_t, unsigned> loaded;
  std::map<std::tuple<int, int64_t, int64_t, int64_t, int64_t>, unsigned>
      computed;
  struct Ring {
    int64_t slots;
    unsigned reg;
  };
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Ring, 2>> rings;
  Member current; ///< What is emitted, or holds it.
  llvm::SmallVector<unsigned, 2> *operandRegisters = nullptr;
  bool failedOnce = false;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_EMIT_STREAMEMITTER_H
