"""user_kernels.py KILN WORK: kernels in the language that ask for what cannot be, or for what is probably not meant.

Each case: a body, the exit code, the code, parts of the message. The line that a message must name is marked `// HERE` in the
body, that of its note `// NOTE`.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

kiln, work = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
failures = []

# All bodies in one file: it is compiled once.
HEAD = """#include <kiln/kiln.h>
using namespace kiln;
"""
KERNEL = """struct %(type)s {
  BOOST_HANA_DEFINE_STRUCT(%(type)s, (int, n));
  static %(type)s defaults() { return {1}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 512});
    s.argument("i", {128, 512});
    s.argument("y", {128, 512});
  }
  void operator()(In<f32, 2> x, In<i32, 2> i, Out<f32, 2> y) const {
%(body)s  }
};
KILN_EXPORT(%(name)s, %(type)s)
"""
cases = {}


def case(name, body, exit_code, *parts):
    cases[name] = (body, exit_code, parts)


# Pins: KILN-C103.
for name, place, part in (
        ("misaligned", "at(0, 4098)", "is pinned to byte 4098; an address of f32 is a multiple of 4, such as 4096"),
        ("outside", "at(0, 220000)", "is pinned to bytes [220000, 222048) of each partition; sbuf of trn2 has 212992, so it may "
                                     "begin at byte 210944 at the latest"),
        ("lanes", "at(16, 0)", "is pinned to partition 16; its 64 partitions may start at multiples of 64 and end at 128")):
    case(name, f"    auto a = sbuf<f32>({64 if name == 'lanes' else 128}_c, 512_c, {place}); // HERE\n"
               "    nc::memset(a, 1.0);\n    store(y.rows_at(0, 64_c), a.rows_at(0, 64_c));\n", 1, "[KILN-C103]", part)
case("meets", """    auto a = sbuf<f32>(128_c, 512_c, at(0, 4096)); // HERE
    auto b = sbuf<f32>(128_c, 512_c, at(0, 4608));
    nc::dma_copy(a, x);
    nc::dma_copy(b, x);
    store(y, a + b);
""", 1, "[KILN-C103]", "share bytes")

# What trn2 only converts: KILN-C176. A cast on either side is fine, whatever computes in between.
for name, operation in (("halves", "t + t"), ("scale", "t * 2.0f"), ("size", "abs(t)"), ("flags", "where(t > 0.0f, t, t)")):
    case(name, f"""    auto t = cast<f8e4m3fn>(load(x));
    store(y, cast<f32>({operation})); // HERE
""", 1, "[KILN-C176]", "elements of f8e4m3fn, which trn2 only moves and converts")
case("converts", """    auto t = cast<f8e4m3fn>(exp(load(x)) * 2.0f);
    auto u = cast<f8e4m3fn>(copy(t.cols_at(0, 256)));
    store(y, cast<f32>(t) + 1.0f);
    store(y.cols_at(0, 256), cast<f32>(u));
""", 0)

# MX floats before trn3: KILN-C179.
case("scaled", """    auto q = quantize_mx<f8e4m3fn_x4>(load(x)); // HERE
    store(y.cols_at(0, 512), matmul(q, q).rows_at(0, 128));
""", 1, "[KILN-C179]", "floats with a scale for 32 rows need MX formats, which trn2 does not have")

# An index beside a counter or a register: KILN-C177.
for name, offset in (("counter", "k"), ("register", "nc::register_load(i.rows_at(0, 1_c).cols_at(0, 1_c)) % 3")):
    case(name, f"""    auto rows = load(i.cols_at(0, 1_c));
    auto t = sbuf<f32>(128_c, 64_c);
    loop("k", 8, [&](Index k) {{
      nc::dma_copy(t, x.cols({offset}, 64_c), {{.src_index = rows}}); // HERE
      store(y.cols(k, 64_c), t);
    }});
