// Both sides of the limits: a chain of at least 8 trips, whose products have at
// least 8192 columns in all, overlaps its own iterations, so none stands beside
// another. The second product has 128 columns.
// RUN: sed 's/TRIPS/8/; s/COLUMNS/896/g' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-jam))' | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/TRIPS/8/; s/COLUMNS/895/g' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-jam))' | FileCheck %s --check-prefix=BESIDE
// RUN: sed 's/TRIPS/7/; s/COLUMNS/1280/g' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-jam))' | FileCheck %s --check-prefix=BESIDE

#z = affine_map<() -> (0)>
#out = affine_map<(d0) -> (d0 * 16384)>

// ALONE-LABEL: func.func @products
// ALONE-COUNT-1: tile.declare
// ALONE-NOT: tile.declare
// ALONE: return
// BESIDE-LABEL: func.func @products
// BESIDE-COUNT-2: tile.declare
// BESIDE: return
func.func @products(%q: tensor<64x128xbf16>, %k: tensor<64xCOLUMNSxbf16>, %y: memref<8x128x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.constant TRIPS : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<128x128xf32>
    %m = tile.declare : memref<128x128xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %trips step %c1 {
      %s = tile.matmul %q, %k {transpose_a} : tensor<64x128xbf16>, tensor<64xCOLUMNSxbf16> -> tensor<128xCOLUMNSxf32>
      %w = tile.slice %s[] offset #z sizes [128, 128] strides [1, 1] : tensor<128xCOLUMNSxf32> -> tensor<128x128xf32>
      %r = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
      %p = tile.binary subtract %w, %r : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %o = tile.matmul %p, %p {transpose_a} : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      tile.assign %o, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
    tile.store %4, %y[%i] offset #out sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<8x128x128xf32, #nc.space<hbm>>
  }
  return
}
