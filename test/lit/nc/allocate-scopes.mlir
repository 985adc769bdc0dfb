// RUN: kiln-opt %s --nc-allocate | FileCheck %s
// RUN: kiln-opt %s --cse --nc-allocate | FileCheck %s

// The largest buffers would come first, to byte 0, but leave the range to those
// that have to lie there. The ring of the scope has as many copies as fit.

// CHECK-LABEL: func.func @scopes
func.func @scopes() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: byte = {{[0-9]+}} : i64, label = "large"
  %large = nc.alloc {label = "large"} : memref<128x2048xf32, #nc.space<sbuf>>
  // CHECK: byte = 3072 : i64, label = "inside"
  %inside = nc.alloc {label = "inside", nc.within = {sbuf = {begin = 0 : i64, end = 4096 : i64, name = "w"}}} : memref<128x256xf32, #nc.space<sbuf>>
  // Banks 6 and 7, where nothing else would go.
  // CHECK: byte = 12288 : i64, label = "sums"
  %sums = nc.alloc {label = "sums", nc.within = {psum = {begin = 12288 : i64, end = 16384 : i64, name = "s"}}} : memref<128x512xf32, #nc.space<psum>>
  %lv = nc.view %large[] offset affine_map<() -> (0)> sizes [128, 2048] strides [1, 1] : memref<128x2048xf32, #nc.space<sbuf>> -> !nc.view<128x2048xf32, sbuf>
  %iv = nc.view %inside[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  %sv = nc.view %sums[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x512xf32, #nc.space<psum>> -> !nc.view<128x512xf32, psum>
  nc.memset dst(%lv : !nc.view<128x2048xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%iv : !nc.view<128x256xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  nc.memset dst(%sv : !nc.view<128x512xf32, psum>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: byte = 0 : i64, label = "ring"{{.*}}ring = 3 : i64
    %ring = nc.alloc {label = "ring", ring = 4 : i64, nc.within = {sbuf = {begin = 0 : i64, end = 4096 : i64, name = "w"}}} : memref<128x256xf32, #nc.space<sbuf>>
    %rv = nc.view %ring[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
    // CHECK: byte = 4096 : i64, label = "free"{{.*}}ring = 4 : i64
    %free = nc.alloc {label = "free", ring = 4 : i64} : memref<128x1024xf32, #nc.space<sbuf>>
    %fv = nc.view %free[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x1024xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
    nc.memset dst(%rv : !nc.view<128x256xf32, sbuf>) {value = 0.0 : f32, engine = #nc.engine<vector>}
    nc.tensor_copy dst(%fv : !nc.view<128x256xf32, sbuf>) src(%iv : !nc.view<128x256xf32, sbuf>) {engine = #nc.engine<vector>}
    nc.tensor_copy dst(%fv : !nc.view<128x256xf32, sbuf>) src(%rv : !nc.view<128x256xf32, sbuf>) {engine = #nc.engine<vector>}
  }
  nc.memset dst(%lv : !nc.view<128x2048xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  return
}

// Rows start aligned, unless a range has no room for gaps.

// CHECK-LABEL: func.func @aligned
func.func @aligned() {
  // CHECK: byte = 4096 : i64, label = "part"
  %part = nc.alloc {label = "part", nc.within = {sbuf = {begin = 4080 : i64, end = 5120 : i64, name = "v"}}} : memref<128x256xf32, #nc.space<sbuf>>
  %pv = nc.view %part[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.memset dst(%pv : !nc.view<128x256xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  return
}

// CHECK-LABEL: func.func @gaps
func.func @gaps() {
  // CHECK: byte = 4 : i64, label = "all"
  %all = nc.alloc {label = "all", nc.within = {sbuf = {begin = 4 : i64, end = 1028 : i64, name = "w"}}} : memref<128x256xf32, #nc.space<sbuf>>
  %av = nc.view %all[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x256xf32, sbuf>) {value = 1.0 : f32, engine = #nc.engine<vector>}
  return
}
