// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-4: remark: [Passed] Streamed | Category:tile-stream

#z = affine_map<() -> (0)>
module attributes {nc.target = #nc.target<"trn3">} {

// A window of packed rows is quantized from four times as many rows, and both
// results of the same operation are used.
// CHECK-LABEL: func.func @quantized
// CHECK: scf.for
// CHECK: %[[WIDE:.*]] = tile.load %arg2[{{.*}} sizes [{{[0-9]+}}, [[COLUMNS:[0-9]+]]] strides [4096, 1]
// CHECK: %[[DATA:.*]], %[[SCALES:.*]] = tile.quantize %[[WIDE]] : {{.*}} -> tensor<{{[0-9]+}}x[[COLUMNS]]xvector<4xf8E4M3FN>>, tensor<{{[0-9]+}}x[[COLUMNS]]xf8E8M0FNU>
// CHECK: tile.matmul %{{.*}}, %[[DATA]] scales %{{.*}}, %[[SCALES]] :
// CHECK: tile.store
// CHECK: return
func.func @quantized(%o: memref<2048x4096xf32, #nc.space<hbm>>, %a: memref<2048x4096xbf16, #nc.space<hbm>>, %b: memref<4096x4096xbf16, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [2048, 4096] strides [4096, 1] : memref<2048x4096xbf16, #nc.space<hbm>> -> tensor<4096x2048xbf16>
  %x, %xs = tile.quantize %0 : tensor<4096x2048xbf16> -> tensor<1024x2048xvector<4xf8E4M3FN>>, tensor<128x2048xf8E8M0FNU>
  %1 = tile.load %b[] offset #z sizes [4096, 4096] strides [4096, 1] : memref<4096x4096xbf16, #nc.space<hbm>> -> tensor<4096x4096xbf16>
  %w, %ws = tile.quantize %1 : tensor<4096x4096xbf16> -> tensor<1024x4096xvector<4xf8E4M3FN>>, tensor<128x4096xf8E8M0FNU>
  %2 = tile.matmul %x, %w scales %xs, %ws : tensor<128x2048xf8E8M0FNU>, tensor<128x4096xf8E8M0FNU> {transpose_a} : tensor<1024x2048xvector<4xf8E4M3FN>>, tensor<1024x4096xvector<4xf8E4M3FN>> -> tensor<2048x4096xf32>
  tile.store %2, %o[] offset #z sizes [2048, 4096] strides [4096, 1] : tensor<2048x4096xf32>, memref<2048x4096xf32, #nc.space<hbm>>
  return
}

// An eighth as many rows of scales are loaded with a window of packed rows.
// CHECK-LABEL: func.func @ready
// CHECK: scf.for
// CHECK: tile.load %arg3{{.*}} sizes {{\[}}[[#ROWS:]], [[#N:]]] strides
// CHECK: tile.load %arg4{{.*}} sizes {{\[}}[[#div(ROWS,8)]], [[#N]]] strides
// CHECK: tile.load %arg1{{.*}} sizes {{\[}}[[#ROWS:]], [[#M:]]] strides
// CHECK: tile.load %arg2{{.*}} sizes {{\[}}[[#div(ROWS,8)]], [[#M]]] strides
// CHECK: tile.matmul {{.*}} scales {{.*}} tensor<[[#M]]x[[#N]]xf32>
// CHECK: tile.store
// CHECK: return
func.func @ready(%o: memref<4096x4096xf32, #nc.space<hbm>>, %a: memref<2048x4096xvector<4xf8E4M3FN>, #nc.space<hbm>>, %as: memref<256x4096xf8E8M0FNU, #nc.space<hbm>>, %b: memref<2048x4096xvector<4xf8E4M3FN>, #nc.space<hbm>>, %bs: memref<256x4096xf8E8M0FNU, #nc.space<hbm>>) {
  %x = tile.load %a[] offset #z sizes [2048, 4096] strides [4096, 1] : memref<2048x4096xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<2048x4096xvector<4xf8E4M3FN>>
  %xs = tile.load %as[] offset #z sizes [256, 4096] strides [4096, 1] : memref<256x4096xf8E8M0FNU, #nc.space<hbm>> -> tensor<256x4096xf8E8M0FNU>
  %w = tile.load %b[] offset #z sizes [2048, 4096] strides [4096, 1] : memref<2048x4096xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<2048x4096xvector<4xf8E4M3FN>>
  %ws = tile.load %bs[] offset #z sizes [256, 4096] strides [4096, 1] : memref<256x4096xf8E8M0FNU, #nc.space<hbm>> -> tensor<256x4096xf8E8M0FNU>
  %2 = tile.matmul %x, %w scales %xs, %ws : tensor<256x4096xf8E8M0FNU>, tensor<256x4096xf8E8M0FNU> {transpose_a} : tensor<2048x4096xvector<4xf8E4M3FN>>, tensor<2048x4096xvector<4xf8E4M3FN>> -> tensor<4096x4096xf32>
  tile.store %2, %o[] offset #z sizes [4096, 4096] strides [4096, 1] : tensor<4096x4096xf32>, memref<4096x4096xf32, #nc.space<hbm>>
  return
}

// Contracted in turns: the sums of a block stay, and the scales of a turn come
// with its data.
// CHECK-LABEL: func.func @turns
// CHECK: tile.declare
// CHECK: scf.for %[[TURN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-DAG: tile.load %arg3[{{.*}}%[[TURN]]
// CHECK-DAG: tile.load %arg4[{{.*}}%[[TURN]]
// CHECK: tile.matmul {{.*}} scales
// CHECK: tile.assign
// CHECK: return
func.func @turns(%o: memref<4096x4096xf32, #nc.space<hbm>>, %a: memref<16384x4096xvector<4xf8E4M3FN>, #nc.space<hbm>>, %as: memref<2048x4096xf8E8M0FNU, #nc.space<hbm>>, %b: memref<16384x4096xvector<4xf8E4M3FN>, #nc.space<hbm>>, %bs: memref<2048x4096xf8E8M0FNU, #nc.space<hbm>>) {
  %x = tile.load %a[] offset #z sizes [16384, 4096] strides [4096, 1] : memref<16384x4096xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<16384x4096xvector<4xf8E4M3FN>>
  %xs = tile.load %as[] offset #z sizes [2048, 4096] strides [4096, 1] : memref<2048x4096xf8E8M0FNU, #nc.space<hbm>> -> tensor<2048x4096xf8E8M0FNU>
  %w = tile.load %b[] offset #z sizes [16384, 4096] strides [4096, 1] : memref<16384x4096xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<16384x4096xvector<4xf8E4M3FN>>
  %ws = tile.load %bs[] offset #z sizes [2048, 4096] strides [4096, 1] : memref<2048x4096xf8E8M0FNU, #nc.space<hbm>> -> tensor<2048x4096xf8E8M0FNU>
  %2 = tile.matmul %x, %w scales %xs, %ws : tensor<2048x4096xf8E8M0FNU>, tensor<2048x4096xf8E8M0FNU> {transpose_a} : tensor<16384x4096xvector<4xf8E4M3FN>>, tensor<16384x4096xvector<4xf8E4M3FN>> -> tensor<4096x4096xf32>
  tile.store %2, %o[] offset #z sizes [4096, 4096] strides [4096, 1] : tensor<4096x4096xf32>, memref<4096x4096xf32, #nc.space<hbm>>
  return
}

// No block of an odd number of rows.
// CHECK-LABEL: func.func @even
// CHECK: scales {{.*}}tensor<{{[0-9]*[02468]}}x{{[0-9]+}}xf32>
// CHECK: tile.store
// CHECK: return
func.func @even(%o: memref<4098x4096xf32, #nc.space<hbm>>, %a: memref<2048x4098xvector<4xf8E4M3FN>, #nc.space<hbm>>, %as: memref<256x4098xf8E8M0FNU, #nc.space<hbm>>, %b: memref<2048x4096xvector<4xf8E4M3FN>, #nc.space<hbm>>, %bs: memref<256x4096xf8E8M0FNU, #nc.space<hbm>>) {
  %x = tile.load %a[] offset #z sizes [2048, 4098] strides [4098, 1] : memref<2048x4098xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<2048x4098xvector<4xf8E4M3FN>>
  %xs = tile.load %as[] offset #z sizes [256, 4098] strides [4098, 1] : memref<256x4098xf8E8M0FNU, #nc.space<hbm>> -> tensor<256x4098xf8E8M0FNU>
  %w = tile.load %b[] offset #z sizes [2048, 4096] strides [4096, 1] : memref<2048x4096xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<2048x4096xvector<4xf8E4M3FN>>
  %ws = tile.load %bs[] offset #z sizes [256, 4096] strides [4096, 1] : memref<256x4096xf8E8M0FNU, #nc.space<hbm>> -> tensor<256x4096xf8E8M0FNU>
  %2 = tile.matmul %x, %w scales %xs, %ws : tensor<256x4098xf8E8M0FNU>, tensor<256x4096xf8E8M0FNU> {transpose_a} : tensor<2048x4098xvector<4xf8E4M3FN>>, tensor<2048x4096xvector<4xf8E4M3FN>> -> tensor<4098x4096xf32>
  tile.store %2, %o[] offset #z sizes [4098, 4096] strides [4096, 1] : tensor<4098x4096xf32>, memref<4098x4096xf32, #nc.space<hbm>>
  return
}
}
