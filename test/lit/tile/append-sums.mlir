// RUN: kiln-opt %s --tile-append-sums | FileCheck %s
// RUN: kiln-opt %s --tile-append-sums --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Appended | Category:tile-append-sums |
// REMARK-DAG: remark: [Missed] NotAppended | Category:tile-append-sums |

#z = affine_map<() -> (0)>

// Both running sums become one, whose last column is the sum of the rows.
// CHECK: #[[LAST:.*]] = affine_map<() -> (64)>
// CHECK-LABEL: func.func @attention
// CHECK: %[[B:.*]] = tile.declare : memref<128x65xf32, #nc.space<sbuf>>
// CHECK-NOT: tile.declare
// CHECK: tile.assign %{{.*}}, %[[B]][] offset #[[LAST]] sizes [128, 1]
// CHECK: tile.assign %{{.*}}, %[[B]][] offset #{{.*}} sizes [128, 64]
// CHECK: scf.for
// CHECK: %[[V:.*]] = tile.load
// CHECK: %[[W:.*]] = tile.append %[[V]], 1.000000e+00 : tensor<256x64xbf16> -> tensor<256x65xbf16>
// CHECK: %[[PV:.*]] = tile.matmul %{{.*}}, %[[W]] {transpose_a}
// CHECK: %[[OLD:.*]] = tile.read %[[B]][] offset #{{.*}} sizes [128, 65]
// CHECK: %[[F:.*]] = tile.binary multiply %{{.*}}, %[[OLD]]
// CHECK: %[[SUM:.*]] = tile.binary add %[[F]], %[[PV]]
// CHECK: tile.assign %[[SUM]], %[[B]][] offset #{{.*}} sizes [128, 65]
// CHECK-NOT: tile.reduce add
// CHECK: }
// CHECK: tile.read %[[B]][] offset #[[LAST]] sizes [128, 1]
func.func @attention(%p: tensor<128x256xbf16>, %f: tensor<128x1xf32>, %v: memref<1024x64xbf16, #nc.space<hbm>>, %o: memref<128x1xf32, #nc.space<hbm>>) {
  %l = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %acc = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %zero = tile.fill 0.0 : tensor<128x1xf32>
  %zeros = tile.fill 0.0 : tensor<128x64xf32>
  tile.assign %zero, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  tile.assign %zeros, %acc[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
    %1 = tile.binary multiply %f, %0 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
    %2 = tile.reduce add %p : tensor<128x256xbf16> -> tensor<128x1xf32>
    %3 = tile.binary add %1, %2 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
    tile.assign %3, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
    %4 = tile.read %acc[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
    %5 = tile.binary multiply %f, %4 : tensor<128x1xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    %6 = tile.transpose %p : tensor<128x256xbf16> -> tensor<256x128xbf16>
    %7 = tile.load %v[%i] offset affine_map<(d0) -> (d0 * 16384)> sizes [256, 64] strides [64, 1] : memref<1024x64xbf16, #nc.space<hbm>> -> tensor<256x64xbf16>
    %8 = tile.matmul %6, %7 {transpose_a} : tensor<256x128xbf16>, tensor<256x64xbf16> -> tensor<128x64xf32>
    %9 = tile.binary add %5, %8 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    tile.assign %9, %acc[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
  }
  %sum = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  tile.store %sum, %o[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// Another factor: two sums.
// CHECK-LABEL: func.func @other_factor
// CHECK: tile.reduce add
func.func @other_factor(%p: tensor<128x256xbf16>, %f: tensor<128x1xf32>, %g: tensor<128x1xf32>, %v: memref<256x64xbf16, #nc.space<hbm>>) {
  %l = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %acc = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %0 = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %1 = tile.binary multiply %g, %0 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.reduce add %p : tensor<128x256xbf16> -> tensor<128x1xf32>
  %3 = tile.binary add %1, %2 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.assign %3, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %4 = tile.read %acc[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
  %5 = tile.binary multiply %f, %4 : tensor<128x1xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %6 = tile.transpose %p : tensor<128x256xbf16> -> tensor<256x128xbf16>
  %7 = tile.load %v[] offset #z sizes [256, 64] strides [64, 1] : memref<256x64xbf16, #nc.space<hbm>> -> tensor<256x64xbf16>
  %8 = tile.matmul %6, %7 {transpose_a} : tensor<256x128xbf16>, tensor<256x64xbf16> -> tensor<128x64xf32>
  %9 = tile.binary add %5, %8 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  tile.assign %9, %acc[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
  return
}

// Something stores l between the two updates; acc fills its banks; p v is of
// no load: three times two sums.
// CHECK-LABEL: func.func @looked_at
// CHECK: tile.reduce add
// CHECK: tile.store
func.func @looked_at(%p: tensor<128x256xbf16>, %v: memref<256x64xbf16, #nc.space<hbm>>, %o: memref<128x1xf32, #nc.space<hbm>>) {
  %l = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %acc = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %0 = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %2 = tile.reduce add %p : tensor<128x256xbf16> -> tensor<128x1xf32>
  %3 = tile.binary add %0, %2 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.assign %3, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %now = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  tile.store %now, %o[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  %4 = tile.read %acc[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
  %6 = tile.transpose %p : tensor<128x256xbf16> -> tensor<256x128xbf16>
  %7 = tile.load %v[] offset #z sizes [256, 64] strides [64, 1] : memref<256x64xbf16, #nc.space<hbm>> -> tensor<256x64xbf16>
  %8 = tile.matmul %6, %7 {transpose_a} : tensor<256x128xbf16>, tensor<256x64xbf16> -> tensor<128x64xf32>
  %9 = tile.binary add %4, %8 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  tile.assign %9, %acc[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
  return
}

// 511 columns and a sum take a bank, 512 columns leave no place in theirs.
// CHECK-LABEL: func.func @fits
// CHECK: tile.append
func.func @fits(%p: tensor<128x128xbf16>, %v: memref<128x511xbf16, #nc.space<hbm>>) {
  %l = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %acc = tile.declare : memref<128x511xf32, #nc.space<sbuf>>
  %0 = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %2 = tile.reduce add %p : tensor<128x128xbf16> -> tensor<128x1xf32>
  %3 = tile.binary add %0, %2 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.assign %3, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %4 = tile.read %acc[] offset #z sizes [128, 511] strides [1, 1] : memref<128x511xf32, #nc.space<sbuf>> -> tensor<128x511xf32>
  %6 = tile.transpose %p : tensor<128x128xbf16> -> tensor<128x128xbf16>
  %7 = tile.load %v[] offset #z sizes [128, 511] strides [511, 1] : memref<128x511xbf16, #nc.space<hbm>> -> tensor<128x511xbf16>
  %8 = tile.matmul %6, %7 {transpose_a} : tensor<128x128xbf16>, tensor<128x511xbf16> -> tensor<128x511xf32>
  %9 = tile.binary add %4, %8 : tensor<128x511xf32>, tensor<128x511xf32> -> tensor<128x511xf32>
  tile.assign %9, %acc[] offset #z sizes [128, 511] strides [1, 1] : tensor<128x511xf32>, memref<128x511xf32, #nc.space<sbuf>>
  return
}

// CHECK-LABEL: func.func @fills
// CHECK-NOT: tile.append
func.func @fills(%p: tensor<128x128xbf16>, %v: memref<128x512xbf16, #nc.space<hbm>>) {
  %l = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %acc = tile.declare : memref<128x512xf32, #nc.space<sbuf>>
  %0 = tile.read %l[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %2 = tile.reduce add %p : tensor<128x128xbf16> -> tensor<128x1xf32>
  %3 = tile.binary add %0, %2 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.assign %3, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %4 = tile.read %acc[] offset #z sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> tensor<128x512xf32>
  %6 = tile.transpose %p : tensor<128x128xbf16> -> tensor<128x128xbf16>
  %7 = tile.load %v[] offset #z sizes [128, 512] strides [512, 1] : memref<128x512xbf16, #nc.space<hbm>> -> tensor<128x512xbf16>
  %8 = tile.matmul %6, %7 {transpose_a} : tensor<128x128xbf16>, tensor<128x512xbf16> -> tensor<128x512xf32>
  %9 = tile.binary add %4, %8 : tensor<128x512xf32>, tensor<128x512xf32> -> tensor<128x512xf32>
  tile.assign %9, %acc[] offset #z sizes [128, 512] strides [1, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<sbuf>>
  return
}