""", 1, "[KILN-C177]", "'src' of 'dma_copy' is addressed by an index, and also by a register or the counter of a loop")
case("listed", """    auto rows = load(i.cols_at(0, 1_c));
    auto t = sbuf<f32>(128_c, 64_c);
    for (int k = 0; k < 2; ++k) {
      nc::dma_copy(t, x.cols_at(k * 2, 64_c), {.src_index = rows});
      store(y.cols_at(k, 64_c), t);
    }
""", 0)

# More columns than one instruction takes: KILN-C178.
for columns, code in ((65535, 0), (65536, 1)):
    case(f"gathers_{columns}", f"""    auto wide = zeros<i8>(128, {columns});
    store(y.cols_at(0, 8), cast<f32>(gather(wide, zeros<u32>(128, 8))));{" // HERE" if code else ""}
""", code, *(("[KILN-C178]", "'data' of 'nc_n_gather' has 65536 elements per partition, but one instruction takes 65535")
             if code else ()))

# Bounds of loops are registers or 32 bits: KILN-C107.
for name, bounds, found in (("end", "0, 1LL << 31", "2147483648"), ("begin", "1LL << 32, (1LL << 32) + 3", "4294967296"),
                            ("step", "0, 1LL << 34, 1LL << 32", "4294967296"),
                            ("trips", "0, (1LL << 32) + 3", "4294967299")):
    case(f"loop_{name}", f"""    auto t = load(x);
    loop("d", {bounds}, [&](Index) {{ t = t + 1.0f; }}); // HERE
    store(y, t);
""", 1, "[KILN-C107]", found, "registers have 32 bits")
case("loop_last", """    auto t = load(x);
    loop("d", 2147483640, 2147483647, [&](Index) { t = t + 1.0f; });
    store(y, t);
""", 0)

# Queues: KILN-C185, and no false alarm where the compiler has the choice.
case("queue", """    auto t = sbuf<f32>(128_c, 512_c);
    nc::dma_copy(t, x, {.queue = 3, .engine = nc::Engine::sync}); // NOTE
    nc::dma_copy(y, t, {.queue = 3, .engine = nc::Engine::scalar}); // HERE
""", 1, "[KILN-C185]", "queue 3 is fed by the scalar stream here and by the sync stream already")
case("one_queue", """    auto t = sbuf<f32>(128_c, 512_c);
    nc::dma_copy(t, x, {.queue = 3});
    nc::dma_copy(y, t, {.queue = 3});
""", 0)
case("taken_queues", """    auto t = sbuf<f32>(128_c, 512_c);
    for (int q = 1; q < 8; ++q)
      nc::dma_copy(t.cols(q, 64_c), x.cols(q, 64_c), {.queue = q, .engine = nc::Engine::scalar});
    nc::dma_copy(t.cols(0, 64_c), x.cols(0, 64_c), {.engine = nc::Engine::sync});
    nc::dma_copy(y, t, {.queue = 8, .engine = nc::Engine::tensor});
""", 0)
case("no_queue", """    auto t = sbuf<f32>(128_c, 512_c);
    for (int q = 1; q < 16; ++q)
      nc::dma_copy(t.cols(q, 32_c), x.cols(q, 32_c), {.queue = q, .engine = nc::Engine::scalar});
    nc::dma_copy(t.cols(0, 32_c), x.cols(0, 32_c), {.engine = nc::Engine::sync});
    nc::dma_copy(y, t, {.engine = nc::Engine::gpsimd}); // HERE
""", 1, "[KILN-C186]")

# Integers: KILN-W101 is a warning.
case("rounded", """    auto t = sbuf<i32>(128_c, 512_c), s = sbuf<i32>(128_c, 512_c);
    nc::dma_copy(t, i);
    nc::tensor_tensor(s, t, t, nc::AluOp::add, {.engine = nc::Engine::vector}); // HERE
    store(y, cast<f32>(s));
""", 0, "warning:", "[KILN-W101]")
case("exact", """    auto t = sbuf<i32>(128_c, 512_c), s = sbuf<i32>(128_c, 512_c);
    nc::dma_copy(t, i);
    nc::tensor_tensor(s, t, t, nc::AluOp::add);
    store(y, cast<f32>(s));
