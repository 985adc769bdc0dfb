// RUN: kiln-opt %s --nc-check-products --split-input-file --verify-diagnostics
// RUN: kiln-opt %s --nc-check-products --split-input-file --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Analysis] ProductsUsed | Category:nc-check-products | {{.*}}+lost=1, +products=5

func.func @twice() {
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %s = nc.alloc : memref<128x640xf32, #nc.space<sbuf>>
  %acc = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %half = nc.view %p[] offset affine_map<() -> (256)> sizes [128, 256] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x256xf32, psum>
  %a = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x640xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %b = nc.view %s[] offset affine_map<() -> (128)> sizes [128, 512] strides [1, 1] : memref<128x640xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %c = nc.view %s[] offset affine_map<() -> (128)> sizes [128, 256] strides [1, 1] : memref<128x640xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  // expected-note @+1 {{that product is here}}
  nc.nc_matmul dst(%acc : !nc.view<128x512xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%b : !nc.view<128x512xf32, sbuf>)
  // expected-warning @+1 {{[KILN-W110] it overwrites a product that nothing has read}}
  nc.nc_matmul dst(%acc : !nc.view<128x512xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%b : !nc.view<128x512xf32, sbuf>)
  // Another place, or a sum: nothing is lost whole.
  nc.nc_matmul dst(%half : !nc.view<128x256xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%c : !nc.view<128x256xf32, sbuf>)
  nc.nc_matmul dst(%acc : !nc.view<128x512xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%b : !nc.view<128x512xf32, sbuf>) {accumulate = true}
  nc.tensor_copy dst(%b : !nc.view<128x512xf32, sbuf>) src(%acc : !nc.view<128x512xf32, psum>)
  nc.nc_matmul dst(%acc : !nc.view<128x512xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%b : !nc.view<128x512xf32, sbuf>)
  return
}

// -----

func.func @loops(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %s = nc.alloc : memref<128x640xf32, #nc.space<sbuf>>
  %acc = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
  %a = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x640xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      // expected-warning @+1 {{[KILN-W110] each iteration overwrites the product of the one before, which nothing has read}}
      nc.nc_matmul dst(%acc : !nc.view<128x128xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%a : !nc.view<128x128xf32, sbuf>)
    }
    nc.tensor_copy dst(%a : !nc.view<128x128xf32, sbuf>) src(%acc : !nc.view<128x128xf32, psum>)
  }
  // Another place, or another buffer, in each iteration; and once.
  scf.for %i = %c0 to %c4 step %c1 {
    %part = nc.view %p[%i] offset affine_map<(d0) -> (d0 * 128)> sizes [128, 128] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    nc.nc_matmul dst(%part : !nc.view<128x128xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%a : !nc.view<128x128xf32, sbuf>)
    %q = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %own = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    nc.nc_matmul dst(%own : !nc.view<128x128xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%a : !nc.view<128x128xf32, sbuf>)
  }
  nc.tensor_copy dst(%a : !nc.view<128x128xf32, sbuf>) src(%acc : !nc.view<128x128xf32, psum>)
  scf.for %i = %c0 to %c1 step %c1 {
    nc.nc_matmul dst(%acc : !nc.view<128x128xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%a : !nc.view<128x128xf32, sbuf>)
  }
  return
}

// -----

// The two bodies of a `when`.
func.func @branches(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = nc.alloc : memref<128x128xf32, #nc.space<psum>>
  %s = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %acc = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
  %a = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  scf.for %i = %c0 to %n step %c1 {
    nc.nc_matmul dst(%acc : !nc.view<128x128xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%a : !nc.view<128x128xf32, sbuf>)
  } {nc.once}
  scf.for %i = %c0 to %m step %c1 {
    nc.nc_matmul dst(%acc : !nc.view<128x128xf32, psum>) stationary(%a : !nc.view<128x128xf32, sbuf>) moving(%a : !nc.view<128x128xf32, sbuf>)
  } {nc.once}
  return
}
