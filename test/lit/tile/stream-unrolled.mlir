// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s

#z = affine_map<() -> (0)>

module attributes {nc.target = #nc.target<"trn2">} {

// What a loop loads needs descriptors made while the kernel runs: for a
// transposing load of weights these take longer than the load. Two blocks, one
// after the other, have their descriptors before that, and the sums of one are
// added while the other one is multiplied.
// CHECK-LABEL: func.func @two
// CHECK-NOT: scf.for
// CHECK: tile.store {{.*}} sizes [8, 2048]
// CHECK-NOT: scf.for
// CHECK: tile.store {{.*}} sizes [8, 2048]
// CHECK-NEXT: return
func.func @two(%o: memref<8x4096xbf16, #nc.space<hbm>>, %a: memref<8x4096xbf16, #nc.space<hbm>>, %b: memref<4096x4096xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [8, 4096] strides [4096, 1] : memref<8x4096xbf16, #nc.space<hbm>> -> tensor<8x4096xbf16>
  %1 = tile.load %b[] offset #z sizes [4096, 4096] strides [4096, 1] : memref<4096x4096xbf16, #nc.space<hbm>> -> tensor<4096x4096xbf16>
  %2 = tile.matmul %0, %1 {transpose_b} : tensor<8x4096xbf16>, tensor<4096x4096xbf16> -> tensor<8x4096xf32>
  %3 = tile.cast %2 : tensor<8x4096xf32> -> tensor<8x4096xbf16>
  tile.store %3, %o[] offset #z sizes [8, 4096] strides [4096, 1] : tensor<8x4096xbf16>, memref<8x4096xbf16, #nc.space<hbm>>
  return
}

// As many as there may be.
// CHECK-LABEL: func.func @sixteen
// CHECK-NOT: scf.for
// CHECK-COUNT-16: tile.store {{.*}} sizes [8, 4096]
// CHECK-NEXT: return
func.func @sixteen(%o: memref<8x65536xbf16, #nc.space<hbm>>, %a: memref<8x2048xbf16, #nc.space<hbm>>, %b: memref<65536x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [8, 2048] strides [2048, 1] : memref<8x2048xbf16, #nc.space<hbm>> -> tensor<8x2048xbf16>
  %1 = tile.load %b[] offset #z sizes [65536, 2048] strides [2048, 1] : memref<65536x2048xbf16, #nc.space<hbm>> -> tensor<65536x2048xbf16>
  %2 = tile.matmul %0, %1 {transpose_b} : tensor<8x2048xbf16>, tensor<65536x2048xbf16> -> tensor<8x65536xf32>
  %3 = tile.cast %2 : tensor<8x65536xf32> -> tensor<8x65536xbf16>
  tile.store %3, %o[] offset #z sizes [8, 65536] strides [65536, 1] : tensor<8x65536xbf16>, memref<8x65536xbf16, #nc.space<hbm>>
  return
}

// Seventeen would be too many. Narrow blocks leave room for the next ones.
// CHECK-LABEL: func.func @seventeen
// CHECK: scf.for {{.*}} to %c68 step
// CHECK: tile.store {{.*}} sizes [8, 1024]
// CHECK: return
func.func @seventeen(%o: memref<8x69632xbf16, #nc.space<hbm>>, %a: memref<8x2048xbf16, #nc.space<hbm>>, %b: memref<69632x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [8, 2048] strides [2048, 1] : memref<8x2048xbf16, #nc.space<hbm>> -> tensor<8x2048xbf16>
  %1 = tile.load %b[] offset #z sizes [69632, 2048] strides [2048, 1] : memref<69632x2048xbf16, #nc.space<hbm>> -> tensor<69632x2048xbf16>
  %2 = tile.matmul %0, %1 {transpose_b} : tensor<8x2048xbf16>, tensor<69632x2048xbf16> -> tensor<8x69632xf32>
  %3 = tile.cast %2 : tensor<8x69632xf32> -> tensor<8x69632xbf16>
  tile.store %3, %o[] offset #z sizes [8, 69632] strides [69632, 1] : tensor<8x69632xbf16>, memref<8x69632xbf16, #nc.space<hbm>>
  return
}

// In a longer loop, two engines share what the descriptors take, and fewer of
// them are no quicker. 64 blocks of 2048 columns would be a short one.
// CHECK-LABEL: func.func @short
// CHECK: scf.for {{.*}} to %c128 step
// CHECK: tile.store {{.*}} sizes [8, 1024]
// CHECK: return
func.func @short(%o: memref<8x131072xbf16, #nc.space<hbm>>, %a: memref<8x2048xbf16, #nc.space<hbm>>, %b: memref<131072x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [8, 2048] strides [2048, 1] : memref<8x2048xbf16, #nc.space<hbm>> -> tensor<8x2048xbf16>
  %1 = tile.load %b[] offset #z sizes [131072, 2048] strides [2048, 1] : memref<131072x2048xbf16, #nc.space<hbm>> -> tensor<131072x2048xbf16>
  %2 = tile.matmul %0, %1 {transpose_b} : tensor<8x2048xbf16>, tensor<131072x2048xbf16> -> tensor<8x131072xf32>
  %3 = tile.cast %2 : tensor<8x131072xf32> -> tensor<8x131072xbf16>
  tile.store %3, %o[] offset #z sizes [8, 131072] strides [131072, 1] : tensor<8x131072xbf16>, memref<8x131072xbf16, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @long
// CHECK: scf.for {{.*}} to %c65 step
// CHECK: tile.store {{.*}} sizes [8, 2048]
// CHECK: return
func.func @long(%o: memref<8x133120xbf16, #nc.space<hbm>>, %a: memref<8x2048xbf16, #nc.space<hbm>>, %b: memref<133120x2048xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [8, 2048] strides [2048, 1] : memref<8x2048xbf16, #nc.space<hbm>> -> tensor<8x2048xbf16>
  %1 = tile.load %b[] offset #z sizes [133120, 2048] strides [2048, 1] : memref<133120x2048xbf16, #nc.space<hbm>> -> tensor<133120x2048xbf16>
  %2 = tile.matmul %0, %1 {transpose_b} : tensor<8x2048xbf16>, tensor<133120x2048xbf16> -> tensor<8x133120xf32>
  %3 = tile.cast %2 : tensor<8x133120xf32> -> tensor<8x133120xbf16>
  tile.store %3, %o[] offset #z sizes [8, 133120] strides [133120, 1] : tensor<8x133120xbf16>, memref<8x133120xbf16, #nc.space<hbm>>
  return
}

// Values that are kept for all rows are read by each block.
// CHECK-LABEL: func.func @quantized
// CHECK-NOT: scf.for
// CHECK: tile.store {{.*}} sizes [1024, 1024]
// CHECK: tile.store {{.*}} sizes [1024, 1024]
// CHECK: tile.store {{.*}} sizes [1024, 952]
// CHECK-NEXT: return
func.func @quantized(%o: memref<1024x3000xbf16, #nc.space<hbm>>, %a: memref<1024x1000xbf16, #nc.space<hbm>>, %b: memref<1000x3000xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [1024, 1000] strides [1000, 1] : memref<1024x1000xbf16, #nc.space<hbm>> -> tensor<1024x1000xbf16>
  %1 = tile.unary abs %0 : tensor<1024x1000xbf16> -> tensor<1024x1000xf32>
  %2 = tile.reduce maximum %1 : tensor<1024x1000xf32> -> tensor<1024x1xf32>
  %3 = tile.scalar maximum %2, 7.8886090522101181E-31 : tensor<1024x1xf32> -> tensor<1024x1xf32>
  %4 = tile.scalar multiply %3, 0.0041666666666666666 : tensor<1024x1xf32> -> tensor<1024x1xf32>
  %5 = tile.unary reciprocal %4 : tensor<1024x1xf32> -> tensor<1024x1xf32>
  %6 = tile.binary multiply %0, %5 : tensor<1024x1000xbf16>, tensor<1024x1xf32> -> tensor<1024x1000xf32>
  %7 = tile.scalar minimum %6, 2.400000e+02 : tensor<1024x1000xf32> -> tensor<1024x1000xf32>
  %8 = tile.scalar maximum %7, -2.400000e+02 : tensor<1024x1000xf32> -> tensor<1024x1000xf32>
  %9 = tile.cast %8 : tensor<1024x1000xf32> -> tensor<1024x1000xf8E4M3>
  %10 = tile.load %b[] offset #z sizes [1000, 3000] strides [3000, 1] : memref<1000x3000xbf16, #nc.space<hbm>> -> tensor<1000x3000xbf16>
  %11 = tile.unary abs %10 : tensor<1000x3000xbf16> -> tensor<1000x3000xf32>
  %12 = tile.reduce maximum %11 : tensor<1000x3000xf32> -> tensor<1000x1xf32>
  %13 = tile.transpose %12 : tensor<1000x1xf32> -> tensor<1x1000xf32>
  %14 = tile.reduce maximum %13 : tensor<1x1000xf32> -> tensor<1x1xf32>
  %15 = tile.transpose %14 : tensor<1x1xf32> -> tensor<1x1xf32>
  %16 = tile.scalar maximum %15, 7.8886090522101181E-31 : tensor<1x1xf32> -> tensor<1x1xf32>
  %17 = tile.scalar multiply %16, 0.0041666666666666666 : tensor<1x1xf32> -> tensor<1x1xf32>
  %18 = tile.unary reciprocal %17 : tensor<1x1xf32> -> tensor<1x1xf32>
  %19 = tile.binary multiply %10, %18 : tensor<1000x3000xbf16>, tensor<1x1xf32> -> tensor<1000x3000xf32>
  %20 = tile.scalar minimum %19, 2.400000e+02 : tensor<1000x3000xf32> -> tensor<1000x3000xf32>
  %21 = tile.scalar maximum %20, -2.400000e+02 : tensor<1000x3000xf32> -> tensor<1000x3000xf32>
  %22 = tile.cast %21 : tensor<1000x3000xf32> -> tensor<1000x3000xf8E4M3>
  %23 = tile.matmul %9, %22 : tensor<1024x1000xf8E4M3>, tensor<1000x3000xf8E4M3> -> tensor<1024x3000xf32>
  %24 = tile.binary multiply %4, %23 : tensor<1024x1xf32>, tensor<1024x3000xf32> -> tensor<1024x3000xf32>
  %25 = tile.binary multiply %24, %17 : tensor<1024x3000xf32>, tensor<1x1xf32> -> tensor<1024x3000xf32>
  %26 = tile.cast %25 : tensor<1024x3000xf32> -> tensor<1024x3000xbf16>
  tile.store %26, %o[] offset #z sizes [1024, 3000] strides [3000, 1] : tensor<1024x3000xbf16>, memref<1024x3000xbf16, #nc.space<hbm>>
  return
}

// More rows than 1024: their products take longer than the descriptors.
// CHECK-LABEL: func.func @tall
// CHECK: scf.for
// CHECK: return
func.func @tall(%o: memref<2048x4096xbf16, #nc.space<hbm>>, %a: memref<2048x512xbf16, #nc.space<hbm>>, %b: memref<4096x512xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [2048, 512] strides [512, 1] : memref<2048x512xbf16, #nc.space<hbm>> -> tensor<2048x512xbf16>
  %1 = tile.load %b[] offset #z sizes [4096, 512] strides [512, 1] : memref<4096x512xbf16, #nc.space<hbm>> -> tensor<4096x512xbf16>
  %2 = tile.matmul %0, %1 {transpose_b} : tensor<2048x512xbf16>, tensor<4096x512xbf16> -> tensor<2048x4096xf32>
  %3 = tile.cast %2 : tensor<2048x4096xf32> -> tensor<2048x4096xbf16>
  tile.store %3, %o[] offset #z sizes [2048, 4096] strides [4096, 1] : tensor<2048x4096xbf16>, memref<2048x4096xbf16, #nc.space<hbm>>
  return
}

}
