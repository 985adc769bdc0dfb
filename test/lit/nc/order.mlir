// RUN: kiln-opt %s --nc-order | FileCheck %s
// RUN: kiln-opt %s --cse --nc-order | FileCheck %s
// RUN: kiln-opt %s --nc-order --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] KeptOrder | Category:nc-order |
// REMARK-DAG: remark: [Passed] Ordered | Category:nc-order |
// REMARK-DAG: KeptOrder{{.*}} iterations=24,
// REMARK-DAG: KeptOrder{{.*}} iterations=3,

// The load of `b` is independent of all work on `a`: it is issued early, since
// it takes longest. Conflicting accesses keep their order.

// CHECK-LABEL: func.func @early_load
// CHECK: nc.dma_copy
// CHECK: nc.dma_copy
// CHECK: op = #nc.activation_function<exp>
// CHECK: op = #nc.activation_function<square>
// CHECK: nc.tensor_tensor
func.func @early_load(%x: memref<128x256xf32, #nc.space<hbm>>, %y: memref<128x256xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<square>, engine = #nc.engine<scalar>}
  nc.dma_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%yv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32}
  nc.tensor_tensor dst(%av : !nc.view<128x256xf32, sbuf>) data1(%av : !nc.view<128x256xf32, sbuf>) data2(%bv : !nc.view<128x256xf32, sbuf>) {op = #nc.alu_op<add>, engine = #nc.engine<vector>}
  return
}

// The same, but the program wants the order of the text.
// CHECK-LABEL: func.func @no_reorder
// CHECK: nc.dma_copy
// CHECK: op = #nc.activation_function<exp>
// CHECK: op = #nc.activation_function<square>
// CHECK: nc.dma_copy
// CHECK: nc.tensor_tensor
func.func @no_reorder(%x: memref<128x256xf32, #nc.space<hbm>>, %y: memref<128x256xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>, nc.ordered = array<i64: 1, 0>}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<square>, engine = #nc.engine<scalar>, nc.ordered = array<i64: 1, 1>}
  nc.dma_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%yv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32, nc.ordered = array<i64: 1, 2>}
  nc.tensor_tensor dst(%av : !nc.view<128x256xf32, sbuf>) data1(%av : !nc.view<128x256xf32, sbuf>) data2(%bv : !nc.view<128x256xf32, sbuf>) {op = #nc.alu_op<add>, engine = #nc.engine<vector>}
  return
}

// The load comes after the first of the two.
// CHECK-LABEL: func.func @after
// CHECK: nc.dma_copy
// CHECK: op = #nc.activation_function<exp>
// CHECK: nc.dma_copy
// CHECK: nc.tensor_tensor
func.func @after(%x: memref<128x256xf32, #nc.space<hbm>>, %y: memref<128x256xf32, #nc.space<hbm>>) attributes {nc.order_edges = array<i64: 1, 0>} {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>, nc.label = 0 : i64}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<square>, engine = #nc.engine<scalar>}
  nc.dma_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%yv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32, nc.label = 1 : i64}
  nc.tensor_tensor dst(%av : !nc.view<128x256xf32, sbuf>) data1(%av : !nc.view<128x256xf32, sbuf>) data2(%bv : !nc.view<128x256xf32, sbuf>) {op = #nc.alu_op<add>, engine = #nc.engine<vector>}
  return
}

