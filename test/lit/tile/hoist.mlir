// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-hoist))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(cse,tile-hoist))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-hoist{budget=64}))' | FileCheck %s --check-prefix=SMALL
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-hoist))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-hoist{budget=64}))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK1
// REMARK-DAG: remark: [Passed] Hoisted | Category:tile-hoist |
// REMARK1-DAG: remark: [Missed] NotHoisted | Category:tile-hoist |

#z = affine_map<() -> (0)>
#i = affine_map<(d0) -> (d0 * 8192)>

// The load of %w does not depend on the loop; %x is stored to, so it stays.
// CHECK-LABEL: func.func @loads
// CHECK: tile.load %arg1
// CHECK: scf.for
// CHECK: tile.load %arg0
// With 64 bytes a partition nothing may move.
// SMALL-LABEL: func.func @loads
// SMALL: scf.for
// SMALL: tile.load %arg1
func.func @loads(%x: memref<1024x64xf32, #nc.space<hbm>>, %w: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.load %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %1 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<1024x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %2 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    tile.store %2, %x[%j] offset #i sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<1024x64xf32, #nc.space<hbm>>
  }
  return
}

// A read stays behind the assignments of its buffer.
// CHECK-LABEL: func.func @reads
// CHECK: scf.for
// CHECK: tile.read
func.func @reads(%x: tensor<128x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = tile.declare : memref<128x1xf32, #nc.space<sbuf>>
  tile.assign %x, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.read %b[] offset #z sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> tensor<128x1xf32>
    %1 = tile.unary exp %0 : tensor<128x1xf32> -> tensor<128x1xf32>
    tile.assign %1, %b[] offset #z sizes [128, 1] strides [1, 1] : tensor<128x1xf32>, memref<128x1xf32, #nc.space<sbuf>>
  }
  return
}

// A loop that may make no trip: the register may then be anything, so the load
// stays. One whose address is known to stay inside its tensor may go.
// CHECK-LABEL: func.func @registers
// CHECK: tile.load %arg1
// CHECK: scf.for
// CHECK: tile.load %arg0
func.func @registers(%x: memref<1024x64xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>}, %w: memref<128x64xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>}, %y: memref<128x64xf32, #nc.space<hbm>>, %n: index, %page: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %0 = tile.load %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %1 = tile.load %x[%page] offset #i sizes [128, 64] strides [64, 1] : memref<1024x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %2 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    tile.store %2, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  }
  return
}

// The index of the outer loop stays below 8; a loop that surely runs needs no
// proof.
// CHECK-LABEL: func.func @inside
// CHECK: tile.load %arg0[%arg3]
// CHECK: scf.for %[[K:[a-z0-9]+]]
// CHECK: tile.load %arg0[%[[K]]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load %arg0[%[[K]]]
#last = affine_map<(d0) -> (d0 * 8192 + 8192)>
func.func @inside(%x: memref<1024x64xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>}, %y: memref<128x64xf32, #nc.space<hbm>>, %n: index, %page: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    %0 = tile.load %x[%page] offset #i sizes [128, 64] strides [64, 1] : memref<1024x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    scf.for %j = %c0 to %n step %c1 {
      %1 = tile.load %x[%k] offset #i sizes [128, 64] strides [64, 1] : memref<1024x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
      %2 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
      tile.store %2, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
    }
    // Beyond the last row of the tensor where %k is 7: it stays.
    scf.for %j = %c0 to %n step %c1 {
      %1 = tile.load %x[%k] offset #last sizes [128, 64] strides [64, 1] : memref<1024x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
      tile.store %1, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
    }
  }
  return
}

// What an instruction writes is written, wherever its view stands: equal views
// are merged in front of the loop. What it only reads may be read early.
// CHECK-LABEL: func.func @instructions
// CHECK: nc.view
// CHECK: tile.load %arg1
// CHECK: scf.for
// CHECK: tile.load %arg0
// CHECK: nc.dma_copy
func.func @instructions(%x: memref<128x64xf32, #nc.space<hbm>>, %w: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %to = nc.view %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  %from = nc.view %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.load %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %1 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %2 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    tile.assign %2, %b[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
    nc.dma_copy dst(%to : !nc.view<128x64xf32, hbm>) src(%from : !nc.view<128x64xf32, hbm>)
  }
  return
}

