//===- NcOps.td - Memory and views of the nc dialect -------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_NC_OPS
#define KILN_NC_OPS

include "kiln/compiler/dialect/nc/NcBase.td"

def Nc_AllocOp : Nc_Op<"alloc"> {
  let summary = "declares memory";
  let description = [{
    Memory of the enclosing block: a fresh one in each iteration of a loop, so
    `ring` copies of it may exist. On chip, dimension 0 is partitions, the rest
    is row-major in each partition. `pin_partition` and `pin_byte` are the
    user's; a pinned buffer stays where it is pinned. `partition`, `byte` and
    `slot_bytes` are set by nc-allocate: copy i of the ring lies at
    `byte` + i * `slot_bytes`.

    In HBM it is scratch, or a constant if `value` is given; with `shared` the
    cores of a rank have it in common, by its label.

    ```mlir
    %new = nc.alloc {ring = 2 : i64, label = "scores"} : memref<128x512xf32, #nc.space<sbuf>>
    ```
  }];
  let arguments = (ins
    DefaultValuedAttr<I64Attr, "1">:$ring,
    OptionalAttr<I64Attr>:$pin_partition,
    OptionalAttr<I64Attr>:$pin_byte,
    OptionalAttr<StrAttr>:$label,
    UnitAttr:$shared,
    OptionalAttr<ElementsAttr>:$value,
    OptionalAttr<I64Attr>:$partition,
    OptionalAttr<I64Attr>:$byte,
    OptionalAttr<I64Attr>:$slot_bytes);
  let results = (outs AnyMemRef:$memory);
  let assemblyFormat = "attr-dict `:` type($memory)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::MemRefType":$type,
                                 CArg<"::llvm::StringRef", "\"\"">:$label), [{
    $_state.addTypes(type);
    if (!label.empty())
      $_state.addAttribute("label", $_builder.getStringAttr(label));
  }]>];
  let extraClassDeclaration = [{
    Space getSpace();
    /// Bytes that one copy takes in each partition (HBM: in all), unpadded.
    int64_t getBytesPerPartition();
    int64_t getPartitions();
  }];
}

def Nc_ViewOp : Nc_Op<"view", [Pure]> {
  let summary = "a strided window";
  let description = [{
    Elements `offset(indices) + sum(i_j * strides[j])` of `base`. On chip,
    dimension 0 is partitions: it starts at the static `row`, strides[0] is 1,
    and `offset` and the other strides count elements of the row-major free
    dimensions. In HBM every dimension is strided over the row-major tensor.
    The view may show the bytes as elements of another type, in which all these
    count. Stride 0 repeats. With `rows_by_index`, in HBM, an index operand of the
    instruction says which rows: there may be more of them than in `base`.

    ```mlir
    %part = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 512)>
      sizes [128, 512] strides [512, 1] : memref<256x512xf32, #nc.space<hbm>> -> !nc.view<128x512xf32, hbm>
    ```
  }];
  let arguments = (ins AnyMemRef:$base, Variadic<Index>:$indices,
    DefaultValuedAttr<I64Attr, "0">:$row, AffineMapAttr:$offset,
    DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
    UnitAttr:$rows_by_index);
  let results = (outs Nc_View:$view);
  let assemblyFormat = [{
    $base `[` $indices `]` (`row` $row^)? `offset` $offset
    `sizes` $sizes `strides` $strides attr-dict
    `:` type($base) `->` type($view)
  }];
  let hasVerifier = 1;
  let builders = [
    // The result type follows from the base and the sizes.
    OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$indices,
                   "int64_t":$row, "::mlir::AffineMap":$offset,
                   "::llvm::ArrayRef<int64_t>":$sizes,
                   "::llvm::ArrayRef<int64_t>":$strides,
                   CArg<"bool", "false">:$rowsByIndex)>,
    // The whole of the base, dense.
    OpBuilder<(ins "::mlir::Value":$base)>,
  ];
}

#endif // KILN_NC_OPS
