// RUN: kiln-opt %s --nc-choose-engines --nc-multi-buffer --nc-order --nc-allocate --nc-synchronize | FileCheck %s
// RUN: kiln-opt %s --nc-choose-engines --nc-multi-buffer --nc-order --nc-allocate --nc-synchronize --emit-assembly 2>&1 >/dev/null | FileCheck %s --check-prefix=ASM

// Load, activation, store in a loop: the smallest pipeline.
func.func @relu(%x: memref<512x256xf32, #nc.space<hbm>> {nc.name = "x", nc.kind = #nc.kind<input>},
                %y: memref<512x256xf32, #nc.space<hbm>> {nc.name = "y", nc.kind = #nc.kind<output>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = nc.alloc {label = "a"} : memref<128x256xf32, #nc.space<sbuf>>
    %b = nc.alloc {label = "b"} : memref<128x256xf32, #nc.space<sbuf>>
    %src = nc.view %x[%i] offset affine_map<(d0) -> (d0 * 32768)> sizes [128, 256] strides [256, 1] : memref<512x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
    %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
    %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 256] strides [1, 1] : memref<128x256xf32, #nc.space<sbuf>> -> !nc.view<128x256xf32, sbuf>
    nc.dma_copy dst(%av : !nc.view<128x256xf32, sbuf>) src(%src : !nc.view<128x256xf32, hbm>)
    nc.activation dst(%bv : !nc.view<128x256xf32, sbuf>) data(%av : !nc.view<128x256xf32, sbuf>) {op = #nc.activation_function<relu>}
    %dst = nc.view %y[%i] offset affine_map<(d0) -> (d0 * 32768)> sizes [128, 256] strides [256, 1] : memref<512x256xf32, #nc.space<hbm>> -> !nc.view<128x256xf32, hbm>
    nc.dma_copy dst(%dst : !nc.view<128x256xf32, hbm>) src(%bv : !nc.view<128x256xf32, sbuf>)
  }
  return
}

// Each stream has the loop once, with its own counter and ring pointer; the
// tokens stand at the instructions and, where credit is given, at the loop.
// CHECK-LABEL: func.func @relu
// CHECK: nc.dma_copy{{.*}}nc.signals = [#nc.token<
// CHECK: nc.activation{{.*}}nc.signals = [#nc.token<{{.*}}nc.waits = [#nc.token<
// CHECK: nc.dma_copy{{.*}}nc.waits = [#nc.token<

// ASM: activation
// ASM: register_wrap
// ASM: end_loop
