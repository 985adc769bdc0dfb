//===- RefusalsTest.cpp - What kernels of the library refuse --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/record.h"
#include "kiln/record_parameters.h"

#include <string>

using namespace kiln;

namespace {

struct Refusal {
  std::string kernel;
  ParameterValues parameters;
  std::string words; ///< Of the message.
};

const Refusal refusals[] = {
    {"norm_quantize", {{"scale", "tensor"}}, "row or static"},
    {"norm_quantize", {{"factor", "0"}}, "expected above 0"},
    {"norm_quantize",
     {{"dtype", "f8e4m3fn_x4"}, {"cols", "100"}},
     "a multiple of 128"},
    {"norm_quantize",
     {{"dtype", "f8e4m3fn_x4"}, {"scale", "static"}},
     "not row"},
    {"norm_quantize",
     {{"dtype", "f8e4m3fn_x4"}, {"factor", "2"}},
     "MX floats have no static scale"},
    {"prefill_attention",
     {{"chunked", "true"}, {"packed", "true"}},
     "chunked has no packed sequences"},
    {"prefill_attention",
     {{"chunked", "true"}, {"causal", "false"}},
     "chunked is causal"},
};

} // namespace

TEST_CASE("kernels refuse what they cannot compute", "[small]") {
  for (const Refusal &refusal : refusals) {
    INFO(refusal.kernel << ": " << refusal.words);
    const Core core{0, 1, isa::findTarget("trn3")->generation};
    CHECK_THROWS_WITH(
        kernels::find(refusal.kernel)->record(refusal.parameters, core),
        Catch::Contains(refusal.words));
  }
}
