// Both sides of the limit: three turns of two rounds have at most 6144 instructions,
// 1024 in each. The body has five beside those that are repeated.
// RUN: awk '/PAD/ { for (i = 0; i < 1019; ++i) print; next } { print }' %s | kiln-opt --nc-advance | FileCheck %s --check-prefix=TWO
// RUN: awk '/PAD/ { for (i = 0; i < 1020; ++i) print; next } { print }' %s | kiln-opt --nc-advance | FileCheck %s --check-prefix=ONE

// TWO-LABEL: func.func @two_rounds
// TWO: scf.for {{.*}} step %c6
// ONE-LABEL: func.func @two_rounds
// ONE: scf.for {{.*}} step %c3

#row = affine_map<(d0) -> (d0 * 16384)>
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
    nc.memset dst(%bv : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<vector>, nc.scheduled, value = 1.0 : f32} // PAD
    %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    nc.tensor_tensor dst(%cv : !nc.view<128x128xf32, sbuf>) data1(%qv : !nc.view<128x128xf32, sbuf>) data2(%av : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 10>, op = #nc.alu_op<add>}
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%cv : !nc.view<128x128xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}
}
