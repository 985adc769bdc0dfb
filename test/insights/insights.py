"""insights.py KILN WORK SCHEMA: what kiln profile finds, and what it writes.

For each rule that has a pair of kernels (pairs.py), the bad one must give the insight and the good one must not. The JSON of
all of them has the shape of docs/profile.schema.json, and its sums add up.
"""
import csv
import gzip
import itertools
import json
import re
import sys
from pathlib import Path

from pairs import FILES, pairs
from shape import fits
from tool import Tool, check, finish

here = Path(__file__).resolve().parent
schema = json.loads(Path(sys.argv[3]).read_text())
tool = Tool(sys.argv[1], sys.argv[2], [*FILES, "gathers.cpp", "loops.cpp", "types.cpp"])
run = tool.run


def close(a, b):
    return abs(a - b) < 0.01


def check_sums(core, name):
    """Children add up to their parents, and times to the makespan."""
    nodes = core["hierarchy"]
    for number, node in enumerate(nodes):
        children = [one["sums"] for one in nodes if one["parent"] == number]
        if not children:
            continue
        for key in ("runs", "bytes", "flops"):
            check(sum(one[key] for one in children) == node["sums"][key], f"{name}: {key} of {node['name']}")
        check(close(sum(one["critical_ns"] for one in children), node["sums"]["critical_ns"]), f"{name}: {node['name']}")
    for number, node in enumerate(nodes):
        points = [one for one in core["roofline_points"] if one["node"] == number]
        check(not points or sum(one["flops"] for one in points) == node["sums"]["flops"], f"{name}: roofline of {node['name']}: {points}")
        check(len({one["operands"] for one in points}) == len(points), f"{name}: one type of {node['name']} has two points")
    check(all(node["parent"] < number for number, node in enumerate(nodes)), f"{name}: parents come first")
    for key, whole in (("hbm_read_bytes", "hbm_read_bytes"), ("hbm_written_bytes", "hbm_write_bytes")):
        total = sum(one["runs"] * one[key] for one in core["binary"])
        check(close(total, core[whole]), f"{name}: {total} of {key}, {core[whole]}")
    for key, whole in (("read_bytes", "hbm_read_bytes"), ("written_bytes", "hbm_write_bytes")):
        total = sum(tensor[key] for tensor in core["tensors"])
        check(total == core[whole], f"{name}: {total} of {key} of tensors, {core[whole]}")
    for one in core["binary"]:
        moved = sum(one["dma"]["bytes"]) if "dma" in one else 0
        check("dma" not in one or one["runs"] == 0 or abs(moved - one["bytes"]) <= 16, f"{name}: engines move {moved} bytes of {one['asm']}")
    moved = sum(engine["bytes"] for engine in core["dma_engines"])
    wanted = sum(one["runs"] * one["bytes"] for one in core["binary"] if "dma" in one)
    check(abs(moved - wanted) <= 16, f"{name}: DMA engines move {moved} bytes of {wanted}")
    for number, engine in enumerate(core["dma_engines"]):
        wanted = sum(one["runs"] * one["dma"]["ns"][number] for one in core["binary"] if "dma" in one)
        worked = sum(engine["by_data_ns"].values()) - sum(engine["by_data_ns"].get(key, 0) for key in ("other", "collectives"))
        check(abs(worked - wanted) <= 0.001 * core["instructions"], f"{name}: DMA engine {number} works {worked} ns, not {wanted}")
    for part, engine in (("VectorE", "vector"), ("ScalarE", "scalar"), ("GpSimd", "gpsimd")):
        counted = sum(item["count"] for item in core["energy"]["items"] if item["part"] == part)
        operations = sum(one["runs"] * one["operations"] for one in core["binary"] if one["engine"] == engine)
        check(operations == counted, f"{name}: {operations} operations of {engine}, {counted} of the energy")
    traffic = core["hbm_read_bytes"] + core["hbm_write_bytes"]
    for key in ("lines", "scopes"):
        total = sum(one["sums"]["hbm_bytes"] for one in core[key])
        check(total == traffic, f"{name}: {key} move {total} bytes through HBM, all {traffic}")
    for space in ("sbuf", "psum"):
        peak = core["memory"][space]
        check(peak["peak_bytes"] == core[f"{space}_peak_bytes"] <= peak["capacity_bytes"], f"{name}: {space} holds {peak}")
        check(sum(peak["owner_bytes"]) == peak["peak_bytes"], f"{name}: owners of {space} have {peak}")
        check(len(peak["owners"]) == len(peak["owner_bytes"]), f"{name}: owners of {space}")
    check(core["psum_banks_peak"] <= 8, f"{name}: {core['psum_banks_peak']} banks")
    check(nodes[0]["sums"]["runs"] == core["instructions"], f"{name}: runs of the kernel")
    for engine, times in core["engines"].items():
        total = times["busy_ns"] + sum(times["stalls"].values())
        check(close(total, core["makespan_ns"]), f"{name}: {engine} {total}")
        # Only the register or loop instruction at the end of a stream is in no row.
        left = times["busy_ns"] - nodes[0]["sums"]["busy_ns"].get(engine, 0)
        check(engine == "dma" or -0.01 < left < 9.01, f"{name}: {left} ns of {engine} are in no row")
    for node in nodes:
        check(min(node["sums"]["busy_ns"].values(), default=0) >= 0, f"{name}: {node['name']} works for {node['sums']}")
    stalls = core["top_stalls"]
    costs = [stall["critical_ns"] for stall in stalls]
    check(sum(costs) <= core["makespan_ns"] + 0.01 and min(costs, default=0) >= 0, f"{name}: waits cost {sum(costs)}")
    check(all(cost <= stall["ns"] + 0.001 for cost, stall in zip(costs, stalls)), f"{name}: a wait costs more than it took")
    check(costs == sorted(costs, reverse=True), f"{name}: the waits are in no order")
    late = [one["asm"] for one in core["binary"] if one["critical_ns"] > 0 and one["slack_ns"] > 0]
    check(not late, f"{name}: instructions {late[:4]} are critical and have slack")
    path = core["critical_path"]
    at = 0
    for step in path["steps"]:
        check(close(step["start_ns"], at) and step["end_ns"] > step["start_ns"], f"{name}: gap in the path at {at}")
        at = step["end_ns"]
    check(close(at, core["makespan_ns"]) and close(sum(path["by_reason"].values()), at), f"{name}: the path ends at {at}")
    nobodys = sum(step["end_ns"] - step["start_ns"] for step in path["steps"] if step["instruction"] < 0)
    check(close(nodes[0]["sums"]["critical_ns"] + nobodys, at), f"{name}: {nobodys} of the path are nobody's")
    lines = sum(line["sums"]["critical_ns"] for line in core["lines"])
    check(close(lines, nodes[0]["sums"]["critical_ns"]), f"{name}: lines")
    if "events" in core:
        columns = core["events"]
        own = [column for key, column in columns.items() if key != "producers"]
        check(len({len(column) for column in own}) == 1, f"{name}: columns differ in length")
        early = [e for e, slack in enumerate(columns["slack_ps"]) if slack > 0 and columns["critical"][e] > 0]
        check(not early, f"{name}: events {early[:4]} are critical and have slack")
        check(min(columns["slack_ps"], default=0) >= 0 and min(columns["start_ps"], default=0) >= 0, f"{name}: negative")


