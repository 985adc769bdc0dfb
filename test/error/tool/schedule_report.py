"""schedule_report.py KILN SCHEMA WORK: kiln compile --schedule-report.

The JSON is of its schema. Bounds of small kernels are computed by hand from the numbers of the machine; predicted
intervals are compared with what more iterations take on the executor; what is refused has no report; asking for the
report changes no byte of the binary.
"""
import json
import subprocess
import sys
from pathlib import Path

from runs import Runs
from schema import problems

kiln, schema, work = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
runs = Runs(kiln, work)
need, run, failures = runs.need, runs.run, runs.failures


def loops_of(kernel, *words):
    (work / "report.json").unlink(missing_ok=True)
    run("compile", kernel, "-o", "x.kbin", "--schedule-report=report.json", *words)
    report = json.loads((work / "report.json").read_text())
    failures.extend(f"{kernel} {words}: {problem}" for problem in problems(report, schema, schema))
    makespan = None
    if report["cores"] and len(report["cores"]) == 1:
        run("profile", "x.kbin", "--json", "profile.json")
        makespan = json.loads((work / "profile.json").read_text())["makespan_ns"]
    loops = [loop for core in report["cores"] for loop in core["loops"]]
    for i, loop in enumerate(loops):
        name = f"{kernel} {words} loop {i}"
        bounds = [resource["bound_ns"] for resource in loop["resources"] + loop["recurrences"]]
        need(loop["bound_ns"] == max(bounds, default=0), f"{name}: its bound is not the largest of {bounds}")
        need((loop["interval_ns"] is None) != (loop["why_no_interval"] is None), f"{name}: an interval or a reason")
        if loop["interval_ns"] is not None:
            need(loop["interval_ns"] >= 0.98 * loop["bound_ns"], f"{name}: {loop['interval_ns']} < {loop['bound_ns']}")
        for resource in loop["resources"]:
            users = sum(user["ns"] for user in resource["users"])
            need(abs(users - resource["bound_ns"]) < 0.1, f"{name}: {resource['name']} is not the sum of its users")
        for ring in loop["rings"]:
            need(ring["lifetime"] is None or ring["lifetime"] <= ring["copies"] + 0.01,
                 f"{name}: a copy is in use for longer than there are copies: {ring}")
        if loop["depth"] == 0 and loop["turns"] and makespan:
            least = loop["bound_ns"] * loop["turns"] * loop["iterations_in_body"]
            need(least <= 1.001 * makespan, f"{name}: bounded by {least} ns, but the kernel takes {makespan}")
        for recurrence in loop["recurrences"]:
            latency = sum(link["latency_ns"] for link in recurrence["chain"])
            distance = sum(link["distance"] for link in recurrence["chain"])
            per = latency / max(distance, 1) / loop["iterations_in_body"]
            need(distance > 0 and abs(per - recurrence["bound_ns"]) < 0.01,
                 f"{name}: {latency} ns in {distance} turns are not {recurrence['bound_ns']} ns")
    return loops


def bound(loop, name):
    return next((resource["bound_ns"] for resource in loop["resources"] if resource["name"] == name), 0)


def marginal(kernel, option, few, many, *words):
    """ns that an iteration more takes on the executor."""
    times = []
    for trips in (few, many):
        run("compile", kernel, "-o", "m.kbin", f"--{option}={trips}", *words)
        run("profile", "m.kbin", "--json", "profile.json")
        times.append(json.loads((work / "profile.json").read_text())["makespan_ns"])
    return (times[1] - times[0]) / (many - few)


