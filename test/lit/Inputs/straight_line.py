#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints straight-line IR of COUNT instructions, for tests at the limits of passes.

stores: the first and the one before the last write the same column, 1.0 and 2.0, with others of the same buffer
between them; the last reads it.
buffers: each writes a buffer of its own, all of them at one address.
sharers: COUNT instructions use one buffer: a function on scalar and a copy from PSUM, which vector or scalar can make,
in one block, the others in a loop.
loads: a loop whose body loads COUNT rows.
cone: a load and functions of it, COUNT in all, one after the other; the last is stored (tile IR).
"""
import sys

form, count = sys.argv[1], int(sys.argv[2])
view = "offset affine_map<() -> ({at})> sizes [128, 1] strides [1, 1] : memref<128x{width}xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>"


def memset(name, value, engine):
    print(f'  nc.memset dst(%{name} : !nc.view<128x1xf32, sbuf>) {{value = {value} : f32, engine = #nc.engine<{engine}>}}')


if form == "cone":
    at = "offset affine_map<() -> (0)> sizes [300, 1024] strides [1024, 1] :"
    memory, tile = "memref<300x1024xf32, #nc.space<hbm>>", "tensor<300x1024xf32>"
    print(f"func.func @cone(%x: {memory}, %y: {memory}) {{")
    print(f"  %v0 = tile.load %x[] {at} {memory} -> {tile}")
    for i in range(1, count):
        print(f'  %v{i} = tile.unary abs %v{i - 1} : {tile} -> {tile}')
    print(f"  tile.store %v{count - 1}, %y[] {at} {tile}, {memory}\n  return\n}}")
    sys.exit()
if form == "loads":
    memory, tile = "memref<128x1024xbf16, #nc.space<hbm>>", "128x1024xbf16, sbuf"
    row = "offset affine_map<() -> (0)> sizes [128, 1024] strides [1024, 1] : "
    print(f"func.func @loads(%x: {memory}) {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index")
    print("  %c9 = arith.constant 9 : index\n  scf.for %i = %c0 to %c9 step %c1 {")
    print(f"    %xv = nc.view %x[] {row}{memory} -> !nc.view<128x1024xbf16, hbm>")
    for i in range(count):
        print(f"    %a{i} = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>")
        print(f"    %v{i} = nc.view %a{i}[] {row.replace('1024, 1]', '1, 1]')}memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<{tile}>")
        print(f"    nc.dma_copy dst(%v{i} : !nc.view<{tile}>) src(%xv : !nc.view<128x1024xbf16, hbm>)")
    print("  }\n  return\n}")
    sys.exit()
print("func.func @straight() {")
if form == "stores":
    print(f"  %a = nc.alloc : memref<128x{count}xf32, #nc.space<sbuf>>")
    print("  %b = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>")
    print("  %bv = nc.view %b[] " + view.format(at=0, width=1))
    for i in range(count - 2):
        print(f"  %v{i} = nc.view %a[] " + view.format(at=i, width=count))
    memset("v0", 1.0, "vector")
    for i in range(1, count - 2):
        memset(f"v{i}", 0.0, "gpsimd" if i % 2 else "vector")
    memset("v0", 2.0, "gpsimd")
    print("  nc.activation dst(%bv : !nc.view<128x1xf32, sbuf>) data(%v0 : !nc.view<128x1xf32, sbuf>) "
          '{op = #nc.activation_function<copy>, engine = #nc.engine<scalar>}')
elif form == "sharers":
    print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index")
    for name, space in ("a", "sbuf"), ("b", "sbuf"), ("p", "psum"):
        print(f"  %{name} = nc.alloc : memref<128x1xf32, #nc.space<{space}>>")
        print(f"  %{name}v = nc.view %{name}[] " + view.format(at=0, width=1).replace("sbuf", space))
    print("  nc.activation dst(%av : !nc.view<128x1xf32, sbuf>) data(%bv : !nc.view<128x1xf32, sbuf>) "
          '{op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}')
    print("  nc.tensor_copy dst(%av : !nc.view<128x1xf32, sbuf>) src(%pv : !nc.view<128x1xf32, psum>)")
    print("  scf.for %i = %c0 to %c1 step %c1 {")
    for i in range(count - 2):
        memset("av", 1.0, "gpsimd")
    print("  }")
else:
    for i in range(count):
        print(f"  %a{i} = nc.alloc {{byte = 0 : i64, partition = 0 : i64, slot_bytes = 64 : i64}} : memref<128x1xf32, #nc.space<sbuf>>")
        print(f"  %v{i} = nc.view %a{i}[] " + view.format(at=0, width=1))
        memset(f"v{i}", 1.0, "vector")
print("  return\n}")
