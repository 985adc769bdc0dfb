//===- kernels.cpp - A bad and a good kernel for each insight -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each has the name of a rule of `kiln profile`. With `good`, it does the same
// work without the cost that the rule finds.
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

#define KERNEL(Name, T, inRows, inCols, outRows, outCols)                      \
  BOOST_HANA_DEFINE_STRUCT(Name, (bool, good));                                \
  static Name defaults() { return {false}; }                                   \
  void describe(Signature &s) const {                                          \
    s.argument("x", {inRows, inCols});                                         \
    s.argument("y", {outRows, outCols});                                       \
  }                                                                            \
  void operator()(In<T, 2> x, Out<T, 2> y) const

// Traffic.

struct Reload {
  KERNEL(Reload, bf16, 128, 4096, 128, 4096) {
    auto kept = load(x);
    // One row for all lanes: 128 times its bytes, and one load of each.
    auto row = load(x.rows_at(0, 1_c).broadcast(0_c, 128_c));
    loop("i", 8, [&](Index i) {
      if (good)
        store(y.cols(i, 512_c), kept.cols(i, 512_c) + row.cols(i, 512_c));
      else {
        auto again = sbuf<bf16>(128_c, 4096_c);
        nc::dma_copy(again, x);
        store(y.cols(i, 512_c), again.cols(i, 512_c) + again.cols(0, 512_c));
      }
    });
  }
};
KILN_EXPORT(reload, Reload)

struct Spill {
  KERNEL(Spill, f32, 128, 8192, 128, 8192) {
    auto scratch = hbm<f32>("scratch", 128, 8192);
    loop("i", 8, [&](Index i) {
      auto t = exp(load(x.cols(i, 1024_c)));
      if (good)
        store(y.cols(i, 1024_c), t + 1.0);
      else
        store(scratch.cols(i, 1024_c), t);
    });
    if (!good)
      loop("j", 8, [&](Index i) {
        store(y.cols(i, 1024_c), load(scratch.cols(i, 1024_c)) + 1.0);
      });
  }
};
KILN_EXPORT(spill, Spill)

struct FewBuffers {
  KERNEL(FewBuffers, f32, 128, 32768, 128, 32768) {
    if (good)
      loop("i", 16, [&](Index i) {
        auto t = sbuf<f32>(128_c, 2048_c);
        nc::dma_copy(t, x.cols(i, 2048_c));
        store(y.cols(i, 2048_c), exp(t));
      });
    else {
      auto t = sbuf<f32>(128_c, 2048_c, at(0, 65536));
      loop("i", 16, [&](Index i) {
        nc::dma_copy(t, x.cols(i, 2048_c));
        store(y.cols(i, 2048_c), exp(t));
      });
    }
  }
};
KILN_EXPORT(few_buffers, FewBuffers)

struct ExposedDma {
  KERNEL(ExposedDma, f32, 128, 512, 128, 512) {
    auto t = load(x);
    if (!good)
      store(y, t + 1.0);
    else { // Much to do for each byte.
      auto sum = t;
      loop("i", 40, [&](Index) { sum = exp(sum) * t; });
      store(y, sum);
    }
  }
};
KILN_EXPORT(exposed_dma, ExposedDma)

struct SbufDma {
  KERNEL(SbufDma, bf16, 128, 8192, 128, 8192) {
    auto t = load(x);
    auto u = sbuf<bf16>(128_c, 8192_c);
    if (good)
      nc::tensor_copy(u, t);
    else
      nc::dma_copy(u, t);
    store(y, u * 2.0);
  }
};
KILN_EXPORT(sbuf_dma, SbufDma)

struct StagingCopy {
  KERNEL(StagingCopy, f32, 128, 2048, 128, 2048) {
    auto t = sbuf<f32>(128_c, 2048_c);
    auto u = sbuf<f32>(128_c, 2048_c);
    nc::activation(t, nc::ActivationFunction::exp, load(x));
    if (!good)
      nc::tensor_copy(u, t, {.engine = nc::Engine::vector});
    nc::dma_copy(y, good ? t : u);
  }
};
KILN_EXPORT(staging_copy, StagingCopy)

// Transfers.

struct TinyDmas {
  KERNEL(TinyDmas, f32, 128, 2048, 128, 2048) {
    if (good)
      store(y, load(x) + 1.0);
    else
      loop("i", 64, [&](Index i) {
        store(y.cols(i, 32_c), load(x.cols(i, 32_c)) + 1.0);
      });
  }
};
KILN_EXPORT(tiny_dmas, TinyDmas)

