#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the executor on flash attention against flash_numpy.py.

Compiles the library kernel once, then runs the binary with checks, without
checks, and in time only (`kiln profile`). Everything is measured as a whole
process; `startup` is what a one-tile kernel takes and is not taken off.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--kiln", default="build/release/bin/kiln")
parser.add_argument("--seq", type=int, default=4096)
parser.add_argument("--head-dim", type=int, default=128)
parser.add_argument("--heads", type=int, default=1)
parser.add_argument("--causal", action="store_true")
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--kv-block", type=int, default=512)
options = parser.parse_args()


def run(command):
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    took = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return took, done.stdout


def best(command):
    return min(run(command)[0] for _ in range(options.repeat))


def compile_kernel(folder, seq, heads):
    binary = folder / f"flash_{seq}.kbin"
    run([options.kiln, "compile", "flash_attention", "--target", "trn2",
         f"--heads={heads}", f"--kv-heads={heads}", f"--seq-q={seq}", f"--seq-k={seq}",
         f"--head-dim={options.head_dim}", f"--causal={str(options.causal).lower()}",
         "-o", binary])
    return binary


def main():
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binary = compile_kernel(folder, options.seq, options.heads)
        tiny = compile_kernel(folder, 128, 1)
        startup = best([options.kiln, "run", tiny, "--random-seed", "1"])
        checked = best([options.kiln, "run", binary, "--random-seed", "1", "--checks"])
        plain = best([options.kiln, "run", binary, "--random-seed", "1", "--no-checks"])
        timed = best([options.kiln, "profile", binary])
    command = [sys.executable, here / "flash_numpy.py", "--seq", options.seq,
               "--head-dim", options.head_dim, "--heads", options.heads,
               "--repeat", options.repeat, "--kv-block", options.kv_block]
    numpy = float(run(command + (["--causal"] if options.causal else []))[1].split()[1])
    print(f"startup            {startup:8.3f} s")
    print(f"NumPy, same tiles  {numpy:8.3f} s")
    print(f"kiln, checks       {checked:8.3f} s   {numpy / checked:5.2f} x NumPy")
    print(f"kiln, no checks    {plain:8.3f} s   {numpy / plain:5.2f} x NumPy")
    print(f"kiln profile       {timed:8.3f} s")


main()
