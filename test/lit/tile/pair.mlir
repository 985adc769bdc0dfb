// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-pair))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-pair,tile-to-nc,canonicalize,cse))' | FileCheck %s --check-prefix=NC
// RUN: sed 's/^func.func @\(.*\) {$/func.func @\1 attributes {nc.target = #nc.target<"trn1">} {/' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-pair))' | FileCheck %s --check-prefix=TRN1
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-pair))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Paired | Category:tile-pair |
// TRN1-NOT: tensor<{{.*}}x2x

#z = affine_map<() -> (0)>

// Two loads and a product of some columns: all have their rows in pairs. The
// transposing load moves 16 bits, and the pairs lie side by side.
// CHECK-LABEL: func.func @pairs
// CHECK: tile.load_transposed {{.*}} sizes [64, 300] strides [300, 1] {{.*}} -> tensor<150x64x2xf8E4M3>
// CHECK: %[[SOME:.*]] = tile.slice {{.*}} sizes [150, 2, 32] strides [1, 1, 2] : tensor<150x64x2xf8E4M3> -> tensor<150x2x32xf8E4M3>
// CHECK: %[[B:.*]] = tile.load {{.*}} sizes [150, 2, 48] strides [96, 48, 1] {{.*}} -> tensor<150x2x48xf8E5M2>
// CHECK: tile.matmul %[[SOME]], %[[B]] {transpose_a} : tensor<150x2x32xf8E4M3>, tensor<150x2x48xf8E5M2> -> tensor<32x48xf32>
// NC-LABEL: func.func @pairs
// NC: nc.dma_transpose dst({{.*}} <128x64xui16, sbuf>) src({{.*}} <64x128xui16, hbm>)
// NC: nc.dma_transpose dst({{.*}} <22x64xui16, sbuf>) src({{.*}} <64x22xui16, hbm>)
// NC: nc.nc_matmul {{.*}} <128x2x32xf8E4M3, sbuf>) moving({{.*}} <128x2x48xf8E5M2, sbuf>) {perf_mode = #nc.performance_mode<double_row>}
// NC: nc.nc_matmul {{.*}} <22x2x32xf8E4M3, sbuf>) moving({{.*}} <22x2x48xf8E5M2, sbuf>) {accumulate = true, perf_mode = #nc.performance_mode<double_row>}
func.func @pairs(%o: memref<32x48xf32, #nc.space<hbm>>, %a: memref<64x300xf8E4M3, #nc.space<hbm>>, %b: memref<300x48xf8E5M2, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 300] strides [300, 1] : memref<64x300xf8E4M3, #nc.space<hbm>> -> tensor<300x64xf8E4M3>
  %1 = tile.slice %0[] offset affine_map<() -> (16)> sizes [300, 32] strides [1, 1] : tensor<300x64xf8E4M3> -> tensor<300x32xf8E4M3>
  %2 = tile.load %b[] offset #z sizes [300, 48] strides [48, 1] : memref<300x48xf8E5M2, #nc.space<hbm>> -> tensor<300x48xf8E5M2>
  %3 = tile.matmul %1, %2 {transpose_a} : tensor<300x32xf8E4M3>, tensor<300x48xf8E5M2> -> tensor<32x48xf32>
  tile.store %3, %o[] offset #z sizes [32, 48] strides [48, 1] : tensor<32x48xf32>, memref<32x48xf32, #nc.space<hbm>>
  return
}

// An odd number of rows has no pairs.
// CHECK-LABEL: func.func @odd
// CHECK: tile.matmul {{.*}} : tensor<129x64xf8E4M3>
func.func @odd(%o: memref<64x48xf32, #nc.space<hbm>>, %a: memref<64x129xf8E4M3, #nc.space<hbm>>, %b: memref<129x48xf8E4M3, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 129] strides [129, 1] : memref<64x129xf8E4M3, #nc.space<hbm>> -> tensor<129x64xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [129, 48] strides [48, 1] : memref<129x48xf8E4M3, #nc.space<hbm>> -> tensor<129x48xf8E4M3>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<129x64xf8E4M3>, tensor<129x48xf8E4M3> -> tensor<64x48xf32>
  tile.store %2, %o[] offset #z sizes [64, 48] strides [48, 1] : tensor<64x48xf32>, memref<64x48xf32, #nc.space<hbm>>
  return
}

// Rows of 129 bytes: pairs of a row would start at odd bytes.
// CHECK-LABEL: func.func @uneven
// CHECK: tile.matmul {{.*}} : tensor<128x64xf8E4M3>
func.func @uneven(%o: memref<64x48xf32, #nc.space<hbm>>, %a: memref<64x129xf8E4M3, #nc.space<hbm>>, %b: memref<128x48xf8E4M3, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 128] strides [129, 1] : memref<64x129xf8E4M3, #nc.space<hbm>> -> tensor<128x64xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [128, 48] strides [48, 1] : memref<128x48xf8E4M3, #nc.space<hbm>> -> tensor<128x48xf8E4M3>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xf8E4M3>, tensor<128x48xf8E4M3> -> tensor<64x48xf32>
  tile.store %2, %o[] offset #z sizes [64, 48] strides [48, 1] : tensor<64x48xf32>, memref<64x48xf32, #nc.space<hbm>>
  return
}

// Somebody else looks at the rows of %b, so %a and both products stay, too.
// CHECK-LABEL: func.func @others
// CHECK-NOT: x2x
// CHECK: return
func.func @others(%o: memref<64x48xf32, #nc.space<hbm>>, %p: memref<128x48xf8E4M3, #nc.space<hbm>>, %a: memref<64x128xf8E4M3, #nc.space<hbm>>, %b: memref<128x48xf8E4M3, #nc.space<hbm>>, %c: memref<128x48xf8E4M3, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 128] strides [128, 1] : memref<64x128xf8E4M3, #nc.space<hbm>> -> tensor<128x64xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [128, 48] strides [48, 1] : memref<128x48xf8E4M3, #nc.space<hbm>> -> tensor<128x48xf8E4M3>
  %2 = tile.load %c[] offset #z sizes [128, 48] strides [48, 1] : memref<128x48xf8E4M3, #nc.space<hbm>> -> tensor<128x48xf8E4M3>
  %3 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xf8E4M3>, tensor<128x48xf8E4M3> -> tensor<64x48xf32>
  %4 = tile.matmul %0, %2 {transpose_a} : tensor<128x64xf8E4M3>, tensor<128x48xf8E4M3> -> tensor<64x48xf32>
  tile.store %3, %o[] offset #z sizes [64, 48] strides [48, 1] : tensor<64x48xf32>, memref<64x48xf32, #nc.space<hbm>>
  tile.store %4, %o[] offset #z sizes [64, 48] strides [48, 1] : tensor<64x48xf32>, memref<64x48xf32, #nc.space<hbm>>
  tile.store %1, %p[] offset #z sizes [128, 48] strides [48, 1] : tensor<128x48xf8E4M3>, memref<128x48xf8E4M3, #nc.space<hbm>>
  return
}
