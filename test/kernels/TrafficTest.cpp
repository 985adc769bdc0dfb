//===- TrafficTest.cpp - When products load their operands seldom --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/program.h"
#include "kiln/record.h"
#include "kiln/record_parameters.h"

#include <string>

namespace kiln::test::traffic_test {
namespace {

program::Program product(ParameterValues parameters, const std::string &traffic,
                         const std::string &target) {
  parameters["traffic"] = traffic;
  return kernels::find("matmul")->record(
      parameters, Core{0, 1, isa::findTarget(target)->generation});
}

} // namespace

// Both sides of each limit: K, rows, columns, tiles of rows that fit.
TEST_CASE("large products load seldom, others as it is fastest", "[small]") {
  struct Size {
    const char *m, *k, *n;
    bool loadsSeldom;
    ParameterValues others = {};
    std::string target = "trn2";
  };
  const Size sizes[] = {
      {"2048", "4097", "2048", true},
      {"2048", "4096", "2048", false},
      {"2047", "4097", "2048", false},
      {"2048", "4097", "2047", false},
      {"2048", "22528", "2048", true},
      {"2048", "22529", "2048", false},
      {"2048", "4097", "2048", true, {{"factor", "2"}, {"out-dtype", "f32"}}},
      {"2048", "4097", "2048", false, {{"bias", "true"}}},
      {"2048", "4097", "2048", false, {{"residual", "true"}}},
      {"2048", "4097", "2048", false, {{"activation", "relu"}}},
      {"2048", "4097", "2048", false, {}, "trn1"},
      {"2048", "4097", "2048", true, {}, "trn3"},
      {"2048", "4097", "2048", false, {{"dtype", "f32"}}}};
  for (const Size &size : sizes) {
    INFO(size.m << " " << size.k << " " << size.n << " " << size.target);
    ParameterValues parameters = size.others;
    parameters.insert({{"m", size.m}, {"k", size.k}, {"n", size.n}});
    CHECK(
        product(parameters, "automatic", size.target).body ==
        product(parameters, size.loadsSeldom ? "least" : "fastest", size.target)
            .body);
  }
}

} // namespace kiln::test::traffic_test
