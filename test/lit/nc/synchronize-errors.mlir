// RUN: kiln-opt %s --nc-synchronize --split-input-file --verify-diagnostics

func.func @no_address() {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  // expected-error @+1 {{[KILN-C113] operand 'dst' has no address; nc-allocate comes before nc-synchronize}}
  nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

func.func @no_engine() {
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  // expected-error @+1 {{[KILN-C112] has no engine; nc-choose-engines comes before nc-synchronize}}
  nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32}
  return
}

// -----

func.func @no_step(%n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{[KILN-C104] needs a constant, positive step}}
  scf.for %i = %c0 to %c8 step %n {
  }
  return
}
