// RUN: kiln-opt %s --nc-share-work | FileCheck %s

#zero = affine_map<() -> (0)>

// An instruction sees up to 4096 elements of a partition of PSUM. With the scale
// there, GpSimd adds while Vector multiplies.
// CHECK-LABEL: func.func @fits
// CHECK: nc.tensor_copy {{.*}}<128x4096xbf16, psum>) src(
// CHECK: nc.tensor_tensor {{.*}}data2({{.*}}psum>)
// CHECK: return
func.func @fits() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %g = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %gv = nc.view %g[] offset #zero sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  nc.memset dst(%gv : !nc.view<128x4096xbf16, sbuf>) {value = 2.0 : f32}
  scf.for %i = %c0 to %c16 step %c1 {
    %x = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
    %xv = nc.view %x[] offset #zero sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
    nc.tensor_tensor dst(%xv : !nc.view<128x4096xbf16, sbuf>) data1(%xv : !nc.view<128x4096xbf16, sbuf>) data2(%gv : !nc.view<128x4096xbf16, sbuf>) {op = #nc.alu_op<multiply>}
    nc.tensor_tensor dst(%xv : !nc.view<128x4096xbf16, sbuf>) data1(%xv : !nc.view<128x4096xbf16, sbuf>) data2(%xv : !nc.view<128x4096xbf16, sbuf>) {op = #nc.alu_op<add>}
  }
  return
}

// More stays in SBUF, although it would find room.
// CHECK-LABEL: func.func @too_long
// CHECK-NOT: psum
// CHECK: return
func.func @too_long() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %g = nc.alloc : memref<128x4098xbf16, #nc.space<sbuf>>
  %gv = nc.view %g[] offset #zero sizes [128, 4098] strides [1, 1] : memref<128x4098xbf16, #nc.space<sbuf>> -> !nc.view<128x4098xbf16, sbuf>
  nc.memset dst(%gv : !nc.view<128x4098xbf16, sbuf>) {value = 2.0 : f32}
  scf.for %i = %c0 to %c16 step %c1 {
    %x = nc.alloc : memref<128x4098xbf16, #nc.space<sbuf>>
    %xv = nc.view %x[] offset #zero sizes [128, 4098] strides [1, 1] : memref<128x4098xbf16, #nc.space<sbuf>> -> !nc.view<128x4098xbf16, sbuf>
    nc.tensor_tensor dst(%xv : !nc.view<128x4098xbf16, sbuf>) data1(%xv : !nc.view<128x4098xbf16, sbuf>) data2(%gv : !nc.view<128x4098xbf16, sbuf>) {op = #nc.alu_op<multiply>}
    nc.tensor_tensor dst(%xv : !nc.view<128x4098xbf16, sbuf>) data1(%xv : !nc.view<128x4098xbf16, sbuf>) data2(%xv : !nc.view<128x4098xbf16, sbuf>) {op = #nc.alu_op<add>}
  }
  return
}

// A sixteenth of fewer than 512 columns is not worth an instruction.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: nc.tensor_scalar_reduce
// CHECK: nc.activate2 dst({{.*}}<128x496xf32, sbuf>)
// CHECK: return
func.func @narrow() attributes {nc.target = #nc.target<"trn3">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %s = nc.alloc : memref<128x496xf32, #nc.space<psum>>
    %sv = nc.view %s[] offset #zero sizes [128, 496] strides [1, 1] : memref<128x496xf32, #nc.space<psum>> -> !nc.view<128x496xf32, psum>
    %y = nc.alloc : memref<128x496xf32, #nc.space<sbuf>>
    %yv = nc.view %y[] offset #zero sizes [128, 496] strides [1, 1] : memref<128x496xf32, #nc.space<sbuf>> -> !nc.view<128x496xf32, sbuf>
    %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    nc.activate2 dst(%yv : !nc.view<128x496xf32, sbuf>) data(%sv : !nc.view<128x496xf32, psum>) reduce_res(%mv : !nc.view<128x1xf32, sbuf>) {imm0_value = 1.250000e-01 : f32, nc.any_form, op = #nc.activation_function<copy>, op0 = #nc.alu_op<multiply>, reduce_cmd = #nc.reduce_command<reset_reduce>, reduce_op = #nc.alu_op<maximum>}
  }
  return
}
