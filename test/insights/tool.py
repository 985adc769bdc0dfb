"""What the tests of `kiln profile` in this folder share: runs of the tool, and what failed."""
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
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
        self.environment.pop("COLUMNS", None)

    def shown(self, *words, columns, **variables):
        """What a terminal of that width shows."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {key: value for key, value in self.environment.items() if key != "NO_COLOR"}
        done = subprocess.Popen([self.kiln, *words], stdout=its, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                env=dict(environment, TERM="xterm", **variables))
        os.close(its)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # The other side is closed.
            pass
        os.close(ours)
        check(done.wait(300) == 0, f"{' '.join(words)} on a terminal: exit code {done.returncode}")
        return text.decode().replace("\r\n", "\n")

    def run(self, *words, code=0, **variables):
        done = subprocess.run([self.kiln, *words], capture_output=True, text=True, env=dict(self.environment, **variables), timeout=300)
        check(done.returncode == code, f"{' '.join(words)}: exit code {done.returncode}: {done.stderr[:600]}")
        return done
