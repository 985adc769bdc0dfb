// RUN: kiln-opt --emit-assembly %s 2>&1 | FileCheck %s

// A loop over a register runs `min(3, r + 2)` trips: the third slot of a third of the columns is never
// reached.
// The proof of the streams must not play iterations that there are not, whose
// addresses lie in other buffers.
// CHECK: .kernel kernel
// CHECK: register_alu

#map = affine_map<() -> (0)>
#map1 = affine_map<() -> (68096)>
#map2 = affine_map<() -> (532)>
#map3 = affine_map<() -> (4)>
#map4 = affine_map<()[s0] -> (3, s0 + 2)>
#map5 = affine_map<(d0) -> ((d0 floordiv 3) * 183 + 93)>
#map6 = affine_map<(d0) -> ((d0 floordiv 3) * 183 + 625)>
#map7 = affine_map<(d0) -> (d0 * 3204)>
module attributes {nc.target = #nc.target<"trn1">} {
  func.func @kernel(%arg0: memref<165x532xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "x"}, %arg1: memref<532x165xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xb"}, %arg2: memref<3x83x532xf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xh"}, %arg3: memref<165x532xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xi"}, %arg4: memref<1x16xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "idx"}, %arg5: memref<165x532xf32, #nc.space<hbm>> {nc.kind = #nc.kind<inout>, nc.name = "z"}, %arg6: memref<2x165x267xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<inout>, nc.name = "zb"}, %arg7: memref<165x532xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y"}, %arg8: memref<165x532xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y2"}, %arg9: memref<165x532xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y3"}) attributes {nc.psum_banks_peak = 0 : i64, nc.sbuf_peak_bytes = 29120 : i64, nc.semaphores = 19 : i64} {
    %c5 = arith.constant 5 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %0 = nc.alloc {byte = 21440 : i64, partition = 0 : i64, slot_bytes = 2176 : i64} : memref<128x532xf32, #nc.space<sbuf>>
    %1 = nc.view %0[] offset #map sizes [128, 532] strides [1, 1] : memref<128x532xf32, #nc.space<sbuf>> -> <128x532xf32, sbuf>
    %2 = nc.view %arg7[] offset #map sizes [128, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <128x532xf32, hbm>
    %3 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 2176 : i64} : memref<37x532xf32, #nc.space<sbuf>>
    %4 = nc.view %3[] offset #map sizes [37, 532] strides [1, 1] : memref<37x532xf32, #nc.space<sbuf>> -> <37x532xf32, sbuf>
    %5 = nc.view %arg7[] offset #map1 sizes [37, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <37x532xf32, hbm>
    %6 = nc.alloc {byte = 8576 : i64, partition = 0 : i64, slot_bytes = 4288 : i64} : memref<128x1064xf32, #nc.space<sbuf>>
    %7 = nc.view %6[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <128x532xf32, sbuf>
    %8 = nc.view %6[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <37x532xf32, sbuf>
    %9 = nc.view %arg8[] offset #map sizes [128, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <128x532xf32, hbm>
    %10 = nc.view %arg8[] offset #map1 sizes [37, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <37x532xf32, hbm>
    %11 = nc.alloc {byte = 12864 : i64, partition = 0 : i64, slot_bytes = 4288 : i64} : memref<128x1064xf32, #nc.space<sbuf>>
    %12 = nc.view %11[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <128x532xf32, sbuf>
    %13 = nc.view %arg0[] offset #map sizes [128, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <128x532xf32, hbm>
    %14 = nc.view %11[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <37x532xf32, sbuf>
    %15 = nc.view %arg0[] offset #map1 sizes [37, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <37x532xf32, hbm>
    %16 = nc.view %arg9[] offset #map sizes [128, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <128x532xf32, hbm>
    %17 = nc.view %arg9[] offset #map1 sizes [37, 532] strides [532, 1] : memref<165x532xf32, #nc.space<hbm>> -> <37x532xf32, hbm>
    nc.memset dst(%1 : <128x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], value = 5.000000e+00 : f32}
    nc.dma_copy dst(%2 : <128x532xf32, hbm>) src(%1 : <128x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<1, 1>], nc.waits = [#nc.token<0, 1>], queue = 8 : i32}
    nc.memset dst(%4 : <37x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], value = -6.000000e+00 : f32}
    nc.dma_copy dst(%5 : <37x532xf32, hbm>) src(%4 : <37x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<2, 1>, #nc.token<3, 1>], nc.waits = [#nc.token<0, 1>], queue = 9 : i32}
    nc.memset dst(%7 : <128x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], value = -2.000000e+00 : f32}
    nc.memset dst(%8 : <37x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], value = -2.000000e+00 : f32}
    nc.dma_copy dst(%9 : <128x532xf32, hbm>) src(%7 : <128x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<4, 1>], nc.waits = [#nc.token<0, 1>], queue = 10 : i32}
    nc.dma_copy dst(%10 : <37x532xf32, hbm>) src(%8 : <37x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<5, 1>], nc.waits = [#nc.token<0, 1>], queue = 11 : i32}
    nc.dma_copy dst(%12 : <128x532xf32, sbuf>) src(%13 : <128x532xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<6, 1>, #nc.token<7, 1>]}
    nc.dma_copy dst(%14 : <37x532xf32, sbuf>) src(%15 : <37x532xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<8, 1>, #nc.token<9, 1>], queue = 1 : i32}
    nc.dma_copy dst(%16 : <128x532xf32, hbm>) src(%12 : <128x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<10, 1>], nc.waits = [#nc.token<6, 1>], queue = 8 : i32}
    nc.dma_copy dst(%17 : <37x532xf32, hbm>) src(%14 : <37x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<3, 1>], nc.waits = [#nc.token<8, 1>], queue = 9 : i32}
    scf.for %arg10 = %c1 to %c5 step %c1 {
      %35 = nc.alloc {byte = 0 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 4288 : i64} : memref<128x1064xf32, #nc.space<sbuf>>
      %36 = nc.view %35[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <128x532xf32, sbuf>
      %37 = nc.view %35[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <37x532xf32, sbuf>
      nc.tensor_tensor dst(%36 : <128x532xf32, sbuf>) data1(%7 : <128x532xf32, sbuf>) data2(%7 : <128x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<11, 1>], nc.waits = [#nc.token<12, 1>], op = #nc.alu_op<subtract>}
      nc.tensor_tensor dst(%37 : <37x532xf32, sbuf>) data1(%8 : <37x532xf32, sbuf>) data2(%8 : <37x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<11, 1>], nc.waits = [#nc.token<12, 1>], op = #nc.alu_op<subtract>}
      nc.tensor_scalar dst(%7 : <128x532xf32, sbuf>) data(%36 : <128x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<12, 1>], nc.waits = [#nc.token<11, 1>], op0 = #nc.alu_op<maximum>, op1 = #nc.alu_op<minimum>, operand0_value = -3.000000e+02 : f32, operand1_value = 3.000000e+02 : f32}
      nc.tensor_scalar dst(%8 : <37x532xf32, sbuf>) data(%37 : <37x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<12, 1>], nc.waits = [#nc.token<11, 1>], op0 = #nc.alu_op<maximum>, op1 = #nc.alu_op<minimum>, operand0_value = -3.000000e+02 : f32, operand1_value = 3.000000e+02 : f32}
    } {nc.fences = [#nc.fence<engine = <vector>, after = false, waits = [#nc.token<5, 1>, #nc.token<4, 1>], signals = []>, #nc.fence<engine = <vector>, after = true, waits = [], signals = [#nc.token<0, 1>, #nc.token<13, 1>]>, #nc.fence<engine = <gpsimd>, after = false, waits = [#nc.token<2, 1>], signals = [#nc.token<12, 2>]>, #nc.fence<engine = <gpsimd>, after = true, waits = [#nc.token<12, 2>], signals = []>]}
    %18 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 1088 : i64} : memref<128x1064xui8, #nc.space<sbuf>>
    %19 = nc.view %18[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xui8, #nc.space<sbuf>> -> <128x532xui8, sbuf>
    %20 = nc.view %18[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xui8, #nc.space<sbuf>> -> <37x532xui8, sbuf>
    %21 = nc.alloc {byte = 17152 : i64, partition = 0 : i64, slot_bytes = 4288 : i64} : memref<128x1064xf32, #nc.space<sbuf>>
    %22 = nc.view %21[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <128x532xf32, sbuf>
    %23 = nc.view %21[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <37x532xf32, sbuf>
    %24 = nc.alloc {byte = 23616 : i64, partition = 0 : i64, slot_bytes = 2176 : i64} : memref<128x1064xbf16, #nc.space<sbuf>>
    %25 = nc.view %24[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xbf16, #nc.space<sbuf>> -> <128x532xbf16, sbuf>
    %26 = nc.view %24[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xbf16, #nc.space<sbuf>> -> <37x532xbf16, sbuf>
    %27 = nc.view %arg4[] offset #map3 sizes [1, 1] strides [16, 1] : memref<1x16xi32, #nc.space<hbm>> -> <1x1xi32, hbm>
    nc.tensor_tensor dst(%19 : <128x532xui8, sbuf>) data1(%12 : <128x532xf32, sbuf>) data2(%7 : <128x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.waits = [#nc.token<7, 1>, #nc.token<3, 1>], op = #nc.alu_op<less_equal>}
    nc.tensor_tensor dst(%20 : <37x532xui8, sbuf>) data1(%14 : <37x532xf32, sbuf>) data2(%8 : <37x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.waits = [#nc.token<9, 1>], op = #nc.alu_op<less_equal>}
    nc.tensor_copy dst(%22 : <128x532xf32, sbuf>) src(%7 : <128x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<11, 1>], nc.waits = [#nc.token<0, 1>]}
    nc.tensor_copy dst(%23 : <37x532xf32, sbuf>) src(%8 : <37x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<11, 1>]}
    nc.tensor_copy_predicated dst(%22 : <128x532xf32, sbuf>) src(%7 : !nc.view<128x532xf32, sbuf>) predicate(%19 : <128x532xui8, sbuf>) {engine = #nc.engine<vector>, nc.waits = [#nc.token<11, 1>]}
    nc.tensor_copy_predicated dst(%23 : <37x532xf32, sbuf>) src(%8 : !nc.view<37x532xf32, sbuf>) predicate(%20 : <37x532xui8, sbuf>) {engine = #nc.engine<vector>, nc.waits = [#nc.token<11, 1>]}
    nc.tensor_copy dst(%25 : <128x532xbf16, sbuf>) src(%7 : <128x532xf32, sbuf>) {engine = #nc.engine<vector>}
    nc.tensor_copy dst(%26 : <37x532xbf16, sbuf>) src(%8 : <37x532xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    %28 = nc.register_load src(%27 : <1x1xi32, hbm>) {engine = #nc.engine<vector>, group = 0 : i64}
    %29 = nc.register_load src(%27 : <1x1xi32, hbm>) {engine = #nc.engine<gpsimd>, group = 0 : i64}
    %30 = nc.register_load src(%27 : <1x1xi32, hbm>) {engine = #nc.engine<sync>, group = 0 : i64}
    %31 = affine.min #map4()[%28]
    scf.for %arg10 = %c0 to %31 step %c1 {
      %35 = nc.alloc {byte = 0 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 4288 : i64} : memref<128x1064xf32, #nc.space<sbuf>>
      %36 = nc.view %35[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <128x532xf32, sbuf>
      %37 = nc.view %35[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <37x532xf32, sbuf>
      %38 = nc.alloc {byte = 25792 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 1088 : i64} : memref<28x267xf32, #nc.space<sbuf>>
      %39 = nc.view %38[] offset #map sizes [11, 267] strides [1, 1] : memref<28x267xf32, #nc.space<sbuf>> -> <11x267xf32, sbuf>
      %40 = nc.view %6[%arg10] row 117 offset #map5 sizes [11, 267] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <11x267xf32, sbuf>
      %41 = nc.view %38[] row 11 offset #map sizes [17, 267] strides [1, 1] : memref<28x267xf32, #nc.space<sbuf>> -> <17x267xf32, sbuf>
      %42 = nc.view %6[%arg10] offset #map6 sizes [17, 267] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <17x267xf32, sbuf>
      %43 = nc.alloc {byte = 27968 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 576 : i64} : memref<28x267xbf16, #nc.space<sbuf>>
      %44 = nc.view %43[] offset #map sizes [28, 267] strides [1, 1] : memref<28x267xbf16, #nc.space<sbuf>> -> <28x267xbf16, sbuf>
      %45 = nc.view %38[] offset #map sizes [28, 267] strides [1, 1] : memref<28x267xf32, #nc.space<sbuf>> -> <28x267xf32, sbuf>
      %46 = nc.view %arg6[%arg10] offset #map7 sizes [28, 267] strides [267, 1] : memref<2x165x267xbf16, #nc.space<hbm>> -> <28x267xbf16, hbm>
      nc.dma_copy dst(%41 : <17x267xf32, sbuf>) src(%42 : <17x267xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<15, 1>], nc.waits = [#nc.token<16, 1>], queue = 3 : i32}
      nc.dma_copy dst(%39 : <11x267xf32, sbuf>) src(%40 : <11x267xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<14, 1>], queue = 2 : i32}
      nc.tensor_scalar dst(%36 : <128x532xf32, sbuf>) data(%22 : <128x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.ordered = array<i64: 1, 1>, op0 = #nc.alu_op<maximum>, operand0_value = -9.000000e+00 : f32}
      nc.tensor_scalar dst(%37 : <37x532xf32, sbuf>) data(%23 : <37x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.ordered = array<i64: 1, 1>, op0 = #nc.alu_op<maximum>, operand0_value = -9.000000e+00 : f32}
      nc.scalar_tensor_tensor dst(%12 : <128x532xf32, sbuf>) data(%36 : <128x532xf32, sbuf>) operand1(%12 : <128x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.ordered = array<i64: 1, 3>, op0 = #nc.alu_op<minimum>, op1 = #nc.alu_op<minimum>, operand0_value = 9.000000e+00 : f32}
      nc.tensor_scalar dst(%44 : <28x267xbf16, sbuf>) data(%45 : <28x267xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<12, 1>, #nc.token<16, 1>], nc.waits = [#nc.token<14, 1>, #nc.token<15, 1>, #nc.token<4, 1>], op0 = #nc.alu_op<maximum>, op1 = #nc.alu_op<minimum>, operand0_value = -9.000000e+00 : f32, operand1_value = 9.000000e+00 : f32}
      nc.scalar_tensor_tensor dst(%14 : <37x532xf32, sbuf>) data(%37 : <37x532xf32, sbuf>) operand1(%14 : <37x532xf32, sbuf>) {engine = #nc.engine<vector>, nc.ordered = array<i64: 1, 3>, op0 = #nc.alu_op<minimum>, op1 = #nc.alu_op<minimum>, operand0_value = 9.000000e+00 : f32}
      nc.dma_copy dst(%46 : <28x267xbf16, hbm>) src(%44 : <28x267xbf16, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<4, 1>, #nc.token<17, 1>], nc.waits = [#nc.token<12, 1>, #nc.token<17, 1>], queue = 10 : i32}
      nc.memset dst(%1 : <128x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.ordered = array<i64: 1, 6>, value = -4.000000e+00 : f32}
    } {nc.fences = [#nc.fence<engine = <vector>, after = false, waits = [#nc.token<3, 1>, #nc.token<10, 1>], signals = [#nc.token<4, 2>]>, #nc.fence<engine = <vector>, after = true, waits = [], signals = [#nc.token<0, 1>]>, #nc.fence<engine = <vector>, after = true, waits = [#nc.token<4, 2>], signals = []>, #nc.fence<engine = <gpsimd>, after = false, waits = [#nc.token<1, 1>], signals = [#nc.token<17, 1>]>, #nc.fence<engine = <gpsimd>, after = true, waits = [#nc.token<17, 1>], signals = []>, #nc.fence<engine = <sync>, after = false, waits = [#nc.token<13, 1>], signals = [#nc.token<16, 2>]>, #nc.fence<engine = <sync>, after = true, waits = [#nc.token<16, 2>], signals = []>]}
    %32 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 4288 : i64} : memref<128x1064xf32, #nc.space<sbuf>>
    %33 = nc.view %32[] offset #map sizes [128, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <128x532xf32, sbuf>
    %34 = nc.view %32[] offset #map2 sizes [37, 532] strides [1, 1] : memref<128x1064xf32, #nc.space<sbuf>> -> <37x532xf32, sbuf>
    nc.tensor_copy dst(%33 : <128x532xf32, sbuf>) src(%25 : <128x532xbf16, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>]}
    nc.tensor_copy dst(%34 : <37x532xf32, sbuf>) src(%26 : <37x532xbf16, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<18, 1>], nc.waits = [#nc.token<0, 1>]}
    nc.dma_copy dst(%16 : <128x532xf32, hbm>) src(%33 : <128x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.waits = [#nc.token<0, 1>], queue = 11 : i32}
    nc.dma_copy dst(%17 : <37x532xf32, hbm>) src(%34 : <37x532xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.waits = [#nc.token<18, 1>], queue = 8 : i32}
    return
  }
}

