// RUN: kiln-opt %s --nc-allocate --split-input-file --verify-diagnostics

func.func @too_big() {
  // expected-error @+2 {{[KILN-C101] SBUF is too small: 240000 bytes per partition are live at once, but only 212992 exist; the largest is 'huge' of 128 x 60000 elements; load, compute and store it in a loop over blocks of its rows or columns that are 2 times smaller}}
  // expected-note @+1 {{huge: 240000 bytes per partition, declared here}}
  %big = nc.alloc {label = "huge"} : memref<128x60000xf32, #nc.space<sbuf>>
  %rv = nc.view %big[] offset affine_map<() -> (0)> sizes [128, 60000] strides [1, 1] : memref<128x60000xf32, #nc.space<sbuf>> -> !nc.view<128x60000xf32, sbuf>
  nc.memset dst(%rv : !nc.view<128x60000xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

func.func @psum() {
  // expected-error @+2 {{[KILN-C102] PSUM is too small}}
  // expected-note @+1 {{acc}}
  %big = nc.alloc {label = "acc"} : memref<128x5000xf32, #nc.space<psum>>
  %rv = nc.view %big[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x5000xf32, #nc.space<psum>> -> !nc.view<128x64xf32, psum>
  nc.memset dst(%rv : !nc.view<128x64xf32, psum>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

// Partition 0, 32, 64 or 96 for up to 32 of them; 96 + 64 is past the end.
func.func @pinned_across() {
  // expected-error @+1 {{[KILN-C103] buffer 'low' is pinned to partition 32; its 64 partitions may start at multiples of 64 and end at 128}}
  %low = nc.alloc {label = "low", pin_partition = 32 : i64, pin_byte = 0 : i64} : memref<64x16xf32, #nc.space<sbuf>>
  %v = nc.view %low[] offset affine_map<() -> (0)> sizes [64, 16] strides [1, 1] : memref<64x16xf32, #nc.space<sbuf>> -> !nc.view<64x16xf32, sbuf>
  nc.memset dst(%v : !nc.view<64x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

// Four copies are the program's choice: none is taken back.
func.func @chosen_ring() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-error @+2 {{[KILN-C101] SBUF is too small: 240128 bytes per partition are live at once, but only 212992 exist; the largest is 'ring' of 128 x 15000 elements; make the blocks of the loop at allocate-errors.mlir:41 2 times smaller, or make lifetimes shorter}}
    // expected-note @+1 {{ring: 240128 bytes per partition, declared here}}
    %a = nc.alloc {label = "ring", ring = 4 : i64, nc.user_ring} : memref<128x15000xf32, #nc.space<sbuf>>
    %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 15000] strides [1, 1] : memref<128x15000xf32, #nc.space<sbuf>> -> !nc.view<128x15000xf32, sbuf>
    nc.memset dst(%v : !nc.view<128x15000xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  }
  return
}

// -----

// Neither of two pinned buffers gives way.
func.func @pinned_twice() {
  // expected-error @+1 {{[KILN-C103] allocation: pinned tile 'one' and tile 'two' share bytes at position 6; pin one of them elsewhere}}
  %a = nc.alloc {label = "one", pin_partition = 0 : i64, pin_byte = 0 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %b = nc.alloc {label = "two", pin_partition = 0 : i64, pin_byte = 32 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %w = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%w : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.tensor_copy dst(%v : !nc.view<128x16xf32, sbuf>) src(%w : !nc.view<128x16xf32, sbuf>) {engine = #nc.engine<vector>}
  return
}

// -----

func.func @misaligned() {
  // expected-error @+1 {{[KILN-C103] buffer 'odd' is pinned to byte 4098; an address of f32 is a multiple of 4, such as 4096}}
  %a = nc.alloc {label = "odd", pin_partition = 0 : i64, pin_byte = 4098 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  nc.memset dst(%v : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

func.func @outside() {
  // expected-error @+1 {{[KILN-C103] buffer 'far' is pinned to bytes [16352, 16416) of each partition; psum of trn2 has 16384, so it may begin at byte 16320 at the latest}}
  %a = nc.alloc {label = "far", pin_partition = 0 : i64, pin_byte = 16352 : i64} : memref<128x16xf32, #nc.space<psum>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<psum>> -> !nc.view<128x16xf32, psum>
  nc.memset dst(%v : !nc.view<128x16xf32, psum>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

// A tensor of 16 GiB and one of a byte; a core of trn1 has a stack of 16 GiB.
module attributes {nc.target = #nc.target<"trn1">} {
  // expected-error @+1 {{[KILN-C115] the tensors of the kernel take 17179869185 bytes; the HBM stack of a core of trn1 has 17179869184 (16 GiB); the largest takes 17179869184}}
  func.func @hbm(%x: memref<16777216x1024xui8, #nc.space<hbm>>, %y: memref<1x1xui8, #nc.space<hbm>>) {
    return
  }
}

// -----

// Just as much as there is.
module attributes {nc.target = #nc.target<"trn1">} {
  func.func @hbm_full(%x: memref<8388608x1024xui8, #nc.space<hbm>>, %y: memref<8388608x1024xui8, #nc.space<hbm>>) {
    return
  }
}

// -----

// Two tiles of a scope are live at once; what is outside of it does not count.
func.func @small_scope() {
  %out = nc.alloc {label = "out"} : memref<128x1024xf32, #nc.space<sbuf>>
  // expected-note @+1 {{a: 2048 bytes per partition, declared here}}
  %a = nc.alloc {label = "a", nc.within = {sbuf = {begin = 0 : i64, end = 2560 : i64, name = "weights"}}} : memref<128x512xf32, #nc.space<sbuf>>
  // expected-error @+2 {{[KILN-C116] memory scope 'weights' is too small: its tiles need 3072 bytes per partition at once, but it has 2560 (bytes 0 to 2559 of each partition)}}
  // expected-note @+1 {{b: 1024 bytes per partition, declared here}}
  %b = nc.alloc {label = "b", nc.within = {sbuf = {begin = 0 : i64, end = 2560 : i64, name = "weights"}}} : memref<128x256xf32, #nc.space<sbuf>>
  %o = nc.view %out[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xf32, #nc.space<sbuf>> -> !nc.view<128x1024xf32, sbuf>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  %w = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.memset dst(%o : !nc.view<128x1024xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%v : !nc.view<128x512xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%w : !nc.view<128x256xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.tensor_copy dst(%v : !nc.view<128x512xf32, sbuf>) src(%v : !nc.view<128x512xf32, sbuf>) {engine = #nc.engine<vector>}
  return
}

// -----

// It would fit, but a pinned buffer lies in the middle.
func.func @full_scope() {
  %pin = nc.alloc {label = "pin", pin_byte = 1024 : i64} : memref<128x64xf32, #nc.space<sbuf>>
  // expected-error @+2 {{[KILN-C116] memory scope 'weights' is too small: its tiles need 2048 bytes per partition at once, and no place is left for 2048 of them; it has 2560 (bytes 0 to 2559 of each partition)}}
  // expected-note @+1 {{a: 2048 bytes per partition, declared here}}
  %a = nc.alloc {label = "a", nc.within = {sbuf = {begin = 0 : i64, end = 2560 : i64, name = "weights"}}} : memref<128x512xf32, #nc.space<sbuf>>
  %p = nc.view %pin[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.memset dst(%p : !nc.view<128x64xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%v : !nc.view<128x512xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%p : !nc.view<128x64xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

func.func @scope_beyond_memory() {
  // expected-error @+1 {{[KILN-C116] memory scope 'weights' reaches up to byte 300000 of each partition; sbuf of trn2 has 212992}}
  %a = nc.alloc {label = "a", nc.within = {sbuf = {begin = 0 : i64, end = 300000 : i64, name = "weights"}}} : memref<128x512xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.memset dst(%v : !nc.view<128x512xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}

// -----

func.func @pinned_outside_scope() {
  // expected-error @+1 {{[KILN-C103] buffer 'a' is pinned to bytes 4096 to 6143 of each partition, but memory scope 'weights' has bytes 0 to 4095 of each partition}}
  %a = nc.alloc {label = "a", pin_byte = 4096 : i64, nc.within = {sbuf = {begin = 0 : i64, end = 4096 : i64, name = "weights"}}} : memref<128x512xf32, #nc.space<sbuf>>
  %v = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> !nc.view<128x512xf32, sbuf>
  nc.memset dst(%v : !nc.view<128x512xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
  return
}
