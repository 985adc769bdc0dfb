#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the passes: what Kiln itself takes from the Program to the .kbin, in processor time, with all attempts.

It prints the library's kernels at their real sizes, the slowest first; PATTERN selects some by their labels. The least
time of the rounds counts. `--check` compares flash attention of several lengths with the shortest of them instead, and
fails above a ratio. So it does for tile-stream of many large stores. Long and short take turns, and what fails is timed
in more rounds: other work on the machine only ever adds to a time, so the least of each comes near to what it is alone.
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

# More rounds than these do not help.
MOST_ROUNDS = 20


def milliseconds(kiln, words, target, folder, part="all"):
    """Of one compilation. Nothing if the target lacks what the kernel needs."""
    done = subprocess.run([kiln, "compile", *words, "--target", target, "--timing", "-o", folder / "made.kbin"],
                          capture_output=True, text=True)
    if re.search(cases.LACKS, done.stderr):
        return None
    found = re.search(rf"^ *([\d.]+) +[\d.]+  {part}$", done.stdout + done.stderr, re.M)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(words)} on {target}: {done.stderr}")
    return float(found[1])


def ratios(kiln, short, longs, target, rounds, folder, part="all"):
    """How many times as long as `short` each of `longs` takes; `longs` are pairs of words and the most allowed."""
    unit, times = float("inf"), [float("inf")] * len(longs)
    for done in range(MOST_ROUNDS):
        unit = min(unit, milliseconds(kiln, short, target, folder, part))
        # Rounds after the first ones are for what is still too long.
        for index, (words, most) in enumerate(longs):
            if done < rounds or times[index] > most * unit:
                times[index] = min(times[index], milliseconds(kiln, words, target, folder, part))
        if done + 1 >= rounds and all(time <= most * unit for time, (_, most) in zip(times, longs)):
            break
    return [time / unit for time in times]


def attention(length, causal):
    return ["flash_attention", f"--seq-q={length}", f"--seq-k={length}", f"--causal={causal}"]


def check(kiln, rounds, folder):
    failures = 0
    for target, lengths in LENGTHS.items():
        longs = [(attention(length, causal), most) for length, causal, most in lengths]
        for ratio, (length, causal, most) in zip(ratios(kiln, attention("8192", "false"), longs, target, rounds, folder),
                                                 lengths):
            failures += ratio > most
            print(f"{target}: {length} keys{', causal' if causal == 'true' else ''}: {ratio:.1f} times as long as 8192"
                  f" keys, at most {most} are allowed{'' if ratio <= most else ': too long'}", flush=True)
    return failures


def check_stores(kiln, rounds, folder):
    """Four times as many large stores side by side: tile-stream looks at each, not at each pair."""
    few, many = ([str(root / "test/perf/stores.cpp"), f"--count={count}"] for count in (100, 400))
    ratio, = ratios(kiln, few, [(many, STORES)], "trn2", rounds, folder, "tile-stream")
    print(f"400 stores: tile-stream takes {ratio:.1f} times as long as for 100, at most {STORES} are allowed")
    return ratio > STORES


def table(kiln, pattern, rounds, folder):
    found = []
    for case in cases.all_cases(root / "kernels", "measured"):
        # Compiling needs no inputs.
        words = [case.kernel, *(word for word in case.options if not word.startswith("--random-seed="))]
        if not re.search(pattern, case.label) or any(word.startswith("--ranks=") for word in words):
            continue
        for target in ("trn2", "trn3"):
            times = [milliseconds(kiln, words, target, folder) for _ in range(rounds)]
            if times[0] is not None:
                found.append((min(times), f"{case.label} on {target}"))
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
