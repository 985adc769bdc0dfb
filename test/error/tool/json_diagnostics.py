"""json_diagnostics.py KILN SCHEMA WORK SANITIZERS: what each part of Kiln finds, as JSON (--diagnostics=json).

Every line of the standard error stream is one object of the schema, the exit code is that of the text form, and the
text form says the same sentence and code.
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from schema import problems

kiln, schema, work = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
sanitized = sys.argv[4] != ""
work.mkdir(parents=True, exist_ok=True)
failures = []


def run(words):
    return subprocess.run([kiln, *words], cwd=work, capture_output=True, timeout=300)


def expect(words, code, *wanted):
    """`wanted`: for each object the fields that it must have, among others."""
    plain, done = run(words), run([*words, "--diagnostics=json"])
    told = done.stderr.decode("utf-8")  # Never anything but UTF-8.
    name = " ".join(words)
    if done.returncode != code or plain.returncode != code:
        failures.append(f"{name}: ended with {done.returncode} and {plain.returncode}: {told[:500]}")
    try:
        found = [json.loads(line) for line in told.splitlines()]
    except ValueError as error:
        failures.append(f"{name}: {error}: {told[:500]}")
        return []
    for entry in found:
        failures.extend(f"{name}: {problem}" for problem in problems(entry, schema, schema))
        text = plain.stderr.decode("utf-8", "replace")
        if entry["code"] not in text or entry["text"].split("\n")[0][:200] not in text:
            failures.append(f"{name}: the text form does not say {entry['code']}: {entry['text'][:200]}")
        for part in "found", "allowed":
            if entry[part] is not None and str(entry[part]) not in entry["text"]:
                failures.append(f"{name}: {part} {entry[part]!r} is not part of {entry['text'][:200]}")
        if any(mark in text or mark in told for mark in ("<|", "|>", "[|", "|]")):
            failures.append(f"{name}: a mark is left in: {text[:300]}")
    if len(found) != len(wanted):
        failures.append(f"{name}: {len(found)} objects, not {len(wanted)}: {told[:500]}")
    for entry, fields in zip(found, wanted):
        for field, value in fields.items():
            if entry.get(field) != value:
                failures.append(f"{name}: {field} is {entry.get(field)!r}, not {value!r}")
    return found


def need(holds, what):
    if not holds:
        failures.append(what)


# The schema test itself bites.
good = {"code": "KILN-A001", "severity": "error", "text": "x", "place": None, "found": "3", "allowed": None, "fix": None, "blame": "user", "parties": []}
need(not list(problems(good, schema, schema)), "a good object is refused")
for change in {"code": "A001"}, {"severity": "note"}, {"text": ""}, {"place": {"line": 3}}, {"found": []}, {"parties": [{}]}, {"more": 1}, {"fix": 3}:
    need(list(problems({**good, **change}, schema, schema)), f"{change} is not refused")

# The command line.
expect(["compiel"], 2, {"code": "KILN-T020", "place": None, "found": "compiel", "allowed": "compile"})
found = expect(["xyzzy"], 2, {"code": "KILN-T020", "found": "xyzzy"})
need(found and found[0]["allowed"].startswith("list, compile, run, "), f"commands: {found}")
expect(["compile"], 2, {"code": "KILN-T020"})
done = run(["list", "--diagnostics=xml"])
need(done.returncode == 2 and b"'--diagnostics' takes text or json, found 'xml' [KILN-T020]" in done.stderr, "another form")
done = run(["--diagnostics", "json", "compiel"])
need(done.returncode == 2 and json.loads(done.stderr)["code"] == "KILN-T020", "in front of the command, in two words")
expect(["run", "matmul", "--cores=3"], 2, {"code": "KILN-T020", "found": 3, "allowed": "1 or 2"})
expect(["run", "softmax", "--ranks=0"], 2, {"found": 0})
expect(["list", "--nmes"], 2, {"found": "--nmes", "allowed": "--names"})
expect(["verify"], 2, {"found": None, "allowed": "IN.kbin"})
# A kernel, a parameter and a pass that are none: the nearest name, or all names.
expect(["compile", "sofmax"], 1, {"code": "KILN-T022", "found": "sofmax", "allowed": "softmax"})
found = expect(["compile", "xyzzy"], 1, {"code": "KILN-T022", "found": "xyzzy"})
need(found and " others" in found[0]["allowed"], f"kernels: {found}")
expect(["compile", "softmax", "--rwos=3"], 2, {"code": "KILN-T023", "found": "--rwos", "allowed": "--rows"})
found = expect(["compile", "softmax", "--xyzzy=3"], 2, {"code": "KILN-T023", "found": "--xyzzy"})
need(found and found[0]["allowed"].startswith("--rows, "), f"parameters: {found}")
expect(["compile", "softmax", "--remarks=tile-fus"], 2, {"found": "tile-fus", "allowed": "tile-fuse"})
# What a kernel of the library requires.
expect(["compile", "flash_attention", "--head-dim=200"], 1, {"code": "KILN-A017", "found": 200, "allowed": "at most 128"})
expect(["compile", "flash_attention", "--heads=6", "--kv-heads=4"], 1,
       {"code": "KILN-A017", "found": 6, "allowed": "multiple of kv-heads, which is 4"})
# Before all of the search is recorded, which would take gigabytes.
expect(["compile", "top_p", "--words=152064", "--k=152064"], 1,
       {"code": "KILN-A017", "found": 152064, "allowed": 1536})
expect(["compile", "quantize", "--scale=none"], 1, {"code": "KILN-A017", "found": "none", "allowed": "row, tensor or static"})
# Each says what it found and what is allowed, floating-point numbers with the digits that were given.
for words, found, allowed in (
        ("ring_reduce_scatter --group=65", "65", "1 to 64"),
        ("ring_all_gather --group=65", "65", "1 to 64"),
        ("all_gather_matmul --group=65", "65", "1 to 64"),
        ("matmul_reduce_scatter --group=65", "65", "1 to 64"),
        ("sbuf_all_reduce --group=65", "65", "1 to 64"),
        ("sbuf_all_reduce --group=0", "0", "1 to 64"),
        ("tensor_parallel_mlp --group=65", "65", "1 to 64"),
        ("llama_layer_ranks --group=65", "65", "1 to 64"),
        ("llama_layer_ranks --group=0", "0", "1 to 64"),
        ("llama_layer_ranks --group=3 --heads=8 --kv-heads=6 --inner=1024", "3",
         "a divisor of 8 heads, 6 kv-heads and 1024 inner columns"),
        ("flash_attention --scale=-0.5", "-0.5", "0 or more"),
        ("flash_attention --section=1024 --block=512", "1024", "0"),
        ("flash_attention --section=1024 --seq-q=127", "1024", "0"),
        ("flash_attention --section=1024 --seq-q=768 --seq-k=4096 --causal=true", "1024", "0"),
        ("flash_attention_threshold --scale=-0.1", "-0.1", "0 or more"),
        ("flash_attention_threshold --seq-q=500", "500 and ", "multiples of 512"),
        ("flash_attention_threshold --seq-q=512 --seq-k=1024 --causal=true", "1024", "512"),
        ("flash_attention_expert --seq-q=100", "100", "a multiple of 128"),
        ("flash_attention_expert --seq-k=1000", "1000", "a multiple of 1024"),
        ("prefill_attention --heads=6 --kv-heads=4", "6", "multiple of kv-heads, which is 4"),
        ("prefill_attention --window=-1", "-1", "0 or more"),
        ("norm_quantize --factor=0", "0", "above 0"),
        ("norm_mlp --cores=2", "512", "at most 128"),
        ("prefill_attention --scale=-1e-9", "-1e-09", "0 or more"),
        ("decode_attention --heads=6 --kv-heads=4", "6", "multiple of kv-heads, which is 4"),
        ("decode_attention --block=-2", "-2", "1 or more"),
        ("decode_attention --max-keys=1000 --block=512", "1000", "multiple of block, which is 512"),
        ("context_parallel_decode --group=65", "65", "1 to 64"),
        ("context_parallel_decode --group=2 --cores=2", "2", "1 core"),
        ("context_parallel_prefill --group=0", "0", "1 to 64"),
        ("context_parallel_prefill --tokens=3", "3", "an even number"),
        ("context_parallel_prefill --cores=2", "2", "1 core"),
        ("fused_attention --heads=6 --kv-heads=4", "6", "multiple of kv-heads, which is 4"),
        ("rmsnorm_cores --cols=513 --cores=2", "513", "multiple of the cores, which are 2"),
        ("softmax_expert --cols=100000", "100000", "at most "),
        ("quantize --factor=0", "0", "above 0"),
        ("quantize --dtype=f8e4m3fn_x4 --target=trn3 --scale=row --factor=2.5", "2.5", "1"),
        ("rope --head-dim=63", "63", "an even number"),
        ("swiglu --unit=-0.25", "-0.25", "above 0"),
        ("swiglu --scales=row", "row", "none"),
        ("matmul --scales=tensor", "tensor", "none"),
        ("qkv --scales=row", "row", "none"),
        ("norm_mlp --unit=2.5", "2.5", "1"),
        ("matmul_expert --m=20000 --n=20000 --k=512", "", "at most 176128"),
        ("top_p --p=1.5", "1.5", "a probability above 0"),
        ("top_p --p=0.1 --temperature=-0.7", "-0.7", "above 0"),
        ("vocabulary_top_k --words=64 --k=65", "65", "1 to 64")):
    told = expect(["compile", *words.split()], 1, {"code": "KILN-A017"})
    entry = told[0] if told else {"found": None, "allowed": None}
    need(str(entry["found"] or 0).startswith(found) and str(entry["allowed"]).startswith(allowed),
         f"{words}: found {entry['found']!r}, allowed {entry['allowed']!r}")
# Remarks and statistics have forms of their own, in order with what the command says besides.
for words in ["--remarks"], ["--statistics"], ["--remarks", "--statistics"]:
    for line in run(["compile", "flash_attention", "-o", "x.kbin", *words, "--diagnostics=json"]).stderr.decode().splitlines():
        failures.extend(f"{words}: {problem}: {line}" for problem in problems(json.loads(line), schema, schema))
# Recording: the place is the user's line, and there is a fix.
(work / "shapes.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Shapes {
  BOOST_HANA_DEFINE_STRUCT(Shapes, (int, cols));
  static Shapes defaults() { return {500}; }
  void describe(Signature &s) const { s.argument("x", {128, 512}); s.argument("y", {128, 512}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    store(y, load(x) + full<f32>(1.0, 128_c, cols));
  }
};
KILN_EXPORT(shapes, Shapes)
struct Huge {
  BOOST_HANA_DEFINE_STRUCT(Huge, (int, cols));
  static Huge defaults() { return {500}; }
  void describe(Signature &s) const { s.argument("y", {128, 8}); }
  void operator()(Out<f32, 2> y) const {
    auto a = sbuf<f32>(128_c, 60000);
    nc::memset(a, 1.0);
    store(y, a.cols_at(0, 8));
  }
};
KILN_EXPORT(huge, Huge)
struct Faulty {
  BOOST_HANA_DEFINE_STRUCT(Faulty, (int, cols));
  static Faulty defaults() { return {500}; }
  void describe(Signature &s) const { s.argument("x", {128, 512}); s.argument("y", {128, 512}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const volatile int *volatile table = nullptr;
    store(y, load(x) * float(table[3]));
  }
};
KILN_EXPORT(faulty, Faulty)
struct Divides {
  BOOST_HANA_DEFINE_STRUCT(Divides, (int, parts));
  static Divides defaults() { return {0}; }
  void describe(Signature &s) const { s.argument("x", {128, 512}); s.argument("y", {128, 512}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const volatile int count = parts;
    store(y, load(x) * float(12 / count));
  }
};
KILN_EXPORT(divides, Divides)
""")
expect(["compile", "shapes.cpp:shapes"], 1,
       {"code": "KILN-A001", "place": {"file": "shapes.cpp", "line": 8}, "found": "[128, 500]", "allowed": "[128, 512]", "fix": "make the extents equal, or 1 where they repeat"})
