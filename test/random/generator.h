//===- generator.h - Programs of chance -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws a kernel statement by statement and records it through the interface
// that the language's templates call (kiln/dsl/recording.h), with the element
// types that those would deduce. Every program is legal: the recorder, the
// compiler and the executor must take it, except that it may not fit on chip.
//
// Values stay where they mean something: every tile carries the interval that
// its elements lie in, so that no function is left its domain and no cast
// overflows; a memory that is written more than once has an interval for all
// times, and what is written is cut to it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RANDOM_GENERATOR_H
#define KILN_TEST_RANDOM_GENERATOR_H

#include "choices.h"

#include "kiln/kiln.h"
#include "kiln/program.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace kiln::test {

using dsl::DType;
using dsl::Id;
using dsl::OpKind;
using dsl::ViewRef;
using isa::Space;
using Extents = std::vector<std::int64_t>;

struct ProgramSettings {
  std::uint64_t seed = 0;
  isa::Generation generation = isa::Generation::v3;
  std::int64_t core = 0, cores = 1;
};

/// Records the program of a seed. Throws a RecordError if the generator is
/// wrong: everything it draws is meant to be legal.
program::Program randomProgram(const ProgramSettings &settings);
/// How many cores the program of this seed is for.
std::int64_t randomCores(std::uint64_t seed, isa::Generation generation);

/// Elements lie between the two.
struct Interval {
  double low = 0, high = 0;
  double size() const { return std::max(std::abs(low), std::abs(high)); }
};
Interval hull(const Interval &a, const Interval &b);
/// What memory of this type is kept within.
Interval limitsOf(DType dtype);
bool isInteger(DType dtype);

/// A tile, a window on one, or a buffer.
struct Item {
  ViewRef ref;
  Id id = dsl::none; ///< Of a tile that a name holds; none for windows.
  DType dtype = DType::f32;
  Extents shape;
  Interval range;
  Space space = Space::sbuf;
  bool written = false; ///< Memory that statements may write.
  bool isBuffer = false;
  bool allRows = true; ///< It starts at the first row of its memory.

  std::int64_t rows() const { return shape[0]; }
  std::int64_t cols() const { return shape.back(); }
  bool isMatrix() const { return shape.size() == 2; }
};

/// A tensor in HBM of two dimensions, or a window on one.
struct Tensor {
  ViewRef ref;
  DType dtype = DType::f32;
  std::int64_t rows = 1, cols = 1;
  Interval range;
  bool read = true, written = false;
};

/// The value of a loop or of a register, and its bounds.
struct Counter {
  Index value;
  std::int64_t low = 0, high = 0; ///< Both included.
  bool isRegister = false;
};

/// For the calls of the language that take any tile: their element type matters
/// only where the result is f32 whatever it is.
using AnyTile = dsl::TileView<f32, Shape<-1, -1>>;
struct AnyTensor {
  using Element = f32;
  using StaticShape = Shape<-1, -1>;
  static constexpr bool isHbm = true;
  static constexpr dsl::Access access = dsl::Access::inout;
  ViewRef ref;
  ViewRef viewOf(const dsl::Where &) const { return ref; }
};

/// The line that calls it.
inline dsl::Where here(dsl::Where where = dsl::Where::current()) {
  return where;
}

class Generator {
public:
  explicit Generator(const ProgramSettings &settings);

  /// The tensors of the kernel, in order.
  struct Argument {
    std::string name;
    program::ArgumentKind kind;
    DType dtype;
    Extents shape;
  };
  const std::vector<Argument> &argumentList() const { return arguments; }
  bool hasWholeInputs() const { return whole; }
  /// Draws and records the body; `values` are the arguments.
  void run(dsl::Recording &recording, const ViewRef *values);

private:
  //===--- Kernel.cpp: what a program is made of --------------------------===//
  void drawArguments();
  void bindArguments(const ViewRef *values);
  void fillOutput(Tensor &tensor);
  void statements(std::int64_t count);
  void statement();
  std::int64_t drawRows();
  std::int64_t drawCols();
  DType drawType();

  //===--- Control.cpp ----------------------------------------------------===//
  void controlStatement();
  void loopStatement();
  void whenStatement();
  void whileStatement();
  void burst();
  void orderedStatements();
  /// What is declared inside ends with the body.
  template <class Body> void nested(std::int64_t trips, Body &&body) {
    const std::size_t items = pool.size(), indices = counters.size();
    const std::vector<Id> outer = operations;
    const std::int64_t former = repeats;
    repeats *= std::max<std::int64_t>(trips, 1);
    ++depth;
    body();
    --depth;
    repeats = former;
    operations = outer;
    pool.resize(items);
    counters.erase(counters.begin() + static_cast<std::ptrdiff_t>(indices),
                   counters.end());
  }
  Index drawRegister(std::int64_t &low, std::int64_t &high);
  Condition drawCondition();

