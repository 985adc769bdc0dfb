// RUN: kiln-opt %s --nc-pipeline-loops | FileCheck %s
// RUN: kiln-opt %s --nc-pipeline-loops --nc-rotate --nc-multi-buffer --nc-order --nc-allocate --nc-synchronize -o /dev/null
// RUN: kiln-opt %s --nc-pipeline-loops --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] PipelinedAny | Category:nc-pipeline-loops |
// REMARK-DAG: remark: [Missed] NoGain | Category:nc-pipeline-loops | {{.*}}any number of iterations{{.*}} ns in the best of the schedules, {{.*}}the recurrence {{.*}}before_ns=1619, other_ns=1620
// REMARK-DAG: remark: [Missed] NotPipelined | Category:nc-pipeline-loops |

#tile = affine_map<(d0) -> (d0 * 131072)>
#minus = affine_map<(d0) -> (d0 - 3)>

// As often as the loop around it says: prologue and epilogue run once or not at
// all, and what the steady state leaves over runs in the loop as it was.
// CHECK-DAG: #[[FEWER:.*]] = affine_map<(d0, d1) -> (d0 + 1, d1 - [[LEAST:[0-9]+]])>
// CHECK-DAG: #[[MOST:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[STEADY:.*]] = affine_map<(d0, d1) -> (d0, d0 + {{.*}} floordiv [[TRIP:[0-9]+]]
// CHECK-LABEL: func.func @triangle
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c32
// CHECK: %[[FEW:.*]] = affine.min #[[FEWER]](%[[B:.*]], %[[I]])
// CHECK: %[[ONCE:.*]] = affine.max #[[MOST]](%[[B]], %[[FEW]])
// CHECK: %[[S:.*]] = affine.max #[[STEADY]](%[[B]], %[[I]])
// CHECK: scf.for {{.*}} = %[[B]] to %[[ONCE]] step %c1
// CHECK: nc.dma_copy {{.*}}nc.scheduled
// CHECK: } {nc.once}
// CHECK: scf.for {{.*}} = %[[B]] to %[[S]] step %c[[TRIP]]
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<gpsimd>
// CHECK: scf.for {{.*}} = %[[S]] to
// CHECK: } {nc.once}
// CHECK: scf.for {{.*}} to %[[I]] step %c1
// CHECK: } {nc.remainder}
func.func @triangle(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %n = %c0 to %c32 step %c1 {
  scf.for %i = %c0 to %n step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %y[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>, queue = 0 : i32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>, queue = 8 : i32}
  }
  }
  return
}

// Each instruction waits for the one before.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: nc.scheduled
// CHECK: return
func.func @chain() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %all = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
  scf.for %n = %c0 to %c32 step %c1 {
  scf.for %i = %c0 to %n step %c1 {
    %v = nc.view %all[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    nc.activation dst(%v : !nc.view<128x1024xbf16, sbuf>) data(%v : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%v : !nc.view<128x1024xbf16, sbuf>) data(%v : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
  }
  }
  return
}

// On chip, an index needs bounds.
// CHECK-LABEL: func.func @moves
// CHECK-NOT: nc.scheduled
// CHECK: return
func.func @moves(%x: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %all = nc.alloc : memref<128x32xbf16, #nc.space<sbuf>>
  scf.for %n = %c0 to %c32 step %c1 {
  scf.for %i = %c0 to %n step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %all[%i] offset affine_map<(d0) -> (d0)> sizes [128, 1] strides [1, 1] : memref<128x32xbf16, #nc.space<sbuf>> -> !nc.view<128x1xbf16, sbuf>
    %xv = nc.view %x[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%inv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_reduce dst(%outv : !nc.view<128x1xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op = #nc.alu_op<add>}
  }
  }
  return
}
