#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a kernel file from C++ to an object, with no cache and no PCH."""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("files", nargs="*", help="kernel files; default: every kernel of the library")
parser.add_argument("--compiler", default="c++")
parser.add_argument("--build", default="build/release", help="where the generated headers are")
parser.add_argument("--flags", default="-std=c++20 -O1 -fPIC")
parser.add_argument("--repeat", type=int, default=3)
options = parser.parse_args()


def main():
    build = pathlib.Path(options.build).resolve()
    includes = [root / "dsl/include", root / "isa/include", root / "kernels",
                root / "kernels/include", build / "isa/include", build / "dsl/include"]
    flags = options.flags.split() + [f"-I{path}" for path in includes if path.is_dir()]
    files = options.files or sorted(
        str(path) for path in (root / "kernels").rglob("*.cpp")
        if "KILN_EXPORT" in path.read_text())
    if not files:
        sys.exit("no kernel file found")
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            times = []
            cpu = []
            for _ in range(options.repeat):
                command = [options.compiler, *flags, "-c", file, "-o", f"{folder}/kernel.o"]
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                begin = time.perf_counter()
                done = subprocess.run(command, capture_output=True, text=True)
                times.append(time.perf_counter() - begin)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                if done.returncode != 0:
                    sys.exit(f"{' '.join(command)}\n{done.stderr}")
            print(f"{min(times):6.2f} s  ({min(cpu):.2f} s of CPU)  {file}")


main()
