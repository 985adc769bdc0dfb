// RUN: kiln-opt %s --nc-order --verify-diagnostics

func.func @no_engine() {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  // expected-error @+1 {{[KILN-C112] has no engine; nc-choose-engines comes before nc-order}}
  nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32}
  return
}
