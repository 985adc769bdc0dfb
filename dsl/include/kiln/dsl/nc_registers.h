//===- nc_registers.h - The instruction level: registers ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register is an Index whose value is known when the kernel runs: it offsets
// views and bounds loops like the index of a loop. It has one value from its
// load to the end of the body around it; what iterations pass on goes through
// memory. Every stream that uses it has a copy, which the compiler makes.
//
// A view with a register in its offset is checked when the kernel runs; for
// the compiler it may be anywhere in its tensor.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_REGISTERS_H
#define KILN_DSL_NC_REGISTERS_H

#include "kiln/dsl/nc_call.h"

namespace kiln {
namespace nc {

/// A register with the value of one integer, in HBM or on chip. Of u32 it is
/// the 32 bits, as i32.
inline Index register_load(const Source &src, std::string_view name = {},
                           dsl::Where where = dsl::Where::current()) {
  return dsl::recording(where).loadRegister(src.view, name, where);
}
/// dst = src, as a value: an Index may be used in its place.
inline Index register_move(const Index &src) { return src; }
/// a + b, computed in registers. The operators of Index do the same; they have
/// - * / % with constants, too.
inline Index register_add(const Index &a, const Index &b,
                          dsl::Where where = dsl::Where::current()) {
  return dsl::Located<Index>(a, where) + b;
}

struct RegisterStoreOptions {
  std::optional<Engine> engine = {};
  std::string_view name = {};
};
/// Writes an index, of loops or registers, to one integer: its low bits.
inline Instruction register_store(const Target &dst, const Index &src,
                                  const RegisterStoreOptions &o = {},
                                  dsl::Where where = dsl::Where::current()) {
  return Call("register_store", where)
      .view("dst", dst)
      .index("src", src)
      .choice("engine", o.engine)
      .record(o.name);
}

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_REGISTERS_H
