// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-stream))' | FileCheck %s

// Whether a loop adds up parts of K is a matter of two estimates: where the
// second one does not see the products wait clearly less, the first one's plan
// stays. Both sides of each change, as the rows grow.

#z = affine_map<() -> (0)>

// CHECK-LABEL: func.func @rows128
// CHECK-NOT: tile.declare
// CHECK: return
func.func @rows128(%o: memref<128x8192xbf16, #nc.space<hbm>>, %a: memref<128x8192xbf16, #nc.space<hbm>>, %b: memref<8192x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [128, 8192] strides [8192, 1] : memref<128x8192xbf16, #nc.space<hbm>> -> tensor<128x8192xbf16>
  %1 = tile.load %b[] offset #z sizes [8192, 8192] strides [8192, 1] : memref<8192x8192xbf16, #nc.space<hbm>> -> tensor<8192x8192xbf16>
  %2 = tile.matmul %0, %1 : tensor<128x8192xbf16>, tensor<8192x8192xbf16> -> tensor<128x8192xf32>
  %3 = tile.cast %2 : tensor<128x8192xf32> -> tensor<128x8192xbf16>
  tile.store %3, %o[] offset #z sizes [128, 8192] strides [8192, 1] : tensor<128x8192xbf16>, memref<128x8192xbf16, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @rows256
// CHECK: tile.declare : memref<256x4096xf32, #nc.space<sbuf>>
// CHECK: return
func.func @rows256(%o: memref<256x8192xbf16, #nc.space<hbm>>, %a: memref<256x8192xbf16, #nc.space<hbm>>, %b: memref<8192x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [256, 8192] strides [8192, 1] : memref<256x8192xbf16, #nc.space<hbm>> -> tensor<256x8192xbf16>
  %1 = tile.load %b[] offset #z sizes [8192, 8192] strides [8192, 1] : memref<8192x8192xbf16, #nc.space<hbm>> -> tensor<8192x8192xbf16>
  %2 = tile.matmul %0, %1 : tensor<256x8192xbf16>, tensor<8192x8192xbf16> -> tensor<256x8192xf32>
  %3 = tile.cast %2 : tensor<256x8192xf32> -> tensor<256x8192xbf16>
  tile.store %3, %o[] offset #z sizes [256, 8192] strides [8192, 1] : tensor<256x8192xbf16>, memref<256x8192xbf16, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @rows384
// CHECK-NOT: tile.declare
// CHECK: return
func.func @rows384(%o: memref<384x8192xbf16, #nc.space<hbm>>, %a: memref<384x8192xbf16, #nc.space<hbm>>, %b: memref<8192x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [384, 8192] strides [8192, 1] : memref<384x8192xbf16, #nc.space<hbm>> -> tensor<384x8192xbf16>
  %1 = tile.load %b[] offset #z sizes [8192, 8192] strides [8192, 1] : memref<8192x8192xbf16, #nc.space<hbm>> -> tensor<8192x8192xbf16>
  %2 = tile.matmul %0, %1 : tensor<384x8192xbf16>, tensor<8192x8192xbf16> -> tensor<384x8192xf32>
  %3 = tile.cast %2 : tensor<384x8192xf32> -> tensor<384x8192xbf16>
  tile.store %3, %o[] offset #z sizes [384, 8192] strides [8192, 1] : tensor<384x8192xbf16>, memref<384x8192xbf16, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @rows512
// CHECK-NOT: tile.declare
// CHECK: return
func.func @rows512(%o: memref<512x8192xbf16, #nc.space<hbm>>, %a: memref<512x8192xbf16, #nc.space<hbm>>, %b: memref<8192x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [512, 8192] strides [8192, 1] : memref<512x8192xbf16, #nc.space<hbm>> -> tensor<512x8192xbf16>
  %1 = tile.load %b[] offset #z sizes [8192, 8192] strides [8192, 1] : memref<8192x8192xbf16, #nc.space<hbm>> -> tensor<8192x8192xbf16>
  %2 = tile.matmul %0, %1 : tensor<512x8192xbf16>, tensor<8192x8192xbf16> -> tensor<512x8192xf32>
  %3 = tile.cast %2 : tensor<512x8192xf32> -> tensor<512x8192xbf16>
  tile.store %3, %o[] offset #z sizes [512, 8192] strides [8192, 1] : tensor<512x8192xbf16>, memref<512x8192xbf16, #nc.space<hbm>>
  return
}

// CHECK-LABEL: func.func @rows640
// CHECK: tile.declare : memref<640x1024xf32, #nc.space<sbuf>>
// CHECK: return
func.func @rows640(%o: memref<640x8192xbf16, #nc.space<hbm>>, %a: memref<640x8192xbf16, #nc.space<hbm>>, %b: memref<8192x8192xbf16, #nc.space<hbm>>) {
  %0 = tile.load %a[] offset #z sizes [640, 8192] strides [8192, 1] : memref<640x8192xbf16, #nc.space<hbm>> -> tensor<640x8192xbf16>
  %1 = tile.load %b[] offset #z sizes [8192, 8192] strides [8192, 1] : memref<8192x8192xbf16, #nc.space<hbm>> -> tensor<8192x8192xbf16>
  %2 = tile.matmul %0, %1 : tensor<640x8192xbf16>, tensor<8192x8192xbf16> -> tensor<640x8192xf32>
  %3 = tile.cast %2 : tensor<640x8192xf32> -> tensor<640x8192xbf16>
  tile.store %3, %o[] offset #z sizes [640, 8192] strides [8192, 1] : tensor<640x8192xbf16>, memref<640x8192xbf16, #nc.space<hbm>>
  return
}
