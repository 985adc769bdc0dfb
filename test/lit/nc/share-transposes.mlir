// RUN: kiln-opt %s --nc-share-transposes | FileCheck %s
// RUN: kiln-opt %s --nc-share-transposes --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Shared | Category:nc-share-transposes | {{.*}}blocks=4, {{.*}}moved=2

#zero = affine_map<() -> (0)>

// Scalar and Vector are busy with other work, so the copy out of PSUM hurts:
// half of the blocks go to the DMA engines, and the copy is half as wide.
// CHECK-LABEL: func.func @share
// CHECK: scf.for
// CHECK: nc.activation
// CHECK-COUNT-2: nc.nc_transpose
// CHECK-COUNT-2: nc.dma_transpose
// CHECK-NOT: nc.dma_transpose
// CHECK: nc.tensor_copy dst(%{{.*}} : <128x256xbf16, sbuf>) src(%{{.*}} : <128x256xbf16, psum>)
// CHECK-NOT: nc.tensor_copy
// CHECK: return
func.func @share(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %sv = nc.view %s[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  scf.for %i = %c0 to %c16 step %c1 {
    %p = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %pv = nc.view %p[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %p0 = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %p1 = nc.view %p[] offset affine_map<() -> (128)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %p2 = nc.view %p[] offset affine_map<() -> (256)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %p3 = nc.view %p[] offset affine_map<() -> (384)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %t = nc.alloc : memref<128x512xbf16, #nc.space<psum>>
    %tv = nc.view %t[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x512xbf16, psum>
    %t0 = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %t1 = nc.view %t[] offset affine_map<() -> (128)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %t2 = nc.view %t[] offset affine_map<() -> (256)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %t3 = nc.view %t[] offset affine_map<() -> (384)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %o = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %ov = nc.view %o[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    nc.activation dst(%pv : !nc.view<128x512xbf16, sbuf>) data(%sv : !nc.view<128x512xf32, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_transpose dst(%t0 : !nc.view<128x128xbf16, psum>) data(%p0 : !nc.view<128x128xbf16, sbuf>)
    nc.nc_transpose dst(%t1 : !nc.view<128x128xbf16, psum>) data(%p1 : !nc.view<128x128xbf16, sbuf>)
    nc.nc_transpose dst(%t2 : !nc.view<128x128xbf16, psum>) data(%p2 : !nc.view<128x128xbf16, sbuf>)
    nc.nc_transpose dst(%t3 : !nc.view<128x128xbf16, psum>) data(%p3 : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_copy dst(%ov : !nc.view<128x512xbf16, sbuf>) src(%tv : !nc.view<128x512xbf16, psum>)
    nc.tensor_reduce dst(%mv : !nc.view<128x1xf32, sbuf>) data(%ov : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<vector>, op = #nc.alu_op<maximum>}
  }
  return
}

// Few iterations do not hide the latency of a transfer, and somebody else reads
// what stands in PSUM.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: nc.dma_transpose
// CHECK: return
func.func @stays(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %pv = nc.view %p[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %o = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %ov = nc.view %o[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  scf.for %i = %c0 to %c7 step %c1 {
    %t = nc.alloc : memref<128x128xbf16, #nc.space<psum>>
    %tv = nc.view %t[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    nc.nc_transpose dst(%tv : !nc.view<128x128xbf16, psum>) data(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_copy dst(%ov : !nc.view<128x128xbf16, sbuf>) src(%tv : !nc.view<128x128xbf16, psum>)
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %t = nc.alloc : memref<128x128xbf16, #nc.space<psum>>
    %tv = nc.view %t[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    nc.nc_transpose dst(%tv : !nc.view<128x128xbf16, psum>) data(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_copy dst(%ov : !nc.view<128x128xbf16, sbuf>) src(%tv : !nc.view<128x128xbf16, psum>)
    nc.tensor_copy dst(%pv : !nc.view<128x128xbf16, sbuf>) src(%tv : !nc.view<128x128xbf16, psum>)
  }
  return
}
