// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream{budget=40000}))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream{budget=40000}))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-3: remark: [Passed] StoredAlong | Category:tile-stream |
// REMARK-NOT: StoredAlong

#zero = affine_map<() -> (0)>

// What is normalised is stored, too: one loop over the rows loads and computes
// it once. The order of the stores stays.
// CHECK-LABEL: func.func @earlier
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK: %[[E:.*]] = tile.unary exp %[[X]]
// CHECK: tile.store %[[E]], %arg1
// CHECK: tile.reduce
// CHECK: tile.store %{{.*}}, %arg2
// CHECK-NOT: tile.load
// CHECK: return
func.func @earlier(%x: memref<1280x1024xf32, #nc.space<hbm>>, %s: memref<1280x1024xf32, #nc.space<hbm>>, %y: memref<1280x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #zero sizes [1280, 1024] strides [1024, 1] : memref<1280x1024xf32, #nc.space<hbm>> -> tensor<1280x1024xf32>
  %1 = tile.unary exp %0 : tensor<1280x1024xf32> -> tensor<1280x1024xf32>
  tile.store %1, %s[] offset #zero sizes [1280, 1024] strides [1024, 1] : tensor<1280x1024xf32>, memref<1280x1024xf32, #nc.space<hbm>>
  %2 = tile.reduce maximum %1 : tensor<1280x1024xf32> -> tensor<1280x1xf32>
  %3 = tile.binary multiply %1, %2 : tensor<1280x1024xf32>, tensor<1280x1xf32> -> tensor<1280x1024xf32>
  tile.store %3, %y[] offset #zero sizes [1280, 1024] strides [1024, 1] : tensor<1280x1024xf32>, memref<1280x1024xf32, #nc.space<hbm>>
  return
}

// So is a column of the rows' maxima, behind it; and there is a rest of 44 rows.
// CHECK-LABEL: func.func @later
// CHECK: scf.for
// CHECK: tile.load %arg0
// CHECK: tile.store %{{.*}}, %arg1
// CHECK: tile.store %{{.*}}, %arg2{{.*}} sizes [128, 1]
// CHECK: tile.load %arg0
// CHECK: tile.store %{{.*}}, %arg1
// CHECK: tile.store %{{.*}}, %arg2{{.*}} sizes [44, 1]
// CHECK-NOT: tile.load
// CHECK: return
func.func @later(%x: memref<1324x1024xf32, #nc.space<hbm>>, %y: memref<1324x1024xf32, #nc.space<hbm>>, %s: memref<1324x1xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #zero sizes [1324, 1024] strides [1024, 1] : memref<1324x1024xf32, #nc.space<hbm>> -> tensor<1324x1024xf32>
  %2 = tile.reduce maximum %0 : tensor<1324x1024xf32> -> tensor<1324x1xf32>
  %3 = tile.binary multiply %0, %2 : tensor<1324x1024xf32>, tensor<1324x1xf32> -> tensor<1324x1024xf32>
  tile.store %3, %y[] offset #zero sizes [1324, 1024] strides [1024, 1] : tensor<1324x1024xf32>, memref<1324x1024xf32, #nc.space<hbm>>
  tile.store %2, %s[] offset #zero sizes [1324, 1] strides [1, 1] : tensor<1324x1xf32>, memref<1324x1xf32, #nc.space<hbm>>
  return
}

