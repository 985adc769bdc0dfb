// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-legalize,tile-fuse))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(cse,tile-legalize,tile-fuse))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-legalize,tile-fuse))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Fused | Category:tile-fuse |
// REMARK-DAG: remark: [Missed] NotFused | Category:tile-fuse |

#z = affine_map<() -> (0)>

// exp(scale * s - m), its row sum and its rounding are one pass.
// CHECK-LABEL: func.func @softmax_step
// CHECK: %[[NEG:.*]] = tile.chain %{{.*}} {op0 = #nc.alu_op<multiply>, value0 = -1.000000e+00 : f32}
// CHECK: tile.activate exp %{{.*}} bias %[[NEG]] : tensor<128x1xf32> {scale_value = 1.250000e-01 : f32} : tensor<128x512xf32> -> tensor<128x512xbf16>, tensor<128x1xf32>
// CHECK-NOT: tile.reduce
// CHECK-NOT: tile.cast
func.func @softmax_step(%s: tensor<128x512xf32>, %m: tensor<128x1xf32>, %o: memref<128x512xbf16, #nc.space<hbm>>, %l: memref<128x1xf32, #nc.space<hbm>>) {
  %0 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x512xf32> -> tensor<128x512xf32>
  %1 = tile.binary subtract %0, %m : tensor<128x512xf32>, tensor<128x1xf32> -> tensor<128x512xf32>
  %2 = tile.unary exp %1 : tensor<128x512xf32> -> tensor<128x512xf32>
  %3 = tile.reduce add %2 : tensor<128x512xf32> -> tensor<128x1xf32>
  %4 = tile.cast %2 : tensor<128x512xf32> -> tensor<128x512xbf16>
  tile.store %4, %o[] offset #z sizes [128, 512] strides [512, 1] : tensor<128x512xbf16>, memref<128x512xbf16, #nc.space<hbm>>
  tile.store %3, %l[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// alpha * acc + y is one pass; scale * r max m is one pass.
// CHECK-LABEL: func.func @updates
// CHECK: tile.scalar_tensor %{{.*}}, %{{.*}} operand0 %{{.*}} : tensor<128x1xf32> {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>}
// CHECK: tile.chain %{{.*}} operand1 %{{.*}} : tensor<128x1xf32> {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<maximum>, value0 = 5.000000e-01 : f32}
func.func @updates(%acc: tensor<128x64xf32>, %y: tensor<128x64xf32>, %alpha: tensor<128x1xf32>, %m: tensor<128x1xf32>, %r: tensor<128x1xf32>,
                   %o: memref<128x64xf32, #nc.space<hbm>>, %p: memref<128x1xf32, #nc.space<hbm>>) {
  %0 = tile.binary multiply %alpha, %acc : tensor<128x1xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %1 = tile.binary add %0, %y : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %2 = tile.scalar multiply %r, 5.000000e-01 : tensor<128x1xf32> -> tensor<128x1xf32>
  %3 = tile.binary maximum %m, %2 : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  tile.store %1, %o[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  tile.store %3, %p[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// exp(a - b) of two columns: b * -1 + a, without a negated copy of b.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[A:.*]]: tensor<128x1xf32>, %[[B:.*]]: tensor<128x1xf32>
// CHECK-NOT: tile.chain
// CHECK: tile.activate exp %[[B]] bias %[[A]] : tensor<128x1xf32> {scale_value = -1.000000e+00 : f32}
func.func @columns(%a: tensor<128x1xf32>, %b: tensor<128x1xf32>, %o: memref<128x1xf32, #nc.space<hbm>>) {
  %0 = tile.binary subtract %a, %b : tensor<128x1xf32>, tensor<128x1xf32> -> tensor<128x1xf32>
  %1 = tile.unary exp %0 : tensor<128x1xf32> -> tensor<128x1xf32>
  tile.store %1, %o[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// A value that was rounded to bf16, or that has another user, is kept.
// CHECK-LABEL: func.func @kept
// CHECK: tile.chain %{{.*}} {op0 = #nc.alu_op<multiply>, value0 = 2.000000e+00 : f32} : tensor<128x64xf32> -> tensor<128x64xbf16>
// CHECK: tile.activate exp %{{.*}} : tensor<128x64xbf16> -> tensor<128x64xf32>
func.func @kept(%x: tensor<128x64xf32>, %o: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.scalar multiply %x, 2.000000e+00 : tensor<128x64xf32> -> tensor<128x64xbf16>
  %1 = tile.unary exp %0 : tensor<128x64xbf16> -> tensor<128x64xf32>
  tile.store %1, %o[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}
