#!/usr/bin/env python3
"""layers.py KILN [--write PAGE | --check PAGE [WORD]]: what each part of a layer takes, in the tables of docs/layers.md.

The kernels declare the layers, in kernels/FAMILY/KERNEL/cases.txt, as `parts` cases. Without a page it prints the tables.
With --write it puts them into the page, from the first heading of a layer on; with --check it fails if the page has other
layers or parts, or a figure that is more than 2 % and more than .005 off. With a word, it times only layers that have it.
"""
import re
import sys
from pathlib import Path

import table

TARGETS = ["trn2", "trn3"]
HEAD = ["part", *(cell for target in TARGETS for cell in (f"{target}, µs", "of it", "MFU", "HBM", "bound by"))]
WHOLE = "all"


def cells(part, makespan):
    time = part["ns"]
    return [f"{time / 1000:.1f}", *(f"{share:.3f}" for share in (time / makespan, part["mfu"], part["hbm_share"])),
            f"{part['bound_by']} {part['bound_ns'] / time:.2f}" if time else "-"]


def rows(kiln, case):
    """The cells of each part; those of another target stay empty where it has no such part."""
    found = {}
    for number, target in enumerate(TARGETS):
        document = table.profile(kiln, case, target)
        core = document["cores"][document["busiest"]] if "cores" in document else document
        makespan = document["makespan_ns"]
        whole = {"ns": makespan, "mfu": core["mfu"], "hbm_share": core["mbu"], "bound_by": core["bound_by"],
                 "bound_ns": core["lower_bound_ns"]}
        for name, part in [*((part["name"], part) for part in core["parts"]), (WHOLE, whole)]:
            row = found.setdefault(name, [""] * 5 * len(TARGETS))
            row[5 * number:5 * number + 5] = cells(part, makespan)
    found[WHOLE] = found.pop(WHOLE) # The last row.
    return found


def text_of(label, found):
    lines = [table.line(HEAD), table.line(["---"] * len(HEAD))]
    lines += [table.line([name, *row]) for name, row in found.items()]
    return f"## `{label}`\n\n" + "\n".join(lines) + "\n"


def told(page):
    """By layer, by part: the cells of the page."""
    layers = {}
    for heading, body in re.findall(r"^## `(.+?)`\n(.*?)(?=^## |\Z)", page.read_text(), re.M | re.S):
        found = [[cell.strip() for cell in row.split("|")[1:-1]] for row in body.splitlines() if row.startswith("| ")]
        layers[heading] = {row[0]: row[1:] for row in found[2:]}
    return layers


def agree(said, now):
    if re.sub(table.NUMBER, "", said) != re.sub(table.NUMBER, "", now):
        return False
    return all(abs(float(a) - float(b)) <= max(table.TOLERANCE * float(b), 0.005)
               for a, b in zip(re.findall(table.NUMBER, said), re.findall(table.NUMBER, now)))


def check(kiln, page, layers, word):
    failures, known = [], told(page)
    labels = [case.label for case in layers]
    failures += [f"the page has the layers {list(known)}, kernels declare {labels}"] if list(known) != labels else []
    for case in layers:
        if word not in case.label:
            continue
        now, said = rows(kiln, case), known.get(case.label, {})
        if list(now) != list(said):
            failures.append(f"{case.label}: the page has the parts {list(said)}, there are {list(now)}")
        failures += [f"{case.label}: the page says {table.line([name, *said[name]])}, it is {table.line([name, *row])}"
                     for name, row in now.items() if name in said and not all(map(agree, said[name], row))]
    for failure in failures:
        print(f"{page.name}: {failure}")
    print("test/perf/layers.py KILN --write docs/layers.md updates it" if failures else f"{len(layers)} layers are true")
    return 1 if failures else 0


def main(kiln, option=None, page=None, word=""):
    layers = table.cases.all_cases(table.root / "kernels", "parts")
    if option == "--check":
        return check(kiln, Path(page), layers, word)
    texts = []
    for case in layers:
        texts.append(text_of(case.label, rows(kiln, case)))
        if not option:
            print(texts[-1], flush=True)
    if option == "--write":
        before = re.split(r"^## `", Path(page).read_text(), maxsplit=1, flags=re.M)[0]
        Path(page).write_text(before + "\n".join(texts))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
