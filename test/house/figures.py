"""figures.py LIST ROOT WORK BIN...: every figure in the text of a page comes from somewhere.

A figure is a number with a unit of time, of memory, of energy, of power, per cent, or a number of times, of products or of
lines, outside of code. Rows, columns, keys and the like are sizes that a page chooses.
LIST (figures.txt) has an entry for each of each page, below the source that it
comes from:

  run COMMAND        it is in what COMMAND prints. FIGURE | TEXT: TEXT is there and
                     ends with the figure, perhaps in another unit.
  machine            FIGURE | PARAMETER: a value of isa/td/Target.td.
  computed           FIGURE | EXPRESSION.
  file PATH          FIGURE | TEXT: the file has TEXT, from which it follows.
  test NAME          the test of that name compares it, or keeps it.
  published DOCUMENT a document says it, which isa/td/Target.td or the page names.
  rows COLUMN        FIGURE | ROW / ROW: the quotient of that column's cells in a table of the page.
  measured "WORDS"   on a host: the page says how far off it may be, in these words.

`tables HEADING` stands for all figures in tables of that part of the page, `tables` for those of
all parts, and `all` for all that no other entry has. What is measured stands in a table, or is named. Numbers may be 2 per cent off, or rounded as shown. An
entry without its figure on the page is a mistake, too.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

LIST, ROOT, WORK = (Path(argument) for argument in sys.argv[1:4])
BINARIES = [str(Path(argument).resolve()) for argument in sys.argv[4:]]
BLOCK = re.compile(r"^( *)```([^\n`]*)\n(.*?)^ *```\s*?$", re.S | re.M)
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "seconds": 1e9, "%": .01, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
         "pJ": 1, "uJ": 1e6, "mJ": 1e9, "J": 1e12, "mW": 1e-3, "W": 1, "times": 1, "products": 1, "lines": 1}
NUMBER = r"\d+(?:\.\d+)?"
FIGURE = re.compile(rf"(?<![\w.,]){NUMBER} (?:{'|'.join(UNITS)})(?!\w)")
# In a list, all numbers have the unit of the last one: 1, 2 and 3 ms.
LISTED = re.compile(rf"(?<![\w.,])({NUMBER})(?=(?:, {NUMBER})*,? (?:and|or|to) {NUMBER} ({'|'.join(UNITS)})(?!\w))")


def figures_of(text):
    plain = re.sub(r"`[^`\n]*`|\(http[^)]*\)", " ", BLOCK.sub(" ", text)).replace("µ", "u").replace("\n", " ")
    plain = re.sub(r" +", " ", plain)
    return FIGURE.findall(plain) + [f"{number} {unit}" for number, unit in LISTED.findall(plain)]


def tables_of(page, heading):
    """Of one part, or of all."""
    part = re.split(r"^#+ ", page.split(f"# {heading}\n", 1)[1], flags=re.M)[0] if heading else page
    return figures_of("\n".join(line for line in part.split("\n") if line.startswith("|")))


def value(figure):
    number, unit = figure.split()
    return float(number) * UNITS[unit]


def agree(shown, found):
    """`shown` as it is written."""
    digits = len(shown.partition(".")[2])
    return abs(float(shown) - found) <= max(0.02 * abs(found), 0.5 * 10**-digits)


def same(figure, found):
    """The number of a figure and a number in whatever unit."""
    return any(agree(figure.split()[0], found * 1000**k) for k in (-3, -2, -1, 0, 1, 2, 3))


def printed(text, output):
    """Whether a line of the output has these words, numbers as they agree."""
    def match(a, b):
        return a == b or (re.fullmatch(NUMBER, a) and re.fullmatch(NUMBER, b) and agree(a, float(b)))

    wanted = [word.rstrip(",;:") for word in text.split()]
    for line in output.replace("µ", "u").split("\n"):
        words = [word.rstrip(",;:") for word in line.split()]
        for start in range(len(words) - len(wanted) + 1):
            if all(map(match, wanted, words[start:])):
                return True
    return False


def values_of(parameter):
    """What a parameter is on trn1, trn2 and trn3."""
    records = (ROOT / "isa/td/Target.td").read_text()
    record = re.search(rf'^def {parameter}\s*: (?:Int|Real)<"[^"]*"((?:,[^<>]*)+)>', records, re.M)
    if not record:
        return []
    numbers = re.sub(r"!shl\((\d+), (\d+)\)", lambda m: str(int(m[1]) << int(m[2])), record[1])
    return [float(number) for number in re.findall(NUMBER, numbers)]


def quotient(page, column, rows):
    """Of two cells of a column; None if they are not there."""
    head = re.search(rf"^\|.*\| {re.escape(column)} \|.*$", page.replace("µ", "u"), re.M)
    cells = []
    for row in rows.split(" / "):
        found = re.search(rf"^\| {re.escape(row)} \|.*$", page, re.M)
        if not head or not found:
            return None
        place = [cell.strip() for cell in head[0].split("|")].index(column)
        cells.append(float(found[0].split("|")[place]))
    return cells[0] / cells[1]


def run(command):
    environment = dict(os.environ, PATH=os.pathsep.join([*BINARIES, os.environ["PATH"]]))
    done = subprocess.run(["bash", "-c", command], cwd=WORK, env=environment, capture_output=True, text=True)
    return (done.stdout + done.stderr) if done.returncode == 0 else ""


def holds(kind, argument, figure, text, page, output):
    if kind == "run":
        end = re.findall(NUMBER, text or figure)[-1]
        return printed(text or figure, output) and (not text or same(figure, float(end)))
    if kind == "machine":
        wanted = value(figure)
        return any(abs(wanted - each) <= 0.02 * wanted for v in values_of(text) for each in (v, 1 - v))
    if kind == "computed":
        return agree(figure.split()[0], eval(text, {"__builtins__": {}}))
    if kind == "rows":
        found = quotient(page, argument, text)
        return found is not None and agree(figure.split()[0], found)
    if kind == "file":
        return text in (ROOT / argument).read_text()
    if kind == "test":
        return any(re.search(rf"{re.escape(argument)}(?![\w.-])", path.read_text()) for path in ROOT.glob("test/**/CMakeLists.txt"))
    if kind == "published":
        return f'Document<"{argument}"' in (ROOT / "isa/td/Target.td").read_text() or argument in " ".join(page.split())
    return kind == "measured" and argument.strip('"') in " ".join(page.split())


def main():
    problems, checked, seen = [], 0, {}
    WORK.mkdir(parents=True, exist_ok=True)
    page = kind = argument = output = None
    for number, line in enumerate(LIST.read_text().split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            kind, _, argument = line.partition(" ")
            if kind == "page":
                page = argument
                seen[page] = (figures_of((ROOT / page).read_text()), set())
            output = run(argument) if kind == "run" else ""
            if kind == "measured":  # How far off it may be is no figure of its own.
                seen[page][1].update(figures_of(argument))
            continue
        figure, _, text = (part.strip() for part in line.replace("µ", "u").partition("|"))
        figures, listed = seen[page]
        heading = re.fullmatch(r"tables ?(.*)", figure)
        if figure == "all" and kind == "measured":
            problems.append(f"{LIST.name}:{number}: what is measured is in a table, or has an entry each")
            continue
        if heading or figure == "all":
            there = [float(number) for number in re.findall(NUMBER, output)]
            for figure in tables_of((ROOT / page).read_text(), heading[1]) if heading else figures:
                if figure in listed:
                    continue
                listed.add(figure)
                checked += 1
                if kind == "run" and not any(same(figure, each) for each in there):
                    problems.append(f"{page} says {figure}, but {argument} does not print it")
                if kind != "run" and not holds(kind, argument, figure, "", (ROOT / page).read_text(), output):
                    problems.append(f"{page} says {figure}, but not so {kind} {argument}")
            continue
        listed.add(figure)
        checked += 1
        if figure not in figures:
            problems.append(f"{LIST.name}:{number}: {page} does not say {figure}")
        elif not holds(kind, argument, figure, text, (ROOT / page).read_text(), output):
            problems.append(f"{LIST.name}:{number}: {page} says {figure}, but not so {kind} {argument} {text}")
    for path in sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/tutorial/*.md"),
                        *ROOT.glob("kernels/**/README.md"), *ROOT.glob("test/**/README.md")]):
        name = path.relative_to(ROOT).as_posix()
        _, listed = seen.get(name, (None, set()))
        for figure in dict.fromkeys(figures_of(path.read_text())):
            if figure not in listed:
                problems.append(f"{name} says {figure}, and {LIST.name} does not say where it comes from")
    print("\n".join(problems) or f"{checked} figures of {len(seen)} pages come from somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
