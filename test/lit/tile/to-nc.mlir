// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s
// RUN: sed 's/^func.func @\(.*\) {$/func.func @\1 attributes {nc.target = #nc.target<"trn1">} {/' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s --check-prefix=TRN1
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: to-nc.mlir:[[#@LINE+24]]:8: remark: [Analysis] Lowered | Category:tile-to-nc |{{.*}}+instructions=3, +operations=1,
// REMARK-DAG: remark: [Analysis] Lowered | Category:tile-to-nc | {{.*}}instructions={{[1-9].*}}operations={{[1-9]}}

#z = affine_map<() -> (0)>

// 300 rows of contraction: two full slots by one DMA, the ragged one by
// another, and one accumulation group of three products.
// CHECK-LABEL: func.func @contraction
// CHECK: %[[A:.*]] = nc.alloc : memref<128x192xbf16, #nc.space<sbuf>>
// CHECK: nc.view %arg1[] offset #{{.*}} sizes [128, 2, 64] strides [64, 8192, 1]
// CHECK: nc.dma_copy
// CHECK: sizes [44, 64]
// CHECK: nc.dma_copy
// CHECK: %[[P:.*]] = nc.alloc : memref<64x32xf32, #nc.space<psum>>
// CHECK: nc.nc_matmul
// CHECK-NOT: accumulate
// CHECK: nc.nc_matmul {{.*}} {accumulate = true}
// CHECK: nc.nc_matmul {{.*}}<44x64xbf16, sbuf>{{.*}} {accumulate = true}
// DMA cannot see PSUM.
// CHECK: nc.tensor_copy dst({{.*}} <64x32xf32, sbuf>) src({{.*}} <64x32xf32, psum>)
// CHECK: nc.dma_copy
func.func @contraction(%o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<300x64xbf16, #nc.space<hbm>>, %b: memref<300x32xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [300, 64] strides [64, 1] : memref<300x64xbf16, #nc.space<hbm>> -> tensor<300x64xbf16>
  %1 = tile.load %b[] offset #z sizes [300, 32] strides [32, 1] : memref<300x32xbf16, #nc.space<hbm>> -> tensor<300x32xbf16>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<300x64xbf16>, tensor<300x32xbf16> -> tensor<64x32xf32>
  tile.store %2, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  return
}

// PSUM adds products up: one accumulation group, and no addition.
// CHECK-LABEL: func.func @sum_of_products
// CHECK: %[[P:.*]] = nc.alloc : memref<64x32xf32, #nc.space<psum>>
// CHECK: nc.nc_matmul
// CHECK-NOT: accumulate
// CHECK: nc.nc_matmul {{.*}} {accumulate = true}
// CHECK-NOT: nc.tensor_tensor
// CHECK: nc.nc_matmul {{.*}} {accumulate = true}
// CHECK-NOT: nc.tensor_tensor
// CHECK: nc.tensor_copy dst({{.*}} <64x32xbf16, sbuf>) src({{.*}} <64x32xf32, psum>)
func.func @sum_of_products(%o: memref<64x32xbf16, #nc.space<hbm>>, %a: memref<128x64xbf16, #nc.space<hbm>>, %b: memref<128x32xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1 = tile.load %b[] offset #z sizes [128, 32] strides [32, 1] : memref<128x32xbf16, #nc.space<hbm>> -> tensor<128x32xbf16>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x32xbf16> -> tensor<64x32xf32>
  %3 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x32xbf16> -> tensor<64x32xf32>
  %4 = tile.binary add %2, %3 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %5 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x32xbf16> -> tensor<64x32xf32>
  %6 = tile.binary add %4, %5 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xbf16>
  tile.store %6, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xbf16>, memref<64x32xbf16, #nc.space<hbm>>
  return
}

// Somebody else looks at the first product, so an engine adds.
// CHECK-LABEL: func.func @no_sum_of_products
// CHECK: nc.nc_matmul
// CHECK-NOT: accumulate
// CHECK: nc.tensor_tensor
func.func @no_sum_of_products(%o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<128x64xbf16, #nc.space<hbm>>, %b: memref<128x32xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1 = tile.load %b[] offset #z sizes [128, 32] strides [32, 1] : memref<128x32xbf16, #nc.space<hbm>> -> tensor<128x32xbf16>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x32xbf16> -> tensor<64x32xf32>
  %3 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x32xbf16> -> tensor<64x32xf32>
  %4 = tile.binary add %2, %3 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %5 = tile.binary multiply %4, %2 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  tile.store %5, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  return
}

// The sum is computed in place: the assignment costs nothing.
// CHECK-LABEL: func.func @in_place
// CHECK: scf.for
// CHECK: nc.tensor_scalar dst(%[[V:[0-9]+]] {{.*}} data(%[[V]] {{.*}} {op0 = #nc.alu_op<multiply>
// CHECK-NOT: nc.tensor_copy
// CHECK: }
func.func @in_place(%n: index, %o: memref<128x1xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %one = tile.fill 1.0 : tensor<128x1xf32>
  tile.assign %one, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  scf.for %i = %c0 to %n step %c1 {
    %0 = tile.read %b[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
    %1 = tile.chain %0 {op0 = #nc.alu_op<multiply>, value0 = 2.0 : f32} : tensor<128x1xf32> -> tensor<128x1xf32>
    tile.assign %1, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  }
  %2 = tile.read %b[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  tile.store %2, %o[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// The old value is still needed after the new one is known: two buffers.
// CHECK-LABEL: func.func @old_value
// CHECK: nc.tensor_scalar dst(%[[NEW:[0-9]+]] {{.*}} data(%[[OLD:[0-9]+]]
// CHECK: nc.activation {{.*}} data(%[[OLD]]
// CHECK: nc.tensor_copy dst(%[[OLD]] {{.*}} src(%[[NEW]]
func.func @old_value(%n: index, %o: memref<128x1xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %one = tile.fill 1.0 : tensor<128x1xf32>
  tile.assign %one, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  scf.for %i = %c0 to %n step %c1 {
    %0 = tile.read %b[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
    %1 = tile.chain %0 {op0 = #nc.alu_op<multiply>, value0 = 2.0 : f32} : tensor<128x1xf32> -> tensor<128x1xf32>
    %2 = tile.activate exp %0 : tensor<128x1xf32> -> tensor<128x1xf32>
    tile.store %2, %o[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
    tile.assign %1, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  }
  return
}

// A value read before an assignment and used after it is copied first.
// CHECK-LABEL: func.func @snapshot
// CHECK: nc.memset dst(%[[B:[0-9]+]] {{.*}} {value = 1.0
// CHECK: nc.tensor_copy dst(%[[COPY:[0-9]+]] {{.*}} src(%[[B]]
// CHECK: nc.memset dst(%[[B]] {{.*}} {value = 2.0
// CHECK: nc.dma_copy dst({{.*}} src(%[[COPY]]
func.func @snapshot(%o: memref<128x1xf32, #nc.space<hbm>>) {
  %b = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  %one = tile.fill 1.0 : tensor<128x1xf32>
  %two = tile.fill 2.0 : tensor<128x1xf32>
  tile.assign %one, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  %0 = tile.read %b[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
  tile.assign %two, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  tile.store %0, %o[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  return
}

// trn1 has no transposing DMA and takes a bias from memory only.
// CHECK-LABEL: func.func @generations
// CHECK: nc.dma_transpose
// CHECK: nc.activation {{.*}}bias_value = 1.0
// TRN1-LABEL: func.func @generations
// TRN1: nc.nc_transpose
// TRN1: nc.memset {{.*}}value = 1.0
// TRN1: nc.activation {{.*}} bias(
func.func @generations(%o: memref<64x128xf32, #nc.space<hbm>>, %x: memref<128x64xf32, #nc.space<hbm>>) {
  %0 = tile.load_transposed %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<64x128xf32>
  %1 = tile.activate exp %0 {bias_value = 1.0 : f32} : tensor<64x128xf32> -> tensor<64x128xf32>
  tile.store %1, %o[] offset #z sizes [64, 128] strides [128, 1] : tensor<64x128xf32>, memref<64x128xf32, #nc.space<hbm>>
  return
}

// Masks are GpSimd's, which cannot see PSUM; the offset stays a value.
// CHECK-LABEL: func.func @mask
// CHECK: nc.tensor_copy dst({{.*}} sbuf>) src({{.*}} psum>)
// CHECK: %[[OFF:.*]] = affine.apply
// CHECK: nc.affine_select {{.*}} offset_index(%[[OFF]])
// CHECK-SAME: channel_multiplier = 1 : i32, cmp_op = #nc.alu_op<greater_equal>
// CHECK-SAME: pattern_sizes = array<i64: 32>, pattern_steps = array<i64: -1>
func.func @mask(%n: index, %o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<128x64xbf16, #nc.space<hbm>>, %b: memref<128x32xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = tile.load %a[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
    %1 = tile.load %b[] offset #z sizes [128, 32] strides [32, 1] : memref<128x32xbf16, #nc.space<hbm>> -> tensor<128x32xbf16>
    %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x32xbf16> -> tensor<64x32xf32>
    %3 = tile.keep %2 where 1 * row + -1 * col + affine_map<(d0) -> (d0 * 32)>[%i] greater_equal else 0.0 : tensor<64x32xf32> -> tensor<64x32xf32>
    tile.store %3, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  }
  return
}

// An instruction on 200 rows is two. Its fields are the instruction's.
// CHECK-LABEL: func.func @apply
// CHECK: nc.tensor_scalar_cumulative {{.*}}<128x64xf32, sbuf>{{.*}} {imm0_value = 1.0{{.*}}, op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>}
// CHECK: nc.tensor_scalar_cumulative {{.*}}<72x64xf32, sbuf>
func.func @apply(%o: memref<200x64xf32, #nc.space<hbm>>, %x: memref<200x64xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #z sizes [200, 64] strides [64, 1] : memref<200x64xf32, #nc.space<hbm>> -> tensor<200x64xf32>
  %1 = tile.apply tensor_scalar_cumulative(%0) ["src"] {imm0_value = 1.0 : f32, op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>} : (tensor<200x64xf32>) -> tensor<200x64xf32>
  tile.store %1, %o[] offset #z sizes [200, 64] strides [64, 1] : tensor<200x64xf32>, memref<200x64xf32, #nc.space<hbm>>
  return
}

// Random numbers are drawn once for each use that stands there, in order.
// CHECK-LABEL: func.func @random
// CHECK-COUNT-2: nc.rng
// CHECK-NOT: nc.rng
func.func @random(%o: memref<128x64xui32, #nc.space<hbm>>) {
  %0 = tile.apply rng() [] {} : () -> tensor<128x64xui32>
  %1 = tile.apply rng() [] {} : () -> tensor<128x64xui32>
  return
}

// Integers of 32 bits are GpSimd's; a select of them copies bit for bit.
// CHECK-LABEL: func.func @integers
// CHECK: nc.tensor_tensor {{.*}} {engine = #nc.engine<gpsimd>, op = #nc.alu_op<add>}
// CHECK: nc.tensor_copy
// CHECK: nc.tensor_copy_predicated
func.func @integers(%o: memref<128x64xi32, #nc.space<hbm>>, %x: memref<128x64xi32, #nc.space<hbm>>, %m: memref<128x64xui8, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xi32, #nc.space<hbm>> -> tensor<128x64xi32>
  %1 = tile.load %m[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xui8, #nc.space<hbm>> -> tensor<128x64xui8>
  %2 = tile.binary add %0, %0 : tensor<128x64xi32>, tensor<128x64xi32> -> tensor<128x64xi32>
  %3 = tile.select %1, %2, %0 : tensor<128x64xui8>, tensor<128x64xi32>, tensor<128x64xi32> -> tensor<128x64xi32>
  tile.store %3, %o[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xi32>, memref<128x64xi32, #nc.space<hbm>>
  return
}

// The Vector engine computes a reciprocal as long as the way over the Scalar
// engine and back costs more.
// CHECK-LABEL: func.func @short_reciprocal
// CHECK: nc.reciprocal
// CHECK-NOT: nc.activation
// TRN1-LABEL: func.func @short_reciprocal
// TRN1: nc.reciprocal
func.func @short_reciprocal(%o: memref<128x700xf32, #nc.space<hbm>>) {
  %0 = tile.load %o[] offset #z sizes [128, 700] strides [700, 1] : memref<128x700xf32, #nc.space<hbm>> -> tensor<128x700xf32>
  %1 = tile.activate reciprocal %0 : tensor<128x700xf32> -> tensor<128x700xf32>
  tile.store %1, %o[] offset #z sizes [128, 700] strides [700, 1] : tensor<128x700xf32>, memref<128x700xf32, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @long_reciprocal
// CHECK: nc.activation {{.*}}op = #nc.activation_function<reciprocal>
// CHECK-NOT: nc.reciprocal
// TRN1-LABEL: func.func @long_reciprocal
// TRN1: nc.reciprocal
func.func @long_reciprocal(%o: memref<128x701xf32, #nc.space<hbm>>) {
  %0 = tile.load %o[] offset #z sizes [128, 701] strides [701, 1] : memref<128x701xf32, #nc.space<hbm>> -> tensor<128x701xf32>
  %1 = tile.activate reciprocal %0 : tensor<128x701xf32> -> tensor<128x701xf32>
  tile.store %1, %o[] offset #z sizes [128, 701] strides [701, 1] : tensor<128x701xf32>, memref<128x701xf32, #nc.space<hbm>>
  return
}

// Two loads of function tables more.
// CHECK-LABEL: func.func @reciprocals_beside_exp
// CHECK: nc.activation {{.*}}op = #nc.activation_function<exp>
// CHECK: nc.reciprocal
// CHECK: nc.activation {{.*}}op = #nc.activation_function<reciprocal>
func.func @reciprocals_beside_exp(%o: memref<128x3176xf32, #nc.space<hbm>>, %p: memref<128x3177xf32, #nc.space<hbm>>) {
  %0 = tile.load %o[] offset #z sizes [128, 3176] strides [3176, 1] : memref<128x3176xf32, #nc.space<hbm>> -> tensor<128x3176xf32>
  %1 = tile.activate exp %0 : tensor<128x3176xf32> -> tensor<128x3176xf32>
  %2 = tile.activate reciprocal %1 : tensor<128x3176xf32> -> tensor<128x3176xf32>
  tile.store %2, %o[] offset #z sizes [128, 3176] strides [3176, 1] : tensor<128x3176xf32>, memref<128x3176xf32, #nc.space<hbm>>
  %3 = tile.load %p[] offset #z sizes [128, 3177] strides [3177, 1] : memref<128x3177xf32, #nc.space<hbm>> -> tensor<128x3177xf32>
  %4 = tile.activate reciprocal %3 : tensor<128x3177xf32> -> tensor<128x3177xf32>
  tile.store %4, %p[] offset #z sizes [128, 3177] strides [3177, 1] : tensor<128x3177xf32>, memref<128x3177xf32, #nc.space<hbm>>
  return
}

// A load writes beside the appended column; what is loaded for others, too, is
// copied.
// CHECK-LABEL: func.func @appended
// CHECK: %[[W:.*]] = nc.alloc : memref<128x130xbf16, #nc.space<sbuf>>
// CHECK: nc.view %[[W]][] offset #{{.*}} sizes [128, 2] strides [1, 65]
// CHECK: nc.memset {{.*}}1.000000e+00
// CHECK: nc.view %[[W]][] offset #{{.*}} sizes [128, 2, 64] strides [1, 65, 1]
// CHECK: nc.dma_copy
// CHECK-NOT: nc.tensor_copy
// CHECK: return
func.func @appended(%o: memref<256x65xbf16, #nc.space<hbm>>, %v: memref<256x64xbf16, #nc.space<hbm>>) {
  %0 = tile.load %v[] offset #z sizes [256, 64] strides [64, 1] : memref<256x64xbf16, #nc.space<hbm>> -> tensor<256x64xbf16>
  %1 = tile.append %0, 1.0 : tensor<256x64xbf16> -> tensor<256x65xbf16>
  tile.store %1, %o[] offset #z sizes [256, 65] strides [65, 1] : tensor<256x65xbf16>, memref<256x65xbf16, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @appended_copy
// CHECK: nc.dma_copy
// CHECK: nc.memset {{.*}}1.000000e+00
// CHECK: nc.tensor_copy
// CHECK: return
func.func @appended_copy(%o: memref<128x65xbf16, #nc.space<hbm>>, %p: memref<128x64xbf16, #nc.space<hbm>>, %v: memref<128x64xbf16, #nc.space<hbm>>) {
  %0 = tile.load %v[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1 = tile.append %0, 1.0 : tensor<128x64xbf16> -> tensor<128x65xbf16>
  tile.store %1, %o[] offset #z sizes [128, 65] strides [65, 1] : tensor<128x65xbf16>, memref<128x65xbf16, #nc.space<hbm>>
  tile.store %0, %p[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xbf16>, memref<128x64xbf16, #nc.space<hbm>>
  return
}

// The largest magnitude of each row is found in one pass; what that writes
// beside it is not read. A tile of two slots needs two.
// CHECK-LABEL: func.func @largest_magnitude
// CHECK-NOT: nc.activation
// CHECK-COUNT-2: nc.tensor_scalar_reduce {{.*}}op0 = #nc.alu_op<abs>, {{.*}}reduce_op = #nc.alu_op<maximum>
// CHECK-NOT: nc.tensor_reduce
// CHECK: return
func.func @largest_magnitude(%x: memref<256x512xbf16, #nc.space<hbm>>, %o: memref<256x1xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [256, 512] strides [512, 1] : memref<256x512xbf16, #nc.space<hbm>> -> tensor<256x512xbf16>
  %result = tile.activate abs %0 : tensor<256x512xbf16> -> tensor<256x512xf32>
  %1 = tile.reduce maximum %result : tensor<256x512xf32> -> tensor<256x1xf32>
  tile.store %1, %o[] offset affine_map<() -> (0)> sizes [256, 1] strides [1, 1] : tensor<256x1xf32>, memref<256x1xf32, #nc.space<hbm>>
  return
}

// Magnitudes that are rounded, or read once more, are computed.
// CHECK-LABEL: func.func @kept_magnitudes
// CHECK: nc.activation
// CHECK: nc.tensor_reduce
// CHECK: nc.activation
// CHECK: nc.tensor_reduce
// CHECK: return
func.func @kept_magnitudes(%x: memref<128x512xf32, #nc.space<hbm>>, %y: memref<128x512xf32, #nc.space<hbm>>, %o: memref<128x1xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 512] strides [512, 1] : memref<128x512xf32, #nc.space<hbm>> -> tensor<128x512xf32>
  %a = tile.activate abs %0 : tensor<128x512xf32> -> tensor<128x512xbf16>
  %1 = tile.reduce maximum %a : tensor<128x512xbf16> -> tensor<128x1xf32>
  tile.store %1, %o[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  %b = tile.activate abs %0 : tensor<128x512xf32> -> tensor<128x512xf32>
  %2 = tile.reduce maximum %b : tensor<128x512xf32> -> tensor<128x1xf32>
  tile.store %2, %o[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<hbm>>
  tile.store %b, %y[] offset affine_map<() -> (0)> sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
  return
}
