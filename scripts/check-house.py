#!/usr/bin/env python3
"""Checks the rules of the house that no compiler checks; run by ctest.

  * include rules between the folders (docs/seams.md), and between the rooms of
    the compiler (docs/rationale.md)
  * length of files, licence banner with the file's name
  * every error code in the sources has a page, every page a code, and the
    index docs/errors/README.md lists them all (--write-index makes it)
  * every page says what its code means, who is at fault, shows the message with
    the code, and says how to fix it
  * every pass has a test and a test of its errors in test/lit, which expects
    one, or says "This pass refuses nothing" and is right; docs/remarks.md
    lists its remarks, which a test has each, and the steps of the pipeline in
    their order
  * no path of one machine in a tracked file
  * every folder with sources is in a table of docs/rationale.md, every folder
    of tests in docs/testing.md
  * every problem of the compiler cites where it comes from
  * a test runs the commands of every page that shows some
  * the flagship's step is no longer than the paper's algorithm, and no function
    of a kernel is long, by limits
"""
import itertools
import posixpath
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ERRORS = ROOT / "docs" / "errors"
CODE = re.compile(r"KILN-[A-Z]\d{3}\b")
SOURCES = (".cpp", ".h", ".td", ".inc")
MAX_LINES = 500
PARTS = ["What it means", "At fault", "Example", "How to fix it"]  # of a page in docs/errors

# file -> a function of it and the most lines that it may have
BODIES = {"kernels/attention/flash_attention/kernel.h": ("attend", 30)}
MOST_OF_A_KERNEL = 60  # lines of a function in a header of a kernel

# folder -> what it must not include
TOOLS = "profile|tool|trial|tune"
FORBIDDEN = {
    "isa/include": rf"(mlir|llvm|kiln/(sim|compiler|dsl|program|{TOOLS}))",
    "isa/lib": rf"(mlir|llvm|kiln/(sim|compiler|dsl|program|{TOOLS}))",
    # The model of time needs the standard library only.
    "isa/include/kiln/machine": "(fmt|absl|nlohmann)",
    "isa/lib/machine": "(fmt|absl|nlohmann)",
    # The generators make what kiln/isa and kiln/machine are built from.
    "isa/tblgen": rf"(mlir|kiln/(isa|machine|sim|compiler|dsl|program|{TOOLS}))",
    "dsl": rf"(mlir|llvm|fmt|absl|nlohmann|kiln/(sim|compiler|{TOOLS}))",
    "runtime-sim": rf"(mlir|llvm|kiln/(compiler|dsl|program|{TOOLS}))",
    # Rooms of the executor: values, meetings, checks and time know nothing of the order that drives them.
    "runtime-sim/lib/kernels": "(checks|function|peers|schedule|timing)",
    "runtime-sim/lib/function": "(checks|peers|schedule|timing)",
    "runtime-sim/lib/peers": "(checks|schedule|timing)",
    "runtime-sim/lib/checks": "(function|kernels|schedule|timing)",
    "runtime-sim/lib/timing": "(checks|function|kernels|schedule)",  # Time never touches values.
    "runtime-sim/lib/schedule": "timing",
    "kernels": rf"(mlir|llvm|kiln/(compiler|sim|{TOOLS}))",
    "compiler": rf"kiln/(sim|{TOOLS})",
    # The tools' libraries: what is shared knows none of them; the profile sees binaries and runs, never programs or IR.
    "tools/support": "(mlir|kiln/(compiler|dsl|program|sim|profile|trial|tune))",
    "tools/profile": "(mlir|llvm|kiln/(compiler|dsl|program|tool|trial|tune))",
    "tools/trial": "(mlir|llvm|kiln/(profile|tune))",
    "tools/tune": "(mlir|llvm|kiln/(compiler|dsl|program|sim|profile|tool|trial))",
    "tools/kiln": "mlir",  # One call of the compiler, never its IR.
    "tools/kiln-opt": "kiln/(sim|profile|tool|trial|tune)",
}
# Headers of the standard library that take a compiler as long as the language does; kernels/support has what kernels need of
# them. A kernel that has a reason says it beside the include.
SLOW_HEADERS = {"algorithm", "cmath", "functional", "map", "numeric", "string", "thread", "vector"}
SLOW_REASON = re.compile(r"#\s*include <\w+> +// Slow: .+\.$")
# Folders as their headers name them.
PACKAGES = {"runtime-sim/": "kiln/sim/", "compiler/": "kiln/compiler/", "dsl/": "kiln/dsl/", "tools/support/": "kiln/tool/",
            "tools/": "kiln/"}

