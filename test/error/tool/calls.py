"""calls.py KILN DOCS WORK: an operation in a helper shows its callers, whoever tells of it.

The kernel calls a helper from two lines, one of them within another helper, a helper that calls itself, a lambda, and one in
a loop.
"""
import json
import sys
from pathlib import Path

from runs import Runs
from schema import problems

kiln, docs, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
runs = Runs(kiln, work)
need, run, failures = runs.need, runs.run, runs.failures

(work / "scale.h").write_text("""\
#include <kiln/kiln.h>
inline auto doubled(auto t) {
  return t + t;               // In doubled.
}
inline auto fourfold(auto t) {
  auto u = exp(t);
  return doubled(u);          // By fourfold.
}
template <int N> auto halved(auto t) {
  if constexpr (N == 0) {
    return exp(t);            // At the end.
  } else {
    return halved<N - 1>(t);  // Again.
  }
}
""")
(work / "calls.cpp").write_text("""\
#include "scale.h"
using namespace kiln;
struct Calls {
  BOOST_HANA_DEFINE_STRUCT(Calls, (int, wrong));
  static Calls defaults() { return {0}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 256});
    s.argument("y", {128, 256});
  }
  template <class X, class Y> void reference(X, Y) const {}
  void fill(auto t, bool whole) const {
    if (wrong == 2)
      nc::memset(sbuf<f32>(128_c, 100000_c), 0.0);
    require(wrong != 4, "wrong is 4", "choose another"); // Required.
    if (wrong >= 5)
      nc::memset(t.rows_at(100 * wrong, 1_c), 0.0); // Out of the tile.
    if (whole)
      nc::memset(t, 1.0);
    else
      nc::memset(t.rows_at(0, 1_c), 0.0);
  }
  auto by(auto t, double factor) const {
    return t * factor;        // By a number.
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto moved = [](auto t) {
      return sqrt(t);         // In the lambda.
    };
    auto t = load(x);
    auto once = doubled(t);   // By the kernel.
    auto less = halved<2>(once); // Thrice.
    auto more = moved(less);  // To the lambda.
    store(y.cols(0, 128_c), fourfold(more).cols(0, 128_c)); // Of both.
    auto rest = sbuf<f32>(128_c, 128_c);
    loop("i", 1, [&](Index) {
      fill(                   // In a loop.
          rest, wrong == 0 || wrong == 2);
      if (wrong == 3) {       // An optimiser may call once, behind both.
        store(y.cols(1, 128_c), by(rest, 3.0)); // Or there.
      } else {
        store(y.cols(1, 128_c), by(rest, 2.0)); // And there.
      }
    });
  }
};
KILN_EXPORT(calls, Calls)
""")


def line(file, text):
    """FILE:LINE of the line with the text."""
    found = [n for n, own in enumerate((work / file).read_text().split("\n"), 1) if text in own]
    need(len(found) == 1, f"{text}: {found}")
    return f"{file}:{found[0]}"


product, inside = line("scale.h", "// In doubled."), line("scale.h", "// By fourfold.")
direct, both = line("calls.cpp", "// By the kernel."), line("calls.cpp", "// Of both.")
looped, there, other = line("calls.cpp", "// In a loop."), line("calls.cpp", "// And there."), line("calls.cpp", "// Or there.")
number, again = line("scale.h", "// At the end."), line("scale.h", "// Again.")
chains = {(product, direct), (product, inside, both), (line("calls.cpp", "// By a number."), there),
          (number, again, again, line("calls.cpp", "// Thrice.")),
          (line("calls.cpp", "// In the lambda."), line("calls.cpp", "// To the lambda."))}

# The Program: each chain is a location of its own.
text = run("compile", "calls.cpp", "--emit=program").stdout
for chain in chains:
    calls = ", ".join('"{}":{}'.format(*call.rsplit(":", 1)) for call in chain[1:])
    scope = '"i"' if chain[1] == there else '""'
    own = '"{}":{} {} from {}\n'.format(*chain[0].rsplit(":", 1), scope, calls)
    need(own in text, f"no {own} in {text}")
need(f' = "calls.cpp":{line("calls.cpp", "load(x)").split(":")[1]} ""\n' in text, f"a load in the kernel has no caller: {text}")