def profiled(name, *words):
    run("profile", *words, "--json", f"{name}.json")
    if not Path(f"{name}.json").exists():
        return {"insights": []}
    text = Path(f"{name}.json").read_text()
    document = json.loads(text)
    records = sum(line.startswith('{"engine":') for line in text.splitlines())
    binaries = sum(len(core["binary"]) for core in document.get("cores", [document]))
    check(records == binaries, f"{name}: {records} lines for {binaries} instructions")
    for wrong in fits(document, schema, schema)[:5]:
        check(False, f"{name}: {wrong}")
    for core in document.get("cores", [document]):
        check_sums(core, name)
    savings = [insight["saving_ns"] for insight in document["insights"]]
    check(savings == sorted(savings, reverse=True), f"{name}: insights are not ranked")
    for insight in document["insights"]:
        check(close(insight["proof"]["makespan_ns"] + insight["saving_ns"], document["makespan_ns"]), f"{name}: proof")
        extent = insight["extent"]
        numbers = {(core, number) for core, list in enumerate(extent["instructions"]) for number in list}
        named = {(one["core"], one["instruction"]) for one in insight["evidence"]}
        check(named <= numbers and (len(named) >= 8 or named == numbers), f"{name}: {insight['id']} is about {numbers}, names {named}")
        cores = document.get("cores", [document])
        rank = document["busiest"] // document["cores_of_rank"] * document["cores_of_rank"]
        runs = sum(cores[rank + core]["binary"][number]["runs"] for core, number in numbers)
        check(runs == extent["runs"] and (runs > 0 or not numbers), f"{name}: {insight['id']}: {runs} runs, not {extent['runs']}")
        check(insight["remedy"] and insight["sketch"] and insight["condition"], f"{name}: {insight['id']} says nothing")
        check(not insight["sketch"].startswith("//"), f"{name}: {insight['id']} has no code: {insight['sketch']}")
    return document


