// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-orient))'

func.func @rank(%x: tensor<4x128x64xf32>, %y: tensor<128x64xf32>) {
  // expected-error @+1 {{multiplies matrices, found 'tensor<4x128x64xf32>' and 'tensor<128x64xf32>'}}
  %0 = tile.matmul %x, %y : tensor<4x128x64xf32>, tensor<128x64xf32> -> tensor<128x128xf32>
  return
}
