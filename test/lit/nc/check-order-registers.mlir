// RUN: kiln-opt %s --nc-check-order | FileCheck %s

// What registers hold is not known, and not 0 either.

// One register more is another place.
// CHECK-LABEL: func.func @neighbours
func.func @neighbours(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1>, writes = array<i64: 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> (d0)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%r] offset affine_map<(d0) -> (d0 + 8)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  return
}

// Factors and modulos of one register are equal when they look it.
// CHECK-LABEL: func.func @multiples
func.func @multiples(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1>, writes = array<i64: 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> ((d0 mod 3) * 8)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%r] offset affine_map<(d0) -> ((d0 mod 3) * 8 + 32)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  return
}

// Both registers are less than 256, one is divided: less than 32.
// CHECK-LABEL: func.func @ranges
func.func @ranges(%t_u8: memref<8x1xui8, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1, -1>, writes = array<i64: 0, 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_u8[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xui8, #nc.space<hbm>> -> !nc.view<1x1xui8, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xui8, hbm>) {nc.source = 0 : i64}
  %sv = nc.view %t_u8[] offset affine_map<() -> (1)> sizes [1, 1] strides [1, 1] : memref<8x1xui8, #nc.space<hbm>> -> !nc.view<1x1xui8, hbm>
  %s = nc.register_load src(%sv : !nc.view<1x1xui8, hbm>) {nc.source = 1 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> ((d0 mod 4) * 8)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%s] offset affine_map<(d0) -> (d0 floordiv 8 + 32)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 3 : i64}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  return
}

// Copies of one register for several streams.
// CHECK-LABEL: func.func @copies
func.func @copies(%t_i32: memref<8x1xi32, #nc.space<hbm>>) attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1, -1>, writes = array<i64: 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %rv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%rv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64, group = 1 : i64}
  %sv = nc.view %t_i32[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %s = nc.register_load src(%sv : !nc.view<1x1xi32, hbm>) {nc.source = 0 : i64, group = 1 : i64}
  %x = nc.view %a[%r] offset affine_map<(d0) -> (d0)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %a[%s] offset affine_map<(d0) -> (d0 + 8)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  nc.memset dst(%y : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  return
}

// A loop of at most one iteration has become what stands in it: the read is of
// that iteration, not of all.
// CHECK-LABEL: func.func @opened
func.func @opened() attributes {nc.order_record = {loops = array<i64: 0, -2, 0>, parents = array<i64: -1, 0, 0>, writes = array<i64: 0, 0, 0>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %x = nc.view %a[%c0] offset affine_map<(d0) -> (d0)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %y = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  nc.tensor_copy dst(%y : !nc.view<128x8xf32, sbuf>) src(%x : !nc.view<128x8xf32, sbuf>) {nc.source = 1 : i64}
  nc.memset dst(%x : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  return
}
