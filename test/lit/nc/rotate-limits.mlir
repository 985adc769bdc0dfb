// RUN: kiln-opt %s --nc-rotate | FileCheck %s
// RUN: kiln-opt %s --nc-rotate --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Rotated | Category:nc-rotate |
// REMARK-DAG: remark: [Missed] NotRotated | Category:nc-rotate | {{.*}}bytes=16388, {{.*}}capacity=16384

#z = affine_map<() -> (0)>
#row = affine_map<(d0) -> (d0 * 16384)>

// The scores of the next iteration stay while this one multiplies again: both
// take all of PSUM.
// CHECK-LABEL: func.func @fits
// CHECK: nc.nc_matmul
// CHECK: scf.for
// CHECK-COUNT-2: nc.nc_matmul
// CHECK: }
// CHECK: nc.nc_matmul
// CHECK: return
func.func @fits(%q: memref<128x128xbf16, #nc.space<hbm>>, %k: memref<1024x128xbf16, #nc.space<hbm>>) {
  %n = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %m = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %mv = nc.view %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x128xbf16, sbuf>) {value = 0.0 : f32}
  nc.memset dst(%mv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
  scf.for %j = %c0 to %n step %c1 {
    %kt = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc : memref<128x3968xf32, #nc.space<psum>>
    %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ktv = nc.view %kt[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset #z sizes [128, 128] strides [1, 1] : memref<128x3968xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %pv = nc.view %p[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %ov = nc.view %o[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %kv = nc.view %k[%j] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.dma_copy dst(%ktv : !nc.view<128x128xbf16, sbuf>) src(%kv : !nc.view<128x128xbf16, hbm>)
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%ktv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%pv : !nc.view<128x128xbf16, sbuf>) data1(%sv : !nc.view<128x128xf32, psum>) data2(%mv : !nc.view<128x128xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.activation dst(%pv : !nc.view<128x128xbf16, sbuf>) data(%pv : !nc.view<128x128xbf16, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_matmul dst(%ov : !nc.view<128x128xf32, psum>) stationary(%pv : !nc.view<128x128xbf16, sbuf>) moving(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%mv : !nc.view<128x128xf32, sbuf>) data1(%mv : !nc.view<128x128xf32, sbuf>) data2(%ov : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
  }
  return
}

// Four bytes more do not fit: the loop stays as it is.
// CHECK-LABEL: func.func @too_large
// CHECK-NOT: nc.nc_matmul
// CHECK: scf.for
// CHECK-COUNT-2: nc.nc_matmul
// CHECK-NOT: nc.nc_matmul
// CHECK: return
func.func @too_large(%q: memref<128x128xbf16, #nc.space<hbm>>, %k: memref<1024x128xbf16, #nc.space<hbm>>) {
  %n = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %m = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %mv = nc.view %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x128xbf16, sbuf>) {value = 0.0 : f32}
  nc.memset dst(%mv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
  scf.for %j = %c0 to %n step %c1 {
    %kt = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc : memref<128x3969xf32, #nc.space<psum>>
    %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ktv = nc.view %kt[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset #z sizes [128, 128] strides [1, 1] : memref<128x3969xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %pv = nc.view %p[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %ov = nc.view %o[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %kv = nc.view %k[%j] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.dma_copy dst(%ktv : !nc.view<128x128xbf16, sbuf>) src(%kv : !nc.view<128x128xbf16, hbm>)
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%ktv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%pv : !nc.view<128x128xbf16, sbuf>) data1(%sv : !nc.view<128x128xf32, psum>) data2(%mv : !nc.view<128x128xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.activation dst(%pv : !nc.view<128x128xbf16, sbuf>) data(%pv : !nc.view<128x128xbf16, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_matmul dst(%ov : !nc.view<128x128xf32, psum>) stationary(%pv : !nc.view<128x128xbf16, sbuf>) moving(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%mv : !nc.view<128x128xf32, sbuf>) data1(%mv : !nc.view<128x128xf32, sbuf>) data2(%ov : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
  }
  return
}
