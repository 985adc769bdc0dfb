// RUN: kiln-opt %s --nc-fix-descriptors --verify-diagnostics

// This pass refuses nothing.
// An address that only the program knows when it runs stays
// as it is.
func.func @nothing(%x: memref<4x128x256xf32, #nc.space<hbm>>, %i: index) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %xi = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 32768)> sizes [128, 256] strides [256, 1] : memref<4x128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xi : !nc.view<128x256xf32, hbm>)
  return
}
