// RUN: kiln-opt %s --nc-check-products --verify-diagnostics

// A lost product is worth a warning; one that is read is not lost.
func.func @read() {
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %s = nc.alloc : memref<128x640xf32, #nc.space<sbuf>>
  %acc = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %a = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x640xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %b = nc.view %s[] offset affine_map<() -> (128)> sizes [128, 512] strides [1, 1] : memref<128x640xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.nc_matmul dst(%acc : !nc.view<128x512xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%b : !nc.view<128x512xf32, sbuf>)
  nc.tensor_copy dst(%b : !nc.view<128x512xf32, sbuf>) src(%acc : !nc.view<128x512xf32, psum>)
  // expected-note @+1 {{that product is here}}
  nc.nc_matmul dst(%acc : !nc.view<128x512xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%b : !nc.view<128x512xf32, sbuf>)
  // expected-warning @+1 {{[KILN-W110] it overwrites a product that nothing has read; to add to it give '.accumulate = true'}}
  nc.nc_matmul dst(%acc : !nc.view<128x512xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%b : !nc.view<128x512xf32, sbuf>)
  return
}
