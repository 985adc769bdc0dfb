// RUN: kiln-opt --emit-assembly %s 2>&1 | FileCheck %s

// A loop over a register runs from `min(2, i + 2)` to `r mod 4`: one trip, or none.
// The proof of the streams must not play iterations that there are not, whose
// addresses lie in other buffers.
// CHECK: .kernel kernel
// CHECK: register_alu

#map = affine_map<() -> (0)>
#map1 = affine_map<() -> (19072)>
#map2 = affine_map<() -> (38144)>
#map3 = affine_map<() -> (298)>
#map4 = affine_map<() -> (12)>
#map5 = affine_map<() -> (600)>
#map6 = affine_map<() -> (27)>
#map7 = affine_map<() -> (176)>
#map8 = affine_map<() -> (8)>
#map9 = affine_map<() -> (325)>
#map10 = affine_map<() -> (16)>
#map11 = affine_map<() -> (300)>
#map12 = affine_map<() -> (128)>
#map13 = affine_map<() -> (428)>
#map14 = affine_map<() -> (728)>
#map15 = affine_map<() -> (256)>
#map16 = affine_map<() -> (556)>
#map17 = affine_map<() -> (856)>
#map18 = affine_map<()[s0] -> (s0 mod 4)>
#map19 = affine_map<(d0) -> (d0 * 16)>
#map20 = affine_map<(d0) -> (2, d0 + 2)>
#map21 = affine_map<(d0) -> (d0)>
#map22 = affine_map<(d0) -> ((d0 floordiv 2) * 97 + 2)>
#map23 = affine_map<(d0) -> ((d0 floordiv 2) * 97 + 151)>
#map24 = affine_map<(d0) -> (d0 + 8)>
#map25 = affine_map<(d0) -> ((d0 floordiv 2) * 97 + 300)>
#map26 = affine_map<(d0) -> (d0 + 16)>
module attributes {nc.target = #nc.target<"trn2">} {
  func.func @kernel(%arg0: memref<337x149xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "x"}, %arg1: memref<149x337xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xb"}, %arg2: memref<3x169x149xf16, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xh"}, %arg3: memref<337x149xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "xi"}, %arg4: memref<1x16xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "idx"}, %arg5: memref<337x149xf32, #nc.space<hbm>> {nc.kind = #nc.kind<inout>, nc.name = "z"}, %arg6: memref<2x337x75xbf16, #nc.space<hbm>> {nc.kind = #nc.kind<inout>, nc.name = "zb"}, %arg7: memref<337x149xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y"}, %arg8: memref<337x149xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y2"}, %arg9: memref<337x149xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>, nc.name = "y3"}) attributes {nc.psum_banks_peak = 3 : i64, nc.sbuf_peak_bytes = 5568 : i64, nc.semaphores = 27 : i64} {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %0 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 640 : i64} : memref<128x149xf32, #nc.space<sbuf>>
    %1 = nc.view %0[] offset #map sizes [128, 149] strides [1, 1] : memref<128x149xf32, #nc.space<sbuf>> -> <128x149xf32, sbuf>
    %2 = nc.view %arg7[] offset #map sizes [128, 149] strides [149, 1] : memref<337x149xf32, #nc.space<hbm>> -> <128x149xf32, hbm>
    %3 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 640 : i64} : memref<128x149xf32, #nc.space<sbuf>>
    %4 = nc.view %3[] offset #map sizes [128, 149] strides [1, 1] : memref<128x149xf32, #nc.space<sbuf>> -> <128x149xf32, sbuf>
    %5 = nc.view %arg7[] offset #map1 sizes [128, 149] strides [149, 1] : memref<337x149xf32, #nc.space<hbm>> -> <128x149xf32, hbm>
    %6 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 640 : i64} : memref<81x149xf32, #nc.space<sbuf>>
    %7 = nc.view %6[] offset #map sizes [81, 149] strides [1, 1] : memref<81x149xf32, #nc.space<sbuf>> -> <81x149xf32, sbuf>
    %8 = nc.view %arg7[] offset #map2 sizes [81, 149] strides [149, 1] : memref<337x149xf32, #nc.space<hbm>> -> <81x149xf32, hbm>
    %9 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 640 : i64} : memref<128x149xf32, #nc.space<sbuf>>
    %10 = nc.view %9[] offset #map sizes [128, 149] strides [1, 1] : memref<128x149xf32, #nc.space<sbuf>> -> <128x149xf32, sbuf>
    %11 = nc.view %arg8[] offset #map sizes [128, 149] strides [149, 1] : memref<337x149xf32, #nc.space<hbm>> -> <128x149xf32, hbm>
    %12 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 640 : i64} : memref<128x149xf32, #nc.space<sbuf>>
    %13 = nc.view %12[] offset #map sizes [128, 149] strides [1, 1] : memref<128x149xf32, #nc.space<sbuf>> -> <128x149xf32, sbuf>
    %14 = nc.view %arg8[] offset #map1 sizes [128, 149] strides [149, 1] : memref<337x149xf32, #nc.space<hbm>> -> <128x149xf32, hbm>
    %15 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 640 : i64} : memref<81x149xf32, #nc.space<sbuf>>
    %16 = nc.view %15[] offset #map sizes [81, 149] strides [1, 1] : memref<81x149xf32, #nc.space<sbuf>> -> <81x149xf32, sbuf>
    %17 = nc.view %arg8[] offset #map2 sizes [81, 149] strides [149, 1] : memref<337x149xf32, #nc.space<hbm>> -> <81x149xf32, hbm>
    %18 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 1792 : i64} : memref<128x447xf32, #nc.space<sbuf>>
    %19 = nc.view %18[] offset #map sizes [128, 298] strides [1, 1] : memref<128x447xf32, #nc.space<sbuf>> -> <128x298xf32, sbuf>
    %20 = nc.view %18[] offset #map3 sizes [81, 149] strides [1, 1] : memref<128x447xf32, #nc.space<sbuf>> -> <81x149xf32, sbuf>
    %21 = nc.view %arg9[] offset #map sizes [128, 2, 149] strides [149, 19072, 1] : memref<337x149xf32, #nc.space<hbm>> -> <128x2x149xf32, hbm>
    %22 = nc.view %arg9[] offset #map2 sizes [81, 149] strides [149, 1] : memref<337x149xf32, #nc.space<hbm>> -> <81x149xf32, hbm>
    %23 = nc.view %arg4[] offset #map4 sizes [1, 1] strides [16, 1] : memref<1x16xi32, #nc.space<hbm>> -> <1x1xi32, hbm>
    nc.memset dst(%1 : <128x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], value = 1.000000e+00 : f32}
    nc.dma_copy dst(%2 : <128x149xf32, hbm>) src(%1 : <128x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<1, 1>], nc.waits = [#nc.token<0, 1>], queue = 8 : i32}
    nc.memset dst(%4 : <128x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], nc.waits = [#nc.token<1, 1>], value = 1.000000e+00 : f32}
    nc.dma_copy dst(%5 : <128x149xf32, hbm>) src(%4 : <128x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<2, 1>], nc.waits = [#nc.token<0, 1>], queue = 9 : i32}
    nc.memset dst(%7 : <81x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], nc.waits = [#nc.token<2, 1>], value = -5.000000e+00 : f32}
    nc.dma_copy dst(%8 : <81x149xf32, hbm>) src(%7 : <81x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<3, 1>], nc.waits = [#nc.token<0, 1>], queue = 10 : i32}
    nc.memset dst(%10 : <128x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], nc.waits = [#nc.token<3, 1>], value = 6.000000e+00 : f32}
    nc.dma_copy dst(%11 : <128x149xf32, hbm>) src(%10 : <128x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<4, 1>], nc.waits = [#nc.token<0, 1>], queue = 11 : i32}
    nc.memset dst(%13 : <128x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], nc.waits = [#nc.token<4, 1>], value = -1.000000e+00 : f32}
    nc.dma_copy dst(%14 : <128x149xf32, hbm>) src(%13 : <128x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<1, 1>], nc.waits = [#nc.token<0, 1>], queue = 8 : i32}
    nc.memset dst(%16 : <81x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], nc.waits = [#nc.token<1, 1>], value = -2.000000e+00 : f32}
    nc.dma_copy dst(%17 : <81x149xf32, hbm>) src(%16 : <81x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<2, 1>], nc.waits = [#nc.token<0, 1>], queue = 9 : i32}
    nc.memset dst(%19 : <128x298xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], nc.waits = [#nc.token<2, 1>], value = 1.000000e+00 : f32}
    nc.memset dst(%20 : <81x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<0, 1>], value = 1.000000e+00 : f32}
    nc.dma_copy dst(%21 : <128x2x149xf32, hbm>) src(%19 : <128x298xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<3, 1>], nc.waits = [#nc.token<0, 1>], queue = 10 : i32}
    nc.dma_copy dst(%22 : <81x149xf32, hbm>) src(%20 : <81x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<4, 1>], nc.waits = [#nc.token<0, 1>], queue = 11 : i32}
    %24 = nc.register_load src(%23 : <1x1xi32, hbm>) {engine = #nc.engine<gpsimd>, group = 0 : i64}
    %25 = nc.register_load src(%23 : <1x1xi32, hbm>) {engine = #nc.engine<sync>, group = 0 : i64}
    %26 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 1792 : i64} : memref<128x447xf32, #nc.space<sbuf>>
    %27 = nc.view %26[] offset #map sizes [128, 298] strides [1, 1] : memref<128x447xf32, #nc.space<sbuf>> -> <128x298xf32, sbuf>
    %28 = nc.view %26[] offset #map3 sizes [81, 149] strides [1, 1] : memref<128x447xf32, #nc.space<sbuf>> -> <81x149xf32, sbuf>
    %29 = nc.alloc {byte = 1920 : i64, partition = 0 : i64, slot_bytes = 3648 : i64} : memref<128x900xf32, #nc.space<sbuf>>
    %30 = nc.view %29[] offset #map sizes [128, 600] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <128x600xf32, sbuf>
    %31 = nc.view %29[] offset #map5 sizes [44, 300] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <44x300xf32, sbuf>
    %32 = nc.alloc {byte = 1792 : i64, partition = 0 : i64, slot_bytes = 128 : i64} : memref<128x24xf32, #nc.space<sbuf>>
    %33 = nc.view %32[] offset #map sizes [116, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <116x8xf32, sbuf>
    %34 = nc.view %26[] row 12 offset #map6 sizes [116, 8] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <116x8xf32, sbuf>
    %35 = nc.view %32[] row 116 offset #map sizes [12, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <12x8xf32, sbuf>
    %36 = nc.view %26[] offset #map7 sizes [12, 8] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <12x8xf32, sbuf>
    %37 = nc.view %32[] offset #map8 sizes [116, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <116x8xf32, sbuf>
    %38 = nc.view %26[] row 12 offset #map7 sizes [116, 8] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <116x8xf32, sbuf>
    %39 = nc.view %32[] row 116 offset #map8 sizes [12, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <12x8xf32, sbuf>
    %40 = nc.view %26[] offset #map9 sizes [12, 8] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <12x8xf32, sbuf>
    %41 = nc.view %32[] offset #map10 sizes [44, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <44x8xf32, sbuf>
    %42 = nc.view %26[] row 12 offset #map9 sizes [44, 8] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <44x8xf32, sbuf>
    %43 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 128 : i64} : memref<128x24xf32, #nc.space<sbuf>>
    %44 = nc.alloc {byte = 4096 : i64, partition = 0 : i64, slot_bytes = 2048 : i64} : memref<128x8xf32, #nc.space<psum>>
    %45 = nc.view %44[] offset #map sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<psum>> -> <128x8xf32, psum>
    %46 = nc.view %29[] offset #map sizes [128, 128] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <128x128xf32, sbuf>
    %47 = nc.view %32[] offset #map sizes [128, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <128x8xf32, sbuf>
    %48 = nc.view %29[] offset #map11 sizes [128, 128] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <128x128xf32, sbuf>
    %49 = nc.view %32[] offset #map8 sizes [128, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <128x8xf32, sbuf>
    %50 = nc.view %29[] offset #map5 sizes [44, 128] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <44x128xf32, sbuf>
    %51 = nc.view %43[] offset #map sizes [128, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <128x8xf32, sbuf>
    %52 = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 2048 : i64} : memref<128x8xf32, #nc.space<psum>>
    %53 = nc.view %52[] offset #map sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<psum>> -> <128x8xf32, psum>
    %54 = nc.view %29[] offset #map12 sizes [128, 128] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <128x128xf32, sbuf>
    %55 = nc.view %29[] offset #map13 sizes [128, 128] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <128x128xf32, sbuf>
    %56 = nc.view %29[] offset #map14 sizes [44, 128] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <44x128xf32, sbuf>
    %57 = nc.view %43[] offset #map8 sizes [128, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <128x8xf32, sbuf>
    %58 = nc.alloc {byte = 2048 : i64, partition = 0 : i64, slot_bytes = 2048 : i64} : memref<44x8xf32, #nc.space<psum>>
    %59 = nc.view %58[] offset #map sizes [44, 8] strides [1, 1] : memref<44x8xf32, #nc.space<psum>> -> <44x8xf32, psum>
    %60 = nc.view %29[] offset #map15 sizes [128, 44] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <128x44xf32, sbuf>
    %61 = nc.view %29[] offset #map16 sizes [128, 44] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <128x44xf32, sbuf>
    %62 = nc.view %29[] offset #map17 sizes [44, 44] strides [1, 1] : memref<128x900xf32, #nc.space<sbuf>> -> <44x44xf32, sbuf>
    %63 = nc.view %43[] offset #map10 sizes [44, 8] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <44x8xf32, sbuf>
    %64 = affine.apply #map18()[%24]
    nc.memset dst(%27 : <128x298xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<5, 1>], nc.waits = [#nc.token<3, 1>], value = 1.000000e+00 : f32}
    nc.memset dst(%28 : <81x149xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<5, 1>], nc.waits = [#nc.token<4, 1>], value = 1.000000e+00 : f32}
    nc.dma_copy dst(%33 : <116x8xf32, sbuf>) src(%34 : <116x8xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<6, 1>], nc.waits = [#nc.token<5, 1>]}
    nc.memset dst(%30 : <128x600xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<7, 1>], value = 0.000000e+00 : f32}
    nc.dma_copy dst(%35 : <12x8xf32, sbuf>) src(%36 : <12x8xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<8, 1>], queue = 1 : i32}
    nc.memset dst(%31 : <44x300xf32, sbuf>) {engine = #nc.engine<vector>, nc.signals = [#nc.token<7, 1>], value = 0.000000e+00 : f32}
    nc.dma_copy dst(%37 : <116x8xf32, sbuf>) src(%38 : <116x8xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<9, 1>], queue = 2 : i32}
    nc.dma_copy dst(%39 : <12x8xf32, sbuf>) src(%40 : <12x8xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<10, 1>], nc.waits = [#nc.token<5, 1>], queue = 3 : i32}
    nc.dma_copy dst(%41 : <44x8xf32, sbuf>) src(%42 : <44x8xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<11, 1>], queue = 4 : i32}
    nc.nc_matmul dst(%45 : <128x8xf32, psum>) stationary(%46 : <128x128xf32, sbuf>) moving(%47 : <128x8xf32, sbuf>) {engine = #nc.engine<tensor>, nc.waits = [#nc.token<8, 1>, #nc.token<7, 1>, #nc.token<6, 1>]}
    nc.nc_matmul dst(%53 : <128x8xf32, psum>) stationary(%54 : <128x128xf32, sbuf>) moving(%47 : <128x8xf32, sbuf>) {engine = #nc.engine<tensor>}
    nc.nc_matmul dst(%59 : <44x8xf32, psum>) stationary(%60 : <128x44xf32, sbuf>) moving(%47 : <128x8xf32, sbuf>) {engine = #nc.engine<tensor>}
    nc.nc_matmul dst(%45 : <128x8xf32, psum>) stationary(%48 : <128x128xf32, sbuf>) moving(%49 : <128x8xf32, sbuf>) {accumulate = true, engine = #nc.engine<tensor>, nc.waits = [#nc.token<10, 1>, #nc.token<9, 1>]}
    nc.nc_matmul dst(%53 : <128x8xf32, psum>) stationary(%55 : <128x128xf32, sbuf>) moving(%49 : <128x8xf32, sbuf>) {accumulate = true, engine = #nc.engine<tensor>}
    nc.nc_matmul dst(%59 : <44x8xf32, psum>) stationary(%61 : <128x44xf32, sbuf>) moving(%49 : <128x8xf32, sbuf>) {accumulate = true, engine = #nc.engine<tensor>}
    nc.nc_matmul dst(%45 : <128x8xf32, psum>) stationary(%50 : <44x128xf32, sbuf>) moving(%41 : <44x8xf32, sbuf>) {accumulate = true, engine = #nc.engine<tensor>, nc.signals = [#nc.token<12, 1>], nc.waits = [#nc.token<7, 1>, #nc.token<11, 1>]}
    nc.nc_matmul dst(%53 : <128x8xf32, psum>) stationary(%56 : <44x128xf32, sbuf>) moving(%41 : <44x8xf32, sbuf>) {accumulate = true, engine = #nc.engine<tensor>, nc.signals = [#nc.token<12, 1>]}
    nc.tensor_copy dst(%51 : <128x8xf32, sbuf>) src(%45 : <128x8xf32, psum>) {engine = #nc.engine<scalar>, nc.waits = [#nc.token<12, 1>]}
    nc.nc_matmul dst(%59 : <44x8xf32, psum>) stationary(%62 : <44x44xf32, sbuf>) moving(%41 : <44x8xf32, sbuf>) {accumulate = true, engine = #nc.engine<tensor>, nc.signals = [#nc.token<12, 1>, #nc.token<13, 1>, #nc.token<14, 1>]}
    nc.tensor_copy dst(%57 : <128x8xf32, sbuf>) src(%53 : <128x8xf32, psum>) {engine = #nc.engine<scalar>, nc.waits = [#nc.token<12, 1>]}
    nc.tensor_copy dst(%63 : <44x8xf32, sbuf>) src(%59 : <44x8xf32, psum>) {engine = #nc.engine<scalar>, nc.signals = [#nc.token<15, 1>], nc.waits = [#nc.token<12, 1>]}
    scf.for %arg10 = %c0 to %c4 step %c1 {
      %65 = nc.alloc {byte = 4992 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 256 : i64} : memref<128x63xf32, #nc.space<sbuf>>
      %66 = nc.alloc {byte = 3712 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 640 : i64} : memref<128x149xf32, #nc.space<sbuf>>
      %67 = nc.view %66[] offset #map sizes [128, 149] strides [1, 1] : memref<128x149xf32, #nc.space<sbuf>> -> <128x149xf32, sbuf>
      %68 = nc.view %65[] offset #map sizes [128, 63] strides [1, 1] : memref<128x63xf32, #nc.space<sbuf>> -> <128x63xf32, sbuf>
      %69 = nc.view %66[%arg10] offset #map19 sizes [128, 63] strides [1, 1] : memref<128x149xf32, #nc.space<sbuf>> -> <128x63xf32, sbuf>
      %70 = affine.min #map20(%arg10)
      nc.memset dst(%67 : <128x149xf32, sbuf>) {engine = #nc.engine<vector>, value = -1.000000e+00 : f32}
      nc.tensor_copy dst(%68 : <128x63xf32, sbuf>) src(%69 : <128x63xf32, sbuf>) {engine = #nc.engine<vector>}
      scf.for %arg11 = %70 to %64 step %c1 {
        %71 = nc.alloc {byte = 128 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 1792 : i64} : memref<128x447xf32, #nc.space<sbuf>>
        %72 = nc.view %71[] offset #map sizes [128, 298] strides [1, 1] : memref<128x447xf32, #nc.space<sbuf>> -> <128x298xf32, sbuf>
        %73 = nc.view %71[] offset #map3 sizes [81, 149] strides [1, 1] : memref<128x447xf32, #nc.space<sbuf>> -> <81x149xf32, sbuf>
        %74 = nc.view %43[%arg10] offset #map21 sizes [124, 2] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <124x2xf32, sbuf>
        %75 = nc.view %71[%arg11] row 4 offset #map22 sizes [124, 2] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <124x2xf32, sbuf>
        %76 = nc.view %43[%arg10] row 124 offset #map21 sizes [4, 2] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <4x2xf32, sbuf>
        %77 = nc.view %71[%arg11] offset #map23 sizes [4, 2] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <4x2xf32, sbuf>
        %78 = nc.view %43[%arg10] offset #map24 sizes [124, 2] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <124x2xf32, sbuf>
        %79 = nc.view %71[%arg11] row 4 offset #map23 sizes [124, 2] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <124x2xf32, sbuf>
        %80 = nc.view %43[%arg10] row 124 offset #map24 sizes [4, 2] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <4x2xf32, sbuf>
        %81 = nc.view %71[%arg11] offset #map25 sizes [4, 2] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <4x2xf32, sbuf>
        %82 = nc.view %43[%arg10] offset #map26 sizes [44, 2] strides [1, 1] : memref<128x24xf32, #nc.space<sbuf>> -> <44x2xf32, sbuf>
        %83 = nc.view %71[%arg11] row 4 offset #map25 sizes [44, 2] strides [1, 4] : memref<128x447xf32, #nc.space<sbuf>> -> <44x2xf32, sbuf>
        nc.memset dst(%72 : <128x298xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.waits = [#nc.token<16, 1>, #nc.token<17, 1>, #nc.token<18, 1>, #nc.token<19, 1>, #nc.token<20, 1>], value = 1.000000e+00 : f32}
        nc.memset dst(%73 : <81x149xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.signals = [#nc.token<26, 1>], value = 1.000000e+00 : f32}
        nc.dma_copy dst(%74 : <124x2xf32, sbuf>) src(%75 : <124x2xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<20, 1>, #nc.token<21, 1>], nc.waits = [#nc.token<26, 1>, #nc.token<21, 1>], queue = 5 : i32}
        nc.dma_copy dst(%78 : <124x2xf32, sbuf>) src(%79 : <124x2xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<19, 1>, #nc.token<22, 1>], nc.waits = [#nc.token<22, 1>], queue = 7 : i32}
        nc.dma_copy dst(%82 : <44x2xf32, sbuf>) src(%83 : <44x2xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<18, 1>, #nc.token<23, 1>], nc.waits = [#nc.token<23, 1>], queue = 1 : i32}
        nc.dma_copy dst(%76 : <4x2xf32, sbuf>) src(%77 : <4x2xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<17, 1>, #nc.token<24, 1>], nc.waits = [#nc.token<24, 1>], queue = 6 : i32}
        nc.dma_copy dst(%80 : <4x2xf32, sbuf>) src(%81 : <4x2xf32, sbuf>) {engine = #nc.engine<sync>, nc.signals = [#nc.token<16, 1>, #nc.token<25, 1>], nc.waits = [#nc.token<25, 1>]}
      }
    } {nc.fences = [#nc.fence<engine = <vector>, after = false, waits = [#nc.token<13, 1>], signals = []>, #nc.fence<engine = <gpsimd>, after = false, waits = [#nc.token<14, 1>], signals = [#nc.token<16, 2>, #nc.token<17, 2>, #nc.token<18, 2>, #nc.token<19, 2>, #nc.token<20, 2>]>, #nc.fence<engine = <gpsimd>, after = true, waits = [#nc.token<16, 2>, #nc.token<17, 2>, #nc.token<18, 2>, #nc.token<19, 2>, #nc.token<20, 2>], signals = []>, #nc.fence<engine = <sync>, after = false, waits = [#nc.token<15, 1>], signals = [#nc.token<21, 1>, #nc.token<22, 1>, #nc.token<23, 1>, #nc.token<24, 1>, #nc.token<25, 1>]>, #nc.fence<engine = <sync>, after = true, waits = [#nc.token<21, 1>, #nc.token<22, 1>, #nc.token<23, 1>, #nc.token<24, 1>, #nc.token<25, 1>], signals = []>]}
    return
  }
}

