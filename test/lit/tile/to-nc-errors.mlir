// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-to-nc))'
func.func @orientation(%x: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  // expected-error @+1 {{KILN-C011: contraction is not on rows of both operands: run tile-orient before tile-to-nc}}
  %1 = tile.matmul %0, %0 {transpose_b} : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x128xf32>
  return
}

// -----

func.func @types(%x: memref<128x64xf32, #nc.space<hbm>>, %y: memref<128x64xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %1 = tile.load %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  // expected-error @+1 {{KILN-C012: the tensor engine does not multiply 'f32' with 'bf16': run tile-legalize before tile-to-nc}}
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xf32>, tensor<128x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @composite(%x: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  // expected-error @+1 {{KILN-C013: 'tile.unary' is not an operation of any engine: run tile-legalize before tile-to-nc}}
  %1 = tile.unary exp %0 : tensor<128x64xf32> -> tensor<128x64xf32>
  return
}
