"""savings.py KILN SOURCES WORK PAGE [--write]: predicted against real savings.

For each rule of the tool (SOURCES has them) its bad kernel is profiled, which predicts what it would save, and its good kernel,
which shows what is saved. The table of PAGE must say so, to 2 per cent; --write makes it anew.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from pairs import FILES, pairs, rules

TOLERANCE = 0.02
BEGIN, END = "<!-- savings -->\n", "<!-- end of savings -->\n"
kiln, sources, work, page = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve(), Path(sys.argv[4])
here = Path(__file__).resolve().parent
work.mkdir(parents=True, exist_ok=True)
for file in FILES:
    shutil.copy(here / file, work)


def profiled(words):
    environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
    done = subprocess.run([kiln, "profile", *words, "--json", "saving.json"], cwd=work, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"kiln profile {' '.join(words)}: {done.stderr}")
    return json.loads((work / "saving.json").read_text())


def measured():
    """{rule: (words, words of the good one, time of the bad one, predicted saving, real saving)}, in us."""
    rows = {}
    for rule, (bad, good) in pairs(here).items():
        before, after = profiled(bad), profiled(good)
        saving = next((one["saving_ns"] for one in before["insights"] if one["id"] == rule), None)
        if saving is None:
            sys.exit(f"{rule} says nothing about {' '.join(bad)}")
        more = good[len(bad):] if good[:len(bad)] == bad else good
        rows[rule] = (" ".join(bad), " ".join(more), before["makespan_ns"] / 1e3, saving / 1e3, (before["makespan_ns"] - after["makespan_ns"]) / 1e3)
    return rows


def table(rows):
    text = "| rule | bad kernel | good kernel | µs | predicted saving | real saving | real / predicted |\n|---|---|---|---|---|---|---|\n"
    for rule, (words, good, before, predicted, real) in rows.items():
        text += f"| `{rule}` | `{words}` | `{good}` | {before:.2f} | {predicted:.2f} | {real:.2f} | {real / predicted:.2f} |\n"
    return text


def numbers(row):
    return [float(number) for number in re.findall(r"(?<=\| )-?\d+\.\d+(?= \|)", row)]


def compare(shown, made):
    """What differs: rows, or numbers by more than the tolerance."""
    for one, other in zip(shown.splitlines(), made.splitlines()):
        if one.split("|")[1:4] != other.split("|")[1:4]:
            yield f"the page has {one}, now it is {other}"
        elif any(abs(a - b) > max(TOLERANCE * abs(b), 0.011) for a, b in zip(numbers(one), numbers(other), strict=True)):
            yield f"the page has {one}, now it is {other}"
    if shown.count("\n") != made.count("\n"):
        yield "the page has another number of rules"


rows = measured()
problems = [f"{rule}: without a pair of kernels" for rule in rules(sources) if rule not in rows]
problems += [f"{rule} is no rule of the tool" for rule in rows if rule not in rules(sources)]
problems += [f"{rule}: the good kernel saves nothing" for rule, row in rows.items() if row[4] <= 0]
text = page.read_text()
before, rest = text.split(BEGIN)
shown, after = rest.split(END)
made = table(rows)
if "--write" in sys.argv:
    page.write_text(before + BEGIN + made + END + after)
else:
    problems += [f"{problem}; make it anew with --write" for problem in compare(shown, made)]
print(made)
ratios = sorted(row[4] / row[3] for row in rows.values())
print(f"{len(rows)} rules, real / predicted from {ratios[0]:.2f} to {ratios[-1]:.2f}, median {ratios[len(ratios) // 2]:.2f}")
sys.exit("\n".join(problems) if problems else 0)
