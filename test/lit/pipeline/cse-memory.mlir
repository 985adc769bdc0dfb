// RUN: kiln-opt %s --merge-equal | FileCheck %s

#z = affine_map<() -> (0)>

// Two loads with an instruction that writes the tensor between them are two;
// with one that writes elsewhere they could be one, and are where nothing
// stands between them.
// CHECK-LABEL: func.func @loads
// CHECK-COUNT-2: tile.load
// CHECK: nc.dma_copy
// CHECK: tile.load
// CHECK-NOT: tile.load
func.func @loads(%x: memref<128x64xf32, #nc.space<hbm>>, %w: memref<128x64xf32, #nc.space<hbm>>, %y: memref<128x64xf32, #nc.space<hbm>>) {
  %other = tile.load %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %0 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %1 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %to = nc.view %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  %from = nc.view %w[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> !nc.view<128x64xf32, hbm>
  nc.dma_copy dst(%to : !nc.view<128x64xf32, hbm>) src(%from : !nc.view<128x64xf32, hbm>)
  %2 = tile.load %x[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %3 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %4 = tile.binary add %2, %3 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %5 = tile.binary add %4, %other : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  tile.store %5, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}

// Reads of a buffer around an assignment and around an instruction.
// CHECK-LABEL: func.func @reads
// CHECK: tile.read
// CHECK: tile.assign
// CHECK: tile.read
// CHECK: nc.tensor_copy
// CHECK: tile.read
func.func @reads(%x: tensor<128x64xf32>, %y: memref<128x64xf32, #nc.space<hbm>>) {
  %a = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %b = tile.declare : memref<128x64xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  %bv = nc.view %b[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> !nc.view<128x64xf32, sbuf>
  nc.memset dst(%av : !nc.view<128x64xf32, sbuf>) {value = 1.0 : f32}
  nc.memset dst(%bv : !nc.view<128x64xf32, sbuf>) {value = 2.0 : f32}
  %0 = tile.read %a[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
  tile.assign %x, %a[] offset #z sizes [128, 64] strides [1, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<sbuf>>
  %1 = tile.read %a[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
  nc.tensor_copy dst(%av : !nc.view<128x64xf32, sbuf>) src(%bv : !nc.view<128x64xf32, sbuf>)
  %2 = tile.read %a[] offset #z sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
  %3 = tile.binary add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %4 = tile.binary add %2, %3 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  tile.store %4, %y[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xf32>, memref<128x64xf32, #nc.space<hbm>>
  return
}
