"""assembly.py KILN WORK: mistakes in assembly are all told, each with line, stream and place in it; what unary operators take."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

kiln, work = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
failures = []


def asm(text):
    Path("in.kasm").write_text(text)
    return subprocess.run([kiln, "asm", "in.kasm", "-o", "out.kbin"], capture_output=True, text=True, timeout=60)


def check(what, good, done):
    if not good:
        failures.append(f"{what}: {done.returncode}\n{done.stderr}")


HEAD = ".kernel k\n.target trn2\n.tensor output y: f32[1, 16]\n"
TILE = "sbuf[p0:1, 0x0: f32 16x1]"
STORE = f".stream sync\n  dma_copy dst=hbm[y: f32 16x1], src={TILE}, queue=0, wait s0>=1\n"

# Instructions that no machine runs: line 6 and 7 of vector, 9 of sync, which came from a kernel's line 12.
done = asm(HEAD + '.location 1 "user.cpp" 12:0 "" ""\n.stream vector\n'
           f"  tensor_scalar dst={TILE}, data={TILE}, op0=add\n"
           f"  memset dst=sbuf[p3:4, 0x0: f32 16x1], value=1.0\n"
           f".stream sync\n  dma_copy dst=hbm[y: f32 16x1], src={TILE}, queue=16 ; @1\n")
for part in ("in.kasm:6: error: vector instruction 0: tensor_scalar: op0 = add takes two inputs, but operand0 is missing "
             "[KILN-I014]\n",
             "in.kasm:7: error: vector instruction 1: memset: ", "in.kasm:9: error: sync instruction 0 (user.cpp:12): dma_copy: "):
    check(part, part in done.stderr and done.returncode == 1 and done.stderr.count("error:") == 3, done)
check("nothing is written", not Path("out.kbin").exists(), done)

# Lines that are not understood: all, up to a directive on which others build.
done = asm(HEAD + f".stream vector\n  memset dst={TILE}, value=?\n  nonsense\n  memset dst={TILE}, value=1.0\n  memset\n")
check("three lines", done.stderr.count("error:") == 3 and all(f"in.kasm:{line}:" in done.stderr for line in (5, 6, 8)), done)
done = asm(".kernel k\n.target trn9\n.tensor what\n.stream vector\n  nonsense\n")
check("a directive ends it", done.stderr.count("error:") == 1 and "in.kasm:2:" in done.stderr, done)
# One loop too many does not make all that follows wrong.
done = asm(HEAD + f".stream vector\n  end_loop\n  loop r0 = 0 to 2 step 1\n  end_loop\n  end_loop\n")
check("nesting", done.stderr.count("error:") == 1 and "in.kasm:5:" in done.stderr, done)

# The second core has lines and streams of its own.
done = asm(".kernel k\n.target trn2\n.fact core = \"0\"\n.fact cores = \"2\"\n.core 1\n.kernel k\n.target trn2\n"
           f".fact core = \"1\"\n.fact cores = \"2\"\n.stream scalar\n  tensor_scalar dst={TILE}, data={TILE}, op0=add\n")
check("core 1", "in.kasm:11: error: scalar instruction 0: " in done.stderr, done)
done = asm(".kernel k\n.target trn1\n.fact core = \"0\"\n.fact cores = \"2\"\n.core 1\n.kernel k\n.target trn1\n"
           ".fact core = \"1\"\n.fact cores = \"2\"\n")
check("two cores of trn1", "[KILN-I084]" in done.stderr and "a rank of trn1 has one" in done.stderr, done)

# A unary operator takes no operand, or the 0 that stands for none; in both stages, with or without reverse.
fill = f".stream vector\n  memset dst={TILE}, value=-3.0\n"
results = set()
for operand in ("", ", operand0=0.0", ", operand0=0.0, reverse0", ", reverse0"):
    done = asm(HEAD + fill + f"  tensor_scalar dst={TILE}, data={TILE}, op0=abs{operand}, op1=abs{operand.replace('0=', '1=').replace('reverse0', 'reverse1')}, signal s0+=1\n" + STORE)
    check(f"abs{operand}", done.returncode == 0, done)
    ran = subprocess.run([kiln, "run", "out.kbin", "--dump", "y[0:4]"], capture_output=True, text=True)
    check(f"abs{operand} runs", ran.returncode == 0 and "3" in ran.stdout, ran)
    results.add(ran.stdout)
check(f"one result, not {results}", len(results) == 1, done)
BITS = TILE.replace("f32", "i32")
results = set()
for operand in ("", ", operand0=int(0)", ", operand0=int(0), reverse0", ", reverse0"):
    done = asm(HEAD.replace("f32", "i32") + f".stream vector\n  memset dst={TILE}, value=-3.0\n"
               f"  tensor_scalar dst={BITS}, data={BITS}, op0=invert{operand}, signal s0+=1\n" + STORE.replace("f32", "i32"))
    check(f"invert{operand}", done.returncode == 0, done)
    ran = subprocess.run([kiln, "run", "out.kbin", "--dump", "y[0:4]"], capture_output=True, text=True)
    check(f"invert{operand} runs", ran.returncode == 0, ran)
    results.add(ran.stdout)
check(f"one result, not {results}", len(results) == 1, done)
for operand in ("1.0", "nan", "sbuf[p0:1, 0x40: f32]"):
    done = asm(HEAD + fill + f"  tensor_scalar dst={TILE}, data={TILE}, op0=abs, operand0={operand}\n")
    check(f"abs of two ({operand})", done.returncode == 1 and "in.kasm:6: error: vector instruction 1: tensor_scalar: op0 = abs "
          "takes one input, but operand0 is given; expected none or 0 [KILN-I014]" in done.stderr, done)

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
