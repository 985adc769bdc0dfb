// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Streamed | Category:tile-stream | {{.*}}step=1024

#z = affine_map<() -> (0)>

// Neither 512 rows of a nor 512 columns of b fit on chip twice with what an
// iteration needs beside them. So the sums of a block stay, and a loop adds the
// products of the rows that each turn loads, bank by bank.
// CHECK-LABEL: func.func @long
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[SUMS:.*]] = tile.declare : memref<512x1024xf32, #nc.space<sbuf>>
// CHECK: tile.fill
// CHECK: tile.assign
// CHECK: scf.for %[[TURN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: tile.load %arg2[{{.*}}%[[TURN]]{{.*}}] {{.*}} sizes [1024, 1024] strides [8192, 1]
// CHECK: tile.load_transposed %arg1[{{.*}}%[[TURN]]{{.*}}] {{.*}} sizes [512, 1024] strides [8192, 1]
// CHECK: %[[PRODUCT:.*]] = tile.matmul %{{.*}}, %{{.*}} {transpose_a} : {{.*}} -> tensor<128x512xf32>
// CHECK: %[[OLD:.*]] = tile.read %[[SUMS]]
// CHECK: %[[NEW:.*]] = tile.binary add %[[OLD]], %[[PRODUCT]]
// CHECK: tile.assign %[[NEW]], %[[SUMS]]
// CHECK: }
// CHECK: tile.read %[[SUMS]]{{.*}} tensor<512x1024xf32>
// CHECK: tile.store
// CHECK: return
func.func @long(%o: memref<4096x8192xbf16, #nc.space<hbm>>, %a: memref<4096x8192xbf16, #nc.space<hbm>>, %b: memref<8192x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [4096, 8192] strides [8192, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> tensor<4096x8192xbf16>
  %1 = tile.load %b[] offset #z sizes [8192, 8192] strides [8192, 1] : memref<8192x8192xbf16, #nc.space<hbm>> -> tensor<8192x8192xbf16>
  %2 = tile.matmul %0, %1 : tensor<4096x8192xbf16>, tensor<8192x8192xbf16> -> tensor<4096x8192xf32>
  %3 = tile.cast %2 : tensor<4096x8192xf32> -> tensor<4096x8192xbf16>
  tile.store %3, %o[] offset #z sizes [4096, 8192] strides [8192, 1] : tensor<4096x8192xbf16>, memref<4096x8192xbf16, #nc.space<hbm>>
  return
}

// The rows that are left follow the loop.
// CHECK-LABEL: func.func @ragged
// CHECK: tile.declare
// CHECK: scf.for
// CHECK: sizes [[[STEP:.*]], {{.*}}] {{.*}} memref<12000x2500xbf16
// CHECK: tile.assign
// CHECK: }
// CHECK: tile.matmul {{.*}}tensor<[[LEFT:224|736|1760]]x
// CHECK: tile.assign
// CHECK: tile.store
// CHECK: return
func.func @ragged(%o: memref<3000x2500xf32, #nc.space<hbm>>, %a: memref<3000x12000xbf16, #nc.space<hbm>>, %b: memref<12000x2500xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [3000, 12000] strides [12000, 1] : memref<3000x12000xbf16, #nc.space<hbm>> -> tensor<3000x12000xbf16>
  %1 = tile.load %b[] offset #z sizes [12000, 2500] strides [2500, 1] : memref<12000x2500xbf16, #nc.space<hbm>> -> tensor<12000x2500xbf16>
  %2 = tile.matmul %0, %1 : tensor<3000x12000xbf16>, tensor<12000x2500xbf16> -> tensor<3000x2500xf32>
  tile.store %2, %o[] offset #z sizes [3000, 2500] strides [2500, 1] : tensor<3000x2500xf32>, memref<3000x2500xf32, #nc.space<hbm>>
  return
}

// Sums of another type than f32 would be rounded in each turn.
// CHECK-LABEL: func.func @short
// CHECK-NOT: tile.declare
// CHECK: return
func.func @short(%o: memref<4096x8192xbf16, #nc.space<hbm>>, %a: memref<4096x8192xbf16, #nc.space<hbm>>, %b: memref<8192x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [4096, 8192] strides [8192, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> tensor<4096x8192xbf16>
  %1 = tile.load %b[] offset #z sizes [8192, 8192] strides [8192, 1] : memref<8192x8192xbf16, #nc.space<hbm>> -> tensor<8192x8192xbf16>
  %2 = tile.matmul %0, %1 : tensor<4096x8192xbf16>, tensor<8192x8192xbf16> -> tensor<4096x8192xbf16>
  tile.store %2, %o[] offset #z sizes [4096, 8192] strides [8192, 1] : tensor<4096x8192xbf16>, memref<4096x8192xbf16, #nc.space<hbm>>
  return
}
