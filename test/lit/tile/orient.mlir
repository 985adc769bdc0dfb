// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-orient))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(cse,tile-orient))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-orient))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] SwappedProduct | Category:tile-orient |
// REMARK-DAG: remark: [Analysis] Transposed | Category:tile-orient |
// REMARK-DAG: remark: [Passed] TransposingLoad | Category:tile-orient |
// REMARK-DAG: remark: [Missed] NotSwapped | Category:tile-orient | {{.*}}it is also used as it is{{.*}}columns=32, {{.*}}rows=128

// REMARK-DAG: remark: [Passed] QuarterProducts | Category:tile-orient |

#z = affine_map<() -> (0)>

// A loaded operand is loaded the other way round, no transpose is left.
// CHECK-LABEL: func.func @loads
// CHECK: %[[A:.*]] = tile.load_transposed %{{.*}} sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<64x128xbf16>
// CHECK: %[[B:.*]] = tile.load %{{.*}} -> tensor<64x512xbf16>
// CHECK-NOT: tile.transpose
// CHECK: tile.matmul %[[A]], %[[B]] {transpose_a}
func.func @loads(%o: memref<128x512xf32, #nc.space<hbm>>, %a: memref<128x64xbf16, #nc.space<hbm>>, %b: memref<64x512xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xbf16, #nc.space<hbm>> -> tensor<128x64xbf16>
  %1 = tile.load %b[] offset #z sizes [64, 512] strides [512, 1] : memref<64x512xbf16, #nc.space<hbm>> -> tensor<64x512xbf16>
  %2 = tile.matmul %0, %1 : tensor<128x64xbf16>, tensor<64x512xbf16> -> tensor<128x512xf32>
  tile.store %2, %o[] offset #z sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<hbm>>
  return
}