struct OneRowDma {
  KERNEL(OneRowDma, f32, 128, 4096, 128, 4096) {
    auto t = sbuf<f32>(128_c, 4096_c);
    if (good)
      nc::dma_copy(t, x);
    else
      for (int r = 0; r < 128; r += 8)
        nc::dma_copy(t.rows_at(r, 8_c), x.rows_at(r, 8_c));
    store(y, t + 1.0);
  }
};
KILN_EXPORT(one_row_dma, OneRowDma)

struct ShortRows {
  KERNEL(ShortRows, f32, 1024, 1024, 1024, 64) {
    tiles("rows", 1024, 128_c, [&](Index r, auto n) {
      if (good)
        store(y.rows_at(r, n), load(x.rows_at(r, n)).cols(0, 64_c));
      else
        store(y.rows_at(r, n), load(x.rows_at(r, n).slice(1_c, 0, 64_c, 16)));
    });
  }
};
KILN_EXPORT(short_rows, ShortRows)

struct DmaTranspose {
  KERNEL(DmaTranspose, bf16, 128, 4096, 128, 4096) {
    auto t = load(x);
    auto u = sbuf<bf16>(128_c, 4096_c);
    for (int i = 0; i < 32; ++i)
      if (good)
        u.cols(i, 128_c) = transpose(t.cols(i, 128_c));
      else
        nc::dma_transpose(u.cols(i, 128_c), t.cols(i, 128_c));
    store(y, u);
  }
};
KILN_EXPORT(dma_transpose, DmaTranspose)

struct Descriptors {
  KERNEL(Descriptors, f32, 128, 4096, 128, 4096) {
    const int n = good ? 2048 : 64;
    loop("i", 4096 / n, [&](Index i) {
      auto t = sbuf<f32>(128, n);
      nc::dma_copy(
          t, x.cols(i, n),
          {.dge_mode = nc::DgeMode::hwdge, .engine = nc::Engine::sync});
      nc::dma_copy(
          y.cols(i, n), t,
          {.dge_mode = nc::DgeMode::hwdge, .engine = nc::Engine::sync});
    });
  }
};
KILN_EXPORT(descriptors, Descriptors)

// Products.

template <class T> struct Product {
  BOOST_HANA_DEFINE_STRUCT(Product, (int, m), (int, k), (int, n), (int, times));
  static Product defaults() { return {128, 128, 512, 64}; }
  void describe(Signature &s) const {
    s.argument("a", {k, m});
    s.argument("b", {k, n});
    s.argument("y", {m, n});
  }
  void operator()(In<T, 2> a, In<T, 2> b, Out<f32, 2> y) const {
    auto left = load(a);
    auto right = load(b);
    auto sum = psum<f32>(m, n);
    for (int i = 0; i < times; ++i)
      nc::nc_matmul(sum, left, right, {.accumulate = i > 0});
    store(y, sum);
  }
};
KILN_EXPORT(product, Product<bf16>, Product<f32>)

struct PeTransposes {
  KERNEL(PeTransposes, bf16, 128, 512, 128, 512) {
    auto t = load(x);
    auto p = psum<f32>(128_c, 512_c);
    auto q = psum<bf16>(128_c, 512_c);
    for (int i = 0; i < 64; ++i) {
      if (!good)
        nc::nc_transpose(q.cols(i % 4, 128_c), t.cols(i % 4, 128_c));
      nc::nc_matmul(p, t.cols(i % 4, 128_c), t, {.accumulate = i > 0});
    }
    if (good)
      store(y, cast<bf16>(p));
    else
      store(y, cast<bf16>(p + q));
  }
};
KILN_EXPORT(pe_transposes, PeTransposes)

// Instructions of the other engines.

struct ShortInstructions {
  KERNEL(ShortInstructions, f32, 128, 2048, 128, 2048) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 2048_c);
    const int n = good ? 2048 : 16;
    for (int i = 0; i < 2048 / n; ++i)
      nc::tensor_scalar(u.cols(i, n), t.cols(i, n), nc::AluOp::add, 1.0,
                        {.engine = nc::Engine::vector});
    store(y, u);
  }
};
KILN_EXPORT(short_instructions, ShortInstructions)

