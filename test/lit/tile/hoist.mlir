// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-hoist))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-hoist{budget=64}))' | FileCheck %s --check-prefix=SMALL

#z = affine_map<() -> (0)>
#i = affine_map<(d0) -> (d0 * 8192)>

// The load of %w does not depend on the loop; %x is stored to, so it stays.
// CHECK-LABEL: func.func @loads
// CHECK: tile.load %arg1
// CHECK: scf.for
// CHECK: tile.load %arg0
// With 64 bytes a partition nothing may move.
// SMALL-LABEL: func.func @loads
// SMALL: scf.for
// SMALL: tile.load %arg1
func.func @loads(%x: memref<1024x64xf32, #nc.space<hbm>>, %w: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.load %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %1 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<1024x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %2 = tile.binary "add" %0, %1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    tile.store %2, %x[%j] offset #i sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<1024x64xf32, #nc.space<hbm>>
  }
  return
}

// A read stays behind the assignments of its buffer.
// CHECK-LABEL: func.func @reads
// CHECK: scf.for
// CHECK: tile.read
func.func @reads(%x: tensor<128x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  tile.assign %x, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.read %b[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
    %1 = tile.unary "exp" %0 : tensor<128x1xf32> -> tensor<128x1xf32>
    tile.assign %1, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  }
  return
}
