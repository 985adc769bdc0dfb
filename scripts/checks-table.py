#!/usr/bin/env python3
"""Lists every check of Kiln: code, meaning, place, test.

  checks-table.py --write FILE    the table in Markdown (docs/checks.md of the build)
  checks-table.py --check         run by ctest: no code without page, place and test

Nothing is written down twice: meanings are the titles of docs/errors, places
follow from the sources that raise a code, conditions come from isa/td, tests are
the files that name the code.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"KILN-[A-Z]\d{3}\b")
TEXT = (".cpp", ".h", ".inc", ".td", ".py", ".mlir", ".program", ".sh", ".kasm")

# Where the check happens, by the source that raises it: the first that fits.
PLACES = [
    ("dsl/include/kiln/program_", "Program text"),
    ("dsl/lib/program/", "Program text"),
    ("dsl/lib/record/", "recording"),
    ("dsl/include/kiln/", "recording"),
    ("isa/lib/checks/Warnings", "`kiln verify`"),
    ("isa/lib/checks/", "verifier, loader"),
    ("isa/lib/Container", "loader"),
    ("isa/lib/Elf", "loader"),
    ("isa/lib/Encoding", "loader"),
    ("isa/lib/Target", "target file"),
    ("isa/lib/", "assembler"),
    ("compiler/lib/convert/import/", "import"),
    ("compiler/lib/", "compiler"),
    ("runtime-sim/lib/timing/", "time"),
    ("runtime-sim/lib/", "run"),
    ("tools/", "tool"),
]


def files(folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in TEXT and path.is_file():
                yield path.relative_to(ROOT).as_posix(), path.read_text(errors="replace")


def place_of(name):
    return next((place for prefix, place in PLACES if name.startswith(prefix)), None)


def cell(text):
    return text.replace("|", "\\|")


class Table:
    def __init__(self):
        self.places = defaultdict(set)
        self.sources = defaultdict(set)
        self.tests = defaultdict(set)
        for name, text in files(["dsl", "isa/lib", "compiler", "runtime-sim", "tools"]):
            for code in CODE.findall(text):
                self.sources[code].add(name)
                if place := place_of(name):
                    self.places[code].add(place)
        for name, text in files(["test"]):
            for code in CODE.findall(text):
                self.tests[code].add(name)
        self.pages = {page.stem: page.read_text().split("\n", 1)[0].split(": ", 1)[-1]
                      for page in (ROOT / "docs/errors").glob("KILN-*.md")}
        # The checks of records: their words, and the instructions that have them.
        self.conditions = {}
        self.users = defaultdict(list)
        self.compile = []
        for name, text in files(["isa/td"]):
            for check, words in re.findall(r'def : Check<"(\w+)",\s*"((?:[^"\\]|\\.)*)">', text):
                self.conditions[check] = words
            # A record has the checks that it lists itself, or else those of its class.
            of_class = {}
            for record in re.split(r"\n(?=def |class )", text)[1:]:
                found = re.search(r'let Checks = \[(.*?)\]', record, re.S)
                head = re.match(r'(def|class) (\w+)(?:<.*?>)?\s*:\s*(\w+)<(?:"(\w+)")?', record, re.S)
                if not head:
                    continue
                kind, own, parent, mnemonic = head.groups()
                checks = re.findall(r'"(\w+)"', found.group(1)) if found else of_class.get(parent, [])
                if kind == "class":
                    of_class[own] = checks
                elif mnemonic:
                    for check in checks:
                        self.users[check].append(mnemonic)
        for name, text in files(["dsl"]):
            for pieces in re.findall(r'static_assert\([^;]*?((?:"[^"]*"\s*)+)\)', text, re.S):
                words = "".join(re.findall(r'"([^"]*)"', pieces))
                if words.startswith("kiln: "):
                    self.compile.append((words, name))

    def codes(self):
        return sorted(set(self.sources) | set(self.pages))

    def problems(self):
        found = []
        for code in self.codes():
            if code not in self.pages:
                found.append(f"{code} has no page docs/errors/{code}.md")
            if not self.places[code]:
                found.append(f"{code} is raised nowhere")
            if not self.tests[code]:
                found.append(f"{code} has no test: no file in test/ names it")
        for check, words in sorted(self.conditions.items()):
            if not self.users[check]:
                found.append(f"check {check} belongs to no record")
            codes = CODE.findall(words)
            if not codes:
                found.append(f"check {check} names no code")
            found += [f"check {check}: {code} is no code" for code in codes if code not in self.pages]
        found += [f"record {users[0]}: no check is called {check}"
                  for check, users in sorted(self.users.items()) if check not in self.conditions]
        return found

    def text(self):
        lines = ["<!-- Generated by scripts/checks-table.py. -->", "# Checks", "",
                 "Every message with a code: its place is the earliest that can know. \"verifier, loader\" are the rules of the",
                 "instruction set: the compiler asks them of each operation, `kiln verify` and every reader of a `.kbin` of each",
                 "instruction.", "", "| code | meaning | place | tests |", "|---|---|---|---|"]
        for code in self.codes():
            tests = ", ".join(f"`{name.removeprefix('test/')}`" for name in sorted(self.tests[code])) or "none"
            lines.append(f"| {code} | {cell(self.pages.get(code, '?'))} | {', '.join(sorted(self.places[code])) or 'none'} "
                         f"| {tests} |")
        lines += ["", "## Conditions of instructions", "",
                  "| condition | what must hold | instructions |", "|---|---|---|"]
        for check, words in sorted(self.conditions.items()):
            lines.append(f"| `{check}` | {cell(words)} | {', '.join(self.users[check])} |")
        lines += ["", "## Told by the C++ compiler", "",
                  "What is constant is checked before anything runs; such messages carry no code.", "",
                  "| text | source |", "|---|---|"]
        lines += [f"| {cell(words)} | `{name}` |" for words, name in sorted(set(self.compile))]
        return "\n".join(lines) + "\n"


if __name__ == "__main__":
    table = Table()
    if sys.argv[1:2] == ["--write"] and len(sys.argv) == 3:
        Path(sys.argv[2]).write_text(table.text())
        sys.exit(0)
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    found = table.problems()
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else f"{len(table.codes())} codes, each with page, place and test")
    sys.exit(1 if found else 0)
