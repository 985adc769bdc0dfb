"""planted.py SCRIPTS WORK: pages that are wrong in one place each.

scripts/check-docs.py and readme.py must refuse each of them, and accept the
page without the mistake. So must scripts/check-house.py for remarks of passes,
for the steps of the pipeline, for tests of passes, for pages of errors and for
what it demands of every file.
"""
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

scripts, work = Path(sys.argv[1]), Path(sys.argv[2])
readme = Path(__file__).with_name("readme.py")
KERNEL = "int first();\n\n  int second();\nint third();\n"
PAGE = """# A page

Words, words, words, words, words, words, words, words, words, words, words, words, words, words, words, words, words,
words. Words, words, words, words, words, words, words, words, words, words, words, words, words, words, words, words:

* words, words, words, words, words, words, words, words, words, words, words, words, words, words, words, words.
* Words, words, words, words, words, words, words, words, words, words, words, words, words, words, words, words, words.

## Part one

```cpp kernel.h
int first();
int second();
int third();
```

[part](#part-one), [code](kernel.h)
"""
SHOWN = """| **half: 0.501 s** | `kiln half` |

```console
$ kiln half
half:
...
whole: 1.00 s
```
"""


def check_docs(page):
    (work / "README.md").write_text(page)
    return subprocess.run([sys.executable, scripts / "check-docs.py", work], capture_output=True).returncode


def check_shown(page):
    (work / "page.md").write_text(page)
    return subprocess.run([sys.executable, readme, work / "page.md", work / "bin", work / "run"],
                          capture_output=True).returncode


shutil.rmtree(work, ignore_errors=True)
(work / "bin").mkdir(parents=True)
(work / "kernel.h").write_text(KERNEL)
(work / "bin" / "kiln").write_text("#!/bin/sh\necho half:  0.50 s, whole: 1.00 s\n")
(work / "bin" / "kiln").chmod(0o755)
failures = []
for check, right, mistakes in (
        (check_docs, PAGE, [("int third", "int fourth"), ("int second();\n", ""), ("cpp kernel.h", "cpp other.h"),
                            ("cpp kernel.h", "cpp"), ("(#part-one)", "(#part-two)"), ("(kernel.h)", "(kernel.cpp)"),
                            ("## Part one", "<<<<<<< HEAD\n## Part one"), ("# A page", "# A page" + " more" * 80),
                            ("[part]", "A" + " word" * 42 + ".\n[part]"), ("[part]", "| a |\n|---|\n|" + " word" * 34 + " |\n\n[part]")]),
        (check_shown, SHOWN, [("0.501", "0.52"), ("**half", "**Half"), ("whole: 1.00", "whole: 1.03"),
                              ("half:\n", "third:\n"), ("half:\n...\nwhole: 1.00 s", "whole: 1.00 s\n...\nhalf:")])):
    if check(right) != 0:
        failures.append(f"{check.__name__} refuses a page that is right")
    for before, after in mistakes:
        wrong = right.replace(before, after)
        assert wrong != right, before
        if check(wrong) != 1:
            failures.append(f"{check.__name__} accepts {after!r} in place of {before!r}")

# Figures of a page, and where they come from.
FIGURES = '''page README.md
run kiln half
  0.50 s | half: 0.50 s
machine
  30 ns | semaphore_ns
computed
  12 MiB | 3 * 4
file kernel.h
  7 % | int third
test house.one
  9 us
published one guide
  8 us
rows time, us
  1.25 times | long / short
measured "may be 5 % off"
  tables
  60 products
  78 products
'''
FIGURED = """0.50 s, 30 ns, 12 MiB, 7 %, 9 µs, 8 µs, 1.25 times as long; 60 and 78 products, which may be 5 % off

| row | lines | time, µs | host |
|---|---|---|---|
| short | 7 | 4.0 | 77 ms |
| long | 8 | 5.0 | 88 ms |
"""


def check_figures(change):
    (work / "README.md").write_text(change(FIGURED))
    (work / "figures.txt").write_text(change(FIGURES))
    return subprocess.run([sys.executable, readme.with_name("figures.py"), work / "figures.txt", work, work / "run", work / "bin"],
                          capture_output=True).returncode


(work / "isa/td").mkdir(parents=True)
(work / "isa/td/Target.td").write_text('def semaphore_ns : Real<"ns", "30">,\ndef OneGuide : Document<"one guide",\n')
(work / "test").mkdir()
(work / "test/CMakeLists.txt").write_text("add_test(NAME house.one COMMAND one)\n")
if check_figures(lambda text: text) != 0:
    failures.append("figures.py refuses figures that are right")
for before, after in (("0.50 s", "0.52 s"), ("30 ns", "31 ns"), ("12 MiB", "13 MiB"), ("int third", "int fourth"),
                      ("house.one", "house.two"), ("one guide", "two guides"), ("may be 5 % off", "may be off"),
                      ("  7 % |", "  6 % |"), ("  9 us\n", "  9 us\n  9 s\n"), ("1.25 times", "1.30 times"),
                      ("| long / short", "| long / other"), ("rows time", "rows place"), ("  tables\n", "  all\n"),
                      ("  60 products\n", ""), ("  tables\n", "")):
    if check_figures(lambda text: text.replace(before, after) if before != "may be 5 % off" or "page" in text else text) != 1:
        failures.append(f"figures.py accepts {after!r} in place of {before!r}")
