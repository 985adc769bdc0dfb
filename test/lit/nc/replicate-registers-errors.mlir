// RUN: kiln-opt %s --split-input-file --verify-diagnostics --nc-replicate-registers

func.func @no_engine(%x: memref<1x16xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<1x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>
  // expected-error @+1 {{[KILN-C112] has no engine; nc-choose-engines comes before nc-replicate-registers}}
  nc.memset dst(%av : !nc.view<1x16xf32, sbuf>) {value = 0.0 : f32}
  return
}

// -----

func.func @two_elements(%t: memref<8x1xi32, #nc.space<hbm>>) {
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [2, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<2x1xi32, hbm>
  // expected-error @+1 {{'nc.register_load' op}}
  %r = nc.register_load src(%tv : !nc.view<2x1xi32, hbm>)
  return
}
