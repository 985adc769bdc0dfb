"""worked_example.py PAGE TBLGEN SOURCE BINARY WORK CXX: the instruction of docs/adding-an-instruction.md, compiled.

Adds the record of the page to a copy of isa/td, runs every generator over it, and compiles (without code) the meaning
of the page, its call in a kernel, and the table of costs against what they make. Then gives the instruction an operand of
the page's own kind, which takes no more than that kind's record. A mistake in each of them must be refused, so that the
check is known to look.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

page, tblgen, source, binary, work = map(Path, sys.argv[1:6])
compiler = sys.argv[6]
text = page.read_text()
record, kind = re.findall(r"```tablegen\n(.*?)```", text, re.S)
weights = re.search(r"`(Operand<[^`]*>)`", text)[1]
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


def generate(record, kind):
    """What a generator says against the record and the kind of an operand, or nothing."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "include/kiln/isa").mkdir(parents=True)
    (work / "manual").mkdir()  # A page an instruction, beside the manual.
    shutil.copytree(source / "isa/td", work / "td")
    with (work / "td/Elementwise.td").open("a") as file:
        file.write("\n" + record)
    kinds = work / "td/OperandKinds.td"
    kinds.write_text(kinds.read_text().replace("\n#endif", f"\n{kind}\n#endif"))
    for backend in ("structs", "info", "enums", "checks", "calls", "manual", "nc-enums", "nc-ods", "nc-emit"):
        output = work / (f"include/kiln/isa/{HEADERS[backend]}" if backend in HEADERS else f"{backend}.md")
        done = run(tblgen, f"-gen-{backend}", "-I", work / "td", work / "td/Kiln.td", "-o", output)
        if done.returncode:
            return done.stderr
    return ""


def check(record, meaning, call, kind=""):
    return (generate(record, kind) or compiles("Clamp.cpp", meaning) or compiles("kernel.cpp", KERNEL.replace("CALL", call))
            or compiles("cost.cpp", "#include <kiln/isa/cost.h>\n"))


weighed = (record.replace("\n  ];", f", {weights}\n  ];", 1).replace("low=0.0", "weights=[1, 2], low=0.0"),
           meaning.replace("float *row =", "[[maybe_unused]] const std::int32_t weight = op.weights[p];\n    float *row ="),
           call.replace("high,", "high, {1, 2},"), kind)
failures = [problem for problem in [check(record, meaning, call), check(*weighed)] if problem]
for what, wrong in (("an opcode that is taken", (record.replace(", 41,", ", 40,"), meaning, call)),
                    ("a cost class that is not there", (record.replace('"tensorScalar"', '"elementwise"'), meaning, call)),
                    ("an operand that is not there", (record, meaning.replace("op.low", "op.least"), call)),
                    ("a call with too few operands", (record, meaning, call.replace(", low, high", ", low"))),
                    ("a kind without its record", (*weighed[:3], "")),
                    ("a call without the operand of the new kind", (*weighed[:2], call, kind))):
    assert wrong != (record, meaning, call), what
    if not check(*wrong):
        failures.append(f"{what} is accepted")
print("\n".join(failures) or "the worked example compiles")
sys.exit(1 if failures else 0)
