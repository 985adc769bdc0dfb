// RUN: kiln-opt %s --nc-allocate | FileCheck %s

// The two buffers of the first loop have room only in the same bytes. Those of
// the other loops lie apart, so that no iteration waits for the store of the one
// before: with all copies, or with two where three have no room.

// CHECK-LABEL: func.func @one_loop_is_short
// CHECK: nc.alloc {byte = 0 : i64, label = "a"
// CHECK: nc.alloc {byte = 0 : i64, label = "b"
// CHECK: nc.alloc {byte = 0 : i64, label = "c", partition = 0 : i64, ring = 3 : i64, slot_bytes = 32000 : i64}
// CHECK: nc.alloc {byte = 96000 : i64, label = "d", partition = 0 : i64, ring = 3 : i64, slot_bytes = 32000 : i64}
// CHECK: nc.alloc {byte = 0 : i64, label = "e", partition = 0 : i64, ring = 2 : i64, slot_bytes = 40000 : i64}
// CHECK: nc.alloc {byte = 80000 : i64, label = "f", partition = 0 : i64, ring = 2 : i64, slot_bytes = 40000 : i64}
func.func @one_loop_is_short(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x30000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %y30000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %x8000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 8000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x8000xf32, hbm>
  %y8000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 8000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x8000xf32, hbm>
  %x10000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 10000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x10000xf32, hbm>
  %y10000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 10000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x10000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc {label = "a"} : memref<128x30000xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%av : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%av : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %b = nc.alloc {label = "b"} : memref<128x30000xf32, #nc.space<sbuf>>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%bv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%bv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %c = nc.alloc {label = "c", ring = 3 : i64} : memref<128x8000xf32, #nc.space<sbuf>>
    %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 8000] strides [1, 1] : memref<128x8000xf32, #nc.space<sbuf>> -> !nc.view<128x8000xf32, sbuf>
    nc.dma_copy dst(%cv : !nc.view<128x8000xf32, sbuf>) src(%x8000 : !nc.view<128x8000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y8000 : !nc.view<128x8000xf32, hbm>) src(%cv : !nc.view<128x8000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %d = nc.alloc {label = "d", ring = 3 : i64} : memref<128x8000xf32, #nc.space<sbuf>>
    %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 8000] strides [1, 1] : memref<128x8000xf32, #nc.space<sbuf>> -> !nc.view<128x8000xf32, sbuf>
    nc.dma_copy dst(%dv : !nc.view<128x8000xf32, sbuf>) src(%x8000 : !nc.view<128x8000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y8000 : !nc.view<128x8000xf32, hbm>) src(%dv : !nc.view<128x8000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %e = nc.alloc {label = "e", ring = 3 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
    %ev = nc.view %e[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
    nc.dma_copy dst(%ev : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%ev : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %f = nc.alloc {label = "f", ring = 3 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
    %fv = nc.view %f[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
    nc.dma_copy dst(%fv : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%fv : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// Tiles of a loop that do not fit side by side take the bytes in turn: the next
// one does not wait for the one just before it.
// CHECK-LABEL: func.func @in_turns
// CHECK: nc.alloc {byte = 0 : i64, label = "a"
// CHECK: nc.alloc {byte = 65536 : i64, label = "b"
// CHECK: nc.alloc {byte = 131072 : i64, label = "c"
// CHECK: nc.alloc {byte = 0 : i64, label = "d"
func.func @in_turns(%x: memref<8x128x16384xf32, #nc.space<hbm>>, %y: memref<8x128x16384xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 2097152)> sizes [128, 16384] strides [16384, 1] : memref<8x128x16384xf32, #nc.space<hbm>> -> !nc.view<128x16384xf32, hbm>
    %yv = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 2097152)> sizes [128, 16384] strides [16384, 1] : memref<8x128x16384xf32, #nc.space<hbm>> -> !nc.view<128x16384xf32, hbm>
    %a = nc.alloc {label = "a"} : memref<128x16384xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16384] strides [1, 1] : memref<128x16384xf32, #nc.space<sbuf>> -> !nc.view<128x16384xf32, sbuf>
    nc.dma_copy dst(%av : !nc.view<128x16384xf32, sbuf>) src(%xv : !nc.view<128x16384xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yv : !nc.view<128x16384xf32, hbm>) src(%av : !nc.view<128x16384xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %b = nc.alloc {label = "b"} : memref<128x16384xf32, #nc.space<sbuf>>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16384] strides [1, 1] : memref<128x16384xf32, #nc.space<sbuf>> -> !nc.view<128x16384xf32, sbuf>
    nc.dma_copy dst(%bv : !nc.view<128x16384xf32, sbuf>) src(%xv : !nc.view<128x16384xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yv : !nc.view<128x16384xf32, hbm>) src(%bv : !nc.view<128x16384xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %c = nc.alloc {label = "c"} : memref<128x16384xf32, #nc.space<sbuf>>
    %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 16384] strides [1, 1] : memref<128x16384xf32, #nc.space<sbuf>> -> !nc.view<128x16384xf32, sbuf>
    nc.dma_copy dst(%cv : !nc.view<128x16384xf32, sbuf>) src(%xv : !nc.view<128x16384xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yv : !nc.view<128x16384xf32, hbm>) src(%cv : !nc.view<128x16384xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %d = nc.alloc {label = "d"} : memref<128x16384xf32, #nc.space<sbuf>>
    %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 16384] strides [1, 1] : memref<128x16384xf32, #nc.space<sbuf>> -> !nc.view<128x16384xf32, sbuf>
    nc.dma_copy dst(%dv : !nc.view<128x16384xf32, sbuf>) src(%xv : !nc.view<128x16384xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yv : !nc.view<128x16384xf32, hbm>) src(%dv : !nc.view<128x16384xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}
