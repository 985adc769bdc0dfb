//===- reference_test.cpp - References and how results are compared -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/library.h"
#include "kiln/kernels/reference.h"
#include "kiln/kernels/tolerance.h"

#include "catch.h"

#include <cmath>
#include <limits>

using namespace kiln;
using namespace kiln::kernels;

namespace {

ReferenceTensors attention(std::int64_t queries, std::int64_t keys) {
  ReferenceTensors tensors;
  tensors["q"] = {{1, queries, 1}, std::vector<double>(queries, 0.0)};
  tensors["k"] = {{1, keys, 1}, std::vector<double>(keys, 1.0)};
  tensors["v"] = {{1, keys, 1}, {}};
  for (std::int64_t i = 0; i < keys; ++i)
    tensors["v"].values.push_back(static_cast<double>(i));
  tensors["o"] = {{1, queries, 1}, std::vector<double>(queries, -1.0)};
  return tensors;
}

ParameterValues attentionOf(int queries, int keys, const char *causal,
                            const char *scale) {
  return {{"seq-q", std::to_string(queries)},
          {"seq-k", std::to_string(keys)},
          {"head-dim", "1"},
          {"causal", causal},
          {"scale", scale}};
}

void reference(const char *kernel, const ParameterValues &values,
               ReferenceTensors &tensors) {
  std::vector<ReferenceTensors> ranks{tensors};
  computeReference(*find(kernel), values, ranks);
  tensors = ranks.front();
}

} // namespace

TEST_CASE("attention: equal scores average what is seen") {
  ReferenceTensors tensors = attention(2, 4);
  reference("flash_attention", attentionOf(2, 4, "false", "0"), tensors);
  CHECK(tensors["o"].values == std::vector<double>{1.5, 1.5});
  // Aligned at the end: query 0 sees keys 0 to 2.
  tensors = attention(2, 4);
  reference("flash_attention", attentionOf(2, 4, "true", "0"), tensors);
  CHECK(tensors["o"].values == std::vector<double>{1.0, 1.5});
  // Queries 0 and 1 see nothing and give zeros.
  tensors = attention(4, 2);
  reference("flash_attention", attentionOf(4, 2, "true", "1"), tensors);
  CHECK(tensors["o"].values == std::vector<double>{0, 0, 0, 0.5});
}

TEST_CASE("products by hand") {
  ReferenceTensors tensors;
  tensors["a"] = {{1, 2}, {2, 3}};
  tensors["b"] = {{2, 2}, {5, 7, 11, 13}};
  tensors["c"] = {{1, 2}, {0, 0}};
  reference("matmul", {}, tensors);
  CHECK(tensors["c"].values == std::vector<double>{43, 53});

  ReferenceTensors layer;
  layer["x"] = {{1, 2}, {2, 3}};
  layer["w"] = {{2, 2}, {5, 7, 11, 13}};
  layer["y"] = {{1, 2}, {0, 0}};
  reference("qkv", {}, layer);
  CHECK(layer["y"].values == std::vector<double>{43, 53});
  layer["b"] = {{2}, {0.5, -0.5}};
  reference("qkv", {{"bias", "true"}}, layer);
  CHECK(layer["y"].values == std::vector<double>{43.5, 52.5});
}

TEST_CASE("rows by hand") {
  ReferenceTensors tensors;
  tensors["x"] = {{1, 2}, {3, 4}};
  tensors["gamma"] = {{2}, {1, 10}};
  tensors["y"] = {{1, 2}, {0, 0}};
  reference("rmsnorm", {}, tensors);
  CHECK(tensors["y"].values[0] == Approx(3 / std::sqrt(12.5)).epsilon(1e-5));
  CHECK(tensors["y"].values[1] == Approx(40 / std::sqrt(12.5)).epsilon(1e-5));

  tensors["x"] = {{1, 3}, {1000, 1000, -1000}};
  tensors["y"] = {{1, 3}, {9, 9, 9}};
  reference("softmax", {}, tensors);
  CHECK(tensors["y"].values == std::vector<double>{0.5, 0.5, 0});
  CHECK(find("no such kernel") == nullptr);
}

TEST_CASE("a comparison notices what it must") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> reference(1000);
  for (std::size_t i = 0; i < reference.size(); ++i)
    reference[i] = std::sin(static_cast<double>(i));
  CHECK(compare(reference, reference, isa::DType::f32).withinTolerance);

  std::vector<double> oneWrong = reference;
  oneWrong[17] += 0.1;
  Comparison found = compare(oneWrong, reference, isa::DType::bf16);
  CHECK_FALSE(found.withinTolerance);
  CHECK(found.worst == 17);
  CHECK(found.maxAbsolute == Approx(0.1));

  // All slightly wrong: below the limit of each, above that of all.
  std::vector<double> allWrong = reference;
  for (double &value : allWrong)
    value *= 1.01;
  found = compare(allWrong, reference, isa::DType::bf16);
  CHECK(found.scaledMaximum < toleranceOf(isa::DType::bf16).scaledMaximum);
  CHECK_FALSE(found.withinTolerance);

  std::vector<double> poisoned = reference;
  poisoned[3] = nan;
  CHECK_FALSE(compare(poisoned, reference, isa::DType::bf16).withinTolerance);
  CHECK_FALSE(compare(reference, poisoned, isa::DType::bf16).withinTolerance);
  CHECK(compare(poisoned, poisoned, isa::DType::bf16).withinTolerance);
  CHECK_FALSE(compare({}, reference, isa::DType::bf16).withinTolerance);

  // They are counted, and the others still measured.
  const double inf = std::numeric_limits<double>::infinity();
  found = compare({1, nan, inf, 1, 1, inf, -inf, 2.5, nan},
                  {1, 1, 1, nan, inf, inf, nan, 2, inf}, isa::DType::bf16);
  CHECK_FALSE(found.withinTolerance);
  CHECK((found.notFinite.count == 2 && found.notFinite.first == 1));
  CHECK((found.finite.count == 2 && found.finite.first == 3));
  CHECK((found.otherSpecial.count == 2 && found.otherSpecial.first == 6));
  CHECK((found.maxAbsolute == 0.5 && found.worst == 7));

  // Nothing but zeros: an answer close to zero is wrong.
  CHECK(compare({0, 0}, {0, 0}, isa::DType::bf16).withinTolerance);
  CHECK_FALSE(compare({0, 1e-9}, {0, 0}, isa::DType::bf16).withinTolerance);
  CHECK_FALSE(compare({1}, {2}, isa::DType::i32).withinTolerance);
}
