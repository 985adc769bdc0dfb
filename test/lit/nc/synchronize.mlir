// RUN: kiln-opt %s --nc-synchronize | FileCheck %s
// RUN: kiln-opt %s --cse --nc-synchronize | FileCheck %s
// RUN: kiln-opt %s --nc-synchronize --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: synchronize.mlir:[[#@LINE+18]]:3: remark: [Analysis] Synchronised | Category:nc-synchronize |
// REMARK-DAG: remark: [Analysis] Synchronised | Category:nc-synchronize |

// Straight line: one token from writer to reader, none where bytes or rows
// are apart, none between instructions of one engine.
// CHECK-LABEL: func.func @straight
// CHECK: nc.memset dst(%[[A:[0-9a-z]+]] {{.*}}nc.signals = [#nc.token<[[S:[0-9]+]], 1>]
// CHECK: nc.memset {{.*}} {engine = #nc.engine<vector>, value = 1.0
// CHECK: nc.memset {{.*}} {engine = #nc.engine<vector>, value = 2.0
// CHECK: nc.activation {{.*}}nc.waits = [#nc.token<[[S]], 1>]
func.func @straight() {
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %b = nc.alloc {partition = 0 : i64, byte = 64 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%bv : !nc.view<128x16xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%bv : !nc.view<128x16xf32, sbuf>) {value = 2.0 : f32, engine = #nc.engine<vector>}
  nc.activation dst(%av : !nc.view<128x16xf32, sbuf>) data(%av : !nc.view<128x16xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}
  return
}

// A ring of two in a loop: the reader gives each copy back, and the writer
// starts with two credits, given in front of the loop and drained behind it.
// CHECK-LABEL: func.func @ring
// CHECK: scf.for
// CHECK: nc.memset {{.*}}nc.signals = [#nc.token<[[FULL:[0-9]+]], 1>], nc.waits = [#nc.token<[[FREE:[0-9]+]], 1>]
// CHECK: nc.activation {{.*}}nc.signals = [#nc.token<[[FREE]], 1>], nc.waits = [#nc.token<[[FULL]], 1>]
// CHECK: nc.fences = [
// CHECK-SAME: #nc.fence<engine = <vector>, after = false, waits = [], signals = [#nc.token<[[FREE]], 2>]>
// CHECK-SAME: #nc.fence<engine = <vector>, after = true, waits = [#nc.token<[[FREE]], 2>], signals = []>
func.func @ring() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = nc.alloc {partition = 0 : i64, byte = 256 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64, ring = 2 : i64} : memref<128x16xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
    nc.activation dst(%bv : !nc.view<128x16xf32, sbuf>) data(%av : !nc.view<128x16xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}
  }
  return
}

// The program's own tokens stand behind the others, on the last semaphores.
// CHECK-LABEL: func.func @own_tokens
// CHECK: nc.memset {{.*}}nc.signals = [#nc.token<0, 1>, #nc.token<225, 3>]
// CHECK: nc.activation {{.*}}nc.waits = [#nc.token<0, 1>, #nc.token<225, 3>]
func.func @own_tokens() attributes {nc.user_semaphores = ["a", "b"]} {
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %b = nc.alloc {partition = 0 : i64, byte = 64 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>, nc.user_signals = [#nc.token<1, 3>]}
  nc.activation dst(%bv : !nc.view<128x16xf32, sbuf>) data(%av : !nc.view<128x16xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>, nc.user_waits = [#nc.token<1, 3>]}
  return
}

// No data flow between the two, but the second comes after the first, in each
// iteration; the first of the next iteration waits for nothing.
// CHECK-LABEL: func.func @edge
// CHECK: nc.memset {{.*}}nc.signals = [#nc.token<[[E:[0-9]+]], 1>]
// CHECK-NOT: nc.waits
// CHECK: nc.activation {{.*}}nc.waits = [#nc.token<[[E]], 1>]
// CHECK-NOT: nc.fences
func.func @edge() attributes {nc.order_edges = array<i64: 1, 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %b = nc.alloc {partition = 0 : i64, byte = 64 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>, nc.label = 0 : i64}
    nc.activation dst(%bv : !nc.view<128x16xf32, sbuf>) data(%bv : !nc.view<128x16xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>, nc.label = 1 : i64}
  }
  return
}

// A paced semaphore: the next token is given when the last one is taken.
// CHECK-LABEL: func.func @paced
// CHECK: nc.semaphore {{.*}}nc.signals = [#nc.token<[[G:[0-9]+]], 1>, #nc.token<224, 1>], {{.*}}nc.waits = [#nc.token<[[F:[0-9]+]], 1>]
// CHECK: nc.semaphore {{.*}}nc.signals = [#nc.token<[[F]], 1>], {{.*}}nc.waits = [#nc.token<[[G]], 1>, #nc.token<224, 1>]
func.func @paced() attributes {nc.user_semaphores = ["a"], nc.paced_semaphores = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 100000 : index
  scf.for %i = %c0 to %c8 step %c1 {
    nc.semaphore {engine = #nc.engine<vector>, nc.user_signals = [#nc.token<0, 1>]}
    nc.semaphore {engine = #nc.engine<scalar>, nc.user_waits = [#nc.token<0, 1>]}
  }
  return
}

// What overwrites the source of loads waits for these, in the stream that has
// issued them, and not for TensorE, which tells behind its own loop that it has
// waited for them. Sync takes a token of each load but the last 16, and these in
// front of the store.
// CHECK-LABEL: func.func @own_transfers
// CHECK: nc.dma_copy {{.*}}nc.signals = [{{.*}}#nc.token<[[DONE:[0-9]+]], 1>{{.*}}], nc.waits = [{{.*}}#nc.token<[[DONE]], 1>
// CHECK: nc.fences = [
// CHECK-SAME: #nc.fence<engine = <sync>, after = false, waits = [], signals = [{{.*}}#nc.token<[[DONE]], 16>
// CHECK: nc.dma_copy {{.*}}nc.waits = [#nc.token<[[DONE]], 16>]
func.func @own_transfers(%x: memref<128x64xbf16, #nc.space<hbm>>, %y: memref<128x64xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %p = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 2048 : i64} : memref<64x64xf32, #nc.space<psum>>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> !nc.view<128x64xbf16, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> !nc.view<128x64xbf16, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 128 : i64, ring = 2 : i64} : memref<128x64xbf16, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xbf16, #nc.space<sbuf>> -> !nc.view<128x64xbf16, sbuf>
    nc.dma_copy dst(%av : !nc.view<128x64xbf16, sbuf>) src(%xv : !nc.view<128x64xbf16, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32}
    nc.nc_matmul dst(%pv : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
  }
  nc.dma_copy dst(%xv : !nc.view<128x64xbf16, hbm>) src(%yv : !nc.view<128x64xbf16, hbm>) {engine = #nc.engine<sync>, queue = 2 : i32}
  return
}
