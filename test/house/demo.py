"""demo.py SCRIPT BUILD WORK: the demonstration runs, shows its figures first, and ends with the report.

SCRIPT is scripts/demo.sh, BUILD a folder with bin/kiln, WORK a folder that it may fill.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

script, build, work = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
done = subprocess.run([script, build, work], cwd=script.parents[1], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True)
if done.returncode != 0:
    sys.exit(f"{script.name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
problems = []
summary, _, rest = done.stdout.strip().partition("\n$ kiln ")
profile = json.loads((work / "profile.json").read_text())
makespan = re.search(r"makespan\s+(\d+\.\d+) us", summary)
if not makespan or abs(float(makespan[1]) * 1000 - profile["makespan_ns"]) > 5:
    problems.append(f"the makespan {profile['makespan_ns']} ns does not come first")
bound = re.search(r"lower bound\s+\d+\.\d+ us\s+\((\d+\.\d) % of the makespan\), bound by (\w+)", summary)
if not bound or abs(float(bound[1]) - 100 * profile["lower_bound_ns"] / profile["makespan_ns"]) > 0.06:
    problems.append("nor does its bound")
if not re.search(r"MFU \d+\.\d %", summary):
    problems.append("nor does the MFU of the product")
if not re.search(r"error\s+relative l2 0\.\d+ .*: ok$", summary, re.M):
    problems.append("nor does the error of the softmax")
for command in ("compile", "verify", "run", "profile"):
    if f"$ kiln {command} " not in done.stdout:
        problems.append(f"it does not show kiln {command}")
report = (work / "report.html").resolve()
if done.stdout.strip().split("\n")[-1] != f"Open the report: {report}":
    problems.append("the last line does not name the report")
if not report.is_file() or "</html>" not in report.read_text()[-100:]:
    problems.append("there is no report.html, or it is not whole")
for name in ("softmax.kbin", "softmax.kasm", "y.npy", "trace.json"):
    if not (work / name).stat().st_size:
        problems.append(f"{name} is empty")
print("\n".join(problems) or "the demonstration shows its figures first, and the report last")
sys.exit(1 if problems else 0)
