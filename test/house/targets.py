"""targets.py KILN WORK: target files reach compiler, binary, executor and profile."""
import json
import re
import subprocess
import sys
from pathlib import Path

kiln, work = sys.argv[1], Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
failures = []


def run(*words, code=0, says=()):
    done = subprocess.run([kiln, *map(str, words)], cwd=work, capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    if done.returncode != code or any(text not in said for text in says):
        failures.append(f"{' '.join(map(str, words))}: ended with {done.returncode}, said {said[:600]}, wanted {says}")
    return said


def profile(kernel, *options):
    numbers = work / "profile.json"
    numbers.unlink(missing_ok=True)
    run("profile", *kernel, *options, "--json", numbers)
    return json.loads(numbers.read_text()) if numbers.exists() else {"target": "", "makespan_ns": 0}


# A binary remembers what it was compiled for, and says so.
slow = work / "slow.target"
slow.write_text("base = trn2\nname = slow\nvector_ghz = 0.12 # an eighth\n")
run("compile", "softmax", "--rows=256", "--target", slow, "-o", "slow.kbin")
there = profile(["slow.kbin"])
usual = profile(["softmax", "--rows=256"])
if there["target"] != "slow" or there["makespan_ns"] < 1.5 * usual["makespan_ns"]:
    failures.append(f"slow.kbin runs on {there['target']} in {there['makespan_ns']} ns, on trn2 in {usual['makespan_ns']}")
run("disasm", "slow.kbin", "-o", "slow.kasm")
run("asm", "slow.kasm", "-o", "again.kbin")
if (work / "slow.kbin").read_bytes() != (work / "again.kbin").read_bytes():
    failures.append("slow.kbin, disassembled and assembled, has other bytes")
run("run", "slow.kbin", "--random-seed=1")
run("verify", "slow.kbin", says=["softmax for slow"])
# Another machine of that generation may time it; one of another may not.
if profile(["slow.kbin"], "--target", "trn2")["makespan_ns"] >= there["makespan_ns"]:
    failures.append("slow.kbin is as slow on trn2")
run("profile", "slow.kbin", "--target", "trn3", code=2, says=["[KILN-T021]", "compiled for slow, not for trn3"])

# The compiler plans with the numbers that time the result.
ir = run("compile", "softmax", "--rows=256", "--target", slow, "--emit", "nc",
         says=['#nc.target<"trn2" named "slow" with {vector_ghz = 1.200000e-01 : f64}>'])
faster = work / "faster.machine"
faster.write_text("vector_ghz = 4\n")
run("compile", "softmax", "--rows=256", "--machine", faster, "--emit", "nc", says=["vector_ghz = 4.0"])
wide = profile(["softmax", "--rows=256"], "--machine", faster)
if wide["makespan_ns"] >= usual["makespan_ns"]:
    failures.append("a faster Vector engine makes nothing faster")

# Capacities count: half of SBUF does not hold what all of it does.
small = work / "small.target"
small.write_text('{"base": "trn2", "name": "small", "sbuf_physical_bytes": 32768}')
pinned = work / "pinned.cpp"
pinned.write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Pinned {
  BOOST_HANA_DEFINE_STRUCT(Pinned, (int, rows));
  static Pinned defaults() { return {128}; }
  void describe(Signature &s) const { s.argument("y", {rows, 512}); }
  void operator()(Out<f32, 2> y) const {
    auto t = sbuf<f32>(128_c, 512_c, at(0, 100000));
    nc::memset(t, 1.0);
    store(y.rows_at(0, 128_c), t);
  }
};
KILN_EXPORT(pinned, Pinned)
""")
run("compile", pinned, "-o", "pinned.kbin")
run("compile", pinned, "-o", "pinned.kbin", "--target", small, code=1, says=["sbuf of small has 16384", "[KILN-C103]"])

# What is wrong with a file.
for text, parts in [
        ("vector_ghz = 1\n", ["bad.target:1:1", "a target must begin with 'base = trn1', trn2 or trn3"]),
        ("vector_ghz = 1\nbase = trn2\n", ["bad.target:2:1", "base must come first, and only once"]),
        ("base = trn4\n", ["bad.target:1:8", "base must be trn1, trn2 or trn3, found 'trn4'"]),
        ("base = trn2\nname = trn3\n", ["bad.target:2:8", "'trn3' is the name of a target that Kiln knows"]),
        ("base = trn2\nname = " + 32 * "n" + "\n", ["1 to 31 characters, found 32"]),
        ("base = trn2\ndma_engines = 0\n", ["bad.target:2:15", "dma_engines must be an integer from 1, found '0'"]),
        ("base = trn2\ntensor_ghz = 0\n", ["tensor_ghz must be a number from 1e-06 to 1000000000, found '0'"]),
        ("base = trn2\npsum_bytes = 32768\n", ["psum_bytes must be a multiple of 2048, 16384 at most, found 32768"]),
        ("base = trn2\npe_max_moving_free = 511\n", ["pe_max_moving_free must be 512 or more, found 511"]),
        ("base = trn2\npe_max_stationary_free = 127\n", ["pe_max_stationary_free must be 128 or more, found 127"]),
        ("base = trn2\nsbuf_reserved_bytes = 300000\n", ["sbuf_reserved_bytes may be sbuf_physical_bytes (229376)"])]:
    (work / "bad.target").write_text(text)
    run("compile", "softmax", "--target", "bad.target", code=1, says=["[KILN-I060]", *parts])
run("compile", "softmax", "--target", "none.target", code=2, says=["[KILN-T021]", "there is no file of that name"])

print("\n".join(failures) or "targets of files")
sys.exit(1 if failures else 0)
