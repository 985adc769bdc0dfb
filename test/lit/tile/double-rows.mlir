// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s
// RUN: sed 's/^func.func @\(.*\) {$/func.func @\1 attributes {nc.target = #nc.target<"trn1">} {/' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s --check-prefix=TRN1
// TRN1-NOT: double_row

#z = affine_map<() -> (0)>

// Computed operands: two whole pieces of 128 rows are one product.
// CHECK-LABEL: func.func @two
// CHECK: nc.nc_matmul {{.*}} <128x2x64xf8E4M3, sbuf>) moving({{.*}} <128x2x32xf8E5M2, sbuf>) {perf_mode = #nc.performance_mode<double_row>}
// CHECK-NOT: nc.nc_matmul
// CHECK: return
func.func @two(%o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<256x64xf8E4M3, #nc.space<hbm>>, %b: memref<256x32xf8E5M2, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [256, 64] strides [64, 1] : memref<256x64xf8E4M3, #nc.space<hbm>> -> tensor<256x64xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [256, 32] strides [32, 1] : memref<256x32xf8E5M2, #nc.space<hbm>> -> tensor<256x32xf8E5M2>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<256x64xf8E4M3>, tensor<256x32xf8E5M2> -> tensor<64x32xf32>
  tile.store %2, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  return
}

// A piece of fewer rows has no partner: 255 rows are two products, of 384 rows
// the third piece is left over.
// CHECK-LABEL: func.func @ragged
// CHECK-NOT: double_row
// CHECK: return
func.func @ragged(%o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<255x64xf8E4M3, #nc.space<hbm>>, %b: memref<255x32xf8E4M3, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [255, 64] strides [64, 1] : memref<255x64xf8E4M3, #nc.space<hbm>> -> tensor<255x64xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [255, 32] strides [32, 1] : memref<255x32xf8E4M3, #nc.space<hbm>> -> tensor<255x32xf8E4M3>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<255x64xf8E4M3>, tensor<255x32xf8E4M3> -> tensor<64x32xf32>
  tile.store %2, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  return
}
// CHECK-LABEL: func.func @three
// CHECK: nc.nc_matmul {{.*}} {perf_mode = #nc.performance_mode<double_row>}
// CHECK: nc.nc_matmul {{.*}} <128x64xf8E4M3, sbuf>) moving({{.*}} <128x32xf8E4M3, sbuf>) {accumulate = true}
// CHECK-NOT: nc.nc_matmul
func.func @three(%o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<384x64xf8E4M3, #nc.space<hbm>>, %b: memref<384x32xf8E4M3, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [384, 64] strides [64, 1] : memref<384x64xf8E4M3, #nc.space<hbm>> -> tensor<384x64xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [384, 32] strides [32, 1] : memref<384x32xf8E4M3, #nc.space<hbm>> -> tensor<384x32xf8E4M3>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<384x64xf8E4M3>, tensor<384x32xf8E4M3> -> tensor<64x32xf32>
  tile.store %2, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  return
}

// With bf16 the array takes one row at a time.
// CHECK-LABEL: func.func @mixed
// CHECK-NOT: double_row
// CHECK: return
func.func @mixed(%o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<256x64xf8E4M3, #nc.space<hbm>>, %b: memref<256x32xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [256, 64] strides [64, 1] : memref<256x64xf8E4M3, #nc.space<hbm>> -> tensor<256x64xf8E4M3>
  %1 = tile.load %b[] offset #z sizes [256, 32] strides [32, 1] : memref<256x32xbf16, #nc.space<hbm>> -> tensor<256x32xbf16>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<256x64xf8E4M3>, tensor<256x32xbf16> -> tensor<64x32xf32>
  tile.store %2, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  return
}
