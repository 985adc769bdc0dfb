// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream{budget=30000}))' | FileCheck %s

#zero = affine_map<() -> (0)>

// Rows stay on chip while their columns are processed. The value that is also
// stored is what stays: it is loaded and computed once.
// CHECK-LABEL: func.func @stays
// CHECK: scf.for
// CHECK-NEXT: tile.load %arg0{{.*}} sizes [128, 2560]
// CHECK-NEXT: %[[E:.*]] = tile.unary exp
// CHECK-NEXT: tile.store %[[E]], %arg1{{.*}} sizes [128, 2560]
// CHECK: tile.reduce
// CHECK: scf.for
// CHECK: tile.slice %[[E]]
// CHECK: tile.store %{{.*}}, %arg2{{.*}} sizes [128, 512]
// CHECK-NOT: tile.load
// CHECK: return
func.func @stays(%x: memref<1280x2560xbf16, #nc.space<hbm>>, %s: memref<1280x2560xbf16, #nc.space<hbm>>, %y: memref<1280x2560xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #zero sizes [1280, 2560] strides [2560, 1] : memref<1280x2560xbf16, #nc.space<hbm>> -> tensor<1280x2560xbf16>
  %1 = tile.unary exp %0 : tensor<1280x2560xbf16> -> tensor<1280x2560xbf16>
  tile.store %1, %s[] offset #zero sizes [1280, 2560] strides [2560, 1] : tensor<1280x2560xbf16>, memref<1280x2560xbf16, #nc.space<hbm>>
  %2 = tile.reduce maximum %1 : tensor<1280x2560xbf16> -> tensor<1280x1xf32>
  %3 = tile.binary multiply %1, %2 : tensor<1280x2560xbf16>, tensor<1280x1xf32> -> tensor<1280x2560xf32>
  %4 = tile.binary add %3, %1 : tensor<1280x2560xf32>, tensor<1280x2560xbf16> -> tensor<1280x2560xf32>
  tile.store %4, %y[] offset #zero sizes [1280, 2560] strides [2560, 1] : tensor<1280x2560xf32>, memref<1280x2560xf32, #nc.space<hbm>>
  return
}
