#!/usr/bin/env python3
"""compile-commands.py BUILD FOLDER: writes FOLDER/compile_commands.json, where each source has a command of its own.

CMake names what it compiles: with KILN_GROUPS, files that include several sources each.
"""
import json
import pathlib
import re
import sys

build, folder = map(pathlib.Path, sys.argv[1:])
commands = []
for command in json.loads((build / "compile_commands.json").read_text()):
    file = pathlib.Path(command["file"])
    sources = [str(file)]
    if file.parent.name == "Unity":
        sources = re.findall(r'^#include "(.*)"$', file.read_text(), re.M)
    for source in sources:
        commands.append({**command, "file": source, "command": command["command"].replace(f"-c {file}", f"-c {source}")})
folder.mkdir(exist_ok=True)
(folder / "compile_commands.json").write_text(json.dumps(commands, indent=0))
