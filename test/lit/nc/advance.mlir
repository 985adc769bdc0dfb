// RUN: kiln-opt %s --nc-advance | FileCheck %s
// RUN: kiln-opt %s --cse --nc-advance | FileCheck %s
// RUN: kiln-opt %s --nc-advance --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Advanced | Category:nc-advance |
// REMARK-DAG: remark: [Missed] NotAdvanced | Category:nc-advance |

#row = affine_map<(d0) -> (d0 * 16384)>

// The head of iteration i + 1 stands behind the tail of iteration i. What it
// hands on lives outside, once; the queries are its own.
// CHECK-LABEL: func.func @heads
// CHECK-DAG: %[[LAST:.*]] = arith.constant 7 : index
// CHECK-DAG: nc.alloc : memref<128x128xf32, #nc.space<psum>>
// CHECK-DAG: nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
// CHECK: nc.dma_copy
// CHECK: nc.memset
// CHECK: nc.nc_matmul
// CHECK: scf.for %[[I:.*]] = %c0 to %[[LAST]]
// CHECK: nc.view %arg1[%[[I]]]
// CHECK: scf.for
// CHECK: nc.tensor_tensor
// CHECK: nc.dma_copy
// CHECK: %[[NEXT:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK: nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
// CHECK: nc.view %arg0[%[[NEXT]]]
// CHECK: nc.dma_copy
// CHECK: nc.memset
// CHECK: nc.nc_matmul
// CHECK: }
// CHECK-NOT: nc.nc_matmul
// CHECK: nc.view %arg1[%[[LAST]]]
// CHECK: scf.for
// CHECK: nc.tensor_tensor
// CHECK: nc.dma_copy
// CHECK: return
func.func @heads(%x: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<1024x128xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = arith.constant 8 : index
  scf.for %i = %c0 to %t step %c1 {
    %q = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %accv = nc.view %acc[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %xv = nc.view %x[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    %yv = nc.view %y[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%qv : !nc.view<128x128xbf16, sbuf>) src(%xv : !nc.view<128x128xbf16, hbm>)
    nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%qv : !nc.view<128x128xbf16, sbuf>) moving(%qv : !nc.view<128x128xbf16, sbuf>)
    scf.for %j = %c0 to %n step %c1 {
      nc.tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data1(%accv : !nc.view<128x128xf32, sbuf>) data2(%sv : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
    }
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%accv : !nc.view<128x128xf32, sbuf>)
  }
  return
}

// One iteration has no next one.
// CHECK-LABEL: func.func @single
// CHECK: scf.for
// CHECK: nc.nc_matmul
// CHECK-NOT: nc.nc_matmul
// CHECK: return
func.func @single(%x: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<1024x128xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = arith.constant 1 : index
  scf.for %i = %c0 to %t step %c1 {
    %q = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %accv = nc.view %acc[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %xv = nc.view %x[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    %yv = nc.view %y[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%qv : !nc.view<128x128xbf16, sbuf>) src(%xv : !nc.view<128x128xbf16, hbm>)
    nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%qv : !nc.view<128x128xbf16, sbuf>) moving(%qv : !nc.view<128x128xbf16, sbuf>)
    scf.for %j = %c0 to %n step %c1 {
      nc.tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data1(%accv : !nc.view<128x128xf32, sbuf>) data2(%sv : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
    }
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%accv : !nc.view<128x128xf32, sbuf>)
  }
  return
}

// Memory that the program placed stays in its loop.
// CHECK-LABEL: func.func @pinned
// CHECK: scf.for
// CHECK: nc.nc_matmul
// CHECK-NOT: nc.nc_matmul
// CHECK: return
func.func @pinned(%x: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<1024x128xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = arith.constant 8 : index
  scf.for %i = %c0 to %t step %c1 {
    %q = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc {pin_byte = 0 : i64, pin_partition = 0 : i64} : memref<128x128xf32, #nc.space<psum>>
    %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %accv = nc.view %acc[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %xv = nc.view %x[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    %yv = nc.view %y[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%qv : !nc.view<128x128xbf16, sbuf>) src(%xv : !nc.view<128x128xbf16, hbm>)
    nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%qv : !nc.view<128x128xbf16, sbuf>) moving(%qv : !nc.view<128x128xbf16, sbuf>)
    scf.for %j = %c0 to %n step %c1 {
      nc.tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data1(%accv : !nc.view<128x128xf32, sbuf>) data2(%sv : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
    }
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%accv : !nc.view<128x128xf32, sbuf>)
  }
  return
}

// The inner loop was software pipelined. What stands before its first scheduled
// instruction is the head, which is joined with the tail of the iteration
// before; what the head loads is loaded before the inner loop of that one. The
// ring of three copies and the two trips of the inner loop come round after
// three iterations: the new body holds them all, and each starts two copies
// further than the one before. A loop around it would go on behind all sixteen.
// CHECK-LABEL: func.func @pipelined
// CHECK: %[[C0:.*]] = nc.alloc {nc.copy = array<i64: 0, 0, 16>}
// CHECK: %[[C1:.*]] = nc.alloc {nc.copy = array<i64: 0, 1, 16>}
// CHECK: %[[C2:.*]] = nc.alloc {nc.copy = array<i64: 0, 2, 16>}
// CHECK: nc.dma_copy dst({{.*}}) src({{.*}}) {engine = #nc.engine<sync>
// CHECK: nc.memset {{.*}}nc.start = array<i64: 0, 0>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c6{{.*}} step %c3
// CHECK: nc.dma_copy dst({{.*}}) src({{.*}}) {engine = #nc.engine<sync>
// CHECK: %[[V1:.*]] = nc.view %[[C1]]
// CHECK: nc.memset dst(%[[V1]] : {{.*}}nc.scheduled
// CHECK: nc.tensor_tensor {{.*}}nc.start = array<i64: 0, 10>
// CHECK: %[[V2:.*]] = nc.view %[[C2]]
// CHECK: nc.memset dst(%[[V2]] : {{.*}}nc.start = array<i64: 0, 0>
// CHECK: %[[W0:.*]] = nc.view %[[C0]]
// CHECK: nc.memset dst(%[[W0]] : {{.*}}nc.scheduled
// CHECK: return
func.func @pipelined(%x: memref<1024x128xf32, #nc.space<hbm>>, %y: memref<1024x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc {nc.copy = array<i64: 0, 0, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %b = nc.alloc {nc.copy = array<i64: 0, 1, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %c = nc.alloc {nc.copy = array<i64: 0, 2, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %q = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %xv = nc.view %x[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    %yv = nc.view %y[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%qv : !nc.view<128x128xf32, sbuf>) src(%xv : !nc.view<128x128xf32, hbm>) {engine = #nc.engine<sync>}
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    nc.memset dst(%av : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 0>, value = 0.0 : f32}
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    nc.memset dst(%bv : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<vector>, nc.scheduled, value = 1.0 : f32}
    %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    nc.tensor_tensor dst(%cv : !nc.view<128x128xf32, sbuf>) data1(%qv : !nc.view<128x128xf32, sbuf>) data2(%av : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 10>, op = #nc.alu_op<add>}
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%cv : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// Two loops were software pipelined, the second one beside the end of the first
// one: each has copies of its own, which do not come round together.
// CHECK-LABEL: func.func @one_beside_the_other
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK: nc.memset {{.*}}nc.start = array<i64: 0, 0>
// CHECK: nc.memset {{.*}}nc.scheduled
// CHECK: nc.memset {{.*}}nc.start = array<i64: 0, 10, 1>
// CHECK-NOT: nc.memset
// CHECK: return
func.func @one_beside_the_other() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc {nc.copy = array<i64: 0, 0, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %b = nc.alloc {nc.copy = array<i64: 0, 0, 2>} : memref<128x64xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
    nc.memset dst(%av : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 0>, value = 0.0 : f32}
    nc.memset dst(%av : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<vector>, nc.scheduled, value = 1.0 : f32}
    nc.memset dst(%bv : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 10, 1>, value = 2.0 : f32}
  }
  return
}

// What finishes an iteration reads the sums that its drain leaves, and nobody
// waits for it: it comes behind the inner loop of the next iteration. The sums
// have four copies then, as loads of the next but one come before it.
// CHECK-LABEL: func.func @finished
// CHECK-COUNT-4: nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
// CHECK: nc.memset {{.*}}nc.start = array<i64: 0, 0>
// CHECK: nc.memset {{.*}}nc.scheduled
// CHECK-NOT: nc.reciprocal
// CHECK: nc.tensor_tensor {{.*}}nc.start = array<i64: 0, 10>
// CHECK: scf.for
// CHECK: nc.memset {{.*}}nc.scheduled
// CHECK: nc.reciprocal
// CHECK: nc.dma_copy
// CHECK: nc.tensor_tensor {{.*}}nc.start = array<i64: 0, 10>
// CHECK: return
func.func @finished(%y: memref<4096x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %a = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
    %b = nc.alloc : memref<128x32xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x32xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
    nc.memset dst(%av : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 0>, value = 0.0 : f32}
    nc.memset dst(%bv : !nc.view<128x32xf32, sbuf>) {engine = #nc.engine<vector>, nc.scheduled, value = 1.0 : f32}
    nc.tensor_tensor dst(%av : !nc.view<128x64xf32, sbuf>) data1(%av : !nc.view<128x64xf32, sbuf>) data2(%av : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 10>, op = #nc.alu_op<add>}
    %yv = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 8192)> sizes [128, 64] strides [64, 1] : memref<4096x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
    nc.reciprocal dst(%av : !nc.view<128x64xf32, sbuf>) data(%av : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<vector>}
    nc.dma_copy dst(%yv : !nc.view<128x64xf32, hbm>) src(%av : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}
