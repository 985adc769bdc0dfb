"""complaints.py KILN WORK: what users of other compilers complain of, each as a test.

Every function is one complaint; its text says which. Expectations are exact: exit code, code, line, numbers; values come from
NumPy.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernels"))
import cases

kiln, work = sys.argv[1], Path(sys.argv[2])
here = Path(__file__).resolve().parent
KERNELS = here.parents[2] / "kernels"
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
shutil.copy(here / "kernels.cpp", work / "kernels.cpp")
os.chdir(work)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
source = Path("kernels.cpp").read_text().split("\n")
complaints = []
X = np.random.default_rng(5).standard_normal((128, 256)).astype(np.float32)
np.save("x.npy", X)


def complaint(test):
    complaints.append(test)
    return test


def lines(name):
    return [number for number, line in enumerate(source, 1) if line.rstrip().endswith(f"// HERE {name}")]


def run(*words, env=environment, cwd=None):
    return subprocess.run([kiln, *words], capture_output=True, text=True, env=env, cwd=cwd, timeout=300)


def compiled(name, *words, **how):
    return run("compile", f"kernels.cpp:{name}", *words, "-o", f"{name}.kbin", **how)


def fine(done):
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[:600]}"
    return done


def refused(done, code, *parts):
    assert done.returncode == 1, f"ended with {done.returncode}, not 1: {done.stderr[:600]}"
    assert f"[{code}]" in done.stderr, f"no [{code}]: {done.stderr[:600]}"
    for part in parts:
        assert part in done.stderr, f"no '{part}': {done.stderr[:600]}"
    assert done.stderr.count("error:") == 1, f"not told once: {done.stderr[:600]}"
    return done


def value(name, n=(0, 0, 0, 0), *words):
    np.save("n.npy", np.array([n], np.int32))
    inputs = ["--in", "x=x.npy"] + (["--in", "n=n.npy"] if name != "two_rings" else ["--random-seed=1"])
    fine(run("run", f"kernels.cpp:{name}", *inputs, "--interleave=6", *words, "--out", "y=y.npy"))
    return np.load("y.npy")


def same(got, want, tolerance=0.0):
    assert got.shape == want.shape and np.abs(got - want).max() <= tolerance, f"off by {np.abs(got - want).max()}"


@complaint
def opaque_internal_error():
    """`Unhandled exception .. open a support ticket`: an internal error names its pass and how to replay it."""
    done = run("compile", "softmax", "--fail-in=nc-order")
    assert done.returncode == 70 and "[KILN-T070]" in done.stderr, done.stderr
    replay = re.search(r"'kiln-opt --run-reproducer (\S+)' replays it", done.stderr)
    assert replay and "nc-order" in Path(replay[1]).read_text(), done.stderr
    for left in Path(".").glob("kiln-*"):
        left.unlink()


@complaint
def overflow_names_one_instruction():
    """An overflow must say what was live, how big, and where."""
    done = refused(compiled("overflow"), "KILN-C101", "241088 bytes per partition are live at once, but only 212992 exist")
    for line, size in zip(lines("overflow"), (80000, 100032, 60032)):
        assert re.search(rf"kernels\.cpp:{line}: note: .*: {size} bytes per partition", done.stderr), done.stderr


@complaint
def error_without_a_fix():
    """Say how to fix it, not only what failed."""
    refused(compiled("context_alone"), "KILN-A002", "contracts 128", "with 64", "fix: matmul(a, b) contracts the rows of both")


@complaint
def harness_swallows_the_message():
    """The C++ compiler's own message reaches the user, with the code of ours behind it."""
    Path("broken.cpp").write_text("#include <kiln/kiln.h>\nint x = undeclared_thing;\n")
    done = run("compile", "broken.cpp")
    assert done.returncode == 1 and "undeclared_thing" in done.stderr and "broken.cpp:2" in done.stderr, done.stderr
    assert done.stderr.rstrip().endswith("[KILN-T030]"), done.stderr


