// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{[KILN-C014] target 'trn9' is not a target; expected trn1, trn2 and trn3}}
module attributes {nc.target = #nc.target<"trn9">} {}

// -----

// expected-error @+1 {{[KILN-C014] no target parameter is called 'dma_speed'}}
module attributes {nc.target = #nc.target<"trn2" with {dma_speed = 8}>} {}

// -----

// expected-error @+1 {{[KILN-C014] dma_engines must be an integer from 1, found '0'}}
module attributes {nc.target = #nc.target<"trn2" with {dma_engines = 0}>} {}

// -----

// expected-error @+1 {{[KILN-C014] dma_engines must be an integer from 1, found '8.5'}}
module attributes {nc.target = #nc.target<"trn2" with {dma_engines = 8.5}>} {}

// -----

// expected-error @+1 {{[KILN-C014] has_hwdge must be true or false, found ''}}
module attributes {nc.target = #nc.target<"trn2" with {has_hwdge = "true"}>} {}

// -----

// expected-error @+1 {{[KILN-C014] the name of a target has 1 to 31 characters, found 32}}
module attributes {nc.target = #nc.target<"trn2" named "abcdefghijklmnopqrstuvwxyz012345">} {}

// -----

// expected-error @+1 {{[KILN-C014] nc.target must be a #nc.target, found "trn2"}}
module attributes {nc.target = "trn2"} {}
