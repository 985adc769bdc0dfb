// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc))' | FileCheck %s

#z = affine_map<() -> (0)>

// What runs once, and what a product contracts, comes in pieces of 128 KiB and
// more: two slots of 256 columns, so the last piece has one. The result is
// stored in such pieces, too: here, each 128 rows of 512 columns in f32.
// CHECK-LABEL: func.func @once
// CHECK: nc.dma_copy {{.*}}<128x512xbf16, sbuf>{{.*}}<128x2x256xbf16, hbm>
// CHECK: nc.dma_copy {{.*}}<128x512xbf16, sbuf>{{.*}}<128x2x256xbf16, hbm>
// CHECK: nc.dma_copy {{.*}}<128x256xbf16, sbuf>{{.*}}<128x256xbf16, hbm>
// CHECK: nc.nc_matmul
// CHECK-COUNT-2: nc.dma_copy {{.*}}<128x512xf32, hbm>
// CHECK-NOT: nc.dma_copy
// CHECK: return
func.func @once(%a: memref<640x256xbf16, #nc.space<hbm>>, %b: memref<640x512xbf16, #nc.space<hbm>>, %c: memref<256x512xf32, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [640, 256] strides [256, 1] : memref<640x256xbf16, #nc.space<hbm>> -> tensor<640x256xbf16>
  %1 = tile.slice %0[] row 0 offset #z sizes [640, 256] strides [1, 1] : tensor<640x256xbf16> -> tensor<640x256xbf16>
  %2 = tile.matmul %1, %0 {transpose_a} : tensor<640x256xbf16>, tensor<640x256xbf16> -> tensor<256x256xf32>
  %3 = tile.matmul %1, %1 {transpose_a} : tensor<640x256xbf16>, tensor<640x256xbf16> -> tensor<256x256xf32>
  %4 = tile.fill 0.000000e+00 : tensor<256x512xf32>
  tile.store %4, %c[] offset #z sizes [256, 512] strides [512, 1] : tensor<256x512xf32>, memref<256x512xf32, #nc.space<hbm>>
  return
}

// In a loop, and where nobody contracts it, a tile comes at once.
// CHECK-LABEL: func.func @whole
// CHECK: nc.dma_copy {{.*}}src({{.*}}<128x5x256xbf16, hbm>
// CHECK: scf.for
// CHECK: nc.dma_copy {{.*}}src({{.*}}<128x5x256xbf16, hbm>
// CHECK: return
func.func @whole(%a: memref<640x256xbf16, #nc.space<hbm>>, %b: memref<640x256xbf16, #nc.space<hbm>>, %c: memref<256x256xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = tile.load %a[] offset #z sizes [640, 256] strides [256, 1] : memref<640x256xbf16, #nc.space<hbm>> -> tensor<640x256xbf16>
  tile.store %0, %b[] offset #z sizes [640, 256] strides [256, 1] : tensor<640x256xbf16>, memref<640x256xbf16, #nc.space<hbm>>
  scf.for %i = %c0 to %c4 step %c1 {
    %1 = tile.load %a[] offset #z sizes [640, 256] strides [256, 1] : memref<640x256xbf16, #nc.space<hbm>> -> tensor<640x256xbf16>
    %2 = tile.matmul %1, %1 {transpose_a} : tensor<640x256xbf16>, tensor<640x256xbf16> -> tensor<256x256xf32>
    tile.store %2, %c[] offset #z sizes [256, 256] strides [256, 1] : tensor<256x256xf32>, memref<256x256xf32, #nc.space<hbm>>
  }
  return
}

// What is computed of products has an instruction for each 128 rows, if it has
// 256 columns and more.
// CHECK-LABEL: func.func @wide
// CHECK-COUNT-2: nc.activation dst
// CHECK-NOT: nc.activation dst
// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-1: nc.activation dst
// CHECK-NOT: nc.activation dst
func.func @wide(%a: memref<128x256xbf16, #nc.space<hbm>>, %c: memref<256x256xf32, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 256] strides [256, 1] : memref<128x256xbf16, #nc.space<hbm>> -> tensor<128x256xbf16>
  %1 = tile.matmul %0, %0 {transpose_a} : tensor<128x256xbf16>, tensor<128x256xbf16> -> tensor<256x256xf32>
  %2 = tile.activate exp %1 : tensor<256x256xf32> -> tensor<256x256xf32>
  tile.store %2, %c[] offset #z sizes [256, 256] strides [256, 1] : tensor<256x256xf32>, memref<256x256xf32, #nc.space<hbm>>
  return
}
func.func @narrow(%a: memref<128x256xbf16, #nc.space<hbm>>, %b: memref<128x255xbf16, #nc.space<hbm>>, %c: memref<256x255xf32, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 256] strides [256, 1] : memref<128x256xbf16, #nc.space<hbm>> -> tensor<128x256xbf16>
  %1 = tile.load %b[] offset #z sizes [128, 255] strides [255, 1] : memref<128x255xbf16, #nc.space<hbm>> -> tensor<128x255xbf16>
  %2 = tile.matmul %0, %1 {transpose_a} : tensor<128x256xbf16>, tensor<128x255xbf16> -> tensor<256x255xf32>
  %3 = tile.activate exp %2 : tensor<256x255xf32> -> tensor<256x255xf32>
  tile.store %3, %c[] offset #z sizes [256, 255] strides [255, 1] : tensor<256x255xf32>, memref<256x255xf32, #nc.space<hbm>>
  return
}
