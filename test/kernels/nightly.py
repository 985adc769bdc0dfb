#!/usr/bin/env python3
"""nightly.py KILN [KERNEL...]: the `nightly` cases of all kernels, or of these, against their references.

These are real sizes whose references take a minute or more in plain loops. Prints a line for each case as it ends: the
verdict, the relative l2 error and the time, and fails if one is wrong. `tolerance=N` allows largest errors N times as
large as usual. `ctest -C Nightly -L nightly` does the same.
"""
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases

root = Path(__file__).resolve().parents[2]


def run(kiln, case):
    with tempfile.TemporaryDirectory() as work:
        given = cases.given(case, Path(work))
        options = [word for word in case.options if not word.startswith("--tolerance=")]
        return subprocess.run([kiln, "run", case.kernel, *options, *given, "--random-seed=1", "--reference"],
                              capture_output=True, text=True)


def is_tolerated(case, output):
    """Whether only largest errors are above what is allowed, by at most the factor `tolerance` of the case."""
    most = float(case.option("tolerance") or 1)
    found = re.findall(r"^  \S+(?: +\S+){2} +(\S+) +(\S+) +(?:ok|WRONG)\n +allowed: +(\S+) +(\S+)", output, re.M)
    return bool(found) and "nan" not in output.lower() and all(
        float(largest) <= most * float(allowed) and float(l2) <= float(allowed_l2) for largest, l2, allowed, allowed_l2 in found)


def main(kiln, *kernels):
    wanted = [case for case in cases.all_cases(root / "kernels", "nightly") if not kernels or case.kernel in kernels]
    wrong = [kernel for kernel in kernels if kernel not in [case.kernel for case in wanted]]
    if wrong or not wanted:
        sys.exit(f"no nightly cases of {', '.join(wrong) or 'any kernel'}")
    failed = 0
    for case in wanted:
        start = time.monotonic()
        done = run(kiln, case)
        errors = re.findall(r"^  (\S+)(?: +\S+){3} +(\S+) +(?:ok|WRONG)$", done.stdout, re.M)
        good = errors and (done.returncode == 0 or case.option("tolerance") and is_tolerated(case, done.stdout))
        failed += not good
        print("ok   " if good else "WRONG", f"{time.monotonic() - start:7.1f} s ", case.label,
              ", ".join(f"{name} {error}" for name, error in errors), flush=True)
        if not good:
            print(done.stdout[-2000:], done.stderr[-2000:], sep="\n", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
