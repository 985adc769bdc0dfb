"""manual.py DOCS TD...: the manual's page of each dialect has every operation.

DOCS is the build's folder with tile.md and nc.md; TD are all files that may define operations. The headings of a page are
compared with the definitions in these files.
"""
import re
import sys
from pathlib import Path


def problems(dialect, page, definitions):
    """The page's headings against the operations in the texts of the .td files."""
    shown = re.findall(rf"^### `{dialect}\.(\w+)`", page, re.M)
    wanted = [name for text in definitions
              for name in re.findall(rf'^def {dialect.capitalize()}_\w+Op\s*:\s*\w+Op<"(\w+)"', text, re.M)]
    if not wanted:
        yield f"{dialect}: no operation is defined"
    for name in sorted(set(wanted) - set(shown)):
        yield f"{dialect}.md has no heading for {dialect}.{name}"
    for name in sorted(set(shown) - set(wanted)):
        yield f"{dialect}.md: {dialect}.{name} is defined nowhere"
    if len(shown) != len(set(shown)):
        yield f"{dialect}.md has an operation twice"


def main(docs, *files):
    definitions = [Path(file).read_text() for file in files]
    found, count = [], 0
    for dialect in ("tile", "nc"):
        page = (Path(docs) / f"{dialect}.md").read_text()
        found += problems(dialect, page, definitions)
        shortened = re.sub(rf"^### `{dialect}\.\w+`", "###", page, count=1, flags=re.M)
        if not found and len(list(problems(dialect, shortened, definitions))) != 1:
            found.append(f"{dialect}: an operation is left out, and not missed")
        count += page.count(f"\n### `{dialect}.")
    print("\n".join(found) or f"the manual has all {count} operations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
