// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam{budget=5120}))' | FileCheck %s --check-prefix=FOUR
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam{budget=5119}))' | FileCheck %s --check-prefix=TWO
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam{budget=2560}))' | FileCheck %s --check-prefix=TWO
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam{budget=2559}))' | FileCheck %s --check-prefix=ONE

#z = affine_map<() -> (0)>
#row = affine_map<(d0) -> (d0 * 8192)>
#col = affine_map<(d0) -> (d0 * 64)>
#at_limit = affine_map<(d0) -> ((d0 floordiv 4) mod 1024 + 1, 4)>
#past_limit = affine_map<(d0) -> ((d0 floordiv 4) mod 1025 + 1, 4)>

// The bound repeats after 4 * 1024 = 4096 iterations: all of them are looked
// at. One iteration holds 5 tiles of 256 bytes a partition: four take 5120
// bytes of the budget, two take 2560.
// CHECK-LABEL: func.func @at_limit
// CHECK-COUNT-4: tile.declare
// CHECK-NOT: tile.declare
// CHECK: scf.for
// FOUR-LABEL: func.func @at_limit
// FOUR-COUNT-4: tile.declare
// FOUR-NOT: tile.declare
// FOUR: scf.for
// TWO-LABEL: func.func @at_limit
// TWO-COUNT-2: tile.declare
// TWO-NOT: tile.declare
// TWO: scf.for
// ONE-LABEL: func.func @at_limit
// ONE-COUNT-1: tile.declare
// ONE-NOT: tile.declare
// ONE: return
func.func @at_limit(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<8x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %q = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32>
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    %end = affine.min #at_limit(%q)
    scf.for %j = %c0 to %end step %c1 {
      %1 = tile.load %x[%j] offset #col sizes [64, 64] strides [256, 1] : memref<64x256xf32, #nc.space<hbm>> -> tensor<64x64xf32>
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.binary maximum %1, %2 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    tile.store %4, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<8x128x64xf32, #nc.space<hbm>>
  }
  return
}

// 4 * 1025 = 4100 iterations are not looked at: the loop stays as it is.
// CHECK-LABEL: func.func @past_limit
// CHECK-COUNT-1: tile.declare
// CHECK-NOT: tile.declare
// CHECK: return
func.func @past_limit(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<8x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %q = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32>
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    %end = affine.min #past_limit(%q)
    scf.for %j = %c0 to %end step %c1 {
      %1 = tile.load %x[%j] offset #col sizes [64, 64] strides [256, 1] : memref<64x256xf32, #nc.space<hbm>> -> tensor<64x64xf32>
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.binary maximum %1, %2 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    tile.store %4, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<8x128x64xf32, #nc.space<hbm>>
  }
  return
}
