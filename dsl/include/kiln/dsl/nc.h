//===- nc.h - The instruction level: one call, one instruction ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destination first, operands named as in the instruction manual, options by
// designated initialiser:
//
//   nc::activation(dst, ActivationFunction::exp, data, {.bias = b});
//
// Operands are buffers, tiles and views; DMA takes HBM views too. A tile that
// is written becomes a variable. Registers are in nc_registers.h, semaphores in
// nc_semaphores.h. A call returns the instruction, to which order.h attaches
// waits, signals and order.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_H
#define KILN_DSL_NC_H

#include "kiln/dsl/nc_call.h"

namespace kiln {
namespace nc {

/// Options of instructions without operands of their own to choose.
struct Options {
  std::optional<Engine> engine = {};
  std::string_view name = {};
};

//===----------------------------------------------------------------------===//
// Tensor engine
//===----------------------------------------------------------------------===//

struct MatmulOptions {
  bool accumulate = false;
  bool is_transpose = false;
  std::string_view name = {};
};
/// dst[m, n] (+)= sum over k of stationary[k, m] * moving[k, n]
inline Instruction nc_matmul(const Target &dst, const Source &stationary,
                             const Source &moving, const MatmulOptions &o = {},
                             dsl::Where where = dsl::Where::current()) {
  return Call("nc_matmul", where)
      .view("dst", dst.view)
      .view("stationary", stationary.view)
      .view("moving", moving.view)
      .integer("accumulate", o.accumulate)
      .integer("is_transpose", o.is_transpose)
      .record(o.name);
}
/// dst[f, p] = data[p, f]
inline Instruction nc_transpose(const Target &dst, const Source &data,
                                const Options &o = {},
                                dsl::Where where = dsl::Where::current()) {
  return Call("nc_transpose", where)
      .view("dst", dst.view)
      .view("data", data.view)
      .choice("engine", o.engine)
      .record(o.name);
}

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

struct ActivationOptions {
  std::optional<ScalarOrTile> bias = {};
  ScalarOrTile scale = 1.0;
  std::optional<AluOp> reduce_op = {};
  std::optional<Target> reduce_res = {};
  ReduceCommand reduce_cmd = ReduceCommand::idle;
  std::string_view name = {};
};
/// dst = op(scale * data + bias), with an optional row sum.
inline Instruction activation(const Target &dst, ActivationFunction op,
                              const Source &data,
                              const ActivationOptions &o = {},
                              dsl::Where where = dsl::Where::current()) {
  return Call("activation", where)
      .view("dst", dst.view)
      .choice("op", op)
      .view("data", data.view)
      .scalar("bias", o.bias)
      .scalar("scale", o.scale)
      .choice("reduce_op", o.reduce_op)
      .view("reduce_res", o.reduce_res)
      .choice("reduce_cmd", o.reduce_cmd)
      .record(o.name);
}

/// dst = data1 op data2
inline Instruction tensor_tensor(const Target &dst, const Source &data1,
                                 const Source &data2, AluOp op,
                                 const Options &o = {},
                                 dsl::Where where = dsl::Where::current()) {
  return Call("tensor_tensor", where)
      .view("dst", dst.view)
      .view("data1", data1.view)
      .view("data2", data2.view)
      .choice("op", op)
      .choice("engine", o.engine)
      .record(o.name);
}

struct TensorScalarOptions {
  bool reverse0 = false;
  std::optional<AluOp> op1 = {};
  std::optional<ScalarOrTile> operand1 = {};
  bool reverse1 = false;
  std::optional<Engine> engine = {};
  std::string_view name = {};
};
/// dst = (data op0 operand0) op1 operand1; operand0 is absent for a unary op0.
inline Instruction tensor_scalar(const Target &dst, const Source &data,
                                 AluOp op0,
                                 const std::optional<ScalarOrTile> &operand0,
                                 const TensorScalarOptions &o = {},
                                 dsl::Where where = dsl::Where::current()) {
  return Call("tensor_scalar", where)
      .view("dst", dst.view)
      .view("data", data.view)
      .choice("op0", op0)
      .scalar("operand0", operand0)
      .integer("reverse0", o.reverse0)
      .choice("op1", o.op1)
      .scalar("operand1", o.operand1)
      .integer("reverse1", o.reverse1)
      .choice("engine", o.engine)
      .record(o.name);
}

struct ScalarTensorTensorOptions {
  bool reverse0 = false;
  bool reverse1 = false;
  std::string_view name = {};
};
/// dst = (data op0 operand0) op1 operand1, operand1 a tile.
inline Instruction
scalar_tensor_tensor(const Target &dst, const Source &data, AluOp op0,
                     const ScalarOrTile &operand0, AluOp op1,
                     const Source &operand1,
                     const ScalarTensorTensorOptions &o = {},
                     dsl::Where where = dsl::Where::current()) {
  return Call("scalar_tensor_tensor", where)
      .view("dst", dst.view)
      .view("data", data.view)
      .choice("op0", op0)
      .scalar("operand0", operand0)
      .choice("op1", op1)
      .view("operand1", operand1.view)
      .integer("reverse0", o.reverse0)
      .integer("reverse1", o.reverse1)
      .record(o.name);
}

/// dst = 1 / data
inline Instruction reciprocal(const Target &dst, const Source &data,
                              std::string_view name = {},
                              dsl::Where where = dsl::Where::current()) {
  return Call("reciprocal", where)
      .view("dst", dst.view)
      .view("data", data.view)
      .record(name);
}

struct TensorReduceOptions {
  int axes = 1;
  bool negate = false;
  std::string_view name = {};
};
/// Reduces the trailing free dimensions of data.
inline Instruction tensor_reduce(const Target &dst, AluOp op,
                                 const Source &data,
                                 const TensorReduceOptions &o = {},
                                 dsl::Where where = dsl::Where::current()) {
  return Call("tensor_reduce", where)
      .view("dst", dst.view)
      .choice("op", op)
      .view("data", data.view)
      .integer("axes", o.axes)
      .integer("negate", o.negate)
      .record(o.name);
}

//===----------------------------------------------------------------------===//
// Moving data, patterns, selection
//===----------------------------------------------------------------------===//

struct DmaOptions {
  std::optional<int> queue = {};
  DgeMode dge_mode = DgeMode::unknown;
  std::optional<Engine> engine = {};
  std::string_view name = {};
};
inline Instruction recordDma(const char *mnemonic, const Target &dst,
                             const Source &src, const DmaOptions &o,
                             const dsl::Where &where) {
  Call call(mnemonic, where);
  call.view("dst", dst.view).view("src", src.view);
  if (o.queue)
    call.integer("queue", *o.queue);
  return call.choice("dge_mode", o.dge_mode)
      .choice("engine", o.engine)
      .record(o.name);
}
/// dst[i] = src[i], between HBM and SBUF or within one.
inline Instruction dma_copy(const Target &dst, const Source &src,
                            const DmaOptions &o = {},
                            dsl::Where where = dsl::Where::current()) {
  return recordDma("dma_copy", dst, src, o, where);
}
/// dst[f, p] = src[p, f]
inline Instruction dma_transpose(const Target &dst, const Source &src,
                                 const DmaOptions &o = {},
                                 dsl::Where where = dsl::Where::current()) {
  return recordDma("dma_transpose", dst, src, o, where);
}

inline Instruction tensor_copy(const Target &dst, const Source &src,
                               const Options &o = {},
                               dsl::Where where = dsl::Where::current()) {
  return Call("tensor_copy", where)
      .view("dst", dst.view)
      .view("src", src.view)
      .choice("engine", o.engine)
      .record(o.name);
}
inline Instruction memset(const Target &dst, double value,
                          const Options &o = {},
                          dsl::Where where = dsl::Where::current()) {
  return Call("memset", where)
      .view("dst", dst.view)
      .number("value", value)
      .choice("engine", o.engine)
      .record(o.name);
}

struct IotaOptions {
  Index offset = 0;
  int channel_multiplier = 0;
  std::string_view name = {};
};
/// dst[p, i..] = offset + p * channel_multiplier + sum(i * step)
inline Instruction iota(const Target &dst, const Pattern &pattern,
                        const IotaOptions &o = {},
                        dsl::Where where = dsl::Where::current()) {
  return Call("iota", where)
      .view("dst", dst.view)
      .pattern("pattern", pattern)
      .index("offset", o.offset)
      .integer("channel_multiplier", o.channel_multiplier)
      .record(o.name);
}

struct AffineSelectOptions {
  AluOp cmp_op = AluOp::equal;
  Index offset = 0;
  std::string_view name = {};
};
/// dst = (offset + p * channel_multiplier + sum(i * step)) cmp_op 0
///           ? on_true_tile : on_false_value
inline Instruction affine_select(const Target &dst, const Pattern &pattern,
                                 int channel_multiplier,
                                 const Source &on_true_tile,
                                 double on_false_value,
                                 const AffineSelectOptions &o = {},
                                 dsl::Where where = dsl::Where::current()) {
  return Call("affine_select", where)
      .view("dst", dst.view)
      .pattern("pattern", pattern)
      .integer("channel_multiplier", channel_multiplier)
      .view("on_true_tile", on_true_tile.view)
      .number("on_false_value", on_false_value)
      .choice("cmp_op", o.cmp_op)
      .index("offset", o.offset)
      .record(o.name);
}

struct SelectReduceOptions {
  std::optional<Target> reduce_res = {};
  ReduceCommand reduce_cmd = ReduceCommand::idle;
  bool reverse_pred = false;
  std::string_view name = {};
};
/// dst = predicate ? on_true : on_false, with an optional row maximum.
inline Instruction select_reduce(const Target &dst, const Source &predicate,
                                 const Source &on_true,
                                 const ScalarOrTile &on_false,
                                 const SelectReduceOptions &o = {},
                                 dsl::Where where = dsl::Where::current()) {
  return Call("select_reduce", where)
      .view("dst", dst.view)
      .view("predicate", predicate.view)
      .view("on_true", on_true.view)
      .scalar("on_false", on_false)
      .view("reduce_res", o.reduce_res)
      .choice("reduce_cmd", o.reduce_cmd)
      .integer("reverse_pred", o.reverse_pred)
      .record(o.name);
}

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_H
