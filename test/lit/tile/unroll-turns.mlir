// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-unroll))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// What an iteration of an unrolled loop becomes says of which one it is.

#z = affine_map<() -> (0)>
#row = affine_map<(d0) -> (d0 * 8192)>
#col = affine_map<(d0) -> (d0 * 64)>

// CHECK-LABEL: func.func @turns
// CHECK: tile.fill {{.*}} loc("q##fill#0=8"
// CHECK: tile.load {{.*}} loc("q/j##load#0=8,1=2@0"
// CHECK: tile.binary {{.*}} loc("q/j#name#max#0=8,1=2@0"
// CHECK: tile.load {{.*}} loc("q/j##load#0=8,1=2@1"
// CHECK: tile.binary {{.*}} loc("q/j#name#max#0=8,1=2@1"
// CHECK: tile.store {{.*}} loc("q##store#0=8"
func.func @turns(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %q = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32> loc("q##fill#0=8"("k.h":2:0))
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    scf.for %j = %c1 to %c3 step %c1 {
      %1 = tile.load %x[%j] offset #col sizes [64, 64] strides [256, 1] : memref<64x256xf32, #nc.space<hbm>> -> tensor<64x64xf32> loc("q/j##load#0=8,1=2"("k.h":3:0))
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.binary maximum %1, %2 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32> loc("q/j#name#max#0=8,1=2"("k.h":4:0))
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    } loc("q###0=8"("k.h":5:0))
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    tile.store %4, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<9x128x64xf32, #nc.space<hbm>> loc("q##store#0=8"("k.h":6:0))
  } loc("k.h":7:0)
  return
}
