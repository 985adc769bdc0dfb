// RUN: kiln-opt %s --nc-allocate --split-input-file --verify-diagnostics

func.func @too_big() {
  // expected-error @+2 {{[KILN-C101] SBUF is too small: 240000 bytes per partition are live at once, 212992 exist}}
  // expected-note @+1 {{huge: 240000 bytes per partition, declared here}}
  %big = nc.alloc {label = "huge"} : memref<128x60000xf32, #nc.space<sbuf>>
  %rv = nc.view %big[] offset affine_map<() -> (0)> sizes [128, 60000] strides [1, 1] : memref<128x60000xf32, #nc.space<sbuf>> -> !nc.view<128x60000xf32, sbuf>
  nc.memset dst(%rv : !nc.view<128x60000xf32, sbuf>) {value = 0.0 : f32, engine = "vector"}
  return
}

// -----

func.func @psum() {
  // expected-error @+2 {{[KILN-C102] PSUM is too small}}
  // expected-note @+1 {{acc}}
  %big = nc.alloc {label = "acc"} : memref<128x5000xf32, #nc.space<psum>>
  %rv = nc.view %big[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x5000xf32, #nc.space<psum>> -> !nc.view<128x64xf32, psum>
  nc.memset dst(%rv : !nc.view<128x64xf32, psum>) {value = 0.0 : f32, engine = "vector"}
  return
}

// -----

// Partition 0, 32, 64 or 96 for up to 32 of them; 96 + 64 is past the end.
// expected-error @+1 {{[KILN-C103] allocation: tile 'low': 64 partitions cannot start at partition 32}}
func.func @pinned_across() {
  %low = nc.alloc {label = "low", pin_partition = 32 : i64, pin_byte = 0 : i64} : memref<64x16xf32, #nc.space<sbuf>>
  %v = nc.view %low[] offset affine_map<() -> (0)> sizes [64, 16] strides [1, 1] : memref<64x16xf32, #nc.space<sbuf>> -> !nc.view<64x16xf32, sbuf>
  nc.memset dst(%v : !nc.view<64x16xf32, sbuf>) {value = 0.0 : f32, engine = "vector"}
  return
}
