// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-to-nc,canonicalize,cse))' | FileCheck %s

#z = affine_map<() -> (0)>

// On chip, scales of whole slots follow one another: a transfer brings as many
// slots as are no longer than the longest extent.
// CHECK-LABEL: func.func @together
// CHECK: nc.dma_copy dst({{.*}} <4x65535xf8E8M0FNU, sbuf>) src({{.*}} <4x5x13107xf8E8M0FNU, hbm>)
// CHECK-NOT: x65535xf8E8M0FNU
// CHECK: row 32
func.func @together(%o: memref<64x512xf32, #nc.space<hbm>>, %a: memref<640x64xvector<4xf8E4M3FN>, #nc.space<hbm>>, %as: memref<80x64xf8E8M0FNU, #nc.space<hbm>>, %b: memref<640x512xvector<4xf8E4M3FN>, #nc.space<hbm>>, %bs: memref<80x13107xf8E8M0FNU, #nc.space<hbm>>) attributes {nc.target = #nc.target<"trn3">} {
  %0 = tile.load %a[] offset #z sizes [640, 64] strides [64, 1] : memref<640x64xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<640x64xvector<4xf8E4M3FN>>
  %1 = tile.load %as[] offset #z sizes [80, 64] strides [64, 1] : memref<80x64xf8E8M0FNU, #nc.space<hbm>> -> tensor<80x64xf8E8M0FNU>
  %2 = tile.load %b[] offset #z sizes [640, 512] strides [512, 1] : memref<640x512xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<640x512xvector<4xf8E4M3FN>>
  %3 = tile.load %bs[] offset #z sizes [80, 13107] strides [13107, 1] : memref<80x13107xf8E8M0FNU, #nc.space<hbm>> -> tensor<80x13107xf8E8M0FNU>
  %4 = tile.slice %3[] offset #z sizes [80, 512] strides [1, 1] : tensor<80x13107xf8E8M0FNU> -> tensor<80x512xf8E8M0FNU>
  %5 = tile.matmul %0, %2 scales %1, %4 : tensor<80x64xf8E8M0FNU>, tensor<80x512xf8E8M0FNU> {transpose_a} : tensor<640x64xvector<4xf8E4M3FN>>, tensor<640x512xvector<4xf8E4M3FN>> -> tensor<64x512xf32>
  tile.store %5, %o[] offset #z sizes [64, 512] strides [512, 1] : tensor<64x512xf32>, memref<64x512xf32, #nc.space<hbm>>
  return
}

// One column more: of five slots, four go together.
// CHECK-LABEL: func.func @apart
// CHECK: nc.dma_copy dst({{.*}} <4x52432xf8E8M0FNU, sbuf>) src({{.*}} <4x4x13108xf8E8M0FNU, hbm>)
// CHECK: nc.dma_copy dst({{.*}} <4x13108xf8E8M0FNU, sbuf>) src({{.*}} <4x13108xf8E8M0FNU, hbm>)
func.func @apart(%o: memref<64x512xf32, #nc.space<hbm>>, %a: memref<640x64xvector<4xf8E4M3FN>, #nc.space<hbm>>, %as: memref<80x64xf8E8M0FNU, #nc.space<hbm>>, %b: memref<640x512xvector<4xf8E4M3FN>, #nc.space<hbm>>, %bs: memref<80x13108xf8E8M0FNU, #nc.space<hbm>>) attributes {nc.target = #nc.target<"trn3">} {
  %0 = tile.load %a[] offset #z sizes [640, 64] strides [64, 1] : memref<640x64xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<640x64xvector<4xf8E4M3FN>>
  %1 = tile.load %as[] offset #z sizes [80, 64] strides [64, 1] : memref<80x64xf8E8M0FNU, #nc.space<hbm>> -> tensor<80x64xf8E8M0FNU>
  %2 = tile.load %b[] offset #z sizes [640, 512] strides [512, 1] : memref<640x512xvector<4xf8E4M3FN>, #nc.space<hbm>> -> tensor<640x512xvector<4xf8E4M3FN>>
  %3 = tile.load %bs[] offset #z sizes [80, 13108] strides [13108, 1] : memref<80x13108xf8E8M0FNU, #nc.space<hbm>> -> tensor<80x13108xf8E8M0FNU>
  %4 = tile.slice %3[] offset #z sizes [80, 512] strides [1, 1] : tensor<80x13108xf8E8M0FNU> -> tensor<80x512xf8E8M0FNU>
  %5 = tile.matmul %0, %2 scales %1, %4 : tensor<80x64xf8E8M0FNU>, tensor<80x512xf8E8M0FNU> {transpose_a} : tensor<640x64xvector<4xf8E4M3FN>>, tensor<640x512xvector<4xf8E4M3FN>> -> tensor<64x512xf32>
  tile.store %5, %o[] offset #z sizes [64, 512] strides [512, 1] : tensor<64x512xf32>, memref<64x512xf32, #nc.space<hbm>>
  return
}