def insights_of(name, *words):
    return {insight["id"]: insight for insight in profiled(name, *words)["insights"]}


def pair(rule, bad, good):
    """The rule speaks about `bad`, and not about `good`."""
    found = insights_of(rule + "-bad", *bad)
    check(rule in found, f"{rule}: not found in {' '.join(bad)}, but {sorted(found)}")
    if rule in found:
        print(f"{rule:20} {100 * found[rule]['saving']:6.1f} %  {found[rule]['condition']}")
        check(found[rule]["evidence"], f"{rule}: no evidence")
    check(rule not in insights_of(rule + "-good", *good), f"{rule}: found in {' '.join(good)}")


for rule, sides in pairs(here).items():
    pair(rule, *sides)

# Products of zeros and ones pass the array half as often.
wide = insights_of("ones", *pairs(here)["short-stationary"][0])["f32-matmul"]["condition"]
check(wide.endswith("which pass the array 2 times"), f"products of ones: {wide}")

# The outputs for other programs.
softmax = ["softmax", "--rows=1024", "--cols=1024"]
document = profiled("softmax", *softmax, "--events", "--what-if", "--sweep", "hbm_bytes_per_ns=100,716.8")
check(document["what_if"][0]["measure"]["saving_ns"] > 0, "what-if finds nothing")
points = document["sweeps"][0]["points"]
check(points[0]["makespan_ns"] > points[1]["makespan_ns"] and close(points[1]["makespan_ns"], document["makespan_ns"]), "sweep")
core = document["events"]
check(len(core["start_ps"]) >= document["instructions"] - 8, "too few events")
run("profile", *softmax, "--csv", "softmax.csv")
rows = list(csv.DictReader(open("softmax.csv", encoding="utf-8")))
check(len(rows) == len(core["start_ps"]), "the CSV has another number of events")
check(sum(int(row["critical_ps"]) for row in rows) == sum(core["critical"]), "the CSV has another critical path")
# The figures alone are the same, and nothing of them grows with the kernel.
run("profile", *softmax, "--what-if", "--sweep", "hbm_bytes_per_ns=100,716.8", "--json", "figures.json", "--figures")
figures = json.loads(Path("figures.json").read_text())
changing = ("command", "compile_ms") # From run to run.
check(all(document[key] == value for key, value in figures.items() if key not in changing), "other figures")
check({"makespan_ns", "engines", "top_stalls", "insights", "what_if", "sweeps", "sbuf_peak_bytes"} <= figures.keys(), "figures")
check(not {"binary", "places", "lines", "hierarchy", "events", "sources", "nc_ir", "memory"} & figures.keys(), "not only figures")
for wrong in fits(figures, schema, schema)[:5]:
    check(False, f"figures: {wrong}")
layer = ["llama_layer", "--tokens=128", "--no-insights", "--json"]
run("profile", *layer, "layer.json")
run("profile", *layer, "layer_figures.json", "--figures")
check(json.loads(Path("layer.json").read_text())["parts"] == json.loads(Path("layer_figures.json").read_text())["parts"], "parts")
# Loops that the streams do not show are those of the source, with their turns; names of scopes are whole.
unrolled = profiled("unrolled", "loops.cpp:unrolled", "--events")
nodes = unrolled["hierarchy"]
found = [(node["type"], node["name"], node["trips"]) for node in nodes if node["type"] in ("scope", "loop")]
check(found == [("scope", "q/k #1", 0), ("loop", "rows", 8), ("loop", "part", 2)], f"loops: {found}")
check(not any(one["kind"] == "control" for one in unrolled["binary"]), "the streams show a loop")
check({"q/k #1 > rows", "q/k #1 > rows > part"} == {" > ".join(one["names"]) for one in unrolled["scopes"]}, "scopes")
for op, operation in (("dma_copy", "load"), ("scalar_tensor_tensor", "maximum")):
    turns = []
    for one in unrolled["binary"]:
        place = unrolled["places"][one["place"]]
        if place["operation"] == operation:
            check(one["op"] == op and [loop["trips"] for loop in place["loops"]] == [8, 2], f"{operation}: {place}")
            turns.append(place["loops"][1]["turn"])
    check(sorted(turns) == [0] * 8 + [1] * 8, f"turns of {operation}: {turns}")
