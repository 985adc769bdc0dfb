#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product as a NumPy program over tiles, one call for each tile
instruction: the yardstick for the executor's speed.

The tiles are those of the kernel: a block of 512 rows of a stays, transposed,
while blocks of 512 columns of b stream by; each product is 128 x 128 by
128 x 512 into float32, and products over k are added one after the other.
Operands are bf16 numbers kept as float32; the result is rounded to bf16.

One call for the whole product is timed as well: what BLAS takes when it may
choose blocks and order, and has nothing to move or round.
"""
import argparse
import sys

import numpy_program

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--size", type=int, default=4096)
options = numpy_program.parse(parser)

import numpy as np  # noqa: E402  (after the thread count is set)


def product(a, b):
    size = a.shape[0]
    out = np.empty((size, size), np.float32)
    calls = 0
    for m in range(0, size, 512):
        # On chip a tile is 128 partitions of k.
        stays = [np.ascontiguousarray(a[m:m + 512, k:k + 128].T) for k in range(0, size, 128)]
        for n in range(0, size, 512):
            streams = [np.ascontiguousarray(b[k:k + 128, n:n + 512]) for k in range(0, size, 128)]
            for r in range(0, stays[0].shape[1], 128):
                total = None
                for left, right in zip(stays, streams):
                    part = np.matmul(left[:, r:r + 128].T, right)
                    total = part if total is None else np.add(total, part, out=total)
                out[m + r:m + r + 128, n:n + 512] = numpy_program.to_bf16(total)
                calls += 2 * len(stays) + 1
            calls += len(streams)
        calls += len(stays)
    return out, calls


def main():
    random = np.random.default_rng(7)
    shape = (options.size, options.size)
    a, b = (numpy_program.to_bf16(random.standard_normal(shape, np.float32)) for _ in range(2))
    seconds, (out, calls) = numpy_program.best_of(options.repeat, lambda: product(a, b))
    whole, _ = numpy_program.best_of(options.repeat, lambda: np.matmul(a, b))
    exact = a[:64].astype(np.float64) @ b.astype(np.float64)
    error = np.abs(out[:64] - exact).max() / np.abs(exact).max()
    if not error < 2e-2:
        sys.exit(f"matmul_numpy: wrong result, error {error}")
    print(f"numpy_seconds {seconds:.3f}  calls {calls}  max_error {error:.2e}  "
          f"whole_product_seconds {whole:.3f}")


main()
