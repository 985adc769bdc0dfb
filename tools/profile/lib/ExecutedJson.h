//===- ExecutedJson.h - What one run of an instruction is as JSON --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_EXECUTEDJSON_H
#define KILN_PROFILE_LIB_EXECUTEDJSON_H

#include "Binary.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// The terms of its cost.
nlohmann::ordered_json costJson(const Executed &one);

/// Of `all` that its runs did, the part of one. Collectives may move more in
/// one run than in another.
nlohmann::ordered_json ofRun(const Executed &one, std::uint64_t all);

/// What a run of a transfer asks of each DMA engine.
nlohmann::ordered_json dmaJson(const Executed &one, const isa::Target &target);

/// What a run of an instruction of VectorE, ScalarE or GpSimd computes: its
/// operations on elements, as the energy estimate counts them.
std::uint64_t operationsOf(const Executed &one, const isa::Target &target);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_EXECUTEDJSON_H
