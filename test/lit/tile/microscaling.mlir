// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-orient))' | FileCheck %s --check-prefix=TILE
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-orient,cse,tile-to-nc,canonicalize,cse))' | FileCheck %s

#z = affine_map<() -> (0)>

// 1152 rows: two whole slots of 128 packed rows, and 32 more. Scales go to the
// partitions where the tensor engine reads them: of the whole slots, four rows
// each to every quadrant.
// CHECK-LABEL: func.func @ready
// CHECK: nc.dma_copy dst({{.*}} <4x128xf8E8M0FNU, sbuf>) src({{.*}} <4x2x64xf8E8M0FNU, hbm>)
// CHECK: row 32
// CHECK: nc.dma_copy
// CHECK: row 64
// CHECK: nc.dma_copy
// CHECK: row 96
// CHECK: nc.dma_copy
// CHECK: nc.dma_copy dst({{.*}} <4x64xf8E8M0FNU, sbuf>) src({{.*}} <4x64xf8E8M0FNU, hbm>)
// CHECK: nc.nc_matmul_mx dst({{.*}} <64x32xf32, psum>) stationary({{.*}} <128x64xvector<4xf8E4M3FN>, sbuf>) moving({{.*}} <128x32xvector<4xf8E5M2>, sbuf>) stationary_scale({{.*}} <100x64xf8E8M0FNU, sbuf>) moving_scale({{.*}} <100x32xf8E8M0FNU, sbuf>)
// CHECK: nc.nc_matmul_mx dst({{.*}}) stationary({{.*}} <128x64xvector<4xf8E4M3FN>, sbuf>) {{.*}} {accumulate = true}
// CHECK: nc.nc_matmul_mx dst({{.*}}) stationary({{.*}} <32x64xvector<4xf8E4M3FN>, sbuf>) moving({{.*}}) stationary_scale({{.*}} <4x64xf8E8M0FNU, sbuf>) moving_scale({{.*}} <4x32xf8E8M0FNU, sbuf>) {accumulate = true}
func.func @ready(%o: memref<64x32xf32, #nc.space<hbm>>, %a: memref<288x64xvector<4xf8E4M3FN>, #nc.space<hbm>>, %as: memref<36x64xf8E8M0FNU, #nc.space<hbm>>, %b: memref<288x32xvector<4xf8E5M2>, #nc.space<hbm>>, %bs: memref<36x32xf8E8M0FNU, #nc.space<hbm>>) attributes {nc.target = #nc.target<"trn3">} {
  %0 = tile.load %a[] offset #z sizes [288, 64] strides [64, 1] : memref<288x64xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<288x64xvector<4xf8E4M3FN>>
  %1 = tile.load %as[] offset #z sizes [36, 64] strides [64, 1] : memref<36x64xf8E8M0FNU, #nc.space<hbm>> -> tensor<36x64xf8E8M0FNU>
  %2 = tile.load %b[] offset #z sizes [288, 32] strides [32, 1] : memref<288x32xvector<4xf8E5M2>, #nc.space<hbm>> -> tensor<288x32xvector<4xf8E5M2>>
  %3 = tile.load %bs[] offset #z sizes [36, 32] strides [32, 1] : memref<36x32xf8E8M0FNU, #nc.space<hbm>> -> tensor<36x32xf8E8M0FNU>
  %4 = tile.matmul %0, %2 scales %1, %3 : tensor<36x64xf8E8M0FNU>, tensor<36x32xf8E8M0FNU> {transpose_a} : tensor<288x64xvector<4xf8E4M3FN>>, tensor<288x32xvector<4xf8E5M2>> -> tensor<64x32xf32>
  tile.store %4, %o[] offset #z sizes [64, 32] strides [32, 1] : tensor<64x32xf32>, memref<64x32xf32, #nc.space<hbm>>
  return
}

// A load brings four rows to a partition. What is stored comes from where the
// tensor engine would read it.
// TILE-LABEL: func.func @rows
// TILE: %[[FOUR:.*]] = tile.load {{.*}} sizes [32, 4, 64] strides [256, 64, 1] {{.*}} -> tensor<32x4x64xbf16>
// TILE: tile.quantize %[[FOUR]] : tensor<32x4x64xbf16> -> tensor<32x64xvector<4xf8E4M3FN>>, tensor<4x64xf8E8M0FNU>
// CHECK-LABEL: func.func @rows
// CHECK-NOT: nc.nc_transpose
// CHECK: nc.quantize_mx dst({{.*}} <32x64xvector<4xf8E4M3FN>, sbuf>) src({{.*}} <32x64x4xbf16, sbuf>) dst_scale({{.*}} <4x64xf8E8M0FNU, sbuf>)
// CHECK: nc.dma_copy dst({{.*}} <4x64xf8E8M0FNU, hbm>) src({{.*}} <4x64xf8E8M0FNU, sbuf>)
func.func @rows(%x: memref<128x64xbf16, #nc.space<hbm>>, %d: memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>, %s: memref<4x64xf8E8M0FNU, #nc.space<hbm>>) attributes {nc.target = #nc.target<"trn3">} {
  %0 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1, %2 = tile.quantize %0 : tensor<128x64xbf16> -> tensor<32x64xvector<4xf8E4M3FN>>, tensor<4x64xf8E8M0FNU>
  tile.store %1, %d[] offset #z sizes [32, 64] strides [64, 1] : tensor<32x64xvector<4xf8E4M3FN>>, memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>
  tile.store %2, %s[] offset #z sizes [4, 64] strides [64, 1] : tensor<4x64xf8E8M0FNU>, memref<4x64xf8E8M0FNU, #nc.space<hbm>>
  return
}

// What is loaded transposed comes by rows, and the tensor engine brings each
// fourth column to a partition.
// TILE-LABEL: func.func @columns
// TILE: tile.load {{.*}} -> tensor<64x128xbf16>
// TILE: tile.quantize {{.*}} {turned} : tensor<64x128xbf16> -> tensor<32x64xvector<4xf8E4M3FN>>
// CHECK-LABEL: func.func @columns
// CHECK: sizes [64, 32] strides [1, 4]
// CHECK: nc.nc_transpose dst({{.*}} <32x64xbf16, psum>) data({{.*}} <64x32xbf16, sbuf>)
// CHECK-COUNT-3: nc.nc_transpose
// CHECK: nc.tensor_copy
// CHECK: nc.quantize_mx dst({{.*}} <32x64xvector<4xf8E4M3FN>, sbuf>) src({{.*}} <32x256xbf16, sbuf>) dst_scale({{.*}} <4x64xf8E8M0FNU, sbuf>)
func.func @columns(%x: memref<64x128xbf16, #nc.space<hbm>>, %d: memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>) attributes {nc.target = #nc.target<"trn3">} {
  %0 = tile.load_transposed %x[] offset #z sizes [64, 128] strides [128, 1] : memref<64x128xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1, %2 = tile.quantize %0 : tensor<128x64xbf16> -> tensor<32x64xvector<4xf8E4M3FN>>, tensor<4x64xf8E8M0FNU>
  tile.store %1, %d[] offset #z sizes [32, 64] strides [64, 1] : tensor<32x64xvector<4xf8E4M3FN>>, memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>
  return
}
