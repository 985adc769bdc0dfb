// RUN: kiln-opt %s --nc-note-order=all-memory=true | kiln-opt --nc-check-whole | FileCheck %s
// RUN: kiln-opt %s --nc-note-order=all-memory=true --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Analysis] Numbered | Category:nc-note-order | {{.*}}+loops=1, +operations=3

// Numbers survive printing, and old notes go.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME: nc.order_record
// CHECK-SAME: parents = array<i64: -1, -1, -1, 2>
// CHECK: nc.register_load src({{.*}}) source(0)
// CHECK: nc.memset dst({{.*}}) source(1) {value = 1.000000e+00 : f32}
// CHECK: scf.for
// CHECK: nc.tensor_copy dst({{.*}}) src({{.*}}) source(3)
// CHECK-NEXT: } {nc.source = 2 : i64}
func.func @numbers(%x: memref<8x8xi32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %x[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x8xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>)
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = array<i64: 4, 5>, nc.turns = array<i64: 0, 1, 0, 0>}
  scf.for %i = %c0 to %r step %c1 {
    nc.tensor_copy dst(%bv : !nc.view<128x32xf32, sbuf>) src(%av : !nc.view<128x32xf32, sbuf>)
  }
  return
}
