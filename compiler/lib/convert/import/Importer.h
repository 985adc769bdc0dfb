//===- Importer.h - The state of one import -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_IMPORT_IMPORTER_H
#define KILN_COMPILER_LIB_CONVERT_IMPORT_IMPORTER_H

#include "kiln/compiler/convert/Import.h"
#include "kiln/compiler/dialect/nc/EnumText.h"
#include "kiln/compiler/dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace kiln::compiler {

class Importer {
public:
  Importer(const program::Program &program, mlir::MLIRContext &context)
      : program(program), context(context), builder(&context),
        location(builder.getUnknownLoc()) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(const isa::Target *target);

private:
  using Id = program::Id;
  using Op = program::Op;
  using View = program::View;
  using InstructionCall = program::InstructionCall;

  // Structure: Import.cpp.
  mlir::LogicalResult importBody(const std::vector<Op> &body);
  mlir::LogicalResult importLoop(const Op &op, const program::Loop &loop);
  void noteSourceLoop(const Op &op, mlir::scf::ForOp loop);
  mlir::LogicalResult importOp(const Op &op);
  mlir::LogicalResult checkTypes(const Op &op);
  mlir::Location locate(const Op &op);
  mlir::Location startOfBody();
  mlir::Location locateAndPromise(const Op &op);
  void importMemoryScopes();
  void promiseEdges(const Op &op);
  mlir::InFlightDiagnostic error(llvm::StringRef code, const llvm::Twine &text);

  // Index expressions: ImportIndex.cpp.
  struct Offset {
    mlir::AffineMap map;
    llvm::SmallVector<mlir::Value> operands;
  };
  std::optional<mlir::AffineExpr> affine(Id index);
  std::optional<Offset> offset(Id index);
  mlir::Value bound(Id index);
  mlir::Value applied(mlir::AffineExpr expr);
  std::optional<Offset> compressed(mlir::AffineExpr expr);

  // Tile operations: ImportTile.cpp.
  class TileImporter;
  mlir::LogicalResult importTile(const Op &op);
  mlir::Value read(const View &view);
  mlir::Value castTo(mlir::Value value, mlir::Type element);
  tile::TileType resultType(const Op &op);
  mlir::Value memory(const View &view);

  // Instructions: ImportInstruction.cpp.
  mlir::LogicalResult importInstruction(const Op &op,
                                        const InstructionCall &call);
  mlir::LogicalResult importApply(const Op &op, const InstructionCall &call);
  mlir::LogicalResult importRegisterLoad(const Op &op,
                                         const InstructionCall &call);
  mlir::LogicalResult importRegisterStore(const InstructionCall &call);
  mlir::LogicalResult importRankRegister(const Op &op,
                                         const InstructionCall &call);
  mlir::ArrayAttr rankLists(const std::vector<int64_t> *flat);
  mlir::LogicalResult importSemaphore(const InstructionCall &call);
  mlir::LogicalResult addTokens(const Op &op);
  mlir::LogicalResult chosenEngine(const InstructionCall &call,
                                   nc::EngineAttr &engine);
  mlir::LogicalResult importWhile(const InstructionCall &call);
  mlir::Value instructionView(const View &view, bool byIndex = false);
  bool isFixed(const View &view);
  mlir::LogicalResult checkCall(const Op &op);
  mlir::LogicalResult addField(const InstructionCall &call,
                               const isa::OperandInfo &operand,
                               mlir::NamedAttrList &attributes);
  mlir::LogicalResult addViews(const InstructionCall &call,
                               const isa::OperandInfo &operand,
                               llvm::SmallVectorImpl<mlir::Value> &values);
  mlir::Value memoryOfTile(Id id);

  // Numbers that are combined with tiles of integers: ImportNumbers.cpp.
  mlir::LogicalResult checkNumbers(const Op &op);
  mlir::LogicalResult checkNumber(llvm::StringRef code, isa::DType dtype,
                                  double value,
                                  std::pair<double, double> limits,
                                  llvm::StringRef does);

  /// An integer of a call, or `init`.
  static int64_t integer(const InstructionCall &call, llvm::StringRef name,
                         int64_t init = 0);
  /// Any number of a call, or `init`.
  static double number(const InstructionCall &call, llvm::StringRef name,
                       double init = 0);
  static llvm::StringRef text(const InstructionCall &call,
                              llvm::StringRef name);
  static const program::Attribute *find(const InstructionCall &call,
                                        llvm::StringRef name);

  const program::Program &program;
  mlir::MLIRContext &context;
  mlir::OpBuilder builder;
  mlir::Location location;
  /// The SSA value of each program value, once defined.
  std::vector<mlir::Value> values;
  /// Open loops and registers: their program value and SSA value, outermost
  /// first.
  llvm::SmallVector<std::pair<Id, mlir::Value>> loops;
  /// The open ones with a known number of trips, as source_loops.h says.
  std::string sourceLoops;
  /// By number, operation on tiles and loops, those of operations without
  /// names.
  std::vector<llvm::StringMap<mlir::LocationAttr>> places;
  /// How many operations on tiles of each name a location has made so far.
  std::vector<llvm::StringMap<unsigned>> timesOf;
  /// Affine expressions by index number; dimension i is loops[i], and symbol i
  /// the minimum or maximum extrema[i].
  std::vector<mlir::AffineExpr> expressions;
  std::vector<program::Id> extrema;
  /// Buffers of tiles that instructions read, by tile and block of the use.
  llvm::DenseMap<std::pair<Id, mlir::Block *>, mlir::Value> tileBuffers;
  /// By number.
  std::vector<mlir::Attribute> memoryScopes;
  /// Pairs of labels, the later operation first.
  llvm::SmallVector<int64_t> orderEdges;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_IMPORT_IMPORTER_H
