// RUN: kiln-opt %s --nc-allocate | FileCheck %s

// Copies that all loops gave back return, to the innermost loop first, as long
// as no more than 32 buffers have asked: where memory says how often a loop runs.

// CHECK-LABEL: func.func @copies_return
func.func @copies_return(%m: memref<1x1xi32, #nc.space<hbm>>) {
  %nv = nc.view %m[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %n = nc.register_load src(%nv : !nc.view<1x1xi32, hbm>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc {label = "a"} : memref<128x64xbf16, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xbf16, #nc.space<sbuf>> -> !nc.view<128x64xbf16, sbuf>
  %r = nc.alloc {label = "r"} : memref<64x64xf32, #nc.space<sbuf>>
  %rv = nc.view %r[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> !nc.view<64x64xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: label = "o0", partition = 0 : i64, slot_bytes
    %o0 = nc.alloc {label = "o0", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %o0v = nc.view %o0[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%o0v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%o0v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    scf.for %j = %c0 to %n step %c1 {
      // CHECK: label = "i0", partition = 0 : i64, ring = 2 : i64, slot_bytes
      %i0 = nc.alloc {label = "i0", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i0v = nc.view %i0[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i0v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i0v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i1 = nc.alloc {label = "i1", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i1v = nc.view %i1[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i1v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i1v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i2 = nc.alloc {label = "i2", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i2v = nc.view %i2[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i2v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i2v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i3 = nc.alloc {label = "i3", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i3v = nc.view %i3[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i3v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i3v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i4 = nc.alloc {label = "i4", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i4v = nc.view %i4[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i4v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i4v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i5 = nc.alloc {label = "i5", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i5v = nc.view %i5[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i5v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i5v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i6 = nc.alloc {label = "i6", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i6v = nc.view %i6[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i6v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i6v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i7 = nc.alloc {label = "i7", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i7v = nc.view %i7[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i7v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i7v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i8 = nc.alloc {label = "i8", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i8v = nc.view %i8[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i8v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i8v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i9 = nc.alloc {label = "i9", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i9v = nc.view %i9[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i9v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i9v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i10 = nc.alloc {label = "i10", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i10v = nc.view %i10[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i10v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i10v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i11 = nc.alloc {label = "i11", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i11v = nc.view %i11[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i11v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i11v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i12 = nc.alloc {label = "i12", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i12v = nc.view %i12[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i12v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i12v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i13 = nc.alloc {label = "i13", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i13v = nc.view %i13[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i13v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i13v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i14 = nc.alloc {label = "i14", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i14v = nc.view %i14[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i14v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i14v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i15 = nc.alloc {label = "i15", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i15v = nc.view %i15[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i15v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i15v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i16 = nc.alloc {label = "i16", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i16v = nc.view %i16[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i16v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i16v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i17 = nc.alloc {label = "i17", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i17v = nc.view %i17[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i17v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i17v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i18 = nc.alloc {label = "i18", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i18v = nc.view %i18[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i18v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i18v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i19 = nc.alloc {label = "i19", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i19v = nc.view %i19[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i19v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i19v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i20 = nc.alloc {label = "i20", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i20v = nc.view %i20[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i20v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i20v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i21 = nc.alloc {label = "i21", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i21v = nc.view %i21[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i21v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i21v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i22 = nc.alloc {label = "i22", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i22v = nc.view %i22[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i22v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i22v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i23 = nc.alloc {label = "i23", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i23v = nc.view %i23[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i23v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i23v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i24 = nc.alloc {label = "i24", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i24v = nc.view %i24[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i24v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i24v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i25 = nc.alloc {label = "i25", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i25v = nc.view %i25[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i25v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i25v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i26 = nc.alloc {label = "i26", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i26v = nc.view %i26[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i26v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i26v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i27 = nc.alloc {label = "i27", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i27v = nc.view %i27[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i27v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i27v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i28 = nc.alloc {label = "i28", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i28v = nc.view %i28[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i28v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i28v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i29 = nc.alloc {label = "i29", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i29v = nc.view %i29[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i29v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i29v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      %i30 = nc.alloc {label = "i30", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i30v = nc.view %i30[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i30v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i30v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
      // CHECK: label = "i31", partition = 0 : i64, ring = 2 : i64, slot_bytes
      %i31 = nc.alloc {label = "i31", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
      %i31v = nc.view %i31[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
      nc.nc_matmul dst(%i31v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
      nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%i31v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    }
  }
  return
}

// A loop with room for all copies of its own tiles keeps them, and none of them
// shares a bank with another; one without room gives back its own.

// CHECK-LABEL: func.func @loop_with_room
func.func @loop_with_room() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc {label = "a"} : memref<128x64xbf16, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xbf16, #nc.space<sbuf>> -> !nc.view<128x64xbf16, sbuf>
  %r = nc.alloc {label = "r"} : memref<64x64xf32, #nc.space<sbuf>>
  %rv = nc.view %r[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x64xf32, #nc.space<sbuf>> -> !nc.view<64x64xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: label = "m0", partition = 0 : i64, slot_bytes
    %m0 = nc.alloc {label = "m0", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m0v = nc.view %m0[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m0v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m0v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m1 = nc.alloc {label = "m1", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m1v = nc.view %m1[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m1v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m1v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m2 = nc.alloc {label = "m2", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m2v = nc.view %m2[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m2v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m2v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m3 = nc.alloc {label = "m3", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m3v = nc.view %m3[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m3v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m3v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m4 = nc.alloc {label = "m4", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m4v = nc.view %m4[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m4v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m4v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m5 = nc.alloc {label = "m5", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m5v = nc.view %m5[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m5v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m5v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m6 = nc.alloc {label = "m6", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m6v = nc.view %m6[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m6v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m6v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m7 = nc.alloc {label = "m7", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m7v = nc.view %m7[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m7v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m7v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    %m8 = nc.alloc {label = "m8", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %m8v = nc.view %m8[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%m8v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%m8v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: byte = 2048 : i64, label = "f0", partition = 0 : i64, ring = 2 : i64, slot_bytes
    %f0 = nc.alloc {label = "f0", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %f0v = nc.view %f0[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%f0v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%f0v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
    // CHECK: byte = 6144 : i64, label = "f1", partition = 0 : i64, ring = 2 : i64, slot_bytes
    %f1 = nc.alloc {label = "f1", ring = 2 : i64} : memref<64x512xf32, #nc.space<psum>>
    %f1v = nc.view %f1[] offset affine_map<() -> (0)> sizes [64, 64] strides [1, 1] : memref<64x512xf32, #nc.space<psum>> -> !nc.view<64x64xf32, psum>
    nc.nc_matmul dst(%f1v : !nc.view<64x64xf32, psum>) stationary(%av : !nc.view<128x64xbf16, sbuf>) moving(%av : !nc.view<128x64xbf16, sbuf>) {engine = #nc.engine<tensor>}
    nc.tensor_copy dst(%rv : !nc.view<64x64xf32, sbuf>) src(%f1v : !nc.view<64x64xf32, psum>) {engine = #nc.engine<vector>}
  }
  return
}

// Copies return to memory from what stands around a loop before what is in it,
// though this takes more.

// CHECK-LABEL: func.func @outer_gives_first
func.func @outer_gives_first() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: label = "outer", partition = 0 : i64, slot_bytes
    %o = nc.alloc {label = "outer", ring = 2 : i64} : memref<128x10240xf32, #nc.space<sbuf>>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 10240] strides [1, 1] : memref<128x10240xf32, #nc.space<sbuf>> -> !nc.view<128x10240xf32, sbuf>
    nc.memset dst(%ov : !nc.view<128x10240xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    scf.for %j = %c0 to %c8 step %c1 {
      // CHECK: label = "inner", partition = 0 : i64, ring = 2 : i64, slot_bytes
      %n = nc.alloc {label = "inner", ring = 2 : i64} : memref<128x18432xf32, #nc.space<sbuf>>
      %nv = nc.view %n[] offset affine_map<() -> (0)> sizes [128, 18432] strides [1, 1] : memref<128x18432xf32, #nc.space<sbuf>> -> !nc.view<128x18432xf32, sbuf>
      nc.memset dst(%nv : !nc.view<128x18432xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    }
    nc.memset dst(%ov : !nc.view<128x10240xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  }
  return
}

// In SBUF, too, they return where data bounds a loop: others took them, in
// another loop, which has no room.

// CHECK-LABEL: func.func @copies_return_in_sbuf
func.func @copies_return_in_sbuf(%m: memref<1x1xi32, #nc.space<hbm>>) {
  %nv = nc.view %m[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %n = nc.register_load src(%nv : !nc.view<1x1xi32, hbm>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: label = "x", partition = 0 : i64, slot_bytes
    %x = nc.alloc {label = "x", ring = 2 : i64} : memref<128x15360xf32, #nc.space<sbuf>>
    %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 15360] strides [1, 1] : memref<128x15360xf32, #nc.space<sbuf>> -> !nc.view<128x15360xf32, sbuf>
    nc.memset dst(%xv : !nc.view<128x15360xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    // CHECK: label = "y", partition = 0 : i64, ring = 2 : i64, slot_bytes
    %y = nc.alloc {label = "y", ring = 2 : i64} : memref<128x15360xf32, #nc.space<sbuf>>
    %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 15360] strides [1, 1] : memref<128x15360xf32, #nc.space<sbuf>> -> !nc.view<128x15360xf32, sbuf>
    nc.memset dst(%yv : !nc.view<128x15360xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  }
  scf.for %j = %c0 to %n step %c1 {
    // CHECK: label = "d", partition = 0 : i64, ring = 2 : i64, slot_bytes
    %d = nc.alloc {label = "d", ring = 2 : i64} : memref<128x17920xf32, #nc.space<sbuf>>
    %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 17920] strides [1, 1] : memref<128x17920xf32, #nc.space<sbuf>> -> !nc.view<128x17920xf32, sbuf>
    nc.memset dst(%dv : !nc.view<128x17920xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  }
  return
}

// Small ones around a loop keep theirs: they would not help.

// CHECK-LABEL: func.func @small_ones_keep
func.func @small_ones_keep() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: label = "small", partition = 0 : i64, ring = 2 : i64, slot_bytes
    %o = nc.alloc {label = "small", ring = 2 : i64} : memref<128x64xf32, #nc.space<sbuf>>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
    nc.memset dst(%ov : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    scf.for %j = %c0 to %c8 step %c1 {
      // CHECK: label = "large", partition = 0 : i64, slot_bytes
      %n = nc.alloc {label = "large", ring = 2 : i64} : memref<128x27648xf32, #nc.space<sbuf>>
      %nv = nc.view %n[] offset affine_map<() -> (0)> sizes [128, 27648] strides [1, 1] : memref<128x27648xf32, #nc.space<sbuf>> -> !nc.view<128x27648xf32, sbuf>
      nc.memset dst(%nv : !nc.view<128x27648xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    }
    nc.memset dst(%ov : !nc.view<128x64xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  }
  return
}

// Where data bounds the loops of a nest, they share no bytes with each other:
// the first loads of one would wait for the other.

// CHECK-LABEL: func.func @nest_has_its_bytes
func.func @nest_has_its_bytes(%m: memref<1x1xi32, #nc.space<hbm>>) {
  %nv = nc.view %m[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %n = nc.register_load src(%nv : !nc.view<1x1xi32, hbm>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = nc.alloc {label = "x", ring = 2 : i64} : memref<128x17920xf32, #nc.space<sbuf>>
    %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 17920] strides [1, 1] : memref<128x17920xf32, #nc.space<sbuf>> -> !nc.view<128x17920xf32, sbuf>
    nc.memset dst(%xv : !nc.view<128x17920xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    %y = nc.alloc {label = "y", ring = 2 : i64} : memref<128x15360xf32, #nc.space<sbuf>>
    %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 15360] strides [1, 1] : memref<128x15360xf32, #nc.space<sbuf>> -> !nc.view<128x15360xf32, sbuf>
    nc.memset dst(%yv : !nc.view<128x15360xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
  }
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      // CHECK: byte = 0 : i64, label = "p"
      %p = nc.alloc {label = "p", ring = 2 : i64} : memref<128x5120xf32, #nc.space<sbuf>>
      %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 5120] strides [1, 1] : memref<128x5120xf32, #nc.space<sbuf>> -> !nc.view<128x5120xf32, sbuf>
      nc.memset dst(%pv : !nc.view<128x5120xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    }
    scf.for %k = %c0 to %n step %c1 {
      // CHECK: byte = 40960 : i64, label = "q"
      %q = nc.alloc {label = "q", ring = 2 : i64} : memref<128x5120xf32, #nc.space<sbuf>>
      %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 5120] strides [1, 1] : memref<128x5120xf32, #nc.space<sbuf>> -> !nc.view<128x5120xf32, sbuf>
      nc.memset dst(%qv : !nc.view<128x5120xf32, sbuf>) {engine = #nc.engine<vector>, value = 0.0 : f32}
    }
  }
  return
}
