"""What kernels declare in kernels/FAMILY/KERNEL/cases.txt; kernels/README.md describes the format."""
import itertools
import math
import re
import struct
from dataclasses import dataclass, field


# The target lacks what the kernel needs.
LACKS = r"\[KILN-(C179|I0(01|68)|T061)\]|expected trn2 or later"


@dataclass
class Case:
    kernel: str
    kind: str
    options: list  # Words of kiln: --NAME=VALUE.
    values: dict = field(default_factory=dict)  # By integer input: its shape and its elements.

    @property
    def label(self):
        """As one types it."""
        return " ".join([self.kernel, *(word.removesuffix("=true") for word in self.options)])

    def option(self, name):
        return next((word.split("=", 1)[1] for word in self.options if word.startswith(f"--{name}=")), None)


def integers(shape, elements):
    """`8x1`, `4095` or `0..7`: the shape, and its elements: all alike, or counted."""
    extents = tuple(int(extent) for extent in shape.split("x"))
    first, _, last = elements.partition("..")
    found = range(int(first), int(last) + 1) if last else [int(first)] * math.prod(extents)
    if len(found) != math.prod(extents):
        raise ValueError(f"{elements} are not {shape} elements")
    return extents, list(found)


def write_integers(path, shape, values):
    """As NumPy writes them, without NumPy."""
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}i", *values))


def given(case, folder):
    """Writes the integers that the case names into files; the options of kiln that read them."""
    options = []
    for name, (shape, values) in case.values.items():
        write_integers(folder / f"{name}.npy", shape, values)
        options += ["--in", f"{name}={folder}/{name}.npy"]
    return options


def expand(kernel, line):
    """One case for each value of each word."""
    kind, *words = line.split()
    choices = [[f"{name}={value}" for value in values.split(",")]
               for name, values in (word.split("=", 1) for word in words)]
    for chosen in itertools.product(*choices):
        ranks = next((word[6:] for word in chosen if word.startswith("ranks=")), "1")
        case = Case(kernel, kind, [])
        for word in chosen:
            if given := re.fullmatch(r"(\w+):([\dx]+)=(-?\d+(?:\.\.\d+)?)", word):
                case.values[given[1]] = integers(given[2], given[3])
            else:
                case.options.append(("" if word.startswith("--") else "--") + word.replace("RANKS", ranks))
        yield case


def read(folder, kind):
    """The cases of a kernel. One that declares no `timed` case is timed with its defaults."""
    lines = [line.split("#")[0].strip() for line in (folder / "cases.txt").read_text().splitlines()]
    found = [case for line in lines if line.split()[:1] == [kind] for case in expand(folder.name, line)]
    return found or ([Case(folder.name, kind, [])] if kind == "timed" else [])


def folders(kernels):
    return sorted(path.parent for path in kernels.glob("*/*/cases.txt"))


def all_cases(kernels, kind):
    """Of all kernels. What is written by hand, KERNEL_expert, comes after the kernel at the same size."""
    by_kernel = {folder.name: read(folder, kind) for folder in folders(kernels)}
    found = []
    for kernel, cases in by_kernel.items():
        if kernel.removesuffix("_expert") in by_kernel and kernel.endswith("_expert"):
            continue
        experts = list(by_kernel.get(kernel + "_expert", []))
        for case in cases:
            alike = [expert for expert in experts if expert.options == case.options]
            experts = [expert for expert in experts if expert not in alike]
            found += [case, *alike]
        found += experts
    return found
