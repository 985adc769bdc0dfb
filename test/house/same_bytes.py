"""same_bytes.py KILN: compiles every library kernel twice and compares.

Two processes have different addresses (ASLR): an order that depends on a
pointer, or anything read off the clock, shows up as different bytes.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
import cases

kiln = sys.argv[1]


def lines(*words):
    done = subprocess.run([kiln, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"kiln {' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout.splitlines()


def compiles(name, target, file):
    """No where the generation lacks an instruction: error.complaints looks whether the kernel's README.md says so."""
    done = subprocess.run([kiln, "compile", name, "--target", target, "-o", str(file)], capture_output=True, text=True)
    refused = re.search(cases.LACKS, done.stderr)
    if done.returncode != 0 and not refused:
        sys.exit(f"{name} for {target} does not compile:\n{done.stderr}")
    return done.returncode == 0


names = lines("list", "--names")
if not names:
    sys.exit("kiln list --names shows no kernel")
with tempfile.TemporaryDirectory() as folder:
    for name in names:
        for target in ("trn1", "trn2", "trn3"):
            files = [Path(folder) / f"{name}-{target}-{i}.kbin" for i in range(2)]
            if not all(compiles(name, target, file) for file in files):
                continue
            first, second = (file.read_bytes() for file in files)
            if first != second:
                at = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), "the end")
                sys.exit(f"{name} for {target}: two compilations differ at byte {at}")
            # And the text form carries all of it.
            text, again = (Path(folder) / f"x{i}" for i in range(2))
            lines("disasm", str(files[0]), "-o", str(text))
            lines("asm", str(text), "-o", str(again))
            if again.read_bytes() != first:
                sys.exit(f"{name} for {target}: asm(disasm(x)) is not x")
    print(f"{len(names)} kernels, three targets: equal bytes, and equal through text")
