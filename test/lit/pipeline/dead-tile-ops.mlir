// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-legalize,tile-orient,tile-fuse,canonicalize,cse,tile-hoist,tile-to-nc))' | FileCheck %s

// The load that nobody uses and the second of two equal loads make no
// instructions; a store is kept whatever happens.
// CHECK-LABEL: func.func @dead
// CHECK-COUNT-2: nc.dma_copy
// CHECK-NOT: nc.dma_copy
func.func @dead(%x: memref<128x64xf32, #nc.space<hbm>>, %y: memref<128x64xf32, #nc.space<hbm>>) {
  %unused = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %1 = tile.unary exp %unused : tensor<128x64xf32> -> tensor<128x64xf32>
  %2 = tile.unary exp %0 : tensor<128x64xf32> -> tensor<128x64xf32>
  tile.store %2, %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}
