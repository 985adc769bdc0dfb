// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(nc-pipeline-loops))' | FileCheck %s
// RUN: sed 's/trn2/trn3/' %s | kiln-opt --pass-pipeline='builtin.module(func.func(nc-pipeline-loops))' | FileCheck %s --check-prefix=NONE

// norm_quantize of 2048 rows. Its transfers bind, and each iteration waits for
// the store of the last one: a second copy of what that stores lets the loop
// run faster. On trn3, where the Vector engine binds, no copy more gains 1 %.
// CHECK-COUNT-2: nc.alloc {{.*}}: memref<128x4096xf8E4M3, #nc.space<sbuf>>
// CHECK-NOT: nc.alloc {{.*}}: memref<128x4096xf8E4M3, #nc.space<sbuf>>
// NONE-COUNT-1: nc.alloc {{.*}}: memref<128x4096xf8E4M3, #nc.space<sbuf>>
// NONE-NOT: nc.alloc {{.*}}: memref<128x4096xf8E4M3, #nc.space<sbuf>>
#map = affine_map<() -> (0)>
#map1 = affine_map<(d0) -> (d0 * 524288)>
#map2 = affine_map<(d0) -> (d0 * 128)>
module attributes {nc.target = #nc.target<"trn2">} {
  func.func @norm_quantize(%arg0: memref<2048x4096xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "x"}, %arg1: memref<2048x4096xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "residual"}, %arg2: memref<4096xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "gamma"}, %arg3: memref<2048x4096xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "sum"}, %arg4: memref<2048x1xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "scales"}, %arg5: memref<2048x4096xf8E4M3, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y"}) attributes {nc.flops = 58720256 : i64, nc.order_record = {all_memory, loops = array<i64: 2, 16, 0>, parents = array<i64: -1, -1, -1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2>, writes = array<i64: -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1>}, nc.parameters = {cols = "4096", dtype = "f8e4m3", epsilon = "1e-05", factor = "1", residual = "true", rows = "2048", scale = "row"}} {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %0 = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
    %1 = nc.view %0[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> <128x4096xbf16, sbuf>
    %2 = nc.view %arg2[] offset #map sizes [128, 4096] strides [0, 1] : memref<4096xbf16, #nc.space<hbm>> -> <128x4096xbf16, hbm>
    nc.dma_copy dst(%1 : <128x4096xbf16, sbuf>) src(%2 : <128x4096xbf16, hbm>) source(0) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<sync>, nc.dealt_queue}
    %3 = nc.alloc {nc.beside} : memref<128x4096xbf16, #nc.space<psum>>
    %4 = nc.view %0[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> <128x4096xbf16, sbuf>
    %5 = nc.view %3[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<psum>> -> <128x4096xbf16, psum>
    nc.tensor_copy dst(%5 : <128x4096xbf16, psum>) src(%4 : <128x4096xbf16, sbuf>) source(1) {engine = #nc.engine<vector>}
    scf.for %arg6 = %c0 to %c16 step %c1 {
      %6 = nc.alloc {nc.written_first} : memref<128x4096xbf16, #nc.space<sbuf>>
      %7 = nc.view %6[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> <128x4096xbf16, sbuf>
      %8 = nc.view %arg0[%arg6] offset #map1 sizes [128, 4096] strides [4096, 1] : memref<2048x4096xbf16, #nc.space<hbm>> -> <128x4096xbf16, hbm>
      nc.dma_copy dst(%7 : <128x4096xbf16, sbuf>) src(%8 : <128x4096xbf16, hbm>) source(3) {engine = #nc.engine<sync>, nc.dealt_queue, queue = 1 : i32}
      %9 = nc.alloc {nc.written_first} : memref<128x4096xbf16, #nc.space<sbuf>>
      %10 = nc.view %9[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> <128x4096xbf16, sbuf>
      %11 = nc.view %arg1[%arg6] offset #map1 sizes [128, 4096] strides [4096, 1] : memref<2048x4096xbf16, #nc.space<hbm>> -> <128x4096xbf16, hbm>
      nc.dma_copy dst(%10 : <128x4096xbf16, sbuf>) src(%11 : <128x4096xbf16, hbm>) source(4) {engine = #nc.engine<sync>, nc.dealt_queue, queue = 2 : i32}
      %12 = nc.alloc {nc.written_first} : memref<128x4096xbf16, #nc.space<sbuf>>
      %13 = nc.view %12[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> <128x4096xbf16, sbuf>
      nc.tensor_tensor dst(%13 : <128x4096xbf16, sbuf>) data1(%7 : <128x4096xbf16, sbuf>) data2(%10 : <128x4096xbf16, sbuf>) source(5) {engine = #nc.engine<gpsimd>, op = #nc.alu_op<add>}
      %14 = nc.view %arg3[%arg6] offset #map1 sizes [128, 4096] strides [4096, 1] : memref<2048x4096xbf16, #nc.space<hbm>> -> <128x4096xbf16, hbm>
      nc.dma_copy dst(%14 : <128x4096xbf16, hbm>) src(%13 : <128x4096xbf16, sbuf>) source(6) {engine = #nc.engine<gpsimd>, nc.dealt_queue, queue = 8 : i32}
      %15 = nc.alloc {nc.written_first} : memref<128x4096xbf16, #nc.space<sbuf>>
      %16 = nc.alloc {nc.written_first} : memref<128x1xf32, #nc.space<sbuf>>
      %17 = nc.view %16[] offset #map sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> <128x1xf32, sbuf>
      %18 = nc.view %15[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> <128x4096xbf16, sbuf>
      nc.activation dst(%18 : <128x4096xbf16, sbuf>) data(%13 : <128x4096xbf16, sbuf>) reduce_res(%17 : !nc.view<128x1xf32, sbuf>) source(7) {engine = #nc.engine<scalar>, op = #nc.activation_function<square>, reduce_cmd = #nc.reduce_command<reset_reduce>, reduce_op = #nc.alu_op<add>}
      %19 = nc.alloc {nc.written_first} : memref<128x1xf32, #nc.space<sbuf>>
      %20 = nc.view %19[] offset #map sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> <128x1xf32, sbuf>
      nc.activation dst(%20 : <128x1xf32, sbuf>) data(%17 : <128x1xf32, sbuf>) source(8) {bias_value = 9.99999974E-6 : f32, engine = #nc.engine<scalar>, op = #nc.activation_function<rsqrt>, scale_value = 2.44140625E-4 : f32}
      %21 = nc.alloc {nc.written_first} : memref<128x4096xbf16, #nc.space<sbuf>>
      %22 = nc.view %21[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> <128x4096xbf16, sbuf>
      %23 = nc.view %3[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<psum>> -> <128x4096xbf16, psum>
      nc.tensor_tensor dst(%22 : <128x4096xbf16, sbuf>) data1(%13 : <128x4096xbf16, sbuf>) data2(%23 : <128x4096xbf16, psum>) source(9) {engine = #nc.engine<vector>, op = #nc.alu_op<multiply>}
      %24 = nc.alloc {nc.written_first} : memref<128x1xf32, #nc.space<sbuf>>
      %25 = nc.alloc {nc.written_first} : memref<128x4096xui8, #nc.space<sbuf>>
      %26 = nc.view %25[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xui8, #nc.space<sbuf>> -> <128x4096xui8, sbuf>
      %27 = nc.view %24[] offset #map sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> <128x1xf32, sbuf>
      nc.tensor_scalar_reduce dst(%26 : <128x4096xui8, sbuf>) data(%22 : <128x4096xbf16, sbuf>) reduce_res(%27 : !nc.view<128x1xf32, sbuf>) source(10) {engine = #nc.engine<vector>, op0 = #nc.alu_op<abs>, reduce_op = #nc.alu_op<maximum>}
      %28 = nc.alloc {nc.written_first} : memref<128x1xf32, #nc.space<sbuf>>
      %29 = nc.view %28[] offset #map sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> <128x1xf32, sbuf>
      nc.tensor_scalar dst(%29 : <128x1xf32, sbuf>) data(%20 : <128x1xf32, sbuf>) operand0(%27 : !nc.view<128x1xf32, sbuf>) source(11) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<maximum>, operand1_value = 7.88860905E-31 : f32}
      %30 = nc.alloc {nc.written_first} : memref<128x1xf32, #nc.space<sbuf>>
      %31 = nc.view %30[] offset #map sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> <128x1xf32, sbuf>
      nc.tensor_scalar dst(%31 : <128x1xf32, sbuf>) data(%29 : <128x1xf32, sbuf>) source(12) {engine = #nc.engine<scalar>, op0 = #nc.alu_op<multiply>, operand0_value = 0.00416666688 : f32}
      %32 = nc.view %arg4[%arg6] offset #map2 sizes [128, 1] strides [1, 1] : memref<2048x1xf32, #nc.space<hbm>> -> <128x1xf32, hbm>
      nc.dma_copy dst(%32 : <128x1xf32, hbm>) src(%31 : <128x1xf32, sbuf>) source(13) {engine = #nc.engine<gpsimd>, nc.dealt_queue, queue = 9 : i32}
      %33 = nc.alloc {nc.written_first} : memref<128x1xf32, #nc.space<sbuf>>
      %34 = nc.view %33[] offset #map sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> <128x1xf32, sbuf>
      nc.reciprocal dst(%34 : <128x1xf32, sbuf>) data(%31 : <128x1xf32, sbuf>) source(14) {engine = #nc.engine<vector>}
      %35 = nc.alloc {nc.written_first} : memref<128x1xf32, #nc.space<sbuf>>
      %36 = nc.view %35[] offset #map sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> <128x1xf32, sbuf>
      nc.tensor_scalar dst(%36 : <128x1xf32, sbuf>) data(%20 : <128x1xf32, sbuf>) operand0(%34 : !nc.view<128x1xf32, sbuf>) source(15) {engine = #nc.engine<scalar>, op0 = #nc.alu_op<multiply>}
      %37 = nc.alloc {nc.written_first} : memref<128x4096xf8E4M3, #nc.space<sbuf>>
      %38 = nc.view %37[] offset #map sizes [128, 4096] strides [1, 1] : memref<128x4096xf8E4M3, #nc.space<sbuf>> -> <128x4096xf8E4M3, sbuf>
      nc.tensor_scalar dst(%38 : <128x4096xf8E4M3, sbuf>) data(%22 : <128x4096xbf16, sbuf>) operand0(%36 : !nc.view<128x1xf32, sbuf>) source(16) {engine = #nc.engine<scalar>, op0 = #nc.alu_op<multiply>}
      %39 = nc.view %arg5[%arg6] offset #map1 sizes [128, 4096] strides [4096, 1] : memref<2048x4096xf8E4M3, #nc.space<hbm>> -> <128x4096xf8E4M3, hbm>
      nc.dma_copy dst(%39 : <128x4096xf8E4M3, hbm>) src(%38 : <128x4096xf8E4M3, sbuf>) source(17) {engine = #nc.engine<gpsimd>, nc.dealt_queue, queue = 10 : i32}
    } {nc.source = 2 : i64}
    return
  }
}