# The binary, and its assembly.
run("compile", "calls.cpp", "-o", "calls.kbin")
run("disasm", "calls.kbin", "-o", "calls.s")
run("asm", "calls.s", "-o", "again.kbin")
need((work / "again.kbin").read_bytes() == (work / "calls.kbin").read_bytes(), "assembly loses the callers")
need(str(work).encode() not in (work / "calls.kbin").read_bytes(), "the binary names a folder")

# The profile: places, and sums that go to the callers as well.
run("profile", "calls.kbin", "--json", "calls.json")
document = json.loads((work / "calls.json").read_text())
names = [f"{place['file']}:{place['line']}" for place in document["places"]]
seen = set()
for instruction in document["binary"]:
    place = document["places"][instruction["place"]]
    seen.add((names[instruction["place"]], *(names[call] for call in place["callers"])))
need(chains <= seen, f"places: {seen}")
lines = {entry["source"]: entry for entry in document["lines"]}


def busy(sums):
    return sum(sums["busy_ns"].values())


own = busy(lines[product]["sums"])
need(own > 0 and "called" not in lines[product], f"{product}: {lines[product]}")
parts = [busy(lines[call]["called"]) for call in (direct, inside)]
need(min(parts) > 0 and abs(sum(parts) - own) < 0.01, f"{own} is not {parts}")
need(busy(lines[both]["called"]) > busy(lines[inside]["called"]), "a caller has what its helper's helper does, and more")
run("profile", "calls.cpp", "--html", "calls.html")
need('"callers":[' in (work / "calls.html").read_text(), "the page has no callers")

# One instruction.
number = next(i for i in document["binary"] if names[i["place"]] == product
              and [names[c] for c in document["places"][i["place"]]["callers"]] == [inside, both])
name = f"calls.kbin:{number['engine']}:{number['index']}"
told = run("explain", name).stdout
need(told.index(f"from {product}") < told.index(f"called from {inside}") < told.index(f"called from {both}"), told)
value = json.loads(run("explain", name, "--json").stdout)
explain = json.loads((docs / "explain.schema.json").read_text())
failures.extend(problems(value, explain, explain))
need([f"{c['file']}:{c['line']}" for c in value["source"]["callers"]] == [inside, both], f"{value['source']}")

# A fault of the executor, and one of the compiler.
error = run("run", "calls.cpp", "--wrong=1", "--random-seed=1", code=1).stderr
need(f" in i\n    called from {there}\n" in error, f"fault: {error}")
# What computes a reference is optimised; its calls stay apart.
for wrong, call in ((1, there), (3, other)):
    error = run("run", "calls.cpp", f"--wrong={wrong}", "--random-seed=1", "--reference", code=1).stderr
    need(f"    called from {call}\n" in error, f"optimised: {error}")
told = run("run", "calls.cpp", "--wrong=1", "--random-seed=1", "--diagnostics=json", code=1).stderr
parties = json.loads(told.splitlines()[0])["parties"]
place = parties[1]["place"]
need(f"{parties[1]['role']} {place['file']}:{place['line']}" == f"called here {there}", f"parties: {told}")
error = run("compile", "calls.cpp", "--wrong=2", "-o", "wrong.kbin", code=1).stderr
need(f"{looped}: note: called here" in error, f"compiler: {error}")

# An error of the recording: the kernel's own condition, and a rule of the recorder.
for wrong, where in ((4, line("calls.cpp", "// Required.")), (5, line("calls.cpp", "// Out of the tile."))):
    error = run("compile", "calls.cpp", f"--wrong={wrong}", "-o", "wrong.kbin", code=1).stderr
    need(error.startswith(f"{where}: error: ") and f"\n  called from {looped}\n" in error, f"recording: {error}")
    told = run("compile", "calls.cpp", f"--wrong={wrong}", "-o", "wrong.kbin", "--diagnostics=json", code=1).stderr
    value = json.loads(told)
    file, number = looped.split(":")
    need(value["parties"] == [{"role": "called here", "instruction": None, "place": {"file": file, "line": int(number)}}],
         f"recording: {told}")

for failure in failures[:40]:
    print(failure)
sys.exit(bool(failures))
