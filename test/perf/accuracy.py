#!/usr/bin/env python3
"""accuracy.py KILN [--write PAGE | --check PAGE] [KERNEL ...]: what products in 8 and 4 bits cost in accuracy.

Each kernel gets the same random numbers in each type, quantized as a user would do it, and runs. The error is that of its
result against a product in double of the numbers before they were quantized: relative, in the l2 norm. --write and --check
are those of table.py, for the table of docs/accuracy.md; with kernels, only their rows are made.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import table

HEAD = ["kernel", "data", "bf16", "fp8, row scales", "fp8, tensor scales", "MXFP8", "MXFP8 E5M2", "MXFP4 weights", "MXFP4"]
LARGEST = 240  # Of f8e4m3.


class Mx:
    """A packed type: the exponent of its largest power of two, and its largest number."""
    def __init__(self, name, exponent, largest):
        self.name, self.exponent, self.largest = name, exponent, largest

    def quantized(self, numbers):
        """[K, N] as the files of data and scales. 32 numbers of a column share the power of two that brings the largest of
        them to the exponent of the type; quantize leaves 8-bit types a factor of two, of which 4 bits have none to give."""
        groups = numbers.reshape(numbers.shape[0] // 32, 32, -1)
        most = np.abs(groups).max(axis=1, keepdims=True)
        spare = 1 if self.largest > 6 else 0
        scales = np.exp2(np.floor(np.log2(most)) - self.exponent + spare)
        data = np.clip(groups / scales, -self.largest, self.largest).reshape(numbers.shape)
        four = data.reshape(data.shape[0] // 4, 4, -1).transpose(0, 2, 1)
        return four.reshape(four.shape[0], -1), scales[:, 0]


E4M3, E5M2 = Mx("f8e4m3fn_x4", 8, 448), Mx("f8e5m2_x4", 15, 57344)
E2M1 = Mx("f4e2m1fn_x4", 2, 6)


def silu(x):
    return x / (1 + np.exp(-x))


def run(kiln, kernel, options, tensors, output):
    with tempfile.TemporaryDirectory() as work:
        files = []
        for name, values in tensors.items():
            np.save(f"{work}/{name}.npy", values.astype(np.float32))
            files += ["--in", f"{name}={work}/{name}.npy"]
        done = subprocess.run([kiln, "run", kernel, *options, *files, "--no-checks", "--out", f"{output}={work}/y.npy"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{kernel} {' '.join(options)}: {done.stderr}")
        return np.load(f"{work}/y.npy").astype(np.float64)


class Product:
    """matmul and qkv: y = x w."""
    def __init__(self, kernel, rows, depth, cols, options, names):
        self.kernel, self.shape, self.options, self.names = kernel, (rows, depth, cols), options, names
        self.label = f"{kernel} {' '.join(options)}"

    def inputs(self, random):
        rows, depth, cols = self.shape
        return random.normal(size=(rows, depth)), random.normal(size=(depth, cols)) / np.sqrt(depth)

    def errors(self, kiln, x, w):
        left, right, output = self.names
        exact = x @ w

        def of(dtype, tensors, *options, target="trn3"):
            y = run(kiln, self.kernel, [*self.options, f"--dtype={dtype}", f"--target={target}", *options], tensors, output)
            return np.linalg.norm(y - exact) / np.linalg.norm(exact)

        def scaled(kind, axes):
            scales = [np.abs(numbers).max(axis=axis, keepdims=True) / LARGEST for numbers, axis in zip((x, w), axes)]
            return of("f8e4m3", {left: x / scales[0], right: w / scales[1], f"{left}_scales": scales[0],
                                 f"{right}_scales": scales[1]}, f"--scales={kind}", target="trn2")

        def packed(mx, isReady=False):
            data, scales = mx.quantized(w)
            tensors = {right: data, f"{right}_scales": scales}
            if isReady:
                tensors[f"{left}_data"], tensors[f"{left}_scales"] = mx.quantized(x.T)
            else:
                tensors[left] = x
            return of(mx.name, tensors, *(["--ready"] if isReady else []))

        return [of("bf16", {left: x, right: w}, target="trn2"), scaled("row", (1, 0)), scaled("tensor", (None, None)),
                packed(E4M3), packed(E5M2), packed(E2M1), packed(E2M1, isReady=True)]


def scaled_to(numbers, axis):
    """The scales that bring the largest magnitudes along the axis to the largest number of f8e4m3."""
    return np.abs(numbers).max(axis=axis, keepdims=True) / LARGEST


def errors_on_chip(kiln, kernel, options, inputs, multiplied, w):
    """Of a kernel that quantizes on chip what it multiplies by w."""
    exact = multiplied @ w

    def of(dtype, tensors, *others, target="trn3"):
        y = run(kiln, kernel, [*options, f"--dtype={dtype}", f"--target={target}", *others], {**inputs, **tensors}, "y")
        return np.linalg.norm(y - exact) / np.linalg.norm(exact)

    def eight(kind, axis, *others):
        scales = scaled_to(w, axis)
        return of("f8e4m3", {"w": w / scales, "w_scales": scales}, f"--scales={kind}", *others, target="trn2")

    def packed(mx):
        data, scales = mx.quantized(w)
        return of(mx.name, {"w": data, "w_scales": scales})

    return [of("bf16", {"w": w}, target="trn2"), eight("row", 0),
            eight("tensor", None, f"--unit={scaled_to(multiplied, None).item():.6g}"), packed(E4M3), packed(E5M2), packed(E2M1), None]


class NormQkv:
    """The kernel quantizes norm(x) on chip. The static scale of fp8 is that of these numbers."""
    kernel = "norm_qkv"

    def __init__(self, tokens, hidden, heads, kv_heads):
        self.shape = tokens, hidden, (heads + 2 * kv_heads) * 128
        self.options = [f"--tokens={tokens}", f"--hidden={hidden}", f"--heads={heads}", f"--kv-heads={kv_heads}", "--rope=false"]
        self.label = f"norm_qkv {' '.join(self.options)}"

    def inputs(self, random):
        tokens, hidden, width = self.shape
        return random.normal(size=(tokens, hidden)), random.normal(size=(hidden, width)) / np.sqrt(hidden)

    def errors(self, kiln, x, w):
        normed = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)
        return errors_on_chip(kiln, "norm_qkv", self.options, {"x": x, "gamma": np.ones(x.shape[1])}, normed, w)


class OutputProjection:
    """The kernel quantizes what it multiplies on chip. The static scale of fp8 is that of these numbers."""
    kernel = "output_projection"

    def __init__(self, tokens, heads, hidden):
        self.shape = tokens, heads, hidden
        self.options = [f"--tokens={tokens}", f"--heads={heads}", f"--hidden={hidden}", "--residual=false"]
        self.label = f"output_projection {' '.join(self.options)}"

    def inputs(self, random):
        tokens, heads, hidden = self.shape
        return random.normal(size=(tokens, heads * 128)), random.normal(size=(heads * 128, hidden)) / np.sqrt(heads * 128)

    def errors(self, kiln, a, w):
        tokens, heads, _ = self.shape
        return errors_on_chip(kiln, "output_projection", self.options, {"a": a.reshape(tokens, heads, 128)}, a, w)


class SwiGlu:
    """In fp8, powers of two that the products pass on bring x and the weights into the range of the type."""
    kernel = "swiglu"

    def __init__(self, tokens, hidden, inner):
        self.shape = tokens, hidden, inner
        self.options = [f"--tokens={tokens}", f"--hidden={hidden}", f"--inner={inner}"]
        self.label = f"swiglu {' '.join(self.options)}"

    def inputs(self, random):
        tokens, hidden, inner = self.shape
        return (random.normal(size=(tokens, hidden)), *(random.normal(size=shape) / np.sqrt(shape[0])
                                                        for shape in ((hidden, inner), (hidden, inner), (inner, hidden))))

    def errors(self, kiln, x, wg, wu, wd):
        h = silu(x @ wg) * (x @ wu)
        exact = h @ wd

        def of(dtype, tensors, *options, target="trn3", factor=1.0):
            y = factor * run(kiln, "swiglu", [*self.options, f"--dtype={dtype}", f"--target={target}", *options], tensors, "y")
            return np.linalg.norm(y - exact) / np.linalg.norm(exact)

        def eight():
            power = np.exp2(np.round(np.log2(np.abs(x).max() / np.abs(wg).max()) / 2))
            down = np.exp2(np.floor(np.log2(LARGEST / np.abs(wd).max())))
            return of("f8e4m3", {"x": x / power, "wg": wg * power, "wu": wu * power, "wd": wd * down},
                      f"--unit={np.abs(h).max() / LARGEST:.6g}", target="trn2", factor=1 / down)

        def packed(mx):
            tensors = {"x": x}
            for name, w in ("wg", wg), ("wu", wu), ("wd", wd):
                tensors[name], tensors[f"{name}_scales"] = mx.quantized(w)
            return of(mx.name, tensors)

        def row():
            tensors = {}
            for name, numbers, axis in ("x", x, 1), ("wg", wg, 0), ("wu", wu, 0), ("wd", wd, 0):
                scales = scaled_to(numbers, axis)
                tensors |= {name: numbers / scales, f"{name}_scales": scales}
            return of("f8e4m3", tensors, "--scales=row", target="trn2")

        return [of("bf16", {"x": x, "wg": wg, "wu": wu, "wd": wd}, target="trn2"), row(), eight(),
                packed(E4M3), packed(E5M2), packed(E2M1), None]


class NormMlp:
    """The kernel quantizes norm(x) and the gates on chip. The static scales of fp8 are those of these numbers."""
    kernel = "norm_mlp"

    def __init__(self, tokens, hidden, inner):
        self.shape = tokens, hidden, inner
        self.options = [f"--tokens={tokens}", f"--hidden={hidden}", f"--inner={inner}", "--residual=false"]
        self.label = f"norm_mlp {' '.join(self.options)}"

    def inputs(self, random):
        return SwiGlu(*self.shape).inputs(random)

    def errors(self, kiln, x, wg, wu, wd):
        normed = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)
        h = silu(normed @ wg) * (normed @ wu)
        exact = h @ wd
        weights = {"wg": wg, "wu": wu, "wd": wd}

        def of(dtype, tensors, *options, target="trn3"):
            y = run(kiln, "norm_mlp", [*self.options, f"--dtype={dtype}", f"--target={target}", *options],
                    {"x": x, "gamma": np.ones(x.shape[1]), **tensors}, "y")
            return np.linalg.norm(y - exact) / np.linalg.norm(exact)

        def eight(kind, axis, *options):
            tensors = {}
            for name, w in weights.items():
                scales = scaled_to(w, axis)
                tensors |= {name: w / scales, f"{name}_scales": scales}
            return of("f8e4m3", tensors, f"--scales={kind}", *options, target="trn2")

        def packed(mx):
            tensors = {}
            for name, w in weights.items():
                tensors[name], tensors[f"{name}_scales"] = mx.quantized(w)
            return of(mx.name, tensors)

        units = [f"--{name}={scaled_to(numbers, None).item():.6g}" for name, numbers in (("unit", normed), ("inner-unit", h))]
        return [of("bf16", weights, target="trn2"), eight("row", 0), eight("tensor", None, *units),
                packed(E4M3), packed(E5M2), packed(E2M1), None]


KERNELS = [Product("matmul", 256, 4096, 512, ["--m=256", "--k=4096", "--n=512"], ("a", "b", "c")),
           Product("qkv", 256, 2048, 512, ["--tokens=256", "--hidden=2048", "--heads=2", "--kv-heads=1"], ("x", "w", "y")),
           NormQkv(256, 2048, 2, 1), OutputProjection(256, 16, 512),
           NormMlp(256, 1024, 2048), SwiGlu(256, 1024, 2048)]


def normal(x):
    return x


def outliers(x):
    """As in activations of a transformer: a few columns are much larger than the others."""
    return np.where(np.arange(x.shape[1]) % 512 == 7, 50 * x, x)


class Case:
    """A row."""
    def __init__(self, kernel, data):
        self.kernel, self.data = kernel, data
        self.label = f"{kernel.label}` | `{data.__name__}"


class Accuracy:
    """docs/accuracy.md"""
    HEAD = HEAD

    def cells(self, kiln, case):
        x, *weights = case.kernel.inputs(np.random.default_rng(1))
        found = case.kernel.errors(kiln, case.data(x), *weights)
        return ["" if error is None else f"{100 * error:.3g} %" for error in found]

    def is_shown(self, cells):
        return True


def main(kiln, *words):
    option, page = words[:2] if words and words[0].startswith("--") else (None, None)
    chosen = words[2:] if option else words
    rows = [Case(kernel, data) for kernel in KERNELS if not chosen or kernel.kernel in chosen for data in (normal, outliers)]
    made, lines = Accuracy(), [table.line(HEAD), table.line(["---"] * len(HEAD))]
    for case in rows:
        lines.append(table.line([f"`{case.label}`", *made.cells(kiln, case)]))
        if option != "--write":
            print(lines[-1], flush=True)
    if not option:
        return 0
    text = Path(page).read_text()
    if option == "--write":
        begin = text.index(lines[0])
        end = text.index("\n\n", begin)
        Path(page).write_text(text[:begin] + "\n".join(lines) + text[end:])
        return 0
    shown = sum(line.startswith("| `") for line in text.splitlines())
    failures = 0 if chosen or shown == len(rows) else 1
    if failures:
        print(f"the page has {shown} rows, there are {len(rows)}")
    for row in lines[2:]:
        label = row.rsplit("`", 1)[0]
        told = [line for line in text.splitlines() if line.startswith(label)]
        if len(told) != 1 or not table.agree(told[0].removeprefix(label), row.removeprefix(label)):
            failures += 1
            print(f"the page says otherwise: {told}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
