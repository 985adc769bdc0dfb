// RUN: kiln-opt %s --nc-check-order --split-input-file --verify-diagnostics

// Two registers may hold the same, or be some bytes apart.
func.func @two_registers(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1, -1>, writes = array<i64: 0, 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64}
  %sv = nc.view %t_i32[] offset affine_map<() -> (1)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %s = nc.register_load src(%sv : !nc.view<1x1xi32, hbm>) {nc.source = 1 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> (d0)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%s] offset affine_map<(d0) -> (d0 + 32)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 3 : i64}
  // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, writes before}}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  return
}

// -----

// A register that is not 0 reaches what lies behind.
func.func @register_and_number(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1>, writes = array<i64: 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> (d0)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%r] offset affine_map<(d0) -> (32)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, writes before}}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  return
}

// -----

// The last value of a modulo reaches it.
func.func @modulo(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1>, writes = array<i64: 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> ((d0 mod 4) * 8)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%r] offset affine_map<(d0) -> (31)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, writes before}}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  return
}

// -----

// Half of a register is not known by its double.
func.func @halves(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1>, writes = array<i64: 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> (d0 floordiv 2)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%r] offset affine_map<(d0) -> ((d0 + 1) floordiv 2)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, writes before}}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  return
}

// -----

// In the next iteration a register holds something else.
func.func @iterations(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64: 0, 2, 0>, parents = array<i64: -1, 0, 0, 0>, writes = array<i64: 0, 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
  %rv = nc.view %t_i32[] offset affine_map<() -> (1)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 1 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> (d0)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64, nc.turns = array<i64: 0, 0, 2, 2>}
  %y = nc.view %a[%r] offset affine_map<(d0) -> (d0 + 8)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, writes before}}
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 3 : i64}
  } {nc.source = 0 : i64}
  return
}
