# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the NumPy programs over tiles share. NumPy reads the number of threads
when it is imported: call parse() before that."""
import os
import time


def parse(parser):
    """The options, with --repeat and --threads among them."""
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    return options


def to_bf16(tile):
    """Rounds float32 to nearest even bf16, kept as float32."""
    bits = tile.view("uint32")
    return ((bits + (0x7FFF + ((bits >> 16) & 1))) & 0xFFFF0000).view("float32")


def best_of(repeat, work):
    """Seconds of the fastest run, and what the last one returned."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
    return min(times), result
