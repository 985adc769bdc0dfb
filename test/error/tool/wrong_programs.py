"""wrong_programs.py KILN WORK SANITIZERS: kernels that are wrong, on a machine that is too small, or compiled by nothing.

Each case: the words, the code, a part of the text; the exit code is 1.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

kiln, work = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
failures = []


def run(*words, env=environment, memory=None):
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return subprocess.run([kiln, *words], capture_output=True, text=True, env=env, timeout=300, preexec_fn=limit)


def expect(words, code, part, **how):
    done = run(*words, **how)
    if done.returncode != 1 or f"[{code}]" not in done.stderr or part not in done.stderr:
        failures.append(f"kiln {' '.join(words)}: ended with {done.returncode}, not 1, [{code}] and '{part}'; "
                        f"it said: {done.stderr.strip()[:400]}")


def good(*words, **how):
    done = run(*words, **how)
    if done.returncode != 0:
        failures.append(f"kiln {' '.join(words)}: ended with {done.returncode}: {done.stderr.strip()[:400]}")


# Two streams that share a tile without a semaphore.
Path("racy.kasm").write_text(""".kernel racy
.target trn2
.tensor output y: f32[1, 16]
.stream vector
  memset dst=sbuf[p0:1, 0x0: f32 16x1], value=1.0
.stream gpsimd
  memset dst=sbuf[p0:1, 0x0: f32 16x1], value=2.0, signal s1+=1
.stream sync
  dma_copy dst=hbm[y: f32 16x1], src=sbuf[p0:1, 0x0: f32 16x1], queue=0, wait s1>=1
""")
good("asm", "racy.kasm", "-o", "racy.kbin")
expect(["verify", "racy.kbin"], "KILN-T050", "no semaphore makes")
good("run", "racy.kbin", "--no-checks")
expect(["run", "racy.kbin", "--no-checks", "--interleave=16"], "KILN-T042", "changes with the order of the engines")
expect(["run", "racy.kbin"], "KILN-X005", "no semaphore orders")
expect(["run", "racy.kbin", "--reference"], "KILN-T040", "has no reference")
expect(["run", "racy.kbin", "--check-source"], "KILN-T045", "a binary does not hold it")

# A library kernel whose binary computes something else.
softmax = ["softmax", "--rows=128", "--cols=64", "--dtype=f32"]
good("compile", *softmax, "-o", "good.kbin")
good("run", "good.kbin", "--random-seed=1", "--reference")
text = run("disasm", "good.kbin").stdout
Path("wrong.kasm").write_text(re.sub(r"op=exp\b", "op=square", text))
good("asm", "wrong.kasm", "-o", "wrong.kbin")
expect(["run", "wrong.kbin", "--random-seed=1", "--reference"], "KILN-T041", "differ from the reference")
expect(["run", "wrong.kbin", "--random-seed=1", "--check-source"], "KILN-T044", "the binary was changed")
good("run", "good.kbin", "--random-seed=1", "--check-source")
# Logarithms of what is not above 0: NaN, and minus infinity.
Path("none.kasm").write_text(re.sub(r"op=exp\b", "op=log", text))
good("asm", "none.kasm", "-o", "none.kbin")
expect(["run", "none.kbin", "--random-seed=1", "--reference"], "KILN-T041", "differ from the reference")
said = run("run", "none.kbin", "--random-seed=1", "--reference").stdout
if "  8192 elements NaN or infinite where the reference is finite, the first at [0, 0]\n" not in said:
    failures.append(f"NaN hides: {said}")

# Every result depends on how gates round: nothing can be checked, and that is not silent.
done = run("run", "swiglu", "--tokens=1", "--dtype=f8e4m3fn_x4", "--target=trn3", "--random-seed=1",
           "--check-source")
if done.returncode != 0 or "warning: nothing of 'swiglu' was checked" not in done.stderr or "[KILN-W120]" not in done.stderr:
    failures.append(f"a check of nothing: {done.returncode}, {done.stderr}")

# Chosen rows, where the DMA reads no list of them.
Path("rows.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Rows {
  BOOST_HANA_DEFINE_STRUCT(Rows, (int, stores));
  static Rows defaults() { return {0}; }
  void describe(Signature &s) const { s.argument("x", {64, 32}); s.argument("n", {8, 1}); s.argument("y", {64, 32}); }
  void operator()(In<f32, 2> x, In<u32, 2> n, Out<f32, 2> y) const {
    if (stores) store_rows(y, load(n), load(x.rows_at(0, 8)));
    else store(y.rows_at(0, 8), load_rows(x, load(n)));
  }
};
KILN_EXPORT(rows, Rows)
""")
for stores, call in ((0, "load_rows"), (1, "store_rows")):
    chosen = ["compile", "rows.cpp", f"--stores={stores}", "-o", "rows.kbin", "--target"]
    expect([*chosen, "trn1"], "KILN-A037", f"{call} needs trn2 or later, this is compiled for trn1")
    good(*chosen, "trn2")

