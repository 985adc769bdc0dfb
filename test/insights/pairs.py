"""The bad and the good kernel of each rule of `kiln profile`, as words for its command line.

Both do the same work: the same results, or as many flops.
"""
import re
from pathlib import Path

FILES = ("kernel.h", "transfers.cpp", "products.cpp", "engines.cpp")
# trn1's TensorE is never cold, so loops take longer than its products. Where addresses are data, a run needs values.
WORDS = {
    "loop_overhead": ["--target=trn1"],
    "dynamic_copy": ["--random-seed=1"],
    "imbalance": ["--cores=2"],
    "exposed_collectives": ["--ranks=4"],
}
# Of one kernel with parameters; the flops are those of the bad one.
PRODUCTS = {
    "f32-matmul": (["--dtype=f32"], ["--dtype=bf16"]),
    "underfilled-pe": (["--m=32", "--k=32", "--times=256"], ["--times=16"]),
    "short-moving": (["--n=8", "--times=256"], ["--times=4"]),
}


def pairs(folder):
    """{rule: (words of the bad one, words of the good one)}, in the order of the files."""
    found = {}
    for file in FILES[1:]:
        for kernel in re.findall(r"KILN_EXPORT\((\w+),", (Path(folder) / file).read_text()):
            if kernel == "product":
                for rule, sides in PRODUCTS.items():
                    found[rule] = tuple([f"{file}:product", *words] for words in sides)
                continue
            bad = [f"{file}:{kernel}", *WORDS.get(kernel, [])]
            found[kernel.replace("_", "-")] = (bad, [*bad, "--good"])
    return found


def rules(sources):
    """The ids of all rules that the tool has."""
    return [rule for source in sorted(Path(sources).glob("*Rules.cpp"))
            for rule in re.findall(r'^    \{"([a-z0-9-]+)", "R', source.read_text(), re.M)]
