// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(cse,tile-jam))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Jammed | Category:tile-jam |
// REMARK-DAG: remark: [Missed] NotJammed | Category:tile-jam |

#z = affine_map<() -> (0)>
#row = affine_map<(d0) -> (d0 * 8192)>
#col = affine_map<(d0) -> (d0 * 64)>
#blocks = affine_map<(d0) -> ((d0 * 128 + 1) floordiv 512, 4)>

// Running maxima of rows. Iterations of the outer loop are apart, and the
// inner bound is the same for four of them: they run together, sharing the
// inner loop and the load that does not depend on the row. 9 = 2 * 4 + 1.
// CHECK-LABEL: func.func @groups_of_four
// CHECK: %[[WHOLE:.*]] = arith.constant 8 : index
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: scf.for %[[Q:.*]] = %{{.*}} to %[[WHOLE]] step %[[FOUR]]
// CHECK-COUNT-4: tile.declare
// CHECK-NOT: tile.declare
// CHECK: scf.for
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK-COUNT-4: tile.read
// CHECK-COUNT-4: tile.binary maximum
// CHECK-COUNT-4: tile.assign
// CHECK: }
// CHECK-NOT: scf.for
// CHECK-COUNT-4: tile.store
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to
// CHECK-COUNT-1: tile.store
// CHECK-NOT: tile.store
func.func @groups_of_four(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %q = %c0 to %c9 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32>
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    %end = affine.min #blocks(%q)
    scf.for %j = %c0 to %end step %c1 {
      %1 = tile.load %x[%j] offset #col sizes [64, 64] strides [256, 1] : memref<64x256xf32, #nc.space<hbm>> -> tensor<64x64xf32>
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.binary maximum %1, %2 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    tile.store %4, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<9x128x64xf32, #nc.space<hbm>>
  }
  return
}

// Windows of 64 rows, 63 rows apart: the iterations write common bytes.
// CHECK-LABEL: func.func @stores_meet
// CHECK-COUNT-1: tile.store
// CHECK-NOT: tile.store
func.func @stores_meet(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %q = %c0 to %c4 step %c1 {
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c4 step %c1 {
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.unary exp %2 : tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    tile.store %4, %y[%q] offset affine_map<(d0) -> (d0 * 4032)> sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<9x128x64xf32, #nc.space<hbm>>
  }
  return
}

// A buffer from outside carries a value from one iteration to the next.
// CHECK-LABEL: func.func @outer_carries
// CHECK-COUNT-1: tile.unary
// CHECK-NOT: tile.unary
func.func @outer_carries() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
  scf.for %q = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.unary exp %2 : tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
  }
  return
}

// No two iterations have an equal inner bound.
// CHECK-LABEL: func.func @bounds_differ
// CHECK-COUNT-1: tile.store
// CHECK-NOT: tile.store
func.func @bounds_differ(%y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %q = %c0 to %c4 step %c1 {
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %q step %c1 {
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.unary exp %2 : tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    tile.store %4, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<9x128x64xf32, #nc.space<hbm>>
  }
  return
}

// Both stores have offset 8192 q, but one counts elements of 2 bytes and the
// other elements of 4: q = 2 of the first meets q = 1 of the second.
// CHECK-LABEL: func.func @two_types
// CHECK: scf.for
// CHECK-COUNT-1: tile.declare
// CHECK-NOT: tile.declare
// CHECK: tile.store {{.*}} : tensor<64x64xbf16>, memref<9x128x64xf32, #nc.space<hbm>>
// CHECK: tile.store {{.*}} : tensor<64x64xf32>
// CHECK-NOT: tile.store
func.func @two_types(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %q = %c0 to %c9 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32>
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    %end = affine.min #blocks(%q)
    scf.for %j = %c0 to %end step %c1 {
      %1 = tile.load %x[%j] offset #col sizes [64, 64] strides [256, 1] : memref<64x256xf32, #nc.space<hbm>> -> tensor<64x64xf32>
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.binary maximum %1, %2 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    %5 = tile.fill 1.000000e+00 : tensor<64x64xbf16>
    tile.store %5, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xbf16>, memref<9x128x64xf32, #nc.space<hbm>>
    tile.store %4, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<9x128x64xf32, #nc.space<hbm>>
  }
  return
}
