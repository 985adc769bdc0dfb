"""schedules.py KILN WORK: schedules that are attached from outside.

What the compiler writes leads to the same bytes when it is given back. What a person changes in it is found in the
binary, which still computes the right values, or is refused with the line and the reason.
"""
import math
import random
import re
import subprocess
import sys
from pathlib import Path

from runs import Runs

kiln, work = sys.argv[1], Path(sys.argv[2])
runs = Runs(kiln, work)
need, run, failures = runs.need, runs.run, runs.failures


def emitted(*kernel):
    return run("compile", *kernel, "--emit", "schedule").stdout


def attach(text, *kernel, code=0):
    (work / "edited.schedule").write_text(text)
    return run("compile", *kernel, "--schedule", "edited.schedule", "-o", "edited.kbin", code=code)


# Back and forth: the same bytes.
KERNELS = [
    "softmax --rows=4096 --cols=4096 --dtype=bf16",
    "softmax --rows=4096 --cols=4096 --dtype=bf16 --target=trn3",
    "softmax --rows=300 --cols=5000 --target=trn1",
    "rmsnorm --rows=4096 --cols=4096 --dtype=bf16",
    "layernorm --rows=1024 --cols=4096 --dtype=bf16",
    "matmul --m=1024 --k=1024 --n=1024",
    "matmul --m=600 --k=4200 --n=700",
    "flash_attention --target=trn1 --seq-q=1000",
    "flash_attention --seq-q=2048 --seq-k=2048",
    "flash_attention --seq-q=1000 --seq-k=1000 --causal --target=trn3",
    "qkv --tokens=300 --hidden=512 --heads=4 --kv-heads=2 --head-dim=64",
    # Memory is short: some buffers get fewer copies than they ask for.
    "norm_mlp --inner=8192",
    "flash_attention --heads=2 --kv-heads=1 --seq-q=260 --seq-k=130 --head-dim=64 --causal",
    # The blocks that are chosen first do not fit.
    "layernorm --rows=129 --cols=11000 --dtype=f32",
    "rmsnorm_cores --cores=2",
    "ring_all_gather --group=4",
    "sbuf_all_reduce --group=4",
]
forms = set()
for words in KERNELS:
    kernel = words.split()
    text = emitted(*kernel)
    forms |= set(re.findall(r"^loop \S+ (\w+)", text, re.M))
    run("compile", *kernel, "-o", "own.kbin")
    attach(text, *kernel)
    need((work / "own.kbin").read_bytes() == (work / "edited.kbin").read_bytes(),
         f"{words}: its own schedule leads to other bytes")
need(forms == {"unordered", "ordered", "pipelined"}, f"forms of loops: {forms}")

# What the compiler wanted and had no room for is refused where a person writes it down.
SHORT = ["norm_mlp", "--inner=8192"]
text = emitted(*SHORT)
ring = re.search(r"^  ring b1 \d+\n", text, re.M)
need(ring and "ring b2" not in text, f"rings of a loop without room: {re.findall('  ring .*', text)}")
said = attach(text[:ring.end()] + "  ring b2 2\n" + text[ring.end():], *SHORT, code=1).stderr
need("KILN-C191" in said and "buffer b2 is to have 2 copies, but 1 has room" in said and "edited.schedule:" in said, said)

# What a person changes.
SOFTMAX = ["softmax", "--rows=8192", "--cols=2048", "--dtype=bf16", "--target=trn3"]
OWN = emitted(*SOFTMAX)
LINES = OWN.splitlines()
need("loop rows pipelined" in OWN, f"the loop of the softmax is not pipelined: {OWN}")


def place(start):
    return next(i for i, line in enumerate(LINES) if line.split("#")[0].strip().startswith(start))


def changed(edit):
    lines = list(LINES)
    edit(lines)
    return "\n".join(lines) + "\n"


def replaced(start, before, after):
    def edit(lines):
        found = lines[place(start)]
        need(before in found, f"'{found}' has no '{before}'")
        lines[place(start)] = found.replace(before, after, 1)
    return changed(edit)


def honoured(what, text):
    attach(text, *SOFTMAX)
    done = run("run", *SOFTMAX, "--schedule", "edited.schedule", "--random-seed=1", "--reference")
    need("all checks passed" in done.stdout, f"{what}: {done.stdout}")
    return run("disasm", "edited.kbin").stdout