@complaint
def template_error_of_a_page():
    """Shapes that differ are told in a few lines, with both numbers."""
    Path("shapes.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct S {
  BOOST_HANA_DEFINE_STRUCT(S, (int, rows));
  static S defaults() { return {128}; }
  void describe(Signature &s) const { s.argument("x", {rows, 64}); s.argument("y", {rows, 64}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto a = sbuf<f32>(128_c, 64_c);
    auto b = sbuf<f32>(128_c, 32_c);
    store(y, a + b);
  }
};
KILN_EXPORT(s, S)
""")
    done = run("compile", "shapes.cpp")
    errors = [line for line in done.stderr.split("\n") if " error: " in line]
    assert done.returncode == 1 and len(errors) <= 2, done.stderr
    assert "64" in done.stderr and "32" in done.stderr and "shapes.cpp:10" in done.stderr, done.stderr


@complaint
def loop_carried_buffer_is_overwritten():
    """A temporary of all iterations compiled silently; only the last iteration was right."""
    same(value("reused"), X * X)


@complaint
def wrong_after_reshape():
    """Right in the simulator, wrong on the device after a reshape: here the binary itself runs."""
    same(value("reshaped"), X.reshape(128, 16, 16).transpose(0, 2, 1).reshape(128, 256))


@complaint
def zeros_instead_of_an_error():
    """A shape that no branch takes compiled to nothing, and the output was zeros."""
    fine(compiled("zeros"))
    refused(run("run", "zeros.kbin", "--random-seed=1"), "KILN-X012")


@complaint
def clean_compile_then_the_device_hangs():
    """A wait that nobody answers is found while compiling, with its line."""
    refused(compiled("hangs"), "KILN-C121", f"kernels.cpp:{lines('hangs')[0]}: error:")


@complaint
def rings_of_different_depth_crash():
    """Two loops that share buffers with different numbers of copies."""
    same(value("two_rings"), X * 3 + X)


@complaint
def overlapping_fences_deadlock():
    """Nested loops around transfers; the streams are proved, and run in any order."""
    fine(compiled("nested"))
    fine(run("verify", "nested.kbin"))
    want = np.empty_like(X)
    for i in range(2):
        t = X[:, 64 * i:64 * i + 64]
        for j in range(2):
            t = t * 2 + 1
            want[:, 64 * (2 * i + j):64 * (2 * i + j) + 64] = t
    same(value("nested"), want)


@complaint
def bf16_computed_on_bit_patterns():
    """bf16 is rounded once, to nearest even, and nothing else."""
    def bf16(a):
        bits = np.asarray(a, np.float32).view(np.uint32)
        return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)
    t = bf16(X)
    same(value("narrow"), bf16(t * t) + bf16(t + np.float32(1)))


@complaint
def simulator_has_other_limits_than_the_target():
    """What fits trn2 and not trn1 is refused for trn1, with its number."""
    fine(compiled("fits_trn2"))
    refused(compiled("fits_trn2", "--target=trn1"), "KILN-C101", "200000 bytes per partition are live at once, but only 180224 exist")


@complaint
def profile_without_source_lines():
    """Profiler lines map to the source; the numbers have units in their names."""
    fine(compiled("plus_equals"))
    fine(run("profile", "plus_equals.kbin", "--json", "p.json", "--trace", "t.json"))
    assert "kernels.cpp:" in Path("t.json").read_text()
    profile = json.loads(Path("p.json").read_text())
    assert {"target", "makespan_ns", "lower_bound_ns", "bound_by", "mfu", "flops", "engines", "hbm_read_bytes", "hbm_write_bytes",
            "sbuf_peak_bytes", "psum_banks_peak", "instructions"} <= profile.keys(), sorted(profile)


@complaint
def output_changes_between_runs():
    """Equal input, other process, other folder and environment: equal bytes."""
    fine(compiled("two_rings"))
    first = Path("two_rings.kbin").read_bytes()
    Path("other").mkdir()
    shutil.copy("kernels.cpp", "other/kernels.cpp")
    other = dict(environment, KILN_CACHE_DIR=str(work / "cache2"), LANG="C", A="x" * 5000)
    fine(run("compile", "kernels.cpp:two_rings", "-o", "o.kbin", env=other, cwd="other"))
    assert Path("other/o.kbin").read_bytes() == first


@complaint
def cache_key_without_flags():
    """A flag of the compiler, a changed header and a changed file all compile anew."""
    Path("factor.h").write_text("#define SHIFT 1.0\n")
    Path("cached.cpp").write_text(Path("kernels.cpp").read_text().split("template <int depth> auto through")[0].split("struct Dyn")[0]
                                  + """#include "factor.h"
struct Cached { KERNEL(Cached) { store(y, load(x) * FACTOR + SHIFT); } };
KILN_EXPORT(cached, Cached)
""")
    np.save("n.npy", np.zeros((1, 4), np.int32))

    def result(flags=""):
        fine(run("run", "cached.cpp", "--in", "x=x.npy", "--in", "n=n.npy", "--out", "y=c.npy",
                 env=dict(environment, CXX=f"c++ {flags}")))
        return np.load("c.npy")
    same(result(), X * 2 + 1)
    same(result("-DFACTOR=4.0"), X * 4 + 1)
    same(result(), X * 2 + 1)
    Path("factor.h").write_text("#define SHIFT 3.0\n")
    same(result(), X * 2 + 3)


@complaint
def dynamic_loop_does_not_compile():
    """Loops up to a length that is known when the kernel runs: nested, with no trip, for every target."""
    for target in ("trn1", "trn2", "trn3"):
        fine(compiled("dynamic_loops", f"--target={target}"))
    for outer, inner in ((0, 5), (1, 0), (3, 2), (4, 1)):
        want = np.zeros_like(X)
        for _ in range(outer * inner):
            want = want + X
        same(value("dynamic_loops", (outer, inner, 0, 0)), want)


@complaint
def dynamic_pattern_on_chip_crashes():
    """A register chooses columns on chip: bounded it works, unbounded it is an error with a way out."""
    want = np.zeros_like(X)
    for i in range(3):
        want[:, 64 * (3 - i):64 * (4 - i)] = X[:, 64 * i:64 * i + 64] * 2
    same(value("dynamic_sbuf", (3, 0, 0, 0)), want)


@complaint
def loop_error_without_information():
    """The message has line, numbers and a way out."""
    refused(compiled("unbounded_sbuf"), "KILN-A020", f"kernels.cpp:{lines('unbounded_sbuf')[0]}: error:", "dimension 1",
            "extent 256", "fix: slice the HBM view by the register")


@complaint
def depth_of_calls_decides_whether_it_compiles():
    """One call or 200 around an operation: equal programs, equal values."""
    same(value("calls_1"), X * 2)
    same(value("calls_200"), X * 2)


@complaint
def error_depends_on_context():
    """The same mistake, alone and in loops and scopes of a larger kernel: the same message."""
    messages = [refused(compiled(name), "KILN-A002", f"kernels.cpp:{lines('context')[0]}: error:").stderr
                for name in ("context_alone", "context_deep")]
    messages = ["\n".join(line for line in text.split("\n") if "called from" not in line) for text in messages]
    assert messages[0] == messages[1], messages


@complaint
def out_of_bounds_only_inside_a_larger_graph():
    """A row that is not there is found alone and inside a larger kernel, at its line; one that is there is not."""
    for name in ("bounds_alone", "bounds_inside"):
        fine(compiled(name))
        for row, good in ((0, True), (127, True), (128, False), (-1, False)):
            np.save("n.npy", np.array([[row, 0, 0, 0]], np.int32))
            done = run("run", name + ".kbin", "--in", "x=x.npy", "--in", "n=n.npy")
            if good:
                fine(done)
            else:
                refused(done, "KILN-X004", f"kernels.cpp:{lines('bounds')[0]}", "tensor x")


@complaint
def all_reduce_fails_with_two_cores():
    """all_reduce of two ranks that have two cores each."""
    np.save("n.npy", np.zeros((1, 4), np.int32))
    fine(run("run", "kernels.cpp:reduced", "--cores=2", "--ranks=2", "--in", "x=x.npy", "--in", "n=n.npy", "--interleave=4", "--out",
             "y=y.npy"))
    same(np.load("y.npy"), np.stack([X + X, X + X]))


@complaint
def silently_wrong_values():
    """Ragged shapes of every product kernel against loops in double precision."""
    fine(run("run", "matmul", "--m=130", "--k=257", "--n=513", "--random-seed=2", "--reference"))
    fine(run("run", "flash_attention", "--seq-q=130", "--seq-k=600", "--head-dim=72", "--causal", "--random-seed=2", "--reference"))


@complaint
def plus_equals_means_something_else():
    """`sum = sum + t` in loops adds, wherever t was made."""
    want = np.zeros_like(X)
    for _ in range(6):
        want = want + X * 2
    same(value("plus_equals"), want)


@complaint
def published_examples_fail():
    """Every kernel of the library compiles for every target that has its cores, or its README names the others."""
    for name in fine(run("list", "--names")).stdout.split():
        for target in ("trn1", "trn2", "trn3"):
            done = run("compile", name, f"--target={target}", "-o", "example.kbin")
            if done.returncode != 0 and re.search(cases.LACKS, done.stderr):
                readme = next(KERNELS.glob(f"*/{name}/README.md")).read_text()
                assert target == "trn1" and re.search("trn[12]", readme), f"{name} is refused for {target}, and its README does not say so"
            else:
                fine(done)


@complaint
def compiling_takes_hours():
    """2000 operations in a row compile in seconds."""
    start = time.time()
    fine(compiled("unrolled"))
    assert time.time() - start < 60, f"{time.time() - start:.0f} s"


failed = 0
for test in complaints:
    if sys.argv[3:] and test.__name__ not in sys.argv[3:]:
        continue
    try:
        test()
        print(f"ok    {test.__name__}")
    except AssertionError as wrong:
        failed += 1
        print(f"WRONG {test.__name__}: {wrong}")
if left := list(Path(".").glob("kiln-*")):
    failed += 1
    print(f"a reproducer was written: {left}")
print(f"{failed} of {len(complaints)} complaints are justified")
sys.exit(1 if failed else 0)
