"""full_disk.py KILN KILN_OPT WORK: output that cannot be written, input that never ends, a damaged cache.

A limit on the size of files stands for a full disk: the write that passes it fails with EFBIG, as one to a full disk does with ENOSPC.
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

kiln, kiln_opt, work = sys.argv[1], sys.argv[2], Path(sys.argv[3])
shutil.rmtree(work, ignore_errors=True)
(work / "here").mkdir(parents=True)
os.chdir(work / "here")
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
failures = []


def run(*words, largest=None, stdout=subprocess.PIPE, program=kiln):
    def limit():
        if largest is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    return subprocess.run([program, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment,
                          stdin=subprocess.DEVNULL, timeout=120, preexec_fn=limit)


def expect(words, exit_code, code, part="", **how):
    files = set(os.listdir())
    done = run(*words, **how)
    wrong = []
    if done.returncode != exit_code:
        wrong.append(f"exit code {done.returncode}, not {exit_code}")
    if code and f"[{code}]" not in done.stderr:
        wrong.append(f"no [{code}]")
    if part not in done.stderr or "LLVM ERROR" in done.stderr:
        wrong.append(f"no '{part}'")
    if left := {name for name in set(os.listdir()) - files if "out" not in name or "tmp" in name}:
        wrong.append(f"left behind: {left}")
    if wrong:
        failures.append(f"kiln {' '.join(words)}: {'; '.join(wrong)}\n  it said: {done.stderr.strip()[:400]}")


SOFTMAX = ["softmax", "--rows=128", "--cols=64", "--dtype=f32"]
assert run("compile", *SOFTMAX, "-o", "good.kbin").returncode == 0
assert run("disasm", "good.kbin", "-o", "good.kasm").returncode == 0
Path("empty.mlir").write_text("func.func @f() {\n  return\n}\n")

# Files.
expect(["compile", *SOFTMAX, "-o", "out.kbin"], 1, "KILN-T002", "out.kbin", largest=1000)
expect(["asm", "good.kasm", "-o", "out.kbin"], 1, "KILN-T002", "out.kbin", largest=1000)
expect(["run", "good.kbin", "--random-seed=1", "--out", "y=out.npy"], 1, "KILN-T002", "out.npy", largest=1000)
expect(["profile", "good.kbin", "--json", "out.json"], 1, "KILN-T002", "out.json", largest=100)
expect(["compile", *SOFTMAX, "--dump-dir", "out-dump", "-o", "out.kbin"], 1, "KILN-C003", "out-dump", largest=1000)
expect(["compile", *SOFTMAX, "--fail-in", "nc-order", "-o", "out.kbin"], 70, "KILN-T070", "this error was asked for", largest=100)
if list(Path("out-dump").iterdir()):
    failures.append("half a dump was left behind")

# The terminal.
with open("/dev/full", "w") as full:
    for words in (["list"], ["--help"], ["disasm", "good.kbin"], ["verify", "good.kbin"], ["profile", "good.kbin"],
                  ["run", "good.kbin", "--random-seed=1"], ["run", "good.kbin", "--random-seed=1", "--timing", "--reference"],
                  ["compile", *SOFTMAX, "--emit=asm"]):
        expect(words, 1, "KILN-T002", "standard output", stdout=full)
    expect(["empty.mlir"], 1, "KILN-T002", "kiln-opt: error:", stdout=full, program=kiln_opt)

# Input without an end, or with nothing.
for command in ("disasm", "verify"):
    expect([command, "/dev/zero"], 1, "KILN-T060", "268435456")
expect(["asm", "/dev/zero", "-o", "out.kbin"], 1, "KILN-T060", "not a regular file")
expect(["asm", "/dev/null", "-o", "out.kbin"], 1, "KILN-I044", ".kernel")
expect(["run", "good.kbin", "--in", "x=/dev/zero"], 1, "KILN-T060", "/dev/zero")

# A target without a second core, and a number that is none.
for command in ("compile", "run", "profile"):
    expect([command, "rmsnorm", "--target=trn1", "--cores=2"], 1, "KILN-T061", "a rank of trn1 has one core")
expect(["compile", "flash_attention", "--scale=nan"], 1, "KILN-A010", "cannot be 'nan'")
expect(["compile", "flash_attention", "--scale=-2"], 1, "KILN-A017", "scale is -2, expected 0 or more")

# A library in the cache that was cut short is compiled anew, not blamed on the user.
Path("mine.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Mine {
  BOOST_HANA_DEFINE_STRUCT(Mine, (int, rows));
  static Mine defaults() { return {128}; }
  void describe(Signature &s) const {
    s.argument("left", {1, 1});
    s.argument("y", {1, 1});
  }
  void operator()(In<i32, 2> left, Out<f32, 2> y) const {
    auto t = sbuf<f32>(1_c, 1_c);
    auto n = sbuf<i32>(1_c, 1_c);
    n = load(left);
    t = zeros<f32>(1_c, 1_c);
    while_loop("ever", nc::register_load(n), [&] {
      t = t + 1.0;
      return nc::register_load(n);
    });
    store(y, t);
  }
};
KILN_EXPORT(mine, Mine)
""")
for damage in (lambda data: data[:len(data) // 2], lambda data: b"", lambda data: data[:-1] + bytes([data[-1] ^ 1])):
    assert run("compile", "mine.cpp", "-o", "out.kbin").returncode == 0
    library, = (work / "cache").glob("*.so")
    library.write_bytes(damage(library.read_bytes()))
    done = run("compile", "mine.cpp", "-o", "out.kbin")
    if done.returncode != 0:
        failures.append(f"a damaged library in the cache: {done.returncode} {done.stderr[:300]}")
shutil.rmtree(work / "cache")
expect(["compile", "mine.cpp", "-o", "out.kbin"], 1, "", "mine.cpp", largest=1000)
if left := list((work / "cache").glob("*")):
    failures.append(f"left behind in the cache: {left}")

# A loop that data keep alive for ever.
expect(["run", "mine.cpp", "--random-seed=1", "--max-turns=1000"], 1, "KILN-X009", "repeats its body for the 1001th time")
expect(["run", "mine.cpp", "--random-seed=1", "--max-turns=1000"], 1, "KILN-X009", "mine.cpp:15")
expect(["profile", "mine.cpp", "--random-seed=1", "--max-turns=1000"], 1, "KILN-X009", "--max-turns")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