advice = {insight["id"]: insight["remedy"] for insight in unrolled["insights"]}
check("the loop is there" in advice["exposed-dma"], f"a loop over tiles is no news: {advice}")
check("a loop over tiles lets" in insights_of("apart", "transfers.cpp:exposed_dma")["exposed-dma"]["remedy"], "no loop")

# The path passes transfers by their issue alone, and by a queue that a later one overtook: neither has slack.
for kernel, *words in (["llama_layer"], ["norm_mlp"], ["rmsnorm_cores", "--cores=2"]):
    profiled(f"critical-{kernel}", kernel, *words, "--events", "--no-insights")

# A gather reads its places from SBUF, and its rows from HBM: that moves no tile within SBUF.
check("sbuf-dma" not in insights_of("gathered", "gathers.cpp:gathered"), "a gather from HBM counts as a transfer within SBUF")
copied = insights_of("copied", "gathers.cpp:gathered", "--copied").get("sbuf-dma")
check(copied and copied["extent"]["runs"] == 1, f"one copy of gathered rows moves within SBUF, not {copied}")

# A loop has a point on the roofline for each type of its products.
mixed = profiled("mixed", "types.cpp:mixed", "--no-insights")
points = {(mixed["hierarchy"][one["node"]]["type"], one["operands"]): one["flops"] for one in mixed["roofline_points"]}
flops = 16 * 2 * 128 * 128 * 512
check(points == {(node, type): flops for node in ("kernel", "loop") for type in ("f32", "bf16")}, f"mixed: {points}")
check(mixed["product_type"] == "bf16", f"of two types with equal flops, {mixed['product_type']} is the product's")
# What counts as 8-bit operands does so on the roofline, too.
narrow = profiled("narrow", "products.cpp:single_row", "--no-insights")
check({one["operands"] for one in narrow["roofline_points"]} == {narrow["product_type"]} == {"fp8"}, "8-bit operands")
# What-if knows what launches over nodes, and single instructions, depend on.
Path("nodes.machine").write_text("chips_per_node = 1\ncores_per_chip = 2\n")
rows = {}
for resource, *words in (["links between nodes", "sbuf_all_reduce", "--group=4", "--ranks=4", "--machine", "nodes.machine"],
                         ["sendrecv by GpSimd", "rmsnorm_cores", "--cores=2"], ["accumulator read-out", "softmax"]):
    timed = profiled("if", *words, "--what-if", "--no-insights")
    rows[resource] = {one["name"]: one["change"] for one in timed["what_if"]}
    sizes = timed["machine"]["chips_per_node"], timed["machine"]["cores_per_chip"]
    check((sizes == (1, 2)) == ("--machine" in words), f"{words}: a machine with {sizes}")
    check(resource in rows[resource], f"{words}: no row '{resource}' in {rows[resource]}")
check("links between nodes" not in rows["accumulator read-out"], "a single core depends on links between nodes")

# What is counted as tiny is what runs.
tiny = profiled("tiny", "transfers.cpp:tiny_dmas")
moves = [one for one in tiny["binary"] if one["kind"].startswith("dma")]
small = sum(one["runs"] for one in moves if one["bytes"] <= 65536)
condition = next(insight["condition"] for insight in tiny["insights"] if insight["id"] == "tiny-dmas")
check(condition.startswith(f"{small} of {sum(one['runs'] for one in moves)} transfers move at most 64 KiB, 16.0 KiB"), f"tiny: {condition}")

# SBUF nearly full, and all of PSUM: a byte counts once.
full = profiled("full", "swiglu")
check(full["sbuf_allocated_bytes"] == full["memory"]["sbuf"]["capacity_bytes"], "swiglu no longer fills SBUF")
check(full["sbuf_peak_bytes"] > 100_000 and full["psum_peak_bytes"] == 16384 and full["psum_banks_peak"] == 8, f"peaks of swiglu: {full['memory']}")
told = run("profile", "swiglu").stdout
check(f"values at the peak: {full['sbuf_peak_bytes'] / 1024:.1f} KiB, 8 banks" in told, "the table has another peak")
# The copies of a buffer are at different places.
copies = {}
for one in profiled("copies", "transfers.cpp:few_buffers", "--good", "--events")["memory"]["ranges"]:
    copies.setdefault(one["buffer"], set()).add(one["first_byte"])
