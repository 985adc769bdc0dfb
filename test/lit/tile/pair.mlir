// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-pair))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-pair,tile-to-nc,canonicalize,cse))' | FileCheck %s --check-prefix=NC
// RUN: sed 's/^func.func @\(.*\) {$/func.func @\1 attributes {nc.target = #nc.target<"trn1">} {/' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-pair))' | FileCheck %s --check-prefix=TRN1
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-pair))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Paired | Category:tile-pair |
// REMARK-DAG: remark: [Missed] NotPaired | Category:tile-pair | {{.*}}an odd number of rows
// TRN1-NOT: tensor<{{[0-9]+}}x{{[0-9]+}}x{{[0-9]+}}xf8

#z = affine_map<() -> (0)>

// Two loads and a product of some columns: all have their rows in fours. The
// transposing load moves 32 bits, and the rows of a group lie side by side.
// CHECK-LABEL: func.func @fours
// CHECK: tile.load_transposed {{.*}} sizes [64, 300] strides [300, 1] {{.*}} -> tensor<75x64x4xf8E4M3>
// CHECK: %[[SOME:.*]] = tile.slice {{.*}} sizes [75, 4, 32] strides [1, 1, 4] : tensor<75x64x4xf8E4M3> -> tensor<75x4x32xf8E4M3>
// CHECK: %[[B:.*]] = tile.load {{.*}} sizes [75, 4, 48] strides [192, 48, 1] {{.*}} -> tensor<75x4x48xf8E5M2>
// CHECK: tile.matmul %[[SOME]], %[[B]] {transpose_a} : tensor<75x4x32xf8E4M3>, tensor<75x4x48xf8E5M2> -> tensor<32x48xf32>
// NC-LABEL: func.func @fours
// NC: nc.dma_transpose dst({{.*}} <75x64xui32, sbuf>) src({{.*}} <64x75xui32, hbm>)
// NC: nc.nc_matmul {{.*}} <75x2x32xf8E4M3, sbuf>) moving({{.*}} <75x2x48xf8E5M2, sbuf>) {perf_mode = #nc.performance_mode<double_row>}
// NC: nc.nc_matmul {{.*}} <75x2x32xf8E4M3, sbuf>) moving({{.*}} <75x2x48xf8E5M2, sbuf>) {accumulate = true, perf_mode = #nc.performance_mode<double_row>}
func.func @fours(%o: memref<32x48xf32, #nc.space<hbm>>, %a: memref<64x300xf8E4M3, #nc.space<hbm>>, %b: memref<300x48xf8E5M2, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 300] strides [300, 1] : memref<64x300xf8E4M3, #nc.space<hbm>> -> tensor<300x64xf8E4M3>
  %1 = tile.slice %0[] offset affine_map<() -> (16)> sizes [300, 32] strides [1, 1] : tensor<300x64xf8E4M3> -> tensor<300x32xf8E4M3>
  %2 = tile.load %b[] offset #z sizes [300, 48] strides [48, 1] : memref<300x48xf8E5M2, #nc.space<hbm>> -> tensor<300x48xf8E5M2>
  %3 = tile.matmul %1, %2 {transpose_a} : tensor<300x32xf8E4M3>, tensor<300x48xf8E5M2> -> tensor<32x48xf32>
  tile.store %3, %o[] offset #z sizes [32, 48] strides [48, 1] : tensor<32x48xf32>, memref<32x48xf32, #nc.space<hbm>>
  return
}

// 302 rows have no groups of four: pairs are 16 bits.
// CHECK-LABEL: func.func @twos
// CHECK: tile.load_transposed {{.*}} -> tensor<151x64x2xf8E4M3>
// CHECK: tile.matmul {{.*}} : tensor<151x2x32xf8E4M3>, tensor<151x2x48xf8E5M2>
// NC-LABEL: func.func @twos
// NC: nc.dma_transpose dst({{.*}} <128x64xui16, sbuf>) src({{.*}} <64x128xui16, hbm>)
// NC: nc.dma_transpose dst({{.*}} <23x64xui16, sbuf>) src({{.*}} <64x23xui16, hbm>)
// NC: nc.nc_matmul {{.*}} <128x2x32xf8E4M3, sbuf>) moving({{.*}} <128x2x48xf8E5M2, sbuf>) {perf_mode = #nc.performance_mode<double_row>}
// NC: nc.nc_matmul {{.*}} <23x2x32xf8E4M3, sbuf>) moving({{.*}} <23x2x48xf8E5M2, sbuf>) {accumulate = true, perf_mode = #nc.performance_mode<double_row>}
func.func @twos(%o: memref<32x48xf32, #nc.space<hbm>>, %a: memref<64x302xf8E4M3, #nc.space<hbm>>, %b: memref<302x48xf8E5M2, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 302] strides [302, 1] : memref<64x302xf8E4M3, #nc.space<hbm>> -> tensor<302x64xf8E4M3>
  %1 = tile.slice %0[] offset affine_map<() -> (16)> sizes [302, 32] strides [1, 1] : tensor<302x64xf8E4M3> -> tensor<302x32xf8E4M3>
  %2 = tile.load %b[] offset #z sizes [302, 48] strides [48, 1] : memref<302x48xf8E5M2, #nc.space<hbm>> -> tensor<302x48xf8E5M2>
  %3 = tile.matmul %1, %2 {transpose_a} : tensor<302x32xf8E4M3>, tensor<302x48xf8E5M2> -> tensor<32x48xf32>
  tile.store %3, %o[] offset #z sizes [32, 48] strides [48, 1] : tensor<32x48xf32>, memref<32x48xf32, #nc.space<hbm>>
  return
}

