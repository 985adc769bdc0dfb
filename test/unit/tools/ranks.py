"""ranks.py KILN WORK: several ranks on the command line.

Inputs of all ranks and of one, outputs stacked and alone, the reference over
all ranks, and profiles with one entry and one process for each core.
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

kiln = sys.argv[1]
work = Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)


def run(*words):
    done = subprocess.run([kiln, *words], cwd=work, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"kiln {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


RING = ["ring_all_gather", "--group=3", "--rows=4", "--cols=8"]
ranks = [np.arange(32, dtype=np.float32).reshape(4, 8) + 100 * r for r in range(3)]
for r, values in enumerate(ranks):
    np.save(work / f"x{r}.npy", values)
run("compile", *RING, "--dtype=f32", "-o", "ring.kbin")
said = run("run", "ring.kbin", "--ranks=3", "--in", "x=x0.npy", "--in", "x@1=x1.npy", "--in", "x@2=x2.npy",
           "--out", "y=all.npy", "--out", "y@2=two.npy", "--reference", "--interleave=4", "--timing")
whole = np.concatenate(ranks)
every = np.load(work / "all.npy")
assert every.shape == (3, 12, 8), every.shape
assert all((every[r] == whole).all() for r in range(3))
assert (np.load(work / "two.npy") == whole).all()
for part in ("3 ranks", "y@0", "y@1", "y@2", "makespan", "4 other orders of the engines: the same bits"):
    assert part in said, f"no '{part}' in {said}"

# At random every rank has its own values, the first one those of a run alone.
run("run", "ring.kbin", "--ranks=3", "--random-seed=5", "--out", "y=random.npy")
gathered = np.load(work / "random.npy")[0].reshape(3, 4, 8)
assert not (gathered[0] == gathered[1]).any() and not (gathered[1] == gathered[2]).any()
run("run", *RING[:1], "--group=1", "--rows=4", "--cols=8", "--dtype=f32", "--random-seed=5", "--out", "y=alone.npy")
assert (np.load(work / "alone.npy") == gathered[0]).all()

# They are parts of one sequence.
run("run", *RING[:2], "--rows=8", "--cols=1024", "--dtype=f32", "--ranks=3", "--random-seed=5", "--out", "y=parts.npy")
parts = np.load(work / "parts.npy")[0].reshape(3, -1)
assert (parts[1][:2000] == parts[0][4288:6288]).all() and (parts[2][:2000] == parts[1][4288:6288]).all()

table = run("profile", "ring.kbin", "--ranks=3", "--json", "p.json", "--trace", "t.json", "--html", "p.html")
assert "3 cores" in table and "the busiest" in table, table
profile = json.loads((work / "p.json").read_text())
assert profile["ranks"] == 3 and profile["cores_of_rank"] == 1 and len(profile["cores"]) == 3
for core in profile["cores"]:
    assert core["makespan_ns"] == profile["makespan_ns"]
    for name, engine in core["engines"].items():
        if name != "dma":
            total = engine["busy_ns"] + sum(engine["stalls"].values())
            assert abs(total - profile["makespan_ns"]) < 0.1, (name, total)
events = json.loads((work / "t.json").read_text())["traceEvents"]
assert {event["pid"] for event in events} == {1, 2, 3}
names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
assert names == {f"ring_all_gather, rank {r}" for r in range(3)}, names
page = (work / "p.html").read_text().split('id="head">', 1)[1].split("</script>", 1)[0]
page = json.loads(page)
assert [name for name, _ in page["names"]] == [f"rank {r}" for r in range(3)], page["names"]
assert {line for _, line in page["names"]} == set(range(len(page["cores"])))
meetings = {instruction["op"] for core in page["cores"] for instruction in core["binary"]
            if instruction["kind"] == "collective"}
assert any("collective_permute" in name for name in meetings), meetings
# Without these files it says the same, with the peak of the power: so short a launch is traced anyway (docs/energy.md).
assert re.search(r", peak [0-9.]+ \w+ \(estimate\)", table), table
assert run("profile", "ring.kbin", "--ranks=3") == table