// Nothing of the stream of a token passes it; other streams do not care.
// CHECK-LABEL: func.func @tokens
// CHECK: nc.dma_copy
// CHECK: nc.semaphore
// CHECK: nc.dma_copy
// CHECK: nc.tensor_tensor
func.func @tokens(%x: memref<128x256xf32, #nc.space<hbm>>, %y: memref<128x256xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<square>, engine = #nc.engine<scalar>}
  nc.semaphore {engine = #nc.engine<sync>, nc.user_signals = [#nc.token<0, 1>]}
  nc.dma_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%yv : !nc.view<128x256xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32}
  nc.tensor_tensor dst(%av : !nc.view<128x256xf32, sbuf>) data1(%av : !nc.view<128x256xf32, sbuf>) data2(%bv : !nc.view<128x256xf32, sbuf>) {op = #nc.alu_op<add>, engine = #nc.engine<vector>}
  return
}

// Loads that ran ahead would fill more of SBUF than there is: the order of the
// text stays.
// CHECK-LABEL: func.func @large
// CHECK: nc.dma_copy
// CHECK: op = #nc.activation_function<exp>
// CHECK: nc.dma_copy
// CHECK: op = #nc.activation_function<square>
// CHECK: nc.dma_copy
// CHECK: op = #nc.activation_function<abs>
func.func @large(%x: memref<128x24576xf32, #nc.space<hbm>>, %y: memref<128x24576xf32, #nc.space<hbm>>, %z: memref<128x24576xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x24576xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x24576xf32, #nc.space<sbuf>>
  %c = nc.alloc : memref<128x24576xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 24576] strides [24576, 1] : memref<128x24576xf32, #nc.space<hbm>> -> !nc.view<128x24576xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 24576] strides [24576, 1] : memref<128x24576xf32, #nc.space<hbm>> -> !nc.view<128x24576xf32, hbm>
  %zv = nc.view %z[] offset affine_map<() -> (0)> sizes [128, 24576] strides [24576, 1] : memref<128x24576xf32, #nc.space<hbm>> -> !nc.view<128x24576xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 24576] strides [1, 1] : memref<128x24576xf32, #nc.space<sbuf>> -> !nc.view<128x24576xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 24576] strides [1, 1] : memref<128x24576xf32, #nc.space<sbuf>> -> !nc.view<128x24576xf32, sbuf>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 24576] strides [1, 1] : memref<128x24576xf32, #nc.space<sbuf>> -> !nc.view<128x24576xf32, sbuf>
  nc.dma_copy dst(%av : !nc.view<128x24576xf32, sbuf>) src(%xv : !nc.view<128x24576xf32, hbm>) {engine = #nc.engine<sync>}
  nc.activation dst(%av : !nc.view<128x24576xf32, sbuf>) data(%av : !nc.view<128x24576xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>}
  nc.dma_copy dst(%bv : !nc.view<128x24576xf32, sbuf>) src(%yv : !nc.view<128x24576xf32, hbm>) {engine = #nc.engine<sync>}
  nc.activation dst(%bv : !nc.view<128x24576xf32, sbuf>) data(%bv : !nc.view<128x24576xf32, sbuf>) {op = #nc.activation_function<square>, engine = #nc.engine<scalar>}
  nc.dma_copy dst(%cv : !nc.view<128x24576xf32, sbuf>) src(%zv : !nc.view<128x24576xf32, hbm>) {engine = #nc.engine<sync>}
  nc.activation dst(%cv : !nc.view<128x24576xf32, sbuf>) data(%cv : !nc.view<128x24576xf32, sbuf>) {op = #nc.activation_function<abs>, engine = #nc.engine<scalar>}
  return
}

// The second of two collectives waits for nothing, the first for a long load:
// they keep their order all the same.
// CHECK-LABEL: func.func @meetings
// CHECK: nc.all_reduce
// CHECK: nc.collective_permute
func.func @meetings(%x: memref<64x16xf32, #nc.space<hbm>>, %y: memref<64x16xf32, #nc.space<hbm>>, %z: memref<64x16xf32, #nc.space<hbm>>) {
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [64, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<64x16xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [64, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<64x16xf32, hbm>
  %zv = nc.view %z[] offset affine_map<() -> (0)> sizes [64, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<64x16xf32, hbm>
  nc.dma_copy dst(%yv : !nc.view<64x16xf32, hbm>) src(%xv : !nc.view<64x16xf32, hbm>) {engine = #nc.engine<sync>}
  nc.dma_copy dst(%xv : !nc.view<64x16xf32, hbm>) src(%yv : !nc.view<64x16xf32, hbm>) {engine = #nc.engine<sync>}
  nc.all_reduce srcs(%xv : !nc.view<64x16xf32, hbm>) dsts(%yv : !nc.view<64x16xf32, hbm>) {replica_group = [array<i32: 0, 1>], op = #nc.alu_op<add>, engine = #nc.engine<gpsimd>, queue = 8 : i32}
  nc.collective_permute srcs(%zv : !nc.view<64x16xf32, hbm>) dsts(%zv : !nc.view<64x16xf32, hbm>) {source_target_pairs = [array<i32: 0, 1>], engine = #nc.engine<gpsimd>, queue = 9 : i32}
  return
}

// Where software pipelining said when instructions start, that is their order;
// what it said nothing about starts when its inputs are there, and a store of
// which nobody here waits comes last.
// CHECK-LABEL: func.func @timed
// CHECK: nc.memset {{.*}}value = 3.000000e+00
// CHECK: nc.memset {{.*}}value = 1.000000e+00
// CHECK: nc.memset {{.*}}value = 2.000000e+00
// CHECK: nc.dma_copy
func.func @timed(%x: memref<128x16xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %c = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 16] strides [16, 1] : memref<128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
  nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 2000000>, value = 1.0 : f32}
  nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<sync>, queue = 1 : i32}
  nc.memset dst(%bv : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.start = array<i64: 0, 9000000>, value = 2.0 : f32}
  nc.memset dst(%cv : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<vector>, value = 3.0 : f32}
  return
}

// Times of two loops have nothing to do with each other.
// CHECK-LABEL: func.func @timed_by_two
// CHECK: nc.memset {{.*}}value = 2.000000e+00
// CHECK: nc.memset {{.*}}value = 1.000000e+00
// CHECK: nc.memset {{.*}}value = 3.000000e+00
func.func @timed_by_two() {
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %c = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 0, 5000>, value = 1.0 : f32}
  nc.memset dst(%bv : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<gpsimd>, nc.start = array<i64: 0, 4000>, value = 2.0 : f32}
  nc.memset dst(%cv : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<vector>, nc.start = array<i64: 1, 0>, value = 3.0 : f32}
  return
}

// Four iterations at each of six turns of the loop around are one long run of
// 24; three are too few for a steady state.
// CHECK-LABEL: func.func @nests
func.func @nests() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
      nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
    }
    scf.for %j = %c0 to %c3 step %c1 {
      nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 2.0 : f32, engine = #nc.engine<vector>}
      nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 3.0 : f32, engine = #nc.engine<vector>}
    }
  }
  return
}

// `b` lies in banks 0 and 1, of which `a` has one. Nothing is written to that
// one, and yet b begins when a has been read for the last time.
// CHECK-LABEL: func.func @banks
// CHECK: op = #nc.activation_function<exp>
// CHECK: op = #nc.activation_function<square>
// CHECK: nc.memset
// CHECK: return
func.func @banks() {
  %a = nc.alloc {nc.bank = 0 : i64} : memref<128x512xf32, #nc.space<psum>>
  %b = nc.alloc {nc.bank = 0 : i64} : memref<128x1024xf32, #nc.space<psum>>
  %s = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %bv = nc.view %b[] offset affine_map<() -> (512)> sizes [128, 512] strides [1, 1] : memref<128x1024xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.activation dst(%sv : !nc.view<128x512xf32, sbuf>) data(%av : !nc.view<128x512xf32, psum>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>, nc.start = array<i64: 0, 900>}
  nc.activation dst(%sv : !nc.view<128x512xf32, sbuf>) data(%av : !nc.view<128x512xf32, psum>) {op = #nc.activation_function<square>, engine = #nc.engine<scalar>, nc.start = array<i64: 0, 1900000>}
  nc.memset dst(%bv : !nc.view<128x512xf32, psum>) {value = 0.0 : f32, engine = #nc.engine<vector>, nc.start = array<i64: 0, 0, 1>}
  return
}

// All three could start first. The user wants `square` soon, and what the copy
// waits for, but not `exp`.
// CHECK-LABEL: func.func @urgent
// CHECK: op = #nc.activation_function<square>
// CHECK: op = #nc.activation_function<tanh>
// CHECK: op = #nc.activation_function<exp>
// REMARK-DAG: Category:nc-order{{.*}} urgent=3
func.func @urgent() {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %c = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %d = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>, engine = #nc.engine<scalar>, nc.urgency = -1 : i64}
  nc.activation dst(%bv : !nc.view<128x256xf32, sbuf>) data(%bv : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<tanh>, engine = #nc.engine<scalar>}
  nc.activation dst(%cv : !nc.view<128x256xf32, sbuf>) data(%cv : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<square>, engine = #nc.engine<scalar>, nc.urgency = 2 : i64}
  nc.tensor_copy dst(%dv : !nc.view<128x256xf32, sbuf>) src(%bv : !nc.view<128x256xf32, sbuf>) {engine = #nc.engine<vector>, nc.urgency = 1 : i64}
  return
}
