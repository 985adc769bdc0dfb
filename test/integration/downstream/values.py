"""values.py KILN LIB.so: the kernel's result is what NumPy computes, and
files of every float type, byte order, layout and version are read the same."""
import itertools
import subprocess
import sys

import numpy as np


def axpy(*words):
    subprocess.run([sys.argv[1], "run", sys.argv[2] + ":axpy", "--rows=200", "--cols=96", *words],
                   check=True, stdout=subprocess.DEVNULL)
    return np.load("z.npy")


def to_bf16(a):
    """float64 rounded once to bfloat16, to nearest even, as float32."""
    kept = np.float32(a)
    # Round to odd first: what float32 loses is remembered in its last bit.
    exact = kept.astype(np.float64) == a
    toward = np.where(np.abs(kept.astype(np.float64)) > np.abs(a), np.nextafter(kept, np.float32(0)), kept)
    bits = toward.view(np.uint32).astype(np.uint64) | np.where(exact, 0, 1).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32)


rng = np.random.default_rng(1)
x = rng.integers(-50, 50, (200, 96)).astype(np.float64)  # Exact in f32.
y = rng.integers(-50, 50, (200, 96)).astype(np.float64)
np.save("x.npy", x)
np.save("y.npy", np.asfortranarray(y))
z = axpy("--factor=3", "--in", "x=x.npy", "--in", "y=y.npy", "--out", "z=z.npy")
assert z.dtype == np.float32 and z.shape == (200, 96), (z.dtype, z.shape)
assert np.array_equal(z, (3 * x + y).astype(np.float32)), np.abs(z - (3 * x + y)).max()

# factor 1 and y = 0: what comes out is how x was read.
np.save("zero.npy", np.zeros((200, 96), np.float32))
noise = rng.standard_normal((200, 96)) * 2.0 ** rng.integers(-12, 12, (200, 96))
for dtype, order, layout in itertools.product(("f2", "f4", "f8"), "<>", "CF"):
    a = np.array(noise.astype(dtype), dtype=order + dtype, order=layout)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open("x.npy", "wb") as file:
            np.lib.format.write_array(file, a, version=version)
        common = ("--factor=1", "--in", "x=x.npy", "--in", "y=zero.npy", "--out", "z=z.npy")
        assert np.array_equal(axpy(*common), a.astype(np.float32)), (dtype, order, layout, version)
    z = axpy("--dtype=bf16", *common)
    assert np.array_equal(z, to_bf16(a.astype(np.float64))), (dtype, order, layout, "bf16")
