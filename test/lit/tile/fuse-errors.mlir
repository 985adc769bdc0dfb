// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-fuse))'

func.func @second_operand(%x: tensor<128x64xf32>, %y: tensor<128x1xf32>) {
  // expected-error @+1 {{has operand1 but no op1}}
  %0 = tile.chain %x operand1 %y : tensor<128x1xf32> {op0 = #nc.alu_op<add>} : tensor<128x64xf32> -> tensor<128x64xf32>
  return
}
