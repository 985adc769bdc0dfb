//===- recording.h - What the language asks of its recorder ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel file holds thin templates that check static shapes and call this
// interface. The program that runs the kernel implements it (kiln/record.h). A
// kernel file therefore compiles in about a second and needs no library, and
// the recorder is compiled once. Everything that crosses the interface is a
// number, a pointer or a small struct of these; program::abiVersion counts its
// changes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_RECORDING_H
#define KILN_DSL_RECORDING_H

#include "kiln/dsl/error.h"
#include "kiln/program_kinds.h"

#include <initializer_list>

namespace kiln {

/// Where a buffer lives, if the user says so: at(partition, byte), bank(n),
/// ring<N>. A pinned buffer stays pinned, or compilation fails.
struct Placement {
  std::int64_t partition = -1, byte = -1, bank = -1, ring = -1;
};

/// A part of a memory on chip: bytes of each partition of SBUF, or banks of
/// PSUM; see allocate_in.
struct MemoryRange {
  isa::Space space = isa::Space::sbuf;
  std::int64_t begin = 0, end = 0; ///< `end` is not part of it.
};

namespace dsl {

using program::DType;
using program::Id;
using program::IndexKind;
using program::none;
using program::OpKind;

/// A constant, or the number of an index expression.
struct IndexValue {
  std::int64_t constant = 0;
  Id node = none;
};

/// The number of a view that the recorder keeps, or a whole value, or an
/// argument that the parameters leave out, which cannot be used.
struct ViewRef {
  static constexpr Id wholeBit = Id(1) << 31;
  static constexpr Id absentBits = wholeBit | Id(1) << 30;
  Id id = none;
  static ViewRef whole(Id value) { return {value | wholeBit}; }
  static ViewRef absent(Id number) { return {number | absentBits}; }
  bool isWhole() const { return id >= wholeBit; }
  bool isAbsent() const { return id >= absentBits; }
  Id absentNumber() const { return id & ~absentBits; }
};

/// The right-hand side of an assignment: a tile or a number.
struct Source {
  ViewRef view;
  Id temporary = none; ///< A tile that nothing else can name.
  double number = 0;
  bool isNumber = false;
};

/// `row * r + col * c + offset + rowBlocks * R + colBlocks * C  compare  0` on
/// a tile with R rows and C columns.
struct MaskValue {
  std::int64_t row = 0, col = 0;
  IndexValue offset, rowBlocks, colBlocks;
  const char *compare = "";
};

/// One operand of an instruction.
struct Field {
  enum Kind : std::uint8_t {
    view,
    column,
    number,
    integer,
    word,
    index,
    pattern,
    numbers
  };
  const char *name = "";
  Kind kind = integer;
  ViewRef operand;
  double real = 0;
  std::int64_t whole = 0;
  std::string_view text;
  IndexValue expression;
  const std::int64_t *list = nullptr;
  std::size_t count = 0;

  bool takesView() const { return kind == view || kind == column; }
};

class Recording {
public:
  using Extents = std::initializer_list<std::int64_t>;

  //===--- Index expressions ----------------------------------------------===//
  virtual IndexValue compute(IndexKind kind, const IndexValue &a,
                             const IndexValue &b, const Where &where) = 0;

  //===--- Views ----------------------------------------------------------===//
  virtual std::int64_t extent(ViewRef view, std::int64_t dim,
                              const Where &where) = 0;
  virtual ViewRef slice(ViewRef view, std::int64_t dim, const IndexValue &start,
                        std::int64_t size, std::int64_t step,
                        const Where &where) = 0;
  virtual ViewRef select(ViewRef view, std::int64_t dim,
                         const IndexValue &index, const Where &where) = 0;
  virtual ViewRef permute(ViewRef view, Extents order, const Where &where) = 0;
  virtual ViewRef reshape(ViewRef view, Extents shape, const Where &where) = 0;
  virtual ViewRef broadcast(ViewRef view, std::int64_t dim, std::int64_t size,
                            const Where &where) = 0;
  virtual ViewRef bitcast(ViewRef view, DType dtype, const Where &where) = 0;

