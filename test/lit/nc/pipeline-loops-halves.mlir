// RUN: kiln-opt %s --nc-pipeline-loops | FileCheck %s

// PSUM has eight banks, and there are nine buffers. Two small ones lie in one
// bank, if they have the same type and partitions: here the first and the last
// of the small ones, and the one between them in size has a bank of its own.
// CHECK-LABEL: func.func @between
// CHECK: nc.scheduled
// CHECK: return
func.func @between(%x: memref<4096x512xbf16, #nc.space<hbm>>, %y: memref<4096x8192xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 65536)> sizes [128, 512] strides [512, 1] : memref<4096x512xbf16, #nc.space<hbm>> -> !nc.view<128x512xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x512xbf16, sbuf>) src(%xv : !nc.view<128x512xbf16, hbm>) {engine = #nc.engine<sync>}
    %p0 = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %p0v = nc.view %p0[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %in0 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %o0 = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %o0v = nc.view %o0[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %y0v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 0)> sizes [128, 512] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x512xbf16, hbm>
    nc.activation dst(%p0v : !nc.view<128x512xf32, psum>) data(%in0 : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o0v : !nc.view<128x512xbf16, sbuf>) data(%p0v : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y0v : !nc.view<128x512xbf16, hbm>) src(%o0v : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p1 = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %p1v = nc.view %p1[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %in1 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %o1 = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %o1v = nc.view %o1[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %y1v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 512)> sizes [128, 512] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x512xbf16, hbm>
    nc.activation dst(%p1v : !nc.view<128x512xf32, psum>) data(%in1 : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o1v : !nc.view<128x512xbf16, sbuf>) data(%p1v : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y1v : !nc.view<128x512xbf16, hbm>) src(%o1v : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p2 = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %p2v = nc.view %p2[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %in2 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %o2 = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %o2v = nc.view %o2[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %y2v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 1024)> sizes [128, 512] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x512xbf16, hbm>
    nc.activation dst(%p2v : !nc.view<128x512xf32, psum>) data(%in2 : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o2v : !nc.view<128x512xbf16, sbuf>) data(%p2v : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y2v : !nc.view<128x512xbf16, hbm>) src(%o2v : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p3 = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %p3v = nc.view %p3[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %in3 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %o3 = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %o3v = nc.view %o3[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %y3v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 1536)> sizes [128, 512] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x512xbf16, hbm>
    nc.activation dst(%p3v : !nc.view<128x512xf32, psum>) data(%in3 : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o3v : !nc.view<128x512xbf16, sbuf>) data(%p3v : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y3v : !nc.view<128x512xbf16, hbm>) src(%o3v : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p4 = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %p4v = nc.view %p4[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %in4 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %o4 = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %o4v = nc.view %o4[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %y4v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 2048)> sizes [128, 512] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x512xbf16, hbm>
    nc.activation dst(%p4v : !nc.view<128x512xf32, psum>) data(%in4 : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o4v : !nc.view<128x512xbf16, sbuf>) data(%p4v : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y4v : !nc.view<128x512xbf16, hbm>) src(%o4v : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p5 = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %p5v = nc.view %p5[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %in5 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %o5 = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %o5v = nc.view %o5[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %y5v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 2560)> sizes [128, 512] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x512xbf16, hbm>
    nc.activation dst(%p5v : !nc.view<128x512xf32, psum>) data(%in5 : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o5v : !nc.view<128x512xbf16, sbuf>) data(%p5v : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y5v : !nc.view<128x512xbf16, hbm>) src(%o5v : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p6 = nc.alloc : memref<128x1xf32, #nc.space<psum>>
    %p6v = nc.view %p6[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<psum>> -> !nc.view<128x1xf32, psum>
    %in6 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x1xbf16, sbuf>
    %o6 = nc.alloc : memref<128x1xbf16, #nc.space<sbuf>>
    %o6v = nc.view %o6[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xbf16, #nc.space<sbuf>> -> !nc.view<128x1xbf16, sbuf>
    %y6v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 3072)> sizes [128, 1] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x1xbf16, hbm>
    nc.activation dst(%p6v : !nc.view<128x1xf32, psum>) data(%in6 : !nc.view<128x1xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o6v : !nc.view<128x1xbf16, sbuf>) data(%p6v : !nc.view<128x1xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y6v : !nc.view<128x1xbf16, hbm>) src(%o6v : !nc.view<128x1xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p7 = nc.alloc : memref<128x128xbf16, #nc.space<psum>>
    %p7v = nc.view %p7[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %in7 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %o7 = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o7v = nc.view %o7[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %y7v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 3584)> sizes [128, 128] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.activation dst(%p7v : !nc.view<128x128xbf16, psum>) data(%in7 : !nc.view<128x128xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o7v : !nc.view<128x128xbf16, sbuf>) data(%p7v : !nc.view<128x128xbf16, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y7v : !nc.view<128x128xbf16, hbm>) src(%o7v : !nc.view<128x128xbf16, sbuf>) {engine = #nc.engine<sync>}
    %p8 = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %p8v = nc.view %p8[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %in8 = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %o8 = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o8v = nc.view %o8[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %y8v = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 524288 + 4096)> sizes [128, 128] strides [4096, 1] : memref<4096x8192xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.activation dst(%p8v : !nc.view<128x128xf32, psum>) data(%in8 : !nc.view<128x128xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%o8v : !nc.view<128x128xbf16, sbuf>) data(%p8v : !nc.view<128x128xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.dma_copy dst(%y8v : !nc.view<128x128xbf16, hbm>) src(%o8v : !nc.view<128x128xbf16, sbuf>) {engine = #nc.engine<sync>}
  }
  return
}