# Rooms of compiler/lib and compiler/include/kiln/compiler -> rooms that they must not include.
# What proves an answer knows nothing of what found it.
ROOMS = {
    "support": "dialect|problem|solve|prove|transform|convert|pipeline",
    "problem": "dialect|solve|prove|transform|convert|pipeline",
    "solve": "dialect|prove|transform|convert|pipeline",
    "prove": "solve|convert|pipeline",
    "dialect": "problem|solve|prove|transform|convert|pipeline",
    "transform": "convert|pipeline",
    "convert": "pipeline",
}
# Problems, solvers and the proof of streams are tested without a front end.
WITHOUT_MLIR = re.compile(r"compiler/(lib|include/kiln/compiler)/(support|problem|solve|prove/(streams|sync))/")


def tracked():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                         capture_output=True, text=True)
    if out.returncode != 0:  # A source archive has no history.
        return [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*")
                if p.is_file() and "build" not in p.relative_to(ROOT).parts[:1]]
    return [f for f in out.stdout.split("\n") if f and (ROOT / f).is_file()]


def included(name, line):
    """What the line of a file includes: as it is written, from the root of headers that it is under, and as the library
    that it belongs to names it. Nothing for other lines."""
    header = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
    if not header:
        return []
    names = [header[2]]
    if header[1] == '"':
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), header[2]))
        names.append(re.sub(r"^.*/include/|^(compiler|runtime-sim)/lib/", "", path))
        names += [path.replace(folder, package, 1) for folder, package in PACKAGES.items() if path.startswith(folder)][:1]
    return names


def include_problems(name, text):
    """Includes against the rules, as (line, what is wrong)."""
    forbidden = [(folder + "/", pattern) for folder, pattern in FORBIDDEN.items()
                 if name.startswith(folder + "/")]
    room = re.match(r"compiler/(?:lib|include/kiln/compiler)/(\w+)/", name)
    if room and room[1] in ROOMS:
        forbidden.append((f"the room {room[1]} of the compiler", rf"(kiln/compiler/)?({ROOMS[room[1]]})"))
    if WITHOUT_MLIR.match(name):
        forbidden.append(("what is tested without a front end", "(mlir|llvm)"))
    for number, line in enumerate(text.split("\n"), 1):
        if name.startswith("runtime-sim/lib/") and re.match(r"\s*friend (class|struct) ", line):
            yield number, f"a part of the executor must not see another one's insides: {line.strip()}"
        for who, pattern in forbidden:
            if any(re.match(rf"{pattern}[/._]", header) for header in included(name, line)):
                yield number, f"{who} must not include this: {line.strip()}"
        if re.match(r"kernels/(?!include/).*\.h$", name) and SLOW_HEADERS.intersection(included(name, line)) \
                and not SLOW_REASON.match(line):
            yield number, f"takes as long to compile as the language, see kernels/support: {line.strip()}"


def remark_problems(sources, page, lit):
    """What passes remark on against docs/remarks.md and the tests; `sources` and `lit` are (name, text)."""
    made = {}
    for name, text in sources:
        if owner := re.search(r'\bRemarks\s+(\w+)\("([\w-]+)"\)', text):
            stem = Path(name).stem
            if owner[1] != (wanted := stem[0].lower() + stem[1:] + "Remarks"):
                yield f"{name}: call its remarks {wanted}: files are compiled in groups"
            for kind, remark in re.findall(owner[1] + r'\s*\.(passed|missed|analysis)\([^;]*?"(\w+)"\)', text):
                made[owner[2], remark] = (kind, name)
    listed = {}
    for names, owner, kinds in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| `([\w-]+)` \| ([\w, ]+) \|", page, re.M):
        for remark, kind in zip(re.findall(r"\w+", names), re.findall(r"\w+", kinds) * 2):
            listed[owner, remark] = kind
    tested = {(owner, remark) for _, text in lit
              for remark, owner in re.findall(r"REMARK.*: remark: \[\w+\] (\w+) \| Category:([\w-]+)", text)}
    for key, (kind, name) in sorted(made.items()):
        if listed.get(key) != kind:
            yield f"{name}: docs/remarks.md does not list {key[1]} of {key[0]} as {kind}"
        if key not in tested:
            yield f"{name}: no test in test/lit has the remark {key[1]} of {key[0]}"
    for owner, remark in sorted(set(listed) - set(made)):
        yield f"docs/remarks.md: {owner} never remarks on {remark}"


