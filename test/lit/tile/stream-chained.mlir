// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Streamed | Category:tile-stream | {{.*}}step=512
// REMARK: remark: [Passed] Streamed | Category:tile-stream | {{.*}}; products are summed over parts{{.*}}step=256

#z = affine_map<() -> (0)>

// The operand of the last product is made of two others. Each turn makes its
// columns and adds their products; the rows of x stay.
// CHECK-LABEL: func.func @gated
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load %arg1[{{.*}} sizes [512, 2048]
// CHECK: %[[SUMS:.*]] = tile.declare : memref<512x2048xf32, #nc.space<sbuf>>
// CHECK: scf.for %[[TURN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[G:.*]] = tile.load %arg2[%[[TURN]]] {{.*}} sizes [2048, 512]
// CHECK: tile.matmul %[[X]], %[[G]]
// CHECK: %[[U:.*]] = tile.load %arg3[%[[TURN]]] {{.*}} sizes [2048, 512]
// CHECK: tile.matmul %[[X]], %[[U]]
// CHECK: tile.load %arg4[%[[TURN]]] {{.*}} sizes [512, 2048]
// CHECK: tile.assign {{.*}} %[[SUMS]]
// CHECK: }
// CHECK: tile.read %[[SUMS]]
// CHECK: tile.store
// CHECK: return
func.func @gated(%o: memref<2048x2048xf32, #nc.space<hbm>>, %x: memref<2048x2048xbf16, #nc.space<hbm>>, %g: memref<2048x5632xbf16, #nc.space<hbm>>, %u: memref<2048x5632xbf16, #nc.space<hbm>>, %d: memref<5632x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #z sizes [2048, 2048] strides [2048, 1] : memref<2048x2048xbf16, #nc.space<hbm>> -> tensor<2048x2048xbf16>
  %1 = tile.load %g[] offset #z sizes [2048, 5632] strides [5632, 1] : memref<2048x5632xbf16, #nc.space<hbm>> -> tensor<2048x5632xbf16>
  %2 = tile.matmul %0, %1 : tensor<2048x2048xbf16>, tensor<2048x5632xbf16> -> tensor<2048x5632xf32>
  %3 = tile.unary silu %2 : tensor<2048x5632xf32> -> tensor<2048x5632xf32>
  %4 = tile.load %u[] offset #z sizes [2048, 5632] strides [5632, 1] : memref<2048x5632xbf16, #nc.space<hbm>> -> tensor<2048x5632xbf16>
  %5 = tile.matmul %0, %4 : tensor<2048x2048xbf16>, tensor<2048x5632xbf16> -> tensor<2048x5632xf32>
  %6 = tile.binary multiply %3, %5 : tensor<2048x5632xf32>, tensor<2048x5632xf32> -> tensor<2048x5632xf32>
  %7 = tile.cast %6 : tensor<2048x5632xf32> -> tensor<2048x5632xbf16>
  %8 = tile.load %d[] offset #z sizes [5632, 2048] strides [2048, 1] : memref<5632x2048xbf16, #nc.space<hbm>> -> tensor<5632x2048xbf16>
  %9 = tile.matmul %7, %8 : tensor<2048x5632xbf16>, tensor<5632x2048xbf16> -> tensor<2048x2048xf32>
  tile.store %9, %o[] offset #z sizes [2048, 2048] strides [2048, 1] : tensor<2048x2048xf32>, memref<2048x2048xf32, #nc.space<hbm>>
  return
}

// The weights of a turn take too much at once: its products are summed over
// parts, and both read the same parts of x, which stay.
// CHECK-LABEL: func.func @wide
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load %arg1[
// CHECK: tile.declare : memref<[[ROWS:[0-9]+]]x4096xf32, #nc.space<sbuf>>
// CHECK: scf.for
// CHECK: %[[G:.*]] = tile.load %arg2[{{.*}} sizes [{{[0-9]+}}, 256]
// CHECK: tile.matmul %[[X]], %[[G]] : {{.*}} -> tensor<[[ROWS]]x256xf32>
// CHECK: tile.binary add
// CHECK: %[[U:.*]] = tile.load %arg3[{{.*}} sizes [{{[0-9]+}}, 256]
// CHECK: tile.matmul %[[X]], %[[U]] : {{.*}} -> tensor<[[ROWS]]x256xf32>
// CHECK: tile.load %arg4[{{.*}} sizes [256, 4096]
// CHECK: tile.store
// CHECK: return
func.func @wide(%o: memref<2048x4096xf32, #nc.space<hbm>>, %x: memref<2048x4096xbf16, #nc.space<hbm>>, %g: memref<4096x14336xbf16, #nc.space<hbm>>, %u: memref<4096x14336xbf16, #nc.space<hbm>>, %d: memref<14336x4096xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #z sizes [2048, 4096] strides [4096, 1] : memref<2048x4096xbf16, #nc.space<hbm>> -> tensor<2048x4096xbf16>
  %1 = tile.load %g[] offset #z sizes [4096, 14336] strides [14336, 1] : memref<4096x14336xbf16, #nc.space<hbm>> -> tensor<4096x14336xbf16>
  %2 = tile.matmul %0, %1 : tensor<2048x4096xbf16>, tensor<4096x14336xbf16> -> tensor<2048x14336xf32>
  %3 = tile.unary silu %2 : tensor<2048x14336xf32> -> tensor<2048x14336xf32>
  %4 = tile.load %u[] offset #z sizes [4096, 14336] strides [14336, 1] : memref<4096x14336xbf16, #nc.space<hbm>> -> tensor<4096x14336xbf16>
  %5 = tile.matmul %0, %4 : tensor<2048x4096xbf16>, tensor<4096x14336xbf16> -> tensor<2048x14336xf32>
  %6 = tile.binary multiply %3, %5 : tensor<2048x14336xf32>, tensor<2048x14336xf32> -> tensor<2048x14336xf32>
  %7 = tile.cast %6 : tensor<2048x14336xf32> -> tensor<2048x14336xbf16>
  %8 = tile.load %d[] offset #z sizes [14336, 4096] strides [4096, 1] : memref<14336x4096xbf16, #nc.space<hbm>> -> tensor<14336x4096xbf16>
  %9 = tile.matmul %7, %8 : tensor<2048x14336xbf16>, tensor<14336x4096xbf16> -> tensor<2048x4096xf32>
  tile.store %9, %o[] offset #z sizes [2048, 4096] strides [4096, 1] : tensor<2048x4096xf32>, memref<2048x4096xf32, #nc.space<hbm>>
  return
}
