// RUN: kiln-opt %s --split-input-file | FileCheck %s

// CHECK: module attributes {nc.target = #nc.target<"trn1">}
module attributes {nc.target = #nc.target<"trn1">} {}

// -----

// CHECK: module attributes {nc.target = #nc.target<"trn3" named "mine">}
module attributes {nc.target = #nc.target<"trn3" named "mine">} {}

// -----

// What differs from the generation, in the order of names.
// CHECK: #nc.target<"trn2" with {dma_engines = 8 : i64, has_hwdge = false, hbm_bytes_per_ns = 2.000000e+02 : f64}>
module attributes {nc.target = #nc.target<"trn2" with {has_hwdge = false, hbm_bytes_per_ns = 200.0, dma_engines = 8}>} {}

// -----

// Both.
// CHECK: #nc.target<"trn3" named "mine" with {dma_engines = 8 : i64}>
module attributes {nc.target = #nc.target<"trn3" named "mine" with {dma_engines = 8}>} {}