def pipeline_problems(pipeline, page):
    """The steps of the pipeline's source against their table in docs/remarks.md, and that against the remarks."""
    steps = re.findall(r'\badd(?:Optional)?\(\s*"([\w-]+)"', pipeline)
    rows = re.findall(r"^\| `([\w-]+)` \| [^|]+ \| (yes|no) \|$", page, re.M)
    for number, (step, row) in enumerate(itertools.zip_longest(steps, [name for name, _ in rows]), 1):
        if step != row:
            yield f"docs/remarks.md: step {number} of the pipeline is {step}, not {row}"
            break
    owners = set(re.findall(r"^\| `\w+`(?:, `\w+`)* \| `([\w-]+)` \|", page, re.M))
    for name, says in rows:
        if (says == "yes") != (name in owners):
            yield f"docs/remarks.md: {name} {'has' if name in owners else 'has no'} remarks, and its row says {says}"


def pass_problems(definitions, names):
    """Passes of the .td files (name, text) without their two tests among the names of files."""
    for file, text in definitions:
        for found in re.findall(r'\bPass<"([\w-]+)"', text):
            test = re.sub(r"^(nc|tile)-", "", found)
            for wanted in (f"{test}.mlir", f"{test}-errors.mlir"):
                if not any(name.startswith("test/lit/") and name.endswith(f"/{wanted}") for name in names):
                    yield f"{file}: the pass {found} has no test test/lit/*/{wanted}"


def error_test_problems(definitions, sources, lit):
    """Tests of errors that name no error. A pass that refuses nothing says so in its test, and its source never fails."""
    expects = re.compile(r"expected-(error|warning)|\berror: |\bKILN-[A-Z]\d{3}\b")
    owners = {macro: (name, text) for name, text in sources for macro in re.findall(r"#define GEN_PASS_DEF_(\w+)", text)}
    passes = {re.sub(r"^(nc|tile)-", "", found): owners.get(record.upper())
              for _, text in definitions for record, found in re.findall(r'^def (\w+)\s*: Pass<"([\w-]+)"', text, re.M)}
    for name, text in lit:
        if not name.endswith("-errors.mlir") or expects.search(text):
            continue
        owner = passes.get(Path(name).name.removesuffix("-errors.mlir"))
        if not re.search(r"^// This pass refuses nothing\.$", text, re.M):
            yield f"{name}: expects no error, and does not say '// This pass refuses nothing.'"
        elif not owner:
            yield f"{name}: no pass has this name"
        elif found := re.search(r"\b(emitError|emitOpError|emitWarning|signalPassFailure)\b", owner[1]):
            yield f"{name}: {owner[0]} has {found[1]}, so this pass refuses something"


def folder_problems(names, rationale, testing):
    """Folders with sources that no table of docs/rationale.md names. The tables of the compiler and of the executor name
    rooms below their libraries, each by itself; elsewhere a folder around it is enough. docs/testing.md names those of tests."""
    named = {name.rstrip("/") for cell in re.findall(r"^\| (`[^|]*`) \|", rationale, re.M) for name in re.findall(r"`([^`]+)`", cell)}
    for folder in sorted({posixpath.dirname(name) for name in names if name.endswith(SOURCES + (".py", ".sh", ".js", ".css"))}):
        room = re.match(r"(?:compiler/(?:lib|include/kiln/compiler)|runtime-sim/lib)/(.+)", folder)
        if test := re.match(r"test/\w+", folder):
            if f"`{test[0]}" not in testing:
                yield f"{folder}: docs/testing.md does not say what it holds"
            continue
        if room:
            known = any(name == room[1] or name.startswith(room[1] + "/") for name in named)
        else:
            path = re.sub(r"^kernels/(?!support|include)\w+(/\w+)?$",
                          lambda match: "kernels/FAMILY" + "/KERNEL" * bool(match[1]), folder)
            known = any(path == name or path.startswith(name + "/") for name in named)
        if not known and not folder.startswith("docs/"):  # There are the programs of pages.
            yield f"{folder}: no table of docs/rationale.md says what it holds"


