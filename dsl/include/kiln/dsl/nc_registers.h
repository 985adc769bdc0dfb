//===- nc_registers.h - The instruction level: registers ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register is an Index whose value is known when the kernel runs: it can
// offset views and bound loops like the index of a loop. It has one value from
// its load to the end of the body around it; to pass a value on to another
// iteration, store it in memory. The compiler makes a copy for every stream
// that uses it.
//
// A view with a register in its offset is checked at run time. The compiler
// assumes that it may be anywhere in its tensor.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_REGISTERS_H
#define KILN_DSL_NC_REGISTERS_H

#include "kiln/dsl/nc_call.h"

namespace kiln {
namespace nc {

/// A register with the value of one integer in HBM or on chip. A u32 gives its
/// 32 bits as i32.
inline Index register_load(const Source &src, std::string_view name = {},
                           dsl::Where where = dsl::Where::current()) {
  return dsl::recording(where).loadRegister(src.view, name, where);
}
/// dst = src, as a value: you may use the Index itself instead.
inline Index register_move(const Index &src) { return src; }
/// a + b, computed in registers. The operators of Index do the same, and also
/// offer - * / % with constants.
inline Index register_add(const Index &a, const Index &b,
                          dsl::Where where = dsl::Where::current()) {
  return dsl::Located<Index>(a, where) + b;
}

struct RegisterStoreOptions {
  Optional<Engine> engine = {};
  std::string_view name = {};
};
/// Stores the low bits of an index (of loops or registers) to one integer.
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
