// RUN: kiln-opt %s --nc-pipeline-loops | FileCheck %s

#tile = affine_map<(d0, d1) -> (d0 * 4194304 + d1 * 131072)>

// Two loops run one after the other, so the copies of the first one leave the
// second one all of PSUM. Each copy takes three of eight banks, which the second
// one gets while the first one drains.
// CHECK-LABEL: func.func @beside
// CHECK: scf.for
// CHECK: nc.copy = array<i64: 1, 1, 32>} : memref<128x1536xf32, #nc.space<psum>>
// CHECK: nc.start
// CHECK: scf.for
// CHECK: nc.scheduled
// CHECK: nc.copy = array<i64: 1, 1, 32>} : memref<128x1536xf32, #nc.space<psum>>
// CHECK: nc.start = array<i64: 0, {{[0-9]+}}, 1>
// CHECK: scf.for
// CHECK: nc.scheduled
// CHECK: return
func.func @beside(%x: memref<16384x1024xbf16, #nc.space<hbm>>, %y: memref<16384x1024xbf16, #nc.space<hbm>>, %z: memref<16384x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  scf.for %h = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c32 step %c1 {
      %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %mid = nc.alloc : memref<128x1536xf32, #nc.space<psum>>
      %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %midv = nc.view %mid[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1536xf32, #nc.space<psum>> -> !nc.view<128x1024xf32, psum>
      %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %xv = nc.view %x[%h, %i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<16384x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      %yv = nc.view %y[%h, %i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<16384x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
      nc.activation dst(%midv : !nc.view<128x1024xf32, psum>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
      nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%midv : !nc.view<128x1024xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
      nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
      nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
    }
    scf.for %j = %c0 to %c32 step %c1 {
      %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %mid = nc.alloc : memref<128x1536xf32, #nc.space<psum>>
      %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %midv = nc.view %mid[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1536xf32, #nc.space<psum>> -> !nc.view<128x1024xf32, psum>
      %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %xv = nc.view %x[%h, %j] offset #tile sizes [128, 1024] strides [1024, 1] : memref<16384x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      %yv = nc.view %z[%h, %j] offset #tile sizes [128, 1024] strides [1024, 1] : memref<16384x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
      nc.activation dst(%midv : !nc.view<128x1024xf32, psum>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
      nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%midv : !nc.view<128x1024xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
      nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
      nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
    }
  }
  return
}

// Without PSUM, the second loop begins beside the end of the first one: at the
// time of a further iteration.
// CHECK-LABEL: func.func @without_psum
// CHECK: nc.start = array<i64: 0, {{-?[0-9]+}}>
// CHECK: scf.for
// CHECK: nc.start = array<i64: 0, {{[0-9]+}}>
// CHECK: nc.start = array<i64: 0, {{[0-9]+}}, 1>
// CHECK-NOT: nc.start = array<i64: 1, {{[0-9]+}}>
// CHECK: scf.for
// CHECK: nc.start = array<i64: 1, {{[0-9]+}}>
// CHECK: return
func.func @without_psum(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>, %z: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %j = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%j] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %z[%j] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}

// With PSUM, the banks of the first one go to the second one, in the order in
// which they are free.
// CHECK-LABEL: func.func @with_psum
// CHECK: nc.alloc {nc.bank = {{[0-9]}} : i64, nc.copy = array<i64: 1, 0, 32>} : memref<128x1024xf32, #nc.space<psum>>
// CHECK: nc.start = array<i64: 0, {{-?[0-9]+}}>
// CHECK: scf.for
// CHECK: nc.start = array<i64: 0, {{[0-9]+}}>
// CHECK: nc.alloc {nc.bank = {{[0-9]}} : i64, nc.copy = array<i64: 1, 0, 32>} : memref<128x1024xf32, #nc.space<psum>>
// CHECK: nc.start = array<i64: 0, {{[0-9]+}}, 1>
// CHECK-NOT: nc.start = array<i64: 1, {{[0-9]+}}>
// CHECK: scf.for
// CHECK: nc.start = array<i64: 1, {{[0-9]+}}>
// CHECK: return
func.func @with_psum(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %y: memref<4096x1024xbf16, #nc.space<hbm>>, %z: memref<4096x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %mid = nc.alloc : memref<128x1024xf32, #nc.space<psum>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %midv = nc.view %mid[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xf32, #nc.space<psum>> -> !nc.view<128x1024xf32, psum>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%midv : !nc.view<128x1024xf32, psum>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%midv : !nc.view<128x1024xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  scf.for %j = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %mid = nc.alloc : memref<128x1024xf32, #nc.space<psum>>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %midv = nc.view %mid[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xf32, #nc.space<psum>> -> !nc.view<128x1024xf32, psum>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%j] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    %yv = nc.view %z[%j] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) {engine = #nc.engine<sync>}
    nc.activation dst(%midv : !nc.view<128x1024xf32, psum>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%midv : !nc.view<128x1024xf32, psum>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<tanh>}
    nc.dma_copy dst(%yv : !nc.view<128x1024xbf16, hbm>) src(%outv : !nc.view<128x1024xbf16, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}
