// RUN: kiln-opt %s --nc-keep-loads | FileCheck %s
// RUN: kiln-opt %s --nc-keep-loads --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Kept | Category:nc-keep-loads | +bytes=14336
// REMARK-DAG: remark: [Missed] NotKept | Category:nc-keep-loads | {{.*}}all blocks take 819200 bytes per partition
// REMARK-DAG: remark: [Missed] NotKept | Category:nc-keep-loads | {{.*}}the engines take longer than the loads

#block = affine_map<(d0) -> (d0 * 131072)>
#rows = affine_map<(d0) -> (d0 * 16384)>
#zero = affine_map<() -> (0)>

// Every iteration of the outer loop loads the same seven blocks. The first one
// is peeled and loads them; in the others the loads are gone.
// CHECK-LABEL: func.func @keep
// CHECK: %[[ALL:.*]] = nc.alloc : memref<128x7168xbf16, #nc.space<sbuf>>
// CHECK: scf.for %[[J:.*]] =
// CHECK: nc.view %[[ALL]][%[[J]]] offset #[[SLOT:.*]] sizes [128, 1024]
// CHECK: nc.dma_copy
// CHECK: nc.tensor_tensor
// CHECK: nc.dma_copy
// CHECK: scf.for %{{.*}} = %c1{{.*}} to %c4
// CHECK: scf.for %[[K:.*]] =
// CHECK: nc.view %[[ALL]][%[[K]]] offset #[[SLOT]] sizes [128, 1024]
// CHECK-NOT: nc.dma_copy
// CHECK: nc.tensor_tensor
// CHECK: }
// CHECK: nc.dma_copy
// CHECK: return
func.func @keep(%x: memref<1024x1024xbf16, #nc.space<hbm>>, %y: memref<512x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %accv = nc.view %acc[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
    scf.for %j = %c0 to %c7 step %c1 {
      %b = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %bv = nc.view %b[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %part = nc.view %b[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %xv = nc.view %x[%j] offset #block sizes [128, 1024] strides [1024, 1] : memref<1024x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%bv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
      nc.tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data1(%accv : !nc.view<128x128xf32, sbuf>) data2(%part : !nc.view<128x128xbf16, sbuf>) {op = #nc.alu_op<add>}
    }
    %yv = nc.view %y[%i] offset #rows sizes [128, 128] strides [128, 1] : memref<512x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%accv : !nc.view<128x128xf32, sbuf>)
  }
  return
}

// The counter of the outer loop chooses, too; or something in the kernel writes
// what is loaded: each iteration may find something else.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: scf.for
// CHECK: nc.dma_copy
// CHECK: nc.dma_copy
// CHECK: nc.tensor_tensor
// CHECK-NOT: scf.for
// CHECK: return
func.func @others(%x: memref<4096x1024xbf16, #nc.space<hbm>>, %z: memref<128x128xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %out = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %outv = nc.view %out[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  %zv = nc.view %z[] offset #zero sizes [128, 128] strides [128, 1] : memref<128x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %a = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %av = nc.view %a[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %part = nc.view %a[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %xv = nc.view %x[%i, %j] offset affine_map<(d0, d1) -> (d0 * 1048576 + d1 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%av : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
      %b = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
      %bv = nc.view %b[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      nc.dma_copy dst(%bv : !nc.view<128x128xbf16, sbuf>) src(%zv : !nc.view<128x128xbf16, hbm>)
      nc.tensor_tensor dst(%outv : !nc.view<128x128xbf16, sbuf>) data1(%bv : !nc.view<128x128xbf16, sbuf>) data2(%part : !nc.view<128x128xbf16, sbuf>) {op = #nc.alu_op<add>}
    }
  }
  nc.dma_copy dst(%zv : !nc.view<128x128xbf16, hbm>) src(%outv : !nc.view<128x128xbf16, sbuf>)
  return
}

// All blocks together do not fit in SBUF.
// CHECK-LABEL: func.func @large
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @large(%x: memref<51200x1024xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c400 = arith.constant 400 : index
  %out = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
  %outv = nc.view %out[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c400 step %c1 {
      %b = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %bv = nc.view %b[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %part = nc.view %b[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %xv = nc.view %x[%j] offset #block sizes [128, 1024] strides [1024, 1] : memref<51200x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%bv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
      nc.tensor_tensor dst(%outv : !nc.view<128x128xbf16, sbuf>) data1(%outv : !nc.view<128x128xbf16, sbuf>) data2(%part : !nc.view<128x128xbf16, sbuf>) {op = #nc.alu_op<add>}
    }
  }
  return
}

// The engines take longer than the loads: there is nothing to gain.
// CHECK-LABEL: func.func @slow
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @slow(%x: memref<1024x128xbf16, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %out = nc.alloc : memref<128x8192xf32, #nc.space<sbuf>>
  %outv = nc.view %out[] offset #zero sizes [128, 8192] strides [1, 1] : memref<128x8192xf32, #nc.space<sbuf>> -> !nc.view<128x8192xf32, sbuf>
  %first = nc.view %out[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x8192xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %b = nc.alloc : memref<128x128xbf16, #nc.space<sbuf>>
      %bv = nc.view %b[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %xv = nc.view %x[%j] offset #rows sizes [128, 128] strides [128, 1] : memref<1024x128xbf16, #nc.space<hbm>> -> !nc.view<128x128xbf16, hbm>
      nc.dma_copy dst(%bv : !nc.view<128x128xbf16, sbuf>) src(%xv : !nc.view<128x128xbf16, hbm>)
      nc.activation dst(%outv : !nc.view<128x8192xf32, sbuf>) data(%outv : !nc.view<128x8192xf32, sbuf>) {op = #nc.activation_function<exp>}
      nc.tensor_tensor dst(%first : !nc.view<128x128xf32, sbuf>) data1(%first : !nc.view<128x128xf32, sbuf>) data2(%bv : !nc.view<128x128xbf16, sbuf>) {op = #nc.alu_op<add>}
    }
  }
  return
}

// An inner loop of eight iterations is software pipelined, so its loads stand in
// front of the nest, in the order in which they are needed. What fills the rest
// of a block with constants stays with its load.
// CHECK-LABEL: func.func @with_ones
// CHECK: %[[ALL:.*]] = nc.alloc : memref<128x8200xbf16, #nc.space<sbuf>>
// CHECK: nc.view %[[ALL]][%[[C0:.*]]] offset
// CHECK: nc.memset {{.*}}1.000000e+00
// CHECK: nc.view %arg0[%[[C0]]] offset
// CHECK: nc.dma_copy
// CHECK: nc.view %[[ALL]][%[[C1:.*]]] offset
// CHECK: nc.memset {{.*}}1.000000e+00
// CHECK: nc.view %arg0[%[[C1]]] offset
// CHECK-COUNT-7: nc.dma_copy
// CHECK-NOT: nc.dma_copy
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4
// CHECK-NOT: 1.000000e+00
// CHECK: scf.for
// CHECK-NOT: nc.dma_copy
// CHECK: nc.tensor_tensor
// CHECK: return
func.func @with_ones(%x: memref<1024x1024xbf16, #nc.space<hbm>>, %y: memref<512x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
    %accv = nc.view %acc[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
    nc.memset dst(%accv : !nc.view<128x128xf32, sbuf>) {value = 0.0 : f32}
    scf.for %j = %c0 to %c8 step %c1 {
      %b = nc.alloc : memref<128x1025xbf16, #nc.space<sbuf>>
      %bv = nc.view %b[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1025xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %ones = nc.view %b[] offset affine_map<() -> (1024)> sizes [128, 1] strides [1, 1] : memref<128x1025xbf16, #nc.space<sbuf>> -> !nc.view<128x1xbf16, sbuf>
      %part = nc.view %b[] offset affine_map<() -> (897)> sizes [128, 128] strides [1, 1] : memref<128x1025xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %xv = nc.view %x[%j] offset #block sizes [128, 1024] strides [1024, 1] : memref<1024x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.memset dst(%ones : !nc.view<128x1xbf16, sbuf>) {value = 1.0 : f32}
      nc.dma_copy dst(%bv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
      nc.tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data1(%accv : !nc.view<128x128xf32, sbuf>) data2(%part : !nc.view<128x128xbf16, sbuf>) {op = #nc.alu_op<add>}
    }
    %yv = nc.view %y[%i] offset #rows sizes [128, 128] strides [128, 1] : memref<512x128xf32, #nc.space<hbm>> -> !nc.view<128x128xf32, hbm>
    nc.dma_copy dst(%yv : !nc.view<128x128xf32, hbm>) src(%accv : !nc.view<128x128xf32, sbuf>)
  }
  return
}

// What the source itself writes is written as often as it says: its own
// transfer, and an assignment to a buffer of its own.
// CHECK-LABEL: func.func @own
// CHECK-COUNT-2: scf.for
// CHECK: nc.dma_copy
// CHECK: nc.dma_copy
// CHECK: nc.tensor_tensor
// CHECK-NOT: scf.for
// CHECK: return
func.func @own(%x: memref<1024x1024xbf16, #nc.space<hbm>>, %y: memref<512x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %acc = nc.alloc : memref<128x128xf32, #nc.space<sbuf>>
  %accv = nc.view %acc[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> !nc.view<128x128xf32, sbuf>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c7 step %c1 {
      %a = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %av = nc.view %a[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
      %b = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
      %bv = nc.view %b[] offset #zero sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf> loc(#assigned)
      %apart = nc.view %a[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %bpart = nc.view %b[] offset #zero sizes [128, 128] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x128xbf16, sbuf>
      %xv = nc.view %x[%j] offset #block sizes [128, 1024] strides [1024, 1] : memref<1024x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
      nc.dma_copy dst(%av : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>) source(5)
      nc.dma_copy dst(%bv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
      nc.tensor_tensor dst(%accv : !nc.view<128x128xf32, sbuf>) data1(%apart : !nc.view<128x128xbf16, sbuf>) data2(%bpart : !nc.view<128x128xbf16, sbuf>) {op = #nc.alu_op<add>}
    }
  }
  return
}
#assigned = loc(fused<6 : i64>["a.cpp":1:1])
