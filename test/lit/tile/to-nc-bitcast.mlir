// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s

#z = affine_map<() -> (0)>
#j = affine_map<(d0) -> (d0 * 8 + 4)>

// A buffer, and a tensor in HBM, seen as elements of another type: views of
// the same memory, nothing is copied.
// CHECK-LABEL: func.func @views
// CHECK: %[[B:.*]] = nc.alloc : memref<128x32xf32, #nc.space<sbuf>>
// CHECK: %[[TO:.*]] = nc.view %[[B]][] offset #{{.*}} sizes [128, 32] strides [1, 1] : memref<128x32xf32, #nc.space<sbuf>> -> <128x32xbf16, sbuf>
// CHECK: %[[FROM:.*]] = nc.view %arg0[] offset #{{.*}} sizes [128, 32] strides [32, 1] : memref<128x16xf32, #nc.space<hbm>> -> <128x32xbf16, hbm>
// CHECK: nc.dma_copy dst(%[[TO]]{{.*}}) src(%[[FROM]]
// CHECK: %[[SEEN:.*]] = nc.view %[[B]][%{{.*}}] {{.*}} -> <128x4xui16, sbuf>
// CHECK: nc.dma_copy {{.*}} src(%[[SEEN]]
// CHECK-NOT: nc.tensor_copy
func.func @views(%x: memref<128x16xf32, #nc.space<hbm>>, %y: memref<128x4xui16, #nc.space<hbm>>) {
  %b = tile.declare : memref<128x32xf32, #nc.space<sbuf>>
  %0 = tile.load %x[] offset #z sizes [128, 32] strides [32, 1] : memref<128x16xf32, #nc.space<hbm>> -> tensor<128x32xbf16>
  tile.assign %0, %b[] offset #z sizes [128, 32] strides [1, 1] : tensor<128x32xbf16>, memref<128x32xf32, #nc.space<sbuf>>
  %c1 = arith.constant 1 : index
  %1 = tile.read %b[%c1] offset #j sizes [128, 4] strides [1, 1] : memref<128x32xf32, #nc.space<sbuf>> -> tensor<128x4xui16>
  tile.store %1, %y[] offset #z sizes [128, 4] strides [4, 1] : tensor<128x4xui16>, memref<128x4xui16, #nc.space<hbm>>
  return
}

// The slots of a tall tile are as far apart as its rows have bytes.
// CHECK-LABEL: func.func @slots
// CHECK: %[[T:.*]] = nc.alloc : memref<128x32xf32, #nc.space<sbuf>>
// CHECK: nc.view %[[T]][] offset #{{.*}} sizes [128, 2, 8] strides [1, 32, 1] {{.*}} -> <128x2x8xbf16, sbuf>
func.func @slots(%y: memref<256x8xbf16, #nc.space<hbm>>) {
  %b = tile.declare : memref<256x16xf32, #nc.space<sbuf>>
  %f = tile.fill 1.000000e+00 : tensor<256x16xf32>
  tile.assign %f, %b[] offset #z sizes [256, 16] strides [1, 1] : tensor<256x16xf32>, memref<256x16xf32, #nc.space<sbuf>>
  %0 = tile.read %b[] offset #z sizes [256, 8] strides [1, 1] : memref<256x16xf32, #nc.space<sbuf>> -> tensor<256x8xbf16>
  tile.store %0, %y[] offset #z sizes [256, 8] strides [8, 1] : tensor<256x8xbf16>, memref<256x8xbf16, #nc.space<hbm>>
  return
}

// One window in elements of two sizes: it cannot be computed in place.
// CHECK-LABEL: func.func @not_in_place
// CHECK: %[[B:.*]] = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
// CHECK: %[[T:.*]] = nc.alloc : memref<128x16xui8, #nc.space<sbuf>>
// CHECK: nc.tensor_tensor dst(%{{.*}} <128x16xui8, sbuf>)
// CHECK: nc.tensor_copy dst(%{{.*}} <128x16xui8, sbuf>)
func.func @not_in_place(%y: memref<128x16xf32, #nc.space<hbm>>) {
  %b = tile.declare : memref<128x16xf32, #nc.space<sbuf>>
  %f = tile.fill 1.000000e+00 : tensor<128x16xf32>
  tile.assign %f, %b[] offset #z sizes [128, 16] strides [1, 1] : tensor<128x16xf32>, memref<128x16xf32, #nc.space<sbuf>>
  %0 = tile.read %b[] offset #z sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> tensor<128x16xf32>
  %1 = tile.binary add %0, %0 : tensor<128x16xf32>, tensor<128x16xf32> -> tensor<128x16xui8>
  tile.assign %1, %b[] offset #z sizes [128, 16] strides [1, 1] : tensor<128x16xui8>, memref<128x16xf32, #nc.space<sbuf>>
  %2 = tile.read %b[] offset #z sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> tensor<128x16xf32>
  tile.store %2, %y[] offset #z sizes [128, 16] strides [16, 1] : tensor<128x16xf32>, memref<128x16xf32, #nc.space<hbm>>
  return
}
