//===- Machine.h - One core that is interpreted --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machine is a core: its values, registers, and the place in the program.
// Call is one instruction on it, as instructions/ sees it.
//
// To give an instruction its meaning, write a function
//
//   void interpretIota(Call &call) {
//     Array result = call.resultOf("dst");   // sizes and f32 numbers
//     ... result.numbers[i] = exactly(..);   // see Number.h
//     call.write("dst", result);             // rounds to the type of dst
//   }
//
// and name it in the table of instructions/Instruction.cpp. Errors of the
// program are reported by call.fail(); the first one ends the run.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_MACHINE_H
#define KILN_INTERPRET_MACHINE_H

#include "Number.h"
#include "Storage.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::interpret {

using program::Id;
using program::Op;
using program::View;

/// What the engines of a core keep between instructions: accumulators, random
/// generators. Defined in instructions/Operands.h, created at its first use.
struct EngineState;

class Machine {
public:
  Machine(const Program &program, const Options &options);

  const Program &program;
  const Options &options;
  std::uint32_t rank = 0, ranks = 1;
  std::shared_ptr<EngineState> engines;
  Coverage coverage;
  std::optional<Fault> fault;
  std::uint64_t unwrittenReads = 0;
  program::Location firstUnwrittenRead;

  //===--- Faults -----------------------------------------------------------//
  /// Keeps the first fault, at the current operation.
  void fail(Fault::Kind kind, std::string text);
  bool failed() const { return fault.has_value(); }

  //===--- Values -----------------------------------------------------------//
  /// The memory behind value `id`; makes it, unwritten, if it has none.
  Storage &storage(Id id);
  /// Shares the memory of an argument or of scratch.
  void bind(Id id, std::shared_ptr<Storage> storage);
  /// Fresh memory for a result.
  Storage &renew(Id id);
  /// Fresh memory for a buffer, which may be pinned onto others.
  void declare(Id id, const program::Declare &place);
  /// The value of an index expression; fails if a register is not set, or if
  /// the value depends on an overflow of 32 bits.
  std::int64_t index(Id node);
  /// The same for the offset of a view.
  std::int64_t offset(Id node);
  void setRegister(Id value, std::int64_t number);

  //===--- Views ------------------------------------------------------------//
  Window window(const View &view);
  Array read(const Window &window);
  Array read(const View &view) { return read(window(view)); }
  /// Converts from the type of `array` to that of the memory.
  void write(const Window &window, const Array &array);
  /// One element of the memory; outside of it the run fails.
  Number readElement(const Storage &storage, std::int64_t element,
                     std::size_t part = 0);
  void writeElement(Storage &storage, std::int64_t element, Number number,
                    std::size_t part = 0);
  /// Any of its elements may have been written.
  static void spoil(Storage &storage);

  //===--- Running ----------------------------------------------------------//
  /// Runs until the program ends, fails, or reaches an operation that meets
  /// other cores; that one is then `meeting()`.
  void run();
  const Op *meeting() const { return waitsAt; }
  /// Continues after the meeting.
  void met();
  bool finished() const { return frames.empty(); }

private:
  /// A body that is executed.
  struct Frame {
    const std::vector<Op> *body;
    std::size_t next = 0;
    const Op *loop = nullptr;
    std::int64_t value = 0, end = 0, step = 1;
  };

  /// What an index is, and what registers of 32 bits compute for it.
  struct IndexNumber {
    std::int64_t exact = 0, inRegister = 0;
    std::int64_t tooLarge = 0; ///< The first number without a register, or 0.
  };
  IndexNumber indexNumber(Id node);

  void step();
  void enterLoop(const Op &op, const program::Loop &loop);
  void endBody();
  void leaveBody(const std::vector<Op> &body);
  void findLastUses(const std::vector<Op> &body);
  void execute(const Op &op);
  void executeInstruction(const Op &op);
  void count(const Op &op);

