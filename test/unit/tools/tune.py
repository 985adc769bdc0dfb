"""tune.py KILN WORK: kiln tune finds the fastest point, the same in every run; --without keeps values right."""
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree
from pathlib import Path

kiln, work = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
failures = []


def run(*words, cache="cache"):
    environment = {**os.environ, "KILN_CACHE_DIR": str(work / cache)}
    return subprocess.run([kiln, *words], cwd=work, capture_output=True, text=True, timeout=300, env=environment)


def need(holds, what):
    if not holds:
        failures.append(what)


def makespan(*words):
    return json.loads(run("profile", *words, "--json", "/dev/stdout").stdout)["makespan_ns"]


# A whole space: every point once, the fastest is the fastest, and 'kiln profile' says the same.
flash = ["flash_attention", "--seq-q=128", "--seq-k=2048"]
first = run("tune", *flash, "--json", "a.json", "--plot", "a.svg")
need(first.returncode == 0, f"tune: {first.stderr}")
told = json.loads((work / "a.json").read_text())
need([trial["options"] for trial in told["trials"]] == [[], ["--block=256"], ["--block=512"], ["--block=1024"], ["--block=2048"]],
     f"trials: {told['trials']}")
times = [trial["makespan_ns"] for trial in told["trials"]]
need(told["best"] == times.index(min(times)) and len(set(times)) > 2, f"best: {told}")
for trial in told["trials"]:
    need(makespan(*flash, *trial["options"]) == trial["makespan_ns"], f"{trial} is not what profile says")
points = tree.parse(work / "a.svg").getroot().findall("{http://www.w3.org/2000/svg}circle")
need(len(points) == 5, f"plot: {len(points)} points")

# The same from the cache, without it, and from an empty one.
for words, cache in ([], "cache"), (["--no-cache"], "cache"), ([], "other"):
    again = run("tune", *flash, "--json", "b.json", *words, cache=cache)
    need(again.stdout == first.stdout and (work / "a.json").read_text() == (work / "b.json").read_text(), f"{words} {cache}: {again.stdout}")
kept = sorted((work / "cache" / "tune").iterdir())
need(len(kept) == 5, f"{len(kept)} files are kept")
# What is kept is used, and what is broken is not.
for path in kept:
    path.write_text('{"ps": 1000000}')
need("       1.000    1.000" in run("tune", *flash).stdout, "the cache is not read")
for path in kept:
    path.write_text("{")
need(run("tune", *flash).stdout == first.stdout, "a broken cache is used")

# A parameter that is given stays.
done = run("tune", *flash, "--block=512")
need(done.returncode == 1 and "KILN-T047" in done.stderr, f"nothing to tune: {done.stderr}")

# No option of the tool hides a parameter of a library kernel.
for line in run("list").stdout.splitlines():
    name = line.strip().split("=")[0]
    if line.startswith("  --"):
        need(f"\n  {name} " not in run("tune", "--help").stdout, f"{name} is an option and a parameter")

# The budget, and the same path in every run.
for budget in 1, 7, 20:
    a, b = (run("tune", *flash, "--schedule", f"--budget={budget}", "--json", "/dev/stdout", *more).stdout for more in ([], ["--no-cache"]))
    need(a == b and len(json.loads(a)["trials"]) == budget, f"budget {budget}")
    need(json.loads(a)["trials"][0]["options"] == [], "the search begins where the kernel is")