""", 0)

# The program is recorded for the target.
case("asks", """    store(y, load(x) * static_cast<double>(target().generation));
""", 0)

# Products: KILN-W110.
PRODUCTS = """    auto a = sbuf<f32>(128_c, 128_c);
    auto b = sbuf<f32>(128_c, 512_c);
    auto acc = psum<f32>(128_c, 512_c);
    nc::dma_copy(a, x.cols_at(0, 128_c));
    nc::dma_copy(b, x);
"""
case("product_twice", PRODUCTS + """    nc::nc_matmul(acc, a, b); // NOTE
    nc::nc_matmul(acc, a, b); // HERE
    store(y, acc);
""", 0, "warning:", "[KILN-W110]", "overwrites a product that nothing has read")
case("product_in_loop", PRODUCTS + """    loop("k", 4, [&](Index) {
      nc::nc_matmul(acc, a, b); // HERE
    });
    store(y, acc);
""", 0, "warning:", "[KILN-W110]", "each iteration overwrites the product of the one before")
case("products_read", PRODUCTS + """    auto s = sbuf<f32>(128_c, 512_c);
    loop("k", 4, [&](Index) {
      nc::nc_matmul(acc, a, b);
      nc::nc_matmul(acc, a, b, {.accumulate = true});
      nc::tensor_copy(s, acc);
    });
    nc::nc_matmul(acc.cols_at(0, 256_c), a, b.cols_at(0, 256_c));
    nc::nc_matmul(acc.cols_at(256, 256_c), a, b.cols_at(256, 256_c));
    store(y, acc + s);
""", 0)
case("products_by_branch", PRODUCTS + """    const Index r = nc::register_load(i.rows_at(0, 1_c).cols_at(0, 1_c));
    when("which", r == 0, [&] { nc::nc_matmul(acc, a, b); }, [&] { nc::nc_matmul(acc, b.cols_at(0, 128_c), b); });
    store(y, acc);
""", 0)

# NKI's default, in one word: the first iteration writes, the others add.
SUM = PRODUCTS + """    loop("k", 4, [&](Index k) {
      nc::dma_copy(a, x.cols(k, 128_c));
      nc::nc_matmul(acc, a, b, {.accumulate = %s});
    });
    store(y, acc);
"""
case("first_writes", SUM % "nc::Accumulate::first_writes", 0)
case("all_add", SUM.replace("    loop(", "    nc::memset(b, 0.0);\n    nc::nc_matmul(acc, a, b);\n    nc::dma_copy(b, x);\n    loop(") % "true", 0)
case("first_of_what", PRODUCTS + """    nc::nc_matmul(acc.cols_at(0, 256_c), a, b.cols_at(0, 256_c));
    nc::nc_matmul(acc, a, b, {.accumulate = nc::Accumulate::first_writes}); // HERE
    store(y, acc);
""", 1, "[KILN-A150]", "earlier products wrote only a part of its place")

# A load that nobody needs: what is promised through it holds without it.
case("dead_after", """    auto a = load(x);
    auto first = store(y.cols_at(0, 256), a.cols_at(0, 256));
    auto unused = load(x.rows_at(0, 10)).after(first);
    store(y.cols_at(256, 256), a.cols_at(256, 256)).after(unused);
""", 0)

# Nor a promise of what never runs.
for name, begin, end in (("never", "0", "n - 1"), ("never_at_all", "r", "r"), ("less", "n", "min(r, 1)")):
    case(name, f"""    auto a = load(x);
    [[maybe_unused]] const Index r = nc::register_load(i.rows_at(0, 1_c).cols_at(0, 1_c));
    auto first = store(y.cols_at(0, 256), a.cols_at(0, 256));
    loop("k", {begin}, {end}, [&](Index) {{ store(y.cols_at(0, 256), a.cols_at(256, 256)).after(first); }});
    store(y.cols_at(256, 256), a.cols_at(256, 256));
