// RUN: kiln-opt --emit-assembly --split-input-file %s --verify-diagnostics

// The register may choose the column behind its buffer, which another engine
// writes at any time.

// expected-error @+2 {{the emitted streams are not synchronised: gpsimd[}}
module attributes {nc.target = #nc.target<"trn2">} {
  func.func @kernel(%n: memref<1x1xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "n"}) {
    %count = nc.view %n[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
    %r = nc.register_load src(%count : !nc.view<1x1xi32, hbm>) {engine = #nc.engine<gpsimd>, group = 0 : i64}
    %row = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 32 : i64} : memref<1x8xf32, #nc.space<sbuf>>
    %next = nc.alloc {byte = 32 : i64, partition = 0 : i64, slot_bytes = 4 : i64} : memref<1x1xf32, #nc.space<sbuf>>
    %chosen = nc.view %row[%r] offset affine_map<(d0) -> (((d0 mod 2) * 8) mod 62)> sizes [1, 1] strides [1, 1] : memref<1x8xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    %other = nc.view %next[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    nc.memset dst(%chosen : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<gpsimd>, value = 1.0 : f32}
    nc.memset dst(%other : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<vector>, value = 2.0 : f32}
    return
  }
}

// -----

// expected-error @+2 {{the emitted streams are not synchronised: gpsimd[}}
module attributes {nc.target = #nc.target<"trn2">} {
  func.func @kernel(%n: memref<1x1xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "n"}) {
    %count = nc.view %n[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
    %r = nc.register_load src(%count : !nc.view<1x1xi32, hbm>) {engine = #nc.engine<gpsimd>, group = 0 : i64}
    %row = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 32 : i64} : memref<1x8xf32, #nc.space<sbuf>>
    %next = nc.alloc {byte = 32 : i64, partition = 0 : i64, slot_bytes = 4 : i64} : memref<1x1xf32, #nc.space<sbuf>>
    %chosen = nc.view %row[%r] offset affine_map<(d0) -> ((d0 mod 9))> sizes [1, 1] strides [1, 1] : memref<1x8xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    %other = nc.view %next[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    nc.memset dst(%chosen : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<gpsimd>, value = 1.0 : f32}
    nc.memset dst(%other : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<vector>, value = 2.0 : f32}
    return
  }
}

// -----

// expected-error @+2 {{the emitted streams are not synchronised: gpsimd[}}
module attributes {nc.target = #nc.target<"trn2">} {
  func.func @kernel(%n: memref<1x1xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "n"}) {
    %count = nc.view %n[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
    %r = nc.register_load src(%count : !nc.view<1x1xi32, hbm>) {engine = #nc.engine<gpsimd>, group = 0 : i64}
    %row = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 32 : i64} : memref<1x8xf32, #nc.space<sbuf>>
    %next = nc.alloc {byte = 32 : i64, partition = 0 : i64, slot_bytes = 4 : i64} : memref<1x1xf32, #nc.space<sbuf>>
    %chosen = nc.view %row[%r] offset affine_map<(d0) -> (((d0 mod 3) * 3 + 3))> sizes [1, 1] strides [1, 1] : memref<1x8xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    %other = nc.view %next[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    nc.memset dst(%chosen : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<gpsimd>, value = 1.0 : f32}
    nc.memset dst(%other : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<vector>, value = 2.0 : f32}
    return
  }
}

// -----

// expected-error @+2 {{the emitted streams are not synchronised: gpsimd[}}
module attributes {nc.target = #nc.target<"trn2">} {
  func.func @kernel(%n: memref<1x1xi32, #nc.space<hbm>> {nc.kind = #nc.kind<input>, nc.name = "n"}) {
    %count = nc.view %n[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
    %r = nc.register_load src(%count : !nc.view<1x1xi32, hbm>) {engine = #nc.engine<gpsimd>, group = 0 : i64}
    %row = nc.alloc {byte = 0 : i64, partition = 0 : i64, slot_bytes = 32 : i64} : memref<1x8xf32, #nc.space<sbuf>>
    %next = nc.alloc {byte = 32 : i64, partition = 0 : i64, slot_bytes = 4 : i64} : memref<1x1xf32, #nc.space<sbuf>>
    %chosen = nc.view %row[%r] offset affine_map<(d0) -> ((d0 - (d0 floordiv 4) * 3))> sizes [1, 1] strides [1, 1] : memref<1x8xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    %other = nc.view %next[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xf32, #nc.space<sbuf>> -> !nc.view<1x1xf32, sbuf>
    nc.memset dst(%chosen : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<gpsimd>, value = 1.0 : f32}
    nc.memset dst(%other : !nc.view<1x1xf32, sbuf>) {engine = #nc.engine<vector>, value = 2.0 : f32}
    return
  }
}
