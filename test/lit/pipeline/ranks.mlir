// RUN: kiln-opt %s --nc-choose-engines --nc-allocate --nc-synchronize --emit-assembly 2>&1 | FileCheck %s

// A register with a rank is set once in each stream that uses it, outside of
// loops; that of a step of the ring where the step is known.

// CHECK: .tensor shared board: f32[64, 16]
// CHECK: .stream gpsimd
// CHECK: rank_id dst=r[[R:[0-9]+]]
// CHECK: loop r[[I:[0-9]+]] = 0 to 4
// CHECK-NEXT: collective_permute_implicit_current_processing_rank_id dst=r[[S:[0-9]+]], iteration_id=r[[I]], replica_group={{\[\[}}0, 1, 2, 3]]
// CHECK: collective_permute_implicit srcs_by_channel=[hbm[arg0 + r[[R]]*64: f32 1x16, 16x1]], dsts_by_channel=[hbm[board + r[[S]]*64: f32 1x16, 16x1]]
func.func @ring(%x: memref<64x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = nc.alloc {label = "board", shared} : memref<64x16xf32, #nc.space<hbm>>
  %r = nc.rank_id
  %xv = nc.view %x[%r] offset affine_map<(d0) -> (d0 * 16)> sizes [1, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
  scf.for %i = %c0 to %c4 step %c1 {
    %s = nc.ring_rank %i of [array<i32: 0, 1, 2, 3>]
    %bv = nc.view %b[%s] offset affine_map<(d0) -> (d0 * 16)> sizes [1, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
    nc.collective_permute_implicit srcs_by_channel(%xv : !nc.view<1x16xf32, hbm>) dsts_by_channel(%bv : !nc.view<1x16xf32, hbm>) {replica_group = [array<i32: 0, 1, 2, 3>]}
  }
  return
}
