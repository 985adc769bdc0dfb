// RUN: kiln-opt %s --tile-split-exp --verify-diagnostics

// This pass refuses nothing.
// On trn2, whose Vector engine has no exp, all stays.
module attributes {nc.target = #nc.target<"trn2">} {
func.func @earlier(%s: tensor<128x128xf32>, %m: tensor<128x1xf32>) -> tensor<128x128xf32> {
  %0 = tile.scalar multiply %s, 1.250000e-01 : tensor<128x128xf32> -> tensor<128x128xf32>
  %1 = tile.binary subtract %0, %m : tensor<128x128xf32>, tensor<128x1xf32> -> tensor<128x128xf32>
  %2 = tile.unary exp %1 : tensor<128x128xf32> -> tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}
}
