#!/usr/bin/env python3
"""Compares what Markdown pages quote and link with what is there; run by ctest.

  * A code block whose first line is "```LANGUAGE FILE" is lines of FILE, one
    after the other; how far they are indented does not matter.
  * C++ in README.md and in the notes of kernels/ names its file, or begins with
    "// FILE.cpp" and is a program of its own (test/house/readme.py compiles it).
  * No page holds the marks of a merge, nor, outside of code, a line that is a paragraph: of more than LONGEST columns.
  * Outside of code, a sentence has at most SENTENCE words, and a cell of a table at most CELL.
  * A relative link leads to a file, and its #anchor to a heading of that page.

check-docs.py [ROOT]
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
BLOCK = re.compile(r"^( *)```([^\n`]*)\n(.*?)^ *```\s*?$", re.S | re.M)
LONGEST = 400
SENTENCE, CELL = 42, 33
GENERATED = {"docs/isa.md", "docs/machine.md"}  # made in the build folder


def pages():
    if not (ROOT / ".git").exists():  # A source archive has no history.
        return [page for page in sorted(ROOT.rglob("*.md")) if page.relative_to(ROOT).parts[0] != "build"]
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    return [ROOT / name for name in sorted(set(out.stdout.split("\n"))) if name and (ROOT / name).is_file()]


def stripped(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def quote_problems(name, text):
    for match in BLOCK.finditer(text):
        language, _, source = match.group(2).strip().partition(" ")
        lines = stripped(match.group(3))
        where = f"{name}:{text[:match.start()].count(chr(10)) + 1}"
        if not source:
            own = lines and re.match(r"// \S+\.cpp", lines[0])
            if language == "cpp" and not own and (name == "README.md" or name.startswith("kernels/")):
                yield f"{where}: a C++ block that names no file: start it with ```cpp FILE"
        elif not (ROOT / source).is_file():
            yield f"{where}: quotes {source}, which does not exist"
        else:
            there = stripped((ROOT / source).read_text())
            if not lines or not any(there[i:i + len(lines)] == lines for i in range(len(there))):
                missing = next((line for line in lines if line not in there), "these lines in this order")
                yield f"{where}: {source} has no {missing}"


def anchors(page):
    text = BLOCK.sub("", page.read_text())
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def line_problems(name, text):
    outside = BLOCK.sub(lambda block: "\n" * block.group().count("\n"), text)
    for number, line in enumerate(outside.split("\n"), 1):
        if len(line) > LONGEST:
            yield f"{name}:{number}: a line of {len(line)} columns, at most {LONGEST}: a table holds data, a paragraph has lines"


def word_problems(name, text):
    """Sentences and cells with more words than a reader keeps in mind. The items of a list and what leads to it are apart."""
    outside = BLOCK.sub(lambda block: "\n\n" + "\n" * block.group().count("\n"), text)
    for part in re.split(r"\n[ ]*\n|\n(?= *(?:[*-]|\d+\.) |#|\|)", outside):
        if part.startswith("    "):  # An indented block is code.
            continue
        isRow = part.lstrip().startswith("|")
        most, pieces = (CELL, part.strip().strip("|").split(" | ")) if isRow else \
            (SENTENCE, re.split(r"(?<=[.?!;])[*_)\"]*\s+(?=[A-Z`*(\"\d])", " ".join(part.split())))
        for piece in pieces:
            count = len(re.findall(r"[A-Za-z0-9`]\S*", re.sub(r"\]\([^)]*\)", "]", piece)))
            if count > most:
                yield f"{name}: {count} words in one {'cell' if isRow else 'sentence'}, at most {most}: {piece.strip()}"


def merge_problems(name, text):
    for mark in re.finditer(r"^(<{7}|>{7}) .*$", text, re.M):
        yield f"{name}:{text[:mark.start()].count(chr(10)) + 1}: a merge that was left undone: {mark.group()}"


def link_problems(page, name, text):
    for match in re.finditer(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group()), BLOCK.sub(
            lambda m: "\n" * m.group().count("\n"), text))):
        target, _, anchor = match.group(1).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        to = (page.parent / target).resolve() if target else page
        if to.is_relative_to(ROOT) and to.relative_to(ROOT).as_posix() in GENERATED:
            continue
        if not to.exists():
            yield f"{name}: links to {target}, which does not exist"
        elif anchor and anchor not in anchors(to):
            yield f"{name}: links to {match.group(1)}, but no heading there is #{anchor}"


def check():
    problems = []
    for page in pages():
        name, text = page.relative_to(ROOT).as_posix(), page.read_text()
        problems += line_problems(name, text)
        problems += word_problems(name, text)
        problems += merge_problems(name, text)
        problems += quote_problems(name, text)
        problems += link_problems(page, name, text)
    return problems


if __name__ == "__main__":
    found = check()
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else "pages quote and link what is there")
    sys.exit(1 if found else 0)
