// RUN: kiln-opt %s --nc-synchronize | FileCheck %s

// Straight line: one token from writer to reader, none where bytes or rows
// are apart, none between instructions of one engine.
// CHECK-LABEL: func.func @straight
// CHECK: nc.memset dst(%[[A:[0-9a-z]+]] {{.*}}nc.signals = array<i64: [[S:[0-9]+]], 1>
// CHECK: nc.memset {{.*}} {engine = "vector", value = 1.0
// CHECK: nc.memset {{.*}} {engine = "vector", value = 2.0
// CHECK: nc.activation {{.*}}nc.waits = array<i64: [[S]], 1>
func.func @straight() {
  %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %b = nc.alloc {partition = 0 : i64, byte = 64 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = "vector"}
  nc.memset dst(%bv : !nc.view<128x16xf32, sbuf>) {value = 1.0 : f32, engine = "vector"}
  nc.memset dst(%bv : !nc.view<128x16xf32, sbuf>) {value = 2.0 : f32, engine = "vector"}
  nc.activation dst(%av : !nc.view<128x16xf32, sbuf>) data(%av : !nc.view<128x16xf32, sbuf>) {op = "exp", engine = "scalar"}
  return
}

// A ring of two in a loop: the reader gives each copy back, and the writer
// starts with two credits, given in front of the loop and drained behind it.
// CHECK-LABEL: func.func @ring
// CHECK: scf.for
// CHECK: nc.memset {{.*}}nc.signals = array<i64: [[FULL:[0-9]+]], 1>, nc.waits = array<i64: [[FREE:[0-9]+]], 1>
// CHECK: nc.activation {{.*}}nc.signals = array<i64: [[FREE]], 1>, nc.waits = array<i64: [[FULL]], 1>
// CHECK: nc.fences = [
// CHECK-SAME: after = false, engine = "vector", signals = array<i64: [[FREE]], 2>
// CHECK-SAME: after = true, engine = "vector"{{.*}}waits = array<i64: [[FREE]], 2>
func.func @ring() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = nc.alloc {partition = 0 : i64, byte = 256 : i64, slot_bytes = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = nc.alloc {partition = 0 : i64, byte = 0 : i64, slot_bytes = 64 : i64, ring = 2 : i64} : memref<128x16xf32, #nc.space<sbuf>>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    nc.memset dst(%av : !nc.view<128x16xf32, sbuf>) {value = 0.0 : f32, engine = "vector"}
    nc.activation dst(%bv : !nc.view<128x16xf32, sbuf>) data(%av : !nc.view<128x16xf32, sbuf>) {op = "exp", engine = "scalar"}
  }
  return
}