# Refused points: by the kernel itself, by memory, and all of them.
(work / "picky.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Picky {
  BOOST_HANA_DEFINE_STRUCT(Picky, (int, cols), (bool, twice));
  static Picky defaults() { return {64, false}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 65536}); s.argument("y", {128, 65536});
    s.tunable("cols", {7, 64, 512, 65536}); s.tunable("twice", {0, 1});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    require(65536 % cols == 0, {"cols is ", cols});
    loop("c", 65536 / cols, [&](Index i) {
      auto t = load(x.cols_at(i * cols, cols));
      if (twice) t = t + t;
      store(y.cols_at(i * cols, cols), exp(t) * t);
    });
  }
};
KILN_EXPORT(picky, Picky)
struct Wrong {
  BOOST_HANA_DEFINE_STRUCT(Wrong, (float, rate));
  static Wrong defaults() { return {1}; }
  void describe(Signature &s) const { s.argument("y", {128, 8}); s.tunable("rate", {1, 2}); }
  void operator()(Out<f32, 2> y) const { store(y, full<f32>(1.0, 128_c, 8)); }
};
KILN_EXPORT(wrong, Wrong)
struct Absent {
  BOOST_HANA_DEFINE_STRUCT(Absent, (int, n));
  static Absent defaults() { return {1}; }
  void describe(Signature &s) const { s.argument("y", {128, 8}); s.tunable("m", {1, 2}); }
  void operator()(Out<f32, 2> y) const { store(y, full<f32>(1.0, 128_c, 8)); }
};
KILN_EXPORT(absent, Absent)
""")
done = run("tune", "picky.cpp:picky", "--json", "c.json")
trials = json.loads((work / "c.json").read_text())["trials"]
need(done.returncode == 0 and len(trials) == 8, f"picky: {done.stdout} {done.stderr}")
refused = [trial["refused"] for trial in trials if trial["refused"]]
need(sum("cols is 7 [KILN-A017]" in reason for reason in refused) == 2, f"picky, by the kernel: {refused}")
need(all("KILN-A017" in reason or "KILN-C1" in reason for reason in refused), f"picky, by memory: {refused}")
need(f"{len(refused)} refused" in done.stdout and "refused 2, first --cols=7: cols is 7 [KILN-A017]" in done.stdout, done.stdout)
done = run("tune", "picky.cpp:picky", "--cols=7")
need(done.returncode == 1 and "KILN-T048" in done.stderr and "none of the 2 points" in done.stderr, f"all refused: {done.stderr}")
for name, code in ("wrong", "KILN-A010"), ("absent", "KILN-A009"):
    done = run("tune", f"picky.cpp:{name}")
    need(done.returncode == 1 and code in done.stderr, f"{name}: {done.stderr}")

# The command line.
for words, code in (["--budget=0"], "KILN-T020"), (["--without=nc-allocate"], "KILN-T020"), (["--ranks=0"], "KILN-T020"), (["--sea=1"], "KILN-T023"):
    done = run("tune", *flash, *words)
    need(done.returncode == 2 and code in done.stderr, f"{words}: {done.stderr}")

# Each optional pass can be left out, alone and with all others: values stay right, and a binary comes too late.
passes = [axis["name"] for axis in json.loads(run("tune", "softmax", "--schedule", "--budget=1", "--json", "/dev/stdout").stdout)["axes"]]
need("nc-pipeline-loops" in passes and "nc-allocate" not in passes, f"{passes}")
for kernel in ["flash_attention", "--seq-q=300", "--seq-k=2304"], ["flash_attention", "--seq-q=300", "--seq-k=700", "--causal"], \
        ["matmul", "--m=600", "--k=1024", "--n=1000"], ["layernorm"]:
    for left in [[name] for name in passes] + [passes]:
        done = run("run", *kernel, "--random-seed=1", "--reference", *[f"--without={name}" for name in left])
        need(done.returncode == 0, f"{kernel} without {left}: {done.stderr[:300]}")
slow, fast = makespan("flash_attention", "--without=nc-pipeline-loops"), makespan("flash_attention")
need(slow > 1.2 * fast, f"without pipelining {slow}, with it {fast}")
run("compile", "softmax", "-o", "s.kbin")
done = run("run", "s.kbin", "--random-seed=1", "--without=nc-rotate")
need(done.returncode == 2 and "KILN-T023" in done.stderr, f"a binary: {done.stderr}")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