  //===--- Tile operations ------------------------------------------------===//
  /// load, loadTransposed, transpose, copy, cast (to `dtype`)
  virtual Id move(OpKind kind, ViewRef source, DType dtype,
                  const Where &where) = 0;
  /// Returns the number of the operation, for orderAfter().
  virtual Id store(ViewRef target, ViewRef source, const Where &where) = 0;
  virtual Id fill(double value, DType dtype, Extents shape,
                  const Where &where) = 0;
  virtual Id matmul(ViewRef a, ViewRef b, bool transposeA, bool transposeB,
                    const Where &where) = 0;
  /// The product of packed tiles with scales; contracts the rows of both.
  virtual Id scaledMatmul(ViewRef a, ViewRef aScales, ViewRef b,
                          ViewRef bScales, const Where &where) = 0;
  /// Packed floats of type `dtype`, or their scales.
  virtual Id quantize(ViewRef x, DType dtype, bool scales,
                      const Where &where) = 0;
  virtual Id reduce(const char *name, ViewRef x, DType dtype,
                    const Where &where) = 0;
  virtual Id unary(const char *name, ViewRef x, const Where &where) = 0;
  virtual Id binary(OpKind kind, const char *name, ViewRef a, ViewRef b,
                    DType dtype, const Where &where) = 0;
  virtual Id scalar(OpKind kind, const char *name, ViewRef a, double value,
                    bool reverse, DType dtype, const Where &where) = 0;
  /// An instruction on tiles, with the result as its destination.
  virtual Id apply(const char *mnemonic, const Field *fields, std::size_t count,
                   DType dtype, Extents shape, const Where &where) = 0;
  virtual Id keep(ViewRef x, const MaskValue &mask, double otherwise,
                  const Where &where) = 0;
  /// x where the mask tile, or the condition, is not zero, else y.
  virtual Id choose(ViewRef mask, ViewRef x, ViewRef y, DType dtype,
                    const Where &where) = 0;
  virtual Id choose(ViewRef mask, ViewRef x, double y, DType dtype,
                    const Where &where) = 0;
  virtual Id choose(const MaskValue &mask, ViewRef x, ViewRef y, DType dtype,
                    const Where &where) = 0;

  //===--- Names that hold tiles ------------------------------------------===//
  virtual Id copied(Id tile, const Where &where) = 0;
  virtual Id moved(Id tile) = 0;
  /// The tile that `target` names after the assignment.
  virtual Id assignTile(Id target, const Source &source,
                        const Where &where) = 0;
  virtual void assignView(ViewRef target, const Source &source,
                          const Where &where) = 0;
  /// A window on it exists: later assignments must write to it.
  virtual void markViewed(ViewRef view) = 0;
  /// It is written in place: it becomes a variable.
  virtual void markWritten(ViewRef view) = 0;
  virtual Id declare(isa::Space space, DType dtype, Extents shape,
                     const Placement &place, const Where &where) = 0;
  virtual void setName(Id value, std::string_view name) = 0;

  //===--- Structure ------------------------------------------------------===//
  virtual void openScope(std::string_view name,
                         std::string_view suffix = {}) = 0;
  virtual void closeScope() = 0;
  /// Returns the loop's value.
  virtual IndexValue openLoop(std::string_view name, const IndexValue &begin,
                              const IndexValue &end, std::int64_t step,
                              const Where &where) = 0;
  virtual void closeLoop() = 0;
  /// The last operation of a loop's body: the body runs again while this is not
  /// 0.
  virtual void repeatWhile(const IndexValue &condition, const Where &where) = 0;
  /// A register with the element's value; lives until the end of the body.
  virtual IndexValue loadRegister(ViewRef source, std::string_view name,
                                  const Where &where) = 0;
  /// Returns the number of the operation, for token() and orderAfter().
  virtual Id instruction(const char *mnemonic, const Field *fields,
                         std::size_t count, std::string_view name,
                         const Where &where) = 0;

  //===--- Calls ----------------------------------------------------------===//
  /// The function with this frame records what follows, or fails, for the line
  /// `where`.
  virtual void enterFrame(const void * /*frame*/, const Where & /*where*/) {}
  bool followsCalls = false; ///< enterFrame wants to know.

