"""values.py KILN LIB.so: the kernel's result is what NumPy computes."""
import subprocess
import sys

import numpy as np

rng = np.random.default_rng(1)
x = rng.integers(-50, 50, (200, 96)).astype(np.float64)  # Exact in f32.
y = rng.integers(-50, 50, (200, 96)).astype(np.float64)
np.save("x.npy", x)
np.save("y.npy", np.asfortranarray(y))
subprocess.run([sys.argv[1], "run", sys.argv[2] + ":axpy", "--rows=200", "--cols=96", "--factor=3",
                "--in", "x=x.npy", "--in", "y=y.npy", "--out", "z=z.npy"], check=True)
z = np.load("z.npy")
assert z.dtype == np.float32 and z.shape == (200, 96), (z.dtype, z.shape)
assert np.array_equal(z, (3 * x + y).astype(np.float32)), np.abs(z - (3 * x + y)).max()
