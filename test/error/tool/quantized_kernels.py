"""quantized_kernels.py KILN WORK: library kernels refuse small floats that a target lacks, and scales that make no sense."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

kiln, work = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
failures = []


def expect(words, code, part):
    done = subprocess.run([kiln, "compile", *words], capture_output=True, text=True, env=environment, timeout=120)
    if done.returncode != 1 or f"[{code}]" not in done.stderr or part not in done.stderr:
        failures.append(f"{' '.join(words)}: ended with {done.returncode}: {done.stderr}")


MX = "--dtype=f8e4m3fn_x4"
# 130 terms are 32 words of four and two more, which no operand would have.
for words in "matmul --k=130", "qkv --hidden=130", "swiglu --hidden=130", "swiglu --inner=130":
    expect([*words.split(), MX, "--target=trn3"], "KILN-A017", "has 130 terms, expected a multiple of 128")
for kernel, depth in (["norm_qkv"], ["--hidden=200"]), (["output_projection"], ["--head-dim=40", "--heads=5"]), \
                     (["norm_mlp"], ["--hidden=200"]), (["norm_mlp"], ["--inner=200"]):
    for target in "trn1", "trn2":
        for tokens in 8, 130:
            expect([*kernel, f"--tokens={tokens}", MX, f"--target={target}"], "KILN-C179", f"which {target} does not have")
    expect([*kernel, *depth, MX, "--target=trn3"], "KILN-A017", "has 200 terms, expected a multiple of 128")
    expect([*kernel, MX, "--scales=row", "--target=trn3"], "KILN-A017", "MX floats have scales of their own")
    expect([*kernel, MX, "--unit=2", "--target=trn3"], "KILN-A017", "MX floats have scales of their own")
    expect([*kernel, "--scales=row"], "KILN-A017", "scales is row, expected none: scales are for 8-bit types")
    expect([*kernel, "--unit=2"], "KILN-A017", "unit is 2, expected 1: other units are for 8-bit types")
    expect([*kernel, "--dtype=f8e4m3", "--unit=0"], "KILN-A017", "unit is 0, expected above 0")
    expect([*kernel, "--dtype=f8e4m3", "--scales=row", "--unit=2"], "KILN-A017", "unit is 2, expected 1: with a scale for each row there is no unit")

expect(["norm_mlp", "--dtype=f8e4m3", "--inner-unit=0"], "KILN-A017", "unit is 0, expected above 0")
expect(["norm_mlp", "--dtype=f8e4m3", "--scales=row", "--inner-unit=2"], "KILN-A017", "unit is 2, expected 1: with a scale for each row there is no unit")
expect(["swiglu", "--scales=row"], "KILN-A017", "scales is row, expected none: scales are for 8-bit types")
expect(["swiglu", "--dtype=f8e4m3", "--scales=row", "--unit=2"], "KILN-A017", "unit is 2, expected 1: with a scale for each row there is no unit")
for tokens in 8, 130:
    expect(["swiglu", f"--tokens={tokens}", MX, "--target=trn2"], "KILN-C179", "which trn2 does not have")

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
