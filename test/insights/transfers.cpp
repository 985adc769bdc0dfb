//===- transfers.cpp - What moves between memories ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel.h"

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
  KERNEL(ExposedDma, f32, 128, 4096, 128, 4096) {
    const int n = good ? 512 : 4096;
    loop("i", 4096 / n, [&](Index i) {
      auto t = sbuf<f32>(128, n);
      nc::dma_copy(t, x.cols(i, n));
      for (int j = 0; j < 20; ++j)
        nc::activation(t, nc::ActivationFunction::exp, t);
      nc::dma_copy(y.cols(i, n), t);
    });
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
