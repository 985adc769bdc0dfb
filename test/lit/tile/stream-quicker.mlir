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

// Whole rows of 16384 fit: tall blocks of few columns would load x twice, and
// need an instruction for each 128 rows that meet values of their own.
// CHECK-LABEL: func.func @softmax
// CHECK: scf.for
// CHECK: tile.load {{.*}} sizes [128, 16384]
// CHECK-NOT: tile.load
// CHECK: tile.store {{.*}} sizes [128, 16384]
// CHECK: return
func.func @softmax(%x: memref<4096x16384xbf16, #nc.space<hbm>>, %y: memref<4096x16384xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4096, 16384] strides [16384, 1] : memref<4096x16384xbf16, #nc.space<hbm>> -> tensor<4096x16384xbf16>
  %1 = tile.reduce maximum %0 : tensor<4096x16384xbf16> -> tensor<4096x1xf32>
  %2 = tile.binary subtract %0, %1 : tensor<4096x16384xbf16>, tensor<4096x1xf32> -> tensor<4096x16384xf32>
  %3 = tile.unary exp %2 : tensor<4096x16384xf32> -> tensor<4096x16384xf32>
  %4 = tile.reduce add %3 : tensor<4096x16384xf32> -> tensor<4096x1xf32>
  %5 = tile.binary divide %3, %4 : tensor<4096x16384xf32>, tensor<4096x1xf32> -> tensor<4096x16384xf32>
  %6 = tile.cast %5 : tensor<4096x16384xf32> -> tensor<4096x16384xbf16>
  tile.store %6, %y[] offset affine_map<() -> (0)> sizes [4096, 16384] strides [16384, 1] : tensor<4096x16384xbf16>, memref<4096x16384xbf16, #nc.space<hbm>>
  return
}

// An instruction has two operators, so the products are a tile before w is
// added: two iterations of whole rows of 8192 do not fit.
// CHECK-LABEL: func.func @two_operators
// CHECK: scf.for
// CHECK: tile.load %arg0{{.*}} sizes [128, 8192]
// CHECK-NOT: tile.store {{.*}} sizes [128, 8192]
// CHECK: return
func.func @two_operators(%x: memref<4096x8192xbf16, #nc.space<hbm>>, %g: memref<8192xbf16, #nc.space<hbm>>, %w: memref<8192xbf16, #nc.space<hbm>>, %y: memref<4096x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4096, 8192] strides [8192, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> tensor<4096x8192xbf16>
  %1 = tile.reduce add %0 : tensor<4096x8192xbf16> -> tensor<4096x1xf32>
  %2 = tile.scalar multiply %1, 1.220703125E-4 : tensor<4096x1xf32> -> tensor<4096x1xf32>
  %3 = tile.binary subtract %0, %2 : tensor<4096x8192xbf16>, tensor<4096x1xf32> -> tensor<4096x8192xf32>
  %4 = tile.unary square %3 : tensor<4096x8192xf32> -> tensor<4096x8192xf32>
  %5 = tile.reduce add %4 : tensor<4096x8192xf32> -> tensor<4096x1xf32>
  %6 = tile.unary rsqrt %5 : tensor<4096x1xf32> -> tensor<4096x1xf32>
  %7 = tile.binary subtract %0, %2 : tensor<4096x8192xbf16>, tensor<4096x1xf32> -> tensor<4096x8192xf32>
  %8 = tile.binary multiply %7, %6 : tensor<4096x8192xf32>, tensor<4096x1xf32> -> tensor<4096x8192xf32>
  %9 = tile.load %g[] offset affine_map<() -> (0)> sizes [1, 8192] strides [8192, 1] : memref<8192xbf16, #nc.space<hbm>> -> tensor<1x8192xbf16>
  %10 = tile.binary multiply %8, %9 : tensor<4096x8192xf32>, tensor<1x8192xbf16> -> tensor<4096x8192xf32>
  %11 = tile.load %w[] offset affine_map<() -> (0)> sizes [1, 8192] strides [8192, 1] : memref<8192xbf16, #nc.space<hbm>> -> tensor<1x8192xbf16>
  %12 = tile.binary add %10, %11 : tensor<4096x8192xf32>, tensor<1x8192xbf16> -> tensor<4096x8192xf32>
  %13 = tile.cast %12 : tensor<4096x8192xf32> -> tensor<4096x8192xbf16>
  tile.store %13, %y[] offset affine_map<() -> (0)> sizes [4096, 8192] strides [8192, 1] : tensor<4096x8192xbf16>, memref<4096x8192xbf16, #nc.space<hbm>>
  return
}

// Rows of 12000 stay on chip.
// CHECK-LABEL: func.func @norm
// CHECK: scf.for
// CHECK: tile.load %arg0{{.*}} sizes [128, 12000]
// CHECK-NOT: tile.load %arg0
// CHECK: return
func.func @norm(%x: memref<4096x12000xbf16, #nc.space<hbm>>, %g: memref<12000xbf16, #nc.space<hbm>>, %w: memref<12000xbf16, #nc.space<hbm>>, %y: memref<4096x12000xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4096, 12000] strides [12000, 1] : memref<4096x12000xbf16, #nc.space<hbm>> -> tensor<4096x12000xbf16>
  %1 = tile.reduce add %0 : tensor<4096x12000xbf16> -> tensor<4096x1xf32>
  %2 = tile.scalar multiply %1, 8.3333333E-5 : tensor<4096x1xf32> -> tensor<4096x1xf32>
  %3 = tile.binary subtract %0, %2 : tensor<4096x12000xbf16>, tensor<4096x1xf32> -> tensor<4096x12000xf32>
  %4 = tile.unary square %3 : tensor<4096x12000xf32> -> tensor<4096x12000xf32>
  %5 = tile.reduce add %4 : tensor<4096x12000xf32> -> tensor<4096x1xf32>
  %6 = tile.unary rsqrt %5 : tensor<4096x1xf32> -> tensor<4096x1xf32>
  %7 = tile.binary subtract %0, %2 : tensor<4096x12000xbf16>, tensor<4096x1xf32> -> tensor<4096x12000xf32>
  %8 = tile.binary multiply %7, %6 : tensor<4096x12000xf32>, tensor<4096x1xf32> -> tensor<4096x12000xf32>
  %9 = tile.load %g[] offset affine_map<() -> (0)> sizes [1, 12000] strides [12000, 1] : memref<12000xbf16, #nc.space<hbm>> -> tensor<1x12000xbf16>
  %10 = tile.binary multiply %8, %9 : tensor<4096x12000xf32>, tensor<1x12000xbf16> -> tensor<4096x12000xf32>
  %11 = tile.load %w[] offset affine_map<() -> (0)> sizes [1, 12000] strides [12000, 1] : memref<12000xbf16, #nc.space<hbm>> -> tensor<1x12000xbf16>
  %12 = tile.binary add %10, %11 : tensor<4096x12000xf32>, tensor<1x12000xbf16> -> tensor<4096x12000xf32>
  %13 = tile.cast %12 : tensor<4096x12000xf32> -> tensor<4096x12000xbf16>
  tile.store %13, %y[] offset affine_map<() -> (0)> sizes [4096, 12000] strides [12000, 1] : tensor<4096x12000xbf16>, memref<4096x12000xbf16, #nc.space<hbm>>
  return
}
