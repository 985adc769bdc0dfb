"""explain.py KILN DOCS WORK: kiln explain.

Each page of docs/errors is printed as it is; what does not exist is refused with what does. Of two kernels, each instruction
is explained: the JSON is of its schema, its terms add up, and it agrees with kiln profile --json.
"""
import json
import sys
from pathlib import Path

from runs import Runs
from schema import problems

kiln, docs, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
schema = json.loads((docs / "explain.schema.json").read_text())
runs = Runs(kiln, work)
need, run, failures = runs.need, runs.run, runs.failures


def explained(*words):
    value = json.loads(run("explain", *words, "--json").stdout)
    failures.extend(f"{words}: {problem}" for problem in problems(value, schema, schema))
    return value


def refused(code, exit_code, *words, says=()):
    error = run("explain", *words, code=exit_code).stderr
    need(f"[{code}]" in error, f"{words}: no {code} in {error}")
    for part in says:
        need(part in error, f"{words}: no '{part}' in {error}")
    line = json.loads(run("explain", *words, "--diagnostics=json", code=exit_code).stderr)
    need(line["code"] == code and line["found"] is not None and line["allowed"], f"{words}: {line}")


# Codes.
pages = sorted((docs / "errors").glob("KILN-*.md"))
need(len(pages) > 100, "no pages")
for page in pages:
    need(run("explain", page.stem).stdout == page.read_text(), f"{page.stem} is not its page")
race = explained("KILN-X005")
need(race["title"] == "a race" and race["see_also"] == ["KILN-T050"], f"X005: {race['title']}, {race['see_also']}")
need("no chain of semaphore tokens" in race["meaning"] and "[KILN-X005]" in race["example"], "X005: its parts")
need(race["page"] == (docs / "errors/KILN-X005.md").read_text(), "X005: its page")
need(explained("KILN-A001")["see_also"] == [], "A001 names no others")
for word in ("x005", "X005", "kiln-x005"):
    need(run("explain", word).stdout.startswith("# KILN-X005: a race"), word)
run("explain", "x005", "--json=x005.json")
need(json.loads((work / "x005.json").read_text()) == race, "--json=FILE is the same")
refused("KILN-T051", 1, "KILN-X020", says=["KILN-X019 (", "KILN-X018 (", "KILN-X017 ("])
refused("KILN-T051", 1, "KILN-Q001", says=["A, C, I, P, T, W, X"])
# Schemas.
for file in sorted(docs.glob("*.schema.json")):
    need(run("explain", file.name).stdout == file.read_text(), f"{file.name} is not the page")
    run("explain", file.name, "--json=written.json")
    need((work / "written.json").read_text() == file.read_text(), f"{file.name}: --json=FILE is the same")
refused("KILN-T020", 2, "profiles.schema.json", says=["profile.schema.json", "explain.schema.json"])
for word in ("nonsense", "KILN-X5", "KILN-X0055", "softmax.kbin", ":vector:1"):
    refused("KILN-T020", 2, word)
need("KILN-T020" in run("explain", "X005", "--rows=3", code=2).stderr, "a code with a parameter")
need("KILN-T020" in run("explain", code=2).stderr, "nothing to explain")

# Instructions.
for kernel, words in (("softmax", ("--rows=256", "--cols=256")), ("flash_attention", ("--seq-q=256", "--seq-k=1024"))):
    run("compile", kernel, "-o", f"{kernel}.kbin", *words)
    run("profile", f"{kernel}.kbin", "--json", "profile.json", "--no-insights")
    profile = json.loads((work / "profile.json").read_text())
    ran = 0
    for one in profile["binary"]:
        name = f"{kernel}.kbin:{one['engine']}:{one['index']}"
        value = explained(name)
        need(value["asm"] == one["asm"] and value["kind"] == one["kind"], f"{name}: not that instruction")
        need(value["runs"] == one["runs"] and (value["run"] is None) == (one["runs"] == 0), f"{name}: runs")
        need(value["makespan_ns"] == profile["makespan_ns"], f"{name}: makespan")
        place = profile["places"][one["place"]]
        need((value["source"] or {}).get("line", 0) == place["line"], f"{name}: its line")
        if value["source"]:
            need(len(value["source"]["text"]) > 3, f"{name}: {value['source']}")
        cost = value["cost"]
        for terms, whole in (("occupancy", "occupies_ns"), ("latency", "result_ns")):
            need(abs(sum(term["ns"] for term in cost[terms]) - cost[whole]) < 0.0005, f"{name}: {terms} {cost}")
        if one["kind"] not in ("control", "collective"):
            need(abs(cost["occupies_ns"] - one["cost"].get("interval", one["cost"].get("data"))) < 0.0005,
                 f"{name}: {cost} against {one['cost']}")
        waits = [(wait["reason"], wait["kind"], wait["ns"], wait["count"]) for wait in value["waits"]]
        need(waits == [(wait["reason"], wait["kind"], wait["ns"], wait["count"]) for wait in one["waits_for"]], f"{name}: waits")
        for mine, theirs in zip(value["waits"], one["waits_for"]):
            by = profile["binary"][theirs["instruction"]]
            wanted = f"{by['engine']}:{by['index']}" if theirs["instruction"] >= 0 else None
            need((mine["producer"] or {}).get("name") == wanted, f"{name}: waits for {mine['producer']}, not {wanted}")
        if value["run"] and value["run"]["start_ns"] is not None:
            ran += 1
            need(value["run"]["issued_ns"] <= value["run"]["start_ns"] <= value["run"]["end_ns"] <= profile["makespan_ns"],
                 f"{name}: {value['run']}")
            need(value["run"]["slack_ns"] >= one["slack_ns"], f"{name}: less slack than the least")
    need(ran > 10, f"{kernel}: {ran} instructions ran")

text = run("explain", "softmax.kbin:scalar:1").stdout
for part in ("scalar:1 of softmax on trn2: ", "Cost, if nothing is in its way", "It ran", "Run 1 of", "issued at"):
    need(part in text, f"the text has no '{part}': {text}")
ranks = explained("all_reduce_add:vector:0", "--ranks=2", "--at-rank=1") if "all_reduce_add" in run(
    "list", "--names").stdout.split() else None
need(ranks is None or ranks["core"] == 1, "--at-rank")
compiled = explained("softmax:scalar:1", "--rows=256", "--cols=256")
need(compiled == explained("softmax.kbin:scalar:1"), "a kernel is explained as its binary")
need(explained("softmax:scalar:1", "--cores=2", "--rows=256", "--cols=256", "--at-core=1")["core"] == 1, "--at-core")

refused("KILN-T052", 1, "softmax.kbin:vectr:3", says=["tensor, vector, scalar, gpsimd, sync", "did you mean 'vector'?"])
refused("KILN-T052", 1, "softmax.kbin:scalar:99999", says=["scalar has 0 to "])
refused("KILN-T052", 1, "softmax.kbin:tensor:0", says=["tensor has no instruction"])
refused("KILN-T052", 1, "softmax.kbin:scalar:one", says=["scalar has 0 to "])
refused("KILN-T052", 1, "softmax.kbin:scalar:1", "--run=99", says=["it ran "])
need("scalar has 0 to" in run("explain", "softmax.kbin:scalar", code=1).stderr, "an engine without an index")
need("KILN-T020" in run("explain", "softmax.kbin:scalar:1", "--at-core=1", code=2).stderr, "a core that is not there")
need("KILN-T001" in run("explain", "none.kbin:scalar:1", code=1).stderr, "no such file")

for failure in failures[:40]:
    print(failure)
sys.exit(bool(failures))
