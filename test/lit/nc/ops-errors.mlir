// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @window_too_wide(%x: memref<128x256xf32, #nc.space<hbm>>) {
  // expected-error @+1 {{touches elements 128 to 32895, but its base has 0 to 32767}}
  %v = nc.view %x[] offset affine_map<() -> (128)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  return
}

// -----

func.func @too_many_rows() {
  // expected-error @+1 {{on-chip memory has 1 to 128 partitions}}
  %a = nc.alloc : memref<129x16xf32, #nc.space<sbuf>>
  return
}

// -----

func.func @unknown_function() {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  // expected-error @+2 {{has no enumerator 'cosh'}}
  // expected-error @+1 {{failed to parse}}
  nc.activation dst(%v : !nc.view<128x16xf32, sbuf>) data(%v : !nc.view<128x16xf32, sbuf>) {op = #nc.activation_function<cosh>}
  return
}

// -----

func.func @unequal_elements() {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %w = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 8] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x8xf32, sbuf>
  // expected-error @+1 {{KILN-I}}
  nc.tensor_copy dst(%v : !nc.view<128x16xf32, sbuf>) src(%w : !nc.view<128x8xf32, sbuf>)
  return
}

// -----

// Rows that an index names may be more than the base has; one row must fit.
func.func @row_by_index_too_far(%x: memref<4x8xf32, #nc.space<hbm>>) {
  %v = nc.view %x[] offset affine_map<() -> (24)> sizes [16, 8] strides [8, 1] {rows_by_index} : memref<4x8xf32, #nc.space<hbm>> -> !nc.view<16x8xf32, hbm>
  // expected-error @+1 {{touches elements 25 to 32, but its base has 0 to 31}}
  %w = nc.view %x[] offset affine_map<() -> (25)> sizes [16, 8] strides [8, 1] {rows_by_index} : memref<4x8xf32, #nc.space<hbm>> -> !nc.view<16x8xf32, hbm>
  return
}

// -----

func.func @rows_by_index_on_chip() {
  %a = memref.alloc() : memref<128x16xf32, #nc.space<sbuf>>
  // expected-error @+1 {{has rows_by_index, which is for tensors in HBM}}
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] {rows_by_index} : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  return
}

// -----

// Sums of such numbers would overflow in the passes.
func.func @no_memory_is_so_large() {
  // expected-error @+1 {{is at byte 9223372036854775807 with 2 slots of 4 bytes; no memory has more than 2147483648}}
  %a = nc.alloc {byte = 9223372036854775807 : i64, partition = 0 : i64, ring = 2 : i64, slot_bytes = 4 : i64} : memref<128x1xf32, #nc.space<sbuf>>
  return
}

// -----

func.func @ends_too_far() {
  // expected-error @+1 {{ends at byte 2147483652; no memory has more than 2147483648}}
  %a = nc.alloc {byte = 2147483648 : i64, partition = 0 : i64, ring = 1 : i64, slot_bytes = 4 : i64} : memref<128x1xf32, #nc.space<sbuf>>
  return
}

// -----

func.func @no_such_partition() {
  // expected-error @+1 {{starts at partition 128, expected 0 to 127}}
  %a = nc.alloc {byte = 0 : i64, partition = 128 : i64, slot_bytes = 4 : i64} : memref<1x1xf32, #nc.space<sbuf>>
  return
}

// -----

func.func @tokens_of_no_semaphore() {
  // expected-error @+1 {{semaphores are 0 to 255, found 256}}
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<256, 1>]}
  return
}

// -----

func.func @no_tokens() {
  // expected-error @+1 {{a token has a value of 1 to 65535, found 0}}
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 0>]}
  return
}

// -----

func.func @pairs_of_integers() {
  // expected-error @+1 {{'nc.waits' must be a list of #nc.token, found array<i64: 0, 1>}}
  nc.semaphore {engine = #nc.engine<scalar>, nc.waits = array<i64: 0, 1>}
  return
}

// -----

func.func @kept_too_small(%t: memref<3x2xui32, #nc.space<hbm>>, %k: memref<1x5xui32, #nc.space<hbm>>) {
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [3, 2] strides [2, 1] : memref<3x2xui32, #nc.space<hbm>> -> !nc.view<3x2xui32, hbm>
  %kv = nc.view %k[] offset affine_map<() -> (0)> sizes [1, 5] strides [5, 1] : memref<1x5xui32, #nc.space<hbm>> -> !nc.view<1x5xui32, hbm>
  // expected-error @+1 {{prepared has 5 elements; it must have 6}}
  nc.all_to_all_v_prepare prepared(%kv : !nc.view<1x5xui32, hbm>) metadata_tensor(%tv : !nc.view<3x2xui32, hbm>) {replica_group = [array<i32: 0, 1>]}
  return
}
