// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] LongRows | Category:tile-stream | {{.*}}rows=128

// CHECK-DAG: #[[LEFT:.*]] = affine_map<() -> (512000)>
// CHECK-DAG: #[[BEHIND:.*]] = affine_map<() -> (4096)>

// One row has one partition. 3 elements are left of 128 rows of 4000.
// CHECK-LABEL: func.func @row
// CHECK: %[[TAIL:.*]] = tile.load %arg0[] offset #[[LEFT]] sizes [1, 3] strides [3, 1]
// CHECK: %[[TAIL_EXP:.*]] = tile.unary exp %[[TAIL]] : tensor<1x3xbf16> -> tensor<1x3xf32>
// CHECK: %[[TAIL_SUM:.*]] = tile.scalar add %[[TAIL_EXP]], 1.000000e+00 : tensor<1x3xf32> -> tensor<1x3xbf16>
// CHECK: tile.store %[[TAIL_SUM]], %arg1[] offset #[[LEFT]] sizes [1, 3] strides [3, 1]
// CHECK: tile.load %arg0{{.*}} strides [4000, 1] : {{.*}} -> tensor<128x
// CHECK: tile.store {{.*}}, %arg1{{.*}} strides [4000, 1]
// CHECK-NOT: strides [512003, 1]
func.func @row(%x: memref<1x512003xbf16, #nc.space<hbm>>, %y: memref<1x512003xbf16, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1, 512003] strides [512003, 1] : memref<1x512003xbf16, #nc.space<hbm>> -> tensor<1x512003xbf16>
  %1 = tile.unary exp %0 : tensor<1x512003xbf16> -> tensor<1x512003xf32>
  %2 = tile.scalar add %1, 1.000000e+00 : tensor<1x512003xf32> -> tensor<1x512003xbf16>
  tile.store %2, %y[] offset affine_map<() -> (0)> sizes [1, 512003] strides [512003, 1] : tensor<1x512003xbf16>, memref<1x512003xbf16, #nc.space<hbm>>
  return
}

// Short rows make a descriptor for 4 bytes. Nothing is left of 128 long ones.
// The tensor is written where it is read, and begins behind another part of it.
// CHECK-LABEL: func.func @column
// CHECK: tile.load %arg0[] offset #[[BEHIND]] sizes [128, 2048] strides [2048, 1]
// CHECK: tile.store {{.*}}, %arg0[] offset #[[BEHIND]] sizes [128, 2048] strides [2048, 1]
// CHECK-NOT: tile.store
// CHECK: return
func.func @column(%x: memref<300000x1xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (4096)> sizes [262144, 1] strides [1, 1] : memref<300000x1xf32, #nc.space<hbm>> -> tensor<262144x1xf32>
  %1 = tile.unary exp %0 : tensor<262144x1xf32> -> tensor<262144x1xf32>
  tile.store %1, %x[] offset affine_map<() -> (4096)> sizes [262144, 1] strides [1, 1] : tensor<262144x1xf32>, memref<300000x1xf32, #nc.space<hbm>>
  return
}

