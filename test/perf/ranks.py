#!/usr/bin/env python3
"""ranks.py KILN [--check]: what many ranks cost on the host.

Runs tensor_parallel_mlp with random inputs on 8 and on 64 ranks, and prints
processor time and memory. With --check, compares the two: inputs exist once, a
rank that waits gives its on-chip memory back, and time grows with the ranks.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

TOKENS, HIDDEN, INNER = 64, 2048, 448
WEIGHTS = 3 * HIDDEN * INNER * 2
RESULTS = 2 * TOKENS * HIDDEN * 2  # The sums and y.
ON_CHIP = 7 << 20  # What the kernel uses of SBUF: 59 KiB of each partition.


def run(kiln, binary, ranks):
    """Processor seconds and bytes at the peak."""
    process = subprocess.Popen([kiln, "run", binary, f"--ranks={ranks}", "--random-seed=1"],
                               stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{ranks} ranks ended with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    taken = {}
    with tempfile.TemporaryDirectory() as folder:
        for ranks in (8, 64):
            binary = f"{folder}/{ranks}.kbin"
            subprocess.run([options.kiln, "compile", "tensor_parallel_mlp", f"--group={ranks}", f"--tokens={TOKENS}",
                            f"--hidden={HIDDEN}", f"--inner={INNER}", "-o", binary],
                           check=True, stdout=subprocess.DEVNULL)
            taken[ranks] = run(options.kiln, binary, ranks)
            print(f"{ranks} ranks: {taken[ranks][0]:.2f} s of processors, {taken[ranks][1] >> 20} MiB")
    if not options.check:
        return
    more = 64 - 8
    each = (taken[64][1] - taken[8][1]) / more
    print(f"each further rank: {each / 2**20:.2f} MiB; its inputs are {WEIGHTS / 2**20:.2f} MiB, its results "
          f"{RESULTS / 2**20:.2f} MiB, and it uses {ON_CHIP >> 20} MiB on chip")
    assert each < WEIGHTS / 2, "ranks hold random inputs of their own"
    assert each < ON_CHIP / 3, "ranks that wait hold on-chip memory"
    ratio = taken[64][0] / taken[8][0]
    print(f"64 ranks take {ratio:.1f} times the processor time of 8")
    assert ratio < 12, "time grows faster than the ranks"


if __name__ == "__main__":
    main()