struct PsumCopies {
  KERNEL(PsumCopies, bf16, 128, 512, 128, 512) {
    auto t = load(x);
    auto p = psum<f32>(128_c, 512_c);
    auto u = sbuf<bf16>(128_c, 512_c);
    loop("i", 8, [&](Index) {
      nc::nc_matmul(p, t.cols(0, 128_c), t);
      const int n = good ? 512 : 16;
      for (int j = 0; j < 512 / n; ++j)
        nc::tensor_copy(u.cols(j, n), p.cols(j, n),
                        {.engine = nc::Engine::vector});
    });
    store(y, u);
  }
};
KILN_EXPORT(psum_copies, PsumCopies)

struct FewPartitions {
  KERNEL(FewPartitions, f32, 128, 4096, 128, 4096) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 4096_c);
    const int n = good ? 128 : 32;
    for (int r = 0; r < 128; r += n)
      for (int j = 0; j < 4; ++j)
        nc::activation(u.rows_at(r, n).cols(j, 1024_c),
                       nc::ActivationFunction::exp,
                       t.rows_at(r, n).cols(j, 1024_c));
    store(y, u);
  }
};
KILN_EXPORT(few_partitions, FewPartitions)

struct SlowMode {
  BOOST_HANA_DEFINE_STRUCT(SlowMode, (bool, good));
  static SlowMode defaults() { return {false}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 4096});
    s.argument("y", {128, 4096});
  }
  void operator()(In<bf16, 2> x, Out<bf16, 2> y) const {
    auto t = load(x);
    auto wide = sbuf<f32>(128_c, 4096_c);
    auto narrow = sbuf<bf16>(128_c, 4096_c);
    for (int i = 0; i < 8; ++i)
      if (good)
        nc::tensor_scalar(narrow, t, nc::AluOp::add, 1.0 + i,
                          {.engine = nc::Engine::vector});
      else
        nc::tensor_scalar(wide, t, nc::AluOp::add, 1.0 + i,
                          {.engine = nc::Engine::vector});
    if (good)
      store(y, narrow);
    else
      store(y, cast<bf16>(wide));
  }
};
KILN_EXPORT(slow_mode, SlowMode)

struct Stride {
  KERNEL(Stride, f32, 128, 4096, 128, 512) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 512_c);
    for (int i = 0; i < 8; ++i)
      nc::activation(u, nc::ActivationFunction::exp,
                     good ? t.slice(1, 0, 512, 1) : t.slice(1, 0, 512, 8));
    store(y, u);
  }
};
KILN_EXPORT(stride, Stride)

struct SlowEngine {
  KERNEL(SlowEngine, f32, 128, 4096, 128, 4096) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 4096_c);
    nc::tensor_copy(u, t,
                    {.engine = good ? nc::Engine::vector : nc::Engine::gpsimd});
    store(y, u);
  }
};
KILN_EXPORT(slow_engine, SlowEngine)

struct PartitionReduce {
  KERNEL(PartitionReduce, f32, 128, 2048, 1, 2048) {
    auto t = load(x);
    auto u = sbuf<f32>(1_c, 2048_c);
    if (good)
      store(y, col_sum(t));
    else {
      nc::tensor_partition_reduce(u, nc::AluOp::add, t);
      store(y, u);
    }
  }
};
KILN_EXPORT(partition_reduce, PartitionReduce)

struct ReciprocalOnVector {
  KERNEL(ReciprocalOnVector, f32, 128, 8192, 128, 8192) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 8192_c);
    if (good)
      nc::activation(u, nc::ActivationFunction::reciprocal, t);
    else
      nc::reciprocal(u, t);
    store(y, u);
  }
};
KILN_EXPORT(reciprocal, ReciprocalOnVector)

// In a row.

struct Unfused {
  KERNEL(Unfused, f32, 128, 1024, 128, 1024) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 1024_c, at(0, 65536));
    for (int i = 0; i < 8; ++i)
      if (good)
        nc::tensor_scalar(t, t, nc::AluOp::multiply, 2.0,
                          {.op1 = nc::AluOp::add,
                           .operand1 = 1.0,
                           .engine = nc::Engine::vector});
      else {
        nc::tensor_copy(u, t, {.engine = nc::Engine::vector});
        nc::tensor_scalar(t, u, nc::AluOp::add, 1.0,
                          {.engine = nc::Engine::vector});
      }
    store(y, t);
  }
};
KILN_EXPORT(unfused, Unfused)

