// RUN: kiln-opt %s --nc-allocate | FileCheck %s
// RUN: kiln-opt %s --cse --nc-allocate | FileCheck %s
// RUN: kiln-opt %s --nc-allocate --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: allocate.mlir:[[#@LINE+15]]:13: remark: [Analysis] Allocated | Category:nc-allocate |
// REMARK-DAG: remark: [Analysis] Allocated | Category:nc-allocate |
// REMARK-DAG: remark: [Missed] FewerCopies | Category:nc-allocate |

// Buffers whose lives do not meet share bytes; a ring takes its copies side by
// side; a matmul destination starts a PSUM bank; a pinned buffer stays.

// CHECK-LABEL: func.func @places
// CHECK-SAME: nc.psum_banks_peak = 1
// CHECK-SAME: nc.sbuf_peak_bytes
func.func @places() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: nc.alloc {byte = 4096 : i64, label = "pinned", partition = 0 : i64, pin_byte = 4096 : i64, slot_bytes = 256 : i64}
  %pinned = nc.alloc {label = "pinned", pin_byte = 4096 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  // CHECK: nc.alloc {byte = [[FIRST:[0-9]+]] : i64, label = "first"
  %first = nc.alloc {label = "first"} : memref<128x64xf32, #nc.space<sbuf>>
  // CHECK: nc.alloc {byte = [[FIRST]] : i64, label = "second"
  %second = nc.alloc {label = "second"} : memref<128x64xf32, #nc.space<sbuf>>
  // CHECK: label = "bank"{{.*}}slot_bytes = 2048
  %bank = nc.alloc {label = "bank"} : memref<128x64xf32, #nc.space<psum>>
  %pv = nc.view %pinned[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %fv = nc.view %first[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %sv = nc.view %second[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %tv = nc.view %bank[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<128x64xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
  nc.memset dst(%fv : !nc.view<128x64xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  nc.tensor_copy dst(%pv : !nc.view<128x64xf32, sbuf>) src(%fv : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<vector>}
  nc.memset dst(%sv : !nc.view<128x64xf32, sbuf>) {value = 2.0 : f32, engine = #nc.engine<vector>}
  nc.nc_matmul dst(%tv : !nc.view<64x64xf32, psum>) stationary(%sv : !nc.view<128x64xf32, sbuf>) moving(%pv : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<tensor>}
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: nc.alloc {byte = {{[0-9]+}} : i64, label = "ring", partition = 0 : i64, ring = 2 : i64, slot_bytes = 1024 : i64}
    %ring = nc.alloc {label = "ring", ring = 2 : i64} : memref<128x256xf32, #nc.space<sbuf>>
    %rv = nc.view %ring[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
    nc.memset dst(%rv : !nc.view<128x256xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  }
  return
}

// Two copies of 120000 bytes do not fit: one is taken back.
// CHECK-LABEL: func.func @one_copy_less
func.func @one_copy_less() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 120000 : i64}
    %big = nc.alloc {ring = 2 : i64} : memref<128x30000xf32, #nc.space<sbuf>>
    %rv = nc.view %big[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.memset dst(%rv : !nc.view<128x30000xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  }
  return
}

// Memory is short in the first loop. The second one, whose ring is larger, gives
// a copy first, and takes it back: it has no other transfer.
// CHECK-LABEL: func.func @second_copy
func.func @second_copy(%x: memref<128x15008xf32, #nc.space<hbm>>, %y: memref<128x25008xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 15008] strides [15008, 1] : memref<128x15008xf32, #nc.space<hbm>> -> !nc.view<128x15008xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 25008] strides [25008, 1] : memref<128x25008xf32, #nc.space<hbm>> -> !nc.view<128x25008xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: nc.alloc {byte = {{[0-9]+}} : i64, partition = 0 : i64, slot_bytes = 60032 : i64}
    // CHECK: nc.alloc {byte = {{[0-9]+}} : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 60032 : i64}
    %a = nc.alloc {ring = 2 : i64} : memref<128x15008xf32, #nc.space<sbuf>>
    %b = nc.alloc {ring = 2 : i64} : memref<128x15008xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 15008] strides [1, 1] : memref<128x15008xf32, #nc.space<sbuf>> -> !nc.view<128x15008xf32, sbuf>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 15008] strides [1, 1] : memref<128x15008xf32, #nc.space<sbuf>> -> !nc.view<128x15008xf32, sbuf>
    nc.dma_copy dst(%av : !nc.view<128x15008xf32, sbuf>) src(%xv : !nc.view<128x15008xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32}
    nc.dma_copy dst(%bv : !nc.view<128x15008xf32, sbuf>) src(%xv : !nc.view<128x15008xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: nc.alloc {byte = 0 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 100032 : i64}
    %c = nc.alloc {ring = 2 : i64} : memref<128x25008xf32, #nc.space<sbuf>>
    %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 25008] strides [1, 1] : memref<128x25008xf32, #nc.space<sbuf>> -> !nc.view<128x25008xf32, sbuf>
    nc.dma_copy dst(%cv : !nc.view<128x25008xf32, sbuf>) src(%yv : !nc.view<128x25008xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32}
  }
  return
}

// Two buffers of a body may be pinned to the same bytes, one after the other.
// CHECK-LABEL: func.func @turns
// CHECK: nc.alloc {byte = 0 : i64, label = "one"
// CHECK: nc.alloc {byte = 0 : i64, label = "two"
func.func @turns() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc {label = "one", pin_partition = 0 : i64, pin_byte = 0 : i64} : memref<128x16xf32, #nc.space<sbuf>>
    %b = nc.alloc {label = "two", pin_partition = 0 : i64, pin_byte = 0 : i64} : memref<128x16xf32, #nc.space<sbuf>>
    %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    %w = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
    nc.memset dst(%w : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  }
  return
}

// Both have two copies, and each has memory of its own as long as the loop
// runs: the copy goes that no DMA fills.
// CHECK-LABEL: func.func @copies_of_transfers
func.func @copies_of_transfers(%x: memref<128x15000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: nc.alloc {{.*}}label = "loaded"{{.*}}ring = 2 : i64
    %loaded = nc.alloc {label = "loaded", ring = 2 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    // CHECK: nc.alloc {{.*}}label = "made", partition = 0 : i64, slot_bytes
    %made = nc.alloc {label = "made", ring = 2 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %h = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 15000] strides [15000, 1] : memref<128x15000xf32, #nc.space<hbm>> -> !nc.view<128x15000xf32, hbm>
    %l = nc.view %loaded[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    %m = nc.view %made[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%l : !nc.view<128x15000xf32, sbuf>) src(%h : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.tensor_copy dst(%m : !nc.view<128x15000xf32, sbuf>) src(%l : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<vector>}
  }
  return
}

// Four loads that follow each other outside of a loop: each has bytes of its
// own, so that none waits for the reader of the one before.
// CHECK-LABEL: func.func @ahead
// CHECK: nc.alloc {byte = [[A:[0-9]+]] : i64, label = "a"
// CHECK: nc.alloc {byte = [[B:[0-9]+]] : i64, label = "b"
// CHECK-NOT: byte = [[A]] : i64
// CHECK: nc.alloc {byte = [[C:[0-9]+]] : i64, label = "c"
// CHECK-NOT: byte = [[A]] : i64
// CHECK-NOT: byte = [[B]] : i64
// CHECK: nc.alloc {byte = {{[0-9]+}} : i64, label = "d"
func.func @ahead(%x: memref<128x256xf32, #nc.space<hbm>>) {
  %s = nc.alloc {label = "sum"} : memref<128x256xf32, #nc.space<sbuf>>
  %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %h = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %a = nc.alloc {label = "a"} : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%h : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.tensor_copy dst(%sv : !nc.view<128x256xf32, sbuf>) src(%av : !nc.view<128x256xf32, sbuf>) {engine = #nc.engine<vector>}
  %b = nc.alloc {label = "b"} : memref<128x256xf32, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%h : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.tensor_copy dst(%sv : !nc.view<128x256xf32, sbuf>) src(%bv : !nc.view<128x256xf32, sbuf>) {engine = #nc.engine<vector>}
  %c = nc.alloc {label = "c"} : memref<128x256xf32, #nc.space<sbuf>>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%cv : !nc.view<128x256xf32, sbuf>) src(%h : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.tensor_copy dst(%sv : !nc.view<128x256xf32, sbuf>) src(%cv : !nc.view<128x256xf32, sbuf>) {engine = #nc.engine<vector>}
  %d = nc.alloc {label = "d"} : memref<128x256xf32, #nc.space<sbuf>>
  %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%dv : !nc.view<128x256xf32, sbuf>) src(%h : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.tensor_copy dst(%sv : !nc.view<128x256xf32, sbuf>) src(%dv : !nc.view<128x256xf32, sbuf>) {engine = #nc.engine<vector>}
  return
}

// Two products, one after the other: the second one has a bank of its own, and
// does not wait until the first one is read.
// CHECK-LABEL: func.func @banks
// CHECK-SAME: nc.psum_banks_peak = 2
func.func @banks() {
  %a = nc.alloc : memref<128x64xbf16, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xbf16, #nc.space<sbuf>> -> !nc.view<128x64xbf16, sbuf>
  %r = nc.alloc : memref<64x64xf32, #nc.space<sbuf>>
  %rv = nc.view %r[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> !nc.view<64x64xf32, sbuf>
  %p = nc.alloc {label = "p"} : memref<64x64xf32, #nc.space<psum>>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
  %q = nc.alloc {label = "q"} : memref<64x64xf32, #nc.space<psum>>
  %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
  nc.nc_matmul dst(%pv : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
  nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%pv : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
  nc.nc_matmul dst(%qv : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
  nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%qv : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
  return
}