// A loop stores one other value at most; the second of these has its own loop.
// CHECK-LABEL: func.func @three
// CHECK: scf.for
// CHECK: scf.for
// CHECK: return
func.func @three(%x: memref<1280x1024xf32, #nc.space<hbm>>, %s: memref<1280x1024xf32, #nc.space<hbm>>, %t: memref<1280x1xf32, #nc.space<hbm>>, %y: memref<1280x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #zero sizes [1280, 1024] strides [1024, 1] : memref<1280x1024xf32, #nc.space<hbm>> -> tensor<1280x1024xf32>
  %1 = tile.unary exp %0 : tensor<1280x1024xf32> -> tensor<1280x1024xf32>
  tile.store %1, %s[] offset #zero sizes [1280, 1024] strides [1024, 1] : tensor<1280x1024xf32>, memref<1280x1024xf32, #nc.space<hbm>>
  %2 = tile.reduce maximum %1 : tensor<1280x1024xf32> -> tensor<1280x1xf32>
  tile.store %2, %t[] offset #zero sizes [1280, 1] strides [1, 1] : tensor<1280x1xf32>, memref<1280x1xf32, #nc.space<hbm>>
  %3 = tile.binary multiply %1, %2 : tensor<1280x1024xf32>, tensor<1280x1xf32> -> tensor<1280x1024xf32>
  tile.store %3, %y[] offset #zero sizes [1280, 1024] strides [1024, 1] : tensor<1280x1024xf32>, memref<1280x1024xf32, #nc.space<hbm>>
  return
}

// What is stored here is loaded later, so each store keeps its place.
// CHECK-LABEL: func.func @read
// CHECK: scf.for
// CHECK: tile.store %{{.*}}, %arg1
// CHECK: tile.load %arg1
// CHECK: scf.for
// CHECK: tile.store %{{.*}}, %arg2
// CHECK: return
func.func @read(%x: memref<1280x1024xf32, #nc.space<hbm>>, %s: memref<1280x1024xf32, #nc.space<hbm>>, %y: memref<1280x1024xf32, #nc.space<hbm>>, %z: memref<1x1xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #zero sizes [1280, 1024] strides [1024, 1] : memref<1280x1024xf32, #nc.space<hbm>> -> tensor<1280x1024xf32>
  %1 = tile.unary exp %0 : tensor<1280x1024xf32> -> tensor<1280x1024xf32>
  tile.store %1, %s[] offset #zero sizes [1280, 1024] strides [1024, 1] : tensor<1280x1024xf32>, memref<1280x1024xf32, #nc.space<hbm>>
  %9 = tile.load %s[] offset #zero sizes [1, 1] strides [1024, 1] : memref<1280x1024xf32, #nc.space<hbm>> -> tensor<1x1xf32>
  tile.store %9, %z[] offset #zero sizes [1, 1] strides [1, 1] : tensor<1x1xf32>, memref<1x1xf32, #nc.space<hbm>>
  %2 = tile.reduce maximum %1 : tensor<1280x1024xf32> -> tensor<1280x1xf32>
  %3 = tile.binary multiply %1, %2 : tensor<1280x1024xf32>, tensor<1280x1xf32> -> tensor<1280x1024xf32>
  tile.store %3, %y[] offset #zero sizes [1280, 1024] strides [1024, 1] : tensor<1280x1024xf32>, memref<1280x1024xf32, #nc.space<hbm>>
  return
}

// The stored rows are others than those of the result.
// CHECK-LABEL: func.func @part
// CHECK: scf.for
// CHECK: scf.for
// CHECK: return
func.func @part(%x: memref<1280x1024xf32, #nc.space<hbm>>, %s: memref<1280x1024xf32, #nc.space<hbm>>, %y: memref<640x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #zero sizes [1280, 1024] strides [1024, 1] : memref<1280x1024xf32, #nc.space<hbm>> -> tensor<1280x1024xf32>
  %1 = tile.unary exp %0 : tensor<1280x1024xf32> -> tensor<1280x1024xf32>
  tile.store %1, %s[] offset #zero sizes [1280, 1024] strides [1024, 1] : tensor<1280x1024xf32>, memref<1280x1024xf32, #nc.space<hbm>>
  %h = tile.slice %1[] offset #zero sizes [640, 1024] strides [1, 1] : tensor<1280x1024xf32> -> tensor<640x1024xf32>
  %2 = tile.reduce maximum %h : tensor<640x1024xf32> -> tensor<640x1xf32>
  %3 = tile.binary multiply %h, %2 : tensor<640x1024xf32>, tensor<640x1xf32> -> tensor<640x1024xf32>
  tile.store %3, %y[] offset #zero sizes [640, 1024] strides [1024, 1] : tensor<640x1024xf32>, memref<640x1024xf32, #nc.space<hbm>>
  return
}
