// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-peel))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-peel))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Peeled | Category:tile-peel
// REMARK-DAG: remark: [Passed] Peeled | Category:tile-peel
// REMARK-DAG: remark: [Passed] Peeled | Category:tile-peel
// REMARK-DAG: remark: [Missed] NotPeeled | Category:tile-peel | {{.*}}take 215040 bytes per partition, but SBUF has 212992
// REMARK-NOT: Peeled

#z = affine_map<() -> (0)>
#a = affine_map<(d0) -> (d0 * 8192)>
#b = affine_map<(d0) -> (d0 * 64)>
#k = affine_map<(d0) -> (d0 * 1024)>
#y = affine_map<(d0) -> (d0 * 4096)>
#c = affine_map<(d0, d1) -> (d0 * 32768 + d1 * 64)>

// The first iteration of both loops stands alone, with the values of their
// counters; the loops go on from the second one.
// CHECK-LABEL: func.func @nest
// CHECK: %[[A:.*]] = tile.load %{{.*}}[%[[M:.*]]] offset
// CHECK: %[[B:.*]] = tile.load %{{.*}}[%[[N:.*]]] offset
// CHECK: tile.matmul %[[A]]
// CHECK: tile.store %{{.*}}[%[[M]], %[[N]]]
// CHECK: %[[SECOND:.*]] = arith.constant 3 : index
// CHECK: scf.for %[[J:.*]] = %[[SECOND]] to
// CHECK: tile.load %{{.*}}[%[[J]]]
// CHECK: %[[NEXT:.*]] = arith.constant 1 : index
// CHECK: scf.for %[[I:.*]] = %[[NEXT]] to
// CHECK: tile.load %{{.*}}[%[[I]]]
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @nest(%x: memref<4x128x64xbf16, #nc.space<hbm>>, %w: memref<128x512xbf16, #nc.space<hbm>>, %y: memref<4x64x512xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  scf.for %m = %c0 to %c4 step %c1 {
    %a = tile.load %x[%m] offset #a sizes [128, 64] strides [64, 1] : memref<4x128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
    scf.for %n = %c1 to %c7 step %c2 {
      %b = tile.load %w[%n] offset #b sizes [128, 64] strides [512, 1] : memref<128x512xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
      %p = tile.matmul %a, %b {transpose_a} : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
      %s = tile.cast %p : tensor<64x64xf32> -> tensor<64x64xbf16>
      tile.store %s, %y[%m, %n] offset #c sizes [64, 64] strides [512, 1] : tensor<64x64xbf16>, memref<4x64x512xbf16, #nc.space<hbm>>
    }
  }
  return
}

// A product in front hides what the loop loads first.
// CHECK-LABEL: func.func @second
// CHECK: tile.matmul
// CHECK-NOT: tile.matmul
// CHECK: scf.for
// CHECK: tile.matmul
// CHECK: return
func.func @second(%x: memref<4x128x64xbf16, #nc.space<hbm>>, %y: memref<4x64x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = tile.load %x[%c0] offset #a sizes [128, 64] strides [64, 1] : memref<4x128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %q = tile.matmul %f, %f {transpose_a} : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
  tile.store %q, %y[%c0] offset #a sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<4x64x64xf32, #nc.space<hbm>>
  scf.for %m = %c1 to %c4 step %c1 {
    %a = tile.load %x[%m] offset #a sizes [128, 64] strides [64, 1] : memref<4x128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
    %p = tile.matmul %a, %a {transpose_a} : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
    tile.store %p, %y[%m] offset #a sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<4x64x64xf32, #nc.space<hbm>>
  }
  return
}

// Iterations that wait for each other are nc-pipeline-loops' business; one
// iteration is no loop; and without products nobody waits for operands.
// CHECK-LABEL: func.func @chain
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @chain(%x: memref<4x128x64xbf16, #nc.space<hbm>>, %y: memref<4x128x64xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = tile.declare : memref<64x64xf32, #nc.space<sbuf>>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = tile.load %x[%i] offset #a sizes [128, 64] strides [64, 1] : memref<4x128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
    %p = tile.matmul %a, %a {transpose_a} : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
    %s = tile.read %m[] offset #z sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> tensor<64x64xf32>
    %t = tile.binary maximum %p, %s : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    tile.assign %t, %m[] offset #z sizes [64, 64] strides [1, 1] : tensor<64x64xf32>, memref<64x64xf32, #nc.space<sbuf>>
  }
  scf.for %i = %c0 to %c1 step %c1 {
    %a = tile.load %x[%i] offset #a sizes [128, 64] strides [64, 1] : memref<4x128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
    tile.store %a, %y[%i] offset #a sizes [128, 64] strides [64, 1] : tensor<128x64xbf16>, memref<4x128x64xbf16, #nc.space<hbm>>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %a = tile.load %x[%i] offset #a sizes [128, 64] strides [64, 1] : memref<4x128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
    tile.store %a, %y[%i] offset #a sizes [128, 64] strides [64, 1] : tensor<128x64xbf16>, memref<4x128x64xbf16, #nc.space<hbm>>
  }
  return
}

// Of 68 KiB, the loop has room for two beside those of the first iteration; of
// 70 KiB, it would have to wait for them.
// CHECK-LABEL: func.func @fits
// CHECK: tile.matmul
// CHECK: scf.for
// CHECK: return
func.func @fits(%x: memref<4352x4096xbf16, #nc.space<hbm>>, %y: memref<4x64x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %m = %c0 to %c4 step %c1 {
    %a = tile.load %x[%m] offset #k sizes [4352, 1024] strides [4096, 1] : memref<4352x4096xbf16, #nc.space<hbm>> -> tensor<4352x1024xbf16>
    %s = tile.slice %a[] row 0 offset #z sizes [4352, 64] strides [1, 1] : tensor<4352x1024xbf16> -> tensor<4352x64xbf16>
    %p = tile.matmul %s, %s {transpose_a} : tensor<4352x64xbf16>, tensor<4352x64xbf16> -> tensor<64x64xf32>
    tile.store %p, %y[%m] offset #y sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<4x64x64xf32, #nc.space<hbm>>
  }
  return
}

// CHECK-LABEL: func.func @waits
// CHECK-NOT: tile.matmul
// CHECK: scf.for
// CHECK: return
func.func @waits(%x: memref<4480x4096xbf16, #nc.space<hbm>>, %y: memref<4x64x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %m = %c0 to %c4 step %c1 {
    %a = tile.load %x[%m] offset #k sizes [4480, 1024] strides [4096, 1] : memref<4480x4096xbf16, #nc.space<hbm>> -> tensor<4480x1024xbf16>
    %s = tile.slice %a[] row 0 offset #z sizes [4480, 64] strides [1, 1] : tensor<4480x1024xbf16> -> tensor<4480x64xbf16>
    %p = tile.matmul %s, %s {transpose_a} : tensor<4480x64xbf16>, tensor<4480x64xbf16> -> tensor<64x64xf32>
    tile.store %p, %y[%m] offset #y sizes [64, 64] strides [64, 1] : tensor<64x64xf32>, memref<4x64x64xf32, #nc.space<hbm>>
  }
  return
}
