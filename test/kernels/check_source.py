"""check_source.py KILN KERNELS WORK: library kernels at small sizes, and a user's, against the meaning of their sources."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cases

kiln, kernels, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
failures = []


def check(*words):
    done = subprocess.run([kiln, "run", *words, "--random-seed=5", "--check-source"], capture_output=True, text=True,
                          env=environment, timeout=300)
    said = re.search(r"\d+ elements within their bounds, at most \d+ % of one used(; \d+ more have no bound)?", done.stdout)
    if done.returncode != 0 or not said or said.group(1):
        failures.append(f"kiln run {' '.join(words)}: ended with {done.returncode}: {done.stdout[-200:]} {done.stderr[:600]}")


found = 0
for folder in cases.folders(kernels):
    for case in cases.read(folder, "source"):
        found += 1
        check(case.kernel, *case.options)
if found < 20:
    failures.append(f"only {found} cases in {kernels}")

# A user's, with a reference of its own.
SOURCE = """#include <kiln/kiln.h>
using namespace kiln;
template <class T> struct Mine {
  BOOST_HANA_DEFINE_STRUCT(Mine, (int, rows), (float, factor));
  static Mine defaults() { return {130, 0.1f}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 40});
    s.argument("bias", {1, 40});
    s.argument("y", {rows, 40});
  }
  void operator()(In<T, 2> x, In<T, 2> bias, Out<T, 2> y) const {
    tiles("rows", rows, 96, [&](Index r, auto n) {
      store(y.rows_at(r, n), factor * load(x.rows_at(r, n)) + load(bias));
    });
  }
  void reference(Doubles x, Doubles bias, Doubles y) const {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < 40; ++c)
        y(r, c) = factor * x(r, c) + bias(0, c) + OFF;
  }
};
KILN_EXPORT(mine, Mine<f32>, Mine<bf16>)
"""
Path("mine.cpp").write_text(SOURCE.replace("OFF", "0"))
check("mine.cpp", "--rows=200", "--reference")
check("mine.cpp", "--dtype=bf16", "--target=trn1", "--reference")
Path("mine.cpp").write_text(SOURCE.replace("OFF", "1"))
done = subprocess.run([kiln, "run", "mine.cpp", "--random-seed=5", "--reference"], capture_output=True, text=True, env=environment)
if done.returncode != 1 or "[KILN-T041]" not in done.stderr:
    failures.append(f"a wrong reference: ended with {done.returncode}: {done.stderr[:400]}")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
