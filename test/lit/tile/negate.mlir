// RUN: kiln-opt %s --tile-negate | FileCheck %s
// RUN: kiln-opt %s --tile-negate --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Negated | Category:tile-negate |
// REMARK-DAG: remark: [Missed] NotNegated | Category:tile-negate |

#z = affine_map<() -> (0)>

// m = max(m, s0 * row_max(s)) is kept as -m, and exp(s0 * s - m) adds it.
// CHECK-LABEL: func.func @online_softmax
// CHECK: %[[FIRST:.*]] = tile.fill 1.000000e+30
// CHECK: tile.assign %[[FIRST]], %[[M:.*]][]
// CHECK: %[[R:.*]] = tile.scalar multiply %{{.*}}, -1.250000e-01
// CHECK: %[[OLD:.*]] = tile.read %[[M]][]
// CHECK: %[[NEW:.*]] = tile.binary minimum %[[OLD]], %[[R]]
// CHECK: tile.binary add %{{.*}}, %[[NEW]]
// CHECK: tile.binary subtract %[[NEW]], %[[OLD]]
// CHECK: tile.assign %[[NEW]], %[[M]][]
func.func @online_softmax(%s: tensor<128x512xf32>, %p: memref<128x512xf32, #nc.space<hbm>>, %a: memref<128x1xf32, #nc.space<hbm>>) {
  %first = tile.fill -1.000000e+30 : tensor<128x1xf32>
  %m = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  tile.assign %first, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = tile.reduce maximum %s : tensor<128x512xf32> -> tensor<128x1xf32>
    %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
    %old = tile.read %m[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
    %new = tile.binary maximum %old, %1 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
    %2 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x512xf32> -> tensor<128x512xf32>
    %3 = tile.binary subtract %2, %new : tensor<128x512xf32>, tensor<128x1xf32> -> tensor<128x512xf32>
    %4 = tile.unary exp %3 : tensor<128x512xf32> -> tensor<128x512xf32>
    %5 = tile.binary subtract %old, %new : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
    %6 = tile.unary exp %5 : tensor<128x1xf32> -> tensor<128x1xf32>
    tile.store %4, %p[] offset #z sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
    tile.store %6, %a[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
    tile.assign %new, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  }
  return
}

// The maximum itself is stored: it keeps its sign.
// CHECK-LABEL: func.func @stored
// CHECK: tile.fill -1.000000e+30
// CHECK: tile.binary maximum
// CHECK: tile.binary subtract
func.func @stored(%s: tensor<128x512xf32>, %p: memref<128x512xf32, #nc.space<hbm>>, %a: memref<128x1xf32, #nc.space<hbm>>) {
  %first = tile.fill -1.000000e+30 : tensor<128x1xf32>
  %m = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  tile.assign %first, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %0 = tile.fill 2.000000e+00 : tensor<128x1xf32>
  %old = tile.read %m[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %new = tile.binary maximum %old, %0 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  %3 = tile.binary subtract %s, %new : tensor<128x512xf32>, tensor<128x1xf32> -> tensor<128x512xf32>
  %4 = tile.unary exp %3 : tensor<128x512xf32> -> tensor<128x512xf32>
  tile.store %4, %p[] offset #z sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
  tile.store %new, %a[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  tile.assign %new, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  return
}

// The difference is used as it is: the sign of a zero would be seen.
// CHECK-LABEL: func.func @difference
// CHECK: tile.binary maximum
// CHECK: tile.binary subtract
func.func @difference(%s: tensor<128x512xf32>, %p: memref<128x512xf32, #nc.space<hbm>>) {
  %m = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %0 = tile.fill 2.000000e+00 : tensor<128x1xf32>
  %old = tile.read %m[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  %new = tile.binary maximum %old, %0 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.assign %new, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %3 = tile.binary subtract %s, %new : tensor<128x512xf32>, tensor<128x1xf32> -> tensor<128x512xf32>
  tile.store %3, %p[] offset #z sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
  return
}

// The bits of m are looked at: it stays what it is.
// CHECK-LABEL: func.func @seen_as_bits
// CHECK: tile.fill -1.000000e+30
// CHECK: tile.binary maximum
// CHECK: tile.read {{.*}} -> tensor<128x1xi32>
func.func @seen_as_bits(%s: tensor<128x512xf32>, %p: memref<128x512xf32, #nc.space<hbm>>, %a: memref<128x1xf32, #nc.space<hbm>>, %b: memref<128x1xi32, #nc.space<hbm>>) {
  %first = tile.fill -1.000000e+30 : tensor<128x1xf32>
  %m = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  tile.assign %first, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = tile.reduce maximum %s : tensor<128x512xf32> -> tensor<128x1xf32>
    %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
    %old = tile.read %m[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
    %new = tile.binary maximum %old, %1 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
    %2 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x512xf32> -> tensor<128x512xf32>
    %3 = tile.binary subtract %2, %new : tensor<128x512xf32>, tensor<128x1xf32> -> tensor<128x512xf32>
    %4 = tile.unary exp %3 : tensor<128x512xf32> -> tensor<128x512xf32>
    %5 = tile.binary subtract %old, %new : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
    %6 = tile.unary exp %5 : tensor<128x1xf32> -> tensor<128x1xf32>
    tile.store %4, %p[] offset #z sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
    tile.store %6, %a[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
    tile.assign %new, %m[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  }
  %bits = tile.read %m[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xi32>
  tile.store %bits, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xi32>, memref<128x1xi32, #nc.space<hbm>>
  return
}
