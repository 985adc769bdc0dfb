// RUN: kiln-opt %s --nc-order | FileCheck %s
// RUN: kiln-opt %s --nc-order=ahead-percent=0 | FileCheck %s --check-prefix=WRITTEN
// RUN: kiln-opt %s --nc-order=ahead-percent=25 | FileCheck %s --check-prefix=QUARTER

// Two loads of 49152 bytes each run ahead of the store of what the first one
// gives. In a quarter of SBUF (53248 bytes), the second one waits until the
// first one is read. With none of it, the order of the program stays.
// CHECK-LABEL: func.func @ahead
// CHECK-COUNT-2: nc.dma_copy dst({{.*}}x12288xf32, sbuf>)
// CHECK: nc.dma_copy dst({{.*}}x1xf32, hbm>)
// WRITTEN-LABEL: func.func @ahead
// WRITTEN: nc.dma_copy dst({{.*}}x12288xf32, sbuf>)
// WRITTEN: nc.dma_copy dst({{.*}}x1xf32, hbm>)
// WRITTEN: nc.dma_copy dst({{.*}}x12288xf32, sbuf>)
// QUARTER-LABEL: func.func @ahead
// QUARTER: nc.dma_copy dst({{.*}}x12288xf32, sbuf>)
// QUARTER: nc.tensor_copy
// QUARTER: nc.dma_copy dst({{.*}}x12288xf32, sbuf>)
// QUARTER: nc.dma_copy dst({{.*}}x1xf32, hbm>)
func.func @ahead(%x: memref<128x12288xf32, #nc.space<hbm>>, %y: memref<128x1xf32, #nc.space<hbm>>) {
  %yv = nc.view %y[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<hbm>> -> !nc.view<128x1xf32, hbm>
  %h = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 12288] strides [12288, 1] : memref<128x12288xf32, #nc.space<hbm>> -> !nc.view<128x12288xf32, hbm>
  %a = nc.alloc : memref<128x12288xf32, #nc.space<sbuf>>
  %av = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 12288] strides [1, 1] : memref<128x12288xf32, #nc.space<sbuf>> -> !nc.view<128x12288xf32, sbuf>
  %a0 = nc.view %a[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x12288xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  %b = nc.alloc : memref<128x12288xf32, #nc.space<sbuf>>
  %bv = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 12288] strides [1, 1] : memref<128x12288xf32, #nc.space<sbuf>> -> !nc.view<128x12288xf32, sbuf>
  %b0 = nc.view %b[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x12288xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  %s = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %sv = nc.view %s[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  %t = nc.alloc : memref<128x1xf32, #nc.space<sbuf>>
  %tv = nc.view %t[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x1xf32, #nc.space<sbuf>> -> !nc.view<128x1xf32, sbuf>
  nc.dma_copy dst(%av : !nc.view<128x12288xf32, sbuf>) src(%h : !nc.view<128x12288xf32, hbm>) {engine = #nc.engine<sync>, queue = 0 : i32}
  nc.tensor_copy dst(%sv : !nc.view<128x1xf32, sbuf>) src(%a0 : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<vector>}
  nc.dma_copy dst(%yv : !nc.view<128x1xf32, hbm>) src(%sv : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<sync>, queue = 2 : i32}
  nc.dma_copy dst(%bv : !nc.view<128x12288xf32, sbuf>) src(%h : !nc.view<128x12288xf32, hbm>) {engine = #nc.engine<sync>, queue = 1 : i32}
  nc.tensor_copy dst(%tv : !nc.view<128x1xf32, sbuf>) src(%b0 : !nc.view<128x1xf32, sbuf>) {engine = #nc.engine<vector>}
  return
}