// What was computed is transposed, once for both users.
// CHECK-LABEL: func.func @computed
// CHECK-COUNT-1: tile.transpose
// CHECK-NOT: tile.transpose
func.func @computed(%o: memref<128x128xf32, #nc.space<hbm>>, %x: tensor<128x64xf32>, %y: tensor<64x128xf32>) {
  %0 = tile.unary exp %x : tensor<128x64xf32> -> tensor<128x64xf32>
  %1 = tile.matmul %0, %y : tensor<128x64xf32>, tensor<64x128xf32> -> tensor<128x128xf32>
  %2 = tile.matmul %0, %0 {transpose_b} : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x128xf32>
  tile.store %1, %o[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<hbm>>
  tile.store %2, %o[] offset #z sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<hbm>>
  return
}

// transpose(a * b) is a product with swapped operands.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<64x128xf32>, %[[B:[a-z0-9]+]]: tensor<64x32xf32>
// CHECK-NOT: tile.transpose
// CHECK: tile.matmul %[[B]], %[[A]] {transpose_a} : tensor<64x32xf32>, tensor<64x128xf32> -> tensor<32x128xf32>
func.func @swap(%a: tensor<64x128xf32>, %b: tensor<64x32xf32>, %o: memref<32x128xf32, #nc.space<hbm>>) {
  %0 = tile.matmul %a, %b {transpose_a} : tensor<64x128xf32>, tensor<64x32xf32> -> tensor<128x32xf32>
  %1 = tile.transpose %0 : tensor<128x32xf32> -> tensor<32x128xf32>
  tile.store %1, %o[] offset #z sizes [32, 128] strides [128, 1] : tensor<32x128xf32>, memref<32x128xf32, #nc.space<hbm>>
  return
}

// What is made of products element by element is made transposed, each product
// once; the inner one swaps in turn.
// CHECK-LABEL: func.func @gate
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64x128xbf16>, %[[G:[a-z0-9]+]]: tensor<64x32xbf16>, %[[U:[a-z0-9]+]]: tensor<64x32xbf16>
// CHECK-NOT: tile.transpose
// CHECK: %[[GX:.*]] = tile.matmul %[[G]], %[[X]] {transpose_a}
// CHECK: %[[S:.*]] = tile.unary silu %[[GX]]
// CHECK: %[[UX:.*]] = tile.matmul %[[U]], %[[X]] {transpose_a}
// CHECK: %[[P:.*]] = tile.binary multiply %[[S]], %[[UX]] : {{.*}} -> tensor<32x128xf32>
// CHECK: %[[H:.*]] = tile.cast %[[P]]
// CHECK-NOT: tile.transpose
// CHECK: tile.matmul %[[H]], %{{.*}} {transpose_a}
func.func @gate(%x: tensor<64x128xbf16>, %g: tensor<64x32xbf16>, %u: tensor<64x32xbf16>, %d: tensor<32x256xbf16>, %o: memref<128x256xf32, #nc.space<hbm>>) {
  %0 = tile.matmul %x, %g {transpose_a} : tensor<64x128xbf16>, tensor<64x32xbf16> -> tensor<128x32xf32>
  %1 = tile.unary silu %0 : tensor<128x32xf32> -> tensor<128x32xf32>
  %2 = tile.matmul %x, %u {transpose_a} : tensor<64x128xbf16>, tensor<64x32xbf16> -> tensor<128x32xf32>
  %3 = tile.binary multiply %1, %2 : tensor<128x32xf32>, tensor<128x32xf32> -> tensor<128x32xf32>
  %4 = tile.cast %3 : tensor<128x32xf32> -> tensor<128x32xbf16>
  %5 = tile.matmul %4, %d : tensor<128x32xbf16>, tensor<32x256xbf16> -> tensor<128x256xf32>
  tile.store %5, %o[] offset #z sizes [128, 256] strides [256, 1] : tensor<128x256xf32>, memref<128x256xf32, #nc.space<hbm>>
  return
}

// Somebody else looks at the product, or a value goes with each of its rows: it
// is transposed on chip.
// CHECK-LABEL: func.func @shared
// CHECK: tile.transpose
// CHECK: tile.transpose
// CHECK: return
func.func @shared(%x: tensor<64x128xbf16>, %g: tensor<64x32xbf16>, %r: tensor<128x1xf32>, %d: tensor<32x256xbf16>, %o: memref<128x256xf32, #nc.space<hbm>>, %q: memref<128x32xbf16, #nc.space<hbm>>) {
  %0 = tile.matmul %x, %g {transpose_a} : tensor<64x128xbf16>, tensor<64x32xbf16> -> tensor<128x32xf32>
  %1 = tile.cast %0 : tensor<128x32xf32> -> tensor<128x32xbf16>
  %2 = tile.matmul %1, %d : tensor<128x32xbf16>, tensor<32x256xbf16> -> tensor<128x256xf32>
  tile.store %2, %o[] offset #z sizes [128, 256] strides [256, 1] : tensor<128x256xf32>, memref<128x256xf32, #nc.space<hbm>>
  tile.store %1, %q[] offset #z sizes [128, 32] strides [32, 1] : tensor<128x32xbf16>, memref<128x32xbf16, #nc.space<hbm>>
  %3 = tile.matmul %x, %g {transpose_a} : tensor<64x128xbf16>, tensor<64x32xbf16> -> tensor<128x32xf32>
  %4 = tile.binary multiply %3, %r : tensor<128x32xf32>, tensor<128x1xf32> -> tensor<128x32xf32>
  %5 = tile.cast %4 : tensor<128x32xf32> -> tensor<128x32xbf16>
  %6 = tile.matmul %5, %d : tensor<128x32xbf16>, tensor<32x256xbf16> -> tensor<128x256xf32>
  tile.store %6, %o[] offset #z sizes [128, 256] strides [256, 1] : tensor<128x256xf32>, memref<128x256xf32, #nc.space<hbm>>
  return
}

// A product that is used as it is, and transposed: the transpose stays.
// CHECK-LABEL: func.func @both_ways
// CHECK: %[[P:.*]] = tile.matmul
// CHECK: tile.transpose %[[P]]
// CHECK: return
func.func @both_ways(%a: tensor<64x128xf32>, %b: tensor<64x32xf32>, %o: memref<32x128xf32, #nc.space<hbm>>, %q: memref<128x32xf32, #nc.space<hbm>>) {
  %0 = tile.matmul %a, %b {transpose_a} : tensor<64x128xf32>, tensor<64x32xf32> -> tensor<128x32xf32>
  %1 = tile.transpose %0 : tensor<128x32xf32> -> tensor<32x128xf32>
  tile.store %1, %o[] offset #z sizes [32, 128] strides [128, 1] : tensor<32x128xf32>, memref<32x128xf32, #nc.space<hbm>>
  tile.store %0, %q[] offset #z sizes [128, 32] strides [32, 1] : tensor<128x32xf32>, memref<128x32xf32, #nc.space<hbm>>
  return
}

// Four rows share an element: each fourth row is a product of each fourth
// column. One load brings the four numbers that a partition adds.
// CHECK-LABEL: func.func @quarters
// CHECK-NOT: tile.transpose
// CHECK: %[[BIAS:.*]] = tile.load %{{.*}} sizes [128, 4] strides [4, 1]
// CHECK: %[[BUFFER:.*]] = tile.declare : memref<128x4x64xbf16, #nc.space<sbuf>>
// CHECK: tile.slice %{{.*}} offset #{{.*}} sizes [64, 128] strides [1, 4]
// CHECK: tile.slice %{{.*}} offset #{{.*}} sizes [8, 128] strides [1, 4]
// CHECK: tile.matmul {{.*}} -> tensor<128x64xf32>
// CHECK: tile.slice %[[BIAS]][] offset #{{.*}} sizes [128, 1]
// CHECK: tile.assign %{{.*}}, %[[BUFFER]][] offset #[[ZERO:.*]] sizes [128, 64]
// CHECK-COUNT-3: tile.assign %{{.*}}, %[[BUFFER]][]
// CHECK: %[[ALL:.*]] = tile.read %[[BUFFER]][] {{.*}} sizes [128, 4, 64] strides [1, 64, 1]
// CHECK: tile.quantize %[[ALL]] : tensor<128x4x64xbf16>
// CHECK: return
func.func @quarters(%x: tensor<64x512xvector<4xf8E4M3FN>>, %xs: tensor<8x512xf8E8M0FNU>, %w: tensor<64x64xvector<4xf8E4M3FN>>, %ws: tensor<8x64xf8E8M0FNU>, %b: memref<512x1xf32, #nc.space<hbm>>, %o: memref<128x64xvector<4xf8E4M3FN>, #nc.space<hbm>>) {
  %0 = tile.matmul %x, %w scales %xs, %ws : tensor<8x512xf8E8M0FNU>, tensor<8x64xf8E8M0FNU> {transpose_a} : tensor<64x512xvector<4xf8E4M3FN>>, tensor<64x64xvector<4xf8E4M3FN>> -> tensor<512x64xf32>
  %1 = tile.load %b[] offset #z sizes [512, 1] strides [1, 1] : memref<512x1xf32, #nc.space<hbm>> -> tensor<512x1xf32>
  %2 = tile.binary add %0, %1 : tensor<512x64xf32>, tensor<512x1xf32> -> tensor<512x64xf32>
  %3 = tile.cast %2 : tensor<512x64xf32> -> tensor<512x64xbf16>
  %data, %scales = tile.quantize %3 : tensor<512x64xbf16> -> tensor<128x64xvector<4xf8E4M3FN>>, tensor<16x64xf8E8M0FNU>
  tile.store %data, %o[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xvector<4xf8E4M3FN>>, memref<128x64xvector<4xf8E4M3FN>, #nc.space<hbm>>
  return
}

// A row that repeats is that of each quarter, and rows of a tile that come from
// HBM are loaded again.
// CHECK-LABEL: func.func @quarters_of_all
// CHECK: tile.load %{{.*}} offset #[[ZERO]] sizes [32, 64] strides [256, 1]
// CHECK: tile.load %{{.*}} sizes [32, 64] strides [256, 1]
// CHECK: tile.load %{{.*}} sizes [32, 64] strides [256, 1]
// CHECK: tile.load %{{.*}} sizes [32, 64] strides [256, 1]
// CHECK: tile.binary multiply %{{.*}}, %{{.*}} : tensor<32x64xf32>, tensor<1x64xf32>
// CHECK: tile.quantize %{{.*}} : tensor<32x4x64xbf16>
// CHECK: return
func.func @quarters_of_all(%x: tensor<64x128xbf16>, %w: tensor<64x64xbf16>, %r: tensor<1x64xf32>, %b: memref<128x64xf32, #nc.space<hbm>>, %o: memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>) {
  %0 = tile.matmul %x, %w {transpose_a} : tensor<64x128xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %1 = tile.binary multiply %0, %r : tensor<128x64xf32>, tensor<1x64xf32> -> tensor<128x64xf32>
  %2 = tile.load %b[] offset #z sizes [128, 64] strides [64, 1] : memref<128x64xf32, #nc.space<hbm>> -> tensor<128x64xf32>
  %3 = tile.binary add %1, %2 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x64xf32>
  %4 = tile.cast %3 : tensor<128x64xf32> -> tensor<128x64xbf16>
  %data, %scales = tile.quantize %4 : tensor<128x64xbf16> -> tensor<32x64xvector<4xf8E4M3FN>>, tensor<4x64xf8E8M0FNU>
  tile.store %data, %o[] offset #z sizes [32, 64] strides [64, 1] : tensor<32x64xvector<4xf8E4M3FN>>, memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>
  return
}

// A product with another user is quantized from its transpose.
// CHECK-LABEL: func.func @quarters_and_more
// CHECK: tile.transpose
// CHECK: tile.quantize %{{.*}} {turned}
// CHECK: return
func.func @quarters_and_more(%x: tensor<64x128xbf16>, %w: tensor<64x64xbf16>, %p: memref<128x64xbf16, #nc.space<hbm>>, %o: memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>) {
  %0 = tile.matmul %x, %w {transpose_a} : tensor<64x128xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %1 = tile.cast %0 : tensor<128x64xf32> -> tensor<128x64xbf16>
  %data, %scales = tile.quantize %1 : tensor<128x64xbf16> -> tensor<32x64xvector<4xf8E4M3FN>>, tensor<4x64xf8E8M0FNU>
  tile.store %data, %o[] offset #z sizes [32, 64] strides [64, 1] : tensor<32x64xvector<4xf8E4M3FN>>, memref<32x64xvector<4xf8E4M3FN>, #nc.space<hbm>>
  tile.store %1, %p[] offset #z sizes [128, 64] strides [64, 1] : tensor<128x64xbf16>, memref<128x64xbf16, #nc.space<hbm>>
  return
}
