// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc))' | FileCheck %s

#z = affine_map<() -> (0)>
#at = affine_map<(d0) -> (d0)>

// A producer writes an assigned window itself where the window's address is known.
// CHECK-LABEL: func.func @early
// CHECK: affine.max
// CHECK: nc.tensor_scalar
// CHECK-NOT: nc.tensor_copy
// CHECK: }
func.func @early(%n: index, %a: memref<64x6xf32, #nc.space<hbm>>, %o: memref<64x7xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.declare : memref<64x7xf32, #nc.space<sbuf>>
  %0 = tile.load %a[] offset #z sizes [64, 6] strides [6, 1] : memref<64x6xf32, #nc.space<hbm>> -> tensor<64x6xf32>
  scf.for %i = %c0 to %c1 step %c1 {
    %at = affine.max affine_map<(d0) -> (d0, 0)>(%i)
    %1 = tile.chain %0 {op0 = #nc.alu_op<multiply>, value0 = 2.0 : f32} : tensor<64x6xf32> -> tensor<64x6xf32>
    tile.assign %1, %b[%at] offset #at sizes [64, 6] strides [1, 1] : tensor<64x6xf32>, memref<64x7xf32, #nc.space<sbuf>>
  }
  %2 = tile.read %b[] offset #z sizes [64, 7] strides [1, 1] : memref<64x7xf32, #nc.space<sbuf>> -> tensor<64x7xf32>
  tile.store %2, %o[] offset #z sizes [64, 7] strides [7, 1] : tensor<64x7xf32>, memref<64x7xf32, #nc.space<hbm>>
  return
}

// Where it comes after the producer, a copy follows the address.
// CHECK-LABEL: func.func @late
// CHECK: nc.tensor_scalar
// CHECK: affine.max
// CHECK: nc.tensor_copy
// CHECK: }
func.func @late(%n: index, %a: memref<64x6xf32, #nc.space<hbm>>, %o: memref<64x7xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.declare : memref<64x7xf32, #nc.space<sbuf>>
  %0 = tile.load %a[] offset #z sizes [64, 6] strides [6, 1] : memref<64x6xf32, #nc.space<hbm>> -> tensor<64x6xf32>
  scf.for %i = %c0 to %c1 step %c1 {
    %1 = tile.chain %0 {op0 = #nc.alu_op<multiply>, value0 = 2.0 : f32} : tensor<64x6xf32> -> tensor<64x6xf32>
    %at = affine.max affine_map<(d0) -> (d0, 0)>(%i)
    tile.assign %1, %b[%at] offset #at sizes [64, 6] strides [1, 1] : tensor<64x6xf32>, memref<64x7xf32, #nc.space<sbuf>>
  }
  %2 = tile.read %b[] offset #z sizes [64, 7] strides [1, 1] : memref<64x7xf32, #nc.space<sbuf>> -> tensor<64x7xf32>
  tile.store %2, %o[] offset #z sizes [64, 7] strides [7, 1] : tensor<64x7xf32>, memref<64x7xf32, #nc.space<hbm>>
  return
}