  //===--- Views.cpp ------------------------------------------------------===//
  /// A start from which `size` elements, `step` apart, lie inside `extent`.
  Index start(std::int64_t extent, std::int64_t size, std::int64_t step,
              bool inHbm);
  /// A window of this shape on a tensor; a written one repeats nothing.
  std::optional<ViewRef> window(const Tensor &tensor, std::int64_t rows,
                                std::int64_t cols, bool write);
  /// A window of this shape on an item that is at least as large.
  Item part(const Item &item, std::int64_t rows, std::int64_t cols,
            bool write = false);
  /// An item of this shape: one that is there, a part of one, a new one.
  Item operand(std::int64_t rows, std::int64_t cols);
  Item anyOperand(); ///< Of a shape that is drawn.
  Item typedOperand(std::int64_t rows, std::int64_t cols, bool integers);
  /// As it is, or seen in other dimensions that give the same matrix.
  Item seenOtherwise(const Item &item);
  const Item *drawItem();
  const Tensor *drawTensor(bool write);

  //===--- Tiles.cpp: tile operations -------------------------------------===//
  void tileStatement();
  Item newTile();
  Item loadTile(std::int64_t rows, std::int64_t cols);
  Item fillTile(std::int64_t rows, std::int64_t cols);
  Item unaryTile();
  Item binaryTile();
  Item scalarTile();
  Item selectTile();
  Item keepTile();
  Item reduceTile();
  Item productTile();
  Item scaledTile();
  Item moveTile();
  Item rowsTile();
  Item functionTile();
  Item bitsTile();
  Item gatherTile();
  Item randomTile();
  Item maskTile(std::int64_t rows, std::int64_t cols);

  Item made(Id id, DType dtype, Extents shape, Interval range);
  Item scaled(const char *op, const Item &item, double value,
              bool reverse = false);
  Item within(const Item &item, const Interval &limits);
  Item converted(const Item &item, DType dtype);
  Item asFloat(const Item &item);
  double drawNumber(bool whole);

  //===--- Memory.cpp: variables, buffers, stores -------------------------===//
  void variableStatement();
  void assignStatement();
  void bufferStatement();
  void storeStatement();
  void scratchStatement();
  void keepItem(Item item);
  /// Cut to what the target holds, in its type.
  Item fitting(const Item &item, const Item &target);
  void assign(Item &target, const Item &value);

  //===--- Instructions.cpp -----------------------------------------------===//
  void instructionStatement();
  void elementwise(const Item &dst);
  void product();
  void transfer();
  const Item *drawMemory(bool psumToo);
  Item chipOperand(std::int64_t rows, std::int64_t cols, bool psumToo);
  void initialise(const Item &buffer);

  //===--- Gathers.cpp ----------------------------------------------------===//
  Item declared(Space space, DType dtype, std::int64_t rows, std::int64_t cols,
                Interval range);
  Item blockFor(const Tensor &table, bool comes);
  void gatherRows();
  void scatterRows();
  void gatherColumns();
  void scaledProduct();
  void tokenStatement();

  //===--- Listed.cpp: row lists, rows by index, bytes
  //---------------------===//
  Item rowNumbers(std::int64_t count, std::int64_t rows, bool beyond);
  void listedRows();
  void rowsAtIndex();
  Item bytesTile();
  void assignBits();
  Item composedTile();
  void summedProducts();
  void storeRegister();

  //===--- Whole.cpp: tall and wide tensors, without loops ----------------===//
  bool isWhole() const { return settings.seed % 8 == 3; }
  void drawWholeTensors();
  Item wholeStep();
  void wholeStatements();

  //===--- Collectives.cpp: of one rank -----------------------------------===//
  struct Meeting {
    Tensor from, second, to, table, kept;
    nc::AluOp op = nc::AluOp::maximum;
    bool known = false;
  };
  bool meetsItself() const;
  Tensor scratchOf(DType dtype, std::int64_t rows, std::int64_t cols);
  void recordMeeting(std::string_view mnemonic, const Meeting &meeting);
  void collectiveStatement();

  //===--- Cores.cpp ------------------------------------------------------===//
  void exchangeStatement();

  ProgramSettings settings;
  Choices choices;
  dsl::Recording *rec = nullptr;
  std::vector<Argument> arguments;
  std::vector<Tensor> tensors;
  std::vector<Item> pool;
  std::vector<Counter> counters;
  std::vector<dsl::Id> operations; ///< Of the open body, for after().
  std::vector<std::int64_t> rowPalette, colPalette;
  bool whole = false; ///< Floats hold small integers.
  std::int64_t depth = 0, repeats = 1, names = 0, pins = 0;
  std::int64_t semaphores = 0;
  std::int64_t ordered = 0; ///< Scopes of no_reorder that are open.
  std::int64_t budget = 0;
};

} // namespace kiln::test

#endif // KILN_TEST_RANDOM_GENERATOR_H
