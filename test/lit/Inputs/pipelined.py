#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a loop whose instructions have engines, for nc-pipeline-loops.

pipelined.py gather TARGET: rows of a table that indices select.
pipelined.py turns TARGET BYTES: the norm of rows, in which scalar and vector take turns, beside a buffer of so many
bytes of a partition.
"""
import sys

form, target = sys.argv[1:3]
HBM, SBUF = "#nc.space<hbm>", "#nc.space<sbuf>"


def view(name, memory, width, element, space="sbuf", index="", rows=None):
    stride = 1 if space == "sbuf" else width
    at = f"affine_map<(d0) -> (d0 * {128 * width})>" if index else "affine_map<() -> (0)>"
    kind = f"memref<{rows or 128}x{width}x{element}, #nc.space<{space}>>"
    print(f"    %{name} = nc.view %{memory}[{index}] offset {at} sizes [128, {width}] strides [{stride}, 1]"
          f"{' {rows_by_index}' if rows == 1000 else ''} : {kind} -> <128x{width}x{element}, {space}>")


def buffer(name, width, element):
    print(f"    %{name} = nc.alloc {{nc.written_first}} : memref<128x{width}x{element}, {SBUF}>")
    view(f"{name}v", name, width, element)


print(f"module attributes {{nc.target = #nc.target<\"{target}\">}} {{")
if form == "gather":
    index, rows = "<128x1xi32, sbuf>", "<128x4096xbf16, sbuf>"
    print(f"func.func @gather(%ids: memref<4096x1xi32, {HBM}>, %table: memref<1000x4096xbf16, {HBM}>, %y: memref<4096x4096xbf16, {HBM}>) {{")
    print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c32 = arith.constant 32 : index")
    print("  scf.for %i = %c0 to %c32 step %c1 {")
    buffer("a", 1, "i32")
    view("from", "ids", 1, "i32", "hbm", "%i", 4096)
    print(f"    nc.dma_copy dst(%av : {index}) src(%from : <128x1xi32, hbm>) {{engine = #nc.engine<sync>}}")
    last = "av"
    for name, op in ("min", "minimum"), ("max", "maximum"):
        buffer(f"{name}c", 1, "i32")
        print(f"    nc.memset dst(%{name}cv : {index}) {{engine = #nc.engine<vector>, value = 1.0 : f32}}")
        buffer(name, 1, "i32")
        print(f"    nc.tensor_tensor dst(%{name}v : {index}) data1(%{last} : {index}) data2(%{name}cv : {index}) "
              f"{{engine = #nc.engine<gpsimd>, op = #nc.alu_op<{op}>}}")
        last = f"{name}v"
    buffer("t", 4096, "bf16")
    view("all", "table", 4096, "bf16", "hbm", rows=1000)
    print(f"    nc.dma_copy dst(%tv : {rows}) src(%all : <128x4096xbf16, hbm>) src_index(%{last} : !nc.view<128x1xi32, sbuf>) "
          "{engine = #nc.engine<sync>, queue = 1 : i32}")
    result = "tv"
else:
    column, rows = "<128x1xf32, sbuf>", "<128x4096xbf16, sbuf>"
    print(f"func.func @turns(%x: memref<4096x4096xbf16, {HBM}>, %y: memref<4096x4096xbf16, {HBM}>) {{")
    print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c32 = arith.constant 32 : index")
    beside = int(sys.argv[3]) // 4
    buffer("beside", beside, "f32")
    print(f"    nc.memset dst(%besidev : <128x{beside}xf32, sbuf>) {{engine = #nc.engine<gpsimd>, value = 1.0 : f32}}")
    print("  scf.for %i = %c0 to %c32 step %c1 {")
    buffer("t", 4096, "bf16")
    view("from", "x", 4096, "bf16", "hbm", "%i", 4096)
    print(f"    nc.dma_copy dst(%tv : {rows}) src(%from : <128x4096xbf16, hbm>) {{engine = #nc.engine<sync>}}")
    buffer("squares", 4096, "bf16")
    buffer("sum", 1, "f32")
    print(f"    nc.activation dst(%squaresv : {rows}) data(%tv : {rows}) reduce_res(%sumv : !nc.view{column}) "
          "{engine = #nc.engine<scalar>, op = #nc.activation_function<square>, reduce_cmd = #nc.reduce_command<reset_reduce>, "
          "reduce_op = #nc.alu_op<add>}")
    buffer("root", 1, "f32")
    print(f"    nc.activation dst(%rootv : {column}) data(%sumv : {column}) {{engine = #nc.engine<scalar>, "
          "op = #nc.activation_function<rsqrt>, scale_value = 1.0 : f32}")
    buffer("scaled", 4096, "bf16")
    print(f"    nc.tensor_scalar dst(%scaledv : {rows}) data(%tv : {rows}) operand0(%rootv : !nc.view{column}) "
          "{engine = #nc.engine<vector>, nc.takes_turns = array<i64: 2, 309>, op0 = #nc.alu_op<multiply>}")
    buffer("o", 4096, "bf16")
    print(f"    nc.tensor_tensor dst(%ov : {rows}) data1(%scaledv : {rows}) data2(%scaledv : {rows}) "
          "{engine = #nc.engine<vector>, op = #nc.alu_op<multiply>}")
    result = "ov"
view("to", "y", 4096, "bf16", "hbm", "%i", 4096)
print(f"    nc.dma_copy dst(%to : <128x4096xbf16, hbm>) src(%{result} : {rows}) {{engine = #nc.engine<gpsimd>, queue = 8 : i32}}")
print("  }")
if form == "turns":
    print(f"    nc.memset dst(%besidev : <128x{beside}xf32, sbuf>) {{engine = #nc.engine<gpsimd>, value = 2.0 : f32}}")
print("  return\n}\n}")
