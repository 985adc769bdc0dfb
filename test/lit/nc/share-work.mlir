// RUN: kiln-opt %s --nc-share-work | FileCheck %s
// RUN: kiln-opt %s --nc-share-work --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Shared | Category:nc-share-work | {{.*}}blocks=4, {{.*}}moved=2
// REMARK-DAG: remark: [Passed] Divided | Category:nc-share-work | {{.*}}chains=1{{.*}}
// REMARK-DAG: remark: [Missed] NotShared | Category:nc-share-work | {{.*}}

#zero = affine_map<() -> (0)>

// Scalar and Vector are busy with other work, so the copy out of PSUM hurts:
// half of the blocks go to the DMA engines, and the copy is half as wide.
// CHECK-LABEL: func.func @share
// CHECK: scf.for
// CHECK: nc.activation
// CHECK-COUNT-2: nc.nc_transpose
// CHECK-COUNT-2: nc.dma_transpose
// CHECK-NOT: nc.dma_transpose
// CHECK: nc.tensor_copy dst(%{{.*}} : <128x256xbf16, sbuf>) src(%{{.*}} : <128x256xbf16, psum>)
// CHECK-NOT: nc.tensor_copy
// CHECK: return
func.func @share(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %sv = nc.view %s[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  scf.for %i = %c0 to %c16 step %c1 {
    %p = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %pv = nc.view %p[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %p0 = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %p1 = nc.view %p[] offset affine_map<() -> (128)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %p2 = nc.view %p[] offset affine_map<() -> (256)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %p3 = nc.view %p[] offset affine_map<() -> (384)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
    %t = nc.alloc : memref<128x512xbf16, #nc.space<psum>>
    %tv = nc.view %t[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x512xbf16, psum>
    %t0 = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %t1 = nc.view %t[] offset affine_map<() -> (128)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %t2 = nc.view %t[] offset affine_map<() -> (256)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %t3 = nc.view %t[] offset affine_map<() -> (384)> sizes [128, 128] strides [1, 1] : memref<128x512xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    %o = nc.alloc : memref<128x512xbf16, #nc.space<sbuf>>
    %ov = nc.view %o[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    nc.activation dst(%pv : !nc.view<128x512xbf16, sbuf>) data(%sv : !nc.view<128x512xf32, sbuf>) {op = #nc.activation_function<exp>}
    nc.nc_transpose dst(%t0 : !nc.view<128x128xbf16, psum>) data(%p0 : !nc.view<128x128xbf16, sbuf>)
    nc.nc_transpose dst(%t1 : !nc.view<128x128xbf16, psum>) data(%p1 : !nc.view<128x128xbf16, sbuf>)
    nc.nc_transpose dst(%t2 : !nc.view<128x128xbf16, psum>) data(%p2 : !nc.view<128x128xbf16, sbuf>)
    nc.nc_transpose dst(%t3 : !nc.view<128x128xbf16, psum>) data(%p3 : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_copy dst(%ov : !nc.view<128x512xbf16, sbuf>) src(%tv : !nc.view<128x512xbf16, psum>)
    nc.tensor_reduce dst(%mv : !nc.view<128x1xf32, sbuf>) data(%ov : !nc.view<128x512xbf16, sbuf>) {engine = #nc.engine<vector>, op = #nc.alu_op<maximum>}
  }
  return
}

// Few iterations do not hide the latency of a transfer, and somebody else reads
// what stands in PSUM.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: nc.dma_transpose
// CHECK: return
func.func @stays(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %pv = nc.view %p[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %o = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %ov = nc.view %o[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  scf.for %i = %c0 to %c7 step %c1 {
    %t = nc.alloc : memref<128x128xbf16, #nc.space<psum>>
    %tv = nc.view %t[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    nc.nc_transpose dst(%tv : !nc.view<128x128xbf16, psum>) data(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_copy dst(%ov : !nc.view<128x128xbf16, sbuf>) src(%tv : !nc.view<128x128xbf16, psum>)
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %t = nc.alloc : memref<128x128xbf16, #nc.space<psum>>
    %tv = nc.view %t[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    nc.nc_transpose dst(%tv : !nc.view<128x128xbf16, psum>) data(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_copy dst(%ov : !nc.view<128x128xbf16, sbuf>) src(%tv : !nc.view<128x128xbf16, psum>)
    nc.tensor_copy dst(%pv : !nc.view<128x128xbf16, sbuf>) src(%tv : !nc.view<128x128xbf16, psum>)
  }
  return
}

// Vector has maxima to take all the time. The chain becomes two passes, which
// GpSimd may run, and what is in PSUM is copied.
// CHECK-LABEL: func.func @divide
// CHECK: scf.for
// CHECK: nc.tensor_reduce
// CHECK: nc.tensor_copy dst(%[[COPY:[0-9]+]] : <128x128xf32, sbuf>) src({{.*}}psum>)
// CHECK: nc.tensor_tensor dst(%[[BETWEEN:[0-9]+]] : {{.*}} {op = #nc.alu_op<multiply>}
// CHECK: nc.tensor_tensor dst({{.*}} data1(%[[BETWEEN]] : {{.*}}data2(%[[COPY]] : {{.*}} {op = #nc.alu_op<add>}
// CHECK-NOT: nc.scalar_tensor_tensor
// CHECK: return
func.func @divide(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %sv = nc.view %s[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %sum = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %sumv = nc.view %sum[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %alpha = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %alphav = nc.view %alpha[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  scf.for %i = %c0 to %c16 step %c1 {
    %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
    %mv = nc.view %m[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
    %o = nc.alloc : memref<128x128xf32, #nc.space<psum>>
    %ov = nc.view %o[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<psum>> -> !nc.view<128x128xf32, psum>
    nc.tensor_reduce dst(%mv : !nc.view<128x1xf32, sbuf>) data(%sv : !nc.view<128x512xf32, psum>) {op = #nc.alu_op<maximum>}
    nc.scalar_tensor_tensor dst(%sumv : !nc.view<128x128xf32, sbuf>) data(%sumv : !nc.view<128x128xf32, sbuf>) operand0(%alphav : !nc.view<128x1xf32, sbuf>) operand1(%ov : !nc.view<128x128xf32, psum>) {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>}
  }
  return
}

// A number becomes a column that is filled once, in front of all loops; an
// operand on the left stays there.
// CHECK-LABEL: func.func @number
// CHECK: nc.alloc : memref<128x1xf32
// CHECK: %[[COLUMN:[0-9]+]] = nc.alloc : memref<128x1xf32
// CHECK: nc.memset {{.*}} {value = -2.500000e-01 : f32}
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[NUMBER:[0-9]+]] = nc.view %[[COLUMN]]
// CHECK: %[[SPREAD:[0-9]+]] = nc.view %[[COLUMN]][] {{.*}} sizes [128, 128] strides [1, 0]
// CHECK: nc.tensor_tensor dst(%[[BETWEEN:[0-9]+]] {{.*}} data1(%[[SPREAD]] {{.*}} {op = #nc.alu_op<subtract>}
// CHECK: nc.tensor_tensor {{.*}} data1(%[[BETWEEN]] {{.*}} {op = #nc.alu_op<minimum>}
// CHECK-NOT: nc.tensor_scalar
// CHECK: return
func.func @number(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %sv = nc.view %s[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %x = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %alpha = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %alphav = nc.view %alpha[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c16 step %c1 {
      nc.tensor_reduce dst(%alphav : !nc.view<128x1xf32, sbuf>) data(%sv : !nc.view<128x512xf32, psum>) {op = #nc.alu_op<maximum>}
      nc.tensor_scalar dst(%xv : !nc.view<128x128xf32, sbuf>) data(%xv : !nc.view<128x128xf32, sbuf>) operand1(%alphav : !nc.view<128x1xf32, sbuf>) {op0 = #nc.alu_op<subtract>, reverse0 = true, op1 = #nc.alu_op<minimum>, operand0_value = -2.500000e-01 : f32}
    }
  }
  return
}

// Too few iterations, and operators and types of which the other form is not
// the same.
// CHECK-LABEL: func.func @undivided
// CHECK-NOT: nc.tensor_tensor
// CHECK: return
func.func @undivided(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %s = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %sv = nc.view %s[] offset #zero sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %x = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  %h = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %hv = nc.view %h[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %alpha = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %alphav = nc.view %alpha[] offset #zero sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  scf.for %i = %c0 to %c7 step %c1 {
    nc.tensor_reduce dst(%alphav : !nc.view<128x1xf32, sbuf>) data(%sv : !nc.view<128x512xf32, psum>) {op = #nc.alu_op<maximum>}
    nc.tensor_scalar dst(%xv : !nc.view<128x128xf32, sbuf>) data(%xv : !nc.view<128x128xf32, sbuf>) operand1(%alphav : !nc.view<128x1xf32, sbuf>) {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<minimum>, operand0_value = -2.500000e-01 : f32}
  }
  scf.for %i = %c0 to %c16 step %c1 {
    nc.tensor_reduce dst(%alphav : !nc.view<128x1xf32, sbuf>) data(%sv : !nc.view<128x512xf32, psum>) {op = #nc.alu_op<maximum>}
    nc.tensor_scalar dst(%xv : !nc.view<128x128xf32, sbuf>) data(%xv : !nc.view<128x128xf32, sbuf>) operand1(%alphav : !nc.view<128x1xf32, sbuf>) {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<greater>, operand0_value = -2.500000e-01 : f32}
    nc.tensor_scalar dst(%hv : !nc.view<128x128xbf16, sbuf>) data(%hv : !nc.view<128x128xbf16, sbuf>) operand1(%alphav : !nc.view<128x1xf32, sbuf>) {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<minimum>, operand0_value = -2.500000e-01 : f32}
    nc.tensor_scalar dst(%xv : !nc.view<128x128xf32, sbuf>) data(%xv : !nc.view<128x128xf32, sbuf>) operand1(%alphav : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<vector>, op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<minimum>, operand0_value = -2.500000e-01 : f32}
  }
  return
}

// One block is transposed sooner than the DMA engines would: it stays.
// CHECK-LABEL: func.func @no_gain
// CHECK-NOT: nc.dma_transpose
// CHECK: return
func.func @no_gain() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %p = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %pv = nc.view %p[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %o = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %ov = nc.view %o[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  scf.for %i = %c0 to %c16 step %c1 {
    %t = nc.alloc : memref<128x128xbf16, #nc.space<psum>>
    %tv = nc.view %t[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<psum>> -> !nc.view<128x128xbf16, psum>
    nc.nc_transpose dst(%tv : !nc.view<128x128xbf16, psum>) data(%pv : !nc.view<128x128xbf16, sbuf>)
    nc.tensor_copy dst(%ov : !nc.view<128x128xbf16, sbuf>) src(%tv : !nc.view<128x128xbf16, psum>)
  }
  return
}
