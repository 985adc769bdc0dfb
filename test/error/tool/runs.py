"""runs.py: runs of kiln in one folder, and a list of what is wrong with them."""
import subprocess


class Runs:
    def __init__(self, kiln, work):
        work.mkdir(parents=True, exist_ok=True)
        self.kiln, self.work, self.failures = kiln, work, []

    def need(self, holds, what):
        if not holds:
            self.failures.append(what)

    def run(self, *words, code=0):
        done = subprocess.run([self.kiln, *words], cwd=self.work, capture_output=True, text=True, timeout=600)
        self.need(done.returncode == code, f"{' '.join(words)}: ended with {done.returncode}: {done.stderr[:600]}")
        return done