if check_figures(lambda text: text if "page" in text else text + "5 KiB") != 1:
    failures.append("figures.py accepts a figure that comes from nowhere")


def remark_problems(source, page, lit):
    return list(house.remark_problems([("Pass.cpp", source)], page, [("pass.mlir", lit)]))


spec = importlib.util.spec_from_file_location("house", scripts / "check-house.py")
house = importlib.util.module_from_spec(spec)
spec.loader.exec_module(house)
REMARKS = ('static constexpr Remarks passRemarks("a-pass");\npassRemarks.missed(op, "NotDone") << "why";\n',
           "| remark | pass | kind | what it says |\n|---|---|---|---|\n| `NotDone` | `a-pass` | missed | no |\n",
           "// REMARK-DAG: remark: [Missed] NotDone | Category:a-pass |\n")
if remark_problems(*REMARKS):
    failures.append(f"remarks that are right: {remark_problems(*REMARKS)}")
for part, before, after in ((0, "NotDone", "Done"), (0, "passRemarks", "remarks"), (0, "missed", "passed"), (1, "NotDone", "Done"), (1, "a-pass", "b-pass"),
                            (1, "| missed", "| passed"), (2, "NotDone", "Done"), (2, "a-pass", "b-pass")):
    wrong = list(REMARKS)
    wrong[part] = wrong[part].replace(before, after)
    if not remark_problems(*wrong):
        failures.append(f"remarks: {after!r} in place of {before!r} is accepted")

STEPS = '  add("a-pass", [] {});\n  addOptional(\n      "b-pass", [] {});\n'
PIPELINE = REMARKS[1] + "\n| `a-pass` | does it | yes |\n| `b-pass` | checks it | no |\n"
if problems := list(house.pipeline_problems(STEPS, PIPELINE)):
    failures.append(f"a pipeline that is right: {problems}")
for steps, page in ((STEPS.replace("b-pass", "c-pass"), PIPELINE), (STEPS + 'add("c-pass", 0);', PIPELINE),
                    (STEPS, PIPELINE.replace("checks it | no", "checks it | yes")),
                    (STEPS, PIPELINE.replace("does it | yes", "does it | no")),
                    (STEPS, PIPELINE.replace("| `b-pass` | checks it | no |\n", ""))):
    if len(list(house.pipeline_problems(steps, page))) != 1:
        failures.append(f"a pipeline: one mistake is planted in {steps!r} and {page!r}, and not found once")

spec = importlib.util.spec_from_file_location("subjects", readme.with_name("subjects.py"))
subjects = importlib.util.module_from_spec(spec)
spec.loader.exec_module(subjects)
for subject, expected in (("docs, isa: " + "x" * 61, 0), ("docs, isa: " + "x" * 62, 1), ("Keep order of stores", 1), ("test/lit:", 1)):
    if len(list(subjects.problems([subject]))) != expected:
        failures.append(f"subjects: {subject!r} does not have {expected} problems")

# Files of the tree, passes, and pages of errors.
BANNER = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
HEADER = BANNER + "int first();\n"
ERROR_PAGE = """# KILN-X001: a mistake

**What it means.** There is one.

**At fault.** You.

**Example.**

```text
kiln: error: a mistake [KILN-X001]
```

**How to fix it.** Correct it.
"""


def file_problems(header):
    return list(house.source_problems("isa/lib/First.h", header))


def body_problems(lines):
    return list(house.source_problems(next(iter(house.BODIES)), BANNER + "  void attend() const {\n" + "    step();\n" * lines + "  }\n"))


def function_problems(name, lines, margin="  "):
    """Of a function between two short ones."""
    short = margin + "int width() const { return 2; }\n"
    body = f"{margin}void step(auto x,\n{margin}          auto y) const {{\n" + f"{margin}  add();\n" * (lines - 3) + margin + "}\n"
    return list(house.source_problems(name, BANNER + short + "\n" + body + "\n" + short))


def page_problems(page, codes):
    return list(house.page_problems(codes, {"KILN-X001": page}))


def pass_problems(*names):
    return list(house.pass_problems([("Passes.td", 'def NcFirst : Pass<"nc-first", "FuncOp"> {')], names))


def error_test_problems(source, test, name="nc-first"):
    return list(house.error_test_problems([("Passes.td", f'def NcFirst\n    : Pass<"{name}", "FuncOp"> {{')],
                                          [("First.cpp", "#define GEN_PASS_DEF_NCFIRST\n" + source)], [(LIT + "first-errors.mlir", test)]))


def folder_problems(name):
    """Of a source of that name, with tables that name some folders."""
    return list(house.folder_problems([name], "| `isa/lib` | values |\n| `kernels/FAMILY/KERNEL` | a kernel |\n| `prove/order` | proofs |\n",
                                      "| `unit` | `test/unit/LIBRARY` |"))


