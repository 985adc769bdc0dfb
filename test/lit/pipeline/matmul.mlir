// RUN: kiln-opt %s --nc-choose-engines --nc-multi-buffer --nc-order --nc-allocate --nc-synchronize | FileCheck %s
// RUN: kiln-opt %s --nc-choose-engines --nc-multi-buffer --nc-order --nc-allocate --nc-synchronize --emit-assembly 2>&1 >/dev/null | FileCheck %s --check-prefix=ASM

// A nested loop that accumulates in PSUM: c[m, n] += a[k, m] * b[k, n], with
// k innermost. The first product is peeled, since `accumulate` is a constant.

#at2 = affine_map<(d0, d1) -> (d0 * 128 + d1 * 32768)>
#b2 = affine_map<(d0, d1) -> (d0 * 256 + d1 * 65536)>
#c2 = affine_map<(d0, d1) -> (d0 * 65536 + d1 * 256)>
#zero = affine_map<() -> (0)>
!hbm_a = memref<512x256xbf16, #nc.space<hbm>>
!hbm_b = memref<512x512xbf16, #nc.space<hbm>>
!hbm_c = memref<256x512xbf16, #nc.space<hbm>>

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: !hbm_a {nc.name = "a", nc.kind = #nc.kind<input>}, %b: !hbm_b {nc.name = "b", nc.kind = #nc.kind<input>}, %c: !hbm_c {nc.name = "c", nc.kind = #nc.kind<output>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %m = %c0 to %c2 step %c1 {
    scf.for %n = %c0 to %c2 step %c1 {
      // CHECK: nc.alloc {{.*}}label = "acc"{{.*}}ring = 2 : i64, slot_bytes = 2048
      %acc = nc.alloc {label = "acc"} : memref<128x256xf32, #nc.space<psum>>
      %out = nc.alloc {label = "out"} : memref<128x256xbf16, #nc.space<sbuf>>
      %accv = nc.view %acc[] offset #zero sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<psum>> -> !nc.view<128x256xf32, psum>
      %outv = nc.view %out[] offset #zero sizes [128, 256] strides [1, 1] : memref<128x256xbf16, #nc.space<sbuf>> -> !nc.view<128x256xbf16, sbuf>
      %a0 = nc.alloc {label = "a0"} : memref<128x128xbf16, #nc.space<sbuf>>
      %b0 = nc.alloc {label = "b0"} : memref<128x256xbf16, #nc.space<sbuf>>
      %a0v = nc.view %a0[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %b0v = nc.view %b0[] offset #zero sizes [128, 256] strides [1, 1] : memref<128x256xbf16, #nc.space<sbuf>> -> !nc.view<128x256xbf16, sbuf>
      %as0 = nc.view %a[%m, %c0] offset #at2 sizes [128, 128] strides [256, 1] : !hbm_a -> !nc.view<128x128xbf16, hbm>
      %bs0 = nc.view %b[%n, %c0] offset #b2 sizes [128, 256] strides [512, 1] : !hbm_b -> !nc.view<128x256xbf16, hbm>
      nc.dma_copy dst(%a0v : !nc.view<128x128xbf16, sbuf>) src(%as0 : !nc.view<128x128xbf16, hbm>)
      nc.dma_copy dst(%b0v : !nc.view<128x256xbf16, sbuf>) src(%bs0 : !nc.view<128x256xbf16, hbm>)
      nc.nc_matmul dst(%accv : !nc.view<128x256xf32, psum>) stationary(%a0v : !nc.view<128x128xbf16, sbuf>) moving(%b0v : !nc.view<128x256xbf16, sbuf>)
      scf.for %k = %c1 to %c4 step %c1 {
        %at = nc.alloc {label = "at"} : memref<128x128xbf16, #nc.space<sbuf>>
        %bt = nc.alloc {label = "bt"} : memref<128x256xbf16, #nc.space<sbuf>>
        %av = nc.view %at[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
        %bv = nc.view %bt[] offset #zero sizes [128, 256] strides [1, 1] : memref<128x256xbf16, #nc.space<sbuf>> -> !nc.view<128x256xbf16, sbuf>
        %as = nc.view %a[%m, %k] offset #at2 sizes [128, 128] strides [256, 1] : !hbm_a -> !nc.view<128x128xbf16, hbm>
        %bs = nc.view %b[%n, %k] offset #b2 sizes [128, 256] strides [512, 1] : !hbm_b -> !nc.view<128x256xbf16, hbm>
        nc.dma_copy dst(%av : !nc.view<128x128xbf16, sbuf>) src(%as : !nc.view<128x128xbf16, hbm>)
        nc.dma_copy dst(%bv : !nc.view<128x256xbf16, sbuf>) src(%bs : !nc.view<128x256xbf16, hbm>)
        nc.nc_matmul dst(%accv : !nc.view<128x256xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%bv : !nc.view<128x256xbf16, sbuf>) {accumulate = true}
      }
      nc.tensor_copy dst(%outv : !nc.view<128x256xbf16, sbuf>) src(%accv : !nc.view<128x256xf32, psum>)
      %dst = nc.view %c[%m, %n] offset #c2 sizes [128, 256] strides [512, 1] : !hbm_c -> !nc.view<128x256xbf16, hbm>
      nc.dma_copy dst(%dst : !nc.view<128x256xbf16, hbm>) src(%outv : !nc.view<128x256xbf16, sbuf>)
    }
  }
  return
}

// TensorE runs all three loops; the ring of the accumulator turns once for
// each n, the rings of the operands once for each k.
// ASM: .stream tensor
// ASM: loop
// ASM: loop
// ASM: nc_matmul
// ASM: loop
// ASM: nc_matmul{{.*}}accumulate
// ASM: register_wrap
// ASM: end_loop
// ASM: register_wrap
// ASM: end_loop
// ASM: end_loop
