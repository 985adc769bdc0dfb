"""What the tests of `kiln profile` in this folder share: runs of the tool, and what failed."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

failures = []


def check(is_true, what):
    if not is_true:
        failures.append(what)
        print("FAILED", what)


def finish():
    """Ends the test."""
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


class Tool:
    """`kiln` in an empty folder `work`, which becomes the current one, beside copies of `files`."""

    def __init__(self, kiln, work, files=()):
        here = Path(__file__).resolve().parent
        self.kiln = str(Path(kiln).resolve())
        work = Path(work).resolve()
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        for file in files:
            shutil.copy(here / file, work)
        os.chdir(work)
        self.environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))

    def run(self, *words, code=0):
        done = subprocess.run([self.kiln, *words], capture_output=True, text=True, env=self.environment, timeout=300)
        check(done.returncode == code, f"{' '.join(words)}: exit code {done.returncode}: {done.stderr[:600]}")
        return done
