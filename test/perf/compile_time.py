#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the passes: what Kiln itself takes from the Program to the .kbin, in processor time, with all attempts.

It prints the library's kernels at their real sizes, the slowest first; PATTERN selects some by their labels. The least
time of the rounds counts. `--check` compares flash attention of several lengths with the shortest of them instead, and
fails above a ratio: these ratios are nearly the same on a quiet and on a busy machine. So it does for tile-stream of
many large stores.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "test/kernels"))
import cases

# By target: words of flash attention, and how many times as long as 8192 queries and keys without a mask it may take.
LENGTHS = {
    "trn2": [("16384", "false", 1.6), ("32768", "false", 8), ("16384", "true", 4), ("32768", "true", 13)],
    "trn3": [("16384", "false", 1.6), ("32768", "false", 14), ("16384", "true", 4.5), ("32768", "true", 16)],
}

# How many times as long tile-stream may take for four times as many stores.
STORES = 12


def milliseconds(kiln, words, target, rounds, folder, part="all"):
    """Nothing if the target lacks what the kernel needs."""
    times = []
    for _ in range(rounds):
        done = subprocess.run([kiln, "compile", *words, "--target", target, "--timing", "-o", folder / "made.kbin"],
                              capture_output=True, text=True)
        if re.search(cases.LACKS, done.stderr):
            return None
        found = re.search(rf"^ *([\d.]+) +[\d.]+  {part}$", done.stdout + done.stderr, re.M)
        if done.returncode != 0 or not found:
            sys.exit(f"{' '.join(words)} on {target}: {done.stderr}")
        times.append(float(found[1]))
    return min(times)


def attention(length, causal):
    return ["flash_attention", f"--seq-q={length}", f"--seq-k={length}", f"--causal={causal}"]


def check(kiln, rounds, folder):
    failures = 0
    for target, lengths in LENGTHS.items():
        unit = milliseconds(kiln, attention("8192", "false"), target, rounds, folder)
        for length, causal, most in lengths:
            ratio = milliseconds(kiln, attention(length, causal), target, rounds, folder) / unit
            failures += ratio > most
            print(f"{target}: {length} keys{', causal' if causal == 'true' else ''}: {ratio:.1f} times as long as 8192"
                  f" keys, at most {most} are allowed{'' if ratio <= most else ': too long'}", flush=True)
    return failures


def check_stores(kiln, rounds, folder):
    """Four times as many large stores side by side: tile-stream looks at each, not at each pair."""
    few, many = (milliseconds(kiln, [str(root / "test/perf/stores.cpp"), f"--count={count}"], "trn2", rounds, folder,
                              "tile-stream") for count in (100, 400))
    print(f"400 stores: tile-stream takes {many / few:.1f} times as long as for 100, at most {STORES} are allowed")
    return many / few > STORES


def table(kiln, pattern, rounds, folder):
    found = []
    for case in cases.all_cases(root / "kernels", "measured"):
        # Compiling needs no inputs.
        words = [case.kernel, *(word for word in case.options if not word.startswith("--random-seed="))]
        if not re.search(pattern, case.label) or any(word.startswith("--ranks=") for word in words):
            continue
        for target in ("trn2", "trn3"):
            if (time := milliseconds(kiln, words, target, rounds, folder)) is not None:
                found.append((time, f"{case.label} on {target}"))
    for time, label in sorted(found, reverse=True):
        print(f"{time:8.1f} ms  {label}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kiln")
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        if options.check:
            failures = check(options.kiln, options.rounds, Path(work)) + check_stores(options.kiln, options.rounds, Path(work))
            return 1 if failures else 0
        return table(options.kiln, options.pattern, options.rounds, Path(work))


sys.exit(main())
