//===- program.h - What a kernel recorded: a plain value ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running a kernel struct records a Program. It is everything that the language
// hands to the compiler. It holds no pointers and no callbacks, and it can be
// printed (program_text.h) and parsed back.
//
// Values. Every operation refers to values by number. There are three kinds:
//  * HBM tensors: the arguments and scratch tensors;
//  * tiles: immutable results of tile operations, dim 0 = rows (partition
//    axis), the rest free; they have no memory until the compiler gives one;
//  * buffers: mutable tiles. A `declare` operation makes one. Variables that
//    are assigned, and everything the instruction level names, are buffers.
// A view is an operand, not a value: (value, offset, sizes, strides), so chains
// of slice / select / permute / reshape / broadcast are already folded.
//
// The operations and what each has are in program_operations.h.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_H
#define KILN_PROGRAM_H

#include "kiln/program_operations.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::program {

//===----------------------------------------------------------------------===//
// Index expressions: integers that may depend on enclosing loops
//===----------------------------------------------------------------------===//

struct IndexNode {
  IndexKind kind = IndexKind::constant;
  std::int64_t value = 0;
  Id lhs = none;
  Id rhs = none;
  friend bool operator==(const IndexNode &, const IndexNode &) = default;
};

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// Where the user's code calls a function of the user's.
struct CallSite {
  std::string file;
  std::uint32_t line = 0;
  friend bool operator==(const CallSite &, const CallSite &) = default;
  friend auto operator<=>(const CallSite &, const CallSite &) = default;
};

struct Location {
  std::string file;
  std::uint32_t line = 0; ///< No column: compilers see different ones.
  std::string scopes;     ///< Open scopes and loop names, joined by '/'.
  /// In a helper: its call, the call of its caller, and so on up to the
  /// kernel's operator(). Calls that the language makes, as of a loop's body,
  /// are left out.
  std::vector<CallSite> callers{};
  friend bool operator==(const Location &, const Location &) = default;
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

struct Value {
  ValueKind kind = ValueKind::tile;
  DType dtype = DType::f32;
  Space space = Space::sbuf; ///< tensors: hbm; tiles: sbuf, meaningless
  std::vector<std::int64_t> shape;
  std::string name;    ///< User's name, may be empty.
  bool shared = false; ///< tensors: scratch that the cores of a rank share
  friend bool operator==(const Value &, const Value &) = default;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

struct Op {
  Operation operation;
  Order order;
  Id result = none;     ///< Index into Program::values.
  Id location = none;   ///< Index into Program::locations.
  std::string name;     ///< The user's name for it: name("x").
  std::vector<Op> body; ///< Only a Loop has one.

  OpKind kind() const { return static_cast<OpKind>(operation.index()); }
  template <class T> bool is() const {
    return std::holds_alternative<T>(operation);
  }
  template <class T> const T *getIf() const {
    return std::get_if<T>(&operation);
  }
  template <class T> T *getIf() { return std::get_if<T>(&operation); }
  template <class T> const T &as() const { return std::get<T>(operation); }
  template <class T> T &as() { return std::get<T>(operation); }

  /// An instruction, or one on tiles.
  const InstructionCall *call() const {
    if (const auto *instruction = getIf<Instruction>())
      return instruction;
    return getIf<Apply>();
  }
  InstructionCall *call() {
    return const_cast<InstructionCall *>(std::as_const(*this).call());
  }
  /// Empty unless it is an instruction.
  std::string_view mnemonic() const {
    const InstructionCall *found = call();
    return found ? std::string_view(found->mnemonic) : std::string_view();
  }

  friend bool operator==(const Op &, const Op &) = default;
};

/// Parameters as the command line, the cache key and the profile show them.
struct Parameter {
  std::string name;
  std::string value;
  friend bool operator==(const Parameter &, const Parameter &) = default;
};

/// Where the memory of operations has to lie.
struct MemoryScope {
  /// Bytes of each partition of SBUF or banks of PSUM, `begin` to `end` - 1.
  struct Limit {
    std::string name; ///< Of the allocate_in that set it.
    std::int64_t begin = 0, end = 0;
    friend bool operator==(const Limit &, const Limit &) = default;
  };
  std::optional<Limit> sbuf, psum; ///< None: anywhere.
  friend bool operator==(const MemoryScope &, const MemoryScope &) = default;
};

struct Argument {
  Id value = none;
  ArgumentKind kind = ArgumentKind::input;
  /// Of random values for it.
  double deviation = 1;
  friend bool operator==(const Argument &, const Argument &) = default;
};

struct Program {
  std::string kernel;
  std::vector<Parameter> parameters;
  std::vector<Argument> arguments; ///< HBM tensors, in order.
  std::vector<Value> values;
  std::vector<IndexNode> indices;
  std::vector<Location> locations;
  std::vector<std::string> semaphores; ///< Names of the kernel's own.
  /// Each is complete: an inner one has the limits of those around it.
  std::vector<MemoryScope> memoryScopes;
  std::vector<Op> body;
  /// Useful floating point operations, declared by the kernel; 0 = unknown.
  std::int64_t flops = 0;
  /// Tokens that a run completes, declared by the kernel; 0 = unknown.
  std::int64_t tokens = 0;
  /// Its outermost scopes are parts, whose times a profile shows.
  bool hasParts = false;
  /// Decisions on engines, stages and order that the kernel's struct makes, as
  /// text (schedule.h); empty: the compiler makes them.
  std::string schedule;
  /// The core of a rank that it is for, and the number of cores of a rank.
  std::uint32_t core = 0, cores = 1;
  /// The generation that it was recorded for, if the kernel asked for it. Then
  /// it is for no other.
  std::optional<isa::Generation> generation;
  friend bool operator==(const Program &, const Program &) = default;
};

} // namespace kiln::program

#endif // KILN_PROGRAM_H
