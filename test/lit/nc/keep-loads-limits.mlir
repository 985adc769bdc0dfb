// Both sides of the limits: an inner loop of 8 to 32 trips has its loads in front
// of the nest, others in the first outer iteration, which is peeled; but none of
// more than 1024 instructions is peeled.
// RUN: sed 's/TRIPS/7/' %s | kiln-opt --nc-keep-loads | FileCheck %s --check-prefix=PEELED
// RUN: sed 's/TRIPS/8/' %s | kiln-opt --nc-keep-loads | FileCheck %s --check-prefix=AHEAD
// RUN: sed 's/TRIPS/32/' %s | kiln-opt --nc-keep-loads | FileCheck %s --check-prefix=AHEAD
// RUN: sed 's/TRIPS/33/' %s | kiln-opt --nc-keep-loads | FileCheck %s --check-prefix=PEELED
// RUN: sed 's/TRIPS/7/' %s | awk '/PAD/ { for (i = 0; i < 1020; ++i) print; next } { print }' | kiln-opt --nc-keep-loads | FileCheck %s --check-prefix=PEELED
// RUN: sed 's/TRIPS/7/' %s | awk '/PAD/ { for (i = 0; i < 1021; ++i) print; next } { print }' | kiln-opt --nc-keep-loads | FileCheck %s --check-prefix=NEITHER

// AHEAD: func.func @keep
// AHEAD-COUNT-8: nc.dma_copy dst({{[^)]*}}bf16, sbuf>)
// AHEAD: scf.for
// AHEAD-NOT: nc.dma_copy dst({{[^)]*}}bf16, sbuf>)
// AHEAD: return

// PEELED: func.func @keep
// PEELED: scf.for
// PEELED: nc.dma_copy dst({{[^)]*}}bf16, sbuf>)
// PEELED: scf.for %{{.*}} = %c1{{.*}} to %c4
// PEELED-NOT: nc.dma_copy dst({{[^)]*}}bf16, sbuf>)
// PEELED: return

// NEITHER: func.func @keep
// NEITHER: scf.for %{{.*}} = %c0{{.*}} to %c4
// NEITHER: scf.for
// NEITHER: nc.dma_copy dst({{[^)]*}}bf16, sbuf>)
// NEITHER: return

#block = affine_map<(d0) -> (d0 * 131072)>
#rows = affine_map<(d0) -> (d0 * 16384)>
#zero = affine_map<() -> (0)>
func.func @keep(%x: memref<8192x1024xbf16, #nc.space<hbm>>, %y: memref<512x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %trips = arith.constant TRIPS : index
  scf.for %i = %c0 to %c4 step %c1 {
    %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %accv = nc.view %acc[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
    nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 1.0 : f32} // PAD
    scf.for %j = %c0 to %trips step %c1 {
      %b = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %bv = nc.view %b[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %part = nc.view %b[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %xv = nc.view %x[%j] offset #block sizes [128, 1024] strides [1024, 1] : memref<8192x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%bv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
      nc.tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data1(%accv : !nc.view<128x128xf32, sbuf>) data2(%part : !nc.view<128x128xbf16, sbuf>) {op = #nc.alu_op<add>}
    }
    %yv = nc.view %y[%i] offset #rows sizes [128, 128] strides [128, 1] : memref<512x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%accv : !nc.view<128x128xf32, sbuf>)
  }
  return
}
