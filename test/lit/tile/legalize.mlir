// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-legalize))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(cse,tile-legalize))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-legalize))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] BroadcastLoad | Category:tile-legalize |
// REMARK-DAG: remark: [Passed] BroadcastProduct | Category:tile-legalize |
// REMARK-DAG: remark: [Passed] BroadcastOnce | Category:tile-legalize |
// REMARK-DAG: remark: [Passed] Division | Category:tile-legalize |

// Division is a reciprocal and a product; one value a row needs no full tile.
// CHECK-LABEL: func.func @divide
// CHECK: %[[R:.*]] = tile.activate reciprocal %{{.*}} : tensor<128x1xf32> -> tensor<128x1xf32>
// CHECK: tile.chain %{{.*}} operand0 %[[R]] : tensor<128x1xf32> {op0 = #nc.alu_op<multiply>}
// CHECK-NOT: tile.binary
func.func @divide(%o: memref<128x512xf32, #nc.space<hbm>>, %x: memref<128x512xf32, #nc.space<hbm>>,
                  %s: memref<128x1xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 512] strides [512, 1] : memref<128x512xf32, #nc.space<hbm>> -> tensor<128x512xf32>
  %1 = tile.load %s[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<hbm>> -> tensor<128x1xf32>
  %2 = tile.binary divide %0, %1 : tensor<128x512xf32>, tensor<128x1xf32> -> tensor<128x512xf32>
  tile.store %2, %o[] offset affine_map<() -> (0)> sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
  return
}