def citation_problems(comment, name="compiler/include/kiln/compiler/problem/FirstProblem.h"):
    return list(house.source_problems(name, f"//===- FirstProblem.h - It -===//\n{BANNER}{comment}\nint year = 1994;\n"))


def command_problems(name, block="sh"):
    return list(house.command_problems([(name, f"```{block}\nkiln list\n```\n")], "foreach(page tool report)"))


CODES = {"KILN-X001": "isa/lib/First.cpp"}
REFUSES = 'op.emitError() << "no"; signalPassFailure();\n'
NOTHING = "// This pass refuses nothing.\n"
LIT = "test/lit/nc/"
INDEX = house.index_text()
for wrong, problems in ((False, file_problems(HEADER)), (False, page_problems(ERROR_PAGE, CODES)),
                        (False, pass_problems(LIT + "first.mlir", LIT + "first-errors.mlir")),
                        (True, pass_problems(LIT + "first.mlir")),
                        (True, pass_problems(LIT + "first-errors.mlir", "docs/first.mlir")),
                        (False, error_test_problems(REFUSES, "// expected-error @+1 {{no}}\n")),
                        (False, error_test_problems("", NOTHING)),
                        (True, error_test_problems("", "// It does not change this.\n")),
                        (True, error_test_problems(REFUSES, NOTHING)),
                        (True, error_test_problems("signalPassFailure();\n", NOTHING)),
                        (True, error_test_problems("", NOTHING, "nc-second")),
                        (True, file_problems(HEADER.replace(BANNER, ""))),
                        (True, file_problems(HEADER + "int next();\n" * house.MAX_LINES)),
                        (True, file_problems(HEADER + "// See " + "/home/" + "someone.\n")),
                        (False, file_problems("//===- First.h - The first -===//\n" + HEADER)),
                        (True, file_problems("//===- Second.h - The first -===//\n" + HEADER)),
                        (False, folder_problems("isa/lib/checks/First.cpp")), (True, folder_problems("isa/rooms/First.cpp")),
                        (False, folder_problems("kernels/linear/matmul/kernel.h")), (True, folder_problems("kernels/support/list.h")),
                        (False, folder_problems("compiler/lib/prove/order/First.cpp")), (False, folder_problems("compiler/lib/prove/First.cpp")),
                        (True, folder_problems("compiler/lib/prove/sync/First.cpp")), (True, folder_problems("runtime-sim/lib/clock/First.cpp")),
                        (False, folder_problems("test/unit/isa/First.cpp")), (True, folder_problems("test/other/first.py")),
                        (False, citation_problems("// Scheduling (Rau, MICRO 1994).")), (True, citation_problems("// Scheduling.")),
                        (False, command_problems("docs/tool.md")), (False, command_problems("docs/rooms.md", "text")),
                        (True, command_problems("docs/rooms.md")), (True, command_problems("docs/rooms.md", "console")),
                        (False, body_problems(28)), (True, body_problems(29)),
                        *((lines > 60, function_problems("kernels/linear/matmul/kernel.h", lines, margin))
                          for lines in (60, 61) for margin in ("", "  ")),
                        (False, function_problems("kernels/linear/matmul/reference.h", 61)),
                        (False, function_problems("dsl/include/kiln/dsl/tile.h", 61)),
                        (True, page_problems(ERROR_PAGE, {})),
                        (True, page_problems(ERROR_PAGE, CODES | {"KILN-X002": "isa/lib/First.cpp"})),
                        (False, list(house.index_problems(INDEX))),
                        (True, list(house.index_problems(None))),
                        (True, list(house.index_problems(INDEX.replace("KILN-A001", "KILN-A000", 1)))),
                        (True, page_problems(ERROR_PAGE.replace("# KILN-X001", "# KILN-X002"), CODES)),
                        (True, page_problems(ERROR_PAGE.replace("**At fault.** You.", ""), CODES)),
                        (True, page_problems(ERROR_PAGE.replace("[KILN-X001]", ""), CODES)),
                        (True, page_problems(ERROR_PAGE.replace("How to fix it", "What to do"), CODES))):
    if bool(problems) != wrong or len(problems) > 1:
        failures.append(f"files, passes and pages: {'one mistake is planted' if wrong else 'all is right'}, found {problems}")

# The table of checks: the real one, and one without a page, a place, a test, a record or a code.
spec = importlib.util.spec_from_file_location("table", scripts / "checks-table.py")
checks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checks)
for wrong, mistake in ((False, lambda table: None),
                       (True, lambda table: table.pages.pop("KILN-A001")),
                       (True, lambda table: table.places.update({"KILN-A001": set()})),
                       (True, lambda table: table.tests.update({"KILN-A001": set()})),
                       (True, lambda table: table.conditions.update(unused="words (KILN-I014)")),
                       (True, lambda table: table.users.update(unknown=["memset"]))):
    table = checks.Table()
    mistake(table)
    if len(table.problems()) != wrong:
        failures.append(f"table of checks: {'a mistake is planted' if wrong else 'all is right'}, found {table.problems()}")
print("\n".join(failures) or "every planted mistake is found")
sys.exit(1 if failures else 0)
