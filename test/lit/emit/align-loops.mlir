// RUN: kiln-opt --emit-assembly %s 2>&1 | FileCheck %s

// The buffer holds two blocks of four instructions. What fills a block waits
// for nothing and signals nothing.

// CHECK-LABEL: .stream vector
// CHECK-NEXT: memset
// CHECK-NEXT: memset
// CHECK-NOT: semaphore
// CHECK: loop r0 = 0 to 2
// Five instructions from the third of a block on lie in two blocks.
// CHECK-COUNT-3: memset
// CHECK-NEXT: end_loop
// CHECK-NEXT: semaphore ;
// CHECK-NEXT: loop r0 = 0 to 3
// Eight fit from the start of a block on: that is the ninth instruction.
// CHECK-COUNT-6: memset
// CHECK-NEXT: end_loop
// CHECK-NEXT: memset
// Nine never fit, but the loop inside does.
// CHECK-NEXT: loop r0 = 0 to 4
// CHECK-NEXT: memset
// CHECK-NEXT: semaphore ;
// CHECK-NEXT: loop r1 = 0 to 5
// CHECK-COUNT-4: memset
// CHECK-NEXT: end_loop
// CHECK-NEXT: end_loop

#z = affine_map<() -> (0)>
module attributes {nc.target = #nc.target<"trn2" with {dma_packet_bytes = 256, fetch_buffer_instructions = 8}>} {
func.func @kernel() attributes {nc.psum_banks_peak = 0 : i64, nc.sbuf_peak_bytes = 32 : i64, nc.semaphores = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %a = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 32 : i64} : memref<128x8xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset #z sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<sbuf>> -> <128x8xf32, sbuf>
  nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  scf.for %i = %c0 to %c2 step %c1 {
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  }
  scf.for %i = %c0 to %c3 step %c1 {
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  }
  nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  scf.for %i = %c0 to %c4 step %c1 {
    nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    scf.for %j = %c0 to %c5 step %c1 {
      nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
      nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
      nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
      nc.memset dst(%v : <128x8xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    }
  }
  return
}
}