""", 0)

text, lines = HEAD, {}
for name, (body, _, _) in cases.items():
    kernel = KERNEL % {"type": "K" + name, "name": name, "body": body}
    first = text.count("\n") + 1
    for number, line in enumerate(kernel.split("\n"), first):
        for mark in ("HERE", "NOTE"):
            if line.endswith("// " + mark):
                lines[name, mark] = number
    text += kernel
Path("user.cpp").write_text(text)

for name, (body, exit_code, parts) in cases.items():
    done = subprocess.run([kiln, "compile", "user.cpp:" + name, "-o", name + ".kbin"], capture_output=True, text=True,
                          env=environment, timeout=300)
    said = done.stderr
    wrong = [f"no '{part}'" for part in parts if part not in said]
    if done.returncode != exit_code:
        wrong.append(f"exit code {done.returncode}, not {exit_code}")
    if not parts and ("error:" in said or "warning:" in said):
        wrong.append("a false alarm")
    for mark, kind in (("HERE", "error" if exit_code else "warning"), ("NOTE", "note")):
        if (name, mark) in lines and f"user.cpp:{lines[name, mark]}: {kind}: " not in said:
            wrong.append(f"no {kind} at line {lines[name, mark]}")
    if parts and said.count("error:") + said.count("warning:") != 1:
        wrong.append("not told once")
    if wrong:
        failures.append(f"{name}: {'; '.join(wrong)}\n  it said: {said.strip()[:600]}")
if list(work.glob("kiln-*")):
    failures.append("a reproducer was written: something above was taken for an internal error")

# Sums from the first product on, and sums onto zeros.
sums = {}
for name in ("first_writes", "all_add"):
    done = subprocess.run([kiln, "run", name + ".kbin", "--random-seed=3", "--out", f"y={name}.npy"], capture_output=True, text=True)
    sums[name] = Path(name + ".npy").read_bytes() if done.returncode == 0 else done.stderr
if sums["first_writes"] != sums["all_add"] or len(sums["all_add"]) < 128 * 512 * 4:
    failures.append(f"first_writes and all_add differ: {[str(each)[:200] for each in sums.values()]}")

# A kernel that asks for its target is recorded for it, by the reference, too.
for target, generation in ("trn1", 2), ("trn2", 3), ("trn3", 4):
    done = subprocess.run([kiln, "run", "user.cpp:asks", "--target", target, "--random-seed=1", "--check-source"],
                          capture_output=True, text=True, env=environment)
    shown = subprocess.run([kiln, "compile", "user.cpp:asks", "--target", target, "--emit=program"],
                           capture_output=True, text=True, env=environment).stdout
    if done.returncode != 0 or f"\ngeneration {generation}\n" not in shown or f"value={generation}.0" not in shown:
        failures.append(f"asks on {target}: {done.stderr}{shown[:300]}")

# A machine says which formats it takes, and what is compiled for it runs.
Path("plain.target").write_text("base = trn3\nname = plain\ntakes_mx = false\ntakes_fp8_fn = false\n")
Path("more.target").write_text("base = trn2\nname = more\ntakes_fp8_fn = true\ntakes_mx = true\n")
for name, target, refusal in (("halves", "trn3", ""), ("halves", "more.target", ""), ("scaled", "trn3", ""),
                              ("halves", "plain.target", "elements of f8e4m3fn, which plain only moves and converts"),
                              ("scaled", "plain.target", "need MX formats, which plain does not have"),
                              ("scaled", "more.target", "need MX formats, which more does not have")):  # No instruction does.
    done = subprocess.run([kiln, "run", "user.cpp:" + name, "--target", target, "--random-seed=1", "--check-source"],
                          capture_output=True, text=True, env=environment)
    if (done.returncode != 0) != bool(refusal) or refusal not in done.stderr:
        failures.append(f"{name} on {target}: exit code {done.returncode}, {done.stderr.strip()[:300]}")

# What is computed does not depend on which engine is idle.
listed = subprocess.run([kiln, "disasm", "exact.kbin"], capture_output=True, text=True).stdout
stream = listed.split(".stream gpsimd", 1)[-1].split(".stream", 1)[0]
if "tensor_tensor" not in stream:
    failures.append("exact: the sum of integers is not on gpsimd")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures of {len(cases)}")
sys.exit(1 if failures else 0)
