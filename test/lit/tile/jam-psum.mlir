// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam))' --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Jammed | Category:tile-jam | {{.*}}copies=2{{.*}}trips=8
// REMARK-DAG: remark: [Passed] Jammed | Category:tile-jam | {{.*}}copies=2{{.*}}trips=8
// REMARK-DAG: remark: [Missed] NotJammed | Category:tile-jam | {{.*}}the first products of two of them take 8 of the 8 banks of PSUM
// REMARK-DAG: remark: [Missed] NotJammed | Category:tile-jam | {{.*}}products and transposes of two of them take 18 banks of PSUM, but only 16 are allowed

#z = affine_map<() -> (0)>
#out = affine_map<(d0) -> (d0 * 16384)>

// Three banks of products that wait for nothing, and one of a product behind
// them: two iterations leave two banks for that, four would leave none.
// CHECK-LABEL: func.func @three_banks
// CHECK-COUNT-2: tile.declare
// CHECK-NOT: tile.declare
// CHECK: return
func.func @three_banks(%q: tensor<64x128xbf16>, %k: tensor<64x1536xbf16>, %y: memref<8x128x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<128x128xf32>
    %m = tile.declare : memref<128x128xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c4 step %c1 {
      %s = tile.matmul %q, %k {transpose_a} : tensor<64x128xbf16>, tensor<64x1536xbf16> -> tensor<128x1536xf32>
      %w = tile.slice %s[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x1536xf32> -> tensor<128x128xf32>
      %r = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
      %p = tile.binary subtract %w, %r : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %o = tile.matmul %p, %p {transpose_a} : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      tile.assign %o, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
    tile.store %4, %y[%i] offset #out sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<8x128x128xf32, #nc.space<hbm>>
  }
  return
}

// Four banks each are all that there are: nothing would be left.
// CHECK-LABEL: func.func @four_banks
// CHECK-COUNT-1: tile.declare
// CHECK-NOT: tile.declare
// CHECK: return
func.func @four_banks(%q: tensor<64x128xbf16>, %k: tensor<64x2048xbf16>, %y: memref<8x128x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<128x128xf32>
    %m = tile.declare : memref<128x128xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c4 step %c1 {
      %s = tile.matmul %q, %k {transpose_a} : tensor<64x128xbf16>, tensor<64x2048xbf16> -> tensor<128x2048xf32>
      %w = tile.slice %s[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x2048xf32> -> tensor<128x128xf32>
      %r = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
      %p = tile.binary subtract %w, %r : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %o = tile.matmul %p, %p {transpose_a} : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      tile.assign %o, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
    tile.store %4, %y[%i] offset #out sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<8x128x128xf32, #nc.space<hbm>>
  }
  return
}

// CHECK-LABEL: func.func @eight_banks
// CHECK-COUNT-1: tile.declare
// CHECK-NOT: tile.declare
// CHECK: return
func.func @eight_banks(%q: tensor<64x128xbf16>, %k: tensor<64x4096xbf16>, %y: memref<8x128x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<128x128xf32>
    %m = tile.declare : memref<128x128xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c4 step %c1 {
      %s = tile.matmul %q, %k {transpose_a} : tensor<64x128xbf16>, tensor<64x4096xbf16> -> tensor<128x4096xf32>
      %w = tile.slice %s[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x4096xf32> -> tensor<128x128xf32>
      %r = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
      %p = tile.binary subtract %w, %r : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %o = tile.matmul %p, %p {transpose_a} : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      tile.assign %o, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
    tile.store %4, %y[%i] offset #out sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<8x128x128xf32, #nc.space<hbm>>
  }
  return
}

// Two iterations are not rotated, and the banks are free when they are over.
// CHECK-LABEL: func.func @two_trips
// CHECK-COUNT-2: tile.declare
// CHECK-NOT: tile.declare
// CHECK: return
func.func @two_trips(%q: tensor<64x128xbf16>, %k: tensor<64x2048xbf16>, %y: memref<8x128x128xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = tile.fill 0.000000e+00 : tensor<128x128xf32>
    %m = tile.declare : memref<128x128xf32, #nc.space<sbuf>>
    tile.assign %0, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    scf.for %j = %c0 to %c2 step %c1 {
      %s = tile.matmul %q, %k {transpose_a} : tensor<64x128xbf16>, tensor<64x2048xbf16> -> tensor<128x2048xf32>
      %w = tile.slice %s[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x2048xf32> -> tensor<128x128xf32>
      %r = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
      %p = tile.binary subtract %w, %r : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %o = tile.matmul %p, %p {transpose_a} : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      tile.assign %o, %m[] offset #z sizes [128, 128] strides [1, 1] : tensor<128x128xf32>, memref<128x128xf32, #nc.space<sbuf>>
    }
    %4 = tile.read %m[] offset #z sizes [128, 128] strides [1, 1] : memref<128x128xf32, #nc.space<sbuf>> -> tensor<128x128xf32>
    tile.store %4, %y[%i] offset #out sizes [128, 128] strides [128, 1] : tensor<128x128xf32>, memref<8x128x128xf32, #nc.space<hbm>>
  }
  return
}
