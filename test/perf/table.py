#!/usr/bin/env python3
"""table.py KILN [--write PAGE | --check PAGE]: how fast the library's kernels are, as a table.

Each row is a kernel at a real size, on trn2 and trn3: the time, the share of it that the roofline needs (the flops at
the peak of their type, or the bytes of the arguments at the rate of HBM, whichever takes longer), and the share that
the busiest engine needs. Without a page it prints the table with what else differs from machine to machine: the time
to compile. With --write it puts the table into the page, between the lines that begin with '| kernel' and the next
blank one; with --check it fails if a figure of the page is more than 2 % off.
"""
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = ["trn2", "trn3"]
ROWS = [
    "flash_attention --seq-q=8192 --seq-k=8192",
    "flash_attention_expert --seq-q=8192 --seq-k=8192",
    "flash_attention --seq-q=16384 --seq-k=16384",
    "flash_attention_expert --seq-q=16384 --seq-k=16384",
    "flash_attention --seq-q=16384 --seq-k=16384 --causal",
    "flash_attention --seq-q=8192 --seq-k=8192 --head-dim=64",
    "matmul --m=2048 --k=2048 --n=2048",
    "matmul --m=1000 --k=1000 --n=1000",
    "matmul_expert --m=2048 --k=2048 --n=2048",
    "matmul --m=512 --k=16384 --n=1024",
    "matmul --m=4096 --k=8192 --n=8192",
    "qkv --tokens=2048 --hidden=4096 --heads=32 --kv-heads=8",
    "qkv --tokens=2048 --hidden=8192 --heads=64 --kv-heads=8",
    "swiglu --tokens=512 --hidden=1024 --inner=3072",
    "swiglu --tokens=2048 --hidden=4096 --inner=14336",
    "softmax --rows=4096 --cols=4096 --dtype=bf16",
    "softmax_expert --rows=4096 --cols=4096 --dtype=bf16",
    "rmsnorm --rows=4096 --cols=4096 --dtype=bf16",
    "layernorm --rows=4096 --cols=4096 --dtype=bf16",
    "residual_norm --rows=4096 --cols=4096",
    "rope --tokens=2048 --heads=32",
    "quantize --rows=2048 --cols=4096",
    "norm_qkv --tokens=2048 --hidden=4096 --heads=32 --kv-heads=8",
    "norm_qkv --tokens=8 --hidden=4096 --heads=32 --kv-heads=8",
    "prefill_attention --heads=4 --tokens=4096",
    "prefill_attention --heads=8 --tokens=4096 --head-dim=64 --window=128 --sink",
    "output_projection --tokens=2048 --heads=32 --hidden=4096",
    "output_projection --tokens=8 --heads=32 --hidden=4096",
    "norm_mlp --tokens=2048 --hidden=4096 --inner=14336",
    "norm_mlp --tokens=8 --hidden=4096 --inner=14336",
    "vocabulary_top_k --words=152000 --k=256",
    "top_p --rows=8 --words=152000 --k=64",
    "llama_layer --config=llama3-8b --tokens=2048",
    "fused_attention --tokens=4096 --hidden=4096 --heads=32 --kv-heads=8",
    "fused_attention --tokens=8192 --hidden=4096 --heads=32 --kv-heads=8",
    "decode_block --hidden=4096 --heads=32 --kv-heads=8 --head-dim=128 --inner=14336 --max-keys=4096 --block=1024 --keys-transposed",
    "matmul --m=4096 --k=8192 --n=1024",
    "all_gather_matmul --ranks=8 --group=8 --rows=512 --k=8192 --n=1024",
    "matmul --m=4096 --k=1024 --n=8192",
    "matmul_reduce_scatter --ranks=8 --group=8 --rows=512 --k=1024 --n=8192",
    "tensor_parallel_mlp --ranks=8 --group=8 --tokens=2048 --hidden=8192 --inner=3584",
    "llama_layer_ranks --ranks=8 --group=8 --config=llama3-70b --tokens=2048",
]
# Integers that the control flow of a kernel reads: full caches, whose pages lie in order.
VALUES = {"decode_block": {"lengths": ((8, 1), [4095] * 8), "table": ((8, 4), range(32))}}
kernels = Path(__file__).resolve().parents[2] / "kernels"


def lines_of(kernel):
    """Lines of the kernel's own header that are neither blank nor comment."""
    (header,) = kernels.glob(f"*/{kernel}/kernel.h")
    lines = [line.strip() for line in header.read_text().splitlines()]
    return sum(1 for line in lines if line and not line.startswith(("//", "#")))


def write_integers(path, shape, values):
    """As NumPy writes them, without NumPy."""
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}i", *values))


def profile(kiln, words, target):
    with tempfile.TemporaryDirectory() as work:
        numbers, given = Path(work) / "profile.json", []
        for name, (shape, values) in VALUES.get(words[0], {}).items():
            write_integers(Path(work) / f"{name}.npy", shape, values)
            given += ["--in", f"{name}={work}/{name}.npy"]
        if given:
            given += ["--random-seed=1"] # For all others.
        subprocess.run([kiln, "profile", *words, *given, "--target", target, "--json", numbers], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(numbers.read_text())


def row(kiln, words):
    """The cells of a row, and the milliseconds that compiling took."""
    cells, compiling = [f"`{words}`", str(lines_of(words.split()[0]))], []
    for target in TARGETS:
        found = profile(kiln, words.split(), target)
        time = found["makespan_ns"]
        cells += [f"{time / 1000:.1f}", f"{found['roofline_ns'] / time:.3f}", f"{found['lower_bound_ns'] / time:.3f}"]
        compiling.append(found.get("cores", [found])[0]["compile_ms"])
    return cells, compiling


def head():
    cells = ["kernel", "lines"]
    for target in TARGETS:
        cells += [f"{target}, µs", "roofline", "bound"]
    return [line(cells), line(["---"] * len(cells))]


def line(cells):
    return "| " + " | ".join(cells) + " |"


def rows_of(page):
    """By command: the figures of its row."""
    found = re.findall(r"^\| `([^`]+)` \| (.*) \|$", page.read_text(), re.M)
    return {words: [float(cell) for cell in cells.split(" | ")] for words, cells in found}


def check(kiln, page):
    told, failures = rows_of(page), []
    if list(told) != ROWS:
        failures.append(f"{page.name} has rows for {list(told)}, not for {ROWS}")
    for words in ROWS:
        cells, _ = row(kiln, words)
        for said, is_now in zip(told.get(words, []), map(float, cells[1:])):
            if abs(said - is_now) > 0.02 * is_now:
                failures.append(f"{page.name}: {words}: the page says {said}, it is {is_now}")
    print("\n".join(failures) or f"{len(ROWS)} rows are true")
    return 1 if failures else 0


def main(kiln, option=None, page=None):
    if option == "--check":
        return check(kiln, Path(page))
    table = head()
    for words in ROWS:
        cells, compiling = row(kiln, words)
        table.append(line(cells))
        if not option:
            print(table[-1], "compiled in", ", ".join(f"{ms:.0f} ms" for ms in compiling), flush=True)
    if option == "--write":
        text = Path(page).read_text()
        Path(page).write_text(re.sub(r"^\| kernel .*?\n(?=\n)", "\n".join(table) + "\n", text, flags=re.M | re.S))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
