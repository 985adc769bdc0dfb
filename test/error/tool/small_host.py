"""small_host.py KILN WORK: hosts with too little memory, step by step.

Wherever memory runs out, in the tool, in the executor or in one of its threads,
a run ends with one error, and never by a signal.
"""
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

kiln = sys.argv[1]
work = Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
binary = work / "product.kbin"
MIB = 1 << 20


def run(bytes_allowed, *words):
    """What the tool says with so much address space, or with all there is."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (bytes_allowed, bytes_allowed))
    return subprocess.run([kiln, *map(str, words)], capture_output=True, text=True, cwd=work,
                          preexec_fn=limit if bytes_allowed else None, timeout=120)


made = run(0, "compile", "matmul", "--m=512", "--k=1024", "--n=512", "-o", binary)
assert made.returncode == 0, made.stderr
starts = next(size for size in range(64 * MIB, 4096 * MIB, 4 * MIB)
              if run(size, "--version").returncode == 0)
endings = set()
for step in range(200):
    size = starts + step * 3 * MIB
    done = run(size, "run", binary, "--random-seed", 1)
    codes = re.findall(r"\[(KILN-\w+)\]", done.stderr)
    good = done.returncode == 0 and not codes
    refused = done.returncode == 1 and codes in (["KILN-X011"], ["KILN-T003"])
    assert good or refused, f"with {size} bytes: {done.returncode}\n{done.stdout}{done.stderr}"
    endings |= set(codes)
    if good:
        break
assert good, "never had enough"
assert "KILN-X011" in endings, f"the executor never ran out of memory: {endings}"
print(f"starts with {starts // MIB} MiB, runs with {size // MIB}; {step} sizes between: {sorted(endings)}")