check(max(map(len, copies.values())) > 1, f"no buffer has copies: {copies}")

# Collectives are part of the bound, which nothing beats.
for kernel in ("sbuf_all_reduce", "ring_all_gather", "ring_reduce_scatter"):
    for target in ("trn1", "trn2", "trn3"):
        found = profiled(f"{kernel}-{target}", kernel, "--group=4", "--ranks=4", f"--target={target}")
        for core in found["cores"]:
            check(all(0 <= ns <= found["makespan_ns"] for ns in core["bounds_ns"].values()), f"{kernel}: {core['bounds_ns']}")
            check(close(max(core["bounds_ns"].values()), core["lower_bound_ns"]), f"{kernel}: lower bound")
            check(core["bounds_ns"]["links"] > 0 and core["bounds_ns"]["collective"] > 0, f"{kernel}: no bound of links")
            check(core["collective_bound"]["count"] == len(core["collectives"]), f"{kernel}: count")
ranks = profiled("ranks", "sbuf_all_reduce", "--group=4", "--ranks=4", "--events")
told = run("profile", "sbuf_all_reduce", "--group=4", "--ranks=4").stdout
check(re.search(r"collectives +2, longest .* alone; core 0 carries ", told), f"no collectives in the table: {told}")
check("exposed-collectives" in {insight["id"] for insight in ranks["insights"]}, "no insight on collectives")
for core in ranks["cores"]:
    check(core["collectives"], f"{core['name']}: no collective")
    for one in core["collectives"]:
        parts = sum(one[key] for key in ("peer_wait_ns", "launch_ns", "links_ns", "hops_ns", "move_ns"))
        check(close(one["came_ns"] + parts, one["end_ns"]), f"{core['name']}: a collective of {parts} ns")
        check(one["members"] == 4 and one["links"] and one["links"][0]["alone_ns"] <= one["links_ns"] + 0.01, "links")
# Energy: parts add up, and a parameter twice as large doubles its share.
def check_energy(name, energy, seconds):
    items = sum(item["joules"] for item in energy["items"])
    check(abs(items + energy["static_joules"] - energy["joules"]) < 1e-9 * energy["joules"], f"{name}: energy does not add up")
    check(abs(energy["average_watts"] * seconds - energy["joules"]) < 1e-6 * energy["joules"], f"{name}: average power")
    check(energy["peak_watts"] >= 0.999 * energy["average_watts"], f"{name}: peak power")
    check(energy["is_estimate"] and len(energy["unknown"]) > 3, f"{name}: an estimate without what is unknown")
    for item in energy["items"]:
        check(abs(item["count"] * item["pj"] * 1e-12 - item["joules"]) <= 1e-12 * item["joules"], f"{name}: {item}")


layer = profiled("layer", "llama_layer")
check_energy("layer", layer["energy"], layer["makespan_ns"] * 1e-9)
rate = layer["energy"]["tokens"] / layer["energy"]["joules"]
check(abs(layer["energy"]["tokens_per_joule"] - rate) < 1e-6 * rate, "tokens per joule")
hbm = "energy_hbm_pj"
Path("hungry.machine").write_text(f"{hbm} = 62.72\nenergy_static_watts = 5\n")
Path("hungry.target").write_text(f"base = trn2\nname = hungry\n{hbm} = 62.72\nenergy_static_watts = 5\n")
for name, *words in (["hungry", "--machine", "hungry.machine"], ["custom", "--target", "hungry.target"]):
    hungry = profiled(name, "llama_layer", *words)
    seconds = hungry["makespan_ns"] * 1e-9
    check_energy(name, hungry["energy"], seconds)
    check(hungry["makespan_ns"] == layer["makespan_ns"], "energy changes time")
    check(abs(hungry["energy"]["static_joules"] - 5 * seconds) < 1e-6 * seconds, "static power")
    check(any(text.startswith("energy_static_watts") for text in layer["energy"]["unknown"]), "static power is known")
    check(not any(text.startswith("energy_static_watts") for text in hungry["energy"]["unknown"]), "static power is not known")
    for one, other in zip(layer["energy"]["items"], hungry["energy"]["items"], strict=True):
        factor = 2 if one["parameter"] == hbm else 1
        same = abs(other["joules"] - factor * one["joules"]) <= 1e-9 * one["joules"]
        check(one["pj"] * factor == other["pj"] and same, f"{one} became {other}")
        check((other["source"] == one["source"]) == (factor == 1), f"source of {other}")
