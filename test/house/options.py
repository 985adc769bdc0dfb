"""options.py KILN PAGE: the page of the tool names the options that it has.

Every option that `kiln COMMAND --help` lists is on the page, and every option on
the page is one of them, or a parameter of a kernel in an example. On the pages
beside it, a command in code has options of that command only, or parameters of
the library's kernels.
"""
import re
import subprocess
import sys
from pathlib import Path

kiln, page = sys.argv[1], Path(sys.argv[2]).read_text()
OPTION = r"(?<![\w-])--[a-z][a-z-]*"
PARAMETERS = {"--seq-q", "--seq-k", "--causal", "--no-causal", "--dtype", "--rows"}  # of kernels in examples
HIDDEN = {"--fail-in", "--checks"}  # for tests; the default


def help_of(*command):
    return subprocess.run([kiln, *command, "--help"], capture_output=True, text=True, check=True).stdout


commands = re.findall(r"^  (\w+) {2,}\w", help_of(), re.M)
listed = {"--help", *re.findall(rf"'(?:kiln )?({OPTION})", help_of())}
own = {command: set(re.findall(rf"^ +({OPTION})", help_of(command), re.M)) for command in commands}
listed |= set().union(*own.values())
library = subprocess.run([kiln, "list"], capture_output=True, text=True, check=True).stdout
parameters = set(re.findall(rf"^ +({OPTION})=", library, re.M))
shown = set(re.findall(OPTION, page))
problems = [f"the page leaves out {option}" for option in sorted(listed - shown - HIDDEN - {"--version"})]
problems += [f"no command has the option {option}" for option in sorted(shown - listed - PARAMETERS)]
problems += [f"the page leaves out kiln {command}" for command in commands if f"kiln {command} " not in page]
others = [path for path in Path(sys.argv[2]).parent.glob("*.md") if path.name != "insights.md"]  # Run by its own test.
for path in sorted(others):
    for command, words in re.findall(r"(?:`|^ *(?:\$ (?:! )?)?)kiln (\w+)([^`\n#]*)", path.read_text(), re.M):
        wrong = set(re.findall(OPTION, words)) - own.get(command, set()) - parameters - {"--diagnostics", "--help"}
        problems += [f"{path.name}: kiln {command} has no option {option}" for option in sorted(wrong)]
if not commands:
    problems.append("kiln --help lists no command")
print("\n".join(problems) or f"{len(listed)} options of {len(commands)} commands")
sys.exit(1 if problems else 0)