  std::vector<std::shared_ptr<Storage>> memory;
  std::vector<std::optional<std::int64_t>> registers;
  std::vector<Frame> frames;
  /// By body and operation: the values of the body that are used there last.
  std::map<const std::vector<Op> *, std::vector<std::vector<Id>>> lastUses;
  /// Where the pinned buffers are.
  struct Pin {
    Id id;
    isa::Space space;
    std::int64_t partition, partitions, byte, bytes;
  };
  std::vector<Pin> pins;
  const Op *current = nullptr;
  const Op *waitsAt = nullptr;
  std::uint64_t steps = 0;
};

/// Everything but loops and instructions.
void interpretTileOperation(Machine &machine, const Op &op);

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// An instruction with its operands. An `apply` of the language is one Call for
/// each 128 rows, in order: rows of all operands, and of the result as "dst".
class Call {
public:
  Call(Machine &machine, const Op &op);

  Machine &machine;
  const Op &op;
  const program::InstructionCall &said; ///< What the program says.
  const std::string &mnemonic;

  struct Operand {
    std::string name;
    Window window;
    /// True if an operand NAME_index lists its rows, or on chip its places.
    /// Then its window may reach outside; take elements one by one.
    bool indexed = false;
  };
  std::vector<Operand> operands;

  //===--- Operands in memory -----------------------------------------------//
  bool has(std::string_view name) const { return count(name) > 0; }
  /// Operands of that name: lists have several.
  std::size_t count(std::string_view name) const;
  Operand &operand(std::string_view name, std::size_t number = 0);
  /// What is in it. In row-major order of the view's sizes.
  Array read(std::string_view name, std::size_t number = 0);
  /// The same as the engines see it: f32, integers of 32 bits rounded.
  Array readWide(std::string_view name, std::size_t number = 0);
  /// f32 zeros with the sizes of an operand, to be filled.
  Array resultOf(std::string_view name, std::size_t number = 0);
  /// Writes as many elements as the operand has, in row-major order,
  /// converted from the type of `array` to the type of the memory.
  void write(std::string_view name, const Array &array, std::size_t number = 0);

  //===--- Operands that are numbers, words, lists --------------------------//
  /// True if an operand of any kind is given.
  bool given(std::string_view name) const;
  /// A ScalarOrTile operand: number `row` of the column, or the number.
  /// `init` where it is absent. Numbers of arithmetic are rounded to fp32.
  Number scalar(std::string_view name, std::int64_t row, double init = 0);
  bool flag(std::string_view name) const { return integer(name) != 0; }
  std::int64_t integer(std::string_view name, std::int64_t init = 0) const;
  double number(std::string_view name, double init = 0) const;
  std::string_view text(std::string_view name) const;
  std::vector<std::int64_t> list(std::string_view name) const;
  /// An Index operand, of loops and registers; `init` where it is absent.
  std::int64_t index(std::string_view name, std::int64_t init = 0);
  /// The enumerator it names, e.g. choice<isa::AluOp>("op0").
  template <class E> std::optional<E> choice(std::string_view name) const {
    return isa::parse<E>(text(name));
  }
  template <class E> E choice(std::string_view name, E init) const {
    return isa::parse<E>(text(name)).value_or(init);
  }
  /// The engine that it runs on: the one in the call, else the first of the
  /// record.
  isa::Engine engine(isa::Engine init) const;

  void fail(std::string text, Fault::Kind kind = Fault::invalid) {
    machine.fail(kind, std::move(text));
  }
  bool failed() const { return machine.failed(); }
};

/// The list in a field of a call; empty where it is absent.
std::vector<std::int64_t> listOf(const program::InstructionCall &call,
                                 std::string_view name);

/// Calls interpretInstruction for each 128 rows of the result.
void interpretApply(Machine &machine, const Op &op);

/// The meaning of one instruction: in instructions/Instruction.cpp. Loads and
/// stores of registers, semaphores, `while` and instructions that meet other
/// cores are not among them.
void interpretInstruction(Call &call);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_MACHINE_H
