// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s

#z = affine_map<() -> (0)>

module attributes {nc.target = #nc.target<"trn2">} {

// ScalarE has one table of functions. These three share one: small blocks.
// CHECK-LABEL: func.func @one
// CHECK: scf.for {{.*}} to %c16 step
// CHECK: tile.store {{.*}} sizes [513, 128]
// CHECK: return
func.func @one(%x: memref<513x2048xbf16, #nc.space<hbm>>, %y: memref<513x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #z sizes [513, 2048] strides [2048, 1] : memref<513x2048xbf16, #nc.space<hbm>> -> tensor<513x2048xbf16>
  %1 = tile.unary exp %0 : tensor<513x2048xbf16> -> tensor<513x2048xf32>
  %2 = tile.scalar add %1, 1.0 : tensor<513x2048xf32> -> tensor<513x2048xf32>
  %3 = tile.unary log %2 : tensor<513x2048xf32> -> tensor<513x2048xf32>
  %4 = tile.binary multiply %3, %0 : tensor<513x2048xf32>, tensor<513x2048xbf16> -> tensor<513x2048xf32>
  %5 = tile.unary softplus %0 : tensor<513x2048xbf16> -> tensor<513x2048xf32>
  %6 = tile.binary subtract %4, %5 : tensor<513x2048xf32>, tensor<513x2048xf32> -> tensor<513x2048xf32>
  %7 = tile.cast %6 : tensor<513x2048xf32> -> tensor<513x2048xbf16>
  tile.store %7, %y[] offset #z sizes [513, 2048] strides [2048, 1] : tensor<513x2048xbf16>, memref<513x2048xbf16, #nc.space<hbm>>
  return
}

// With tanh and sigmoid, each block loads two tables.
// CHECK-LABEL: func.func @two
// CHECK: scf.for {{.*}} to %c4 step
// CHECK: tile.store {{.*}} sizes [513, 512]
// CHECK: return
func.func @two(%x: memref<513x2048xbf16, #nc.space<hbm>>, %y: memref<513x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #z sizes [513, 2048] strides [2048, 1] : memref<513x2048xbf16, #nc.space<hbm>> -> tensor<513x2048xbf16>
  %1 = tile.unary exp %0 : tensor<513x2048xbf16> -> tensor<513x2048xf32>
  %2 = tile.scalar add %1, 1.0 : tensor<513x2048xf32> -> tensor<513x2048xf32>
  %3 = tile.unary tanh %2 : tensor<513x2048xf32> -> tensor<513x2048xf32>
  %4 = tile.binary multiply %3, %0 : tensor<513x2048xf32>, tensor<513x2048xbf16> -> tensor<513x2048xf32>
  %5 = tile.unary sigmoid %0 : tensor<513x2048xbf16> -> tensor<513x2048xf32>
  %6 = tile.binary subtract %4, %5 : tensor<513x2048xf32>, tensor<513x2048xf32> -> tensor<513x2048xf32>
  %7 = tile.cast %6 : tensor<513x2048xf32> -> tensor<513x2048xbf16>
  tile.store %7, %y[] offset #z sizes [513, 2048] strides [2048, 1] : tensor<513x2048xbf16>, memref<513x2048xbf16, #nc.space<hbm>>
  return
}

}
