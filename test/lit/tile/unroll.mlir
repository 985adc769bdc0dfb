// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-unroll))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam,tile-unroll))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-unroll))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Unrolled | Category:tile-unroll | {{.*}}trips=2
// REMARK-DAG: remark: [Passed] Unrolled | Category:tile-unroll | {{.*}}trips=2
// REMARK-DAG: remark: [Missed] NotUnrolled | Category:tile-unroll | {{.*}}has 7 iterations, and 8 are needed{{.*}}trips=2
// REMARK-DAG: remark: [Missed] NotUnrolled | Category:tile-unroll | {{.*}}the loop around it contains another loop{{.*}}trips=2
// REMARK-DAG: remark: [Missed] NotUnrolled | Category:tile-unroll | {{.*}}takes 9 of 8 banks of PSUM

#z = affine_map<() -> (0)>
#row = affine_map<(d0) -> (d0 * 8192)>
#col = affine_map<(d0) -> (d0 * 64)>

// A chain of two iterations, around which eight overlap: one body.
// CHECK-LABEL: func.func @two
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: %[[FIRST:.*]] = arith.constant 1 : index
// CHECK: tile.load %{{.*}}[%[[FIRST]]]
// CHECK: tile.binary maximum
// CHECK: %[[SECOND:.*]] = arith.constant 2 : index
// CHECK: tile.load %{{.*}}[%[[SECOND]]]
// CHECK: tile.binary maximum
// CHECK-NOT: tile.binary
// CHECK: tile.store
func.func @two(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %q = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<64x64xf32>
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    scf.for %j = %c1 to %c3 step %c1 {
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

// Three iterations, or only seven around them: several of the outer ones run
// together, or one after the other.
// CHECK-LABEL: func.func @many
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: return
func.func @many(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  scf.for %q = %c0 to %c8 step %c1 {
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c3 step %c1 {
      %1 = tile.load %x[%j] offset #col sizes [64, 64] strides [256, 1] : memref<64x256xf32, #nc.space<hbm>> -> tensor<64x64xf32>
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      %3 = tile.binary maximum %1, %2 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      tile.assign %3, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    tile.store %4, %y[%q] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<9x128x64xf32, #nc.space<hbm>>
  }
  scf.for %q = %c0 to %c7 step %c1 {
    %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c2 step %c1 {
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

// Seven iterations around the chain are too few, and so are eight with another
// loop beside it.
// CHECK-LABEL: func.func @declined
// CHECK-COUNT-5: scf.for
// CHECK: return
func.func @declined(%x: memref<64x256xf32, #nc.space<hbm>>, %y: memref<9x128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
  scf.for %q = %c0 to %c7 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      tile.assign %2, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
  }
  scf.for %q = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %2 = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
      tile.assign %2, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
    }
    scf.for %j = %c0 to %c8 step %c1 {
      %1 = tile.load %x[%j] offset #col sizes [64, 64] strides [256, 1] : memref<64x256xf32, #nc.space<hbm>> -> tensor<64x64xf32>
      tile.store %1, %y[%j] offset #row sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<9x128x64xf32, #nc.space<hbm>>
    }
  }
  return
}

// Two iterations with two products of 2 banks take all of PSUM; with one more
// product beside the chain, one body would take 9 banks.
// CHECK-LABEL: func.func @banks
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
// CHECK-LABEL: func.func @too_many_banks
// CHECK-COUNT-2: scf.for
// CHECK: return
func.func @banks(%a: tensor<64x128xbf16>, %b: tensor<64x1024xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %q = %c0 to %c8 step %c1 {
    %m = tile.declare : memref<128x1024xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c2 step %c1 {
      %0 = tile.matmul %a, %b {transpose_a} : tensor<64x128xbf16>, tensor<64x1024xbf16> -> tensor<128x1024xf32>
      %1 = tile.read %m[] offset #z sizes [128, 1024] strides [1, 1] : memref<128x1024xf32, #nc.space<sbuf>> -> tensor<128x1024xf32>
      %2 = tile.binary maximum %0, %1 : tensor<128x1024xf32>, tensor<128x1024xf32> -> tensor<128x1024xf32>
      %3 = tile.matmul %a, %b {transpose_a} : tensor<64x128xbf16>, tensor<64x1024xbf16> -> tensor<128x1024xf32>
      %4 = tile.binary maximum %2, %3 : tensor<128x1024xf32>, tensor<128x1024xf32> -> tensor<128x1024xf32>
      tile.assign %4, %m[] offset #z sizes [128, 1024] strides [1, 1] : tensor<128x1024xf32>, memref<128x1024xf32, #nc.space<sbuf>>
    }
  }
  return
}
func.func @too_many_banks(%a: tensor<64x128xbf16>, %b: tensor<64x1024xbf16>, %c: tensor<64x512xbf16>, %y: memref<128x512xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %q = %c0 to %c8 step %c1 {
    %m = tile.declare : memref<128x1024xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c2 step %c1 {
      %0 = tile.matmul %a, %b {transpose_a} : tensor<64x128xbf16>, tensor<64x1024xbf16> -> tensor<128x1024xf32>
      %1 = tile.read %m[] offset #z sizes [128, 1024] strides [1, 1] : memref<128x1024xf32, #nc.space<sbuf>> -> tensor<128x1024xf32>
      %2 = tile.binary maximum %0, %1 : tensor<128x1024xf32>, tensor<128x1024xf32> -> tensor<128x1024xf32>
      %3 = tile.matmul %a, %b {transpose_a} : tensor<64x128xbf16>, tensor<64x1024xbf16> -> tensor<128x1024xf32>
      %4 = tile.binary maximum %2, %3 : tensor<128x1024xf32>, tensor<128x1024xf32> -> tensor<128x1024xf32>
      tile.assign %4, %m[] offset #z sizes [128, 1024] strides [1, 1] : tensor<128x1024xf32>, memref<128x1024xf32, #nc.space<sbuf>>
    }
    %5 = tile.matmul %a, %c {transpose_a} : tensor<64x128xbf16>, tensor<64x512xbf16> -> tensor<128x512xf32>
    tile.store %5, %y[] offset #z sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
  }
  return
}
