// RUN: kiln-opt %s --nc-replicate-registers | FileCheck %s
// RUN: kiln-opt %s --cse --nc-replicate-registers | FileCheck %s
// RUN: kiln-opt %s --nc-replicate-registers --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Replicated | Category:nc-replicate-registers |
// REMARK-DAG: remark: [Missed] NotReplicated | Category:nc-replicate-registers |

// One load for each stream that uses the register: sync for the transfer whose
// address it is part of, scalar and gpsimd for the loop that it bounds. A
// register that addresses another load goes where that one goes. An unused one
// vanishes.

// CHECK-LABEL: func.func @streams
// CHECK: %[[R:.*]] = nc.register_load src({{.*}}) {engine = #nc.engine<scalar>, group = [[A:[0-9]+]] : i64}
// CHECK: nc.register_load src({{.*}}) {engine = #nc.engine<gpsimd>, group = [[A]] : i64}
// CHECK: nc.register_load src({{.*}}) {engine = #nc.engine<sync>, group = [[A]] : i64}
// CHECK: nc.view %{{.*}}[%[[R]]]
// CHECK: nc.register_load src({{.*}}) {engine = #nc.engine<sync>, group = [[B:[0-9]+]] : i64}
// CHECK-NOT: nc.register_load
// CHECK: scf.for
func.func @streams(%x: memref<64x16xf32, #nc.space<hbm>>, %t: memref<8x1xi32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<1x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%tv : !nc.view<1x1xi32, hbm>)
  %unused = nc.register_load src(%tv : !nc.view<1x1xi32, hbm>)
  %next = nc.view %t[%r] offset affine_map<(d0) -> (d0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %s = nc.register_load src(%next : !nc.view<1x1xi32, hbm>)
  %xv = nc.view %x[%s] offset affine_map<(d0) -> (d0 * 16)> sizes [1, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<1x16xf32, hbm>
  nc.dma_copy dst(%av : !nc.view<1x16xf32, sbuf>) src(%xv : !nc.view<1x16xf32, hbm>) {engine = #nc.engine<sync>}
  scf.for %i = %c0 to %r step %c1 {
    nc.activation dst(%av : !nc.view<1x16xf32, sbuf>) data(%av : !nc.view<1x16xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}
    nc.memset dst(%av : !nc.view<1x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<gpsimd>}
  }
  return
}

// The condition of a while goes to every stream in its body, from either place:
// where it is entered and where it is tested again.

// CHECK-LABEL: func.func @condition
// CHECK: nc.register_load src({{.*}}) {engine = #nc.engine<scalar>, group = [[A:[0-9]+]] : i64}
// CHECK: nc.register_load src({{.*}}) {engine = #nc.engine<gpsimd>, group = [[A]] : i64}
// CHECK: nc.while_entry
// CHECK: scf.for
// CHECK: nc.register_load src({{.*}}) {engine = #nc.engine<scalar>, group = [[B:[0-9]+]] : i64}
// CHECK: nc.register_load src({{.*}}) {engine = #nc.engine<gpsimd>, group = [[B]] : i64}
// CHECK-NOT: nc.register_load
// CHECK: nc.while
func.func @condition(%t: memref<8x1xi32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<1x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [1, 16] strides [1, 1] : memref<1x16xf32, #nc.space<sbuf>> -> !nc.view<1x16xf32, sbuf>
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%tv : !nc.view<1x1xi32, hbm>)
  %bound = nc.while_entry %r
  scf.for %i = %c0 to %bound step %c1 {
    nc.activation dst(%av : !nc.view<1x16xf32, sbuf>) data(%av : !nc.view<1x16xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}
    nc.memset dst(%av : !nc.view<1x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<gpsimd>}
    %next = nc.register_load src(%tv : !nc.view<1x1xi32, hbm>)
    nc.while %next
  }
  return
}

// Nothing needs the registers: what is computed from them goes with them, the
// address of a load that nobody uses and a loop around nothing.

// CHECK-LABEL: func.func @nobody
// CHECK-NOT: nc.register_load
// CHECK-NOT: scf.for
// CHECK-NOT: nc.while
// CHECK: return
func.func @nobody(%t: memref<8x1xi32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %r = nc.register_load src(%tv : !nc.view<1x1xi32, hbm>)
  %place = affine.apply affine_map<(d0) -> (d0 mod 8)>(%r)
  %next = nc.view %t[%place] offset affine_map<(d0) -> (d0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %s = nc.register_load src(%next : !nc.view<1x1xi32, hbm>)
  scf.for %i = %c0 to %s step %c1 {
    %inner = nc.register_load src(%next : !nc.view<1x1xi32, hbm>)
    %again = nc.view %t[%inner] offset affine_map<(d0) -> (d0)> sizes [1, 1] strides [1, 1] : memref<8x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
    %last = nc.register_load src(%again : !nc.view<1x1xi32, hbm>)
    nc.while %last
  }
  return
}