# Compiling: notes are parties.
found = expect(["compile", "shapes.cpp:huge"], 1, {"code": "KILN-C101", "severity": "error", "found": 240000, "allowed": 212992})
need(found and found[0]["place"]["file"] == "shapes.cpp", f"huge: {found}")
# A signal ends the kernel's own code; sanitizers have handlers of their own.
if not sanitized:
    expect(["compile", "shapes.cpp:faulty"], 1,
           {"code": "KILN-T005", "text": "the kernel's own code ended with a segmentation fault while recording 'faulty'", "blame": "user"})
    expect(["compile", "shapes.cpp:divides"], 1,
           {"code": "KILN-T005", "text": "the kernel's own code ended with an arithmetic fault while recording 'divides'"})
# An internal error is ours.
found = expect(["compile", "softmax", "--fail-in=nc-order", "-o", "x.kbin"], 70, {"code": "KILN-C900", "blame": "kiln"}, {"code": "KILN-T070", "blame": "kiln"})
# The C++ compiler: its messages are in the text, and their places are parties.
(work / "broken.cpp").write_text('#include <kiln/kiln.h>\nint x = "two";\n')
done = run(["list", "broken.cpp", "--diagnostics=json"])
entry = json.loads(done.stderr)
need(entry["code"] == "KILN-T030" and "broken.cpp:2" in entry["text"], f"broken.cpp: {entry}")
place = entry["place"] or {}
need(place.get("line") == 2 and f"broken.cpp:2:{place.get('column')}: error: " in entry["text"], f"broken.cpp: {place}")
need([party["place"] for party in entry["parties"] if party["role"].startswith("error: ")] == [entry["place"]],
     f"broken.cpp: {entry['parties']}")
