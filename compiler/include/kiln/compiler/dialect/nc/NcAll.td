//===- NcAll.td - Every operation of the nc dialect --------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the page of the manual. Code is made from each file alone.
//
//===----------------------------------------------------------------------===//

include "kiln/compiler/dialect/nc/NcOps.td"
include "kiln/compiler/dialect/nc/NcRegisters.td"
include "kiln/compiler/dialect/nc/NcInstructions.td"
