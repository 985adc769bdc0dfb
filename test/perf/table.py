#!/usr/bin/env python3
"""table.py KILN [--write PAGE | --check PAGE]: how fast the library's kernels are, in the tables of three pages.

The kernels declare the rows, in kernels/FAMILY/KERNEL/cases.txt. Without a page it prints the table of
docs/performance.md with what else differs from machine to machine: the time to compile. With --write it puts the table
into the page, between the lines that begin with '| kernel' and the next blank one; with --check it fails if the page
has other rows, or a figure that is more than 2 % off.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "test/kernels"))
import cases

TOLERANCE = 0.02
NUMBER = r"\d+(?:\.\d+)?"


def profile(kiln, case, target, *options):
    """The profile as JSON; nothing if the target lacks what the kernel needs."""
    with tempfile.TemporaryDirectory() as work:
        numbers, given = Path(work) / "profile.json", cases.given(case, Path(work))
        if given:
            given += ["--random-seed=1"] # For all others.
        done = subprocess.run([kiln, "profile", case.kernel, *case.options, *given, "--target", target, "--no-insights",
                               "--json", numbers, "--figures", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if re.search(cases.LACKS, done.stderr):
            return None
        if done.returncode != 0:
            sys.exit(f"{case.label} on {target}: {done.stderr}")
        return json.loads(numbers.read_text())


class Performance:
    """docs/performance.md: the time on trn2 and trn3, and the shares of it that the roofline (the flops at the peak of
    their type, or the bytes of the arguments at the rate of HBM, whichever takes longer) and the busiest engine need."""
    KIND, TARGETS = "measured", ["trn2", "trn3"]
    HEAD = ["kernel", "lines", "error", *(cell for target in TARGETS for cell in (f"{target}, µs", "roofline", "bound"))]

    def __init__(self):
        self.compiling, self.errors = [], {}

    def lines_of(self, kernel):
        """Lines of the kernel's header, and of every header of the library that it includes, that are neither blank nor
        comment."""
        (header,) = root.glob(f"kernels/*/{kernel}/kernel.h")
        count, seen, left = 0, {header}, [header]
        while left:
            lines = [line.strip() for line in left.pop().read_text().splitlines()]
            count += sum(1 for line in lines if line and not line.startswith(("//", "#")))
            included = {root / "kernels" / name for name in re.findall(r'^#include "([^"]+)"', "\n".join(lines), re.M)}
            left += sorted(path for path in included - seen if path.is_file())
            seen |= included
        return count

    def error_of(self, kiln, case):
        """The largest relative l2 error of an output, against the reference, of the first small case of the type."""
        (folder,) = root.glob(f"kernels/*/{case.kernel}")
        alike = [small for small in cases.read(folder, "small") if (small.option("dtype") or "bf16") == (case.option("dtype") or "bf16")]
        if not alike:
            return ""
        words = [word for word in alike[0].options if not word.startswith(("--inputs=", "--tolerance="))]
        key = (case.kernel, *words)
        if key not in self.errors:
            done = subprocess.run([kiln, "run", case.kernel, *words, "--random-seed=1", "--reference"], capture_output=True,
                                  text=True)
            found = re.findall(r"^  \S+(?: +\S+){3} +(\S+) +ok$", done.stdout, re.M)
            if done.returncode != 0 or not found:
                sys.exit(f"{' '.join(key)}: {done.stdout[-500:]} {done.stderr}")
            self.errors[key] = f"{max(map(float, found)):.1e}"
        return self.errors[key]

    def cells(self, kiln, case):
        cells, self.compiling = [str(self.lines_of(case.kernel)), self.error_of(kiln, case)], []
        for target in self.TARGETS:
            found = profile(kiln, case, target)
            if not found:
                cells += ["", "", ""]
                continue
            time = found["makespan_ns"]
            cells += [f"{time / 1000:.1f}", f"{found['roofline_ns'] / time:.3f}", f"{found['lower_bound_ns'] / time:.3f}"]
            self.compiling.append(found.get("cores", [found])[0]["compile_ms"])
        return cells

    def is_shown(self, cells):
        return True


class NextGeneration:
    """docs/targets.md: the time on trn3 and on the target of a file."""
    KIND, TARGETS = "timed", ["trn3", root / "docs/targets/next_generation.target"]
    HEAD = ["kernel", "trn3, µs", "next generation, µs"]

    def cells(self, kiln, case):
        return [f"{profile(kiln, case, target)['makespan_ns'] / 1000:.1f}" for target in self.TARGETS]

    def is_shown(self, cells):
        return True


class QueueOrders:
    """docs/timing.md: the time with queues in arrival order and with shared queues, where they differ."""
    KIND, TARGETS = "timed", ["trn1", "trn2", "trn3"]
    HEAD = ["kernel", *TARGETS]
    LEAST = 0.5 # Per cent.

    def cells(self, kiln, case):
        with tempfile.TemporaryDirectory() as work:
            shared = Path(work) / "shared.machine"
            shared.write_text("dma_queues_share = true\n")
            cells = []
            for target in self.TARGETS:
                found = [profile(kiln, case, target, *options) for options in ([], ["--machine", shared])]
                cells.append("; ".join(f"{each['makespan_ns'] / 1000:#.4g}".rstrip(".") for each in found if each))
            return cells

    def is_shown(self, cells):
        times = [[float(time) for time in cell.split("; ")] for cell in cells if cell]
        return any(abs(own - shared) >= own * self.LEAST / 100 for own, shared in times)


TABLES = {"performance.md": Performance, "targets.md": NextGeneration, "timing.md": QueueOrders}


def line(cells):
    return "| " + " | ".join(cells) + " |"


def lines_of_table(text, head):
    """The rows of the page's table, and where it is."""
    found = re.search(rf"^{re.escape(line(head))}\n.*?\n(?=\n)", text, re.M | re.S)
    if not found:
        sys.exit(f"no table begins with {line(head)}")
    rows = re.findall(r"^\| `([^`]+)` \|(.*)\|$", found[0], re.M)
    return {label: [cell.strip() for cell in cells.split("|")] for label, cells in rows}, found.span()


