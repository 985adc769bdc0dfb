"""remarks.py KILN WORK: kiln compile --remarks and --statistics.

Text, JSON, the dump and the statistics say the same; a remark names the user's line and the reason; listening changes
no byte of the binary.
"""
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

kiln, work = sys.argv[1], Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
failures = []
ROW = re.compile(r"^ +(\d+)  (\S+) +(\S+) *(.*)$")


def run(*words, code=0):
    done = subprocess.run([kiln, *words], cwd=work, capture_output=True, text=True, timeout=300)
    if done.returncode != code:
        failures.append(f"{' '.join(words)}: ended with {done.returncode}: {done.stderr[:500]}")
    return done.stderr


def need(holds, what):
    if not holds:
        failures.append(what)


def compile_(kernel, *words, **options):
    return run("compile", kernel, "-o", "x.kbin", *words, **options)


# One loop that can be pipelined, one that a pinned buffer keeps as it is, and a load that stays in its loop for want of
# room: the reason stands at the user's line.
(work / "user.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Loops {
  BOOST_HANA_DEFINE_STRUCT(Loops, (int, pinned));
  static Loops defaults() { return {0}; }
  void describe(Signature &s) const { s.argument("x", {2048, 512}); s.argument("y", {2048, 512}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    loop("block", 16, [&](Index i) {
      auto t = pinned ? sbuf<f32>(128_c, 512_c, at(0, 0)) : sbuf<f32>(128_c, 512_c);
      nc::dma_copy(t, x.rows_at(i * 128, 128_c));
      nc::activation(t, nc::ActivationFunction::exp, t);
      nc::activation(t, nc::ActivationFunction::tanh, t);
      nc::dma_copy(y.rows_at(i * 128, 128_c), t);
    });
  }
};
KILN_EXPORT(loops, Loops)
""")
text = compile_("softmax", "--remarks")
lines = [line for line in text.splitlines() if "remark: " in line]
told = [json.loads(line) for line in compile_("softmax", "--remarks", "--diagnostics=json").splitlines()]
need(lines and len(lines) == len(told), f"{len(lines)} lines, {len(told)} objects")
for line, entry in zip(lines, told):
    place = f"{entry['place']['file']}:{entry['place']['line']}: " if entry["place"] else ""
    times = f" ({entry['times']} times)" if entry["times"] > 1 else ""
    need(line == f"{place}remark: {entry['text']}{times} [{entry['pass']}: {entry['name']}]", f"{line} is not {entry}")
    for key, value in entry["values"].items():
        need(str(value) in entry["text"], f"{key} is not in the text: {entry}")
need(any(entry["name"] == "Pipelined" and entry["place"]["file"].endswith("softmax/kernel.h")
         and entry["values"]["interval_ns"] < entry["values"]["before_ns"] for entry in told), f"no gain: {told}")
# One pass; a pass that is none.
some = compile_("softmax", "--remarks=tile-fuse")
need([line for line in lines if "[tile-fuse: " in line] == [line for line in some.splitlines() if "remark: " in line], some)
need("no pass 'tile-fus'; did you mean 'tile-fuse'?" in compile_("softmax", "--remarks=tile-fus", code=2), "a wrong pass")
need("no pass 'tile-fuse:2'" in compile_("softmax", "--remarks=tile-fuse:2", code=2), "a run of a pass")
passes = re.search(r"there are ([^)]*)", compile_("softmax", "--remarks=nothing", code=2))[1].split(", ")
need("cse" in passes and len(passes) == len(set(passes)), f"a pass that runs twice is listed twice: {passes}")
# A kernel that is refused says what was tried.
(work / "huge.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Huge {
  BOOST_HANA_DEFINE_STRUCT(Huge, (int, cols));
  static Huge defaults() { return {60000}; }
  void describe(Signature &s) const { s.argument("x", {128, cols}); s.argument("y", {128, cols}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const { store(y, cumsum(load(x))); }
};
KILN_EXPORT(huge, Huge)
""")
said = compile_("huge.cpp", "--remarks", code=1)
need(re.search(r"huge\.cpp:7: remark: .*tile-stream: NotStreamed.*error:.*KILN-C101", said, re.S), said)
# The dump.
compile_("softmax", "--dump-dir", "dump")
need((work / "dump/remarks.txt").read_text().splitlines() == lines, "the dump says something else")
# The statistics are the remarks, counted; flash attention repeats some.
for kernel in "softmax", "flash_attention":
    remarks = [json.loads(line) for line in compile_(kernel, "--remarks", "--diagnostics=json").splitlines()]
    count = Counter()
    for entry in remarks:
        count[entry["pass"], entry["name"]] += entry["times"]
    rows = [ROW.match(line).groups() for line in compile_(kernel, "--statistics").splitlines() if ROW.match(line)]
    need({(row[1], row[2]): int(row[0]) for row in rows} == count, f"{kernel}: {rows} is not {count}")
    objects = [json.loads(line) for line in compile_(kernel, "--statistics", "--diagnostics=json").splitlines()]
    need({(o["pass"], o["name"]): o["times"] for o in objects} == count, f"{kernel}: {objects}")
    for o in objects:
        for key, total in o["sums"].items():
            need(total == sum(e["values"][key] * e["times"] for e in remarks if (e["pass"], e["name"]) == (o["pass"], o["name"])),
                 f"{kernel}: {key} of {o}")
# A decision at the user's line, and its reason.
need(re.search(r"user\.cpp:8: remark: software pipelining: .* \[nc-pipeline-loops: Pipelined\]", compile_("user.cpp", "--remarks")),
     "the loop is not pipelined, or not at its line")
need(re.search(r"user\.cpp:8: remark: iterations do not overlap further: .*(pin|fixed|program).* \[nc-pipeline-loops: NotPipelined\]",
               compile_("user.cpp", "--pinned=1", "--remarks")), compile_("user.cpp", "--pinned=1", "--remarks"))
# What listens changes nothing.
compile_("flash_attention", "--remarks", "--statistics")
heard = (work / "x.kbin").read_bytes()
compile_("flash_attention")
need(heard == (work / "x.kbin").read_bytes(), "the binary depends on who listens")

print("\n".join(failures) or "remarks, statistics and dumps agree")
sys.exit(1 if failures else 0)
