"""bad_input.py KILN WORK: wrong input to every subcommand.

Each case: the words, the exit code, the error's code, and a part of its text.
Exactly one error is told, nothing crashes, no reproducer appears.
"""
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

kiln = sys.argv[1]
work = Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
failures = []


def run(*words):
    return subprocess.run([kiln, *words], capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL, timeout=300, errors="replace")


def expect(words, exit_code, code, part=""):
    done = run(*words)
    said = done.stderr
    wrong = []
    if done.returncode != exit_code:
        wrong.append(f"exit code {done.returncode}, expected {exit_code}")
    if f"[{code}]" not in said:
        wrong.append(f"no [{code}]")
    if said.count("error:") != 1 and code != "KILN-T030":
        wrong.append(f"{said.count('error:')} errors told, expected one")
    if part not in said:
        wrong.append(f"no '{part}'")
    if wrong:
        failures.append(f"kiln {' '.join(words)}\n  {'; '.join(wrong)}\n  it said: {said.strip()[:400]}")


def setup(*words):
    done = run(*words)
    if done.returncode != 0:
        sys.exit(f"kiln {' '.join(words)} ended with {done.returncode}: {done.stderr}")


SOFTMAX = ["softmax", "--rows=128", "--cols=64", "--dtype=f32"]
setup("compile", *SOFTMAX, "-o", "good.kbin")
setup("disasm", "good.kbin", "-o", "good.kasm")
np.save("good.npy", np.zeros((128, 64), np.float32))
np.save("shape.npy", np.zeros((64, 128), np.float32))
np.save("ints.npy", np.zeros((128, 64), np.int32))
np.save("complex.npy", np.zeros((128, 64), np.complex64))
Path("empty").write_bytes(b"")
Path("text.npy").write_text("not an array\n")
Path("short.npy").write_bytes(Path("good.npy").read_bytes()[:-8])
Path("header.npy").write_bytes(b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'}\n")
Path("bad.cpp").write_text("this is not C++\n")
Path("none.cpp").write_text("int answer() { return 42; }\n")
Path("bad.kasm").write_text("this is not assembly\n")
Path("fake.so").write_bytes(b"\x7fELF but not really")
Path("folder").mkdir()

# The command line.
expect(["nonsense"], 2, "KILN-T020", "unknown command 'nonsense'")
expect(["complie", "softmax"], 2, "KILN-T020", "did you mean 'compile'?")
for command in ("compile", "run", "profile", "asm", "disasm", "verify"):
    expect([command], 2, "KILN-T020", "missing")
for command in ("list", "asm", "disasm", "verify"):
    expect([command, "--bogus"], 2, "KILN-T020", "unknown option '--bogus'")
expect(["run", *SOFTMAX, "-q"], 2, "KILN-T020", "unknown option '-q'")
expect(["profile", *SOFTMAX, "--figures"], 2, "KILN-T020", "'--figures' is about what is written; give '--json'")
expect(["profile", *SOFTMAX, "--json", "x.json", "--figures", "--events"], 2, "KILN-T020", "not both")
expect(["run", *SOFTMAX, "--random-seed=many"], 2, "KILN-T020", "whole number")
expect(["run", *SOFTMAX, "--random-seed"], 2, "KILN-T020", "needs a value")
expect(["run", *SOFTMAX, "--in", "x"], 2, "KILN-T020", "NAME=FILE")
for ranks in ("0", "65"):
    for command in ("run", "profile"):
        expect([command, *SOFTMAX, "--random-seed=1", f"--ranks={ranks}"], 2, "KILN-T020", "expected 1 to 64")
for place in ("x@2=good.npy", "x@=good.npy", "x@1x=good.npy", "x@-1=good.npy"):
    expect(["run", *SOFTMAX, "--random-seed=1", "--ranks=2", "--in", place], 1, "KILN-T026", "counted from 0")
expect(["run", *SOFTMAX, "--random-seed=1", "--out", "y@1=y.npy"], 1, "KILN-T026", "--ranks")
expect(["run", *SOFTMAX, "--ranks=3", "--in", "x@0=good.npy", "--in", "x@2=good.npy"], 1, "KILN-T025", "of rank 1")
expect(["run", *SOFTMAX, "--random-seed=1", "--at-rank=1", "--dump", "y[0:4]"], 2, "KILN-T020", "1 rank of 1 core, counted")
expect(["run", *SOFTMAX, "--random-seed=1", "--at-core=1", "--dump", "y[0:4]"], 2, "KILN-T020", "1 rank of 1 core, counted")
expect(["run", "ring_all_gather", "--group=4", "--random-seed=1", "--ranks=2"], 1, "KILN-X017", "launch more ranks")
expect(["run", "ring_all_gather", "--group=2", "--random-seed=1", "--ranks=3"], 1, "KILN-X015", "not in any list")
for place in ("vector", "vector:", "vector:99999", "vector:0:0", "engine:1", "sbuf[0:4, 0:4]", "sbuf[p0:4, 0:4", "z[0:4]",
              "sbuf[p4:4, 0:4]", "vector:0x"):
    expect(["run", *SOFTMAX, "--random-seed=1", "--break", place], 2, "KILN-T020", "--break")
# A stop that never comes is told, and so is what is in memory then.
for place, stops in (("vector:0", True), ("vector:0:9", False), ("x[0:4]", False), ("y[0:4]", True)):
    said = run("run", *SOFTMAX, "--random-seed=1", "--break", place, "--dump", "y[0:4]").stdout
    if ("stopped " in said) != stops or (f"'--break {place}' was never reached" in said) == stops or "y[0:4]" not in said:
        failures.append(f"--break {place}: {said}")
for command in "run", "profile":
    expect([command, *SOFTMAX, "--random-seed=1", "--max-turns=0"], 2, "KILN-T020", "expected 1 or more")
for dump in ("sbuf", "sbuf[p0:4, 0:6]:f32", "sbuf[p0:4, 0:4]:f99", "y[0:4]extra"):
    expect(["run", *SOFTMAX, "--random-seed=1", "--dump", dump], 2, "KILN-T020", "--dump")
expect(["run", *SOFTMAX, "--random-seed=1", "--dump", "sbuf[p0:129, 0:4]"], 1, "KILN-X002", "128")
expect(["run", *SOFTMAX, "--random-seed=1", "--dump", "y[0:99999999]"], 1, "KILN-X002", "bytes")
expect(["run", *SOFTMAX, "extra"], 2, "KILN-T020", "unexpected argument 'extra'")
expect(["run", *SOFTMAX, "--checks", "--no-checks", "--random-seed=1"], 2, "KILN-T020", "--no-checks")
expect(["asm", "good.kasm"], 2, "KILN-T020", "-o")
expect(["compile", *SOFTMAX, "--emit=llvm"], 2, "KILN-T020", "--emit")

# Targets, kernels, parameters.
for command in ("compile", "run", "profile"):
    expect([command, *SOFTMAX, "--target=trn9"], 2, "KILN-T021", "trn1, trn2 and trn3")
    expect([command, "sotfmax"], 1, "KILN-T022", "did you mean 'softmax'?")
    expect([command, *SOFTMAX, "--rwos=3"], 2, "KILN-T023", "did you mean '--rows'?")
    expect([command, "softmax", "--rows=many"], 1, "KILN-A010", "many")
    expect([command, "softmax", "--rows=524289", "--cols=524288"], 1, "KILN-A021", "1099511627776")
    expect([command, "softmax", "--dtype=f99"], 1, "KILN-A010", "f99")
    expect([command, "missing.cpp"], 1, "KILN-T001", "missing.cpp")
    expect([command, "bad.cpp"], 1, "KILN-T030", "bad.cpp")
    expect([command, "none.cpp"], 1, "KILN-T031", "KILN_EXPORT")
    expect([command, "missing.so"], 1, "KILN-T001", "missing.so")
    expect([command, "fake.so"], 1, "KILN-T031", "fake.so")
expect(["list", "missing.cpp"], 1, "KILN-T001", "missing.cpp")
expect(["list", "fake.so"], 1, "KILN-T031", "fake.so")

# Files that are read and written.
for command in ("run", "profile", "disasm", "verify"):
    expect([command, "missing.kbin"], 1, "KILN-T001", "missing.kbin")
    expect([command, "folder"] if command in ("disasm", "verify") else [command, "folder/x.kbin"],
           1, "KILN-T001", "folder")
expect(["asm", "missing.kasm", "-o", "x.kbin"], 1, "KILN-T001", "missing.kasm")
expect(["asm", "good.kasm", "-o", "no/such/x.kbin"], 1, "KILN-T002", "no/such/x.kbin")
expect(["disasm", "good.kbin", "-o", "folder"], 1, "KILN-T002", "folder")
# Before the kernel is looked for, and before it runs.
expect(["run", "no_such_kernel", "--out", "y=no/such/y.npy"], 1, "KILN-T002", "no/such/y.npy")
expect(["run", "no_such_kernel", "--out", "y=no/such/y.safetensors:t"], 1, "KILN-T002", "no/such/y.safetensors")
expect(["run", "no_such_kernel", "--record", "folder"], 1, "KILN-T002", "folder")
for option in ("--json", "--html", "--trace", "--csv", "--chakra"):
    expect(["profile", "no_such_kernel", option, "no/such/p"], 1, "KILN-T002", "no/such/p")
expect(["compile", *SOFTMAX, "-o", "no/such/x.kbin"], 1, "KILN-T002", "no/such/x.kbin")

# Tensors.
expect(["run", "good.kbin"], 1, "KILN-T025", "--in x=FILE.npy")
expect(["run", "good.kbin", "--in", "z=good.npy"], 1, "KILN-T024", "inputs x")
expect(["run", "good.kbin", "--random-seed=1", "--out", "z=o.npy"], 1, "KILN-T024", "outputs y")
for name, code, part in (("missing.npy", "KILN-T001", "missing.npy"), ("empty", "KILN-T010", "empty"),
                         ("text.npy", "KILN-T010", "text.npy"), ("header.npy", "KILN-T011", "header.npy"),
                         ("short.npy", "KILN-T012", "32760"), ("complex.npy", "KILN-T013", "<c8"),
                         ("shape.npy", "KILN-T014", "[64, 128]"), ("ints.npy", "KILN-T015", "int32")):
    expect(["run", "good.kbin", "--in", f"x={name}"], 1, code, part)

# Tensors of .safetensors files.
def safetensors(name, header, data):
    text = header.encode()
    Path(name).write_bytes(len(text).to_bytes(8, "little") + text + data)


zeros = bytes(128 * 64 * 4)
entry = '"dtype":"F32","shape":[128,64],"data_offsets":[0,32768]'
safetensors("good.safetensors", '{"layers.0.w":{' + entry + '}}', zeros)
safetensors("two.safetensors", '{"w":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"v":'
            '{"dtype":"U8","shape":[],"data_offsets":[1,2]}}', b"\0\0")
safetensors("short.safetensors", '{"layers.0.w":{' + entry + '}}', zeros[:-1])
safetensors("json.safetensors", '{"layers.0.w":{' + entry + '}', zeros)
safetensors("complex.safetensors", '{"w":{' + entry.replace("F32", "C32") + '}}', zeros)
safetensors("shape.safetensors", '{"w":{' + entry.replace("128,64", "64,128") + '}}', zeros)
safetensors("ints.safetensors", '{"w":{' + entry.replace("F32", "I32") + '}}', zeros)
for place, code, part in (("missing.safetensors:w", "KILN-T001", "missing.safetensors"),
                          ("good.safetensors:layers.0.q", "KILN-T018", "layers.0.w"),
                          ("two.safetensors", "KILN-T018", "'x'"), ("folder", "KILN-T001", "folder"),
                          ("short.safetensors", "KILN-T017", "at byte 80"),
                          ("json.safetensors", "KILN-T017", "at byte 78"),
                          ("complex.safetensors", "KILN-T013", "C32"), ("shape.safetensors:w", "KILN-T014", "[64, 128]"),
                          ("ints.safetensors", "KILN-T015", "int32")):
    expect(["run", "good.kbin", "--in", f"x={place}"], 1, code, part)
setup("run", "good.kbin", "--in", "x=good.safetensors", "--out", "y=y.safetensors:probabilities")
setup("run", "good.kbin", "--in", "x=good.safetensors", "--out", "y=y.npy")
setup("run", "good.kbin", "--in", "x=good.safetensors:layers.0.w", "--out", "y=again.safetensors:probabilities")
written = Path("y.safetensors").read_bytes()
if written != Path("again.safetensors").read_bytes() or written[-32768:] != np.load("y.npy").tobytes():
    failures.append("y.safetensors does not hold what y.npy does")
setup("run", "ring_reduce_scatter", "--group=2", "--ranks=2", "--random-seed=1", "--out", "y@1=y.safetensors",
      "--out", "y@0=y.safetensors")
if b'"y@0":' not in Path("y.safetensors").read_bytes():
    failures.append("y.safetensors does not hold the outputs of two ranks")
expect(["run", *SOFTMAX, "--random-seed=1", "--saturate", "--check-source"], 2, "KILN-T020", "--check-source")
expect(["run", *SOFTMAX, "--random-seed=1", "--rounding-seed=1"], 2, "KILN-T020", "--stochastic-rounding")
expect(["run", "good.kbin", "--in", "x=good.safetensors", "--out", "y=y.safetensors:__metadata__"], 1, "KILN-T019",
       "__metadata__")

# Assembly: every line of a good file, damaged.
done = run("asm", "bad.kasm", "-o", "x.kbin")
if done.returncode != 1 or "bad.kasm:1:" not in done.stderr or "[KILN-I" not in done.stderr:
    failures.append(f"kiln asm bad.kasm: {done.returncode} {done.stderr}")
generator = random.Random(1)
good_text = Path("good.kasm").read_text().split("\n")
for round_number in range(40):
    lines = list(good_text)
    at = generator.randrange(len(lines))
    if lines[at].strip():
        cut = generator.randrange(len(lines[at]))
        lines[at] = lines[at][:cut] + generator.choice(["", "?", "]", "r99", "99999999999"]) + lines[at][cut + 1:]
    Path("mutated.kasm").write_text("\n".join(lines))
    done = run("asm", "mutated.kasm", "-o", "x.kbin")
    if done.returncode not in (0, 1) or (done.returncode == 1 and "error:" not in done.stderr):
        failures.append(f"mutated assembly, round {round_number}: {done.returncode} {done.stderr[:300]}")

# Binaries: truncated and mutated.
good = Path("good.kbin").read_bytes()
sizes = sorted({0, 1, 15, 16, 63, 64, len(good) - 1, *(generator.randrange(len(good)) for _ in range(20))})
for size in sizes:
    Path("cut.kbin").write_bytes(good[:size])
    for command in ("verify", "disasm", "run"):
        done = run(command, "cut.kbin", *(["--random-seed=1"] if command == "run" else []))
        if done.returncode != 1 or "[KILN-I" not in done.stderr:
            failures.append(f"kiln {command} of {size} bytes: {done.returncode} {done.stderr[:300]}")
for round_number in range(60):
    mutated = bytearray(good)
    for _ in range(generator.randrange(1, 4)):
        mutated[generator.randrange(len(mutated))] = generator.randrange(256)
    Path("mutated.kbin").write_bytes(mutated)
    for command in ("verify", "disasm"):
        done = run(command, "mutated.kbin")
        if done.returncode not in (0, 1):
            failures.append(f"kiln {command}, mutation {round_number}: {done.returncode} {done.stderr[:300]}")

if list(work.glob("kiln-reproducer-*")):
    failures.append("a reproducer was written: something above was taken for an internal error")
for failure in failures:
    print(failure)
print(f"{len(failures)} failed" if failures else "every mistake was told once, nothing crashed")
sys.exit(1 if failures else 0)
