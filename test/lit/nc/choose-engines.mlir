// RUN: kiln-opt %s --nc-choose-engines | FileCheck %s
// RUN: kiln-opt %s --cse --nc-choose-engines | FileCheck %s
// RUN: kiln-opt %s --nc-choose-engines --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Moved | Category:nc-choose-engines |
// REMARK-DAG: remark: [Passed] TakesTurns | Category:nc-choose-engines | {{.*}}percent=
// REMARK-DAG: remark: [Passed] Balanced | Category:nc-choose-engines | {{.*}}before_ns={{.*}}busy_ns=
// REMARK-DAG: remark: [Missed] NotBalanced | Category:nc-choose-engines | {{.*}}busy_ns={{.*}}moved=

// Loads go to sync and spread over its queues, stores to gpsimd with queues of
// its own; PSUM is read by vector or scalar, never by gpsimd; activations run
// on scalar; what the program chose stays.

// CHECK-LABEL: func.func @streams
func.func @streams(%x: memref<128x256xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x256xf32, #nc.space<psum>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<psum>> -> !nc.view<128x256xf32, psum>
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<sync>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>)
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<sync>{{.*}}, queue = 1
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>)
  // CHECK: nc.activation{{.*}}engine = #nc.engine<scalar>
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>}
  // CHECK: nc.tensor_copy{{.*}}engine = #nc.engine<{{vector|scalar}}>
  nc.tensor_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%pv : !nc.view<128x256xf32, psum>)
  // CHECK: nc.memset{{.*}}engine = #nc.engine<gpsimd>
  nc.memset dst(%av : !nc.view<128x256xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<gpsimd>}
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<gpsimd>{{.*}}, queue = 8
  nc.dma_copy dst(%xv : !nc.view<128x256xf32, hbm>) src(%av : !nc.view<128x256xf32, sbuf>)
  return
}

// A copy within HBM waits for no data on chip. If no load stands behind it, it
// blocks none, and goes to sync: there it does not wait for stores.

// CHECK-LABEL: func.func @copies
func.func @copies(%x: memref<128x256xf32, #nc.space<hbm>>, %y: memref<128x256xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 256] strides [256, 1] : memref<128x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<gpsimd>
  nc.dma_copy dst(%yv : !nc.view<128x256xf32, hbm>) src(%xv : !nc.view<128x256xf32, hbm>)
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<sync>
  nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%xv : !nc.view<128x256xf32, hbm>)
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<sync>
  nc.dma_copy dst(%yv : !nc.view<128x256xf32, hbm>) src(%xv : !nc.view<128x256xf32, hbm>)
  return
}

// What meets other ranks stays in one stream, whose order is that of the
// program, unless the program chose.

