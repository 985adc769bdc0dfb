// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s

// All of it would fit into SBUF, but then nothing is computed before all is
// loaded.
// CHECK-LABEL: func.func @tall
// CHECK: scf.for
// CHECK: tile.load {{.*}} sizes [128, 2048]
// CHECK: tile.store
// CHECK: }
// CHECK-NEXT: return
func.func @tall(%x: memref<1024x2048xbf16, #nc.space<hbm>>, %y: memref<1024x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1024, 2048] strides [2048, 1] : memref<1024x2048xbf16, #nc.space<hbm>> -> tensor<1024x2048xbf16>
  %1 = tile.unary exp %0 : tensor<1024x2048xbf16> -> tensor<1024x2048xbf16>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [1024, 2048] strides [2048, 1] : tensor<1024x2048xbf16>, memref<1024x2048xbf16, #nc.space<hbm>>
  return
}

// Two stores need x: it is loaded once.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: scf.for
// CHECK: return
func.func @shared(%x: memref<1024x2048xbf16, #nc.space<hbm>>, %y: memref<1024x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1024, 2048] strides [2048, 1] : memref<1024x2048xbf16, #nc.space<hbm>> -> tensor<1024x2048xbf16>
  %1 = tile.unary exp %0 : tensor<1024x2048xbf16> -> tensor<1024x2048xbf16>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [1024, 2048] strides [2048, 1] : tensor<1024x2048xbf16>, memref<1024x2048xbf16, #nc.space<hbm>>
  tile.store %0, %x[] offset affine_map<() -> (0)> sizes [1024, 2048] strides [2048, 1] : tensor<1024x2048xbf16>, memref<1024x2048xbf16, #nc.space<hbm>>
  return
}

// Inside a loop, the user has chosen the blocks.
// CHECK-LABEL: func.func @chosen
// CHECK: scf.for
// CHECK: tile.load {{.*}} sizes [1024, 2048]
// CHECK-NOT: scf.for
// CHECK: return
func.func @chosen(%x: memref<1024x2048xbf16, #nc.space<hbm>>, %y: memref<1024x2048xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1024, 2048] strides [2048, 1] : memref<1024x2048xbf16, #nc.space<hbm>> -> tensor<1024x2048xbf16>
    %1 = tile.unary exp %0 : tensor<1024x2048xbf16> -> tensor<1024x2048xbf16>
    tile.store %1, %y[] offset affine_map<() -> (0)> sizes [1024, 2048] strides [2048, 1] : tensor<1024x2048xbf16>, memref<1024x2048xbf16, #nc.space<hbm>>
  }
  return
}

// Rows that fit stay while their columns are looked at: x is loaded once. The
// row w is on all partitions before the loop.
// CHECK-LABEL: func.func @resident
// CHECK: %[[W:.*]] = tile.load %arg1[] {{.*}} strides [0, 1]
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[X:.*]] = tile.load %arg0[%[[I]]] {{.*}} sizes [128, 16384] strides [16384, 1]
// CHECK-NOT: tile.load
// CHECK: tile.slice %[[X]]
// CHECK: tile.reduce add
// CHECK: tile.slice %[[W]]
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK: }
// CHECK: return
func.func @resident(%x: memref<4096x16384xf32, #nc.space<hbm>>, %w: memref<16384xbf16, #nc.space<hbm>>, %y: memref<4096x16384xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4096, 16384] strides [16384, 1] : memref<4096x16384xf32, #nc.space<hbm>> -> tensor<4096x16384xf32>
  %1 = tile.load %w[] offset affine_map<() -> (0)> sizes [1, 16384] strides [16384, 1] : memref<16384xbf16, #nc.space<hbm>> -> tensor<1x16384xbf16>
  %2 = tile.unary square %0 : tensor<4096x16384xf32> -> tensor<4096x16384xf32>
  %3 = tile.reduce add %2 : tensor<4096x16384xf32> -> tensor<4096x1xf32>
  %4 = tile.binary multiply %0, %3 : tensor<4096x16384xf32>, tensor<4096x1xf32> -> tensor<4096x16384xf32>
  %5 = tile.binary multiply %4, %1 : tensor<4096x16384xf32>, tensor<1x16384xbf16> -> tensor<4096x16384xf32>
  tile.store %5, %y[] offset affine_map<() -> (0)> sizes [4096, 16384] strides [16384, 1] : tensor<4096x16384xf32>, memref<4096x16384xf32, #nc.space<hbm>>
  return
}
