// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Streamed | Category:tile-stream | {{.*}} columns=512, rows=512

#z = affine_map<() -> (0)>

// Lower and wider blocks load less, but each load would be a slot of 128 rows
// whose descriptors take longer than its products.
// CHECK-LABEL: func.func @tall
// CHECK: scf.for
// CHECK: tile.load %arg1[{{.*}} sizes [512, 4096]
// CHECK: scf.for
// CHECK: tile.load %arg2[{{.*}} sizes [4096, 512]
// CHECK: tile.matmul
// CHECK: tile.store
func.func @tall(%o: memref<4096x4096xbf16, #nc.space<hbm>>, %a: memref<4096x4096xbf16, #nc.space<hbm>>, %b: memref<4096x4096xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [4096, 4096] strides [4096, 1] : memref<4096x4096xbf16, #nc.space<hbm>> -> tensor<4096x4096xbf16>
  %1 = tile.load %b[] offset #z sizes [4096, 4096] strides [4096, 1] : memref<4096x4096xbf16, #nc.space<hbm>> -> tensor<4096x4096xbf16>
  %2 = tile.matmul %0, %1 : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  tile.store %2, %o[] offset #z sizes [4096, 4096] strides [4096, 1] : tensor<4096x4096xbf16>, memref<4096x4096xbf16, #nc.space<hbm>>
  return
}

// What follows a product takes time of its own, most of all behind the last
// products: such blocks are low.
// CHECK-LABEL: func.func @followed
// CHECK: scf.for
// CHECK: tile.load {{.*}} sizes [128, 768]
// CHECK: tile.matmul
// CHECK: tile.unary gelu
// CHECK: tile.store
// CHECK: return
func.func @followed(%o: memref<1024x3072xbf16, #nc.space<hbm>>, %a: memref<1024x768xbf16, #nc.space<hbm>>, %b: memref<768x3072xbf16, #nc.space<hbm>>, %c: memref<3072xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [1024, 768] strides [768, 1] : memref<1024x768xbf16, #nc.space<hbm>> -> tensor<1024x768xbf16>
  %1 = tile.load %b[] offset #z sizes [768, 3072] strides [3072, 1] : memref<768x3072xbf16, #nc.space<hbm>> -> tensor<768x3072xbf16>
  %2 = tile.load %c[] offset #z sizes [1, 3072] strides [3072, 1] : memref<3072xbf16, #nc.space<hbm>> -> tensor<1x3072xbf16>
  %3 = tile.matmul %0, %1 : tensor<1024x768xbf16>, tensor<768x3072xbf16> -> tensor<1024x3072xf32>
  %4 = tile.binary add %3, %2 : tensor<1024x3072xf32>, tensor<1x3072xbf16> -> tensor<1024x3072xf32>
  %5 = tile.unary gelu %4 : tensor<1024x3072xf32> -> tensor<1024x3072xf32>
  %6 = tile.cast %5 : tensor<1024x3072xf32> -> tensor<1024x3072xbf16>
  tile.store %6, %o[] offset #z sizes [1024, 3072] strides [3072, 1] : tensor<1024x3072xbf16>, memref<1024x3072xbf16, #nc.space<hbm>>
  return
}

// All of it would fit, but nothing of it would overlap. Of two blocks, the
// second one's products hide the first one's chain.
// CHECK-LABEL: func.func @rounded
// CHECK: tile.load %arg2{{.*}} sizes [768, 2048]
// CHECK: tile.unary gelu {{.*}} -> tensor<1024x2048xf32>
// CHECK: tile.load %arg2{{.*}} sizes [768, 1024]
// CHECK: tile.unary gelu {{.*}} -> tensor<1024x1024xf32>
// CHECK: return
func.func @rounded(%o: memref<1024x3072xbf16, #nc.space<hbm>>, %a: memref<1024x768xbf16, #nc.space<hbm>>, %b: memref<768x3072xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [1024, 768] strides [768, 1] : memref<1024x768xbf16, #nc.space<hbm>> -> tensor<1024x768xbf16>
  %1 = tile.load %b[] offset #z sizes [768, 3072] strides [3072, 1] : memref<768x3072xbf16, #nc.space<hbm>> -> tensor<768x3072xbf16>
  %2 = tile.matmul %0, %1 : tensor<1024x768xbf16>, tensor<768x3072xbf16> -> tensor<1024x3072xf32>
  %3 = tile.unary gelu %2 : tensor<1024x3072xf32> -> tensor<1024x3072xf32>
  %4 = tile.cast %3 : tensor<1024x3072xf32> -> tensor<1024x3072xbf16>
  tile.store %4, %o[] offset #z sizes [1024, 3072] strides [3072, 1] : tensor<1024x3072xbf16>, memref<1024x3072xbf16, #nc.space<hbm>>
  return
}

// Blocks of the last product would make the first ones again.
// CHECK-LABEL: func.func @chained
// CHECK-NOT: scf.for
// CHECK: tile.matmul {{.*}} -> tensor<512x3072xf32>
// CHECK: tile.matmul {{.*}} -> tensor<512x1024xbf16>
// CHECK: return
func.func @chained(%o: memref<512x1024xbf16, #nc.space<hbm>>, %a: memref<512x1024xbf16, #nc.space<hbm>>, %b: memref<1024x3072xbf16, #nc.space<hbm>>, %c: memref<1024x3072xbf16, #nc.space<hbm>>, %d: memref<3072x1024xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [512, 1024] strides [1024, 1] : memref<512x1024xbf16, #nc.space<hbm>> -> tensor<512x1024xbf16>
  %1 = tile.load %b[] offset #z sizes [1024, 3072] strides [3072, 1] : memref<1024x3072xbf16, #nc.space<hbm>> -> tensor<1024x3072xbf16>
  %2 = tile.matmul %0, %1 : tensor<512x1024xbf16>, tensor<1024x3072xbf16> -> tensor<512x3072xf32>
  %3 = tile.unary silu %2 : tensor<512x3072xf32> -> tensor<512x3072xf32>
  %4 = tile.load %c[] offset #z sizes [1024, 3072] strides [3072, 1] : memref<1024x3072xbf16, #nc.space<hbm>> -> tensor<1024x3072xbf16>
  %5 = tile.matmul %0, %4 : tensor<512x1024xbf16>, tensor<1024x3072xbf16> -> tensor<512x3072xf32>
  %6 = tile.binary multiply %3, %5 : tensor<512x3072xf32>, tensor<512x3072xf32> -> tensor<512x3072xf32>
  %7 = tile.cast %6 : tensor<512x3072xf32> -> tensor<512x3072xbf16>
  %8 = tile.load %d[] offset #z sizes [3072, 1024] strides [1024, 1] : memref<3072x1024xbf16, #nc.space<hbm>> -> tensor<3072x1024xbf16>
  %9 = tile.matmul %7, %8 : tensor<512x3072xbf16>, tensor<3072x1024xbf16> -> tensor<512x1024xbf16>
  tile.store %9, %o[] offset #z sizes [512, 1024] strides [1024, 1] : tensor<512x1024xbf16>, memref<512x1024xbf16, #nc.space<hbm>>
  return
}
