"""error_pages.py KILN WORK [CODE...]: the messages on the pages of docs/errors are those that kiln prints.

A page's example is a block of C++, assembly or a command, and the message after
it. docs/errors/README.md says in what kernel or module such a block stands.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

kiln, work, wanted = sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3:]
pages = Path(__file__).resolve().parents[2] / "docs" / "errors"
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"), PATH=f"{Path(kiln).parent}:{os.environ['PATH']}")

# Their example is a fragment: of a caller of the C++ interface, of IR, a Program or a schedule, of a kernel with other arguments,
# or it needs a file that is damaged. Tests of those parts provoke them.
FRAGMENTS = set("""A008 A009 A011 A022 C002 C003 C011 C012 C013 C014 C104 C105 C106 C107 C108 C109 C111 C112 C113 C114 C175 C179
C190 C191 I008 I032 I050 I051 I052 I053 I054 I060 I085 P001 P002 P003 P010 P011 P012 P100 P101 P102 P103 P105 P106 P107 P108 P110
P111 P120 P130 T003 T005 T010 T011 T012 T013 T014 T015 T016 T017 T018 T024 T030 T031 T040 T041 T042 T043 T044 T045 T046 T050 X001
X016 X018 X201 X202 X203 X204""".split())

KERNEL = """struct %(type)s {
  BOOST_HANA_DEFINE_STRUCT(%(type)s, (int, rows));
  static %(type)s defaults() { return {256}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 512});
    s.argument("n", {1, 8});
    s.argument("y", {rows, 512});
  }
  void operator()(In<f32, 2> x, In<i32, 2> n, Out<f32, 2> y) const {
#line 12 "user.cpp"
%(body)s
  }
};
KILN_EXPORT(%(name)s, %(type)s)
"""
HEADS = {"X": ".kernel k\n.target %s\n.tensor output y: f32[1, 16]\n",
         "I": ".kernel k\n.target %s\n.tensor input x: f32[128, 512]\n.tensor output y: f32[128, 512]\n"}


def run(command):
    done = subprocess.run(command, shell=True, cwd=work, env=environment, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


def plain(text):
    """Lines without what changes with every edit of a library kernel, or with another kernel."""
    text = re.sub(r"(kernels/\w+/\w+\.h):\d+", r"\1:N", text.strip("\n"))
    text = re.sub(r"\(there are (?:\w+, )+\w+ and \d+ others; see 'kiln list'\)", "(there are KERNELS; see 'kiln list')", text)
    return [line.rstrip() for line in text.split("\n")]


examples, failures = {}, []
for page in sorted(pages.glob("KILN-*.md")):
    code = page.stem.removeprefix("KILN-")
    if code in FRAGMENTS or (wanted and code not in wanted):
        continue
    text = page.read_text().split("**Example.**")[1].split("**How to fix it.**")[0]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.S | re.M)
    if len(blocks) != 2:
        failures.append(f"{page.name}: {len(blocks)} blocks in the example, not a source and a message")
        continue
    (language, source), (_, message) = blocks
    target = re.search(r"The target is (trn\d)\.", text)
    options = re.search(r"With `(--[^`]*)`:", text)
    examples[code] = (language, source, message, target[1] if target else "trn2", options[1] if options else "")

(work / "user.cpp").write_text("#include <kiln/kiln.h>\n#include <string>\nusing namespace kiln;\n" + "".join(
    KERNEL % {"type": code, "name": code.lower(), "body": source}
    for code, (language, source, *_) in examples.items() if language == "cpp"))
for code, (language, source, message, target, options) in examples.items():
    follow = {"W": "kiln verify user.kbin", "X": f"kiln run user.kbin --random-seed=1 {options}"}.get(code[0], "true")
    if language == "cpp":
        after = follow if code[0] == "X" else "true"
        said = run(f"kiln compile user.cpp:{code.lower()} -o user.kbin {options}; {after}")
    elif source.startswith("$ "):
        said = run("; ".join(line.removeprefix("$ ") for line in source.strip().split("\n")))
    else:
        head = "" if source.startswith(".kernel") else HEADS.get(code[0], HEADS["I"]) % target
        (work / "user.kasm").write_text(head + source)
        said = run(f"kiln asm user.kasm -o user.kbin; {follow}")
    there = plain(said)
    for line in plain(message):
        if line not in there:
            failures.append(f"KILN-{code}.md: kiln does not print\n  {line}\nbut\n  " + "\n  ".join(there[-8:]))
            break

for failure in failures:
    print(failure)
print(f"{len(failures)} failures in {len(examples)} examples")
sys.exit(1 if failures or not examples else 0)
