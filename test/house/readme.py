"""readme.py PAGE BIN WORK [FILE...]: runs the commands that a page shows.

Code blocks whose language is `sh` are run in order, in one folder, with the
build's tools on PATH. `make` lines are left out: they are what runs this test.
A ```cpp block whose first line is `// FILE` is saved as FILE first. FILEs are
copied there; if there are any, all other ```cpp blocks must be part of one.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

page, tools, work = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
files = [Path(file) for file in sys.argv[4:]]
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
text = page.read_text()
for file in files:
    shutil.copy(file, work)
for block in re.findall(r"```cpp\n(.*?)```", text, re.S):
    name = re.match(r"// (\S+\.cpp)", block)
    if name:
        (work / name.group(1)).write_text(block)
    elif files and not any(block in file.read_text() for file in files):
        sys.exit(f"{page.name} shows code that is in no program:\n{block}")
script = "".join(re.findall(r"```sh\n(.*?)```", text, re.S))
commands = [line for line in script.splitlines() if line and not line.startswith(("make", "#", "git", "cd", "sudo"))]
if not files and not any(line.startswith("kiln ") for line in commands):
    sys.exit(f"{page.name} shows no kiln command")
environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"],
                   KILN_CACHE_DIR=str(work / "cache"))
for command in commands:
    print("$", command, flush=True)
    done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"the command '{command}' of {page.name} ended with {done.returncode}")
