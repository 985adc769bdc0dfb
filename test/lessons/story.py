"""story.py PAGE KILN WORK PROGRAM [--write]: the tables of a story, compared with the tool.

A table whose first column is headed by the name of a kernel has a row for each step: its makespan, the card that the next
step follows, what the card predicts, and what the next step really saves. The card must be one of the three that the
terminal shows, and each step must save time. Figures may be 2 per cent off. --write puts the tool's figures into the page.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

page, kiln, work, program = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
writes = "--write" in sys.argv
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
shutil.copy(program, work)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
problems = []


def profiled(kernel, step):
    done = subprocess.run([kiln, "profile", f"{program.name}:{kernel}", step, "--json", "step.json"], cwd=work,
                          env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{kernel} {step}: {done.stderr}")
    return json.loads((work / "step.json").read_text())


def figure(cell):
    return float(re.fullmatch(r"(\d+(?:\.\d+)?) µs", cell)[1])


def compare(cell, ns, what):
    """The cell as it should be."""
    if not writes and abs(figure(cell) - ns / 1000) > max(0.02 * ns / 1000, 0.05):
        problems.append(f"{what}: the page says {cell}, the tool {ns / 1000:.1f} µs")
    return f"{ns / 1000:.1f} µs"


text, stories = page.read_text(), 0
for table in re.findall(r"^\| `\w+` \| makespan \|.*\n(?:\|.*\n)+", text, re.M):
    lines = table.splitlines()
    kernel = re.match(r"\| `(\w+)`", lines[0])[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    found = [profiled(kernel, row[0].strip("`")) for row in rows]
    made = lines[:2]
    for number, (row, document) in enumerate(zip(rows, found)):
        where = f"{kernel} {row[0]}"
        row[1] = compare(row[1], document["makespan_ns"], where)
        if number + 1 < len(rows):
            saved = document["makespan_ns"] - found[number + 1]["makespan_ns"]
            shown = {one["id"]: one["saving_ns"] for one in document["insights"][:3]}
            card = row[2].strip("`")
            if card not in shown:
                problems.append(f"{where}: no card '{card}' among {', '.join(shown)}")
            if saved <= 0:
                problems.append(f"{where}: the next step saves nothing")
            row[3] = compare(row[3], shown.get(card, 0), f"{where}, predicted")
            row[4] = compare(row[4], saved, f"{where}, real")
        made.append("| " + " | ".join(row).rstrip() + " |")
    if any(row[2:] != ["", "", ""] for row in rows[-1:]) or len(rows) < 3:
        problems.append(f"{kernel}: a story has steps and an end")
    text = text.replace(table, re.sub(r"\|  (?=\|)", "| ", "\n".join(made)) + "\n")
    stories += 1
if writes:
    page.write_text(text)
if stories < 2:
    problems.append(f"{page.name} has {stories} stories")
print("\n".join(problems) or f"{stories} stories are as the page tells them")
sys.exit(1 if problems else 0)
