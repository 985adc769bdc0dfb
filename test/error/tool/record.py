"""record.py KILN WORK: a run is written down, and seen again or not."""
import pathlib
import subprocess
import sys

kiln, work = sys.argv[1], pathlib.Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
failures = []


def run(*words):
    return subprocess.run([kiln, "run", *words], capture_output=True, text=True, timeout=300)


def expect(what, done, code, *parts):
    said = done.stdout + done.stderr
    if done.returncode != code or any(part not in said for part in parts):
        failures.append(f"{what}: ended with {done.returncode}, said: {said[:600]}")


softmax = ["softmax", "--rows=130", "--cols=70"]
record, binary = str(work / "softmax.run"), str(work / "softmax.kbin")
subprocess.run([kiln, "compile", *softmax, "-o", binary], check=True, capture_output=True)
expect("record", run(*softmax, "--random-seed=3", "--interleave=2", "--record", record), 0, "ran softmax")
text = pathlib.Path(record).read_text()
for line in ["random-seed = 3", "interleave = 2", "run 2 end = complete", "target = trn2"]:
    if line not in text.splitlines():
        failures.append(f"the record lacks '{line}'")
expect("replay", run(*softmax, "--replay", record), 0, "2 other orders", "the same run as")
expect("replay of the binary", run(binary, "--replay", record), 0, "the same run as")
expect("twice", run(*softmax, "--replay", record, "--record", record), 0, "the same run as")
if pathlib.Path(record).read_text() != text:
    failures.append("the second record is another one")
expect("other inputs", run(*softmax, "--random-seed=4", "--replay", record), 1, "[KILN-T043]", "input x was")
expect("another binary", run("softmax", "--rows=130", "--cols=71", "--replay", record), 1, "[KILN-T043]", "binary was")
other = work / "other.run"
other.write_text(text.replace("run 1 order = ", "run 1 order = 0"))
expect("another order", run(*softmax, "--replay", str(other)), 1, "[KILN-T043]", "run 1 order was")
for number, content in enumerate(["", "nothing", "a = 1\na = 2\n", text.replace("record = 1", "record = 2"),
                                  text.replace("random-seed = 3", "random-seed = x")]):
    other.write_text(content)
    expect(f"no record {number}", run(*softmax, "--replay", str(other)), 1, "[KILN-T043]")
expect("no file", run(*softmax, "--replay", str(work / "none")), 1, "[KILN-T001]")

# How values are converted is part of a run.
narrow = ["softmax", "--rows=130", "--cols=70", "--dtype=bf16", "--random-seed=3"]
outputs = {}
for seed in "", "1", "2":
    words = ["--stochastic-rounding", "--saturate", "--flush-subnormals", f"--rounding-seed={seed}"] if seed else []
    target = work / f"y{seed}.npy"
    expect(f"rounding {seed}", run(*narrow, *words, "--interleave=2", "--record", record, "--out", f"y={target}"), 0,
           "the same bits")
    expect(f"rounding {seed} again", run(*narrow, "--replay", record), 0, "the same run as")
    outputs[target.read_bytes()] = seed
if len(outputs) != 3:
    failures.append("stochastic rounding changes nothing")

# A run that fails is one, too.
kasm, kbin, faulty = work / "race.kasm", str(work / "race.kbin"), str(work / "race.run")
kasm.write_text(""".kernel race
.target trn2
.stream vector
  memset dst=sbuf[p0:32, 0x0: f32 64x1], value=1.0
.stream gpsimd
  memset dst=sbuf[p0:32, 0x0: f32 64x1], value=2.0
""")
subprocess.run([kiln, "asm", str(kasm), "-o", kbin], check=True, capture_output=True)
expect("a race", run(kbin, "--record", faulty), 1, "[KILN-X005]")
if "run 0 end = KILN-X005" not in pathlib.Path(faulty).read_text():
    failures.append("the record does not say how the run ended")
expect("the race again", run(kbin, "--replay", faulty), 1, "[KILN-X005]")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
