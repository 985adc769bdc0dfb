#!/usr/bin/env python3
"""kernel_pages.py KILN OUT [--no-times] [KERNEL...]: a page for each kernel of the library, and an index.

OUT/KERNEL.md has what the kernel computes, its equation, its parameters and tensors, what it takes at a real size, what
binds it, and its limits. The text is that of the kernel's README.md and of its header, the parameters are those of
`kiln list`, and the times are those of `kiln profile`, unless --no-times leaves them out. Fails if a page lacks a section.
"""
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(root / "test/perf"), str(root / "test/kernels")]
import table

SECTIONS = ["Equation", "Parameters", "Time", "Limits", "Notes"]
TARGETS = ["trn1", "trn2", "trn3"]


def comment_of(header):
    """The comment above the struct whose members are the parameters."""
    found = re.search(r"((?:^///.*\n)+)(?:template .*\n)?struct \w+ \{\n  BOOST_HANA_DEFINE_STRUCT|"
                      r"((?:^///.*\n)+)template <class \w+> struct \w+ \{\n  BOOST_HANA_DEFINE_STRUCT", header, re.M)
    text = next(filter(None, found.groups()), "") if found else ""
    return re.sub(r"^/// ?", "", text, flags=re.M).strip()


def limits_of(folder, readme):
    """What the kernel demands (`require`), and what its note says of limits."""
    own = "".join(path.read_text() for path in sorted(folder.glob("*.h")))
    demands = re.findall(r'require\(\s*(?:[^;"]|\([^;"]*\))*?,\s*((?:"[^"]*"\s*)+),', own)
    texts = ["".join(re.findall(r'"([^"]*)"', demand)) for demand in demands]
    lines = ["The kernel checks its parameters. It refuses some with these words:", "",
             *(f'* "{text}"' for text in dict.fromkeys(texts)), ""] if texts else []
    lines += [f"{part[0].upper()}{' '.join(part.split())[1:]}\n" for part in re.findall(r"^Limits: (.*?)(?:\n\n|\Z)", readme, re.M | re.S)]
    return [*lines, "What does not fit into the memory of the chip is an error of the compiler (KILN-C101)."]


def times_of(kiln, kernel):
    """A row for each target that has what the kernel needs, at the last size that is measured."""
    folder, = root.glob(f"kernels/*/{kernel}")
    measured = table.cases.read(folder, "measured") or table.cases.read(folder, "timed")
    case, rows = measured[-1], []
    for target in TARGETS:
        try:
            found = table.profile(kiln, case, target)
        except SystemExit as error: # What the compiler says.
            code = re.search(r"KILN-[A-Z]\d+", str(error))
            if not code or target in table.Performance.TARGETS:
                raise
            rows.append(f"| {target} | does not fit ({code[0]}) | | | | |")
            continue
        if not found:
            rows.append(f"| {target} | refused: the target lacks what the kernel needs | | | | |")
            continue
        core = found["cores"][found["busiest"]] if "cores" in found else found
        makespan = found["makespan_ns"]
        mfu = f"{100 * core['mfu']:.1f} %" if core["matmul_flops"] else "-"
        rows.append(f"| {target} | {makespan / 1000:.1f} | {mfu} | {100 * core['mbu']:.1f} % | "
                    f"{core['bound_by']} {100 * found['lower_bound_ns'] / makespan:.0f} % | "
                    f"{100 * found['roofline_ns'] / makespan:.1f} % |")
    return [f"`{case.label}`:", "", "| target | time, µs | MFU | HBM | bound by | roofline |", "| --- | --- | --- | --- | --- | --- |",
            *rows, "", "The lower bound and the roofline are shares of the time: see [profile.md](PROFILE)."]


def page_of(kiln, folder, sections):
    kernel, readme = folder.name, (folder / "README.md").read_text()
    listed = subprocess.run([kiln, "list", kernel], capture_output=True, text=True, check=True).stdout.splitlines()
    profile = root / "docs/profile.md"
    note = readme.split("\n", 1)[1].strip()
    note = re.sub(r"\]\((?!https?:|#)([^)]+)\)", lambda found: f"]({(folder / found[1].split('#')[0]).resolve()}"
                  + ("#" + found[1].split("#")[1] if "#" in found[1] else "") + ")", note)
    parts = {"Equation": comment_of((folder / "kernel.h").read_text()),
             "Parameters": "\n".join(["```text", *(line.strip() for line in listed[1:]), "```"]) if len(listed) > 1 else "",
             "Time": "\n".join(times_of(kiln, kernel)).replace("PROFILE", str(profile)) if "Time" in sections else "",
             "Limits": "\n".join(limits_of(folder, readme)), "Notes": note}
    summary = listed[0].split(": ", 1)[1]
    lacking = [name for name in sections if not parts[name].strip()] + ([] if summary else ["a summary"])
    text = f"# {kernel}\n\n{summary[0].upper()}{summary[1:]}.\n"
    return text + "".join(f"\n## {name}\n\n{parts[name]}\n" for name in sections), summary, lacking


def main(kiln, out, *kernels):
    sections = [name for name in SECTIONS if name != "Time" or "--no-times" not in kernels]
    kernels = [name for name in kernels if name != "--no-times"]
    out, failures, index = Path(out), [], ["# Kernels of the library", "", "| kernel | what it computes |", "| --- | --- |"]
    failures += [f"there is no kernel {name}" for name in kernels if not list(root.glob(f"kernels/*/{name}/kernel.h"))]
    out.mkdir(parents=True, exist_ok=True)
    for folder in table.cases.folders(root / "kernels"):
        if kernels and folder.name not in kernels:
            continue
        text, summary, lacking = page_of(kiln, folder, sections)
        failures += [f"{folder.name} has no {name}" for name in lacking]
        (out / f"{folder.name}.md").write_text(text)
        index.append(f"| [{folder.name}]({folder.name}.md) | {summary} |")
    (out / "index.md").write_text("\n".join(index) + "\n")
    for failure in failures:
        print(failure)
    print(f"{len(index) - 4} pages in {out}")
    return 1 if failures or len(index) == 4 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
