// RUN: kiln-opt %s --nc-allocate | FileCheck %s

// The first loop of each kernel has room only if its two buffers share bytes.
// The nest behind it has room without that, with fewer copies: the first load
// of an outer iteration does not wait for the inner loop.
// CHECK-LABEL: func.func @apart
// CHECK: nc.alloc {byte = 0 : i64, label = "a0", partition = 0 : i64, ring = 2 : i64
// CHECK: nc.alloc {byte = 120064 : i64, label = "b0_0", partition = 0 : i64, ring = 2 : i64
func.func @apart(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x10000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 10000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x10000xf32, hbm>
  %y10000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 10000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x10000xf32, hbm>
  %x15000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 15000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x15000xf32, hbm>
  %y15000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 15000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x15000xf32, hbm>
  %x30000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %y30000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %s = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%sv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%sv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %t = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%tv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%tv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a0 = nc.alloc {label = "a0", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a0v = nc.view %a0[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a0v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a0v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b0_0 = nc.alloc {label = "b0_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b0_0v = nc.view %b0_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b0_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b0_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  return
}

// The load of an inner loop would lose its second copy: it shares bytes.
// CHECK-LABEL: func.func @few_loads
// CHECK: nc.alloc {byte = 0 : i64, label = "a0", partition = 0 : i64, ring = 2 : i64
// CHECK: nc.alloc {byte = 0 : i64, label = "b0_0", partition = 0 : i64, ring = 2 : i64
func.func @few_loads(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x15000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 15000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x15000xf32, hbm>
  %y15000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 15000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x15000xf32, hbm>
  %x25000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 25000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x25000xf32, hbm>
  %y25000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 25000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x25000xf32, hbm>
  %x30000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %y30000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %s = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%sv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%sv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %t = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%tv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%tv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a0 = nc.alloc {label = "a0", ring = 2 : i64} : memref<128x25000xf32, #nc.space<sbuf>>
    %a0v = nc.view %a0[] offset affine_map<() -> (0)> sizes [128, 25000] strides [1, 1] : memref<128x25000xf32, #nc.space<sbuf>> -> !nc.view<128x25000xf32, sbuf>
    nc.dma_copy dst(%a0v : !nc.view<128x25000xf32, sbuf>) src(%x25000 : !nc.view<128x25000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y25000 : !nc.view<128x25000xf32, hbm>) src(%a0v : !nc.view<128x25000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b0_0 = nc.alloc {label = "b0_0", ring = 2 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
      %b0_0v = nc.view %b0_0[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
      nc.dma_copy dst(%b0_0v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%b0_0v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  return
}

// 16 loads do with one copy each, and some get two.
// CHECK-LABEL: func.func @many_loads
// CHECK: nc.alloc {byte = 0 : i64, label = "a0", partition = 0 : i64, slot_bytes
// CHECK: nc.alloc {byte = 100032 : i64, label = "b0_0", partition = 0 : i64, slot_bytes
// CHECK: label = "b0_15", partition = 0 : i64, ring = 2 : i64
func.func @many_loads(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x1250 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 1250] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x1250xf32, hbm>
  %y1250 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 1250] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x1250xf32, hbm>
  %x25000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 25000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x25000xf32, hbm>
  %y25000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 25000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x25000xf32, hbm>
  %x30000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %y30000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %s = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%sv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%sv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %t = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%tv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%tv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a0 = nc.alloc {label = "a0", ring = 2 : i64} : memref<128x25000xf32, #nc.space<sbuf>>
    %a0v = nc.view %a0[] offset affine_map<() -> (0)> sizes [128, 25000] strides [1, 1] : memref<128x25000xf32, #nc.space<sbuf>> -> !nc.view<128x25000xf32, sbuf>
    nc.dma_copy dst(%a0v : !nc.view<128x25000xf32, sbuf>) src(%x25000 : !nc.view<128x25000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y25000 : !nc.view<128x25000xf32, hbm>) src(%a0v : !nc.view<128x25000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b0_0 = nc.alloc {label = "b0_0", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_0v = nc.view %b0_0[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_0v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_0v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_1 = nc.alloc {label = "b0_1", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_1v = nc.view %b0_1[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_1v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_1v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_2 = nc.alloc {label = "b0_2", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_2v = nc.view %b0_2[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_2v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_2v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_3 = nc.alloc {label = "b0_3", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_3v = nc.view %b0_3[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_3v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_3v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_4 = nc.alloc {label = "b0_4", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_4v = nc.view %b0_4[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_4v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_4v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_5 = nc.alloc {label = "b0_5", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_5v = nc.view %b0_5[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_5v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_5v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_6 = nc.alloc {label = "b0_6", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_6v = nc.view %b0_6[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_6v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_6v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_7 = nc.alloc {label = "b0_7", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_7v = nc.view %b0_7[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_7v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_7v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_8 = nc.alloc {label = "b0_8", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_8v = nc.view %b0_8[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_8v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_8v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_9 = nc.alloc {label = "b0_9", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_9v = nc.view %b0_9[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_9v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_9v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_10 = nc.alloc {label = "b0_10", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_10v = nc.view %b0_10[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_10v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_10v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_11 = nc.alloc {label = "b0_11", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_11v = nc.view %b0_11[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_11v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_11v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_12 = nc.alloc {label = "b0_12", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_12v = nc.view %b0_12[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_12v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_12v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_13 = nc.alloc {label = "b0_13", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_13v = nc.view %b0_13[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_13v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_13v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_14 = nc.alloc {label = "b0_14", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_14v = nc.view %b0_14[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_14v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_14v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_15 = nc.alloc {label = "b0_15", ring = 2 : i64} : memref<128x1250xf32, #nc.space<sbuf>>
      %b0_15v = nc.view %b0_15[] offset affine_map<() -> (0)> sizes [128, 1250] strides [1, 1] : memref<128x1250xf32, #nc.space<sbuf>> -> !nc.view<128x1250xf32, sbuf>
      nc.dma_copy dst(%b0_15v : !nc.view<128x1250xf32, sbuf>) src(%x1250 : !nc.view<128x1250xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1250 : !nc.view<128x1250xf32, hbm>) src(%b0_15v : !nc.view<128x1250xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  return
}

// CHECK-LABEL: func.func @fewer_loads
// CHECK: nc.alloc {byte = 0 : i64, label = "a0", partition = 0 : i64, ring = 2 : i64
// CHECK: label = "b0_14", partition = 0 : i64, ring = 2 : i64
func.func @fewer_loads(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x1333 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 1333] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x1333xf32, hbm>
  %y1333 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 1333] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x1333xf32, hbm>
  %x25000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 25000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x25000xf32, hbm>
  %y25000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 25000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x25000xf32, hbm>
  %x30000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %y30000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %s = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%sv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%sv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %t = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%tv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%tv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a0 = nc.alloc {label = "a0", ring = 2 : i64} : memref<128x25000xf32, #nc.space<sbuf>>
    %a0v = nc.view %a0[] offset affine_map<() -> (0)> sizes [128, 25000] strides [1, 1] : memref<128x25000xf32, #nc.space<sbuf>> -> !nc.view<128x25000xf32, sbuf>
    nc.dma_copy dst(%a0v : !nc.view<128x25000xf32, sbuf>) src(%x25000 : !nc.view<128x25000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y25000 : !nc.view<128x25000xf32, hbm>) src(%a0v : !nc.view<128x25000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b0_0 = nc.alloc {label = "b0_0", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_0v = nc.view %b0_0[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_0v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_0v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_1 = nc.alloc {label = "b0_1", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_1v = nc.view %b0_1[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_1v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_1v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_2 = nc.alloc {label = "b0_2", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_2v = nc.view %b0_2[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_2v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_2v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_3 = nc.alloc {label = "b0_3", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_3v = nc.view %b0_3[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_3v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_3v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_4 = nc.alloc {label = "b0_4", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_4v = nc.view %b0_4[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_4v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_4v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_5 = nc.alloc {label = "b0_5", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_5v = nc.view %b0_5[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_5v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_5v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_6 = nc.alloc {label = "b0_6", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_6v = nc.view %b0_6[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_6v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_6v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_7 = nc.alloc {label = "b0_7", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_7v = nc.view %b0_7[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_7v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_7v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_8 = nc.alloc {label = "b0_8", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_8v = nc.view %b0_8[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_8v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_8v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_9 = nc.alloc {label = "b0_9", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_9v = nc.view %b0_9[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_9v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_9v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_10 = nc.alloc {label = "b0_10", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_10v = nc.view %b0_10[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_10v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_10v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_11 = nc.alloc {label = "b0_11", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_11v = nc.view %b0_11[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_11v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_11v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_12 = nc.alloc {label = "b0_12", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_12v = nc.view %b0_12[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_12v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_12v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_13 = nc.alloc {label = "b0_13", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_13v = nc.view %b0_13[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_13v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_13v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
      %b0_14 = nc.alloc {label = "b0_14", ring = 2 : i64} : memref<128x1333xf32, #nc.space<sbuf>>
      %b0_14v = nc.view %b0_14[] offset affine_map<() -> (0)> sizes [128, 1333] strides [1, 1] : memref<128x1333xf32, #nc.space<sbuf>> -> !nc.view<128x1333xf32, sbuf>
      nc.dma_copy dst(%b0_14v : !nc.view<128x1333xf32, sbuf>) src(%x1333 : !nc.view<128x1333xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y1333 : !nc.view<128x1333xf32, hbm>) src(%b0_14v : !nc.view<128x1333xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  return
}

// Eight nests, and no more.
// CHECK-LABEL: func.func @nine_nests
// CHECK: nc.alloc {byte = 120064 : i64, label = "b0_0"
// CHECK: nc.alloc {byte = 120064 : i64, label = "b7_0"
// CHECK: nc.alloc {byte = 0 : i64, label = "a8", partition = 0 : i64, ring = 3 : i64
// CHECK: nc.alloc {byte = 0 : i64, label = "b8_0"
func.func @nine_nests(%x: memref<128x30000xf32, #nc.space<hbm>>, %y: memref<128x30000xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x10000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 10000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x10000xf32, hbm>
  %y10000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 10000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x10000xf32, hbm>
  %x15000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 15000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x15000xf32, hbm>
  %y15000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 15000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x15000xf32, hbm>
  %x30000 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  %y30000 = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 30000] strides [30000, 1] : memref<128x30000xf32, #nc.space<hbm>> -> !nc.view<128x30000xf32, hbm>
  scf.for %i = %c0 to %c8 step %c1 {
    %s = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%sv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%sv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %t = nc.alloc : memref<128x30000xf32, #nc.space<sbuf>>
    %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 30000] strides [1, 1] : memref<128x30000xf32, #nc.space<sbuf>> -> !nc.view<128x30000xf32, sbuf>
    nc.dma_copy dst(%tv : !nc.view<128x30000xf32, sbuf>) src(%x30000 : !nc.view<128x30000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y30000 : !nc.view<128x30000xf32, hbm>) src(%tv : !nc.view<128x30000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a0 = nc.alloc {label = "a0", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a0v = nc.view %a0[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a0v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a0v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b0_0 = nc.alloc {label = "b0_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b0_0v = nc.view %b0_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b0_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b0_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a1 = nc.alloc {label = "a1", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a1v = nc.view %a1[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a1v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a1v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b1_0 = nc.alloc {label = "b1_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b1_0v = nc.view %b1_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b1_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b1_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a2 = nc.alloc {label = "a2", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a2v = nc.view %a2[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a2v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a2v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b2_0 = nc.alloc {label = "b2_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b2_0v = nc.view %b2_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b2_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b2_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a3 = nc.alloc {label = "a3", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a3v = nc.view %a3[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a3v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a3v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b3_0 = nc.alloc {label = "b3_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b3_0v = nc.view %b3_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b3_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b3_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a4 = nc.alloc {label = "a4", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a4v = nc.view %a4[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a4v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a4v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b4_0 = nc.alloc {label = "b4_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b4_0v = nc.view %b4_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b4_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b4_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a5 = nc.alloc {label = "a5", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a5v = nc.view %a5[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a5v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a5v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b5_0 = nc.alloc {label = "b5_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b5_0v = nc.view %b5_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b5_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b5_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a6 = nc.alloc {label = "a6", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a6v = nc.view %a6[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a6v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a6v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b6_0 = nc.alloc {label = "b6_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b6_0v = nc.view %b6_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b6_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b6_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a7 = nc.alloc {label = "a7", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a7v = nc.view %a7[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a7v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a7v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b7_0 = nc.alloc {label = "b7_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b7_0v = nc.view %b7_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b7_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b7_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a8 = nc.alloc {label = "a8", ring = 3 : i64} : memref<128x15000xf32, #nc.space<sbuf>>
    %a8v = nc.view %a8[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.dma_copy dst(%a8v : !nc.view<128x15000xf32, sbuf>) src(%x15000 : !nc.view<128x15000xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%y15000 : !nc.view<128x15000xf32, hbm>) src(%a8v : !nc.view<128x15000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    scf.for %j = %c0 to %c8 step %c1 {
      %b8_0 = nc.alloc {label = "b8_0", ring = 2 : i64} : memref<128x10000xf32, #nc.space<sbuf>>
      %b8_0v = nc.view %b8_0[] offset affine_map<() -> (0)> sizes [128, 10000] strides [1, 1] : memref<128x10000xf32, #nc.space<sbuf>> -> !nc.view<128x10000xf32, sbuf>
      nc.dma_copy dst(%b8_0v : !nc.view<128x10000xf32, sbuf>) src(%x10000 : !nc.view<128x10000xf32, hbm>) {engine = #nc.engine<sync>}
      nc.dma_copy dst(%y10000 : !nc.view<128x10000xf32, hbm>) src(%b8_0v : !nc.view<128x10000xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  return
}