// The same for a buffer on chip.
// CHECK-LABEL: func.func @buffers
// CHECK: scf.for
// CHECK: tile.read
// CHECK: nc.tensor_copy
func.func @buffers(%y: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %b = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %to = nc.view %a[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %from = nc.view %b[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.read %a[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
    tile.assign %0, %b[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
    nc.tensor_copy dst(%to : !nc.view<128x64xf32, sbuf>) src(%from : !nc.view<128x64xf32, sbuf>)
  }
  return
}

// Pinned buffers may lie on each other: a write to one is a write to all.
// CHECK-LABEL: func.func @pinned
// CHECK: scf.for
// CHECK: tile.read
func.func @pinned(%x: tensor<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.declare {pin_byte = 0 : i64, pin_partition = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  %b = tile.declare {pin_byte = 128 : i64, pin_partition = 0 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.read %a[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
    tile.assign %0, %b[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
  }
  return
}

// A loop that may make no trip: what could end the run there, or read bytes
// that nobody wrote, stays; what is harmless leaves.
// CHECK-LABEL: func.func @speculated
// CHECK: tile.load %arg0
// CHECK: tile.unary exp
// CHECK: scf.for
// CHECK: tile.load %arg1
// CHECK: tile.apply nc_n_gather
// CHECK: tile.read
// CHECK: tile.unary sin
func.func @speculated(%x: memref<128x64xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>}, %w: memref<128x64xf32, #nc.space<hbm>> {nc.kind = #nc.kind<output>}, %p: tensor<128x64xui32>, %y: memref<128x64xf32, #nc.space<hbm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  scf.for %j = %c0 to %n step %c1 {
    %0 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %1 = tile.unary exp %0 : tensor<128x64xf32> -> tensor<128x64xf32>
    %2 = tile.load %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %3 = tile.apply nc_n_gather(%1, %p) ["data", "indices"] {} : (tensor<128x64xf32>, tensor<128x64xui32>) -> tensor<128x64xf32>
    %4 = tile.read %b[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
    %5 = tile.unary sin %4 : tensor<128x64xf32> -> tensor<128x64xf32>
    %6 = tile.binary add %2, %3 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    %7 = tile.binary add %5, %6 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
    tile.store %7, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  }
  return
}

// Behind `when`: once or not at all. It stays what it is.
#until = affine_map<(d0) -> (-d0 + 5, 1)>
#from = affine_map<(d0) -> (0, d0)>
// CHECK-LABEL: func.func @once_or_not
// CHECK: tile.load %arg0
// CHECK: affine.max
// CHECK: scf.for
// CHECK: tile.unary exp
func.func @once_or_not(%x: memref<128x64xf32, #nc.space<hbm>> {nc.kind = #nc.kind<input>}, %y: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %j = %c0 to %c8 step %c1 {
    %0 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
    %1 = affine.min #until(%j)
    %2 = affine.max #from(%1)
    scf.for %k = %c0 to %2 step %c1 {
      %3 = tile.unary exp %0 : tensor<128x64xf32> -> tensor<128x64xf32>
      tile.store %3, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
    }
  }
  return
}

// A bound that is 1 at least: the loop surely runs, and a read may leave.
#sure = affine_map<(d0) -> (d0 + 1, 4)>
// CHECK-LABEL: func.func @surely
// CHECK: tile.read
// CHECK: tile.unary exp
// CHECK: scf.for
// CHECK: affine.min
// CHECK: scf.for
// CHECK: tile.store
func.func @surely(%y: memref<128x64xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  scf.for %j = %c0 to %c8 step %c1 {
    %1 = affine.min #sure(%j)
    scf.for %k = %c0 to %1 step %c1 {
      %0 = tile.read %b[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
      %3 = tile.unary exp %0 : tensor<128x64xf32> -> tensor<128x64xf32>
      tile.store %3, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
    }
  }
  return
}
