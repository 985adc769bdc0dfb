"""limits.py KILN_OPT: what a kernel may need at most, at the limit and one past it.

The kernels are made here, because a limit of the machine takes many lines.
"""
import subprocess
import sys

kiln_opt = sys.argv[1]
failures = []


def run(source, *passes):
    return subprocess.run([kiln_opt, "-", *passes], input=source, capture_output=True, text=True, timeout=300)


def expect(what, done, code=None, part=""):
    good = done.returncode == 0 if code is None else (
        done.returncode != 0 and f"[{code}]" in done.stderr and part in done.stderr)
    if not good:
        failures.append(f"{what}: ended with {done.returncode}, said: {done.stderr.strip()[:600]}")


def registers(count):
    """One stream that holds `count` registers at once: all are loaded before the first is used."""
    lines = ['func.func @kernel(%x: memref<256x16xf32, #nc.space<hbm>> {nc.name = "x", nc.kind = #nc.kind<input>},',
             '                  %t: memref<256x1xi32, #nc.space<hbm>> {nc.name = "t", nc.kind = #nc.kind<input>}) {']
    for i in range(count):
        lines.append(f"  %t{i} = nc.view %t[] offset affine_map<() -> ({i})> sizes [1, 1] strides [1, 1] : "
                     "memref<256x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>")
        lines.append(f'  %r{i} = nc.register_load src(%t{i} : !nc.view<1x1xi32, hbm>) {{engine = #nc.engine<sync>, group = {i} : i64}}')
    for i in range(count):
        lines.append(f"  %a{i} = nc.alloc {{partition = 0 : i64, byte = {64 * i} : i64, slot_bytes = 64 : i64}} : "
                     "memref<1x16xf32, #nc.space<sbuf>>")
        lines.append(f"  %d{i} = nc.view %a{i}[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : "
                     "memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>")
        lines.append(f"  %s{i} = nc.view %x[%r{i}] offset affine_map<(d0) -> (d0 * 16)> sizes [1, 16] strides [16, 1] : "
                     "memref<256x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>")
        lines.append(f"  nc.dma_copy dst(%d{i} : !nc.view<1x16xf32, sbuf>) src(%s{i} : !nc.view<1x16xf32, hbm>) "
                     '{engine = #nc.engine<sync>, queue = 0 : i32}')
    return "\n".join(lines) + "\n  return\n}\n"


def nest(depth):
    """Loops in loops; in each body 16 transfers, and three engines that each change a part of what arrived."""
    lines = ['func.func @kernel(%x: memref<16x64xf32, #nc.space<hbm>> {nc.name = "x", nc.kind = #nc.kind<input>}) {',
             "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index", "  %c4 = arith.constant 4 : index"]
    tile, hbm = "memref<1x64xf32, #nc.space<sbuf>>", "memref<16x64xf32, #nc.space<hbm>>"
    for level in range(depth):
        lines.append(f"  scf.for %i{level} = %c0 to %c4 step %c1 {{")
        for queue in range(16):
            at = f"{level}_{queue}"
            lines.append(f"  %a{at} = nc.alloc {{partition = 0 : i64, byte = {256 * (16 * level + queue)} : i64, "
                         f"slot_bytes = 256 : i64}} : {tile}")
            lines.append(f"  %s{at} = nc.view %x[] offset affine_map<() -> ({64 * queue})> sizes [1, 64] strides [64, 1] : "
                         f"{hbm} -> !nc.view<1x64xf32, hbm>")
            lines.append(f"  %d{at} = nc.view %a{at}[] offset affine_map<() -> (0)> sizes [1, 64] strides [1, 1] : "
                         f"{tile} -> !nc.view<1x64xf32, sbuf>")
            lines.append(f"  nc.dma_copy dst(%d{at} : !nc.view<1x64xf32, sbuf>) src(%s{at} : !nc.view<1x64xf32, hbm>) "
                         f'{{engine = #nc.engine<sync>, queue = {queue} : i32}}')
            for part, engine in enumerate(["vector", "gpsimd", "scalar"]):
                view = f"%v{at}_{part}"
                lines.append(f"  {view} = nc.view %a{at}[] offset affine_map<() -> ({16 * part})> sizes [1, 16] "
                             f"strides [1, 1] : {tile} -> !nc.view<1x16xf32, sbuf>")
                lines.append(f"  nc.activation dst({view} : !nc.view<1x16xf32, sbuf>) data({view} : !nc.view<1x16xf32, sbuf>) "
                             '{op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}' if engine == "scalar" else
                             f'  nc.memset dst({view} : !nc.view<1x16xf32, sbuf>) {{value = 0.0 : f32, engine = #nc.engine<{engine}>}}')
    return "\n".join(lines + ["  }"] * depth) + "\n  return\n}\n"


LIMIT = 64  # Registers of a sequencer.
expect("64 registers", run(registers(LIMIT), "--emit-assembly"))
source = registers(LIMIT + 1)
last = next(i for i, line in enumerate(source.split("\n"), 1) if line.startswith(f"  %r{LIMIT} ="))
expect("65 registers", run(source, "--emit-assembly"), "KILN-C106", "needs about 65 registers")
expect("the one that finds none", run(source, "--emit-assembly"), "KILN-C106", f"<stdin>:{last}:")

# The deepest nest that fits the semaphores, and the next.
fits = 1
while fits < 12 and run(nest(fits + 1), "--nc-synchronize").returncode == 0:
    fits += 1
expect(f"{fits} nested loops", run(nest(fits), "--nc-synchronize"))
expect(f"{fits + 1} nested loops", run(nest(fits + 1), "--nc-synchronize"), "KILN-C105", "semaphores")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures; {fits} nested loops fit")
sys.exit(1 if failures else 0)
