"""worked_example.py PAGE TBLGEN SOURCE BINARY WORK CXX: the instruction of docs/adding-an-instruction.md, compiled.

Adds the record of the page to a copy of isa/td, runs every generator over it, and compiles (without code) the meaning
of the page, its call in a kernel, and the table of costs against what they make. A mistake in each of them must be
refused, so that the check is known to look.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

page, tblgen, source, binary, work = map(Path, sys.argv[1:6])
compiler = sys.argv[6]
text = page.read_text()
record = re.search(r"```tablegen\n(.*?)```", text, re.S)[1]
meaning = re.search(r"```cpp\n(.*?)```", text, re.S)[1]
call = re.search(r"`(nc::clamp\([^`]*\))`", text)[1]
KERNEL = """#include <kiln/kiln.h>
namespace nc = kiln::nc;
void body() {
  auto dst = kiln::sbuf<kiln::f32>(128, 512), data = kiln::sbuf<kiln::f32>(128, 512);
  const float low = 0, high = 6;
  CALL;
}
"""
HEADERS = {"structs": "Instructions.h.inc", "info": "InstructionInfo.h.inc", "enums": "Enums.h.inc",
           "checks": "Checks.h.inc", "calls": "Calls.h.inc"}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def compiles(name, code):
    (work / name).write_text(code)
    done = run(compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
               *(f"-I{folder}" for folder in (
                   work / "include", source / "runtime-sim/lib/function", source / "isa/include",
                   source / "runtime-sim/include", source / "dsl/include", binary / "isa/include",
                   binary / "dsl/include")), work / name)
    return done.stderr if done.returncode else ""


def generate(record):
    """What a generator says against the record, or nothing."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "include/kiln/isa").mkdir(parents=True)
    (work / "manual").mkdir()  # A page an instruction, beside the manual.
    shutil.copytree(source / "isa/td", work / "td")
    with (work / "td/Elementwise.td").open("a") as file:
        file.write("\n" + record)
    for backend in ("structs", "info", "enums", "checks", "calls", "manual", "nc-enums", "nc-ods", "nc-emit"):
        output = work / (f"include/kiln/isa/{HEADERS[backend]}" if backend in HEADERS else f"{backend}.md")
        done = run(tblgen, f"-gen-{backend}", "-I", work / "td", work / "td/Kiln.td", "-o", output)
        if done.returncode:
            return done.stderr
    return ""


def check(record, meaning, call):
    return (generate(record) or compiles("Clamp.cpp", meaning) or compiles("kernel.cpp", KERNEL.replace("CALL", call))
            or compiles("cost.cpp", "#include <kiln/isa/cost.h>\n"))


failures = [problem for problem in [check(record, meaning, call)] if problem]
for what, wrong in (("an opcode that is taken", (record.replace(", 41,", ", 40,"), meaning, call)),
                    ("a cost class that is not there", (record.replace('"tensorScalar"', '"elementwise"'), meaning, call)),
                    ("an operand that is not there", (record, meaning.replace("op.low", "op.least"), call)),
                    ("a call with too few operands", (record, meaning, call.replace(", low, high", ", low")))):
    assert wrong != (record, meaning, call), what
    if not check(*wrong):
        failures.append(f"{what} is accepted")
print("\n".join(failures) or "the worked example compiles")
sys.exit(1 if failures else 0)
