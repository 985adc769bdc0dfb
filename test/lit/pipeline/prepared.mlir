// RUN: kiln-opt %s --nc-choose-engines --nc-allocate --nc-synchronize --emit-assembly 2>&1 | sed -n '/^.kernel/,/^.location/p' | FileCheck %s

// A trigger waits for its preparation and for what it moves. What it moves is
// written beside the preparation, which waits for its table alone.

// CHECK: .stream gpsimd
// CHECK-NEXT: all_to_all_v_prepare prepared=hbm[kept: u32 3x2, 2x1], replica_group={{\[\[}}0, 1]], metadata_tensor=hbm[arg1: u32 3x2, 2x1], recv_counts_known, queue={{[0-9]+}}, signal s[[KEPT:[0-9]+]]+=1
// CHECK-NEXT: all_to_all_v_trigger srcs=[hbm[sent: f32 1x16, 16x1]], dsts=[hbm[arg2: f32 1x16, 16x1]], {{.*}}prepared=hbm[kept: u32 3x2, 2x1], metadata_tensor=hbm[arg1: u32 3x2, 2x1], recv_counts_known, {{.*}}wait
// CHECK: .stream sync
// CHECK-NEXT: dma_copy dst=hbm[sent: f32 1x16, 16x1], src=hbm[arg0: f32 1x16, 16x1]
// CHECK-NOT: wait
func.func @parts(%x: memref<1x16xf32, #nc.space<hbm>>, %t: memref<3x2xui32, #nc.space<hbm>>, %y: memref<1x16xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>}) {
  %s = nc.alloc {label = "sent"} : memref<1x16xf32, #nc.space<hbm>>
  %k = nc.alloc {label = "kept"} : memref<3x2xui32, #nc.space<hbm>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [1, 16] strides [16, 1] : memref<1x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [1, 16] strides [16, 1] : memref<1x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
  %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [1, 16] strides [16, 1] : memref<1x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [3, 2] strides [2, 1] : memref<3x2xui32, #nc.space<hbm>> -> !nc.view<3x2xui32, hbm>
  %kv = nc.view %k[] offset affine_map<() -> (0)> sizes [3, 2] strides [2, 1] : memref<3x2xui32, #nc.space<hbm>> -> !nc.view<3x2xui32, hbm>
  nc.all_to_all_v_prepare prepared(%kv : !nc.view<3x2xui32, hbm>) metadata_tensor(%tv : !nc.view<3x2xui32, hbm>) {replica_group = [array<i32: 0, 1>], recv_counts_known = true}
  nc.dma_copy dst(%sv : !nc.view<1x16xf32, hbm>) src(%xv : !nc.view<1x16xf32, hbm>) {engine = #nc.engine<sync>}
  nc.all_to_all_v_trigger srcs(%sv : !nc.view<1x16xf32, hbm>) dsts(%yv : !nc.view<1x16xf32, hbm>) prepared(%kv : !nc.view<3x2xui32, hbm>) metadata_tensor(%tv : !nc.view<3x2xui32, hbm>) {replica_group = [array<i32: 0, 1>], recv_counts_known = true}
  return
}