# A template of Kiln rejects a shape: the place is the line that uses it, with either compiler.
(work / "static.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
void mistake(Tile<f32, 128, 64> t) {
  auto sum = t + full<f32>(1.0, 64_c, 64_c);
}
""")
for compiler in "clang++-22", "g++":
    if not sanitized and shutil.which(compiler):
        os.environ["CXX"] = compiler
        entry = json.loads(run(["list", "static.cpp", "--diagnostics=json"]).stderr)
        del os.environ["CXX"]
        need(entry["place"] and entry["place"]["file"] == "static.cpp" and entry["place"]["line"] == 4, f"{compiler}: {entry['place']}")
        need(any("static assertion failed" in party["role"] and party["place"]["file"] != "static.cpp" for party in entry["parties"]),
             f"{compiler}: {entry['parties']}")
# The assembler tells all mistakes, each with line and column.
(work / "bad.kasm").write_text(""".kernel bad
.target trn2
.stream vector
  memste dst=sbuf[p0:32, 0x0: bf16 64x1], value=1.5
  memset dst=sbuf[p0:32, 0x0: bf99 64x1], value=1.5
""")
(work / "rule.kasm").write_text(""".kernel rule
.target trn2
.stream vector
  memset dst=sbuf[p5:32, 0x0: bf16 64x1], value=1.5
""")
expect(["asm", "rule.kasm", "-o", "x.kbin"], 1, {"found": 5, "allowed": "0, 32, 64 or 96"})
found = expect(["asm", "bad.kasm", "-o", "x.kbin"], 1, {"severity": "error"}, {"severity": "error"})
need([entry["place"]["line"] for entry in found] == [4, 5] and all(entry["place"]["column"] > 0 for entry in found), f"bad.kasm: {found}")
# A file that is none; a name with quotes, a line break and bytes that are not UTF-8.
strange = b'no "such"\n\xff file.kbin'
(work / "none.kbin").write_bytes(b"no ELF")
expect(["verify", "none.kbin"], 1, {"severity": "error", "blame": "user"})
done = subprocess.run([kiln.encode(), b"verify", strange, b"--diagnostics=json"], cwd=work, capture_output=True, timeout=60)
need('no "such"\n\ufffd file.kbin' in json.loads(done.stderr.decode())["text"], f"a strange name: {done.stderr}")
# Warnings of the instructions, and a run with parties: bytes that nothing wrote, and types that differ.
(work / "unwritten.kasm").write_text(""".kernel unwritten
.target trn2
.stream vector
  tensor_copy dst=sbuf[p0:32, 0x400: f32 64x1], src=sbuf[p0:32, 0x0: f32 64x1] ; @1
.location 1 "user.cpp" 3:1 "" ""
""")
(work / "retyped.kasm").write_text(""".kernel retyped
.target trn2
.stream vector
  memset dst=sbuf[p0:32, 0x0: bf16 64x1], value=1.5 ; @1
  tensor_copy dst=sbuf[p0:32, 0x400: f32 64x1], src=sbuf[p0:32, 0x0: f16 64x1] ; @2
.location 1 "user.cpp" 2:1 "" ""
.location 2 "user.cpp" 3:1 "" ""
""")
for name in "unwritten", "retyped":
    done = run(["asm", f"{name}.kasm", "-o", f"{name}.kbin", "--diagnostics=json"])
    need(done.returncode == 0 and done.stderr == b"", f"{name}: progress is told: {done.stderr}")
found = expect(["run", "unwritten.kbin"], 1, {"code": "KILN-X003", "place": {"file": "user.cpp", "line": 3, "column": 1}})
need(found and found[0]["parties"][0]["role"] == "vector #0" and "tensor_copy" in found[0]["parties"][0]["instruction"], f"{found}")
found = expect(["run", "retyped.kbin"], 0, {"code": "KILN-X060", "severity": "warning", "found": "f16", "allowed": "bf16"})
need(found and len(found[0]["parties"]) == 2, f"retyped: {found}")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
