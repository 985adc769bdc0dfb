"""subjects.py ROOT: subjects of the last 200 commits name a component first and have at most 72 characters.

Merges are left out. Without a history, as in a source archive, the test is skipped.
"""
import re
import subprocess
import sys
from pathlib import Path

COUNT, MOST = 200, 72


def problems(subjects):
    for subject in subjects:
        if len(subject) > MOST:
            yield f"{len(subject)} characters, at most {MOST}: {subject}"
        if not re.match(r"[\w./-]+(, [\w./-]+)*: \S", subject):
            yield f"no component first, as in 'compiler: keep order of aliasing stores': {subject}"


def main(root):
    if not (Path(root) / ".git").exists():
        print("there is no history")
        return 77
    try:
        done = subprocess.run(["git", "log", "--no-merges", "-n", str(COUNT), "--format=%s"], cwd=root,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        print("there is no git")
        return 77
    if done.returncode != 0:
        print(f"there is no history that git reads: {done.stderr}")
        return 77
    subjects = done.stdout.splitlines()
    found = list(problems(subjects))
    print("\n".join(found) or f"{len(subjects)} subjects are right")
    return 1 if found or not subjects else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