for item in layer["energy"]["items"]:
    named = any(text.startswith(item["parameter"]) for text in layer["energy"]["unknown"])
    check(named == (item["pj"] == 0), f"{item} among what is unknown: {named}")
    check(item["pj"] == 0 or any(one["title"] in item["source"] for one in layer["energy"]["publications"]), f"no source: {item}")
for core in ranks["cores"]:
    check_energy(core["name"], core["energy"], ranks["makespan_ns"] * 1e-9)
total = sum(core["energy"]["joules"] for core in ranks["cores"])
check(abs(ranks["launch_energy"]["joules"] - total) < 1e-9 * total and ranks["launch_energy"]["tokens"] is None, "energy of a launch")
shared = profiled("shared", "tensor_parallel_mlp", "--group=4", "--ranks=4", "--tokens=128")
check(shared["launch_energy"]["tokens"] == 128 and shared["cores"][0]["energy"]["tokens"] == 32, "ranks share tokens")
# Parts: their times add up, and so do their flops and bytes.
decoded = profiled("decoded", "llama_layer", "--phase=decode", "--tokens=4", "--random-seed=1")
layers = profiled("layers", "llama_layer_ranks", "--group=2", "--ranks=2")
for name, core, makespan in [("layer", layer, layer["makespan_ns"]), ("decoded", decoded, decoded["makespan_ns"]),
                             *((core["name"], core, layers["makespan_ns"]) for core in layers["cores"])]:
    parts = core["parts"]
    check(close(sum(part["ns"] for part in parts), makespan), f"{name}: parts do not add up to the makespan")
    check(abs(sum(part["share"] for part in parts) - 1) < 1e-6, f"{name}: shares of parts")
    check(sum(part["flops"] for part in parts) == core["matmul_flops"], f"{name}: flops of parts")
    check(sum(part["hbm_bytes"] for part in parts) == core["hbm_read_bytes"] + core["hbm_write_bytes"], f"{name}: bytes of parts")
    check([part["name"] for part in parts if ":" not in part["name"]][:4] ==
          ["norm, qkv, rope", "attention", "output projection", "norm, mlp"], f"{name}: {[part['name'] for part in parts]}")
    for part in parts:
        check(part["bound_by"] == "none" or part["bound_ns"] > 0, f"{name}: {part}")
        check(part["ns"] == 0 or abs(part["hbm_share"] * part["ns"] * layer["hbm_bytes_per_ns"] - part["hbm_bytes"]) <=
              1e-3 * part["hbm_bytes"] + 1, f"{name}: share of HBM of {part}")
check(any(part["name"] == "output projection: all_reduce" for part in layers["cores"][0]["parts"]), "no part for collectives")
check("parts" not in full, "parts of a kernel that declares none")
row = r"  attention +[0-9.]+ +[0-9.]+ % +[0-9.]+ +[0-9.]+ +[0-9.]+ % +[0-9.]+ %  (tensor|vector|scalar|gpsimd|dma|hbm) [0-9]+ %\n"
for command in ["run", "profile"]:
    for words in [["llama_layer"], ["llama_layer", "--phase=decode", "--tokens=4"], ["llama_layer_ranks", "--group=2", "--ranks=2"]]:
        told = run(command, *words, "--random-seed=1").stdout
        check(re.search(r"  part +time \(us\)", told) and re.search(row, told), f"{command} {words}: no parts in {told[:1500]}")
# The scale of random values is in the binary, too.
check("w_qkv: bf16[256, 512]  random: deviation 0.0625\n" in run("list", "llama_layer").stdout, "the deviation is not listed")
run("compile", "llama_layer", "-o", "layer.kbin")
for name, words in [("kernel", ["llama_layer", "--reference"]), ("binary", ["layer.kbin"])]:
    run("run", *words, "--random-seed=1", "--out", f"y={name}.npy")
check(Path("kernel.npy").read_bytes() == Path("binary.npy").read_bytes(), "a binary gets other random values")
check("  part " not in run("run", "matmul", "--random-seed=1").stdout, "parts of a kernel without any")
told = run("profile", "llama_layer").stdout
check(re.search(r"energy +[0-9.]+ [mu]J, [0-9.]+ W, peak [0-9.]+ W \(estimate\): ", told) and "tokens/J (estimate)" in told, f"no energy: {told[:1200]}")