// A constant is what its elements hold.
// CHECK-LABEL: func.func @rounded_constants
// CHECK: tile.chain {{.*}} {op0 = #nc.alu_op<minimum>, value0 = 0.30078125 : f32}
func.func @rounded_constants(%o: memref<128x64xf32, #nc.space<hbm>>, %x: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %1 = tile.fill 3.000000e-01 : tensor<128x64xbf16>
  %2 = tile.binary minimum %0, %1 : tensor<128x64xf32>, tensor<128x64xbf16> -> tensor<128x64xf32>
  tile.store %2, %o[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}

// A row for all partitions is loaded with stride 0.
// CHECK-LABEL: func.func @row
// CHECK: tile.load %{{.*}} sizes [128, 64] strides [0, 1] : memref<64xf32
// CHECK: tile.binary add %{{.*}}, %{{.*}} : tensor<128x64xf32>, tensor<128x64xf32>
func.func @row(%o: memref<128x64xf32, #nc.space<hbm>>, %x: memref<128x64xf32, #nc.space<hbm>>,
               %b: memref<64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %1 = tile.load %b[] offset affine_map<() -> (0)> sizes [1, 64] strides [64, 1] : memref<64xf32, #nc.space<hbm>> -> tensor<1x64xf32>
  %2 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<1x64xf32> -> tensor<128x64xf32>
  tile.store %2, %o[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}

// A row that was computed goes through the tensor engine: ones times row.
// CHECK-LABEL: func.func @computed_row
// CHECK: %[[ONES:.*]] = tile.fill 1.000000e+00 : tensor<1x128xf32>
// CHECK: tile.matmul %[[ONES]], %{{.*}} {transpose_a} : tensor<1x128xf32>, tensor<1x64xf32> -> tensor<128x64xf32>
func.func @computed_row(%o: memref<128x64xf32, #nc.space<hbm>>, %x: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %1 = tile.slice %0[] offset affine_map<() -> (0)> sizes [1, 64] strides [1, 1] : tensor<128x64xf32> -> tensor<1x64xf32>
  %2 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<1x64xf32> -> tensor<128x64xf32>
  tile.store %2, %o[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}

// Constants that became immediates are erased, however many there are.
// CHECK-LABEL: func.func @many_fills
// CHECK-NOT: tile.fill 2.0
// CHECK: return
func.func @many_fills(%o: memref<128x64xf32, #nc.space<hbm>>, %x: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %f0 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a0 = tile.binary multiply %0, %f0 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f1 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a1 = tile.binary multiply %a0, %f1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f2 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a2 = tile.binary multiply %a1, %f2 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f3 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a3 = tile.binary multiply %a2, %f3 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f4 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a4 = tile.binary multiply %a3, %f4 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f5 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a5 = tile.binary multiply %a4, %f5 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f6 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a6 = tile.binary multiply %a5, %f6 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f7 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a7 = tile.binary multiply %a6, %f7 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f8 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a8 = tile.binary multiply %a7, %f8 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f9 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a9 = tile.binary multiply %a8, %f9 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f10 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a10 = tile.binary multiply %a9, %f10 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %f11 = tile.fill 2.000000e+00 : tensor<128x64xf32>
  %a11 = tile.binary multiply %a10, %f11 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  tile.store %a11, %o[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}

// A row of integers repeats bit for bit; a number that fp32 does not hold is
// selected by a mask; integers and floats are compared as floats.
// CHECK-LABEL: func.func @integers
// CHECK: tile.repeat %{{.*}} : tensor<1x64xi32> -> tensor<128x64xi32>
// CHECK-NOT: tile.matmul
// CHECK: tile.keep %{{.*}} else 0.000000e+00 : tensor<128x64xui8>
// CHECK: tile.select
// CHECK-NOT: tile.cast %{{.*}} -> tensor<128x64xi32>
// CHECK: return
func.func @integers(%o: memref<128x64xi32, #nc.space<hbm>>, %u: memref<128x64xui8, #nc.space<hbm>>, %x: memref<128x64xi32, #nc.space<hbm>>, %f: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xi32, #nc.space<hbm>> -> tensor<128x64xi32>
  %1 = tile.slice %0[] offset affine_map<() -> (0)> sizes [1, 64] strides [1, 1] : tensor<128x64xi32> -> tensor<1x64xi32>
  %2 = tile.binary add %0, %1 : tensor<128x64xi32>, tensor<1x64xi32> -> tensor<128x64xi32>
  %3 = tile.keep %2 where 1 * row + -1 * col + affine_map<() -> (0)>[] greater_equal else 16777217.0 : tensor<128x64xi32> -> tensor<128x64xi32>
  tile.store %3, %o[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xi32>, memref<128x64xi32, #nc.space<hbm>>
  %4 = tile.load %f[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %5 = tile.compare less %0, %4 : tensor<128x64xf32> : tensor<128x64xi32> -> tensor<128x64xui8>
  tile.store %5, %u[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xui8>, memref<128x64xui8, #nc.space<hbm>>
  return
}

// A row that does not change in a loop is repeated once, and stays in SBUF: up
// to 16 KiB of each partition.
// CHECK-LABEL: func.func @row_of_loop
// CHECK: %[[PRODUCT:.*]] = tile.matmul
// CHECK: %[[BUFFER:.*]] = tile.declare : memref<128x4096xf32, #nc.space<sbuf>>
// CHECK: tile.assign %[[PRODUCT]], %[[BUFFER]][]
// CHECK: %[[WIDE:.*]] = tile.read %[[BUFFER]][]
// CHECK: scf.for
// CHECK-NOT: tile.matmul
// CHECK: tile.binary add %{{.*}}, %[[WIDE]]
// CHECK: tile.binary multiply %{{.*}}, %[[WIDE]]
func.func @row_of_loop(%o: memref<128x4096xf32, #nc.space<hbm>>, %x: memref<128x4096xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 4096] strides [4096, 1] : memref<128x4096xf32, #nc.space<hbm>> -> tensor<128x4096xf32>
  %1 = tile.slice %0[] offset affine_map<() -> (0)> sizes [1, 4096] strides [1, 1] : tensor<128x4096xf32> -> tensor<1x4096xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %2 = tile.binary add %0, %1 : tensor<128x4096xf32>, tensor<1x4096xf32> -> tensor<128x4096xf32>
    %3 = tile.binary multiply %2, %1 : tensor<128x4096xf32>, tensor<1x4096xf32> -> tensor<128x4096xf32>
    tile.store %3, %o[] offset affine_map<() -> (0)> sizes [128, 4096] strides [4096, 1] : tensor<128x4096xf32>, memref<128x4096xf32, #nc.space<hbm>>
  }
  return
}

// CHECK-LABEL: func.func @long_row_of_loop
// CHECK: scf.for
// CHECK: tile.matmul
func.func @long_row_of_loop(%o: memref<128x4097xf32, #nc.space<hbm>>, %x: memref<128x4097xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 4097] strides [4097, 1] : memref<128x4097xf32, #nc.space<hbm>> -> tensor<128x4097xf32>
  %1 = tile.slice %0[] offset affine_map<() -> (0)> sizes [1, 4097] strides [1, 1] : tensor<128x4097xf32> -> tensor<1x4097xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %2 = tile.binary add %0, %1 : tensor<128x4097xf32>, tensor<1x4097xf32> -> tensor<128x4097xf32>
    %3 = tile.binary multiply %2, %1 : tensor<128x4097xf32>, tensor<1x4097xf32> -> tensor<128x4097xf32>
    tile.store %3, %o[] offset affine_map<() -> (0)> sizes [128, 4097] strides [4097, 1] : tensor<128x4097xf32>, memref<128x4097xf32, #nc.space<hbm>>
  }
  return
}
