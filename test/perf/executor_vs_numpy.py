#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the executor against NumPy programs that run the same tiles.

Compiles a library kernel and runs the binary with executor-bench, which times
the execution alone, as the NumPy programs time their tiles alone. Both get the
same number of threads. They take turns, and every round, the better of two runs
of each, gives a ratio, so that a busy machine slows both: printed are the best
times and the median ratio. Every round also measures how fast the host
multiplies and adds when it does nothing else (host-limit): what the products of
the case take at that rate is the most that any program could gain. For a product
there is also what one BLAS call for all of it gains, without tiles.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--kiln", default="build/release/bin/kiln")
parser.add_argument("--cases", nargs="+", default=["flash:4096", "flash:16384", "matmul:4096"],
                    help="flash:SEQ (one head of width 128) or matmul:SIZE")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--threads", type=int, default=2, help="of both sides")
parser.add_argument("--bench", help="executor-bench; default next to the tests of the build of --kiln")
options = parser.parse_args()
here = pathlib.Path(__file__).resolve().parent


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.split()


def case_commands(name, size, binary):
    """How to compile the kernel, the NumPy program for it, and how many
    operations its products have."""
    compile_kernel = [options.kiln, "compile", "--target", "trn2", "-o", binary]
    threads = ["--threads", options.threads, "--repeat", 2]
    if name == "flash":
        return (compile_kernel + ["flash_attention", "--heads=1", "--kv-heads=1", f"--seq-q={size}",
                                  f"--seq-k={size}", "--head-dim=128", "--causal=false"],
                [here / "flash_numpy.py", "--seq", size] + threads,
                2 * 2 * int(size) ** 2 * 128)
    if name == "matmul":
        return (compile_kernel + ["matmul", f"--m={size}", f"--k={size}", f"--n={size}"],
                [here / "matmul_numpy.py", "--size", size] + threads,
                2 * int(size) ** 3)
    sys.exit(f"no case is called {name}")


def blas():
    """The BLAS library that NumPy loads here."""
    import numpy  # noqa: F401
    found = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "blas" in line}
    return ", ".join(sorted(pathlib.Path(name).name for name in found)) or "no BLAS found"


def main():
    bench = pathlib.Path(options.bench or
                         pathlib.Path(options.kiln).resolve().parents[1] / "test-bin" / "executor-bench").resolve()
    print(f"{options.threads} thread(s), {options.rounds} rounds, NumPy with {blas()}")
    print("| case | NumPy, same tiles | executor, checks | without checks | checks: x NumPy | without: x NumPy "
          "| and times: x function | products at the host's limit | x NumPy | one BLAS call: x NumPy |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in options.cases:
            name, size = case.split(":")
            binary = pathlib.Path(folder) / f"{name}_{size}.kbin"
            compile_kernel, program, operations = case_commands(name, size, binary)
            run(compile_kernel)
            rounds, whole = [], []
            for _ in range(options.rounds):
                words = run([bench, binary, 2, options.threads])
                said = run([sys.executable] + program)
                numpy = float(said[1])
                if "whole_product_seconds" in said:
                    whole.append(numpy / float(said[said.index("whole_product_seconds") + 1]))
                rate = max(float(run([bench.parent / "host-limit", options.threads])[1]) for _ in range(2))
                rounds.append([numpy] + [float(word) for word in words[1::2]] + [operations / rate / 1e9])
            numpy, checked, plain, timed, limit = (min(column) for column in zip(*rounds))
            ratios = [statistics.median(ratio) for ratio in
                      zip(*((n / c, n / p, t / p, n / x) for n, c, p, t, x in rounds))]
            blas_call = f"{statistics.median(whole):.2f}" if whole else "-"
            print(f"| {name} {size} | {numpy:.3f} s | {checked:.3f} s | {plain:.3f} s | {ratios[0]:.2f} "
                  f"| {ratios[1]:.2f} | {ratios[2]:.2f} | {limit:.3f} s | {ratios[3]:.2f} | {blas_call} |", flush=True)


main()
