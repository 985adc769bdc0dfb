// RUN: kiln-opt %s --nc-rotate | FileCheck %s
// RUN: kiln-opt %s --cse --nc-rotate | FileCheck %s
// RUN: kiln-opt %s --nc-rotate=early | FileCheck %s --check-prefix=EARLY
// RUN: kiln-opt %s --nc-rotate --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] NotRotated | Category:nc-rotate | {{.*}}the program places the memory of the loop
// REMARK-DAG: remark: [Missed] NotRotated | Category:nc-rotate | {{.*}}the program fixes the order of its instructions
// REMARK-DAG: remark: [Passed] Rotated | Category:nc-rotate |

#row = affine_map<(d0) -> (d0 * 16384)>

// The scores of the next block are multiplied before the values of this one;
// the running sum %m is handed on, so what reads it stays.
// CHECK-LABEL: func.func @attention
// CHECK: %[[S:.*]] = nc.alloc : memref<128x128xf32, #nc.space<psum>>
// CHECK: %[[TOP:.*]] = affine.min
// CHECK: scf.for %{{.*}} = %c0 to %[[TOP]]
// CHECK-NOT: nc.activation
// CHECK: nc.dma_copy
// CHECK: nc.nc_matmul
// CHECK: %[[LAST:.*]] = affine.apply #{{.*}}(%arg3)
// CHECK: scf.for %[[J:.*]] = %c0 to %[[LAST]]
// CHECK: nc.activation
// CHECK: nc.nc_matmul
// CHECK: %[[NEXT:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK: nc.view %arg1[%[[NEXT]]]
// CHECK: nc.dma_copy
// CHECK: nc.nc_matmul
// CHECK: %[[FROM:.*]] = affine.max
// CHECK: scf.for %{{.*}} = %[[FROM]] to %arg3
// CHECK-NOT: nc.dma_copy
// CHECK: nc.activation
// CHECK: nc.nc_matmul
// CHECK: return
func.func @attention(%q: memref<128x128xbf16, #nc.space<hbm>>, %k: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<128x128xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %m = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %mv = nc.view %m[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x128xbf16, sbuf>) src(%qv : !nc.view<128x128xbf16, hbm>)
  nc.memset dst(%mv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
  scf.for %j = %c0 to %n step %c1 {
    %kt = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ktv = nc.view %kt[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %kv = nc.view %k[%j] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.dma_copy dst(%ktv : !nc.view<128x128xbf16, sbuf>) src(%kv : !nc.view<128x128xbf16, hbm>)
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%ktv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%pv : !nc.view<128x128xbf16, sbuf>) data1(%sv : !nc.view<128x128xf32, psum>) data2(%mv : !nc.view<128x128xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.activation dst(%pv : !nc.view<128x128xbf16, sbuf>) data(%pv : !nc.view<128x128xbf16, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_matmul dst(%ov : !nc.view<128x128xf32, psum>) stationary(%pv : !nc.view<128x128xbf16, sbuf>) moving(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%mv : !nc.view<128x128xf32, sbuf>) data1(%mv : !nc.view<128x128xf32, sbuf>) data2(%ov : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
  }
  nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%mv : !nc.view<128x128xf32, sbuf>)
  return
}

// A running minimum that the exponential waits for goes with its product; the
// factor that only the second stage reads does not.
// CHECK-LABEL: func.func @statistics
// CHECK: scf.for
// CHECK: nc.nc_matmul
// CHECK: nc.tensor_reduce
// CHECK: nc.tensor_scalar
// CHECK-NOT: nc.activation
// CHECK: scf.for
// CHECK: nc.activation
// CHECK: nc.activation
// CHECK: nc.tensor_copy
// CHECK: nc.nc_matmul
// CHECK: nc.scalar_tensor_tensor
// CHECK: nc.nc_matmul
// CHECK: nc.tensor_reduce
// CHECK: nc.tensor_scalar
// CHECK: scf.for
// CHECK-NOT: nc.tensor_reduce
// CHECK: return
func.func @statistics(%q: memref<128x128xbf16, #nc.space<hbm>>, %k: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<128x128xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %low = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %accv = nc.view %acc[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %lowv = nc.view %low[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x128xbf16, sbuf>) src(%qv : !nc.view<128x128xbf16, hbm>)
  nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
  nc.memset dst(%lowv : !nc.view<128x1xf32, sbuf>) {value = 0.0 : f32}
  scf.for %j = %c0 to %n step %c1 {
    %kt = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %ktv = nc.view %kt[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %s = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %r = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %rv = nc.view %r[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %next = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %nextv = nc.view %next[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %alpha = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %alphav = nc.view %alpha[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %kv = nc.view %k[%j] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.dma_copy dst(%ktv : !nc.view<128x128xbf16, sbuf>) src(%kv : !nc.view<128x128xbf16, hbm>)
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%ktv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_reduce dst(%rv : !nc.view<128x1xf32, sbuf>) data(%sv : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<maximum>}
    nc.tensor_scalar dst(%nextv : !nc.view<128x1xf32, sbuf>) data(%rv : !nc.view<128x1xf32, sbuf>) operand1(%lowv : !nc.view<128x1xf32, sbuf>) {op0 = #nc.alu_op<multiply>, operand0_value = -1.0 : f32, op1 = #nc.alu_op<minimum>}
    nc.activation dst(%pv : !nc.view<128x128xbf16, sbuf>) data(%sv : !nc.view<128x128xf32, psum>) bias(%nextv : !nc.view<128x1xf32, sbuf>) {op = #nc.activation_function<exp>}
    nc.activation dst(%alphav : !nc.view<128x1xf32, sbuf>) data(%lowv : !nc.view<128x1xf32, sbuf>) bias(%nextv : !nc.view<128x1xf32, sbuf>) {op = #nc.activation_function<exp>, scale_value = -1.0 : f32}
    nc.tensor_copy dst(%lowv : !nc.view<128x1xf32, sbuf>) src(%nextv : !nc.view<128x1xf32, sbuf>)
    nc.nc_matmul dst(%ov : !nc.view<128x128xf32, psum>) stationary(%pv : !nc.view<128x128xbf16, sbuf>) moving(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.scalar_tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data(%accv : !nc.view<128x128xf32, sbuf>) operand0(%alphav : !nc.view<128x1xf32, sbuf>) operand1(%ov : !nc.view<128x128xf32, psum>) {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>}
  }
  nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%accv : !nc.view<128x128xf32, sbuf>)
  return
}

// Memory that the program placed stays in its loop.
// CHECK-LABEL: func.func @pinned
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @pinned(%q: memref<128x128xbf16, #nc.space<hbm>>, %k: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<128x128xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %m = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %mv = nc.view %m[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x128xbf16, sbuf>) src(%qv : !nc.view<128x128xbf16, hbm>)
  nc.memset dst(%mv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
  scf.for %j = %c0 to %n step %c1 {
    %kt = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc {pin_byte = 0 : i64, pin_partition = 0 : i64} : memref<128x128xf32, #nc.space<psum>>
    %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ktv = nc.view %kt[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %kv = nc.view %k[%j] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.dma_copy dst(%ktv : !nc.view<128x128xbf16, sbuf>) src(%kv : !nc.view<128x128xbf16, hbm>)
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%ktv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%pv : !nc.view<128x128xbf16, sbuf>) data1(%sv : !nc.view<128x128xf32, psum>) data2(%mv : !nc.view<128x128xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.activation dst(%pv : !nc.view<128x128xbf16, sbuf>) data(%pv : !nc.view<128x128xbf16, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_matmul dst(%ov : !nc.view<128x128xf32, psum>) stationary(%pv : !nc.view<128x128xbf16, sbuf>) moving(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%mv : !nc.view<128x128xf32, sbuf>) data1(%mv : !nc.view<128x128xf32, sbuf>) data2(%ov : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
  }
  nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%mv : !nc.view<128x128xf32, sbuf>)
  return
}

// So does what it wants in order.
// CHECK-LABEL: func.func @promised
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @promised(%q: memref<128x128xbf16, #nc.space<hbm>>, %k: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<128x128xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %m = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %mv = nc.view %m[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x128xbf16, sbuf>) src(%qv : !nc.view<128x128xbf16, hbm>)
  nc.memset dst(%mv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
  scf.for %j = %c0 to %n step %c1 {
    %kt = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ktv = nc.view %kt[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %kv = nc.view %k[%j] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.dma_copy dst(%ktv : !nc.view<128x128xbf16, sbuf>) src(%kv : !nc.view<128x128xbf16, hbm>)
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%ktv : !nc.view<128x128xbf16, sbuf>) {nc.ordered = array<i64: 1, 0>}
    nc.tensor_tensor dst(%pv : !nc.view<128x128xbf16, sbuf>) data1(%sv : !nc.view<128x128xf32, psum>) data2(%mv : !nc.view<128x128xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.activation dst(%pv : !nc.view<128x128xbf16, sbuf>) data(%pv : !nc.view<128x128xbf16, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_matmul dst(%ov : !nc.view<128x128xf32, psum>) stationary(%pv : !nc.view<128x128xbf16, sbuf>) moving(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%mv : !nc.view<128x128xf32, sbuf>) data1(%mv : !nc.view<128x128xf32, sbuf>) data2(%ov : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
  }
  nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%mv : !nc.view<128x128xf32, sbuf>)
  return
}

// Eight iterations are for nc-pipeline-loops, as long as it has not been there;
// nobody knows how many @attention has.
// EARLY-LABEL: func.func @attention
// EARLY-COUNT-3: scf.for
// EARLY-LABEL: func.func @known
// EARLY-COUNT-1: scf.for
// EARLY-NOT: scf.for
// EARLY: return
func.func @known(%q: memref<128x128xbf16, #nc.space<hbm>>, %k: memref<1024x128xbf16, #nc.space<hbm>>, %y: memref<128x128xf32, #nc.space<hbm>>) {
  %n = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %m = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %mv = nc.view %m[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 128] strides [128, 1] : memref<128x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x128xbf16, sbuf>) src(%qv : !nc.view<128x128xbf16, hbm>)
  nc.memset dst(%mv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
  scf.for %j = %c0 to %n step %c1 {
    %kt = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %s = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ktv = nc.view %kt[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %ov = nc.view %o[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    %kv = nc.view %k[%j] offset #row sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
    nc.dma_copy dst(%ktv : !nc.view<128x128xbf16, sbuf>) src(%kv : !nc.view<128x128xbf16, hbm>)
    nc.nc_matmul dst(%sv : !nc.view<128x128xf32, psum>) stationary(%av : !nc.view<128x128xbf16, sbuf>) moving(%ktv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%pv : !nc.view<128x128xbf16, sbuf>) data1(%sv : !nc.view<128x128xf32, psum>) data2(%mv : !nc.view<128x128xf32, sbuf>) {op = #nc.alu_op<add>}
    nc.activation dst(%pv : !nc.view<128x128xbf16, sbuf>) data(%pv : !nc.view<128x128xbf16, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_matmul dst(%ov : !nc.view<128x128xf32, psum>) stationary(%pv : !nc.view<128x128xbf16, sbuf>) moving(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_tensor dst(%mv : !nc.view<128x128xf32, sbuf>) data1(%mv : !nc.view<128x128xf32, sbuf>) data2(%ov : !nc.view<128x128xf32, psum>) {op = #nc.alu_op<add>}
  }
  nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%mv : !nc.view<128x128xf32, sbuf>)
  return
}
