//===- kiln.h - The Kiln language: one header for a kernel file -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KILN_H
#define KILN_KILN_H

#include "kiln/dsl/allocate.h"
#include "kiln/dsl/bitcast.h"
#include "kiln/dsl/call.h"
#include "kiln/dsl/control.h"
#include "kiln/dsl/cores.h"
#include "kiln/dsl/export.h"
#include "kiln/dsl/functions.h"
#include "kiln/dsl/indirect.h"
#include "kiln/dsl/loop.h"
#include "kiln/dsl/mask.h"
#include "kiln/dsl/nc.h"
#include "kiln/dsl/nc_prepared.h"
#include "kiln/dsl/nc_ranks.h"
#include "kiln/dsl/nc_registers.h"
#include "kiln/dsl/nc_semaphores.h"
#include "kiln/dsl/ops.h"
#include "kiln/dsl/order.h"
#include "kiln/dsl/quantize.h"
#include "kiln/dsl/rows.h"
#include "kiln/dsl/search.h"

#endif // KILN_KILN_H
