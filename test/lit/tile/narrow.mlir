// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-narrow{budget=65536 window=32768}))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(cse,tile-narrow{budget=65536 window=32768}))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-narrow{budget=65536 window=32768}))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Narrowed | Category:tile-narrow |
// REMARK-DAG: remark: [Missed] NotNarrowed | Category:tile-narrow |

// CHECK-DAG: #[[LATE:.*]] = affine_map<() -> (20005)>
// CHECK-DAG: #[[HALF:.*]] = affine_map<() -> (10000)>
// CHECK-DAG: #[[ZERO:.*]] = affine_map<() -> (0)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<() -> (8192)>
// CHECK-DAG: #[[THIRD:.*]] = affine_map<() -> (16384)>

// More than 64 KiB of a partition, of which windows are used: each is a load
// next to its user, but none behind a store to the tensor.
// CHECK-LABEL: func.func @windows
// CHECK: tile.load %arg1[] offset #[[LATE]] sizes [7, 5] strides [20000, 2]
// CHECK: tile.load %arg1[] offset #[[HALF]] sizes [8, 10000] strides [20000, 1]
// CHECK: tile.store
// CHECK: tile.store
// CHECK-NOT: tile.slice
// CHECK: return
func.func @windows(%y: memref<8x10000xf32, #nc.space<hbm>>, %x: memref<8x20000xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [8, 20000] strides [20000, 1] : memref<8x20000xf32, #nc.space<hbm>> -> tensor<8x20000xf32>
  %1 = tile.slice %0[] offset affine_map<() -> (10000)> sizes [8, 10000] strides [1, 1] : tensor<8x20000xf32> -> tensor<8x10000xf32>
  tile.store %1, %x[] offset affine_map<() -> (0)> sizes [8, 10000] strides [20000, 1] : tensor<8x10000xf32>, memref<8x20000xf32, #nc.space<hbm>>
  %2 = tile.slice %0[] row 1 offset affine_map<() -> (5)> sizes [7, 5] strides [1, 2] : tensor<8x20000xf32> -> tensor<7x5xf32>
  tile.store %2, %y[] offset affine_map<() -> (0)> sizes [7, 5] strides [10000, 1] : tensor<7x5xf32>, memref<8x10000xf32, #nc.space<hbm>>
  return
}

// A reduction is made of the reductions of windows.
// CHECK-LABEL: func.func @reduction
// CHECK: tile.load %arg1[] offset #[[ZERO]] sizes [8, 8192]
// CHECK: %[[A:.*]] = tile.reduce maximum
// CHECK: tile.load %arg1[] offset #[[SECOND]] sizes [8, 8192]
// CHECK: %[[B:.*]] = tile.reduce maximum
// CHECK: tile.binary maximum %[[A]], %[[B]]
// CHECK: tile.load %arg1[] offset #[[THIRD]] sizes [8, 3616]
// CHECK: tile.binary maximum
func.func @reduction(%y: memref<8x1xf32, #nc.space<hbm>>, %x: memref<8x20000xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [8, 20000] strides [20000, 1] : memref<8x20000xf32, #nc.space<hbm>> -> tensor<8x20000xf32>
  %1 = tile.reduce maximum %0 : tensor<8x20000xf32> -> tensor<8x1xf32>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [8, 1] strides [1, 1] : tensor<8x1xf32>, memref<8x1xf32, #nc.space<hbm>>
  return
}

// What fits, and what is used whole, stays.
// CHECK-LABEL: func.func @whole
// CHECK: sizes [8, 16384]
// CHECK: tile.slice
// CHECK: sizes [8, 20000]
// CHECK: tile.slice
func.func @whole(%y: memref<8x20000xf32, #nc.space<hbm>>, %x: memref<8x20000xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [8, 16384] strides [20000, 1] : memref<8x20000xf32, #nc.space<hbm>> -> tensor<8x16384xf32>
  %1 = tile.slice %0[] offset affine_map<() -> (0)> sizes [8, 5] strides [1, 1] : tensor<8x16384xf32> -> tensor<8x5xf32>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [8, 5] strides [20000, 1] : tensor<8x5xf32>, memref<8x20000xf32, #nc.space<hbm>>
  %2 = tile.load %x[] offset affine_map<() -> (0)> sizes [8, 20000] strides [20000, 1] : memref<8x20000xf32, #nc.space<hbm>> -> tensor<8x20000xf32>
  tile.store %2, %y[] offset affine_map<() -> (0)> sizes [8, 20000] strides [20000, 1] : tensor<8x20000xf32>, memref<8x20000xf32, #nc.space<hbm>>
  %3 = tile.slice %2[] offset affine_map<() -> (0)> sizes [8, 5] strides [1, 1] : tensor<8x20000xf32> -> tensor<8x5xf32>
  tile.store %3, %y[] offset affine_map<() -> (0)> sizes [8, 5] strides [20000, 1] : tensor<8x5xf32>, memref<8x20000xf32, #nc.space<hbm>>
  return
}
