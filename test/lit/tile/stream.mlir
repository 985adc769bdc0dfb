// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream{budget=20000}))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream{budget=20000}))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] NotStreamed | Category:tile-stream |
// REMARK-DAG: remark: [Passed] Streamed | Category:tile-stream |

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0) -> (d0 * 131072)>
// CHECK-DAG: #[[TAIL:.*]] = affine_map<() -> (1310720)>

// Blocks of rows that are whole rows of the tensor, and the rest.
// CHECK-LABEL: func.func @elements
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[X:.*]] = tile.load %arg0[%[[I]]] offset #[[ROWS]] sizes [128, 1024] strides [1024, 1]
// CHECK: %[[E:.*]] = tile.unary exp %[[X]] : tensor<128x1024xf32>
// CHECK: tile.store %[[E]], %arg1[%[[I]]] offset
// CHECK: tile.load %arg0[] offset #[[TAIL]] sizes [44, 1024]
// CHECK: tile.unary
// CHECK: tile.store
// CHECK-NOT: tile.load
func.func @elements(%x: memref<1324x1024xf32, #nc.space<hbm>>, %y: memref<1324x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1324, 1024] strides [1024, 1] : memref<1324x1024xf32, #nc.space<hbm>> -> tensor<1324x1024xf32>
  %1 = tile.unary exp %0 : tensor<1324x1024xf32> -> tensor<1324x1024xf32>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [1324, 1024] strides [1024, 1] : tensor<1324x1024xf32>, memref<1324x1024xf32, #nc.space<hbm>>
  return
}

// A store between: the tensor is loaded before it.
// CHECK-LABEL: func.func @written
// CHECK-NOT: scf.for
// CHECK: return
func.func @written(%x: memref<300x1024xf32, #nc.space<hbm>>, %y: memref<300x1024xf32, #nc.space<hbm>>) {
  %c = tile.fill 1.0 : tensor<1x1xf32>
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [300, 1024] strides [1024, 1] : memref<300x1024xf32, #nc.space<hbm>> -> tensor<300x1024xf32>
  tile.store %c, %x[] offset affine_map<() -> (0)> sizes [1, 1] strides [1024, 1] : tensor<1x1xf32>, memref<300x1024xf32, #nc.space<hbm>>
  %1 = tile.unary exp %0 : tensor<300x1024xf32> -> tensor<300x1024xf32>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [300, 1024] strides [1024, 1] : tensor<300x1024xf32>, memref<300x1024xf32, #nc.space<hbm>>
  return
}

// Each block reads what it writes, and here what another one writes.
// CHECK-LABEL: func.func @in_place
// CHECK: scf.for %[[I:.*]] =
// CHECK: tile.load %arg0[%[[I]]] offset #[[AT:.*]] sizes [300, 256]
// CHECK: tile.store %{{.*}}, %arg0[%[[I]]] offset #[[AT]] sizes [300, 256]
// CHECK: return
func.func @in_place(%x: memref<300x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [300, 1024] strides [1024, 1] : memref<300x1024xf32, #nc.space<hbm>> -> tensor<300x1024xf32>
  %1 = tile.unary exp %0 : tensor<300x1024xf32> -> tensor<300x1024xf32>
  tile.store %1, %x[] offset affine_map<() -> (0)> sizes [300, 1024] strides [1024, 1] : tensor<300x1024xf32>, memref<300x1024xf32, #nc.space<hbm>>
  return
}
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: scf.for
// CHECK: return
func.func @shifted(%x: memref<301x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [300, 1024] strides [1024, 1] : memref<301x1024xf32, #nc.space<hbm>> -> tensor<300x1024xf32>
  %1 = tile.unary exp %0 : tensor<300x1024xf32> -> tensor<300x1024xf32>
  tile.store %1, %x[] offset affine_map<() -> (1024)> sizes [300, 1024] strides [1024, 1] : tensor<300x1024xf32>, memref<301x1024xf32, #nc.space<hbm>>
  return
}

// What fits stays.
// CHECK-LABEL: func.func @fits
// CHECK-NOT: scf.for
// CHECK: return
func.func @fits(%x: memref<300x1024xf32, #nc.space<hbm>>, %y: memref<300x1024xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1024, 1] : memref<300x1024xf32, #nc.space<hbm>> -> tensor<128x1024xf32>
  tile.store %0, %y[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1024, 1] : tensor<128x1024xf32>, memref<300x1024xf32, #nc.space<hbm>>
  return
}

// A wide row is reduced in pieces, once for the blocks of columns.
// CHECK-LABEL: func.func @reduced
// CHECK: tile.load {{.*}} sizes [8, 1536]
// CHECK: tile.reduce maximum
// CHECK: tile.binary maximum
// CHECK: scf.for
// CHECK: tile.load {{.*}} strides [20000, 1]
// CHECK-NEXT: tile.binary subtract {{.*}} tensor<8x1xf32>
// CHECK-NEXT: tile.store
func.func @reduced(%x: memref<8x20000xf32, #nc.space<hbm>>, %y: memref<8x20000xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [8, 20000] strides [20000, 1] : memref<8x20000xf32, #nc.space<hbm>> -> tensor<8x20000xf32>
  %1 = tile.reduce maximum %0 : tensor<8x20000xf32> -> tensor<8x1xf32>
  %2 = tile.binary subtract %0, %1 : tensor<8x20000xf32>, tensor<8x1xf32> -> tensor<8x20000xf32>
  tile.store %2, %y[] offset affine_map<() -> (0)> sizes [8, 20000] strides [20000, 1] : tensor<8x20000xf32>, memref<8x20000xf32, #nc.space<hbm>>
  return
}
