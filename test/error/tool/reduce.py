"""reduce.py KILN WORK: what fails is made small, and what does not is told."""
import pathlib
import re
import subprocess
import sys

kiln, work = sys.argv[1], pathlib.Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
failures = []


def run(*words):
    return subprocess.run([kiln, *words], capture_output=True, text=True, timeout=300, cwd=work)


def expect(what, done, code, *parts):
    said = done.stdout + done.stderr
    if done.returncode != code or any(part not in said for part in parts):
        failures.append(f"{what}: ended with {done.returncode}, said: {said[:600]}")


def lines(name, *words):
    text = (work / name).read_text()
    return [line for line in text.splitlines() if any(word in line for word in words)]


softmax = ["softmax", "--rows=300", "--cols=64"]
program = run("compile", *softmax, "--emit", "program").stdout
(work / "sound.kprog").write_text(program)
expect("a sound Program", run("reduce", "sound.kprog"), 1, "passed on trn2", "[KILN-T046]")

# A fault at the end of the text: iota does not write PSUM. Numbers of values go on.
planted = program.rstrip().removesuffix("}") + """  %1000 : buffer i32 psum [4, 8] "" = declare()
  instruction(%1000) channel_multiplier=1, mnemonic="iota", operands="dst", pattern=[1, 8]
}
"""
numbers = [int(word[1:]) for word in program.replace("(", " ").split() if word[1:].isdigit() and word[0] == "%"]
planted = planted.replace("%1000", f"%{max(numbers) + 1}")
(work / "planted.kprog").write_text(planted)
expect("a planted fault", run("reduce", "planted.kprog", "-o", "small"), 0, "rejected KILN-I004", "wrote 'small.kprog'")
body = lines("small.kprog", "declare(", "instruction(", "load(", "store(", "binary(", "loop(", "fill(")
if len(body) != 2:
    failures.append(f"of the planted fault is left: {body}")
expect("fails as before", run("reduce", "small.kprog", "-o", "again.kprog"), 0, "rejected KILN-I004", "wrote 'again.kprog'")

expect("a question of one's own", run("reduce", "sound.kprog", "-o", "own", "--command", "grep -q reduce"), 0)
if len(lines("own.kprog", "= reduce(")) != 1 or lines("own.kprog", "store(", "= binary("):
    failures.append("of a question of one's own is left: " + (work / "own.kprog").read_text())
expect("a question that says no", run("reduce", "sound.kprog", "--command", "false"), 1, "[KILN-T046]")
(work / "torn.kprog").write_text(program[: len(program) // 2])
no_index = re.sub(r"\[#\d+ :", "[#4000 :", program, count=1)
(work / "index.kprog").write_text(no_index)
expect("no such index", run("reduce", "index.kprog"), 1, "'index.kprog': index #4000 does not exist [KILN-P010]")
expect("a torn Program", run("reduce", "torn.kprog"), 1, "torn.kprog:", "[KILN-P00")

# IR: one instruction without an engine among others that have one.
ir = run("compile", *softmax, "--stop-after", "nc-choose-engines").stdout
broken = re.sub(r'(nc\.tensor_scalar .*)engine = #nc.engine<\w+>, ', r"\1", ir, count=1)
(work / "broken.mlir").write_text(broken)
passes = ["--passes", "builtin.module(func.func(nc-replicate-registers))"]
expect("IR", run("reduce", "broken.mlir", "-o", "ir", *passes), 0, "error KILN-C112")
instructions = [line for line in (work / "ir.mlir").read_text().splitlines() if line.strip().startswith("nc.")]
if len(instructions) != 1:
    failures.append(f"of the IR is left: {instructions}")
(work / "sound.mlir").write_text(ir)
expect("sound IR", run("reduce", "sound.mlir", *passes), 1, "without an error", "[KILN-T046]")
expect("IR without passes", run("reduce", "sound.mlir"), 1, "no passes", "[KILN-T046]")
expect("no IR", run("reduce", "sound.kprog", "sound.mlir"), 1)

for failure in failures:
    print("FAILED", failure)
sys.exit(bool(failures))
