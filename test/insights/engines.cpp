//===- engines.cpp - What the other engines do --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel.h"

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

struct DynamicCopy {
  KERNEL(DynamicCopy, f32, 128, 1024, 128, 512) {
    // 16 blocks of 32 columns, whose places are numbers in memory.
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 512_c);
    if (good) { // A list for each 16 lanes.
      auto places = sbuf<u16>(128_c, 1_c);
      nc::iota(places, {{0, 1}}, {.channel_multiplier = 64});
      nc::tensor_scalar(places, places, nc::AluOp::bitwise_and, 1023);
      nc::local_gather(u, t, places, {.num_elem_per_idx = 32});
    } else {
      auto places = sbuf<i32>(1_c, 16_c);
      nc::iota(places, {{64, 16}});
      for (int i = 0; i < 16; ++i) {
        const Index at = nc::register_load(places.cols(i, 1_c));
        nc::tensor_copy(u.cols(i, 32_c), t.cols_at(max(min(at, 992), 0), 32_c),
                        {.engine = nc::Engine::vector});
      }
    }
    store(y, u);
  }
};
KILN_EXPORT(dynamic_copy, DynamicCopy)

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
    auto v = sbuf<f32>(128_c, 8192_c);
    nc::tensor_scalar(v, t, nc::AluOp::add, 1.0,
                      {.engine = nc::Engine::vector});
    nc::tensor_scalar(v, v, nc::AluOp::multiply, 3.0,
                      {.engine = nc::Engine::vector});
    if (good)
      nc::activation(u, nc::ActivationFunction::reciprocal, t);
    else
      nc::reciprocal(u, t);
    store(y, u + v);
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

struct Fetch {
  KERNEL(Fetch, f32, 128, 64, 128, 64) {
    auto t = load(x);
    auto u = sbuf<f32>(128_c, 64_c);
    const auto step = [&](int i) {
      nc::tensor_scalar(u.cols(i % 64, 1_c), t.cols(i % 64, 1_c),
                        nc::AluOp::add, 1.0, {.engine = nc::Engine::vector});
    };
    if (good)
      loop("i", 32, [&](Index) {
        for (int j = 0; j < 64; ++j)
          step(j);
      });
    else
      loop("i", 4, [&](Index) {
        for (int j = 0; j < 512; ++j)
          step(j);
      });
    store(y, u);
  }
};
KILN_EXPORT(fetch, Fetch)

// Engines among each other.

struct SerialEngines {
  KERNEL(SerialEngines, f32, 128, 16384, 128, 16384) {
    auto t = load(x);
    auto even = sbuf<f32>(128_c, 1024_c, at(0, 65536));
    auto odd = sbuf<f32>(128_c, 1024_c, at(0, 69632));
    auto v = sbuf<f32>(128_c, 16384_c);
    for (int i = 0; i < 16; ++i) {
      auto u = good && i % 2 ? odd : even;
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
    if (good) // While the load is under way.
      nc::memset(v, 0.0, {.engine = nc::Engine::gpsimd});
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

struct Imbalance {
  KERNEL(Imbalance, f32, 1024, 2048, 1024, 2048) {
    const int own = good ? 4 : program_id() == 0 ? 6 : 2;
    const int first = program_id() == 0 ? 0 : 8 - own;
    loop("rows", own, [&](Index i) {
      store(y.rows(i + first, 128_c), exp(exp(load(x.rows(i + first, 128_c)))));
    });
  }
};
KILN_EXPORT(imbalance, Imbalance)

// Ranks among each other.

struct ExposedCollectives {
  KERNEL(ExposedCollectives, bf16, 128, 512, 128, 512) {
    auto t = load(x);
    auto sum = sbuf<bf16>(128_c, 512_c);
    nc::all_reduce(t, sum, nc::ranks_to(4), nc::AluOp::add);
    auto p = psum<f32>(128_c, 512_c);
    for (int i = 0; i < 64; ++i)
      if (i == (good ? 63 : 0)) // The sum comes last, or first.
        nc::nc_matmul(p, t.cols(0, 128_c), sum, {.accumulate = i > 0});
      else
        nc::nc_matmul(p, t.cols(i % 4, 128_c), t, {.accumulate = i > 0});
    store(y, cast<bf16>(p));
  }
};
KILN_EXPORT(exposed_collectives, ExposedCollectives)
