#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the executor on flash attention against flash_numpy.py.

Compiles the library kernel once and runs the binary with executor-bench, which
times the execution alone, as flash_numpy.py times its tiles alone. Both get the
same number of threads. A whole `kiln run` process, which also starts and makes
random inputs, is printed for information.
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
parser.add_argument("--threads", type=int, default=1, help="of both sides")
parser.add_argument("--bench", help="executor-bench; default next to the tests of the build of --kiln")
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


def blas():
    """The BLAS library that NumPy loads here."""
    import numpy  # noqa: F401
    found = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "blas" in line}
    return ", ".join(sorted(pathlib.Path(name).name for name in found)) or "no BLAS found"


def main():
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binary = compile_kernel(folder, options.seq, options.heads)
        bench = options.bench or pathlib.Path(options.kiln).resolve().parents[1] / "test-bin" / "executor-bench"
        words = run([bench, binary, options.repeat, options.threads])[1].split()
        checked, plain = float(words[1]), float(words[3])
        whole = best([options.kiln, "run", binary, "--random-seed", "1"])
    command = [sys.executable, here / "flash_numpy.py", "--seq", options.seq,
               "--head-dim", options.head_dim, "--heads", options.heads,
               "--repeat", options.repeat, "--kv-block", options.kv_block, "--threads", options.threads]
    numpy = float(run(command + (["--causal"] if options.causal else []))[1].split()[1])
    print(f"NumPy, same tiles  {numpy:8.3f} s   {options.threads} thread(s), {blas()}")
    print(f"executor, checks   {checked:8.3f} s   {numpy / checked:5.2f} x NumPy")
    print(f"executor, none     {plain:8.3f} s   {numpy / plain:5.2f} x NumPy")
    print(f"kiln run, whole    {whole:8.3f} s")


main()
