// RUN: kiln-opt %s --nc-attach-schedule --split-input-file --verify-diagnostics

// expected-error @+1 {{[KILN-C190] the schedule is for kernel 'other', but this is 'named'}}
func.func @named() attributes {nc.schedule = "schedule other trn2\n"} {
  return
}

// -----

// expected-error @+1 {{[KILN-C190] the schedule names loop 'rows', which does not exist; loops: none}}
func.func @loops() attributes {nc.schedule = "schedule loops trn2\nloop rows ordered\n"} {
  return
}

// -----

func.func @engine() attributes {nc.schedule = "schedule engine trn2\noutside\nop activation.0 vector\n"} {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  // expected-error @+1 {{[KILN-C191] the schedule outside of loops cannot be kept: activation.0 is to run on vector, but only scalar may run it}}
  nc.activation dst(%v : !nc.view<128x16xf32, sbuf>) data(%v : !nc.view<128x16xf32, sbuf>) {op = #nc.activation_function<exp>}
  return
}

// -----

// An integer sum is exact on one engine only.
func.func @exact() attributes {nc.schedule = "schedule exact trn2\noutside\nop tensor_tensor.0 vector\n"} {
  %a = nc.alloc : memref<128x16xi32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xi32, #nc.space<sbuf>> -> !nc.view<128x16xi32, sbuf>
  // expected-error @+1 {{[KILN-C191] the schedule outside of loops cannot be kept: tensor_tensor.0 is to run on vector, but only gpsimd may run it}}
  nc.tensor_tensor dst(%v : !nc.view<128x16xi32, sbuf>) data1(%v : !nc.view<128x16xi32, sbuf>) data2(%v : !nc.view<128x16xi32, sbuf>) {op = #nc.alu_op<add>}
  return
}
