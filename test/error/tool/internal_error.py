"""internal_error.py KILN KILN_OPT WORK: what a user gets when Kiln is wrong.

A pass that is asked to fail stands for a defect: exit code 70, no output file,
and a reproducer that kiln-opt replays to the same message.
"""
import shutil
import subprocess
import sys
from pathlib import Path

kiln, kiln_opt, work = sys.argv[1], sys.argv[2], Path(sys.argv[3])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, cwd=work, timeout=300)


def check(holds, what, done):
    if not holds:
        sys.exit(f"{what}; exit code {done.returncode}, said:\n{done.stderr}")


for failing in ("tile-fuse", "nc-synchronize"):
    done = run(kiln, "compile", "softmax", "--rows=128", "--cols=64", "--fail-in", failing, "-o",
               "x.kbin")
    check(done.returncode == 70, "expected exit code 70", done)
    check("[KILN-C900]" in done.stderr and "[KILN-T070]" in done.stderr, "no code", done)
    check(not (work / "x.kbin").exists(), "a file was written all the same", done)
    reproducer = work / "kiln-crash-softmax.mlir"
    check(reproducer.name in done.stderr, "the reproducer is not named", done)
    check(f"stage '{failing}'" in reproducer.read_text(), "the stage is not named", done)
    check((work / "kiln-crash-softmax.program").exists(), "no Program beside it", done)
    replay = run(kiln_opt, "--run-reproducer", reproducer.name)
    check(replay.returncode != 0, "the reproducer does not fail", replay)
    check("[KILN-C900] internal: this error was asked for" in replay.stderr,
          "the reproducer fails otherwise", replay)
    reproducer.unlink()

done = run(kiln, "compile", "softmax", "--fail-in", "nc-odrer")
check(done.returncode == 2 and "did you mean" in done.stderr, "a wrong pass name", done)
