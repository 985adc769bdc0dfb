// RUN: kiln-opt %s --tile-negate --verify-diagnostics

#z = affine_map<() -> (0)>

// This pass refuses nothing.
// A maximum that no exponential subtracts stays as it is.
func.func @maximum(%s: tensor<128x1xf32>, %p: memref<128x1xf32, #nc.space<hbm>>) {
  %m = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  tile.assign %s, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %old = tile.read %m[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %new = tile.binary maximum %old, %s : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.assign %new, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  return
}
