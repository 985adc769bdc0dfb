// RUN: kiln-opt %s --nc-deal-queues | FileCheck %s
// RUN: kiln-opt %s --nc-deal-queues --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Dealt | Category:nc-deal-queues | {{.*}}queues=3{{.*}}transfers=4
// REMARK-DAG: remark: [Missed] NotDealt | Category:nc-deal-queues | {{.*}}transfers=2

// Transfers that run once take the queues in turn, in their order; of the
// others, and of those whose queue or whose descriptors the program chose, none
// changes.
// CHECK-LABEL: func.func @once
// CHECK: nc.dma_copy {{.*}}nc.dealt_queue}
// CHECK: nc.dma_copy {{.*}}queue = 1
// CHECK: nc.dma_copy {{.*}}queue = 2
// CHECK: nc.dma_copy {{.*}}nc.dealt_queue}
// CHECK: nc.dma_copy {{.*}}queue = 5
// CHECK: nc.dma_copy {{.*}}queue = 6
// CHECK: scf.for
// CHECK: nc.dma_copy {{.*}}queue = 7
func.func @once(%x: memref<4x128x256xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<4x128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<sync>, nc.dealt_queue, queue = 2 : i32}
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<sync>, nc.dealt_queue, queue = 2 : i32}
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<sync>, nc.dealt_queue, queue = 1 : i32}
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<sync>, nc.dealt_queue, queue = 0 : i32}
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<sync>, queue = 5 : i32}
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<hwdge>, engine = #nc.engine<sync>, nc.dealt_queue, queue = 6 : i32}
  scf.for %i = %c0 to %c4 step %c1 {
    nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<sync>, nc.dealt_queue, queue = 7 : i32}
  }
  return
}

// One queue is left for two transfers.
// CHECK-LABEL: func.func @alone
// CHECK-COUNT-2: nc.dma_copy {{.*}}queue = 9
func.func @alone(%x: memref<128x256xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<scalar>, nc.dealt_queue, queue = 9 : i32}
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {dge_mode = #nc.dge_mode<none>, engine = #nc.engine<scalar>, nc.dealt_queue, queue = 9 : i32}
  return
}
