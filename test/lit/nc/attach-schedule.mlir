// RUN: kiln-opt %s --nc-attach-schedule | FileCheck %s
// RUN: kiln-opt %s --nc-attach-schedule --nc-choose-engines --nc-pipeline-loops --nc-multi-buffer --nc-attach-schedule=rings --nc-order | FileCheck %s --check-prefix=ORDER
// RUN: kiln-opt %s --nc-attach-schedule --nc-choose-engines --nc-pipeline-loops --nc-multi-buffer --nc-attach-schedule=rings --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Attached | Category:nc-attach-schedule | {{.*}}instructions=4
// REMARK-DAG: remark: [Passed] Copies | Category:nc-attach-schedule | {{.*}}copies=3

#tile = affine_map<(d0) -> (d0 * 131072)>

// Engines are taken, and everything has a name.
// CHECK-LABEL: func.func @ordered
// CHECK: nc.alloc {nc.called = "loop:b0"}
// CHECK: nc.alloc {label = "row", nc.called = "loop:row"}
// CHECK: nc.dma_copy {{.*}}engine = #nc.engine<scalar>{{.*}}nc.called = "loop:dma_copy.0"
// CHECK: nc.activation {{.*}}engine = #nc.engine<scalar>{{.*}}nc.called = "loop:activation.1"
// CHECK: nc.tensor_scalar {{.*}}engine = #nc.engine<vector>{{.*}}nc.called = "loop:tensor_scalar.2"
// CHECK: nc.tensor_scalar {{.*}}engine = #nc.engine<scalar>{{.*}}nc.called = "loop:tensor_scalar.3"
// CHECK: nc.called = "loop", nc.order_given
// The last two change places, and the buffers have as many copies as it says.
// ORDER-LABEL: func.func @ordered
// ORDER: nc.alloc {{.*}}nc.called = "loop:b0"{{.*}}ring = 3
// ORDER: nc.alloc {{.*}}nc.called = "loop:row", nc.user_ring}
// ORDER: loop:dma_copy.0
// ORDER: loop:activation.1
// ORDER: loop:tensor_scalar.3
// ORDER: loop:tensor_scalar.2
func.func @ordered(%x: memref<4096x1024xbf16, #nc.space<hbm>>) attributes {nc.schedule = "schedule ordered trn2\nloop loop ordered\nring b0 3\nring row 1\nop dma_copy.0 scalar\nop activation.1 scalar\nop tensor_scalar.3 scalar\nop tensor_scalar.2 vector\n"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %in = nc.alloc : memref<128x1024xbf16, #nc.space<sbuf>>
    %row = nc.alloc {label = "row"} : memref<128x1024xbf16, #nc.space<sbuf>>
    %inv = nc.view %in[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %left = nc.view %row[] offset affine_map<() -> (0)> sizes [128, 512] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %right = nc.view %row[] offset affine_map<() -> (512)> sizes [128, 512] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x512xbf16, sbuf>
    %whole = nc.view %row[] offset affine_map<() -> (0)> sizes [128, 1024] strides [1, 1] : memref<128x1024xbf16, #nc.space<sbuf>> -> !nc.view<128x1024xbf16, sbuf>
    %xv = nc.view %x[%i] offset #tile sizes [128, 1024] strides [1024, 1] : memref<4096x1024xbf16, #nc.space<hbm>> -> !nc.view<128x1024xbf16, hbm>
    nc.dma_copy dst(%inv : !nc.view<128x1024xbf16, sbuf>) src(%xv : !nc.view<128x1024xbf16, hbm>)
    nc.activation dst(%whole : !nc.view<128x1024xbf16, sbuf>) data(%inv : !nc.view<128x1024xbf16, sbuf>) {op = #nc.activation_function<exp>}
    nc.tensor_scalar dst(%left : !nc.view<128x512xbf16, sbuf>) data(%left : !nc.view<128x512xbf16, sbuf>) {op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
    nc.tensor_scalar dst(%right : !nc.view<128x512xbf16, sbuf>) data(%right : !nc.view<128x512xbf16, sbuf>) {op0 = #nc.alu_op<multiply>, operand0_value = 2.0 : f32}
  }
  return
}
