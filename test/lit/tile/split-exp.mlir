// RUN: kiln-opt %s --tile-split-exp | FileCheck %s
// RUN: kiln-opt %s --tile-split-exp --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Split | Category:tile-split-exp |

#z = affine_map<() -> (0)>

// The Scalar engine scales and finds the maximum, the Vector engine has a fast
// exp, which rounds as well; the factor of the sums goes there, too.
module attributes {nc.target = #nc.target<"trn3">} {
// CHECK-LABEL: func.func @attention
// CHECK: %[[T:.*]], %[[M:.*]] = tile.activate copy %arg0 {row_op = #nc.alu_op<maximum>, scale_value = 1.250000e-01 : f32}
// CHECK: %[[NEW:.*]] = tile.binary maximum %arg1, %[[M]]
// CHECK: tile.apply exponential(%[[T]], %[[NEW]]) ["src", "max_value"] {} : {{.*}} -> tensor<128x128xbf16>
// CHECK: tile.apply exponential(%arg1, %[[NEW]]) ["src", "max_value"] {} : {{.*}} -> tensor<128x1xf32>
// CHECK-NOT: tile.unary
// CHECK: return
func.func @attention(%s: tensor<128x128xf32>, %old: tensor<128x1xf32>, %p: memref<128x128xbf16, #nc.space<hbm>>, %f: memref<128x1xf32, #nc.space<hbm>>) {
  %0 = tile.reduce maximum %s : tensor<128x128xf32> -> tensor<128x1xf32>
  %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %new = tile.binary maximum %old, %1 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x128xf32> -> tensor<128x128xf32>
  %3 = tile.binary subtract %2, %new : tensor<128x128xf32>, tensor<128x1xf32> -> tensor<128x128xf32>
  %4 = tile.unary exp %3 : tensor<128x128xf32> -> tensor<128x128xf32>
  %5 = tile.cast %4 : tensor<128x128xf32> -> tensor<128x128xbf16>
  %6 = tile.binary subtract %old, %new : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  %7 = tile.unary exp %6 : tensor<128x1xf32> -> tensor<128x1xf32>
  tile.store %5, %p[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xbf16>, memref<128x128xbf16, #nc.space<hbm>>
  tile.store %7, %f[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// The exponential adds up rows, before it rounds.
// CHECK-LABEL: func.func @sums
// CHECK: %[[P:.*]], %[[L:.*]] = tile.apply exponential({{.*}}) ["src", "max_value"] {reduce_cmd = #nc.reduce_command<reset_reduce>} : (tensor<128x128xf32>, tensor<128x1xf32>) -> (tensor<128x128xbf16>, tensor<128x1xf32>)
// CHECK: tile.store %[[P]]
// CHECK: tile.store %[[L]]
func.func @sums(%s: tensor<128x128xf32>, %p: memref<128x128xbf16, #nc.space<hbm>>, %l: memref<128x1xf32, #nc.space<hbm>>) {
  %0 = tile.reduce maximum %s : tensor<128x128xf32> -> tensor<128x1xf32>
  %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x128xf32> -> tensor<128x128xf32>
  %3 = tile.binary subtract %2, %1 : tensor<128x128xf32>, tensor<128x1xf32> -> tensor<128x128xf32>
  %4 = tile.unary exp %3 : tensor<128x128xf32> -> tensor<128x128xf32>
  %5 = tile.reduce add %4 : tensor<128x128xf32> -> tensor<128x1xf32>
  %6 = tile.cast %4 : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %6, %p[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xbf16>, memref<128x128xbf16, #nc.space<hbm>>
  tile.store %5, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// Others read the values as they are: they are rounded behind it.
// CHECK-LABEL: func.func @shared
// CHECK: tile.apply exponential({{.*}}) -> tensor<128x128xf32>
// CHECK: tile.cast
func.func @shared(%s: tensor<128x128xf32>, %p: memref<128x128xbf16, #nc.space<hbm>>, %f: memref<128x128xf32, #nc.space<hbm>>) {
  %0 = tile.reduce maximum %s : tensor<128x128xf32> -> tensor<128x1xf32>
  %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x128xf32> -> tensor<128x128xf32>
  %3 = tile.binary subtract %2, %1 : tensor<128x128xf32>, tensor<128x1xf32> -> tensor<128x128xf32>
  %4 = tile.unary exp %3 : tensor<128x128xf32> -> tensor<128x128xf32>
  %5 = tile.cast %4 : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %5, %p[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xbf16>, memref<128x128xbf16, #nc.space<hbm>>
  tile.store %4, %f[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<hbm>>
  return
}

// An activation rounds to integers, the exponential would take another pass.
// CHECK-LABEL: func.func @integers
// CHECK: tile.unary exp
// REMARK: remark: [Missed] NotSplit | Category:tile-split-exp
func.func @integers(%s: tensor<128x128xf32>, %p: memref<128x128xi8, #nc.space<hbm>>) {
  %0 = tile.reduce maximum %s : tensor<128x128xf32> -> tensor<128x1xf32>
  %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x128xf32> -> tensor<128x128xf32>
  %3 = tile.binary subtract %2, %1 : tensor<128x128xf32>, tensor<128x1xf32> -> tensor<128x128xf32>
  %4 = tile.unary exp %3 : tensor<128x128xf32> -> tensor<128x128xf32>
  %5 = tile.cast %4 : tensor<128x128xf32> -> tensor<128x128xi8>
  tile.store %5, %p[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xi8>, memref<128x128xi8, #nc.space<hbm>>
  return
}

// 127 columns are too few.
// CHECK-LABEL: func.func @few
// CHECK: tile.unary exp
func.func @few(%s: tensor<128x127xf32>, %p: memref<128x127xf32, #nc.space<hbm>>) {
  %0 = tile.reduce maximum %s : tensor<128x127xf32> -> tensor<128x1xf32>
  %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x127xf32> -> tensor<128x127xf32>
  %3 = tile.binary subtract %2, %1 : tensor<128x127xf32>, tensor<128x1xf32> -> tensor<128x127xf32>
  %4 = tile.unary exp %3 : tensor<128x127xf32> -> tensor<128x127xf32>
  tile.store %4, %p[] offset #z sizes [128, 127] strides [127, 1] : tensor<128x127xf32>, memref<128x127xf32, #nc.space<hbm>>
  return
}

// A negative number turns the maximum into a minimum; another one scales
// something else.
// CHECK-LABEL: func.func @negative
// CHECK: tile.unary exp
func.func @negative(%s: tensor<128x128xf32>, %p: memref<128x128xf32, #nc.space<hbm>>) {
  %0 = tile.reduce maximum %s : tensor<128x128xf32> -> tensor<128x1xf32>
  %1 = tile.scalar multiply %0, -1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.scalar multiply %s, -1.250000e-01 : tensor<128x128xf32> -> tensor<128x128xf32>
  %3 = tile.binary subtract %2, %1 : tensor<128x128xf32>, tensor<128x1xf32> -> tensor<128x128xf32>
  %4 = tile.unary exp %3 : tensor<128x128xf32> -> tensor<128x128xf32>
  tile.store %4, %p[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @other_scale
// CHECK: tile.unary exp
func.func @other_scale(%s: tensor<128x128xf32>, %p: memref<128x128xf32, #nc.space<hbm>>) {
  %0 = tile.reduce maximum %s : tensor<128x128xf32> -> tensor<128x1xf32>
  %1 = tile.scalar multiply %0, 1.250000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %2 = tile.scalar multiply %s, 2.500000e-01 : tensor<128x128xf32> -> tensor<128x128xf32>
  %3 = tile.binary subtract %2, %1 : tensor<128x128xf32>, tensor<128x1xf32> -> tensor<128x128xf32>
  %4 = tile.unary exp %3 : tensor<128x128xf32> -> tensor<128x128xf32>
  tile.store %4, %p[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<hbm>>
  return
}
}
