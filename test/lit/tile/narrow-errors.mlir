// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-narrow))'

func.func @window(%x: memref<8x20000xf32, #nc.space<hbm>>) {
  // expected-error @+1 {{touches elements 1 to 160000, but its base has 0 to 159999}}
  %0 = tile.load %x[] offset affine_map<() -> (1)> sizes [8, 20000] strides [20000, 1] : memref<8x20000xf32, #nc.space<hbm>> -> tensor<8x20000xf32>
  return
}

// -----

func.func @repeat(%x: tensor<2x64xi32>) {
  // expected-error @+1 {{of 'tensor<2x64xi32>' cannot give 'tensor<128x64xi32>'}}
  %0 = tile.repeat %x : tensor<2x64xi32> -> tensor<128x64xi32>
  return
}
