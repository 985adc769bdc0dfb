"""library_kernels.py KILN WORK: library kernels refuse parameters that they cannot do, with the numbers."""
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
    done = subprocess.run([kiln, "compile", *words.split()], capture_output=True, text=True, env=environment, timeout=120)
    if done.returncode != 1 or f"[{code}]" not in done.stderr or part not in done.stderr:
        failures.append(f"{words}: ended with {done.returncode}: {done.stderr}")


# The heads of queries, keys and values, each with all its tokens.
for kernel in "qkv", "qkv --dtype=f8e4m3", "qkv --dtype=f8e4m3fn_x4 --target=trn3":
    expect(f"{kernel} --head-dim=520 --layout=head_major", "KILN-A017", "head-dim is 520, expected up to 512")
expect("qkv --layout=heads", "KILN-A010", "parameter --layout cannot be 'heads'")

# trn1 cannot gather rows; the kernel says so, not an instruction of it.
expect("token_embedding --target=trn1", "KILN-A017", "the target is trn1, expected trn2 or later")

expect("one_hot --words=16777217", "KILN-A017", "words is 16777217, expected up to 16777216")

# What two cores share.
for dtype in "bf16", "f8e4m3":
    expect(f"norm_mlp --cores=2 --tokens=129 --dtype={dtype}", "KILN-A017", "tokens is 129, expected at most 128 on two cores")
    expect(f"norm_mlp --cores=2 --tokens=8 --inner=301 --dtype={dtype}", "KILN-A017",
           "inner is 301, no multiple of the cores, which are 2")
    expect(f"norm_mlp --cores=2 --tokens=8 --hidden=301 --dtype={dtype}", "KILN-A017",
           "hidden is 301, no multiple of the cores, which are 2")
    expect(f"output_projection --cores=2 --tokens=8 --hidden=301 --dtype={dtype}", "KILN-A017",
           "hidden is 301, no multiple of the cores, which are 2")
expect("norm_mlp --cores=2 --tokens=8 --hidden=16386", "KILN-A017", "hidden is 16386, expected at most 16384 on two cores")

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
