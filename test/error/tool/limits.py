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
    lines = ['func.func @kernel(%x: memref<256x16xf32, #nc.space<hbm>> {nc.name = "x", nc.kind = "input"},',
             '                  %t: memref<256x1xi32, #nc.space<hbm>> {nc.name = "t", nc.kind = "input"}) {']
    for i in range(count):
        lines.append(f"  %t{i} = nc.view %t[] offset affine_map<() -> ({i})> sizes [1, 1] strides [1, 1] : "
                     "memref<256x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>")
        lines.append(f'  %r{i} = nc.register_load src(%t{i} : !nc.view<1x1xi32, hbm>) {{engine = "sync", group = {i} : i64}}')
    for i in range(count):
        lines.append(f"  %a{i} = nc.alloc {{partition = 0 : i64, byte = {64 * i} : i64, slot_bytes = 64 : i64}} : "
                     "memref<1x16xf32, #nc.space<sbuf>>")
        lines.append(f"  %d{i} = nc.view %a{i}[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : "
                     "memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>")
        lines.append(f"  %s{i} = nc.view %x[%r{i}] offset affine_map<(d0) -> (d0 * 16)> sizes [1, 16] strides [16, 1] : "
                     "memref<256x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>")
        lines.append(f"  nc.dma_copy dst(%d{i} : !nc.view<1x16xf32, sbuf>) src(%s{i} : !nc.view<1x16xf32, hbm>) "
                     '{engine = "sync", queue = 0 : i32}')
    return "\n".join(lines) + "\n  return\n}\n"


def nest(depth):
    """Loops in loops; in each body every engine reads what each other one writes there."""
    engines = ["vector", "scalar", "gpsimd"]
    lines = ["func.func @kernel() {", "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
             "  %c4 = arith.constant 4 : index"]
    close = []
    byte = 0
    for level in range(depth):
        lines.append(f"  scf.for %i{level} = %c0 to %c4 step %c1 {{")
        names = []
        for writer in engines:
            name = f"{level}{writer}"
            names.append((name, writer))
            lines.append(f"  %a{name} = nc.alloc {{partition = 0 : i64, byte = {byte} : i64, slot_bytes = 64 : i64}} : "
                         "memref<1x16xf32, #nc.space<sbuf>>")
            lines.append(f"  %v{name} = nc.view %a{name}[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : "
                         "memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>")
            byte += 64
        part = [f"  nc.activation dst(%v{name} : !nc.view<1x16xf32, sbuf>) data(%v{name} : !nc.view<1x16xf32, sbuf>) "
                f'{{op = "exp", engine = "scalar"}}' if reader == "scalar" else
                f"  nc.memset dst(%v{name} : !nc.view<1x16xf32, sbuf>) {{value = 0.0 : f32, engine = \"{reader}\"}}"
                for name, writer in names for reader in [writer] + [e for e in engines if e != writer]]
        lines += part
        close.append("  }")
    return "\n".join(lines + close) + "\n  return\n}\n"


LIMIT = 64  # Registers of a sequencer.
expect("64 registers", run(registers(LIMIT), "--emit-assembly"))
expect("65 registers", run(registers(LIMIT + 1), "--emit-assembly"), "KILN-C106", "needs about 65 registers")

# The deepest nest that fits its semaphores, and the next: no more than a step apart.
fits = 1
while fits < 64 and run(nest(fits + 1), "--nc-synchronize").returncode == 0:
    fits += 1
expect(f"a nest of {fits} loops", run(nest(fits), "--nc-synchronize"))
expect(f"a nest of {fits + 1} loops", run(nest(fits + 1), "--nc-synchronize"), "KILN-C105", "semaphores and the machine has 256")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures; {fits} nested loops fit")
sys.exit(1 if failures else 0)
