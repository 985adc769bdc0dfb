// RUN: kiln-opt %s --nc-share-work | FileCheck %s
// RUN: kiln-opt %s --nc-share-work --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Kept | Category:nc-share-work | {{.*}}operands=2{{.*}}
// REMARK-DAG: remark: [Passed] Summed | Category:nc-share-work | {{.*}}sums=1{{.*}}
// REMARK-DAG: remark: [Passed] DividedMaximum | Category:nc-share-work | {{.*}}sixteenths=4{{.*}}

#zero = affine_map<() -> (0)>
#half = affine_map<() -> (512)>

// All iterations read %g, which is written in front of the loop: what Vector
// takes of it is copied to PSUM once, one half behind the other. The third
// product stays, for GpSimd.
// CHECK-LABEL: func.func @kept
// CHECK: nc.memset
// CHECK: %[[COPY:[0-9]+]] = nc.alloc {{.*}}: memref<128x1024xbf16, #nc.space<psum>>
// CHECK: nc.tensor_copy {{.*}}psum>) src({{.*}}sbuf>) {engine = #nc.engine<vector>}
// CHECK: nc.tensor_copy {{.*}}psum>) src({{.*}}sbuf>) {engine = #nc.engine<vector>}
// CHECK: scf.for
// CHECK: nc.view %[[COPY]][] offset #{{map[0-9]*}} sizes [128, 512]
// CHECK-NEXT: nc.tensor_tensor {{.*}}data2({{.*}}psum>) {op = #nc.alu_op<multiply>}
// CHECK: nc.view %[[COPY]][]
// CHECK-NEXT: nc.tensor_tensor {{.*}}data2({{.*}}psum>) {op = #nc.alu_op<multiply>}
// CHECK: nc.tensor_tensor {{.*}}data2({{.*}}sbuf>) {op = #nc.alu_op<multiply>}
// CHECK: return
func.func @kept() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %g = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
  %gv = nc.view %g[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
  nc.memset dst(%gv : !nc.view<128x1024xbf16, sbuf>) {value = 2.0 : f32}
  scf.for %i = %c0 to %c16 step %c1 {
    %x = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %xv = nc.view %x[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %g0 = nc.view %g[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %g1 = nc.view %g[] offset #half sizes [128, 512] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %y = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %yv = nc.view %y[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    nc.tensor_tensor dst(%yv : !nc.view<128x512xbf16, sbuf>) data1(%xv : !nc.view<128x512xbf16, sbuf>) data2(%g0 : !nc.view<128x512xbf16, sbuf>) {op = #nc.alu_op<multiply>}
    nc.tensor_tensor dst(%yv : !nc.view<128x512xbf16, sbuf>) data1(%xv : !nc.view<128x512xbf16, sbuf>) data2(%g1 : !nc.view<128x512xbf16, sbuf>) {op = #nc.alu_op<multiply>}
    nc.tensor_tensor dst(%yv : !nc.view<128x512xbf16, sbuf>) data1(%xv : !nc.view<128x512xbf16, sbuf>) data2(%g0 : !nc.view<128x512xbf16, sbuf>) {op = #nc.alu_op<multiply>}
  }
  return
}

// What the loop writes is not always the same, nor is what stands under
// another name at a place that the program has pinned; integers are exact on
// GpSimd alone; an engine that the user chose stays.
// CHECK-LABEL: func.func @changes
// CHECK-NOT: #nc.space<psum>
// CHECK: return
func.func @changes() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %g = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %gv = nc.view %g[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %p = nc.alloc {pin_partition = 0 : i64, pin_byte = 8192 : i64} : memref<128x512xf32, #nc.space<sbuf>>
  %pv = nc.view %p[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %q = nc.alloc {pin_partition = 0 : i64, pin_byte = 8192 : i64} : memref<128x512xf32, #nc.space<sbuf>>
  %qv = nc.view %q[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %n = nc.alloc : memref<128x512xi32, #nc.space<sbuf>>
  %nv = nc.view %n[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xi32, #nc.space<sbuf>> -> !nc.view<128x512xi32, sbuf>
  %h = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %hv = nc.view %h[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.memset dst(%gv : !nc.view<128x512xf32, sbuf>) {value = 2.0 : f32}
  nc.memset dst(%pv : !nc.view<128x512xf32, sbuf>) {value = 2.0 : f32}
  nc.memset dst(%hv : !nc.view<128x512xf32, sbuf>) {value = 2.0 : f32}
  nc.memset dst(%nv : !nc.view<128x512xi32, sbuf>) {value = 2.0 : f32}
  scf.for %i = %c0 to %c16 step %c1 {
    %x = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
    %xv = nc.view %x[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
    %y = nc.alloc : memref<128x512xi32, #nc.space<sbuf>>
    %yv = nc.view %y[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xi32, #nc.space<sbuf>> -> !nc.view<128x512xi32, sbuf>
    nc.tensor_tensor dst(%xv : !nc.view<128x512xf32, sbuf>) data1(%xv : !nc.view<128x512xf32, sbuf>) data2(%gv : !nc.view<128x512xf32, sbuf>) {op = #nc.alu_op<multiply>}
    nc.tensor_tensor dst(%gv : !nc.view<128x512xf32, sbuf>) data1(%xv : !nc.view<128x512xf32, sbuf>) data2(%gv : !nc.view<128x512xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.tensor_tensor dst(%qv : !nc.view<128x512xf32, sbuf>) data1(%xv : !nc.view<128x512xf32, sbuf>) data2(%pv : !nc.view<128x512xf32, sbuf>) {op = #nc.alu_op<multiply>}
    nc.tensor_tensor dst(%yv : !nc.view<128x512xi32, sbuf>) data1(%yv : !nc.view<128x512xi32, sbuf>) data2(%nv : !nc.view<128x512xi32, sbuf>) {op = #nc.alu_op<multiply>}
    nc.tensor_tensor dst(%xv : !nc.view<128x512xf32, sbuf>) data1(%xv : !nc.view<128x512xf32, sbuf>) data2(%hv : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<vector>, op = #nc.alu_op<multiply>}
  }
  return
}

// Vector has maxima to take all the time: Scalar adds the rows, and nobody reads
// the copy it makes of them.
// CHECK-LABEL: func.func @summed
// CHECK: scf.for
// CHECK: nc.tensor_reduce {{.*}} {op = #nc.alu_op<maximum>}
// CHECK: %[[COPY:[0-9]+]] = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
// CHECK: %[[DST:[0-9]+]] = nc.view %[[COPY]]
// CHECK: nc.activation dst(%[[DST]] : {{.*}}reduce_res({{.*}}) {op = #nc.activation_function<copy>, reduce_cmd = #nc.reduce_command<reset_reduce>, reduce_op = #nc.alu_op<add>}
// CHECK-NOT: #nc.alu_op<add>
// CHECK: return
func.func @summed() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  scf.for %i = %c0 to %c16 step %c1 {
    %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %s = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    nc.tensor_reduce dst(%mv : !nc.view<128x1xf32, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) {op = #nc.alu_op<maximum>}
    nc.tensor_reduce dst(%sv : !nc.view<128x1xf32, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) {op = #nc.alu_op<add>}
  }
  return
}

// Integers, negated sums, rounded ones and sums of parts of rows stay.
// CHECK-LABEL: func.func @unsummed
// CHECK-NOT: nc.activation
// CHECK: return
func.func @unsummed() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %xp = nc.view %x[] offset #zero sizes [128, 4, 128] strides [1, 128, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x4x128xf32, sbuf>
  scf.for %i = %c0 to %c16 step %c1 {
    %s = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %sv = nc.view %s[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %h = nc.alloc : memref<128x1xbf16, #nc.space<sbuf>>
    %hv = nc.view %h[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xbf16, #nc.space<sbuf>> -> !nc.view<128x1xbf16, sbuf>
    %p = nc.alloc : memref<128x4xf32, #nc.space<sbuf>>
    %pv = nc.view %p[] offset #zero sizes [128, 4] strides [1, 1] : memref<128x4xf32, #nc.space<sbuf>> -> !nc.view<128x4xf32, sbuf>
    nc.tensor_reduce dst(%sv : !nc.view<128x1xf32, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) {negate = true, op = #nc.alu_op<add>}
    nc.tensor_reduce dst(%hv : !nc.view<128x1xbf16, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.tensor_reduce dst(%pv : !nc.view<128x4xf32, sbuf>) data(%xp : !nc.view<128x4x128xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.tensor_reduce dst(%sv : !nc.view<128x1xf32, sbuf>) data(%xv : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<vector>, op = #nc.alu_op<add>}
  }
  return
}

// Vector, which has nothing else to do, takes the maximum of a quarter of the
// columns, and the larger of both is a third instruction's. What the user wrote
// stays as it is.
// CHECK-LABEL: func.func @maximum
// CHECK: nc.tensor_scalar_reduce dst({{.*}}<128x128xf32, sbuf>) data({{.*}}<128x128xf32, psum>) reduce_res({{.*}}) {op0 = #nc.alu_op<multiply>, operand0_value = 1.250000e-01 : f32, reduce_op = #nc.alu_op<maximum>}
// CHECK: nc.activate2 dst({{.*}}<128x384xf32, sbuf>) data({{.*}}<128x384xf32, psum>) reduce_res({{.*}})
// CHECK-NEXT: nc.tensor_tensor {{.*}} {op = #nc.alu_op<maximum>}
// CHECK-LABEL: func.func @written
// CHECK-NOT: nc.tensor_scalar_reduce
// CHECK: nc.activate2 dst({{.*}}<128x512xf32, sbuf>)
func.func @maximum() attributes {nc.target = #nc.target<"trn3">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %s = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %sv = nc.view %s[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %y = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
    %yv = nc.view %y[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
    %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    nc.activate2 dst(%yv : !nc.view<128x512xf32, sbuf>) data(%sv : !nc.view<128x512xf32, psum>) reduce_res(%mv : !nc.view<128x1xf32, sbuf>) {imm0_value = 1.250000e-01 : f32, nc.any_form, op = #nc.activation_function<copy>, op0 = #nc.alu_op<multiply>, reduce_cmd = #nc.reduce_command<reset_reduce>, reduce_op = #nc.alu_op<maximum>}
  }
  return
}
func.func @written() attributes {nc.target = #nc.target<"trn3">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %s = nc.alloc : memref<128x512xf32, #nc.space<psum>>
    %sv = nc.view %s[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
    %y = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
    %yv = nc.view %y[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
    %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    nc.activate2 dst(%yv : !nc.view<128x512xf32, sbuf>) data(%sv : !nc.view<128x512xf32, psum>) reduce_res(%mv : !nc.view<128x1xf32, sbuf>) {imm0_value = 1.250000e-01 : f32, op = #nc.activation_function<copy>, op0 = #nc.alu_op<multiply>, reduce_cmd = #nc.reduce_command<reset_reduce>, reduce_op = #nc.alu_op<maximum>}
  }
  return
}
