// RUN: kiln-opt %s --split-input-file --nc-advance | FileCheck %s

// Three turns of three instructions of VectorE do not fit into its buffer of
// eight, so the new body holds two rounds of them, if that leaves two trips: of
// 12 iterations behind the first one, not of 11.

#row = affine_map<(d0) -> (d0 * 16384)>

// CHECK-LABEL: func.func @one_round
// CHECK: scf.for {{.*}} step %c3
module attributes {nc.target = #nc.target<"trn2" with {fetch_buffer_instructions = 8}>} {
func.func @one_round(%x: memref<1536x128xf32, #nc.space<hbm>>, %y: memref<1536x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.constant 12 : index
  scf.for %i = %c0 to %trips step %c1 {
    %a = nc.alloc {nc.copy = array<i64: 0, 0, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %b = nc.alloc {nc.copy = array<i64: 0, 1, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %c = nc.alloc {nc.copy = array<i64: 0, 2, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %q = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %xv = nc.view %x[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1536x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    %yv = nc.view %y[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1536x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
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
}

// -----

#row = affine_map<(d0) -> (d0 * 16384)>

// CHECK-LABEL: func.func @two_rounds
// CHECK: scf.for {{.*}} step %c6
module attributes {nc.target = #nc.target<"trn2" with {fetch_buffer_instructions = 8}>} {
func.func @two_rounds(%x: memref<1664x128xf32, #nc.space<hbm>>, %y: memref<1664x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.constant 13 : index
  scf.for %i = %c0 to %trips step %c1 {
    %a = nc.alloc {nc.copy = array<i64: 0, 0, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %b = nc.alloc {nc.copy = array<i64: 0, 1, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %c = nc.alloc {nc.copy = array<i64: 0, 2, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %q = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %xv = nc.view %x[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1664x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    %yv = nc.view %y[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1664x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
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
}

// -----

#row = affine_map<(d0) -> (d0 * 16384)>

// A buffer of nine holds them.
// CHECK-LABEL: func.func @fits
// CHECK: scf.for {{.*}} step %c3
module attributes {nc.target = #nc.target<"trn2" with {fetch_buffer_instructions = 9}>} {
func.func @fits(%x: memref<1664x128xf32, #nc.space<hbm>>, %y: memref<1664x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.constant 13 : index
  scf.for %i = %c0 to %trips step %c1 {
    %a = nc.alloc {nc.copy = array<i64: 0, 0, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %b = nc.alloc {nc.copy = array<i64: 0, 1, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %c = nc.alloc {nc.copy = array<i64: 0, 2, 2>} : memref<128x128xf32, #nc.space<sbuf>>
    %q = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    %xv = nc.view %x[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1664x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    %yv = nc.view %y[%i] offset #row sizes [128, 128] strides [128, 1] : memref<1664x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
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
}
