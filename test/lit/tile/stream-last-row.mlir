// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream{budget=40000}))' | FileCheck %s

#zero = affine_map<() -> (0)>

// The last of 1281 rows is alone. What meets every row is loaded again for it:
// a tile of one row that stays from the first block on takes as much of each
// partition as one for all rows.
// CHECK-LABEL: func.func @last
// CHECK: tile.load %arg1{{.*}} sizes [128, 1024] strides [0, 1]
// CHECK-NOT: tile.load %arg1
// CHECK: scf.for
// CHECK: tile.load %arg0{{.*}} sizes [128, 1024]
// CHECK: tile.store %{{.*}}, %arg2{{.*}} sizes [128, 1024]
// CHECK: }
// CHECK: tile.load %arg0{{.*}} sizes [1, 1024]
// CHECK: tile.load %arg1{{.*}} sizes [1, 1024] strides [0, 1]
// CHECK: tile.store %{{.*}}, %arg2{{.*}} sizes [1, 1024]
// CHECK-NOT: tile.load
// CHECK: return
func.func @last(%x: memref<1281x1024xf32, #nc.space<hbm>>, %g: memref<1024xf32, #nc.space<hbm>>, %y: memref<1281x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #zero sizes [1281, 1024] strides [1024, 1] : memref<1281x1024xf32, #nc.space<hbm>> -> tensor<1281x1024xf32>
  %1 = tile.load %g[] offset #zero sizes [1, 1024] strides [1024, 1] : memref<1024xf32, #nc.space<hbm>> -> tensor<1x1024xf32>
  %2 = tile.binary multiply %0, %1 : tensor<1281x1024xf32>, tensor<1x1024xf32> -> tensor<1281x1024xf32>
  tile.store %2, %y[] offset #zero sizes [1281, 1024] strides [1024, 1] : tensor<1281x1024xf32>, memref<1281x1024xf32, #nc.space<hbm>>
  return
}
