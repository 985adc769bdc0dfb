// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-legalize))'

func.func @shapes(%x: tensor<128x64xf32>, %y: tensor<128x32xf32>) {
  // expected-error @+1 {{cannot broadcast 'tensor<128x64xf32>' and 'tensor<128x32xf32>' to 'tensor<128x64xf32>'}}
  %0 = tile.binary add %x, %y : tensor<128x64xf32>, tensor<128x32xf32> -> tensor<128x64xf32>
  return
}

// -----

func.func @operator(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{has no enumerator 'exponent'}}
  %0 = tile.unary exponent %x : tensor<128x64xf32> -> tensor<128x64xf32>
  return
}

// -----

func.func @contraction(%x: tensor<128x64xf32>, %y: tensor<32x16xf32>) {
  // expected-error @+1 {{contracts 64 with 32}}
  %0 = tile.matmul %x, %y : tensor<128x64xf32>, tensor<32x16xf32> -> tensor<128x16xf32>
  return
}

// -----

func.func @bounds(%x: memref<100x10xf32, #nc.space<hbm>>) {
  // expected-error @+1 {{touches elements 0 to 1279, but its base has 0 to 999}}
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 10] strides [10, 1] : memref<100x10xf32, #nc.space<hbm>> -> tensor<128x10xf32>
  return
}
