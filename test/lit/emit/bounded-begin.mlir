// RUN: kiln-opt --emit-assembly %s 2>&1 | FileCheck %s

// A loop over a register runs from 2 to `min(4, r)` in steps of 3: one trip, or none.
// The proof of the streams must not play iterations that there are not, whose
// addresses lie in other buffers.
// CHECK: .kernel kernel
// CHECK: register_alu

#map = affine_map<() -> (0)>
#map1 = affine_map<() -> (321)>
#map2 = affine_map<() -> (41088)>
#map3 = affine_map<() -> (11)>
#map4 = affine_map<()[s0] -> (4, s0)>
#map5 = affine_map<(d0) -> ((d0 floordiv 3) * 149 + 33)>
#map6 = affine_map<() -> (118)>
#map7 = affine_map<(d0) -> ((d0 floordiv 3) * 149 + 354)>
#map8 = affine_map<() -> (24)>
#map9 = affine_map<() -> (345)>
#map10 = affine_map<(d0) -> ((d0 floordiv 3) * 4 + 17)>
module attributes {nc.target = #nc.target<"trn2">} {
  func.func @kernel(%arg0: memref<165x321xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "x"}, %arg1: memref<321x165xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xb"}, %arg2: memref<3x83x321xf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xh"}, %arg3: memref<165x321xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xi"}, %arg4: memref<1x16xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "idx"}, %arg5: memref<165x321xf32, #nc.space<hbm>> {nc.kind = #nc.kind<inout>, nc.name = "z"}, %arg6: memref<2x165x161xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<inout>, nc.name = "zb"}, %arg7: memref<165x321xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y"}, %arg8: memref<165x321xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y2"}, %arg9: memref<165x321xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y3"}) attributes {nc.psum_banks_peak = 0 : i64, nc.sbuf_peak_bytes = 9600 : i64, nc.semaphores = 14 : i64} {
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %0 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 2624 : i64} : memref<128x642xf32, #nc.space<sbuf>>
    %1 = nc.view %0[] offset #map sizes [128, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <128x321xf32, sbuf>
    %2 = nc.view %arg0[] offset #map sizes [128, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <128x321xf32, hbm>
    %3 = nc.view %0[] offset #map1 sizes [37, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <37x321xf32, sbuf>
    %4 = nc.view %arg0[] offset #map2 sizes [37, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <37x321xf32, hbm>
    %5 = nc.view %arg7[] offset #map sizes [128, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <128x321xf32, hbm>
    %6 = nc.view %arg7[] offset #map2 sizes [37, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <37x321xf32, hbm>
    %7 = nc.alloc {byte = 5248 : i64, partition = 0 : i64, slot_bytes = 2624 : i64} : memref<128x642xf32, #nc.space<sbuf>>
    %8 = nc.view %7[] offset #map sizes [128, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <128x321xf32, sbuf>
    %9 = nc.view %7[] offset #map1 sizes [37, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <37x321xf32, sbuf>
    %10 = nc.view %arg8[] offset #map sizes [128, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <128x321xf32, hbm>
    %11 = nc.view %arg8[] offset #map2 sizes [37, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <37x321xf32, hbm>
    %12 = nc.alloc {byte = 2624 : i64, partition = 0 : i64, slot_bytes = 2624 : i64} : memref<128x642xf32, #nc.space<sbuf>>
    %13 = nc.view %12[] offset #map sizes [128, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <128x321xf32, sbuf>
    %14 = nc.view %12[] offset #map1 sizes [37, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <37x321xf32, sbuf>
    %15 = nc.view %arg9[] offset #map sizes [128, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <128x321xf32, hbm>
    %16 = nc.view %arg9[] offset #map2 sizes [37, 321] strides [321, 1] : memref<165x321xf32, #nc.space<hbm>> -> <37x321xf32, hbm>
    %17 = nc.alloc {byte = 2624 : i64, partition = 0 : i64, slot_bytes = 2624 : i64} : memref<128x642xf32, #nc.space<sbuf>>
    %18 = nc.view %17[] offset #map sizes [128, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <128x321xf32, sbuf>
    %19 = nc.view %17[] offset #map1 sizes [37, 321] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <37x321xf32, sbuf>
    %20 = nc.view %arg4[] offset #map3 sizes [1, 1] strides [16, 1] : memref<1x16xi32, #nc.space<hbm>> -> <1x1xi32, hbm>
    nc.dma_copy dst(%1 : <128x321xf32, sbuf>) src(%2 : <128x321xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<0, 1>]}
    nc.dma_copy dst(%3 : <37x321xf32, sbuf>) src(%4 : <37x321xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<1, 1>], queue = 1 : i32}
    nc.dma_copy dst(%5 : <128x321xf32, hbm>) src(%1 : <128x321xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.waits = [#nc.token<0, 1>], queue = 8 : i32}
    nc.dma_copy dst(%6 : <37x321xf32, hbm>) src(%3 : <37x321xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.waits = [#nc.token<1, 1>], queue = 9 : i32}
    nc.dma_copy dst(%8 : <128x321xf32, sbuf>) src(%2 : <128x321xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<2, 1>], queue = 2 : i32}
    nc.dma_copy dst(%9 : <37x321xf32, sbuf>) src(%4 : <37x321xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<3, 1>], queue = 3 : i32}
    nc.dma_copy dst(%10 : <128x321xf32, hbm>) src(%8 : <128x321xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<4, 1>], nc.waits = [#nc.token<2, 1>], queue = 10 : i32}
    nc.dma_copy dst(%11 : <37x321xf32, hbm>) src(%9 : <37x321xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<5, 1>, #nc.token<6, 1>], nc.waits = [#nc.token<3, 1>], queue = 11 : i32}
    nc.dma_copy dst(%13 : <128x321xf32, sbuf>) src(%2 : <128x321xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<7, 1>], queue = 4 : i32}
    nc.dma_copy dst(%14 : <37x321xf32, sbuf>) src(%4 : <37x321xf32, hbm>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<8, 1>], queue = 5 : i32}
    nc.dma_copy dst(%15 : <128x321xf32, hbm>) src(%13 : <128x321xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<9, 1>], nc.waits = [#nc.token<7, 1>], queue = 8 : i32}
    nc.dma_copy dst(%16 : <37x321xf32, hbm>) src(%14 : <37x321xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<10, 1>], nc.waits = [#nc.token<8, 1>], queue = 9 : i32}
    nc.affine_select dst(%18 : <128x321xf32, sbuf>) on_true_tile(%8 : <128x321xf32, sbuf>) {channel_multiplier = -1 : i32, cmp_op = #nc.alu_op<less_equal>, engine = #nc.engine<gpsimd>, nc.waits = [#nc.token<9, 1>], offset = 131 : i32, on_false_value = 2.000000e+00 : f32, pattern_sizes = array<i64: 321>, pattern_steps = array<i64: 2>}
    nc.affine_select dst(%19 : <37x321xf32, sbuf>) on_true_tile(%9 : <37x321xf32, sbuf>) {channel_multiplier = -1 : i32, cmp_op = #nc.alu_op<less_equal>, engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<11, 1>, #nc.token<12, 1>], nc.waits = [#nc.token<10, 1>], offset = 3 : i32, on_false_value = 2.000000e+00 : f32, pattern_sizes = array<i64: 321>, pattern_steps = array<i64: 2>}
    %21 = nc.register_load src(%20 : <1x1xi32, hbm>) {engine = #nc.engine<vector>, group = 0 : i64}
    %22 = nc.register_load src(%20 : <1x1xi32, hbm>) {engine = #nc.engine<sync>, group = 0 : i64}
    %23 = affine.min #map4()[%21]
    scf.for %arg10 = %c2 to %23 step %c3 {
      %24 = nc.alloc {byte = 7680 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 960 : i64} : memref<128x236xf32, #nc.space<sbuf>>
      %25 = nc.view %24[] offset #map sizes [128, 118] strides [1, 1] : memref<128x236xf32, #nc.space<sbuf>> -> <128x118xf32, sbuf>
      %26 = nc.view %17[%arg10] offset #map5 sizes [128, 118] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <128x118xf32, sbuf>
      %27 = nc.view %24[] offset #map6 sizes [37, 118] strides [1, 1] : memref<128x236xf32, #nc.space<sbuf>> -> <37x118xf32, sbuf>
      %28 = nc.view %17[%arg10] offset #map7 sizes [37, 118] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <37x118xf32, sbuf>
      %29 = nc.view %17[] offset #map8 sizes [128, 118] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <128x118xf32, sbuf>
      %30 = nc.view %17[] offset #map9 sizes [37, 118] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <37x118xf32, sbuf>
      %31 = nc.alloc {byte = 5248 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 1216 : i64} : memref<31x300xf32, #nc.space<sbuf>>
      %32 = nc.view %31[] offset #map sizes [31, 300] strides [1, 1] : memref<31x300xf32, #nc.space<sbuf>> -> <31x300xf32, sbuf>
      %33 = nc.view %0[%arg10] row 86 offset #map10 sizes [31, 300] strides [1, 1] : memref<128x642xf32, #nc.space<sbuf>> -> <31x300xf32, sbuf>
      nc.tensor_copy dst(%25 : <128x118xf32, sbuf>) src(%26 : <128x118xf32, sbuf>) {engine = #nc.engine<vector>}
      nc.tensor_copy dst(%27 : <37x118xf32, sbuf>) src(%28 : <37x118xf32, sbuf>) {engine = #nc.engine<vector>}
      nc.tensor_copy dst(%29 : <128x118xf32, sbuf>) src(%25 : <128x118xf32, sbuf>) {engine = #nc.engine<vector>}
      nc.tensor_copy dst(%30 : <37x118xf32, sbuf>) src(%27 : <37x118xf32, sbuf>) {engine = #nc.engine<vector>}
      nc.dma_copy dst(%32 : <31x300xf32, sbuf>) src(%33 : <31x300xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<13, 1>], nc.waits = [#nc.token<13, 1>], queue = 6 : i32}
    } {nc.fences = [#nc.fence<engine = <vector>, after = false, waits = [#nc.token<11, 1>, #nc.token<5, 1>], signals = []>, #nc.fence<engine = <sync>, after = false, waits = [#nc.token<12, 1>, #nc.token<6, 1>, #nc.token<4, 1>], signals = [#nc.token<13, 2>]>, #nc.fence<engine = <sync>, after = true, waits = [#nc.token<13, 2>], signals = []>]}
    return
  }
}

