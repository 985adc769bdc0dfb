// RUN: kiln-opt %s --nc-choose-engines --split-input-file --verify-diagnostics

func.func @psum_on_gpsimd() {
  %p = nc.alloc : memref<128x256xf32, #nc.space<psum>>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<psum>> -> !nc.view<128x256xf32, psum>
  // expected-error @+1 {{dst is in psum, which the gpsimd engine cannot reach}}
  nc.memset dst(%pv : !nc.view<128x256xf32, psum>) {value = 0.0 : f32, engine = #nc.engine<gpsimd>}
  return
}

// -----

func.func @no_such_engine() {
  %p = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  // expected-error @+2 {{has no enumerator 'cuda'}}
  // expected-error @+1 {{failed to parse}}
  nc.memset dst(%pv : !nc.view<128x256xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<cuda>}
  return
}