def citation_problems(name, text):
    """A problem of the compiler whose header cites nothing: a citation ends with a year."""
    if re.match(r"compiler/include/kiln/compiler/problem/(?!Common)\w+\.h$", name):
        comment = "\n".join(itertools.takewhile(lambda line: line.startswith("//"), text.split("\n")))
        if not re.search(r"\b(19|20)\d\d\b", comment):
            yield f"{name}: its first comment cites no literature"


def command_problems(pages, tests):
    """Pages (name, text) with blocks of commands that test/house/CMakeLists.txt does not name. It finds notes of kernels itself,
    and test/lessons the tutorial; blocks of error pages are compared by error_pages.py."""
    for name, text in pages:
        if not re.match(r"(docs/(errors|tutorial)|kernels/\w+)/", name) and re.search(r"^```(sh|console)$", text, re.M) \
                and not re.search(rf"\b{re.escape(Path(name).stem)}\b", tests):
            yield f"{name}: no test runs its commands"


def long_functions(text):
    """Where functions begin that are too long, at the margin or in a struct, and their lines."""
    lines = text.split("\n")
    for margin in "", "  ":
        first = None
        for number, line in enumerate(lines, 1):
            if line == margin + "}":
                if first and number - first + 1 > MOST_OF_A_KERNEL:
                    yield first, number - first + 1
                first = None
            elif re.match(margin + r"[\w:~]", line) and (not first or re.search(r"[;{}]$|^$", lines[number - 2])):
                first = number if "(" in line and not re.match(margin + r"((struct|class|namespace|enum)\b|[A-Z_]+\()", line) else None


