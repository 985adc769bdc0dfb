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
