//===- Kiln.td - Every instruction -------------------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Checks.td"
include "Collectives.td"
include "Control.td"
include "DataMovement.td"
include "Elementwise.td"
include "Gather.td"
include "Random.td"
include "Reduction.td"
include "Tensor.td"
