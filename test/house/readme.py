"""readme.py PAGE BIN WORK [FILE...]: runs the commands that a page shows.

The commands run in one folder, in the order of the page, with the build's tools
on PATH:
  * each line of a ```sh block. `make` lines are left out: they run this test.
  * each line `$ COMMAND` of a ```console block. The text below it must be in
    what the command prints, with `...` where the page leaves something out.
  * each table cell that is a `kiln` command. The text in bold in its row must
    be in what the command prints.
Spaces and line breaks may differ, and numbers with a fraction by 2 per cent.

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
environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"],
                   KILN_CACHE_DIR=str(work / "cache"))


def run(command):
    print("$", command, flush=True)
    done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, flush=True)
    if done.returncode != 0:
        sys.exit(f"the command '{command}' of {page.name} ended with {done.returncode}")
    return done.stdout


def words(text):
    return re.findall(r"\d+\.\d+|[^\s.,;:()]+|\S", text)


def agree(shown, printed):
    if re.fullmatch(r"\d+\.\d+", shown) and re.fullmatch(r"\d+\.\d+", printed):
        return abs(float(shown) - float(printed)) <= 0.02 * float(printed)
    return shown == printed


def demand(shown, printed, command):
    """Ends the test unless the parts of `shown` are in `printed`, in order."""
    place, output = 0, words(printed)
    for part in re.split(r"\.\.\.", shown):
        wanted = words(part)
        for start in range(place, len(output) - len(wanted) + 1):
            if all(agree(a, b) for a, b in zip(wanted, output[start:])):
                place = start + len(wanted)
                break
        else:
            sys.exit(f"{page.name} shows what '{command}' does not print:\n{part.strip()}")


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

commands = []  # each with the texts that it must print
for language, block, row in re.findall(r"^```(sh|console)\n(.*?)^```|^(\|[^\n]*\|)$", text, re.S | re.M):
    if language == "sh":
        commands += [(line, []) for line in block.splitlines()
                     if line and not line.startswith(("make", "#", "git", "cd", "sudo", "export"))]
    elif language == "console":
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            commands.append((command, [output]))
    else:
        commands += [(command, re.findall(r"\*\*(.*?)\*\*", row))
                     for command in re.findall(r"\| `(kiln [^`]*)` (?=\|)", row) if "**" in row]
if not files and not any(command.startswith(("kiln ", "! kiln ")) for command, _ in commands):
    sys.exit(f"{page.name} shows no kiln command")
for command, shown in commands:
    printed = run(command)
    for part in shown:
        demand(part, printed, command)
