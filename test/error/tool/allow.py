"""allow.py KILN WORK: warnings of a run are allowed by code, by line and by instruction."""
import pathlib
import subprocess
import sys

kiln, work = sys.argv[1], pathlib.Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
failures = []
kasm, kbin = work / "retyped.kasm", work / "retyped.kbin"
# Two reads with another type: of what line 2 wrote, and of what line 5 wrote.
kasm.write_text(""".kernel retyped
.target trn2
.stream vector
  memset dst=sbuf[p0:32, 0x0: bf16 64x1], value=1.5 ; @1
  tensor_copy dst=sbuf[p0:32, 0x400: f32 64x1], src=sbuf[p0:32, 0x0: f16 64x1] ; @2
  memset dst=sbuf[p0:32, 0x800: bf16 64x1], value=2.5 ; @3
  tensor_copy dst=sbuf[p0:32, 0xc00: f32 64x1], src=sbuf[p0:32, 0x800: f16 64x1] ; @4
.location 1 "user.cpp" 2:1 "" ""
.location 2 "user.cpp" 3:1 "" ""
.location 3 "user.cpp" 5:1 "" ""
.location 4 "user.cpp" 6:1 "" ""
""")
subprocess.run([kiln, "asm", str(kasm), "-o", str(kbin)], check=True, capture_output=True)
first, second = "vector instruction 1 (user.cpp:3) reads", "vector instruction 3 (user.cpp:6) reads"


def expect(allowed, code, *parts, absent=()):
    words = [word for text in allowed for word in ("--allow", text)]
    done = subprocess.run([kiln, "run", str(kbin), *words], capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    if done.returncode != code or any(p not in said for p in parts) or any(p in said for p in absent):
        failures.append(f"{allowed}: ended with {done.returncode}, said: {said[:900]}")


expect([], 0, first, second, "[KILN-X060]")
expect(["KILN-X060"], 0, absent=["KILN-X060"])
# Where it reads, where it was written, and the number of either instruction.
for place in "user.cpp:3", "user.cpp:2", "vector:1", "vector:0":
    expect([f"KILN-X060@{place}"], 0, second, absent=[first])
expect(["KILN-X060@user.cpp:3", "KILN-X060@vector:3"], 0, absent=["KILN-X060"])
# Another line, another file, another engine, another code.
for text in "KILN-X060@user.cpp:4", "KILN-X060@other.cpp:3", "KILN-X060@scalar:1", "KILN-X061", "KILN-X061@user.cpp:3":
    expect([text], 0, first, second)
for text in "KILN-X060@vector", "KILN-X060@user.cpp", "KILN-X060@user.cpp:", "KILN-X060@user.cpp:x", "KILN-X060@":
    expect([text], 2, "[KILN-T020]", f"'--allow {text}'", "FILE:LINE or as vector:12")
for text in "KILN-X005", "", "X060":
    expect([text], 2, "[KILN-T020]", "KILN-X060 and KILN-X061")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
