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

// Of many loads, each is needed for a short time: one copy of each, in bytes of
// its own, is there again in time. Two copies would have no room.
// CHECK-LABEL: func.func @many_loads
// CHECK: label = "l0", partition = 0 : i64, slot_bytes
// CHECK: label = "l15", partition = 0 : i64, slot_bytes
// CHECK: label = "d", partition = 0 : i64, ring = 2 : i64
func.func @many_loads(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xl = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %yl = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %xs = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 2000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x2000xf32, hbm>
  %ys = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 2000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x2000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%av : !nc.view<128x30000xf32, sbuf>) src(%xl : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yl : !nc.view<128x30000xf32, hbm>) src(%av : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %b = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%bv : !nc.view<128x30000xf32, sbuf>) src(%xl : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yl : !nc.view<128x30000xf32, hbm>) src(%bv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %l0 = nc.alloc {label = "l0", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l0v = nc.view %l0[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l0v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l0v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l1 = nc.alloc {label = "l1", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l1v = nc.view %l1[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l1v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l1v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l2 = nc.alloc {label = "l2", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l2v = nc.view %l2[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l2v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l2v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l3 = nc.alloc {label = "l3", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l3v = nc.view %l3[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l3v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l3v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l4 = nc.alloc {label = "l4", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l4v = nc.view %l4[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l4v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l4v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l5 = nc.alloc {label = "l5", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l5v = nc.view %l5[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l5v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l5v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l6 = nc.alloc {label = "l6", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l6v = nc.view %l6[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l6v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l6v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l7 = nc.alloc {label = "l7", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l7v = nc.view %l7[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l7v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l7v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l8 = nc.alloc {label = "l8", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l8v = nc.view %l8[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l8v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l8v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l9 = nc.alloc {label = "l9", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l9v = nc.view %l9[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l9v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l9v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l10 = nc.alloc {label = "l10", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l10v = nc.view %l10[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l10v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l10v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l11 = nc.alloc {label = "l11", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l11v = nc.view %l11[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l11v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l11v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l12 = nc.alloc {label = "l12", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l12v = nc.view %l12[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l12v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l12v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l13 = nc.alloc {label = "l13", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l13v = nc.view %l13[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l13v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l13v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l14 = nc.alloc {label = "l14", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l14v = nc.view %l14[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l14v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l14v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l15 = nc.alloc {label = "l15", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l15v = nc.view %l15[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l15v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    %d = nc.alloc {label = "d", ring = 2 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.tensor_copy dst(%dv : !nc.view<128x2000xf32, sbuf>) src(%l15v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<vector>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%dv : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// CHECK-LABEL: func.func @fewer_loads
// CHECK: label = "l0", partition = 0 : i64, ring = 3 : i64
// CHECK: label = "l14", partition = 0 : i64, ring = 3 : i64
func.func @fewer_loads(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xl = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %yl = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %xs = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 2000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x2000xf32, hbm>
  %ys = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 2000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x2000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%av : !nc.view<128x30000xf32, sbuf>) src(%xl : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yl : !nc.view<128x30000xf32, hbm>) src(%av : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %b = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%bv : !nc.view<128x30000xf32, sbuf>) src(%xl : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%yl : !nc.view<128x30000xf32, hbm>) src(%bv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %l0 = nc.alloc {label = "l0", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l0v = nc.view %l0[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l0v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l0v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l1 = nc.alloc {label = "l1", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l1v = nc.view %l1[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l1v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l1v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l2 = nc.alloc {label = "l2", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l2v = nc.view %l2[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l2v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l2v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l3 = nc.alloc {label = "l3", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l3v = nc.view %l3[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l3v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l3v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l4 = nc.alloc {label = "l4", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l4v = nc.view %l4[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l4v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l4v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l5 = nc.alloc {label = "l5", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l5v = nc.view %l5[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l5v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l5v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l6 = nc.alloc {label = "l6", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l6v = nc.view %l6[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l6v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l6v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l7 = nc.alloc {label = "l7", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l7v = nc.view %l7[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l7v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l7v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l8 = nc.alloc {label = "l8", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l8v = nc.view %l8[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l8v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l8v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l9 = nc.alloc {label = "l9", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l9v = nc.view %l9[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l9v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l9v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l10 = nc.alloc {label = "l10", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l10v = nc.view %l10[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l10v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l10v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l11 = nc.alloc {label = "l11", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l11v = nc.view %l11[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l11v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l11v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l12 = nc.alloc {label = "l12", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l12v = nc.view %l12[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l12v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l12v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l13 = nc.alloc {label = "l13", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l13v = nc.view %l13[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l13v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%l13v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %l14 = nc.alloc {label = "l14", ring = 3 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %l14v = nc.view %l14[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.dma_copy dst(%l14v : !nc.view<128x2000xf32, sbuf>) src(%xs : !nc.view<128x2000xf32, hbm>) {engine = #nc.engine<sync>}
    %d = nc.alloc {label = "d", ring = 2 : i64} : memref<128x2000xf32, #nc.space<sbuf>>
    %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 2000] strides [1, 1] : memref<128x2000xf32, #nc.space<sbuf>> -> !nc.view<128x2000xf32, sbuf>
    nc.tensor_copy dst(%dv : !nc.view<128x2000xf32, sbuf>) src(%l14v : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<vector>}
    nc.dma_copy dst(%ys : !nc.view<128x2000xf32, hbm>) src(%dv : !nc.view<128x2000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}
