// RUN: kiln-opt %s --merge-equal | FileCheck %s
// RUN: kiln-opt %s --merge-equal --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] MergedReads | Category:cse |
// REMARK-DAG: remark: [Missed] NotMerged | Category:cse | {{.*}}it repeats an earlier read

// Equal views are one; of another offset or memory they are not.
// CHECK-LABEL: func.func @views
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref
// CHECK: %[[B:.*]] = nc.alloc
// CHECK: %[[C:.*]] = nc.alloc
// CHECK: %[[BV:.*]] = nc.view %[[B]]
// CHECK: %[[X0:.*]] = nc.view %[[X]][] offset #map 
// CHECK: nc.dma_copy dst(%[[BV]] {{.*}}src(%[[X0]]
// CHECK-NEXT: %[[CV:.*]] = nc.view %[[C]]
// CHECK-NEXT: nc.dma_copy dst(%[[CV]] {{.*}}src(%[[X0]]
// CHECK-NEXT: %[[X1:.*]] = nc.view %[[X]][] offset #map1 
// CHECK-NEXT: nc.dma_copy dst(%[[CV]] {{.*}}src(%[[X1]]
func.func @views(%x: memref<256x64xf32, #nc.space<hbm>>) {
  %b = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
  %c = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
  %b0 = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %x0 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<256x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  nc.dma_copy dst(%b0 : !nc.view<128x64xf32, sbuf>) src(%x0 : !nc.view<128x64xf32, hbm>)
  %c0 = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %x1 = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<256x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  nc.dma_copy dst(%c0 : !nc.view<128x64xf32, sbuf>) src(%x1 : !nc.view<128x64xf32, hbm>)
  %c1 = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %x2 = nc.view %x[] offset affine_map<() -> (8192)> sizes [128, 64] strides [64, 1] : memref<256x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  nc.dma_copy dst(%c1 : !nc.view<128x64xf32, sbuf>) src(%x2 : !nc.view<128x64xf32, hbm>)
  return
}

// What nobody uses is dropped with what only it used; memory costs nothing.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: nc.alloc
// CHECK-NEXT: return
func.func @dead(%i: index) {
  %b = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
  %b0 = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %j = arith.addi %i, %i : index
  %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
  return
}

// A loop knows what is computed around it; behind it nobody knows what is
// computed inside. Operands of a sum may stand in any order.
// CHECK-LABEL: func.func @scopes
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref{{.*}}, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index
// CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[J]]
// CHECK-NOT: arith.addi
// CHECK: scf.for %[[K:.*]] =
// CHECK: nc.view %[[X]][%[[SUM]]]
// CHECK-NOT: nc.view %[[X]]
// CHECK: }
// CHECK: nc.view %[[X]][%[[SUM]]]
func.func @scopes(%x: memref<256x64xf32, #nc.space<hbm>>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
  %b0 = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %sum = arith.addi %i, %j : index
  %mus = arith.addi %j, %i : index
  scf.for %k = %c0 to %c8 step %c1 {
    %x0 = nc.view %x[%sum] offset affine_map<(d0) -> (d0)> sizes [128, 64] strides [64, 1] : memref<256x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
    nc.dma_copy dst(%b0 : !nc.view<128x64xf32, sbuf>) src(%x0 : !nc.view<128x64xf32, hbm>)
    %x1 = nc.view %x[%mus] offset affine_map<(d0) -> (d0)> sizes [128, 64] strides [64, 1] : memref<256x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
    nc.dma_copy dst(%b0 : !nc.view<128x64xf32, sbuf>) src(%x1 : !nc.view<128x64xf32, hbm>)
  }
  %x2 = nc.view %x[%mus] offset affine_map<(d0) -> (d0)> sizes [128, 64] strides [64, 1] : memref<256x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  nc.dma_copy dst(%b0 : !nc.view<128x64xf32, sbuf>) src(%x2 : !nc.view<128x64xf32, hbm>)
  return
}

// Reads are equal as long as nothing writes, in their block.
// CHECK-LABEL: func.func @reads
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref{{.*}}, %[[Y:[a-z0-9]+]]: memref
// CHECK: %[[A:.*]] = tile.load %[[X]]
// CHECK-NOT: tile.load
// CHECK: tile.store %[[A]], %[[Y]]
// CHECK: tile.store %[[A]], %[[Y]]
// CHECK: %[[B:.*]] = tile.load %[[X]]
// CHECK: scf.for
// CHECK: %[[C:.*]] = tile.load %[[X]]
// CHECK-NOT: tile.load
// CHECK: tile.binary add %[[C]], %[[C]]
// CHECK: tile.store
// CHECK: }
// CHECK: tile.store %[[B]], %[[Y]]
// CHECK: %[[D:.*]] = tile.load %[[X]]
// CHECK: tile.store %[[D]], %[[Y]]
func.func @reads(%x: memref<128x64xf32, #nc.space<hbm>>, %y: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %a1 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  tile.store %a, %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  tile.store %a1, %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  %b = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  scf.for %k = %c0 to %c8 step %c1 {
    %c = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %d = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %e = tile.binary add %c, %d : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    tile.store %e, %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  }
  tile.store %b, %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  %f = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  tile.store %f, %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}

// Of two equal reads behind a loop that only reads, the second one is merged.
// CHECK-LABEL: func.func @around
// CHECK: %[[A:.*]] = tile.load
// CHECK: scf.for
// CHECK: }
// CHECK-NOT: tile.load
// CHECK: tile.binary add %[[A]], %[[A]]
func.func @around(%x: memref<128x64xf32, #nc.space<hbm>>, %y: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = tile.fill 0.0 : tensor<128x64xf32>
  %a = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%t = %zero) -> tensor<128x64xf32> {
    %c = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %e = tile.binary add %c, %t : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    scf.yield %e : tensor<128x64xf32>
  }
  %b = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %f = tile.binary add %a, %b : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %g = tile.binary add %f, %s : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  tile.store %g, %y[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}
