// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// What a kernel does with each argument comes back as it was written.
// CHECK: func.func @kinds(
// CHECK-SAME: nc.kind = #nc.kind<input>, nc.name = "a"
// CHECK-SAME: nc.kind = #nc.kind<output>, nc.name = "b"
// CHECK-SAME: nc.kind = #nc.kind<inout>, nc.name = "c"
func.func @kinds(%a: memref<16x16xf32, #nc.space<hbm>> {nc.name = "a", nc.kind = #nc.kind<input>},
                 %b: memref<16x16xf32, #nc.space<hbm>> {nc.name = "b", nc.kind = #nc.kind<output>},
                 %c: memref<16x16xf32, #nc.space<hbm>> {nc.name = "c", nc.kind = #nc.kind<inout>}) {
  return
}
