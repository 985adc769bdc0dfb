#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flash attention as a NumPy program over tiles, one call for each tile
instruction: the yardstick for the executor's speed.

The tiles are those of the kernel: 128 rows of q, `--kv-block` rows of k and v in
each step, the online softmax between them; transposes and the contraction over
keys go by 128 as the array demands, products accumulate in float32.
bf16 operands are rounded to bf16 where the kernel rounds them, as the executor
does; `--no-rounding` leaves that out, which is the faster and easier program.
"""
import argparse
import sys

import numpy_program

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seq", type=int, default=4096)
parser.add_argument("--head-dim", type=int, default=128)
parser.add_argument("--heads", type=int, default=1)
parser.add_argument("--kv-block", type=int, default=512)
parser.add_argument("--causal", action="store_true")
parser.add_argument("--no-rounding", action="store_true")
options = numpy_program.parse(parser)

import numpy as np  # noqa: E402  (after the thread count is set)


def to_bf16(tile):
    return tile if options.no_rounding else numpy_program.to_bf16(tile)


def flash(q, k, v, scale, causal, block):
    rows, depth = q.shape
    out = np.empty((rows, depth), np.float32)
    calls = 0
    for i in range(0, rows, 128):
        q_t = np.ascontiguousarray(q[i:i + 128].T)
        height = q_t.shape[1]
        m = np.full((height, 1), -np.inf, np.float32)
        l = np.zeros((height, 1), np.float32)
        acc = np.zeros((height, depth), np.float32)
        last = min(k.shape[0], i + height) if causal else k.shape[0]
        for j in range(0, last, block):
            tiles = range(j, min(j + block, k.shape[0]), 128)
            keys = np.concatenate([np.ascontiguousarray(k[t:t + 128].T) for t in tiles], axis=1)
            s = np.matmul(q_t.T, keys)
            if causal and j + block > i:
                keep = (np.arange(i, i + height)[:, None] >=
                        np.arange(j, j + keys.shape[1])[None, :])
                s = np.where(keep, s, np.float32(-np.inf))
                calls += 2
            top = np.max(s, axis=1, keepdims=True)
            top = np.multiply(top, scale)
            m_new = np.maximum(m, top)
            s = np.multiply(s, scale)
            s = np.subtract(s, m_new)
            p = np.exp(s)
            total = np.sum(p, axis=1, keepdims=True)
            alpha = np.exp(np.subtract(m, m_new))
            l = np.add(np.multiply(l, alpha), total)
            p = to_bf16(p)
            pv = None
            for t in tiles:
                p_t = np.ascontiguousarray(p[:, t - j:t - j + 128].T)
                part = np.matmul(p_t.T, v[t:t + 128])
                pv = part if pv is None else np.add(pv, part)
            acc = np.multiply(acc, alpha)
            acc = np.add(acc, pv)
            m = m_new
            calls += 15 + 4 * len(tiles)
        out[i:i + 128] = to_bf16(np.divide(acc, l))
        calls += 2
    return out, calls


def reference(q, k, v, scale, causal, rows):
    """The first `rows` rows in double precision."""
    s = (q[:rows].astype(np.float64) @ k.astype(np.float64).T) * scale
    if causal:
        s = np.where(np.arange(rows)[:, None] >= np.arange(k.shape[0]), s, -np.inf)
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return (p / p.sum(axis=1, keepdims=True)) @ v.astype(np.float64)


def main():
    random = np.random.default_rng(7)
    shape = (options.seq, options.head_dim)
    q, k, v = (to_bf16(random.standard_normal(shape, np.float32)) for _ in range(3))
    scale = np.float32(options.head_dim ** -0.5)
    seconds, results = numpy_program.best_of(
        options.repeat, lambda: [flash(q, k, v, scale, options.causal, options.kv_block)
                                 for _ in range(options.heads)])
    out, calls = results[-1]
    rows = min(256, options.seq)
    error = np.abs(out[:rows] - reference(q, k, v, scale, options.causal, rows)).max()
    if not error < 2e-2:
        sys.exit(f"flash_numpy: wrong result, error {error}")
    print(f"numpy_seconds {seconds:.3f}  calls {calls * options.heads}  max_error {error:.2e}")


main()
