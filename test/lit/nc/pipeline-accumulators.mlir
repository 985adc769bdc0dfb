// RUN: kiln-opt %s --nc-pipeline-loops --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s

#zero = affine_map<() -> (0)>

// Each sum begins anew and is read by the instruction that makes it: those of
// the next iterations may come between the two of one.
// CHECK: remark: [Passed] Pipelined |{{.*}} interval_ns=1067,
func.func @anew() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %x = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %r = nc.alloc : memref<128x32xf32, #nc.space<sbuf>>
  // A sum whose order with the others nobody sees.
  nc.activation dst(%xv : !nc.view<128x512xf32, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<copy>, reduce_op = #nc.alu_op<add>, reduce_cmd = #nc.reduce_command<reset_reduce>}
  scf.for %i = %c0 to %c32 step %c1 {
    %y = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %yv = nc.view %y[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %z = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %zv = nc.view %z[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %s = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %rv = nc.view %r[%i] offset affine_map<(d0) -> (d0)> sizes [128, 1] strides [1, 1] : memref<128x32xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    nc.activation dst(%yv : !nc.view<128x512xbf16, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) reduce_res(%sv : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<copy>, reduce_op = #nc.alu_op<add>, reduce_cmd = #nc.reduce_command<reset_reduce>}
    nc.tensor_scalar dst(%mv : !nc.view<128x1xf32, sbuf>) data(%sv : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = -2.500000e-01 : f32}
    nc.activation dst(%zv : !nc.view<128x512xbf16, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) bias(%mv : !nc.view<128x1xf32, sbuf>) reduce_res(%rv : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<square>, reduce_op = #nc.alu_op<add>, reduce_cmd = #nc.reduce_command<reset_reduce>}
  }
  return
}

// Here, a sum goes on behind the loop with what the last one has left, so all
// sums keep their order, and with it most of the latencies between them.
// CHECK: remark: [Missed] AtTheBound |{{.*}}"the recurrence activation.0 -> tensor_scalar.1 -> activation.2 -> ... binds: 1521 ns per iteration"
func.func @goes_on() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %x = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %r = nc.alloc : memref<128x32xf32, #nc.space<sbuf>>
  scf.for %i = %c0 to %c32 step %c1 {
    %y = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %yv = nc.view %y[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %z = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %zv = nc.view %z[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %s = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %rv = nc.view %r[%i] offset affine_map<(d0) -> (d0)> sizes [128, 1] strides [1, 1] : memref<128x32xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    nc.activation dst(%yv : !nc.view<128x512xbf16, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) reduce_res(%sv : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<copy>, reduce_op = #nc.alu_op<add>, reduce_cmd = #nc.reduce_command<reset_reduce>}
    nc.tensor_scalar dst(%mv : !nc.view<128x1xf32, sbuf>) data(%sv : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, operand0_value = -2.500000e-01 : f32}
    nc.activation dst(%zv : !nc.view<128x512xbf16, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) bias(%mv : !nc.view<128x1xf32, sbuf>) reduce_res(%rv : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<square>, reduce_op = #nc.alu_op<add>, reduce_cmd = #nc.reduce_command<reset_reduce>}
  }
  nc.activation dst(%xv : !nc.view<128x512xf32, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<scalar>, op = #nc.activation_function<copy>, reduce_op = #nc.alu_op<add>, reduce_cmd = #nc.reduce_command<reduce>}
  return
}
