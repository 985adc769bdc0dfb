// RUN: kiln-opt %s --nc-multi-buffer | FileCheck %s
// RUN: kiln-opt %s --cse --nc-multi-buffer | FileCheck %s
// RUN: kiln-opt %s --nc-multi-buffer=copies=3 | FileCheck %s --check-prefix=THREE
// RUN: kiln-opt %s --nc-multi-buffer --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] Buffered | Category:nc-multi-buffer |
// REMARK-DAG: remark: [Missed] NotBuffered | Category:nc-multi-buffer |

func.func @rings() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // Declared outside the loop it carries its value: one copy.
  // CHECK: nc.alloc {label = "carried"}
  %carried = nc.alloc {label = "carried"} : memref<128x16xf32, #nc.space<sbuf>>
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: nc.alloc {label = "fresh", ring = 2 : i64}
    // THREE: nc.alloc {label = "fresh", ring = 3 : i64}
    %fresh = nc.alloc {label = "fresh"} : memref<128x16xf32, #nc.space<sbuf>>
    // CHECK: nc.alloc {label = "chosen", ring = 4 : i64}
    %chosen = nc.alloc {label = "chosen", ring = 4 : i64} : memref<128x16xf32, #nc.space<sbuf>>
    // One copy may be a choice, too.
    // CHECK: nc.alloc {label = "single", nc.user_ring}
    %single = nc.alloc {label = "single", nc.user_ring} : memref<128x16xf32, #nc.space<sbuf>>
    // CHECK: nc.alloc {label = "pinned", pin_byte = 64 : i64}
    %pinned = nc.alloc {label = "pinned", pin_byte = 64 : i64} : memref<128x16xf32, #nc.space<sbuf>>
    %c = nc.view %carried[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    %f = nc.view %fresh[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    %h = nc.view %chosen[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    %s = nc.view %single[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    nc.tensor_copy dst(%s : !nc.view<128x16xf32, sbuf>) src(%c : !nc.view<128x16xf32, sbuf>)
    %p = nc.view %pinned[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    nc.tensor_copy dst(%f : !nc.view<128x16xf32, sbuf>) src(%c : !nc.view<128x16xf32, sbuf>)
    nc.tensor_copy dst(%h : !nc.view<128x16xf32, sbuf>) src(%f : !nc.view<128x16xf32, sbuf>)
    nc.tensor_copy dst(%p : !nc.view<128x16xf32, sbuf>) src(%h : !nc.view<128x16xf32, sbuf>)
  }
  return
}

// The next load starts while one row is used and another one is on its way.
func.func @loaded(%x: memref<128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: nc.alloc {label = "loaded", ring = 3 : i64}
    // THREE: nc.alloc {label = "loaded", ring = 4 : i64}
    %loaded = nc.alloc {label = "loaded"} : memref<128x16xf32, #nc.space<sbuf>>
    // CHECK: nc.alloc {label = "stored", ring = 2 : i64}
    %stored = nc.alloc {label = "stored"} : memref<128x16xf32, #nc.space<sbuf>>
    %h = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 16] strides [16, 1] : memref<128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
    %l = nc.view %loaded[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    %s = nc.view %stored[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    nc.dma_copy dst(%l : !nc.view<128x16xf32, sbuf>) src(%h : !nc.view<128x16xf32, hbm>)
    nc.tensor_copy dst(%s : !nc.view<128x16xf32, sbuf>) src(%l : !nc.view<128x16xf32, sbuf>)
    nc.dma_copy dst(%h : !nc.view<128x16xf32, hbm>) src(%s : !nc.view<128x16xf32, sbuf>)
  }
  return
}

// Memory says how often the loop runs: what hides the work before it is only how
// far its loads are ahead.
func.func @bound_by_data(%x: memref<128x16xf32, #nc.space<hbm>>, %m: memref<1x1xi32, #nc.space<hbm>>) {
  %nv = nc.view %m[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %n = nc.register_load src(%nv : !nc.view<1x1xi32, hbm>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: nc.alloc {label = "ahead", ring = 8 : i64}
    // THREE: nc.alloc {label = "ahead", ring = 8 : i64}
    %loaded = nc.alloc {label = "ahead"} : memref<128x16xf32, #nc.space<sbuf>>
    // CHECK: nc.alloc {label = "computed", ring = 2 : i64}
    // THREE: nc.alloc {label = "computed", ring = 3 : i64}
    %stored = nc.alloc {label = "computed"} : memref<128x16xf32, #nc.space<sbuf>>
    %h = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 16] strides [16, 1] : memref<128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
    %l = nc.view %loaded[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    %s = nc.view %stored[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
    nc.dma_copy dst(%l : !nc.view<128x16xf32, sbuf>) src(%h : !nc.view<128x16xf32, hbm>)
    nc.tensor_copy dst(%s : !nc.view<128x16xf32, sbuf>) src(%l : !nc.view<128x16xf32, sbuf>)
    nc.dma_copy dst(%h : !nc.view<128x16xf32, hbm>) src(%s : !nc.view<128x16xf32, sbuf>)
  }
  return
}

// A bound that the counter of a loop around it gives is no data.
func.func @bound_by_counter(%x: memref<128x16xf32, #nc.space<hbm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %n = %c0 to %c8 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      // CHECK: nc.alloc {label = "counted", ring = 3 : i64}
      // THREE: nc.alloc {label = "counted", ring = 4 : i64}
      %loaded = nc.alloc {label = "counted"} : memref<128x16xf32, #nc.space<sbuf>>
      %h = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 16] strides [16, 1] : memref<128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
      %l = nc.view %loaded[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
      nc.dma_copy dst(%l : !nc.view<128x16xf32, sbuf>) src(%h : !nc.view<128x16xf32, hbm>)
      nc.dma_copy dst(%h : !nc.view<128x16xf32, hbm>) src(%l : !nc.view<128x16xf32, sbuf>)
    }
  }
  return
}

// A bound that a counter gives whose own bound is data.
func.func @bound_by_counter_of_data(%x: memref<128x16xf32, #nc.space<hbm>>, %m: memref<1x1xi32, #nc.space<hbm>>) {
  %nv = nc.view %m[] offset affine_map<() -> (0)> sizes [1, 1] strides [1, 1] : memref<1x1xi32, #nc.space<hbm>> -> !nc.view<1x1xi32, hbm>
  %n = nc.register_load src(%nv : !nc.view<1x1xi32, hbm>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %j step %c1 {
      // CHECK: nc.alloc {label = "counted_data", ring = 8 : i64}
      // THREE: nc.alloc {label = "counted_data", ring = 8 : i64}
      %loaded = nc.alloc {label = "counted_data"} : memref<128x16xf32, #nc.space<sbuf>>
      %h = nc.view %x[] offset affine_map<() -> (0)> sizes [128, 16] strides [16, 1] : memref<128x16xf32, #nc.space<hbm>> -> !nc.view<128x16xf32, hbm>
      %l = nc.view %loaded[] offset affine_map<() -> (0)> sizes [128, 16] strides [1, 1] : memref<128x16xf32, #nc.space<sbuf>> -> !nc.view<128x16xf32, sbuf>
      nc.dma_copy dst(%l : !nc.view<128x16xf32, sbuf>) src(%h : !nc.view<128x16xf32, hbm>)
      nc.dma_copy dst(%h : !nc.view<128x16xf32, hbm>) src(%l : !nc.view<128x16xf32, sbuf>)
    }
  }
  return
}
