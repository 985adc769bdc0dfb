// RUN: kiln-opt %s --nc-check-order --split-input-file --verify-diagnostics

// expected-error @+1 {{nc-note-order comes before nc-check-order}}
func.func @nothing_noted() {
  return
}

// -----

// Windows that overlap.
func.func @swapped() attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1>, writes = array<i64: -1, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.memset dst(%middle : !nc.view<128x32xf32, sbuf>) source(1) {value = 1.0 : f32}
    // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, writes before}}
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) source(0) {value = 1.0 : f32}
  return
}

// -----

// A read that comes too late.
func.func @late_read() attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1>, writes = array<i64: -1, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
    // expected-error @+1 {{the order of the source is not kept: it reads what another operation, which is later in the source, writes before}}
  nc.tensor_copy dst(%other : !nc.view<128x32xf32, sbuf>) src(%middle : !nc.view<128x32xf32, sbuf>) {nc.source = 0 : i64}
  return
}

// -----

// A write that comes too early.
func.func @early_write() attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1>, writes = array<i64: -1, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  // expected-note @+1 {{the other operation}}
  nc.tensor_copy dst(%other : !nc.view<128x32xf32, sbuf>) src(%left : !nc.view<128x32xf32, sbuf>) {nc.source = 1 : i64}
    // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, reads before}}
  nc.memset dst(%middle : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 0 : i64}
  return
}

// -----

// The same bytes in rotated stages.
func.func @rotated() attributes {nc.order_record = {loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0, 0>, writes = array<i64: 0, -1, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64, nc.turns = array<i64: 0, 1, 0, 0>}
  scf.for %i = %c0 to %c3 step %c1 {
    // expected-note @+1 {{the other operation}}
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64, nc.turns = array<i64: 0, 0, 1, 1>}
    // expected-error @+1 {{the order of the source is not kept: it writes what another operation, which is later in the source, writes before}}
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64}
  } {nc.source = 0 : i64}
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 2 : i64, nc.turns = array<i64: 0, 1, 3, 3>}
  return
}

// -----

// One of two stores is gone.
// expected-error @+1 {{operation 1 of the source runs 1 times, but its instructions only 0}}
func.func @lost() attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1, -1>, writes = array<i64: -1, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 0 : i64}
  return
}

// -----

// And an iteration of one.
// expected-error @+1 {{operation 1 of the source runs 4 times, but its instructions only 3}}
func.func @lost_iteration() attributes {nc.order_record = {loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0>, writes = array<i64: 0, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  scf.for %i = %c0 to %c3 step %c1 {
    nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  } {nc.source = 0 : i64}
  return
}

// -----

// A write has left its loop.
func.func @left_loop() attributes {nc.order_record = {loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0>, writes = array<i64: 0, -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
    // expected-error @+1 {{the order of the source is not kept: it is not known for which iterations it writes}}
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  return
}

// -----

// An access of nobody.
func.func @unknown() attributes {nc.order_record = {loops = array<i64>, parents = array<i64: -1>, writes = array<i64: -1>}} {
  %a = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = nc.alloc {nc.source = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %left = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %middle = nc.view %a[] offset affine_map<() -> (16)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %right = nc.view %a[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %other = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
    // expected-error @+1 {{the order of the source is not kept: it is not known for which operation of the source it accesses memory}}
  nc.memset dst(%left : !nc.view<128x32xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  return
}
