"""planted.py SCRIPTS WORK: pages that are wrong in one place each.

scripts/check-docs.py and readme.py must refuse each of them, and accept the
page without the mistake.
"""
import shutil
import subprocess
import sys
from pathlib import Path

scripts, work = Path(sys.argv[1]), Path(sys.argv[2])
readme = Path(__file__).with_name("readme.py")
KERNEL = "int first();\n\n  int second();\nint third();\n"
PAGE = """# A page

## Part one

```cpp kernel.h
int first();
int second();
int third();
```

[part](#part-one), [code](kernel.h)
"""
SHOWN = """| **half: 0.501 s** | `kiln half` |

```console
$ kiln half
half:
...
whole: 1.00 s
```
"""


def check_docs(page):
    (work / "README.md").write_text(page)
    return subprocess.run([sys.executable, scripts / "check-docs.py", work], capture_output=True).returncode


def check_shown(page):
    (work / "page.md").write_text(page)
    return subprocess.run([sys.executable, readme, work / "page.md", work / "bin", work / "run"],
                          capture_output=True).returncode


shutil.rmtree(work, ignore_errors=True)
(work / "bin").mkdir(parents=True)
(work / "kernel.h").write_text(KERNEL)
(work / "bin" / "kiln").write_text("#!/bin/sh\necho half:  0.50 s, whole: 1.00 s\n")
(work / "bin" / "kiln").chmod(0o755)
failures = []
for check, right, mistakes in (
        (check_docs, PAGE, [("int third", "int fourth"), ("int second();\n", ""), ("cpp kernel.h", "cpp other.h"),
                            ("cpp kernel.h", "cpp"), ("(#part-one)", "(#part-two)"), ("(kernel.h)", "(kernel.cpp)"),
                            ("## Part one", "<<<<<<< HEAD\n## Part one"), ("# A page", "# A page" + " more" * 80)]),
        (check_shown, SHOWN, [("0.501", "0.52"), ("**half", "**Half"), ("whole: 1.00", "whole: 1.03"),
                              ("half:\n", "third:\n"), ("half:\n...\nwhole: 1.00 s", "whole: 1.00 s\n...\nhalf:")])):
    if check(right) != 0:
        failures.append(f"{check.__name__} refuses a page that is right")
    for before, after in mistakes:
        wrong = right.replace(before, after)
        assert wrong != right, before
        if check(wrong) != 1:
            failures.append(f"{check.__name__} accepts {after!r} in place of {before!r}")
print("\n".join(failures) or "every planted mistake is found")
sys.exit(1 if failures else 0)
