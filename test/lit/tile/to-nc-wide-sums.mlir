// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s
// RUN: sed 's/^func.func @\(.*\) {$/func.func @\1 attributes {nc.target = #nc.target<"trn1">} {/' %s | kiln-opt --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s --check-prefix=TRN1

#z = affine_map<() -> (0)>

// Two banks of a sum are one buffer, and an engine reads them where they are.
// On trn1, they are copied: transposes of loads need the room.
// CHECK-LABEL: func.func @two_banks
// CHECK: %[[P:.*]] = nc.alloc : memref<64x1024xf32, #nc.space<psum>>
// CHECK-COUNT-2: nc.nc_matmul {{.*}} {accumulate = true}
// CHECK-NOT: nc.tensor_copy
// CHECK: nc.tensor_reduce {{.*}} data({{.*}} <64x1024xf32, psum>)
// TRN1-LABEL: func.func @two_banks
// TRN1: nc.tensor_copy
// TRN1: nc.tensor_reduce {{.*}} data({{.*}} <64x1024xf32, sbuf>)
func.func @two_banks(%o: memref<64x1xf32, #nc.space<hbm>>, %a: memref<128x64xbf16, #nc.space<hbm>>, %b: memref<128x1024xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1 = tile.load %b[] offset #z sizes [128, 1024] strides [1024, 1] : memref<128x1024xbf16, #nc.space<hbm>> -> tensor<128x1024xbf16>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x1024xbf16> -> tensor<64x1024xf32>
  %3 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x1024xbf16> -> tensor<64x1024xf32>
  %4 = tile.binary add %2, %3 : tensor<64x1024xf32>, tensor<64x1024xf32> -> tensor<64x1024xf32>
  %5 = tile.reduce maximum %4 : tensor<64x1024xf32> -> tensor<64x1xf32>
  tile.store %5, %o[] offset #z sizes [64, 1] strides [1, 1] : tensor<64x1xf32>, memref<64x1xf32, #nc.space<hbm>>
  return
}

// Three banks are copied.
// CHECK-LABEL: func.func @three_banks
// CHECK-COUNT-3: nc.tensor_copy
// CHECK: nc.tensor_reduce {{.*}} data({{.*}} <64x1536xf32, sbuf>)
func.func @three_banks(%o: memref<64x1xf32, #nc.space<hbm>>, %a: memref<128x64xbf16, #nc.space<hbm>>, %b: memref<128x1536xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1 = tile.load %b[] offset #z sizes [128, 1536] strides [1536, 1] : memref<128x1536xbf16, #nc.space<hbm>> -> tensor<128x1536xbf16>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x1536xbf16> -> tensor<64x1536xf32>
  %3 = tile.matmul %0, %1 {transpose_a} : tensor<128x64xbf16>, tensor<128x1536xbf16> -> tensor<64x1536xf32>
  %4 = tile.binary add %2, %3 : tensor<64x1536xf32>, tensor<64x1536xf32> -> tensor<64x1536xf32>
  %5 = tile.reduce maximum %4 : tensor<64x1536xf32> -> tensor<64x1xf32>
  tile.store %5, %o[] offset #z sizes [64, 1] strides [1, 1] : tensor<64x1xf32>, memref<64x1xf32, #nc.space<hbm>>
  return
}