def refused(what, text, code, *words):
    said = attach(text, *SOFTMAX, code=1).stderr
    need(code in said, f"{what}: no {code}: {said}")
    for word in words:
        need(word in said, f"{what}: nothing of '{word}': {said}")


def stream(text, engine):
    """The mnemonics in the loop of a stream, with what tells them apart."""
    body = text.split(f".stream {engine}\n")[1].split("\n\n")[0]
    loop = body.split("  loop ")[1].split("  end_loop")[0] if "  loop " in body else ""
    return [line.split()[0] for line in loop.splitlines()[1:] if "semaphore" not in line]


def ops(engine):
    """Names in the order of the lines, one interval."""
    return [line.split()[1].split(".")[0] for line in LINES if line.startswith("  op ") and line.split()[2] == engine]


vector = ops("vector")
need(len(vector) >= 3, f"the vector engine has {vector}")
own = honoured("nothing", OWN)
cycle = stream(own, "vector")
need(cycle and cycle == vector * (len(cycle) // len(vector)), f"the stream {cycle} is not {vector}")


def names(engine):
    return [i for i, line in enumerate(LINES) if line.startswith("  op ") and line.split()[2] == engine]


# Every swap of neighbours in the Vector stream is honoured or refused.
taken = 0
for first, second in zip(names("vector"), names("vector")[1:]):
    def swap(lines):
        lines[first], lines[second] = lines[second], lines[first]
    text = changed(swap)
    (work / "edited.schedule").write_text(text)
    done = subprocess.run([kiln, "compile", *SOFTMAX, "--schedule", "edited.schedule", "-o", "edited.kbin"], cwd=work,
                          capture_output=True, text=True, timeout=600)
    if done.returncode == 0:
        taken += 1
        wanted = [line.split()[1].split(".")[0] for line in text.splitlines()
                  if line.startswith("  op ") and line.split()[2] == "vector"]
        cycle = stream(honoured("swap", text), "vector")
        need(cycle and cycle == wanted * (len(cycle) // len(wanted)), f"swapped to {wanted}, the stream is {cycle}")
    else:
        need("KILN-C191" in done.stderr, f"swap of {LINES[first]} and {LINES[second]}: {done.stderr}")
need(taken > 0, "no swap was taken")

# A deeper ring, an instruction of a later stage, no times at all.
ring = LINES[place("ring b0")]
copies = int(ring.split()[2])
honoured("a deeper ring", changed(lambda lines: lines.__setitem__(place("ring b0"), f"  ring b0 {2 * copies}")))
# A number of copies that others do not divide stays what it is.
others = math.lcm(*(int(line.split()[2]) for line in LINES if line.startswith("  ring ") and line != ring))
odd = next(number for number in range(copies + 1, 17) if others % number != 0 and math.lcm(others, number) <= 16)
(work / "edited.schedule").write_text(OWN.replace(ring, f"  ring b0 {odd}"))
need(f"ring b0 {odd}\n" in run("compile", *SOFTMAX, "--schedule", "edited.schedule", "--emit", "schedule").stdout, f"b0 {odd}")
last = max((i for i, line in enumerate(LINES) if line.startswith("  op dma_copy")), key=lambda i: int(
    LINES[i].split("stage ")[1].split()[0]))
stage = int(LINES[last].split("stage ")[1].split()[0])


def later(lines):
    lines[last] = lines[last].replace(f"stage {stage}", f"stage {stage + 1}")
    for i, line in enumerate(lines):
        if line.startswith("  ring "):
            lines[i] = f"  ring {line.split()[1]} {2 * int(line.split()[2])}"


honoured("a later stage", changed(later))
honoured("no times", re.sub(r" (at|interval) [\d.]+", "", OWN))
# Another engine.
negation = next(line for line in LINES if "tensor_scalar.2 " in line)
other = "vector" if " scalar " in negation else "scalar"
text = OWN.replace(negation, negation.replace(f" {negation.split()[2]} ", f" {other} ", 1))
need(stream(honoured("another engine", text), other).count("tensor_scalar") >
     stream(own, other).count("tensor_scalar"), "the negation is not on the other engine")

# An order instead of a pipeline.
ordered = [re.sub(r"(op \S+ \S+).*", r"\1", line) for line in LINES if line.startswith("  op ")]
ordered.sort(key=lambda line: int(line.split()[1].split(".")[1]))
honoured("an order", f"schedule softmax trn3\nloop rows ordered\n  ring b0 3\n" + "\n".join(ordered) + "\n")
swapped = [ordered[1], ordered[0], *ordered[2:]]
refused("an order against a dependence", "schedule softmax trn3\nloop rows ordered\n" + "\n".join(swapped) + "\n",
        "KILN-C191", "tensor_reduce.1 comes before dma_copy.0", "edited.schedule:3", "loop 'rows'")
# Only engines.
honoured("engines only", "schedule softmax trn3\nloop rows unordered\n" + "\n".join(ordered) + "\n")
honoured("nothing said", "schedule softmax trn3\n")

# What cannot be kept.
refused("an engine", replaced("op activation.3", " scalar ", " tensor "), "KILN-C191", "activation.3", "tensor",
        "only scalar may run it")
first_load = LINES[place("op dma_copy.0")]
refused("a stage too late", OWN.replace(first_load, re.sub(r"stage \d+", "stage 9", first_load)), "KILN-C191",
        "loop 'rows'", "dma_copy.0")
refused("too few copies", changed(lambda lines: lines.__setitem__(place("ring b0"), "  ring b0 1")), "KILN-C191", "b0")
refused("too many copies", changed(lambda lines: lines.__setitem__(place("ring b0"), "  ring b0 4000")), "KILN-C191",
        "bytes of a partition of sbuf", "room for")
refused("copies that divide nothing", changed(lambda lines: lines.__setitem__(place("ring b0"), "  ring b0 17")),
        "KILN-C191", "a body of at most 16 iterations")
refused("depth", OWN.replace(first_load, re.sub(r"stage \d+", "stage 4000", first_load)), "KILN-C191", "at most 256")

# What is for something else.
refused("a kernel", OWN.replace("schedule softmax", "schedule rmsnorm"), "KILN-C190", "rmsnorm")
refused("a target", OWN.replace("trn3", "trn1"), "KILN-C190", "is for trn1", "trn3")
refused("a loop", OWN.replace("loop rows", "loop row"), "KILN-C190", "loop 'row'", "loops: rows")
refused("an instruction", OWN.replace("op activation.3", "op activation.9"), "KILN-C190", "activation.9", "does not exist")
refused("an instruction less", changed(lambda lines: lines.pop(place("op activation.3"))), "KILN-C190", "leaves out",
        "activation.3")
refused("an instruction more", OWN + LINES[place("op activation.3")] + "\n", "KILN-C190", "twice")
refused("a ring", OWN.replace("ring b0", "ring x"), "KILN-C190", "ring 'x'")
refused("two sections", OWN + "loop rows unordered\n" + "\n".join(ordered) + "\n", "KILN-C190", "two")
refused("two cores", OWN + "\n" + OWN, "KILN-C190", "for 2 cores")

# What cannot be read.
HEAD = "schedule softmax trn3\n"
for what, text, *words in [
        ("nothing", "", "it holds no schedule"),
        ("a word", "loop rows ordered\n", "edited.schedule:1", "schedule KERNEL TARGET"),
        ("a form", HEAD + "loop rows orderly\n", "edited.schedule:2", "orderly", "unordered, ordered or pipelined"),
        ("no section", HEAD + "op a vector\n", "outside, or loop NAME"),
        ("an engine", HEAD + "loop rows ordered\n  op a matrix\n", "edited.schedule:3", "matrix"),
        ("a stage", HEAD + "loop rows ordered\n  op a vector stage 1\n", "only pipelined loops have more"),
        ("a number", HEAD + "loop rows ordered\n  ring b0 many\n", "many", "1 to 4096"),
        ("no copies", HEAD + "loop rows ordered\n  ring b0 0\n", "1 to 4096"),
        ("a time", HEAD + "loop rows pipelined interval 1.2345\n", "1.2345"),
        ("a time", HEAD + "loop rows pipelined interval -1\n", "like 12.5"),
        ("a time", HEAD + "loop rows pipelined interval 99999999999999999999\n", "at most a second"),
        ("more", HEAD + "outside more\n", "the end of the line"),
        ("a rule", HEAD + "loop rows pipelined\n  rings b0 1\n", "rings")]:
    refused(f"text with {what}", text, "KILN-P130", *words)

# What only a pass that is left out could keep.
(work / "edited.schedule").write_text(OWN)
done = run("compile", *SOFTMAX, "--schedule", "edited.schedule", "--without=nc-pipeline-loops", "-o", "edited.kbin", code=1)
need("KILN-C191" in done.stderr and "nc-pipeline-loops has not run" in done.stderr, f"left out: {done.stderr}")

# Two engines take turns.
TURNS = ["layernorm", "--rows=4096", "--cols=3072", "--dtype=bf16"]
text = emitted(*TURNS)
turn = re.search(r"^  turn (\S+) (\w+) (\d+)(.*)\n", text, re.M)
need(turn, f"nobody takes turns: {text}")
name, other, share = turn.groups()[:3]
owner = re.search(rf"^  op {re.escape(name)} (\w+) ", text, re.M)[1]


def both(text):
    """How often each of the two engines runs the instruction in a turn of the binary's loop."""
    attach(text, *TURNS)
    done = run("run", *TURNS, "--schedule", "edited.schedule", "--random-seed=1", "--reference")
    need("all checks passed" in done.stdout, f"turns: {done.stdout}")
    binary = run("disasm", "edited.kbin").stdout
    return [stream(binary, engine).count(name.split(".")[0]) for engine in (owner, other)]


own = both(text)
need(min(own) > 0, f"{name} is not in both streams: {own}")
more = both(text.replace(turn[0], turn[0].replace(f" {share} ", " 1000 ")))
need(more[1] > own[1], f"{name}, {share} and 1000 of 1024: {own}, {more}")
alone = both(text.replace(turn[0], ""))
need(alone[1] < own[1], f"{name} without turns: {alone}")
for what, before, after, code, *words in [
        ("its own engine", f" {other} ", f" {owner} ", "KILN-C191", "runs it anyway"),
        ("an engine", f" {other} ", " tensor ", "KILN-C191", "may run it"),
        ("an instruction", name, "exponential.9", "KILN-C191", "exponential.9", "take turns with"),
        ("no share", f" {share} ", " 0 ", "KILN-P130", "1 to 1023"),
        ("all of it", f" {share} ", " 1024 ", "KILN-P130", "1 to 1023"),
        ("an iteration", turn[4], " iteration 1" + turn[4], "KILN-C191", "numbered from 0 to 0")]:
    said = attach(text.replace(turn[0], turn[0].replace(before, after, 1)), *TURNS, code=1).stderr
    need(code in said and all(word in said for word in words), f"turns, {what}: {said}")
said = attach(text + turn[0], *TURNS, code=1).stderr
need("KILN-C190" in said and f"turn '{name}' twice" in said, f"two turns: {said}")
said = attach(text + turn[0].replace(f" {share} ", " 1000 "), *TURNS, code=1).stderr
need("KILN-C191" in said and f"two shares: 1000 and {share}" in said, f"two shares: {said}")
# One that relieves nobody: its engine does not bind.
idle = re.search(r"^  op (\S+) gpsimd stage \d+ .*\n", text, re.M)[1]
said = attach(text + f"  turn {idle} vector 100\n", *TURNS, code=1).stderr
need(re.search(r"KILN-C19[01]", said) and idle in said, f"a turn of {idle}: {said}")
said = attach(f"schedule layernorm trn2\nloop rows ordered\n{turn[0]}", *TURNS, code=1).stderr
need("KILN-P130" in said and "only pipelined loops have turns" in said, f"turns in an order: {said}")

# Damaged texts: used or refused with a code, never a crash.
draw = random.Random(14)
codes = set()
for _ in range(120):
    words = re.split(r"(\s+)", OWN)
    for _ in range(draw.randint(1, 4)):
        place_of = draw.randrange(len(words))
        words[place_of] = draw.choice(["", "\n", "4096", "99999999999999999999", "-1", "op", "ring", "b0", "vector", "stage", "#",
                                       "\0\xff", words[draw.randrange(len(words))]])
    text = "".join(words)
    if draw.random() < 0.2:
        lines = text.splitlines()
        draw.shuffle(lines)
        text = "\n".join(lines)
    if draw.random() < 0.2:
        text = text[:draw.randrange(len(text))]
    (work / "damaged.schedule").write_text(text)
    done = subprocess.run([kiln, "compile", *SOFTMAX, "--schedule", "damaged.schedule", "-o", "damaged.kbin"], cwd=work,
                          capture_output=True, text=True, timeout=60)
    told = re.findall(r"KILN-[A-Z]\d+", done.stderr)
    codes |= set(told[:1])
    need(done.returncode == 0 or (done.returncode == 1 and told), f"damaged, {done.returncode}: {done.stderr[:400]}\n{text}")
need({"KILN-P130", "KILN-C190"} <= codes <= {"KILN-P130", "KILN-C190", "KILN-C191"}, f"codes of damaged texts: {codes}")

# Beside the kernel, as a value.
BESIDE = """#include "kiln/kiln.h"
#include "kiln/schedule.h"
using namespace kiln;
struct Scale {
  BOOST_HANA_DEFINE_STRUCT(Scale, (int, rows), (int, copies));
  static Scale defaults() { return {1024, 5}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 512});
    s.argument("y", {rows, 512});
  }
  void operator()(In<bf16, 2> x, Out<bf16, 2> y) const {
    loop("rows", rows / 128, [&](Index r) { store(y.rows(r, 128_c), exp(load(x.rows(r, 128_c)))); });
  }
  schedule::Schedule schedule() const {
    using isa::Engine;
    const auto times = static_cast<std::uint32_t>(copies);
    return {"scale", "trn2", {{"rows", schedule::Form::ordered, {}, 1, {{"b0", times}},
            {{"dma_copy.0", Engine::scalar}, {"activation.1", Engine::scalar}, {"dma_copy.2", Engine::sync}}}}};
  }
};
KILN_EXPORT(scale, Scale)
"""
(work / "beside.cpp").write_text(BESIDE)
text = emitted("beside.cpp")
need("ring b0 5" in text and "op dma_copy.0 scalar" in text and "op dma_copy.2 sync" in text, f"beside: {text}")
text = emitted("beside.cpp", "--target=trn3")
need("op dma_copy.0 sync" in text, f"its schedule is for another target: {text}")
done = run("compile", "beside.cpp", "--copies=4000", "-o", "edited.kbin", code=1)
need("KILN-" in done.stderr, done.stderr)
done = run("compile", "beside.cpp", "--copies=100000", "-o", "edited.kbin", code=1)
need("error: in line 4 of the schedule that kernel 'scale' gives itself: expected a number from 1 to 4096, found '100000' "
     "[KILN-P130]" in done.stderr, done.stderr)
run("compile", "beside.cpp", "--emit", "program", "-o", "beside.kprog")
need('schedule "schedule scale trn2' in (work / "beside.kprog").read_text(), "the Program has no schedule")

# Where it cannot be.
run("compile", *SOFTMAX, "-o", "own.kbin")
done = run("run", "own.kbin", "--schedule", "edited.schedule", "--random-seed=1", code=2)
need("comes too late" in done.stderr, done.stderr)
need("[KILN-T001]" in run("compile", *SOFTMAX, "--schedule", "absent", code=1).stderr, "an absent file")

# The exact solver: right values, and the same bytes twice.
run("compile", *SOFTMAX, "--optimal", "-o", "own.kbin")
run("compile", *SOFTMAX, "--optimal", "-o", "edited.kbin")
need((work / "own.kbin").read_bytes() == (work / "edited.kbin").read_bytes(), "--optimal differs from run to run")
need("all checks passed" in run("run", *SOFTMAX, "--optimal", "--random-seed=1", "--reference").stdout, "--optimal")
# Never slower than without: both are timed.
spans = [re.search(r"makespan +(\S+) us", run("profile", *SOFTMAX, *words, "--no-insights").stdout) for words in ([], ["--optimal"])]
need(all(spans) and float(spans[1][1]) <= float(spans[0][1]), f"--optimal is slower: {spans}")

print("\n".join(failures) or f"{len(KERNELS)} kernels lead back to their bytes")
sys.exit(bool(failures))
