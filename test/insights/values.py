"""values.py KILN WORK SCHEMA: what a run with data adds to the profile.

values.cpp has the kernels. What they do with the planted values is counted here by plain loops.
"""
import json
import math
import random
import struct
import sys
from pathlib import Path

from shape import fits
from tool import Tool, check, finish

schema = json.loads(Path(sys.argv[3]).read_text())
run = Tool(sys.argv[1], sys.argv[2], ["values.cpp"]).run
inf, nan = float("inf"), float("nan")
draw = random.Random(15)


def write(name, rows, cols, of):
    """A .npy file of f32: of(row, column)."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {cols}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    values = [of(r, c) for r in range(rows) for c in range(cols)]
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
    Path(name).write_bytes(data + struct.pack(f"<{len(values)}f", *values))
    return values


def profiled(kernel, *words):
    """The text and the document of a run of a kernel in values.cpp."""
    text = run("profile", f"values.cpp:{kernel}", *words, "--json", "out.json").stdout
    document = json.loads(Path("out.json").read_text())
    for wrong in fits(document, schema, schema)[:5]:
        check(False, f"{kernel}: {wrong}")
    check("values" in document, f"{kernel}: no values")
    return text, document


def line_of(text):
    """`values.cpp:N` of the line that contains `text`."""
    lines = Path("values.cpp").read_text().split("\n")
    found = [number for number, line in enumerate(lines, 1) if text in line]
    check(len(found) == 1, f"'{text}' is in lines {found}")
    return f"values.cpp:{found[0]}"


def held(document, name):
    return next(one["held"] for one in document["values"]["tensors"] if one["name"] == name)


def written(document, source, key="written"):
    return next(one[key] for one in document["values"]["lines"] if one["source"] == source)


# Without data there are none, in no form.
text = run("profile", "values.cpp:difference", "--json", "out.json").stdout
check("values" not in json.loads(Path("out.json").read_text()) and "least" not in text, "values without data")

# Ranges of what is read, made and stored.
x = write("x.npy", 128, 64, lambda r, c: draw.uniform(-3, 5))
text, document = profiled("difference", "--in", "x=x.npy")
stored = line_of("store(y, u - t)")
powers = [math.exp(value) for value in x]
made = {"x": x, "y": [power - value for power, value in zip(powers, x)]}
for what, counts, values in (*((name, held(document, name), made[name]) for name in made),
                             ("exp", written(document, line_of("auto u = exp")), powers),
                             ("the load", written(document, line_of("auto t = load(x);")), x)):
    check(counts["values"] == 128 * 64 and counts["nans"] == counts["infinities"] == 0, f"counts of {what}: {counts}")
    close = abs(counts["least"] - min(values)) < 1e-4 and abs(counts["most"] - max(values)) < 1e-4
    check(close, f"range of {what}: {counts}")
check(document["values"]["first_nan"] is None and "NaN" not in text, "a NaN where none is")

# exp(inf) - inf makes one, where nothing that is read has one.
write("inf.npy", 128, 64, lambda r, c: inf if (r, c) == (77, 12) else (r - c) / 100)
text, document = profiled("difference", "--in", "x=inf.npy")
first = document["values"]["first_nan"]
check(first is not None and first["source"] == stored and first["made"], f"made NaN: {first}")
check((first["lane"], first["element"], first["run"]) == (77, 12, 1), f"place of the NaN: {first}")
check(document["binary"][first["instruction"]]["index"] == first["index"], "the instruction of the NaN")
check(held(document, "y")["nans"] == 1 and held(document, "x")["infinities"] == 1, "counts of NaN and inf")
check("first NaN" in text and stored in text and "without one" in text, f"text of a made NaN: {text}")

# One that comes with the data is found where it is loaded.
write("nan.npy", 128, 64, lambda r, c: nan if (r, c) == (3, 5) else 1)
text, document = profiled("difference", "--in", "x=nan.npy")
first = document["values"]["first_nan"]
check(first["source"] == line_of("auto t = load(x);") and not first["made"], f"loaded NaN: {first}")
check((first["lane"], first["element"]) == (3, 5) and "that have one" in text, f"place of the loaded NaN: {first}")

# Small floats at the end of their range. f8e4m3 ends at 240; half-way to the next number, 256, rounds to infinity.
for dtype, most in (("f8e4m3", 240), ("f8e5m2", 57344)):
    places = set(draw.sample(range(128 * 64), 37))
    write("big.npy", 128, 64, lambda r, c: (-1) ** c * (2 * most if 64 * r + c in places else draw.uniform(0, most / 2)))
    for words, infinities in (([], 37), (["--saturate"], 0)):
        text, document = profiled("narrowed", f"--dtype={dtype}", "--in", "x=big.npy", *words)
        own = held(document, "y")
        check(own["saturated"] == 37 and own["infinities"] == infinities, f"{dtype} {words}: {own}")
        check(own["most"] <= most and (own["most"] == most) == (infinities == 0), f"{dtype} {words}: {own}")
        check("37 saturated" in text, f"{dtype}: {text}")
_, document = profiled("narrowed", "--dtype=bf16", "--in", "x=big.npy")
check(held(document, "y")["saturated"] == 0, "bf16 is no small float")
run("profile", "values.cpp:narrowed", "--saturate", code=2)

# MX: a block is 8 lanes of 4 rows, so 32 rows of a column. An infinity spoils its whole block.
spoilt = {(0, 0), (31, 0), (40, 0), (127, 63), (5, 9)}
write("mx.npy", 128, 64, lambda r, c: inf if (r, c) in spoilt else draw.uniform(-1, 1))
text, document = profiled("blocks", "--target=trn3", "--in", "x=mx.npy")
blocks = written(document, line_of("quantize_mx"), "saturated_blocks")
check(blocks["all"] == 4 * 64 and blocks["part"] == len({(r // 32, c) for r, c in spoilt}), f"blocks: {blocks}")
check("blocks of MX" in text, "text of blocks")
write("mx.npy", 128, 64, lambda r, c: draw.uniform(-1e30, 1e30))
_, document = profiled("blocks", "--target=trn3", "--in", "x=mx.npy")
check(document["values"]["saturated_blocks"]["part"] == 0, "scales let a block use its range")

# Half of a square of scores is masked; its exp is 0, and so is what it multiplies.
for name, cols in (("q", 128), ("k", 128), ("v", 64)):
    write(f"{name}.npy", 128, cols, lambda r, c: draw.uniform(0.1, 1))
text, document = profiled("causal", *(word for name in "qkv" for word in ("--in", f"{name}={name}.npy")))
values = document["values"]
hidden = 128 * 127 // 2
check(values["masked"] == {"all": 128 * 128, "part": hidden, "share": hidden / 128 / 128}, f"masked: {values['masked']}")
check(values["vanished"]["part"] == hidden and values["vanished"]["all"] == 128 * 128, f"exp: {values['vanished']}")
weighted = written(document, line_of("store(y, matmul(transpose(weights)"), "idle_multiplications")
check(weighted == {"all": 128 * 128 * 64, "part": hidden * 64, "share": hidden / 128 / 128}, f"product: {weighted}")
scores = written(document, line_of("auto s = matmul"), "idle_multiplications")
check(scores["all"] == 128 ** 3 and scores["part"] == 0, f"scores: {scores}")
for words in ("masked          49.6 % of 16384", "exp is 0        49.6 %", "times 0         16.5 %"):
    check(words in text, f"'{words}' is not in: {text}")
run("profile", "values.cpp:causal", "--random-seed=3", "--html", "values.html")
check('"first_nan"' in Path("values.html").read_text(), "the page has no values")

# A tensor that is counted in two parts: all of it, and what stands in each.
write("wide.npy", 128, 513, lambda r, c: 7 if (r, c) == (127, 512) else -5 if (r, c) == (0, 0) else 0 if c == 1 else 1)
run("profile", "rmsnorm", "--rows=128", "--cols=513", "--dtype=f32", "--in", "x=wide.npy", "--random-seed=1", "--json", "wide.json")
held = next(one["held"] for one in json.loads(Path("wide.json").read_text())["values"]["tensors"] if one["name"] == "x")
check((held["values"], held["zeros"], held["least"], held["most"]) == (128 * 513, 128, -5, 7), f"wide: {held}")

# Each rank has its own.
words = ["rmsnorm", "--rows=128", "--cols=64", "--ranks=2", "--random-seed=1", "--json", "ranks.json"]
run("profile", *words)
cores = json.loads(Path("ranks.json").read_text())["cores"]
ranges = [next(one["held"] for one in core["values"]["tensors"] if one["name"] == "x") for core in cores]
check(len(cores) == 2 and ranges[0] != ranges[1], f"ranks: {ranges}")

finish()