passes = profiled("passes", *softmax, "--passes")["passes"]
changed = {one["name"]: one for one in passes if one["added"] + one["removed"]}
check(passes[0]["name"] == "import" and len(passes) > 20 and len(changed) > 10, "passes")
cores = profiled("both", "rmsnorm_cores", "--cores=2", "--no-insights")
check("passes" not in document, "what each pass did, without --passes")
for core, key in enumerate(("nc_ir", "nc_ir_of_core_1")):
    check(f"nc.core = {core} " in cores[key][0]["text"] and len(cores[key]) > 20, f"IR of core {core}")
for one in passes:
    marks = [line[0] for line in one["diff"].splitlines()]
    check((marks.count("+"), marks.count("-")) == (one["added"], one["removed"]), f"the difference of {one['name']}")
fused = {told["remark"] for told in changed["tile-fuse"]["statistics"]}
check("Fused" in fused and "+" in changed["tile-fuse"]["diff"], f"tile-fuse: {fused}")

# The trace for Perfetto: arrows, counters, and few bytes.
for name, *words in (["softmax", *softmax], ["attention", "flash_attention", "--seq-q=512", "--causal"], ["reduce", "sbuf_all_reduce", "--ranks=4", "--group=4"]):
    run("profile", *words, "--trace", f"{name}.trace.json", "--no-insights")
    text = Path(f"{name}.trace.json").read_bytes()
    entries = json.loads(text)["traceEvents"]
    slices = sum(entry["ph"] == "X" for entry in entries)
    arrows = [entry["ph"] for entry in entries if entry["ph"] in "sf"]
    counters = {entry["name"] for entry in entries if entry["ph"] == "C"}
    packed = len(gzip.compress(text)) / slices
    print(f"trace of {name}: {slices} events, {len(arrows) // 2} arrows, {packed:.0f} bytes an event in gzip")
    check(packed <= 150, f"{name}: {packed} bytes an event")
    waited = 0
    told = profiled(f"{name}.arrows", *words, "--events", "--no-insights")
    for core in told.get("cores", [told]):
        events = core["events"]
        begins = list(itertools.accumulate(events["start_ps"]))
        waited += sum(cause >= 0 and reason >= 0 and begins[cause] <= begin
                      for cause, reason, begin in zip(events["cause"], events["cause_reason"], begins))
    check(arrows.count("s") == arrows.count("f") == waited > 0, f"{name}: {len(arrows)} ends of arrows, {waited} waits")
    check({"SBUF", "HBM read", "HBM written"} <= counters, f"{name}: {counters}")
done = run("profile", *softmax, "--sweep", "nonsense=1", code=1)
check("nonsense" in done.stderr, "an unknown parameter")
done = run("profile", *softmax, "--sweep", "nonsense", code=2)
check("KILN-T020" in done.stderr, "a sweep without values")

# Two runs side by side.
run("profile", "softmax", "--rows=2048", "--cols=1024", "--json", "tall.json")
done = run("profile", "--compare", "softmax.json", "tall.json", "--json", "compared.json")
compared = json.loads(Path("compared.json").read_text())
tall = json.loads(Path("tall.json").read_text())
check(compared["makespan"]["before_ns"] == document["makespan_ns"], "compare: before")
check(compared["makespan"]["after_ns"] == tall["makespan_ns"], "compare: after")
check(close(sum(row["after_ns"] for row in compared["reasons"]), tall["makespan_ns"]), "compare: reasons")
check(compared["lines"][0]["name"].endswith((":53", ":54", ":55")) and "kernel.h" in done.stdout, "compare: lines")
parts = {row["name"]: row for row in compared["energy"]}
for part, key in (("all", "before_joules"), ("all", "after_joules"), ("HBM", "after_joules")):
    energy = (document if key.startswith("before") else tall)["energy"]
    want = energy["joules"] if part == "all" else sum(item["joules"] for item in energy["items"] if item["part"] == part)
    check(want > 0 and abs(parts[part][key] - want) < 1e-9 * want, f"compare: {part}, {key}")