struct TableSwitches {
  KERNEL(TableSwitches, f32, 128, 1024, 128, 1024) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 1024_c);
    for (int i = 0; i < 16; ++i) {
      const bool root = good ? i >= 8 : i % 2 == 1;
      nc::activation(u.cols(i, 64_c),
                     root ? nc::ActivationFunction::sqrt
                          : nc::ActivationFunction::exp,
                     t.cols(i, 64_c));
    }
    store(y, u);
  }
};
KILN_EXPORT(table_switches, TableSwitches)

struct DependentChain {
  KERNEL(DependentChain, f32, 128, 64, 128, 64) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 64_c);
    nc::tensor_copy(u, t, {.engine = nc::Engine::vector});
    for (int i = 0; i < 64; ++i)
      if (good)
        nc::tensor_scalar(u.cols(i, 1_c), t.cols(i, 1_c), nc::AluOp::add, 1.0,
                          {.engine = nc::Engine::vector});
      else
        nc::tensor_scalar(u.cols(0, 1_c), u.cols(0, 1_c), nc::AluOp::add, 1.0,
                          {.engine = nc::Engine::vector});
    store(y, u);
  }
};
KILN_EXPORT(dependent_chain, DependentChain)

struct LoopOverhead {
  KERNEL(LoopOverhead, bf16, 128, 512, 128, 512) {
    auto p = psum<f32>(128_c, 512_c);
    auto w = sbuf<bf16>(128_c, 128_c);
    auto t = sbuf<bf16>(128_c, 512_c);
    nc::dma_copy(w, x.cols_at(0, 128_c));
    nc::dma_copy(t, x);
    nc::nc_matmul(p, w, t);
    const int n = good ? 512 : 2;
    loop("i", 2048 / n, [&](Index) {
      nc::nc_matmul(p.cols_at(0, n), w, t.cols_at(0, n), {.accumulate = true});
    });
    store(y, cast<bf16>(p));
  }
};
KILN_EXPORT(loop_overhead, LoopOverhead)

// Engines among each other.

struct SerialEngines {
  KERNEL(SerialEngines, f32, 128, 16384, 128, 16384) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 1024_c, at(0, 65536));
    auto v = sbuf<f32>(128_c, 16384_c);
    for (int i = 0; i < 16; ++i) {
      if (good) {
        nc::activation(v.cols(i, 1024_c), nc::ActivationFunction::exp,
                       t.cols(i, 1024_c));
        continue;
      }
      nc::activation(u, nc::ActivationFunction::exp, t.cols(i, 1024_c));
      nc::tensor_tensor(v.cols(i, 1024_c), u, u, nc::AluOp::add,
                        {.engine = nc::Engine::vector});
    }
    store(y, v);
  }
};
KILN_EXPORT(serial_engines, SerialEngines)

struct BankConflicts {
  KERNEL(BankConflicts, bf16, 128, 512, 128, 512) {
    auto t = load(x);
    auto p = psum<f32>(128_c, 512_c, bank(0));
    auto q = psum<f32>(128_c, 512_c, bank(1));
    auto u = sbuf<f32>(128_c, 512_c);
    auto v = sbuf<f32>(128_c, 512_c);
    nc::nc_matmul(p, t.cols(0, 128_c), t);
    nc::nc_matmul(q, t.cols(0, 128_c), t);
    for (int i = 0; i < 16; ++i) {
      nc::activation(u, nc::ActivationFunction::exp, p);
      nc::tensor_scalar(v, good ? q : p, nc::AluOp::add, 1.0,
                        {.engine = nc::Engine::vector});
    }
    store(y, cast<bf16>(u + v));
  }
};
KILN_EXPORT(bank_conflicts, BankConflicts)

struct PortConflicts {
  KERNEL(PortConflicts, bf16, 128, 8192, 128, 8192) {
    auto t = load(x);
    auto u = sbuf<bf16>(128_c, 8192_c);
    auto v = sbuf<f32>(128_c, 2048_c);
    for (int i = 0; i < 8; ++i) {
      nc::tensor_scalar(u, t, nc::AluOp::add, 1.0,
                        {.engine = nc::Engine::vector});
      if (!good)
        nc::memset(v, 0.0, {.engine = nc::Engine::gpsimd});
    }
    store(y, u);
  }
};
KILN_EXPORT(port_conflicts, PortConflicts)
