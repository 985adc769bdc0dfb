// RUN: kiln-opt %s --tile-append-sums --verify-diagnostics

#z = affine_map<() -> (0)>

// This pass refuses nothing.
// A sum of rows without a product beside it stays.
func.func @alone(%p: tensor<128x256xbf16>) {
  %l = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %zero = tile.fill 0.0 : tensor<128x1xf32>
  tile.assign %zero, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %0 = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %1 = tile.reduce add %p : tensor<128x256xbf16> -> tensor<128x1xf32>
  %2 = tile.binary add %0, %1 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.assign %2, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  return
}
