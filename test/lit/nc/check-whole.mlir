// RUN: kiln-opt %s --nc-check-whole | FileCheck %s
// RUN: kiln-opt %s --nc-check-whole --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Analysis] NothingLost | Category:nc-check-whole | {{.*}}+operations=2

// A copy in front of the loop and one iteration less in it; the numbers stay
// for emission.
// CHECK-LABEL: func.func @peeled
// CHECK-SAME: nc.order_record
// CHECK-NOT: nc.written_first
// CHECK: nc.source = 2
func.func @peeled() attributes {nc.order_record = {all_memory, loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0, 0>, writes = array<i64: 0, -1, -1>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %b = nc.alloc : memref<128x8xf32, #nc.space<sbuf>>
  %a = nc.alloc {nc.written_first} : memref<128x8xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  nc.tensor_copy dst(%bv : !nc.view<128x8xf32, sbuf>) src(%av : !nc.view<128x8xf32, sbuf>) {nc.source = 2 : i64}
  scf.for %i = %c1 to %c4 step %c1 {
  nc.memset dst(%av : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  nc.tensor_copy dst(%bv : !nc.view<128x8xf32, sbuf>) src(%av : !nc.view<128x8xf32, sbuf>) {nc.source = 2 : i64}
  } {nc.source = 0 : i64}
  return
}