// CHECK-LABEL: func.func @meetings
func.func @meetings(%x: memref<64x16xf32, #nc.space<hbm>>, %y: memref<64x16xf32, #nc.space<hbm>>) {
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [64, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<64x16xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [64, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<64x16xf32, hbm>
  // CHECK: nc.all_reduce{{.*}}engine = #nc.engine<gpsimd>{{.*}}queue = 8
  nc.all_reduce srcs(%xv : !nc.view<64x16xf32, hbm>) dsts(%yv : !nc.view<64x16xf32, hbm>) {replica_group = [array<i32: 0, 1>], op = #nc.alu_op<add>}
  // CHECK: nc.collective_permute{{.*}}engine = #nc.engine<gpsimd>{{.*}}queue = 9
  nc.collective_permute srcs(%xv : !nc.view<64x16xf32, hbm>) dsts(%yv : !nc.view<64x16xf32, hbm>) {source_target_pairs = [array<i32: 0, 1>]}
  // CHECK: nc.all_reduce{{.*}}engine = #nc.engine<scalar>
  nc.all_reduce srcs(%xv : !nc.view<64x16xf32, hbm>) dsts(%yv : !nc.view<64x16xf32, hbm>) {replica_group = [array<i32: 0, 1>], op = #nc.alu_op<add>, engine = #nc.engine<scalar>}
  return
}

// A collective holds its queue until all ranks have moved: stores of the same
// stream take other queues.

// CHECK-LABEL: func.func @beside_meetings
func.func @beside_meetings(%x: memref<64x16xf32, #nc.space<hbm>>, %y: memref<64x16xf32, #nc.space<hbm>>) {
  %a = nc.alloc : memref<64x16xf32, #nc.space<sbuf>>
  %xv = nc.view %x[] offset affine_map<() -> (0)> sizes [64, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<64x16xf32, hbm>
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [64, 16] strides [16, 1] : memref<64x16xf32, #nc.space<hbm>> -> !nc.view<64x16xf32, hbm>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [64, 16] strides [1, 1] : memref<64x16xf32, #nc.space<sbuf>> -> !nc.view<64x16xf32, sbuf>
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<gpsimd>{{.*}}queue = 8
  nc.dma_copy dst(%xv : !nc.view<64x16xf32, hbm>) src(%av : !nc.view<64x16xf32, sbuf>)
  // CHECK: nc.all_reduce{{.*}}engine = #nc.engine<gpsimd>{{.*}}queue = 11
  nc.all_reduce srcs(%xv : !nc.view<64x16xf32, hbm>) dsts(%yv : !nc.view<64x16xf32, hbm>) {replica_group = [array<i32: 0, 1>], op = #nc.alu_op<add>}
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<gpsimd>{{.*}}queue = 10
  nc.dma_copy dst(%xv : !nc.view<64x16xf32, hbm>) src(%av : !nc.view<64x16xf32, sbuf>)
  // CHECK: nc.dma_copy{{.*}}engine = #nc.engine<gpsimd>{{.*}}queue = 8
  nc.dma_copy dst(%xv : !nc.view<64x16xf32, hbm>) src(%av : !nc.view<64x16xf32, sbuf>)
  // CHECK: nc.all_reduce{{.*}}engine = #nc.engine<gpsimd>{{.*}}queue = 11
  nc.all_reduce srcs(%xv : !nc.view<64x16xf32, hbm>) dsts(%yv : !nc.view<64x16xf32, hbm>) {replica_group = [array<i32: 0, 1>], op = #nc.alu_op<add>}
  return
}

// The load of each block counts alone: what vector does outside does not send
// the copies of the loop to scalar, nor the other way round.

// CHECK-LABEL: func.func @phases
func.func @phases(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x256xf32, #nc.space<psum>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<psum>> -> !nc.view<128x256xf32, psum>
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>}
  // CHECK: nc.tensor_copy{{.*}}engine = #nc.engine<vector>
  nc.tensor_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%pv : !nc.view<128x256xf32, psum>)
  scf.for %i = %c0 to %n step %c1 {
    nc.tensor_tensor dst(%av : !nc.view<128x256xf32, sbuf>) data1(%av : !nc.view<128x256xf32, sbuf>) data2(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.alu_op<add>, engine = #nc.engine<vector>}
    nc.tensor_tensor dst(%av : !nc.view<128x256xf32, sbuf>) data1(%av : !nc.view<128x256xf32, sbuf>) data2(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.alu_op<add>, engine = #nc.engine<vector>}
    // CHECK: nc.tensor_copy{{.*}}engine = #nc.engine<scalar>
    nc.tensor_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%pv : !nc.view<128x256xf32, psum>)
  }
  return
}

// The Scalar engine reads what is copied. To copy on the idle Vector engine is
// worth a change of engine only where that costs nothing.
// CHECK-LABEL: func.func @change_costs
// CHECK: nc.tensor_copy{{.*}}engine = #nc.engine<scalar>
// CHECK-LABEL: func.func @change_is_free
// CHECK: nc.tensor_copy{{.*}}engine = #nc.engine<vector>
func.func @change_costs() attributes {nc.target = #nc.target<"trn2">} {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x256xf32, #nc.space<psum>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<psum>> -> !nc.view<128x256xf32, psum>
  nc.tensor_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%pv : !nc.view<128x256xf32, psum>)
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%bv : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>}
  return
}
func.func @change_is_free() attributes {nc.target = #nc.target<"trn2" with {engine_change_ns = 0.0}>} {
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %b = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x256xf32, #nc.space<psum>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<psum>> -> !nc.view<128x256xf32, psum>
  nc.tensor_copy dst(%bv : !nc.view<128x256xf32, sbuf>) src(%pv : !nc.view<128x256xf32, psum>)
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%bv : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>}
  return
}

// The Vector engine is busy with the first. Where it and GpSimd hold the port
// of SBUF in turn, GpSimd would wait for it: the second goes behind the first.
// CHECK-LABEL: func.func @port_in_turn
// CHECK: nc.scalar_tensor_tensor {{.*}}engine = #nc.engine<vector>
// CHECK: nc.tensor_tensor {{.*}}engine = #nc.engine<vector>
// CHECK-LABEL: func.func @ports_apart
// CHECK: nc.scalar_tensor_tensor {{.*}}engine = #nc.engine<vector>
// CHECK: nc.tensor_tensor {{.*}}engine = #nc.engine<gpsimd>
func.func @port_in_turn() attributes {nc.target = #nc.target<"trn1">} {
  %a = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %b = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %c = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %d = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  nc.scalar_tensor_tensor dst(%av : !nc.view<128x4096xbf16, sbuf>) data(%bv : !nc.view<128x4096xbf16, sbuf>) operand1(%cv : !nc.view<128x4096xbf16, sbuf>) {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>, operand0_value = 2.0 : f32}
  nc.tensor_tensor dst(%dv : !nc.view<128x4096xbf16, sbuf>) data1(%bv : !nc.view<128x4096xbf16, sbuf>) data2(%cv : !nc.view<128x4096xbf16, sbuf>) {op = #nc.alu_op<add>}
  return
}
func.func @ports_apart() attributes {nc.target = #nc.target<"trn2">} {
  %a = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %b = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %c = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %d = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  nc.scalar_tensor_tensor dst(%av : !nc.view<128x4096xbf16, sbuf>) data(%bv : !nc.view<128x4096xbf16, sbuf>) operand1(%cv : !nc.view<128x4096xbf16, sbuf>) {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>, operand0_value = 2.0 : f32}
  nc.tensor_tensor dst(%dv : !nc.view<128x4096xbf16, sbuf>) data1(%bv : !nc.view<128x4096xbf16, sbuf>) data2(%cv : !nc.view<128x4096xbf16, sbuf>) {op = #nc.alu_op<add>}
  return
}

// The fast modes of the Vector engine share the port with GpSimd cycle by cycle.
// CHECK-LABEL: func.func @ports_shared
// CHECK: nc.tensor_tensor {{.*}}engine = #nc.engine<vector>
// CHECK: nc.tensor_tensor {{.*}}engine = #nc.engine<vector>
func.func @ports_shared() attributes {nc.target = #nc.target<"trn2">} {
  %a = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %b = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %c = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  %d = nc.alloc : memref<128x4096xbf16, #nc.space<sbuf>>
  %dv = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 4096] strides [1, 1] : memref<128x4096xbf16, #nc.space<sbuf>> -> !nc.view<128x4096xbf16, sbuf>
  nc.tensor_tensor dst(%av : !nc.view<128x4096xbf16, sbuf>) data1(%bv : !nc.view<128x4096xbf16, sbuf>) data2(%cv : !nc.view<128x4096xbf16, sbuf>) {op = #nc.alu_op<add>}
  nc.tensor_tensor dst(%dv : !nc.view<128x4096xbf16, sbuf>) data1(%bv : !nc.view<128x4096xbf16, sbuf>) data2(%cv : !nc.view<128x4096xbf16, sbuf>) {op = #nc.alu_op<add>}
  return
}

// In a loop that may be pipelined, waiting for another engine costs nothing:
// scalar takes what only vector seemed to be near enough for. A loop of unknown
// length keeps neighbours together, and what stands around a loop leaves the
// engine alone that is busy in it.

// CHECK-LABEL: func.func @balance
func.func @balance(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %a = nc.alloc : memref<128x320xf32, #nc.space<sbuf>>
  %g = nc.alloc : memref<128x640xf32, #nc.space<sbuf>>
  %l = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %m = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 320] strides [1, 1] : memref<128x320xf32, #nc.space<sbuf>> -> !nc.view<128x320xf32, sbuf>
  %gv = nc.view %g[] offset affine_map<() -> (0)> sizes [128, 640] strides [1, 1] : memref<128x640xf32, #nc.space<sbuf>> -> !nc.view<128x640xf32, sbuf>
  %lv = nc.view %l[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  %mv = nc.view %m[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  scf.for %j = %c0 to %n step %c1 {
    // CHECK: nc.memset{{.*}}engine = #nc.engine<vector>
    nc.memset dst(%mv : !nc.view<128x1xf32, sbuf>) {value = 0.0 : f32}
    // CHECK: scf.for
    scf.for %i = %c0 to %c16 step %c1 {
      // CHECK: nc.tensor_reduce{{.*}}engine = #nc.engine<vector>
      nc.tensor_reduce dst(%mv : !nc.view<128x1xf32, sbuf>) data(%pv : !nc.view<128x512xf32, psum>) {op = #nc.alu_op<maximum>}
      // CHECK: nc.activation{{.*}}engine = #nc.engine<scalar>
      nc.activation dst(%av : !nc.view<128x320xf32, sbuf>) data(%av : !nc.view<128x320xf32, sbuf>) {op = #nc.activation_function<exp>}
      // CHECK: nc.memset{{.*}}engine = #nc.engine<gpsimd>
      nc.memset dst(%gv : !nc.view<128x640xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<gpsimd>}
      // CHECK: nc.tensor_copy{{.*}}engine = #nc.engine<scalar>
      nc.tensor_copy dst(%lv : !nc.view<128x1xf32, sbuf>) src(%mv : !nc.view<128x1xf32, sbuf>)
    }
  }
  return
}

// A copy beside a loop avoids the Vector engine, which the loop uses, if it has
// less to do elsewhere. It overlaps one iteration of the loop, not all sixteen:
// behind a long activation it would wait for longer.
// CHECK-LABEL: func.func @beside_short_activation
// CHECK: nc.tensor_copy {{.*}}engine = #nc.engine<scalar>
// CHECK: scf.for
func.func @beside_short_activation() attributes {nc.target = #nc.target<"trn2">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = nc.alloc : memref<128x256xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %b = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %c = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.activation dst(%av : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<exp>}
  nc.tensor_copy dst(%bv : !nc.view<128x512xf32, sbuf>) src(%pv : !nc.view<128x512xf32, psum>)
  scf.for %i = %c0 to %c16 step %c1 {
    nc.tensor_copy dst(%cv : !nc.view<128x512xf32, sbuf>) src(%pv : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>}
  }
  return
}

// CHECK-LABEL: func.func @beside_long_activation
// CHECK: nc.tensor_copy {{.*}}engine = #nc.engine<vector>
// CHECK: scf.for
func.func @beside_long_activation() attributes {nc.target = #nc.target<"trn2">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = nc.alloc : memref<128x2048xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %b = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %c = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 2048] strides [1, 1] : memref<128x2048xf32, #nc.space<sbuf>> -> !nc.view<128x2048xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %cv = nc.view %c[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.activation dst(%av : !nc.view<128x2048xf32, sbuf>) data(%av : !nc.view<128x2048xf32, sbuf>) {op = #nc.activation_function<exp>}
  nc.tensor_copy dst(%bv : !nc.view<128x512xf32, sbuf>) src(%pv : !nc.view<128x512xf32, psum>)
  scf.for %i = %c0 to %c16 step %c1 {
    nc.tensor_copy dst(%cv : !nc.view<128x512xf32, sbuf>) src(%pv : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>}
  }
  return
}

// One copy, and two engines with nothing else to do: they take it in turns, each
// in about half of the iterations. A loop of three iterations is not pipelined.
// CHECK-LABEL: func.func @turns
// CHECK: nc.tensor_copy {{.*}}nc.takes_turns = array<i64: {{[0-9]+, [45][0-9][0-9]}}>
func.func @turns(%x: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %b = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  scf.for %i = %c0 to %n step %c1 {
    nc.tensor_copy dst(%bv : !nc.view<128x512xf32, sbuf>) src(%pv : !nc.view<128x512xf32, psum>)
  }
  return
}

// CHECK-LABEL: func.func @no_turns
// CHECK-NOT: nc.takes_turns
func.func @no_turns(%x: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  %b = nc.alloc : memref<128x512xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  scf.for %i = %c0 to %n step %c1 {
    nc.tensor_copy dst(%bv : !nc.view<128x512xf32, sbuf>) src(%pv : !nc.view<128x512xf32, psum>)
  }
  return
}

// Copies that share a tile with GpSimd stay there: on other engines, the Vector
// engine would be as busy as before.
// CHECK-LABEL: func.func @no_gain
// CHECK: scf.for
// CHECK-COUNT-2: nc.tensor_copy {{.*}}engine = #nc.engine<gpsimd>
// CHECK: return
func.func @no_gain() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %b = nc.alloc : memref<128x32xf32, #nc.space<sbuf>>
  %d = nc.alloc : memref<128x64xf32, #nc.space<sbuf>>
  %p = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %q = nc.alloc : memref<128x512xf32, #nc.space<psum>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x32xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %d0 = nc.view %d[] offset affine_map<() -> (0)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %d1 = nc.view %d[] offset affine_map<() -> (32)> sizes [128, 32] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x32xf32, sbuf>
  %pv = nc.view %p[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  %qv = nc.view %q[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  scf.for %i = %c0 to %n step %c1 {
    nc.memset dst(%bv : !nc.view<128x32xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<gpsimd>}
    nc.tensor_copy dst(%d0 : !nc.view<128x32xf32, sbuf>) src(%bv : !nc.view<128x32xf32, sbuf>)
    nc.tensor_copy dst(%d1 : !nc.view<128x32xf32, sbuf>) src(%bv : !nc.view<128x32xf32, sbuf>)
    nc.tensor_copy dst(%qv : !nc.view<128x512xf32, psum>) src(%pv : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>}
    nc.tensor_copy dst(%qv : !nc.view<128x512xf32, psum>) src(%pv : !nc.view<128x512xf32, psum>) {engine = #nc.engine<vector>}
  }
  return
}

// Sync makes descriptors for longer than anything else takes, so every other
// load goes over scalar.
// CHECK-LABEL: func.func @split_loads
// CHECK: scf.for
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<sync>
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<scalar>
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<sync>
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<scalar>
// CHECK: return
// REMARK-DAG: remark: [Passed] SplitLoads | Category:nc-choose-engines | {{.*}}loads=4, moved=2
func.func @split_loads(%x: memref<8x128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 2048)> sizes [128, 16] strides [16, 1] : memref<8x128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
  }
  return
}

// A load stays if the program chose its stream, its queue or its descriptors,
// or if it reads what another engine computes.
// CHECK-LABEL: func.func @kept_loads
// CHECK: scf.for
// CHECK-COUNT-4: engine = #nc.engine<sync>
// CHECK: return
func.func @kept_loads(%x: memref<8x128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 2048)> sizes [128, 16] strides [16, 1] : memref<8x128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>) {engine = #nc.engine<sync>}
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>) {queue = 3 : i32}
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>) {dge_mode = #nc.dge_mode<none>}
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%av : !nc.view<128x16xf32, sbuf>)
  }
  return
}

// Scalar is as busy with something else: nothing is gained.
// CHECK-LABEL: func.func @scalar_is_busy
// CHECK: scf.for
// CHECK-COUNT-4: engine = #nc.engine<sync>
// CHECK: return
func.func @scalar_is_busy(%x: memref<8x128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %b = nc.alloc : memref<128x2048xf32, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 2048] strides [1, 1] : memref<128x2048xf32, #nc.space<sbuf>> -> !nc.view<128x2048xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 2048)> sizes [128, 16] strides [16, 1] : memref<8x128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
    nc.dma_copy dst(%av : !nc.view<128x16xf32, sbuf>) src(%xv : !nc.view<128x16xf32, hbm>)
    nc.tensor_copy dst(%bv : !nc.view<128x2048xf32, sbuf>) src(%bv : !nc.view<128x2048xf32, sbuf>) {engine = #nc.engine<scalar>}
  }
  return
}

// GpSimd makes descriptors for longer than anything else takes: sync and scalar
// issue some of its stores. One for which the program chose a stream stays.
// CHECK-LABEL: func.func @split_stores
// CHECK: scf.for
// CHECK-DAG: nc.dma_copy {{.*}}engine = #nc.engine<sync>
// CHECK-DAG: nc.dma_copy {{.*}}engine = #nc.engine<scalar>
// CHECK-DAG: nc.dma_copy {{.*}}engine = #nc.engine<gpsimd>
// CHECK: return
// REMARK-DAG: remark: [Passed] SplitStores | Category:nc-choose-engines | {{.*}}moved={{[0-9]+}}, stores=4
func.func @split_stores(%x: memref<8x128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 2048)> sizes [128, 16] strides [16, 1] : memref<8x128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>)
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>)
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>)
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>)
  }
  return
}

// CHECK-LABEL: func.func @kept_stores
// CHECK: scf.for
// CHECK-COUNT-4: engine = #nc.engine<gpsimd>
// CHECK: return
func.func @kept_stores(%x: memref<8x128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = nc.alloc : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 2048)> sizes [128, 16] strides [16, 1] : memref<8x128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<gpsimd>}
    nc.dma_copy dst(%xv : !nc.view<128x16xf32, hbm>) src(%av : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<gpsimd>}
  }
  return
}
