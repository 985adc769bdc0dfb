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