check("energy, an estimate" in done.stdout, "compare: energy")
same = run("profile", "--compare", "softmax", *softmax).stdout
check("+0.0 %" in same, f"a kernel differs from itself: {same}")
# A may have words of its own: other options, or a whole command.
done = run("profile", *softmax, "--compare", "--target=trn3", "--json", "targets.json")
two = json.loads(Path("targets.json").read_text())
check({"name": "target", "before": "trn3", "after": "trn2"} in two["settings"] and len(two["settings"]) == 1, f"compare: {two['settings']}")
check(two["makespan"]["after_ns"] == document["makespan_ns"] > two["makespan"]["before_ns"] > 0, f"compare: targets {two['makespan']}")
check("target  trn3 to trn2" in done.stdout and two["before"] == "kiln profile " + " ".join(softmax) + " --target=trn3", f"compare: {done.stdout}")
done = run("profile", *softmax, "--compare", "softmax --rows=2048 --cols=1024", "--json", "words.json")
words = json.loads(Path("words.json").read_text())
check(words["makespan"]["before_ns"] == tall["makespan_ns"], f"compare: words of its own {words['makespan']}")
check(words["reasons"] == [{"name": row["name"], "before_ns": row["after_ns"], "after_ns": row["before_ns"], "change_ns": -row["change_ns"]}
                           for row in compared["reasons"]], "compare: the other way round")
for text, option in (("a quote", ("--compare", "softmax '--rows=2")), ("a JSON file", ("--compare", "tall.json --ranks=2")),
                     ("unknown option", ("--compare", "softmax --rows=2 -x")), ("is about one run", ("--compare", "softmax", "--csv", "x.csv"))):
    done = run("profile", *softmax, *option, code=2)
    check("KILN-T020" in done.stderr and text in done.stderr, f"compare {option}: {done.stderr}")
# Whoever is refused is named, with the cause.
for text, cause in (("", "it is empty"), ("[1,", "it is not JSON: wrong at byte 4 of 3"), ("{}", "it is JSON, but kiln profile --json did not write it"), ('{"schema": "x"}', 'its schema is "x"'),
                    ('{"schema": "kiln.profile", "version": 99}', "it has version 99 of its schema, but this kiln reads versions up to 7"),
                    ('{"schema": "kiln.profile"}', "it lacks the number 'makespan_ns'"), ('{"schema": "kiln.profile", "makespan_ns": 1}', "it lacks 'engines'")):
    Path("other.json").write_text(text)
    for words in (("other.json", "tall.json"), ("tall.json", "other.json")):
        done = run("profile", "--compare", *words, code=1)
        check("KILN-T049" in done.stderr and f"'other.json' cannot be compared: {cause}" in done.stderr, f"compare {text}: {done.stderr}")
# What was nothing has no percentage, and each value has a unit in which it is seen.
nothing = dict(tall, makespan_ns=0)
Path("nothing.json").write_text(json.dumps(nothing))
told = run("profile", "--compare", "nothing.json", "tall.json").stdout
check(re.search(r"makespan  0\.00 .s to [0-9.]+ us, was 0\n", told), f"compare with nothing: {told[:400]}")
Path("nothing.json").write_text(json.dumps(dict(tall, makespan_ns=tall["makespan_ns"] / 5000)))
told = run("profile", "--compare", "nothing.json", "tall.json").stdout
check("5e+03 times as long" in told and not re.search(r" 0\.00 .J", told), f"compare with little: {told}")

# The cards come first, behind the figures; a terminal has its own width, and colours that can be turned off.
kernel = ("profile", "transfers.cpp:reload")
piped = run(*kernel).stdout
cards = [piped.find(text) for text in ("makespan", "what would save most", "(reload)", "  engine ")]
check(cards == sorted(cards) and cards[0] >= 0 and "\033" not in piped, f"order of the table: {cards}\n{piped}")
coloured, plain = tool.shown(*kernel, columns=70), tool.shown(*kernel, columns=70, NO_COLOR="1")
bare = re.sub("\033\\[[0-9;]*m", "", coloured)
check("\033[1;31m" in coloured and "\033" not in plain, "colours")
check(max(map(len, plain.splitlines())) <= 70 < max(map(len, piped.splitlines())), f"lines fit: {plain}")
narrow = run("profile", "transfers.cpp:reload", COLUMNS="50").stdout
check(max(map(len, narrow.splitlines())) <= 50 and "\033" not in narrow, "COLUMNS is not read")
for what in ("x005", "softmax:vector:5"):
    whole, narrow = run("explain", what).stdout, tool.shown("explain", what, columns=60)
    check(max(map(len, narrow.splitlines())) <= 60 < max(map(len, whole.splitlines())), f"{what} does not fit: {narrow}")
    check(whole.split() == narrow.split() == run("explain", what, COLUMNS="60").stdout.split(), f"{what} has lost words: {narrow}")
timeless = lambda text: re.sub(r"compiled in.*", "", text)
check(timeless(bare) == timeless(plain), "colours change more than colours")

finish()
