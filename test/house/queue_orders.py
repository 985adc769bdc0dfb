"""queue_orders.py KILN PAGE WORK: times the kernels of a table on docs/timing.md.

A row of the table "Order of queues" holds the words of a command, and for each target
the microseconds with queues in arrival order and with shared queues. Each must
be what `kiln profile` says, within TOLERANCE. The library's other kernels differ
by less than the page says.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

TOLERANCE = 0.02
TARGETS = ["trn1", "trn2", "trn3"]

kiln, page, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
work.mkdir(parents=True, exist_ok=True)
shared = work / "shared.machine"
shared.write_text("dma_queues_share = true\n")


def microseconds(kernel, target, options):
    out = work / "profile.json"
    subprocess.run([kiln, "profile", *kernel.split(), "--target", target, "--json", str(out), *options],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(out.read_text())["makespan_ns"] / 1000


section = page.read_text().split("### Order of queues")[1].split("\n#")[0]
rows = re.findall(r"^\| `([^`]+)` \|(.*)\|$", section, re.M)
problems = [] if len(rows) >= 7 else [f"only {len(rows)} kernels are in the table"]
for kernel, cells in rows:
    for target, cell in zip(TARGETS, cells.split("|")):
        for shown, options in zip(cell.split(";"), ([], ["--machine", str(shared)])):
            if not shown.strip():
                continue
            time = microseconds(kernel, target, options)
            if abs(float(shown) - time) > TOLERANCE * time:
                problems.append(f"{kernel} on {target} {' '.join(options[:1])}: the page says {shown.strip()}, it takes {time:.4g}")
least = float(re.search(r"differ by less than ([0-9.]+) %", section)[1]) / 100
listing = subprocess.run([kiln, "list"], check=True, capture_output=True, text=True).stdout
listed = {kernel.split()[0] for kernel, _ in rows}
others = [kernel for kernel in re.findall(r"^(\w+): ", listing, re.M) if kernel not in listed]
compared = set()
for kernel in others:
    for target in TARGETS:
        try:
            times = [microseconds(kernel, target, options) for options in ([], ["--machine", str(shared)])]
        except subprocess.CalledProcessError:
            continue  # Not for this target, or not for one rank.
        compared.add(kernel)
        if abs(times[1] - times[0]) >= least * times[0]:
            problems.append(f"{kernel} on {target}: {times}")
if len(compared) < 3:
    problems.append(f"of kernels that are not listed, only {sorted(compared)} were timed")
print("\n".join(problems) or "the table shows what kernels take")
sys.exit(1 if problems else 0)
