#!/usr/bin/env python3
# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of both dialects has a summary, a description and an example that parses and prints.

usage: examples.py KILN_OPT MLIR_TBLGEN [-I DIR]... FILE.td...

The examples are those of the operations' descriptions. Values that an example uses and does not make are arguments of a
function: views as the example types them, others as PRELUDE does. Each must come back from kiln-opt the same twice.
"""
import math
import re
import subprocess
import sys

PRELUDE = {
    "tile": "tensor<128x512xf32>", "other": "tensor<128x512xf32>", "mask": "tensor<128x512xui8>",
    "column": "tensor<128x1xf32>", "row": "tensor<1x512xf32>", "weights": "tensor<512x128xf32>",
    "wide": "tensor<512x128xbf16>",
    "x": "memref<256x512xf32, #nc.space<hbm>>", "buffer": "memref<128x512xf32, #nc.space<sbuf>>", "i": "index",
}
VIEW = r"!nc\.view<(?:[^<>]|<[^<>]*>)*>"


def arguments(example):
    """Types of the values that the example does not make."""
    types = {}
    for values, listed in re.findall(rf"\((%[\w, %]+) : ((?:{VIEW}(?:, )?)+)\)", example):
        types.update(zip(re.findall(r"%(\w+)", values), re.findall(VIEW, listed)))
    for name in re.findall(r"_index\(%(\w+)\)", example):
        types[name] = "index"
    made = {name for line in re.findall(r"^\s*(%[^=\n]*) = ", example, re.M) for name in re.findall(r"%(\w+)", line)}
    made |= set(re.findall(r"scf\.for %(\w+)", example))
    for name in re.findall(r"%([a-z_]\w*)", example):
        types.setdefault(name, PRELUDE.get(name))
    return {name: type for name, type in types.items() if name not in made}


def function(number, example):
    given = arguments(example)
    untyped = [name for name, type in given.items() if type is None]
    if untyped:
        raise ValueError(f"no type is known for {untyped}")
    views = ""
    for name, type in given.items():
        shape = re.fullmatch(r"!nc\.view<((?:\d+x)+)(.*), hbm>", type)
        if shape:  # What is said of an HBM operand depends on its tensor.
            given[name] = f"memref<{shape.group(1)}{shape.group(2)}, #nc.space<hbm>>"
            sizes = [int(size) for size in shape.group(1).split("x")[:-1]]
            strides = [math.prod(sizes[i + 1:]) for i in range(len(sizes))]
            views += (f"%{name}_view = nc.view %{name}[] offset affine_map<() -> (0)> sizes {sizes} strides {strides} "
                      f": {given[name]} -> {type}\n")
            example = re.sub(rf"%{name}\b", f"%{name}_view", example)
    parameters = ", ".join(f"%{name}: {type}" for name, type in given.items())
    return f"func.func @example{number}({parameters}) {{\n{views}{example}\nreturn\n}}\n"


def printed(tool, text):
    done = subprocess.run([tool, "-"], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr)
    return done.stdout


def problems(tool, name, section):
    parts = re.split(r"\n(?:Syntax|Traits|Interfaces|Effects|#### \w+)", section)
    after = re.sub(r"\A\s*```.*?```", "", section.split("\nSyntax:")[-1], flags=re.S)
    body = re.sub(r"```mlir.*?```", "", after, flags=re.S)  # An instruction's equation counts.
    summary = re.search(r"^_(.+)_$", parts[0], re.M)
    if not summary or summary.group(1) == "":
        yield "has no summary"
    prose = re.split(r"\n(?:Traits|Interfaces|Effects|#### \w+)", body)[0]
    if len(re.sub(r"\s", "", prose)) < 20:
        yield "has no description"
    examples = re.findall(r"```mlir\n(.*?)```", section, re.S)
    if not examples:
        yield "has no example"
    for number, example in enumerate(examples):
        if not re.search(rf"\b{re.escape(name)}\b", example):
            yield "is not in its example"
        def module(target):
            attributes = f'nc.target = #nc.target<"{target}">, nc.cores = 2 : i64'
            return f"module attributes {{{attributes}}} {{\n{function(number, example)}}}\n"

        try:
            try:
                once = printed(tool, module("trn3"))
            except ValueError as error:
                if "[KILN-I001]" not in str(error):
                    raise
                once = printed(tool, module("trn2"))  # trn3 no longer has it.
            if name not in once or printed(tool, once) != once:
                yield "does not come back as it was:\n" + once
        except ValueError as error:
            yield f"has an example that is refused:\n{example}\n{error}"


def main():
    tool, tblgen = sys.argv[1:3]
    rest = sys.argv[3:]
    folders = [word for i, word in enumerate(rest) if word == "-I" or (i and rest[i - 1] == "-I")]
    files = [word for word in rest if word.endswith(".td")]
    count, wrong = 0, 0
    for file in files:
        page = subprocess.run([tblgen, "-gen-op-doc", *folders, file], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^### `([\w.]+)`", page, re.M)
        declared = subprocess.run([tblgen, "-gen-op-decls", *folders, file], capture_output=True, text=True, check=True).stdout
        operations = re.findall(r'getOperationName\(\) \{\s*return ::llvm::StringLiteral\("([\w.]+)"\)', declared)
        if sorted(names) != sorted(operations) or not operations:
            print(f"{file}: documented are {sorted(set(operations) ^ set(names))} of {len(operations)} too few or too many")
            wrong += 1
        for section in re.split(r"^### ", page, flags=re.M)[1:]:
            name = re.match(r"`([\w.]+)`", section).group(1)
            count += 1
            for problem in problems(tool, name, section):
                wrong += 1
                print(f"{name} {problem}")
    print(f"{count} operations, {wrong} mistakes")
    sys.exit(wrong != 0)


main()
