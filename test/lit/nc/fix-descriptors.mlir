// RUN: kiln-opt %s --nc-fix-descriptors | FileCheck %s
// RUN: kiln-opt %s --nc-fix-descriptors --nc-choose-engines | FileCheck %s --check-prefix=QUEUES
// RUN: kiln-opt %s --nc-fix-descriptors --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Fixed | Category:nc-fix-descriptors | {{.*}}transfers=3
// REMARK-DAG: remark: [Missed] NotFixed | Category:nc-fix-descriptors | {{.*}}transfers=2

// What runs once between known addresses needs no descriptors made at run time,
// unless the program chose them; what a loop runs has other addresses each time.
// All queues of the stream take the transfers in turns.
// CHECK-LABEL: func.func @once
// CHECK-COUNT-3: dge_mode = #nc.dge_mode<none>
// CHECK: nc.dma_copy {{.*}}dge_mode = #nc.dge_mode<hwdge>
// CHECK: scf.for
// CHECK-NOT: dge_mode
// CHECK: return
// QUEUES-LABEL: func.func @once
// QUEUES: nc.dma_copy {{.*}}dge_mode<none>
// QUEUES: nc.dma_copy {{.*}}dge_mode<none>{{.*}}queue = 1
// QUEUES: nc.dma_copy {{.*}}dge_mode<none>{{.*}}queue = 2
// QUEUES: nc.dma_copy {{.*}}dge_mode<hwdge>{{.*}}queue = 3
func.func @once(%x: memref<4x128x256xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %x0 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<4x128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %x1 = nc.view %x[%c1] offset affine_map<(d0) -> (d0 * 32768)> sizes [128, 256] strides [256, 1] : memref<4x128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%x0 : !nc.view<128x256xf32, hbm>)
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%x1 : !nc.view<128x256xf32, hbm>)
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%x0 : !nc.view<128x256xf32, hbm>)
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%x0 : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<hwdge>}
  scf.for %i = %c0 to %c4 step %c1 {
    %xi = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 32768)> sizes [128, 256] strides [256, 1] : memref<4x128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
    nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xi : !nc.view<128x256xf32, hbm>)
  }
  return
}

// A register says where two transfers go: their descriptors are made when the
// kernel runs.
// CHECK-LABEL: func.func @where
// CHECK: nc.register_load
// CHECK-NOT: dge_mode
// CHECK: return
func.func @where(%x: memref<4x128x256xf32, #nc.space<hbm>>, %t: memref<8x1xi32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%tv : !nc.view<1x1xi32, hbm>)
  %xr = nc.view %x[%r] offset affine_map<(d0) -> (d0 * 32768)> sizes [128, 256] strides [256, 1] : memref<4x128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xr : !nc.view<128x256xf32, hbm>)
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xr : !nc.view<128x256xf32, hbm>)
  return
}
