// RUN: kiln-opt %s --nc-check-order | FileCheck %s
// RUN: kiln-opt %s --nc-check-order --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Analysis] OrderKept | Category:nc-check-order | {{.*}}+accesses=2,

// What does not meet may change places. The numbers go.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: {{nc.source|source\(}}
func.func @apart() attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1>, writes = array<i64: -1, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  nc.memset dst(%right : !nc.view<128x32xf32, sbuf>) source(1) {value = 1.0 : f32}
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) source(0) {value = 1.0 : f32}
  return
}

// The first of the next iteration in front of the second of this one, in other
// bytes; a copy in front of the loop and one behind it.
// CHECK-LABEL: func.func @rotated
func.func @rotated() attributes {nc.order_record = {loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0, 0>, writes = array<i64: 0, -1, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64, nc.turns = array<i64: 0, 1, 0, 0>}
  scf.for %i = %c0 to %c3 step %c1 {
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64, nc.turns = array<i64: 0, 0, 1, 1>}
    nc.memset dst(%right : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  } {nc.source = 0 : i64}
  nc.memset dst(%right : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64, nc.turns = array<i64: 0, 1, 3, 3>}
  return
}

// Four iterations in one.
// CHECK-LABEL: func.func @jammed
func.func @jammed() attributes {nc.order_record = {loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0>, writes = array<i64: 0, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  scf.for %i = %c0 to %c4 step %c4 {
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64, nc.turns = array<i64: 0, 0, 1, 1>}
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64, nc.turns = array<i64: 0, 0, 2, 2>}
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64, nc.turns = array<i64: 0, 0, 3, 3>}
  } {nc.source = 0 : i64}
  return
}