  //===--- Cores and ranks ------------------------------------------------===//
  /// The core that is being recorded, and the number of cores of a rank.
  virtual std::int64_t core() = 0;
  virtual std::int64_t cores() = 0;
  /// The generation of the target. Notes that the kernel depends on it.
  virtual isa::Generation generation() = 0;
  /// The same without the note: for errors.
  virtual isa::Generation targetGeneration() const = 0;
  /// A tensor in HBM that is not an argument.
  virtual ViewRef scratch(bool isShared, const Text &name, DType dtype,
                          Extents shape, const Where &where) = 0;
  /// An instruction that sets a register to the number of a rank.
  virtual IndexValue readRegister(const char *mnemonic, const Field *fields,
                                  std::size_t count, const Where &where) = 0;

  //===--- Order ----------------------------------------------------------===//
  /// The number of the semaphore with this name, new or known.
  virtual Id semaphore(std::string_view name, const Where &where) = 0;
  /// Instruction `operation` waits for, or signals, `count` tokens.
  virtual void token(Id operation, bool isWait, Id semaphore,
                     std::int64_t count, const Where &where) = 0;
  /// The operation that computes a tile.
  virtual Id operationOf(Id tile) = 0;
  virtual void orderAfter(Id later, Id earlier, const Where &where) = 0;
  virtual void openOrdered() = 0;
  virtual void closeOrdered() = 0;
  /// What is recorded until closeUrgency() is so urgent.
  virtual void openUrgency(std::int64_t urgency, const Where &where) = 0;
  virtual void closeUrgency() = 0;
  virtual void setUrgency(Id operation, std::int64_t urgency,
                          const Where &where) = 0;

  //===--- Memory ---------------------------------------------------------===//
  /// What is recorded until closeMemory() has its memory in these ranges.
  virtual void openMemory(std::string_view name, const MemoryRange *ranges,
                          std::size_t count, const Where &where) = 0;
  virtual void closeMemory() = 0;

  //===--- Prepared collectives -------------------------------------------===//
  /// The number of a preparation; the one before has been triggered.
  virtual Id prepareCollective(const Where &where) = 0;
  virtual void triggerCollective(Id number, const Where &where) = 0;

protected:
  ~Recording() = default;
};

/// The recorder of the kernel that runs in this thread, or null.
KILN_HIDDEN inline Recording *&activeRecording() {
  static thread_local Recording *recording = nullptr;
  return recording;
}

/// An error that the language finds itself; a recorder knows the callers.
[[noreturn]] KILN_COLD inline void failHere(std::string_view code,
                                            const Text &message,
                                            const Text &fix,
                                            const Where &where) {
  if (Recording *active = activeRecording(); active && active->followsCalls)
    active->enterFrame(__builtin_frame_address(0), where);
  fail(code, message, fix, where);
}
[[noreturn]] KILN_COLD inline void failOutside(const Where &where) {
  fail("KILN-A008", "a Kiln operation is called outside of a kernel",
       "call it from a kernel's operator(), which kiln::record() runs", where);
}
inline Recording &recording(const Where &where) {
  if (Recording *active = activeRecording()) {
    if (active->followsCalls)
      active->enterFrame(__builtin_frame_address(0), where);
    return *active;
  }
  failOutside(where);
}

/// Makes a recorder current for a scope; restores the previous one.
class RecordingScope {
public:
  explicit RecordingScope(Recording &recording) : former(activeRecording()) {
    activeRecording() = &recording;
  }
  ~RecordingScope() { activeRecording() = former; }
  RecordingScope(const RecordingScope &) = delete;
  RecordingScope &operator=(const RecordingScope &) = delete;

private:
  Recording *former;
};

} // namespace dsl

/// Checks the kernel's own condition on its parameters.
inline void require(bool condition, const dsl::Text &message,
                    const dsl::Text &fix = {},
                    dsl::Where where = dsl::Where::current()) {
  if (!condition)
    dsl::failHere("KILN-A017", message, fix, where);
}

} // namespace kiln

#endif // KILN_DSL_RECORDING_H