# More memory than there is.
if not any(sys.argv[3:]):
    expect(["run", "softmax", "--rows=65536", "--cols=4096", "--dtype=f32", "--random-seed=1"], "KILN-T003",
           "out of memory", memory=1 << 30)

# The user's compiler, and a kernel that throws.
Path("mine.cpp").write_text("""#include <kiln/kiln.h>
#include <stdexcept>
using namespace kiln;
struct Mine {
  BOOST_HANA_DEFINE_STRUCT(Mine, (int, rows));
  static Mine defaults() { return {128}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 64});
    s.argument("y", {rows, 64});
  }
  void operator()(In<f32, 2>, Out<f32, 2>) const { throw std::runtime_error("the dog ate it"); }
};
KILN_EXPORT(mine, Mine)
""")
expect(["compile", "mine.cpp", "-o", "x.kbin"], "KILN-T004", "cannot run 'no-such-compiler'",
       env=dict(environment, CXX="no-such-compiler"))
expect(["compile", "mine.cpp", "-o", "x.kbin"], "KILN-T005", "the dog ate it")

# A kernel whose way hangs on rounding.
Path("open.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Mine {
  BOOST_HANA_DEFINE_STRUCT(Mine, (int, rows));
  static Mine defaults() { return {1}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 1});
    s.argument("y", {rows, 1});
  }
  void operator()(In<f32, 2> x, InOut<f32, 2> y) const {
    auto half = cast<i32>(load(x) / 3.0 * 15.0);
    when("none", nc::register_load(half) == 0, [&] { store(y, load(x)); });
  }
};
KILN_EXPORT(mine, Mine)
""")
np.save("tenth.npy", np.full((1, 1), 0.1, np.float32))
expect(["run", "open.cpp", "--in", "x=tenth.npy", "--in", "y=tenth.npy", "--check-source"], "KILN-T045", "rounding may change")
# Index arithmetic that needs more than 32 bits: the kernel is at fault, not Kiln.
Path("wraps.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Wraps {
  BOOST_HANA_DEFINE_STRUCT(Wraps, (int, rows));
  static Wraps defaults() { return {1}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 1});
    s.argument("y", {rows, 1});
  }
  void operator()(In<i32, 2> x, Out<i32, 2> y) const {
    const Index n = nc::register_load(x);
    nc::register_store(y, n * 100000 / 7);
  }
};
KILN_EXPORT(wraps, Wraps)
""")
np.save("fits.npy", np.full((1, 1), 21474, np.int32))
np.save("wraps.npy", np.full((1, 1), 30000, np.int32))
good("run", "wraps.cpp", "--in", "x=fits.npy", "--check-source")
expect(["run", "wraps.cpp", "--in", "x=wraps.npy", "--check-source"], "KILN-T045",
       "its index arithmetic overflows: a sum or product is 3000000000, but must be -2147483648 to 2147483647 "
       "(wraps.cpp:12)")
if "Kiln is at fault" in run("run", "wraps.cpp", "--in", "x=wraps.npy", "--check-source").stderr:
    failures.append("an overflow of the kernel blames Kiln")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