def agree(said, now):
    pairs = list(zip(*(map(float, re.findall(NUMBER, cell)) for cell in (said, now))))
    return len(re.findall(NUMBER, said)) == len(re.findall(NUMBER, now)) and all(
        abs(a - b) <= TOLERANCE * b for a, b in pairs)


def check(kiln, page, table, rows):
    told, _ = lines_of_table(page.read_text(), table.HEAD)
    failures = [f"no kernel declares '{label}'" for label in told if label not in [case.label for case in rows]]
    for case in rows:
        cells = table.cells(kiln, case)
        if case.label not in told:
            if table.is_shown(cells):
                failures.append(f"there is no row for '{case.label}', which is {line(cells)}")
        elif len(told[case.label]) != len(cells) or not all(map(agree, told[case.label], cells)):
            failures.append(f"{case.label}: the page says {line(told[case.label])}, it is {line(cells)}")
    for failure in failures:
        print(f"{page.name}: {failure}")
    print(f"{len(told)} rows" + (f"; test/perf/table.py KILN --write docs/{page.name} updates them" if failures else " are true"))
    return 1 if failures else 0


def main(kiln, option=None, page="performance.md"):
    table = TABLES[Path(page).name]()
    rows = cases.all_cases(root / "kernels", table.KIND)
    if option == "--check":
        return check(kiln, Path(page), table, rows)
    lines = [line(table.HEAD), line(["---"] * len(table.HEAD))]
    for case in rows:
        cells = table.cells(kiln, case)
        if table.is_shown(cells):
            lines.append(line([f"`{case.label}`", *cells]))
        if not option:
            print(lines[-1], "compiled in", ", ".join(f"{ms:.0f} ms" for ms in table.compiling), flush=True)
    if option == "--write":
        text = Path(page).read_text()
        _, (begin, end) = lines_of_table(text, table.HEAD)
        Path(page).write_text(text[:begin] + "\n".join(lines) + "\n" + text[end:])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
