"""mutations.py MUTATION_TEST PAGE BINARIES [--write]: the figures of docs/executor.md on broken kernels.

The page has a table of mutations of two kernels, caught / escaped / same bits; the
share that the checks of a run catch; and a table of kernels of several cores.
All are compared with what MUTATION_TEST counts on the BINARIES, a folder. Binaries
change with the compiler, so a figure may be TOLERANCE off, or SMALL where it is
small. With --write, the page is changed instead.
"""
import re
import subprocess
import sys
from pathlib import Path

tool, page, binaries = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
TOLERANCE, SMALL = 0.15, 4
# A row of the page: kinds of mutants that it adds up.
ROWS = {
    "a wait removed": ["wait removed"],
    "a wait one instruction late": ["wait moved behind"],
    "a DMA dropped, with or without its signals": ["DMA dropped", "DMA dropped, signals kept"],
    "a written address shifted": ["written address, one element", "written address, one operand"],
    "a read address shifted": ["read address, one element", "read address, one operand"],
    "an operand of another type of its size": ["type of an operand"],
    "a product without `accumulate`": ["accumulate off"],
}
PEERS = {"ring_all_gather": 3, "ring_reduce_scatter": 3, "sbuf_all_reduce": 3, "rmsnorm_cores": 2}


def count(kernel, ranks):
    """By kind: refused and caught, escaped, same bits. What is caught of all; that in per cent."""
    said = subprocess.run([tool, binaries / f"{kernel}.kbin", str(ranks)], check=True, capture_output=True, text=True).stdout
    kinds = {name.strip(): (int(refused) + int(caught), int(escaped), int(same)) for name, refused, caught, same, escaped in
             re.findall(r"^(\D.*?) +\d+ mutants, +(\d+) refused, +(\d+) caught, +(\d+) same bits, +(\d+) escaped", said, re.M)}
    total, caught, share = re.search(r"of (\d+) that .* catch (\d+) \(([\d.]+) %\)", said).groups()
    return kinds, int(total), int(caught), share


kernels = [count("flash_attention", 1), count("qkv", 1)]
lines = []  # of the page, as they should be
for row, kinds in ROWS.items():
    cells = [" / ".join(str(sum(found[kind][i] for kind in kinds)) for i in range(3)) for found, *_ in kernels]
    lines.append(f"| {row} | {cells[0]} | {cells[1]} |")
lines.append(f"Of all mutants that change the output, the checks catch {kernels[0][3]} % and {kernels[1][3]} %")
for kernel, ranks in PEERS.items():
    _, total, caught, share = count(kernel, ranks)
    cores = ", 2 ranks of two cores" if kernel == "rmsnorm_cores" else ", 3 ranks"
    lines.append(f"| `{kernel}`{cores} | {'all ' + str(total) if caught == total else f'{caught} of {total} ({share} %)'} |")

def close(shown, counted):
    """Whether two lines say the same but for a tolerance."""
    numbers = [[float(number) for number in re.findall(r"\d+(?:\.\d+)?", line)] for line in (shown, counted)]
    return len(numbers[0]) == len(numbers[1]) and all(
        abs(a - b) <= max(SMALL, TOLERANCE * b) for a, b in zip(*numbers))


text, problems = page.read_text(), []
for line in lines:
    start = re.match(r"\| [^|]+ \||.* catch ", line)[0]
    there = re.search(rf"^{re.escape(start)}.*?(\|$| % and [\d.]+ %)", text, re.M)
    if not there:
        problems.append(f"{page.name} has no line: {line}")
    elif "--write" in sys.argv[4:]:
        text = text.replace(there[0], line)
    elif not close(there[0], line):
        problems.append(f"{page.name} should say: {line}")
if "--write" in sys.argv[4:]:
    page.write_text(text)
print("\n".join(problems) or f"{len(lines)} lines are as counted")
sys.exit(1 if problems else 0)
