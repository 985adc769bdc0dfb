// RUN: kiln-opt %s --verify-diagnostics

// expected-error @+2 {{has no enumerator 'given', expected one of: input, output, inout}}
// expected-error @+1 {{failed to parse Nc_ArgumentKindAttr parameter 'value'}}
func.func @kind(%x: memref<16x16xf32, #nc.space<hbm>> {nc.name = "x", nc.kind = #nc.kind<given>}) {
  return
}
