#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what the tool takes to compile kernel files, in processor time.

Each round compiles a file that only includes the standard headers which a kernel file uses, then each kernel file: by the
tool, as a user's file, for one run of its default element type, without the tool's cache and thus with no precompiled
header (`--prelude`: with it, after an edit). `--all-types`: as `kiln list` does. The ratio of a kernel file to the standard
headers is that of the same round, and the median of the rounds counts: what disturbs one of them mostly disturbs the other.
`--check` fails above a ratio, and where PAGE does not say what was measured, within a tolerance. Where a ratio is not what
the page says, there are up to three times as many rounds.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("kiln")
parser.add_argument("kernels", nargs="*", help="besides the README's file; default: all of the library")
# As the tool chooses it.
parser.add_argument("--compiler", default=os.environ.get("CXX") or ("clang++-22" if shutil.which("clang++-22") else "c++"))
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--prelude", action="store_true", help="with the tool's precompiled header, as after an edit")
parser.add_argument("--all-types", action="store_true", help="as kiln list compiles it, with references")
parser.add_argument("--check", type=float, metavar="RATIO", help="fail if a file takes more")
parser.add_argument("--page", help="compare with the rows of these files in this page")
parser.add_argument("--tolerance", type=float, default=0.25)
options = parser.parse_args()

STANDARD = """algorithm array cmath concepts cstddef cstdint exception initializer_list limits optional source_location string
string_view type_traits utility vector""".split()


def processor_time(command, **environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **environment))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def readme_file(folder):
    block = re.search(r"^// scale\.cpp\n.*?(?=^```)", (root / "README.md").read_text(), re.S | re.M)
    path = folder / "scale.cpp"
    path.write_text(block.group())
    return path


def copied(file, folder, round_number):
    """The same file with another content, as after an edit."""
    path = folder / f"edited-{file.parent.name}.cpp"
    path.write_text(file.read_text() + f"\n// {round_number}\n")
    return path


def told_by(page):
    """The ratios of the page's table, by name."""
    table = re.search(r"^\| kernel file \| from nothing \| after an edit \|\n(?:\|.*\n)+", pathlib.Path(page).read_text(), re.M)
    return {name: float(after if options.prelude else nothing) for name, nothing, after in
            re.findall(r"^\| `(\w+)`[^|]*\| ([0-9.]+) \| ([0-9.]+) \|$", table.group() if table else "", re.M)}


def is_told(told, file, ratio):
    """Or nothing is told about the file."""
    name = name_of(file)
    return name not in told or abs(ratio / told[name] - 1) <= options.tolerance


def ratio_of(times, units):
    return statistics.median(time / unit for time, unit in zip(times, units))


def name_of(file):
    return file.parent.name if file.name == "kernel.cpp" else file.stem


def main():
    told = told_by(options.page) if options.page else {}
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        files = [readme_file(folder)] + sorted(
            path for path in (root / "kernels").rglob("kernel.cpp")
            if not options.kernels or path.parent.name in options.kernels)
        if len(files) != 1 + len(options.kernels) and (options.kernels or len(files) < 2):
            sys.exit("no such kernel file in kernels")
        standard = folder / "standard.cpp"
        standard.write_text("".join(f"#include <{name}>\n" for name in STANDARD))
        base = options.compiler.split()
        environment = {"KILN_CACHE_DIR": str(folder / "cache"),
                       "CXX": f"{options.compiler} -I{root / 'kernels'} -I{root / 'kernels/include'}"}
        if options.prelude:
            processor_time([options.kiln, "list", files[0]], **environment)
        times = {file: [] for file in files}
        units = []
        for each in range(3 * options.repeat):
            if each >= options.repeat and all(is_told(told, file, ratio_of(times[file], units)) for file in files):
                break
            units.append(processor_time([*base, "-std=c++20", "-O0", "-fPIC", "-c", standard, "-o", folder / "standard.o"]))
            for file in files:
                words = [copied(file, folder, each)] if options.prelude else [file, "--no-cache"]
                # A file with several kernels has its own as the last one.
                command = ["list", *words] if options.all_types else ["compile", *words, "--emit=program"]
                times[file].append(processor_time([options.kiln, *command], **environment))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    unit = min(units)
    ratios = {file: ratio_of(taken, units) for file, taken in times.items()}
    print(f"{unit:6.2f} s   1.00  the standard headers alone")
    for file, ratio in sorted(ratios.items(), key=lambda entry: entry[1]):
        print(f"{ratio * unit:6.2f} s  {ratio:5.2f}  {file.parent.name if file.name == 'kernel.cpp' else file.name}")
    slowest = max(ratios, key=ratios.get)
    if options.check and ratios[slowest] > options.check:
        sys.exit(f"{slowest} takes {ratios[slowest]:.2f} times the standard headers, at most {options.check} are allowed")
    for file, ratio in ratios.items() if options.page else []:
        name = name_of(file)
        if name not in told:
            sys.exit(f"{options.page} has no row '| `{name}` ... | N | N |' in its table of kernel files")
        if not is_told(told, file, ratio):
            sys.exit(f"{options.page} says that {name} takes {told[name]} times the standard headers, measured {ratio:.2f}")


main()