// One element meets all others, whatever their rows.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[SCALE:.*]] = tile.load %arg1[] {{.*}} -> tensor<1x1xf32>
// CHECK: tile.load %arg0[] {{.*}} sizes [128, 1024] strides [1024, 1]
// CHECK: tile.binary multiply %{{.*}}, %[[SCALE]] : tensor<128x1024xf32>, tensor<1x1xf32>
// CHECK: tile.store {{.*}} sizes [128, 1024] strides [1024, 1]
func.func @scaled(%x: memref<4x32768xf32, #nc.space<hbm>>, %s: memref<1x1xf32, #nc.space<hbm>>, %y: memref<4x32768xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : memref<4x32768xf32, #nc.space<hbm>> -> tensor<4x32768xf32>
  %1 = tile.load %s[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xf32, #nc.space<hbm>> -> tensor<1x1xf32>
  %2 = tile.binary multiply %0, %1 : tensor<4x32768xf32>, tensor<1x1xf32> -> tensor<4x32768xf32>
  tile.store %2, %y[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : tensor<4x32768xf32>, memref<4x32768xf32, #nc.space<hbm>>
  return
}

// Values of a row are at its elements only as long as rows are rows.
// CHECK-LABEL: func.func @of_rows
// CHECK-NOT: tensor<128x
// CHECK: return
func.func @of_rows(%x: memref<4x32768xf32, #nc.space<hbm>>, %s: memref<4x1xf32, #nc.space<hbm>>, %y: memref<4x32768xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : memref<4x32768xf32, #nc.space<hbm>> -> tensor<4x32768xf32>
  %1 = tile.load %s[] offset affine_map<() -> (0)> sizes [4, 1] strides [1, 1] : memref<4x1xf32, #nc.space<hbm>> -> tensor<4x1xf32>
  %2 = tile.binary multiply %0, %1 : tensor<4x32768xf32>, tensor<4x1xf32> -> tensor<4x32768xf32>
  tile.store %2, %y[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : tensor<4x32768xf32>, memref<4x32768xf32, #nc.space<hbm>>
  return
}

// Gaps between the rows, and rows that are read at another place than written.
// CHECK-LABEL: func.func @gaps
// CHECK-NOT: tensor<128x
// CHECK: return
func.func @gaps(%x: memref<4x65536xf32, #nc.space<hbm>>, %y: memref<4x32768xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4, 32768] strides [65536, 1] : memref<4x65536xf32, #nc.space<hbm>> -> tensor<4x32768xf32>
  %1 = tile.unary exp %0 : tensor<4x32768xf32> -> tensor<4x32768xf32>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : tensor<4x32768xf32>, memref<4x32768xf32, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @moved
// CHECK-NOT: tensor<128x
// CHECK: return
func.func @moved(%x: memref<8x32768xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (32768)> sizes [4, 32768] strides [32768, 1] : memref<8x32768xf32, #nc.space<hbm>> -> tensor<4x32768xf32>
  %1 = tile.unary exp %0 : tensor<4x32768xf32> -> tensor<4x32768xf32>
  tile.store %1, %x[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : tensor<4x32768xf32>, memref<8x32768xf32, #nc.space<hbm>>
  return
}

// Another store needs the rows, too.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: tensor<128x
// CHECK: return
func.func @shared(%x: memref<4x32768xf32, #nc.space<hbm>>, %y: memref<4x32768xf32, #nc.space<hbm>>, %z: memref<4x1xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : memref<4x32768xf32, #nc.space<hbm>> -> tensor<4x32768xf32>
  %1 = tile.unary exp %0 : tensor<4x32768xf32> -> tensor<4x32768xf32>
  %2 = tile.reduce add %1 : tensor<4x32768xf32> -> tensor<4x1xf32>
  tile.store %2, %z[] offset affine_map<() -> (0)> sizes [4, 1] strides [1, 1] : tensor<4x1xf32>, memref<4x1xf32, #nc.space<hbm>>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : tensor<4x32768xf32>, memref<4x32768xf32, #nc.space<hbm>>
  return
}

// In a loop, the user has chosen the rows.
// CHECK-LABEL: func.func @in_loop
// CHECK-NOT: tensor<128x
// CHECK: return
func.func @in_loop(%x: memref<4x32768xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : memref<4x32768xf32, #nc.space<hbm>> -> tensor<4x32768xf32>
    %1 = tile.unary exp %0 : tensor<4x32768xf32> -> tensor<4x32768xf32>
    tile.store %1, %x[] offset affine_map<() -> (0)> sizes [4, 32768] strides [32768, 1] : tensor<4x32768xf32>, memref<4x32768xf32, #nc.space<hbm>>
  }
  return
}

// 4096 elements: latencies are most of the time of fewer.
// CHECK-LABEL: func.func @few
// CHECK-NOT: tensor<128x
// CHECK: return
func.func @few(%x: memref<1x4095xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1, 4095] strides [4095, 1] : memref<1x4095xf32, #nc.space<hbm>> -> tensor<1x4095xf32>
  %1 = tile.unary exp %0 : tensor<1x4095xf32> -> tensor<1x4095xf32>
  tile.store %1, %x[] offset affine_map<() -> (0)> sizes [1, 4095] strides [4095, 1] : tensor<1x4095xf32>, memref<1x4095xf32, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @enough
// CHECK: tile.load {{.*}} -> tensor<128x32xf32>
// CHECK: return
func.func @enough(%x: memref<1x4096xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1, 4096] strides [4096, 1] : memref<1x4096xf32, #nc.space<hbm>> -> tensor<1x4096xf32>
  %1 = tile.unary exp %0 : tensor<1x4096xf32> -> tensor<1x4096xf32>
  tile.store %1, %x[] offset affine_map<() -> (0)> sizes [1, 4096] strides [4096, 1] : tensor<1x4096xf32>, memref<1x4096xf32, #nc.space<hbm>>
  return
}

// 96 of 128 partitions are enough.
// CHECK-LABEL: func.func @filled
// CHECK: tile.load {{.*}} -> tensor<96x4096xf32>
// CHECK: return
func.func @filled(%x: memref<96x4096xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [96, 4096] strides [4096, 1] : memref<96x4096xf32, #nc.space<hbm>> -> tensor<96x4096xf32>
  %1 = tile.unary exp %0 : tensor<96x4096xf32> -> tensor<96x4096xf32>
  tile.store %1, %x[] offset affine_map<() -> (0)> sizes [96, 4096] strides [4096, 1] : tensor<96x4096xf32>, memref<96x4096xf32, #nc.space<hbm>>
  return
}

// 512 bytes per row are enough, too.
// CHECK-LABEL: func.func @descriptors
// CHECK: tile.load {{.*}} -> tensor<1024x128xf32>
// CHECK: return
func.func @descriptors(%x: memref<1024x128xf32, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [1024, 128] strides [128, 1] : memref<1024x128xf32, #nc.space<hbm>> -> tensor<1024x128xf32>
  %1 = tile.unary exp %0 : tensor<1024x128xf32> -> tensor<1024x128xf32>
  tile.store %1, %x[] offset affine_map<() -> (0)> sizes [1024, 128] strides [128, 1] : tensor<1024x128xf32>, memref<1024x128xf32, #nc.space<hbm>>
  return
}

// Packed floats are made of other rows than they have.
// CHECK-LABEL: func.func @packed
// CHECK: tile.quantize
// CHECK: tile.store {{.*}} tensor<32x64xvector<4xf8E4M3FN>>
// CHECK: return
func.func @packed(%x: memref<128x64xbf16, #nc.space<hbm>>, %y: memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>) {
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1, %2 = tile.quantize %0 : tensor<128x64xbf16> -> tensor<32x64xvector<4xf8E4M3FN>>, tensor<4x64xf8E8M0FNU>
  tile.store %1, %y[] offset affine_map<() -> (0)> sizes [32, 64] strides [64, 1] : tensor<32x64xvector<4xf8E4M3FN>>, memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>
  return
}