def source_problems(name, text):
    """What is wrong with one file of the tree."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"(?<![\w./-])/(home|root|work)/\w", line):
            yield f"{name}:{number}: a path of one machine: {line.strip()[:80]}"
    suffix = Path(name).suffix
    if suffix not in SOURCES:
        return
    length = text.count("\n")
    if length > MAX_LINES:
        yield f"{name}: {length} lines, at most {MAX_LINES}: one concept per file"
    if suffix in (".cpp", ".h", ".td") and "/compile/" not in name and "SPDX-License-Identifier" not in text[:700]:
        yield f"{name}: no licence banner at the top"
    if suffix in (".cpp", ".h", ".td") and (banner := re.match(r"//===- (\S+)", text)) and banner[1] != Path(name).name:
        yield f"{name}: the first line names {banner[1]}"
    yield from citation_problems(name, text)
    if name in BODIES:
        function, most = BODIES[name]
        body = re.search(rf"^  void {function}\(.*?^  }}\n", text, re.M | re.S)
        if not body or body[0].count("\n") > most:
            yield f"{name}: {function} has {body[0].count(chr(10)) if body else 'no'} lines, at most {most}"
    if re.match(r"kernels/\w+/(?!include)[\w/]+\.h$", name) and not name.endswith("/reference.h"):
        for number, lines in long_functions(text):
            yield f"{name}:{number}: a function of {lines} lines, at most {MOST_OF_A_KERNEL}: what makes it longer belongs in a function of its own"
    for number, wrong in include_problems(name, text):
        yield f"{name}:{number}: {wrong}"


def parts_problem(code, text):
    """A page has the four parts in order, and its example ends with a message that carries the code."""
    if not text.startswith(f"# {code}: "):
        return f"the first line is not '# {code}: meaning'"
    parts = re.split(r"^\*\*([^*\n]+)\.\*\*", text, flags=re.M)
    names, texts = parts[1::2], parts[2::2]
    if names not in (PARTS, PARTS + ["See also"]):
        return f"has the parts {', '.join(names)}; it must have {', '.join(PARTS)}, and may have See also"
    if not re.search(rf"```text\n[^`]*\b{code}\b[^`]*```\s*$", texts[2]):
        return f"the example does not end with a block of text that holds the message and {code}"
    return None


def page_problems(codes, pages):
    """Codes in the sources (code -> file) against the pages (code -> text)."""
    for code, name in sorted(codes.items()):
        if code not in pages:
            yield f"{name}: {code} has no page docs/errors/{code}.md"
    for code, text in sorted(pages.items()):
        if code not in codes:
            yield f"docs/errors/{code}.md: no source uses this code"
        if problem := parts_problem(code, text):
            yield f"docs/errors/{code}.md: {problem}"


def index_text():
    lines = ["# Errors", "",
             "Every error that Kiln reports has a code, and every code has a page. The page says what the error means, what is at",
             "fault, and how to fix it. It shows an example with the message.", "",
             "The examples show only the lines that matter. C++ code is the body of a kernel that begins at line 12 of `user.cpp`. Its",
             "arguments are `x` (`f32[256, 512]`), `n` (`i32[1, 8]`) and the output `y` (`f32[256, 512]`). Assembly follows four lines",
             "that are not shown: `.kernel`, `.target trn2`, and the tensors `x` and `y` (`f32[128, 512]`). In examples that run, it",
             "follows three lines, and the only tensor is `y` (`f32[1, 16]`). `test/house/error_pages.py` compares the messages with",
             "what `kiln` prints.",
             "", "| code | meaning |", "|---|---|"]
    for page in sorted(ERRORS.glob("KILN-*.md")):
        title = page.read_text().split("\n", 1)[0].lstrip("# ")
        lines.append(f"| [{page.stem}]({page.name}) | {title.split(':', 1)[-1].strip()} |")
    return "\n".join(lines) + "\n"


def index_problems(index):
    """The index docs/errors/README.md, as text or None, against the pages."""
    if index != index_text():
        yield "docs/errors/README.md is not what scripts/check-house.py --write-index writes"


def check():
    problems = []
    files = tracked()
    codes = {}
    for name in files:
        path = ROOT / name
        if path.suffix not in SOURCES + (".py", ".md", ".txt", ".cmake", ".sh", ""):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        problems += source_problems(name, text)
        if path.suffix in SOURCES and not name.startswith("test/"):
            for code in CODE.findall(text):
                codes.setdefault(code, name)
    problems += page_problems(codes, {page.stem: page.read_text() for page in ERRORS.glob("KILN-*.md")})
    transforms = [(f, (ROOT / f).read_text()) for f in files if re.match(r"compiler/lib/(transform|convert|prove)/.*\.cpp$", f)]
    lit = [(f, (ROOT / f).read_text()) for f in files if f.startswith("test/lit/") and f.endswith(".mlir")]
    problems += remark_problems(transforms, (ROOT / "docs/remarks.md").read_text(), lit)
    problems += pipeline_problems((ROOT / "compiler/lib/pipeline/Pipeline.cpp").read_text(),
                                  (ROOT / "docs/remarks.md").read_text())
    problems += folder_problems(files, (ROOT / "docs/rationale.md").read_text(), (ROOT / "docs/testing.md").read_text())
    problems += command_problems([(f, (ROOT / f).read_text()) for f in files if f.endswith(".md")],
                                 (ROOT / "test/house/CMakeLists.txt").read_text())
    definitions = [(f, (ROOT / f).read_text()) for f in files if f.endswith("/Passes.td")]
    problems += pass_problems(definitions, files)
    problems += error_test_problems(definitions, [(f, (ROOT / f).read_text()) for f in files
                                                  if re.match(r"compiler/lib/(transform|convert|prove)/.*\.cpp$", f)], lit)
    index = ERRORS / "README.md"
    problems += index_problems(index.read_text() if index.exists() else None)
    return problems


if __name__ == "__main__":
    if "--write-index" in sys.argv[1:]:
        (ERRORS / "README.md").write_text(index_text())
        sys.exit(0)
    found = check()
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else "the house is in order")
    sys.exit(1 if found else 0)