(work / "hand.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Chain {
  BOOST_HANA_DEFINE_STRUCT(Chain, (int, trips));
  static Chain defaults() { return {64}; }
  void describe(Signature &s) const { s.argument("x", {128, 512}); s.argument("y", {128, 512}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = sbuf<f32>(128_c, 512_c);
    nc::dma_copy(t, x.rows_at(0, 128_c));
    loop("link", trips, [&](Index) {
      nc::activation(t, nc::ActivationFunction::tanh, t);
    });
    nc::dma_copy(y.rows_at(0, 128_c), t);
  }
};
KILN_EXPORT(chain, Chain)
struct Copy {
  BOOST_HANA_DEFINE_STRUCT(Copy, (int, trips));
  static Copy defaults() { return {64}; }
  void describe(Signature &s) const { s.argument("x", {128 * trips, 512}); s.argument("y", {128 * trips, 512}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    loop("block", trips, [&](Index i) {
      auto t = sbuf<f32>(128_c, 512_c);
      nc::dma_copy(t, x.rows_at(i * 128, 128_c));
      nc::dma_copy(y.rows_at(i * 128, 128_c), t);
    });
  }
};
KILN_EXPORT(copy, Copy)
struct Straight {
  BOOST_HANA_DEFINE_STRUCT(Straight, (int, trips));
  static Straight defaults() { return {1}; }
  void describe(Signature &s) const { s.argument("x", {128 * trips, 512}); s.argument("y", {128 * trips, 512}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    for (int i = 0; i < trips; ++i)
      store(y.rows_at(i * 128, 128_c), exp(load(x.rows_at(i * 128, 128_c))));
  }
};
KILN_EXPORT(straight, Straight)
struct Turn {
  BOOST_HANA_DEFINE_STRUCT(Turn, (int, trips), (int, products));
  static Turn defaults() { return {64, 0}; }
  void describe(Signature &s) const { s.argument("x", {128, 512}); s.argument("y", {128, 512}); }
  void operator()(In<bf16, 2> x, Out<bf16, 2> y) const {
    auto t = sbuf<bf16>(128_c, 512_c), turned = sbuf<bf16>(128_c, 512_c);
    auto p = psum<bf16>(128_c, 512_c);
    auto sums = psum<f32>(128_c, 512_c);
    nc::dma_copy(t, x.rows_at(0, 128_c));
    loop("block", trips, [&](Index) {
      for (int i = 0; i < products; ++i)
        nc::nc_matmul(sums, t.cols_at(0, 128_c), t);
      for (int i = 0; i < 4; ++i)
        nc::nc_transpose(p.cols_at(i * 128, 128_c), t.cols_at(i * 128, 128_c));
    });
    nc::tensor_copy(turned, p);
    nc::dma_copy(y.rows_at(0, 128_c), turned);
  }
};
KILN_EXPORT(turn, Turn)
""")
(work / "long.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
struct Long {
  BOOST_HANA_DEFINE_STRUCT(Long, (int, count));
  static Long defaults() { return {500}; }
  void describe(Signature &s) const { s.argument("x", {128, 8}); s.argument("y", {128, 8}); }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = sbuf<f32>(128_c, 8_c);
    nc::dma_copy(t, x.rows_at(0, 128_c));
    loop("link", 4, [&](Index) {
      for (int i = 0; i < count; ++i)
        nc::activation(t, nc::ActivationFunction::tanh, t);
    });
    nc::dma_copy(y.rows_at(0, 128_c), t);
  }
};
KILN_EXPORT(long_body, Long)
""")
# A chain: tanh waits for itself. No interval is shorter than one latency and the wait for a dependent instruction.
(link,) = loops_of("hand.cpp:chain")
need(link["turns"] == 64 and link["stages"] == 1 and link["iterations_in_body"] == 1 and link["instructions"] == 1,
     f"the chain is one instruction in 64 turns: {link}")
need(link["binding"] and link["binding"]["kind"] == "recurrence", f"a recurrence binds the chain: {link['binding']}")
need("because of this chain: activation (hand.cpp:11)" in (link["binding"] or {}).get("text", "").replace(str(work) + "/", ""),
     f"the chain names its line: {link['binding']}")
executed = marginal("hand.cpp:chain", "trips", 64, 128)
need(abs(link["interval_ns"] / executed - 1) < 0.01, f"the chain takes {executed} ns a turn, not {link['interval_ns']}")
# A copy through SBUF: 2 x 128 x 512 x 4 bytes, and 716.8 of them in a nanosecond.
(block,) = loops_of("hand.cpp:copy")
need(abs(bound(block, "hbm") - 2 * 128 * 512 * 4 / 716.8) < 0.01, f"524288 bytes take HBM {bound(block, 'hbm')} ns")
need(len(block["rings"]) >= 1 and block["rings"][0]["bytes"] == 2048, f"a buffer of 2 KiB: {block['rings']}")
executed = marginal("hand.cpp:copy", "trips", 64, 128)
need(abs(block["interval_ns"] / executed - 1) < 0.05, f"a copy takes {executed} ns a turn, not {block['interval_ns']}")
need(executed >= 0.99 * block["bound_ns"], f"{executed} ns are less than the bound {block['bound_ns']}")

# On trn3 a transpose runs behind another one, so four take as long as two, or behind a long product, for nothing.
for products, least in ((0, 2 * (128 + 3) / 2.4), (2, 2 * (512 + 3) / 2.4)):
    words = (f"--products={products}", "--target", "trn3")
    (turn,) = loops_of("hand.cpp:turn", *words)
    need(abs(bound(turn, "tensor") - least) < 0.1, f"{products} products: {bound(turn, 'tensor')} ns, not {least}")
    executed = marginal("hand.cpp:turn", "trips", 128, 256, *words)
    need(0.999 * least <= executed <= 1.05 * least, f"{products} products: {executed} ns a turn, not {least}")

# Library kernels: one that modulo scheduling leaves alone, one that it schedules, one that nc-rotate splits.
(rows,) = loops_of("softmax", "--rows=4096", "--cols=4096")
need(rows["binding"]["resource"] == "dma" and rows["turns"] == 32, f"softmax of 4096 x 4096: {rows['binding']}")
need(any(decision["declined"] and decision["pass"] == "nc-pipeline-loops" and "before_ns" in decision["values"]
         for decision in rows["decisions"]), "softmax: what nc-pipeline-loops declined, with its cost")
(sums,) = loops_of("rmsnorm", "--rows=4096", "--cols=4096")
tried = [decision for decision in sums["decisions"] if decision["declined"] and decision["name"] == "NoGain"]
need(len(tried) == 1 and tried[0]["values"]["other_ns"] > 0.98 * tried[0]["values"]["before_ns"] >= 0.98 * sums["bound_ns"],
     f"rmsnorm: a schedule was tried that gains less than 2 %: {tried}")
need(tried and f"{tried[0]['values']['other_ns']} ns in the best of the schedules" in tried[0]["text"],
     f"rmsnorm: the text has the time of the schedule that was tried: {tried}")
executed = marginal("softmax", "rows", 4096, 8192, "--cols=4096") * 128
need(abs(rows["interval_ns"] / executed - 1) < 0.03, f"128 rows take {executed} ns, not {rows['interval_ns']}")
(stages,) = loops_of("softmax", "--rows=4096", "--cols=4096", "--target", "trn3")
need(stages["iterations_in_body"] > 1 and stages["stages"] > 1, f"softmax on trn3 is pipelined: {stages['stages']}")
executed = marginal("softmax", "rows", 4096, 8192, "--cols=4096", "--target", "trn3") * 128
need(abs(stages["interval_ns"] / executed - 1) < 0.03, f"128 rows take {executed} ns, not {stages['interval_ns']}")
(attention,) = loops_of("flash_attention", "--dtype=f32", "--causal", "--seq-q=512", "--seq-k=8192")
need(attention["stages"] == 2 and attention["interval_ns"], f"the loop of attention is rotated: {attention['stages']} stages")
need(any(not decision["declined"] and decision["pass"] == "nc-rotate" for decision in attention["decisions"]),
     "attention: nc-rotate says what it did")
# Two loops over the blocks of a product, and one over K.
nest = loops_of("matmul", "--m=4096", "--k=8192", "--n=8192", "--traffic=fastest")
need([(loop["parent"], loop["depth"]) for loop in nest] == [(None, 0), (0, 1), (1, 2)], "each loop stands in the one before")
need(all(loop["why_no_interval"] == "it contains another loop" and not loop["interval_ns"] for loop in nest[:2]),
     "the outer loops of a product have one in them")
need(nest[2]["interval_ns"] and not nest[2]["why_no_interval"], f"the innermost one has an interval: {nest[2]['why_no_interval']}")
need(all(any(resource["name"] == "psum" for resource in loop["resources"]) for loop in (attention, nest[2])),
     "products wait for room in PSUM")

# Bodies that are too long to look for cycles say so, and in time.
for count, examined in ((40, True), (500, False), (600, False)):
    (body,) = loops_of("long.cpp:long_body", f"--count={count}")
    need(bool(body["recurrences"]) == examined, f"{count} instructions: {len(body['recurrences'])} recurrences")
    need(any("dependence cycles" in note for note in body["notes"]) != examined, f"{count} instructions: {body['notes']}")
    need(body["interval_ns"], f"{count} instructions have an interval")

# No loop, a loop of one iteration, two cores, and a core that meets others.
need(loops_of("hand.cpp:straight") == [], "straight-line code has no loop")
need("the kernel has no loop" in run("compile", "hand.cpp:straight", "-o", "x.kbin", "--schedule-report").stderr,
     "the text says that there is no loop")
loops_of("hand.cpp:chain", "--trips=1")
loops_of("softmax", "--rows=1", "--cols=1")
loops_of("softmax", "--rows=8192", "--cols=1024", "--target", "trn1")
loops_of("sbuf_all_reduce")
need(len(loops_of("rmsnorm_cores", "--cores", "2")) == 2, "each of two cores has its loop")
loops_of("flash_attention", "--causal", "--seq-q=1000", "--seq-k=1000", "--target", "trn1")

# Text, and JSON as a line.
text = run("compile", "softmax", "--rows=4096", "-o", "x.kbin", "--schedule-report").stderr
need("an II below" in text and "is impossible" in text and "softmax on trn2" in text, f"the text: {text[:300]}")
plain = (work / "x.kbin").read_bytes()
run("compile", "softmax", "--rows=4096", "-o", "x.kbin")
need(plain == (work / "x.kbin").read_bytes(), "the report changes the binary")
told = run("compile", "softmax", "--schedule-report", "--diagnostics=json", "-o", "x.kbin").stderr.splitlines()
need(len(told) == 1 and not list(problems(json.loads(told[0]), schema, schema)), f"one line of JSON: {told}")
run("compile", "softmax", "--rows=4096", "-o", "x.kbin", "--schedule-report=report.txt")
need((work / "report.txt").read_text().startswith("softmax on trn2\n"), "a file of another name is text")
broken = {**json.loads(told[0]), "cores": []}
need(list(problems(broken, schema, schema)), "the schema asks for cores")

# What is refused has no report.
(work / "none.json").unlink(missing_ok=True)
run("compile", "softmax", "--cols=10000000", "--schedule-report=none.json", "-o", "x.kbin", code=1)
need(not (work / "none.json").exists(), "a refused kernel has a report")
need("KILN-T020" in run("compile", "softmax", "--schedule-report", "--stop-after=nc-order", code=2).stderr, "--stop-after")
need("KILN-T020" in run("compile", "softmax", "--schedule-report", "--emit", "program", code=2).stderr, "--emit program")
need("KILN-T0" in run("compile", "softmax", "-o", "x.kbin", "--schedule-report=no/such/dir/r.json", code=1).stderr, "no folder")

for failure in failures:
    print(failure)
sys.exit(bool(failures))
