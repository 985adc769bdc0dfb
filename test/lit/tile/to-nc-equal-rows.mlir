// RUN: kiln-opt %s --tile-to-nc | FileCheck %s

#zero = affine_map<() -> (0)>
#row = affine_map<(d0) -> (d0 * 8)>
#rows = affine_map<(d0) -> (d0 * 2400)>

// One row for 300 partitions: the product has the same row for each, so three
// parts of the result copy what one product leaves in PSUM.
// CHECK-LABEL: func.func @row
// CHECK-COUNT-1: nc.nc_matmul
// CHECK-NOT: nc.nc_matmul
// CHECK-COUNT-2: nc.tensor_copy dst({{.*}}<128x8xf32, sbuf>) src({{.*}}<128x8xf32, psum>)
// CHECK: nc.tensor_copy dst({{.*}}<44x8xf32, sbuf>) src({{.*}}<44x8xf32, psum>)
// CHECK: return
func.func @row(%x: memref<1x8xf32, #nc.space<hbm>>, %y: memref<300x8xf32, #nc.space<hbm>>) {
  %row = tile.load %x[] offset #zero sizes [1, 8] strides [8, 1] : memref<1x8xf32, #nc.space<hbm>> -> tensor<1x8xf32>
  %ones = tile.fill 1.000000e+00 : tensor<1x300xf32>
  %all = tile.matmul %ones, %row {transpose_a} : tensor<1x300xf32>, tensor<1x8xf32> -> tensor<300x8xf32>
  tile.store %all, %y[] offset #zero sizes [300, 8] strides [8, 1] : tensor<300x8xf32>, memref<300x8xf32, #nc.space<hbm>>
  return
}

// Other operands need a product for each part.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-3: nc.nc_matmul
// CHECK: return
func.func @rows(%x: memref<1x8xf32, #nc.space<hbm>>, %w: memref<1x300xf32, #nc.space<hbm>>, %y: memref<300x8xf32, #nc.space<hbm>>) {
  %row = tile.load %x[] offset #zero sizes [1, 8] strides [8, 1] : memref<1x8xf32, #nc.space<hbm>> -> tensor<1x8xf32>
  %weights = tile.load %w[] offset #zero sizes [1, 300] strides [300, 1] : memref<1x300xf32, #nc.space<hbm>> -> tensor<1x300xf32>
  %all = tile.matmul %weights, %row {transpose_a} : tensor<1x300xf32>, tensor<1x8xf32> -> tensor<300x8xf32>
  tile.store %all, %y[] offset #zero sizes [300, 8] strides [8, 1] : tensor<300x8xf32>, memref<300x8xf32, #nc.space<hbm>>
  return
}

// In a loop, so do equal rows: the parts do not wait for one product.
// CHECK-LABEL: func.func @rows_of_iterations
// CHECK: scf.for
// CHECK-COUNT-3: nc.nc_matmul
// CHECK: return
func.func @rows_of_iterations(%x: memref<4x8xf32, #nc.space<hbm>>, %y: memref<1200x8xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %row = tile.load %x[%i] offset #row sizes [1, 8] strides [8, 1] : memref<4x8xf32, #nc.space<hbm>> -> tensor<1x8xf32>
    %ones = tile.fill 1.000000e+00 : tensor<1x300xf32>
    %all = tile.matmul %ones, %row {transpose_a} : tensor<1x300xf32>, tensor<1x8xf32> -> tensor<300x8xf32>
    tile.store %all, %y[%i] offset #rows sizes [300, 8] strides [8, 1] : tensor<300x8xf32>, memref<1200x8xf32, #nc.space<hbm>>
  }
  return
}
