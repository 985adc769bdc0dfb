// RUN: kiln-opt %s --nc-pipeline-loops | FileCheck %s
// RUN: kiln-opt %s --nc-pipeline-loops --nc-multi-buffer --nc-order | FileCheck %s --check-prefix=ORDER
// RUN: kiln-opt %s --nc-pipeline-loops --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] AtTheBound | Category:nc-pipeline-loops |
// REMARK-DAG: remark: [Missed] NoGain | Category:nc-pipeline-loops | {{.*}}gains enough{{.*}} ns as it is, {{.*}} ns in the best of the schedules, {{.*}} binds: 14507 ns per iteration", before_ns=15298, other_ns=15298
// REMARK-DAG: remark: [Missed] NotPipelined | Category:nc-pipeline-loops |
// REMARK-DAG: remark: [Passed] Pipelined | Category:nc-pipeline-loops |

#tile = affine_map<(d0) -> (d0 * 131072)>

// exp -> multiply -> tanh takes both engines in turn: one iteration alone leaves
// each of them idle half of the time. Loads run ahead, the tanh of one iteration
// stands between the exponentials of later ones, and what began before the loop
// ends behind it. nc-multi-buffer and nc-order leave all that as it is.
// CHECK-LABEL: func.func @overlap
// CHECK-COUNT-8: nc.alloc {nc.copy = array<i64: {{[01]}}, {{[0-3]}}, 32>}
// CHECK-NOT: nc.alloc
// CHECK: nc.dma_copy {{.*}}nc.start
// CHECK: nc.dma_copy {{.*}}nc.start
// CHECK: nc.activation {{.*}}op = #nc.activation_function<exp>
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c28{{.*}} step %c4
// CHECK: affine.apply #{{.*}}(%[[I]])
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<sync>
// CHECK: op = #nc.activation_function<tanh>
// CHECK: op = #nc.activation_function<exp>
// CHECK: {{^    }}}
// CHECK: op = #nc.activation_function<exp>
// CHECK: op = #nc.activation_function<tanh>
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<gpsimd>
// CHECK: return
// ORDER-LABEL: func.func @overlap
// ORDER-NOT: ring
// ORDER: return
func.func @overlap(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %y[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// All of six iterations are prologue and epilogue: straight-line code.
// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.for
// CHECK: return
func.func @few(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c6 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %y[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// Two copies keep the DMA engines busy: no schedule gains anything.
// CHECK-LABEL: func.func @transfers
// CHECK-NOT: nc.scheduled
// CHECK: return
func.func @transfers(%x: memref<2048x2048xf32, #nc.space<hbm>>, %y: memref<2048x2048xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %t = nc.alloc : memref<128x2048xf32, #nc.space<sbuf>>
    %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 2048] strides [1, 1] : memref<128x2048xf32, #nc.space<sbuf>> -> !nc.view<128x2048xf32, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 262144)> sizes [128, 2048] strides [2048, 1] : memref<2048x2048xf32, #nc.space<hbm>> -> !nc.view<128x2048xf32, hbm>
    %yv = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 262144)> sizes [128, 2048] strides [2048, 1] : memref<2048x2048xf32, #nc.space<hbm>> -> !nc.view<128x2048xf32, hbm>
    nc.dma_copy dst(%tv : !nc.view<128x2048xf32, sbuf>) src(%xv : !nc.view<128x2048xf32, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%tv : !nc.view<128x2048xf32, sbuf>) data(%tv : !nc.view<128x2048xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.dma_copy dst(%yv : !nc.view<128x2048xf32, hbm>) src(%tv : !nc.view<128x2048xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// Nobody knows how often it runs.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: nc.scheduled
// CHECK: return
func.func @unknown(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %n step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %y[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// The program placed a buffer: there is one copy of it.
// CHECK-LABEL: func.func @pinned
// CHECK-NOT: nc.scheduled
// CHECK: return
func.func @pinned(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc {pin_byte = 0 : i64, pin_partition = 0 : i64} : memref<128x1024xbf16, #nc.space<sbuf>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %y[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// Nothing to gain: one engine is busy all of the time, whatever overlaps.
// CHECK-LABEL: func.func @bound
// CHECK-NOT: nc.scheduled
// CHECK: return
func.func @bound() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %a = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %b = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %c = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    nc.memset dst(%av : !nc.view<128x1024xbf16, sbuf>) {value = 1.0 : f32, engine = #nc.engine<gpsimd>}
    nc.activation dst(%bv : !nc.view<128x1024xbf16, sbuf>) data(%av : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.activation dst(%cv : !nc.view<128x1024xbf16, sbuf>) data(%av : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
  }
  return
}

// What one iteration leaves the next one reads: they cannot overlap.
// CHECK-LABEL: func.func @recurrence
// CHECK-NOT: nc.scheduled
// CHECK: return
func.func @recurrence(%x: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %acc = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
  %accv = nc.view %acc[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
  scf.for %i = %c0 to %c32 step %c1 {
    nc.activation dst(%accv : !nc.view<128x1024xbf16, sbuf>) data(%accv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%accv : !nc.view<128x1024xbf16, sbuf>) data(%accv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
  }
  return
}

// Inside another loop the prologue and the epilogue say when they start, each
// copy of a buffer says which one it is, and what runs while iterations begin
// keeps its order. The ring of two fits the eight iterations.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK: nc.alloc {nc.copy = array<i64: 0, 0, 8>}
// CHECK: nc.alloc {nc.copy = array<i64: 0, 1, 8>}
// CHECK: nc.dma_copy {{.*}}nc.start = array<i64: {{[0-9]+}}, 0>
// CHECK: nc.scheduled
// CHECK: nc.start
// CHECK: return
func.func @nested(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %n = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %xv = nc.view %x[%n, %i] offset affine_map<(d0, d1) -> (d0 * 1048576 + d1 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      %yv = nc.view %y[%n, %i] offset affine_map<(d0, d1) -> (d0 * 1048576 + d1 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
      nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
      nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
      nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
      nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  return
}

// The product takes a quarter of a bank, and seven banks are taken: both of its
// copies lie in the eighth one, and iterations take them in turn. The copy to SBUF is the work of two engines,
// which take turns, too.
// CHECK-LABEL: func.func @bank
// CHECK: nc.alloc : memref<128x256xf32, #nc.space<psum>>
// CHECK: nc.nc_matmul
// CHECK-DAG: nc.tensor_copy {{.*}}engine = #nc.engine<vector>
// CHECK-DAG: nc.tensor_copy {{.*}}engine = #nc.engine<scalar>
// CHECK-NOT: nc.takes_turns
// CHECK: return
func.func @bank(%x: memref<4096x128xbf16, #nc.space<hbm>>, %y: memref<4096x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %w = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %wv = nc.view %w[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  nc.memset dst(%wv : !nc.view<128x128xbf16, sbuf>) {engine = #nc.engine<gpsimd>, value = 1.0 : f32}
  %seven = nc.alloc : memref<128x3584xf32, #nc.space<psum>>
  %sevenv = nc.view %seven[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x3584xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  nc.memset dst(%sevenv : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, value = 1.0 : f32}
  scf.for %i = %c0 to %c32 step %c1 {
    %p = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %o = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %e = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
    %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %ev = nc.view %e[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
    nc.nc_matmul dst(%pv : !nc.view<128x128xf32, psum>) stationary(%wv : !nc.view<128x128xbf16, sbuf>) moving(%wv : !nc.view<128x128xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%ov : !nc.view<128x128xf32, sbuf>) src(%pv : !nc.view<128x128xf32, psum>) {engine = #nc.engine<vector>, nc.takes_turns = array<i64: 2, 512>}
    nc.memset dst(%ev : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<gpsimd>, value = 1.0 : f32}
    nc.activation dst(%ev : !nc.view<128x512xf32, sbuf>) data(%ev : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_tensor dst(%ev : !nc.view<128x512xf32, sbuf>) data1(%ev : !nc.view<128x512xf32, sbuf>) data2(%ev : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<vector>, op = #nc.alu_op<multiply>}
    nc.activation dst(%ev : !nc.view<128x512xf32, sbuf>) data(%ev : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_tensor dst(%ov : !nc.view<128x128xf32, sbuf>) data1(%ov : !nc.view<128x128xf32, sbuf>) data2(%ov : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<gpsimd>, op = #nc.alu_op<add>}
    %yv = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 16384)> sizes [128, 128] strides [128, 1] : memref<4096x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%ov : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<sync>}
  }
  nc.memset dst(%sevenv : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, value = 1.0 : f32}
  return
}
