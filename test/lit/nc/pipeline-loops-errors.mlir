// RUN: kiln-opt %s --nc-attach-schedule --nc-choose-engines --nc-pipeline-loops --split-input-file --verify-diagnostics

// What cannot overlap stays a loop. A schedule from outside is refused where it
// breaks a dependence, or its copies have no room.

// The exponential would read what the transfer has not brought.
func.func @early(%x: memref<4096x1024xbf16, #nc.space<hbm>>) attributes {nc.schedule = "schedule early trn2\nloop loop pipelined\nring b0 3\nring b1 1\nop activation.1 scalar stage 0\nop dma_copy.0 sync stage 0\n"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // expected-error @+1 {{[KILN-C191] the schedule of loop 'loop' cannot be kept: iteration 0 of activation.1 comes before iteration 0 of dma_copy.0}}
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {op = #nc.activation_function<exp>}
  }
  return
}

// -----

// The transfer of iteration 2 overwrites what iteration 0 has not read.
func.func @copies(%x: memref<4096x1024xbf16, #nc.space<hbm>>) attributes {nc.schedule = "schedule copies trn2\nloop loop pipelined\nring b0 1\nring b1 1\nop dma_copy.0 sync stage 0\nop activation.1 scalar stage 2\n"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // expected-error @+1 {{[KILN-C191] the schedule of loop 'loop' cannot be kept: iteration 0 of activation.1 finds iteration 2 in its copy of b0}}
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {op = #nc.activation_function<exp>}
  }
  return
}

// -----

// An instruction in place needs what stands there, although it writes, too.
func.func @in_place(%x: memref<4096x1024xbf16, #nc.space<hbm>>) attributes {nc.schedule = "schedule in_place trn2\nloop loop pipelined\nring b0 1\nop dma_copy.0 sync stage 0\nop activation.1 scalar stage 2\n"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // expected-error @+1 {{[KILN-C191] the schedule of loop 'loop' cannot be kept: iteration 0 of activation.1 finds iteration 2 in its copy of b0}}
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
    nc.activation dst(%inv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {op = #nc.activation_function<exp>}
  }
  return
}

// -----

// SBUF has no room for that many copies.
func.func @room(%x: memref<4096x1024xbf16, #nc.space<hbm>>) attributes {nc.schedule = "schedule room trn2\nloop loop pipelined\nring b0 4000\nring b1 1\nop dma_copy.0 sync stage 0\nop activation.1 scalar stage 2\n"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // expected-error @+1 {{[KILN-C191] the schedule of loop 'loop' cannot be kept: its rings take 8194048 bytes of a partition of sbuf, but there is room for 212992}}
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %out = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %outv = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 131072)> sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
    nc.activation dst(%outv : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {op = #nc.activation_function<exp>}
  }
  return
}
