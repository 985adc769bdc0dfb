// RUN: kiln-opt %s --nc-check-whole --split-input-file --verify-diagnostics

// expected-error @+1 {{nc-note-order comes before nc-check-whole}}
func.func @nothing_noted() {
  return
}

// -----

// The copy in front of the loop is missing.
// expected-error @+1 {{operation 1 of the source runs 4 times, but its instructions only 3}}
func.func @lost() attributes {nc.order_record = {all_memory, loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0, 0>, writes = array<i64: 0, -1, -1>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %b = nc.alloc : memref<128x8xf32, #nc.space<sbuf>>
  %a = nc.alloc {nc.written_first} : memref<128x8xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  scf.for %i = %c1 to %c3 step %c1 {
  nc.memset dst(%av : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  nc.tensor_copy dst(%bv : !nc.view<128x8xf32, sbuf>) src(%av : !nc.view<128x8xf32, sbuf>) {nc.source = 2 : i64}
  } {nc.source = 0 : i64}
  nc.tensor_copy dst(%bv : !nc.view<128x8xf32, sbuf>) src(%av : !nc.view<128x8xf32, sbuf>) {nc.source = 2 : i64}
  nc.tensor_copy dst(%bv : !nc.view<128x8xf32, sbuf>) src(%av : !nc.view<128x8xf32, sbuf>) {nc.source = 2 : i64}
  return
}

// -----

// What an iteration wrote for itself it would find from the one before.
func.func @read_first() attributes {nc.order_record = {all_memory, loops = array<i64: 0, 4, 0>, parents = array<i64: -1, 0, 0>, writes = array<i64: 0, -1, -1>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %b = nc.alloc : memref<128x8xf32, #nc.space<sbuf>>
  scf.for %i = %c0 to %c4 step %c1 {
  %a = nc.alloc {nc.written_first} : memref<128x8xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x8xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-error @+1 {{it reads a buffer that nothing has written in this iteration}}
  nc.tensor_copy dst(%bv : !nc.view<128x8xf32, sbuf>) src(%av : !nc.view<128x8xf32, sbuf>) {nc.source = 2 : i64}
  nc.memset dst(%av : !nc.view<128x8xf32, sbuf>) {value = 1.0 : f32, nc.source = 1 : i64}
  } {nc.source = 0 : i64}
  return
}

// -----

// nc-allocate has to keep to the scope.
func.func @outside_scope() attributes {nc.order_record = {all_memory, loops = array<i64>, parents = array<i64: -1>, writes = array<i64: 0>}} {
  // expected-error @+1 {{internal: it is at bytes 3072 to 4608, outside of memory scope 'weights'}}
  %a = nc.alloc {byte = 3072 : i64, partition = 0 : i64, slot_bytes = 512 : i64, ring = 3 : i64, nc.within = {sbuf = {begin = 0 : i64, end = 4096 : i64, name = "weights"}}} : memref<128x128xf32, #nc.space<sbuf>>
  return
}
