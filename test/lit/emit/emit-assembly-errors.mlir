// RUN: kiln-opt %s --emit-assembly --split-input-file --verify-diagnostics

// What emission refuses, each with its own message.

// expected-error @+1 {{[KILN-C109] emission needs one kernel, found 2 functions}}
module {
  func.func @one() {
    return
  }
  func.func @two() {
    return
  }
}

// -----

// expected-error @+1 {{[KILN-C108] argument 'x' has nc.kind = "input", expected #nc.kind<input>, #nc.kind<output>, #nc.kind<inout>}}
func.func @kind(%x: memref<16x16xf32, #nc.space<hbm>> {nc.name = "x", nc.kind = "input"}) {
  return
}

// -----

// expected-error @+1 {{[KILN-C108] arguments must be HBM tensors, memref<.., #nc.space<hbm>>; found 'memref<16x16xf32, #nc.space<sbuf>>'}}
func.func @space(%x: memref<16x16xf32, #nc.space<sbuf>>) {
  return
}

// -----

func.func @no_engine() {
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  // expected-error @+1 {{[KILN-C112] has no engine; nc-choose-engines comes before emission}}
  nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32}
  return
}

// -----

func.func @no_address() {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  // expected-error @+1 {{[KILN-C113] operand has no address; nc-allocate comes first}}
  nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

// 32 bits hold a step of 2147483647 bytes and no more.
func.func @far(%x: memref<2x268435456xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<1x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>
  scf.for %i = %c0 to %c2 step %c1 {
    %near = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 536870911)> sizes [1, 16] strides [16, 1] : memref<2x268435456xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
    nc.dma_copy dst(%v : !nc.view<1x16xf32, sbuf>) src(%near : !nc.view<1x16xf32, hbm>) {engine = #nc.engine<sync>}
    %far = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 536870912)> sizes [1, 16] strides [16, 1] : memref<2x268435456xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
    // expected-error @+1 {{[KILN-C107] an address advances by 2147483648 bytes per step of an index; at most 2147483647 fit}}
    nc.dma_copy dst(%v : !nc.view<1x16xf32, sbuf>) src(%far : !nc.view<1x16xf32, hbm>) {engine = #nc.engine<sync>}
  }
  return
}

// -----

func.func @cast(%x: memref<128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<1x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %odd = arith.xori %i, %c1 : index
    %w = nc.view %x[%odd] offset affine_map<(d0) -> (d0 * 16)> sizes [1, 16] strides [16, 1] : memref<128x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
    // expected-error @+1 {{[KILN-C114] an index value is computed by an operation that registers do not have; use affine.apply, affine.min, affine.max or arith}}
    nc.dma_copy dst(%v : !nc.view<1x16xf32, sbuf>) src(%w : !nc.view<1x16xf32, hbm>) {engine = #nc.engine<sync>}
  }
  return
}