// Two rows of a: the rows of a partition and the columns are as many, so that
// their order shows in the strides alone.
// CHECK-LABEL: func.func @square
// CHECK: %[[A:.*]] = tile.load_transposed {{.*}} -> tensor<151x2x2xf8E4M3>
// CHECK: tile.slice %[[A]][] {{.*}} sizes [151, 2, 2] strides [1, 1, 2] : tensor<151x2x2xf8E4M3> -> tensor<151x2x2xf8E4M3>
// CHECK: tile.matmul {{.*}} : tensor<151x2x2xf8E4M3>, tensor<151x2x48xf8E5M2>
// NC-LABEL: func.func @square
// NC: nc.view {{.*}} sizes [128, 2, 2] strides [1, 1, 2] {{.*}} -> <128x2x2xf8E4M3, sbuf>
func.func @square(%o: memref<2x48xf32, #nc.space<hbm>>, %a: memref<2x302xf8E4M3, #nc.space<hbm>>, %b: memref<302x48xf8E5M2, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [2, 302] strides [302, 1] : memref<2x302xf8E4M3, #nc.space<hbm>> -> tensor<302x2xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [302, 48] strides [48, 1] : memref<302x48xf8E5M2, #nc.space<hbm>> -> tensor<302x48xf8E5M2>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<302x2xf8E4M3>, tensor<302x48xf8E5M2> -> tensor<2x48xf32>
  tile.store %2, %o[] offset #z sizes [2, 48] strides [48, 1] : tensor<2x48xf32>, memref<2x48xf32, #nc.space<hbm>>
  return
}

// 256 rows in fours would be two products of 64 partitions, in pairs they are
// one; 260 rows are two in any case.
// CHECK-LABEL: func.func @fewest
// CHECK: tile.matmul {{.*}} : tensor<128x2x32xf8E4M3>
func.func @fewest(%o: memref<32x48xf32, #nc.space<hbm>>, %a: memref<64x256xf8E4M3, #nc.space<hbm>>, %b: memref<256x48xf8E5M2, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 256] strides [256, 1] : memref<64x256xf8E4M3, #nc.space<hbm>> -> tensor<256x64xf8E4M3>
  %1 = tile.slice %0[] offset affine_map<() -> (16)> sizes [256, 32] strides [1, 1] : tensor<256x64xf8E4M3> -> tensor<256x32xf8E4M3>
  %2 = tile.load %b[] offset #z sizes [256, 48] strides [48, 1] : memref<256x48xf8E5M2, #nc.space<hbm>> -> tensor<256x48xf8E5M2>
  %3 = tile.matmul %1, %2 {transpose_a} : tensor<256x32xf8E4M3>, tensor<256x48xf8E5M2> -> tensor<32x48xf32>
  tile.store %3, %o[] offset #z sizes [32, 48] strides [48, 1] : tensor<32x48xf32>, memref<32x48xf32, #nc.space<hbm>>
  return
}
// CHECK-LABEL: func.func @as_many
// CHECK: tile.matmul {{.*}} : tensor<65x4x32xf8E4M3>
func.func @as_many(%o: memref<32x48xf32, #nc.space<hbm>>, %a: memref<64x260xf8E4M3, #nc.space<hbm>>, %b: memref<260x48xf8E5M2, #nc.space<hbm>>) {
  %0 = tile.load_transposed %a[] offset #z sizes [64, 260] strides [260, 1] : memref<64x260xf8E4M3, #nc.space<hbm>> -> tensor<260x64xf8E4M3>
  %1 = tile.slice %0[] offset affine_map<() -> (16)> sizes [260, 32] strides [1, 1] : tensor<260x64xf8E4M3> -> tensor<260x32xf8E4M3>
  %2 = tile.load %b[] offset #z sizes [260, 48] strides [48, 1] : memref<260x48xf8E5M2, #nc.space<hbm>> -> tensor<260x48xf8E5M2>
  %3 = tile.matmul %1, %2 {transpose_a} : tensor<260x32xf8E4M3>, tensor<260x48xf8E5M2> -> tensor<32x48xf32>
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
// CHECK-NOT: tensor<{{[0-9]+}}x{{[0-9]+}}x{{[0-9]+}}xf8
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
