// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-pair))'

func.func @half(%x: tensor<64x2x32xf8E4M3>, %y: tensor<64x48xf8E4M3>) {
  // expected-error @+1 {{of rows in groups needs [K / 2, 2, M] and [K / 2, 2, N] of 8-bit floats, found 'tensor<64x2x32xf8E4M3>' and 'tensor<64x48xf8E4M3>' for 'tensor<32x48xf32>'}}
  %0 = tile.matmul %x, %y {transpose_a} : tensor<64x2x32xf8E4M3>, tensor<64x48xf8E4M3> -> tensor<32x48xf32>
  return
}

// -----

func.func @wide(%x: tensor<64x2x32xbf16>) {
  // expected-error @+1 {{of rows in groups needs [K / 2, 2, M] and [K / 2, 2, N] of 8-bit floats}}
  %0 = tile.matmul %x, %x {transpose_a} : tensor<64x2x32xbf16>, tensor<64x2x32xbf16> -> tensor<32x32xf32>
  return
}
