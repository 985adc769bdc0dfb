//===- product_order_test.cpp - The order of products that run together ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "function/ProductOrder.h"

#include "catch.h"

#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace kiln;
using sim::ProductOperands;
using sim::ProductOrder;

namespace {

/// Operands and outputs are places in here.
std::array<float, 1024> places;

ProductOperands product(std::size_t stationary, std::size_t moving,
                        std::size_t out) {
  return {{&places[stationary], 4, false},
          {&places[moving], 4, false},
          &places[out],
          true};
}

struct Cost {
  std::size_t packed = 0, widened = 0, groups = 0;
};

/// Checks what every order has to keep, and counts what this one costs.
Cost check(const std::vector<ProductOperands> &products,
           std::size_t mostPacks) {
  ProductOrder order;
  order.find(products, mostPacks);
  Cost cost;
  std::set<std::uint32_t> made;
  std::map<const float *, std::uint32_t> lastInto;
  for (std::size_t g = 0; g < order.numGroups(); ++g) {
    const ProductOrder::Group group = order.group(g);
    CHECK_FALSE(group.steps.empty());
    CHECK(group.packs.size() <= mostPacks);
    const void *widened = nullptr;
    for (const ProductOrder::Step &step : group.steps) {
      REQUIRE(step.product < products.size());
      REQUIRE(step.pack < group.packs.size());
      const ProductOperands &its = products[step.product];
      CHECK(products[group.packs[step.pack]].stationary == its.stationary);
      CHECK(made.insert(step.product).second);
      const auto before = lastInto.find(its.out);
      if (before != lastInto.end())
        CHECK(before->second < step.product);
      lastInto[its.out] = step.product;
      cost.widened += its.moving.data != widened;
      widened = its.moving.data;
    }
    cost.packed += group.packs.size();
  }
  cost.groups = order.numGroups();
  CHECK(made.size() == products.size());
  return cost;
}

} // namespace

TEST_CASE("product order: blocks of a product, output by output") {
  constexpr std::size_t steps = 8;
  std::vector<ProductOperands> products;
  const auto add = [&](std::size_t row, std::size_t column, std::size_t k) {
    products.push_back(
        product(10 * row + k, 100 + 10 * column + k, 500 + 10 * row + column));
  };
  SECTION("rows share what moves") {
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t k = 0; k < steps; ++k)
        add(row, 0, k);
    for (const std::size_t most : {4u, 8u, 32u}) {
      const Cost cost = check(products, most);
      CHECK(cost.packed == 4 * steps);
      CHECK(cost.widened == steps);
    }
    CHECK(check(products, 4).groups == steps);
    CHECK(check(products, 8).groups == steps / 2);
    // Less room than rows: what moves comes back.
    CHECK(check(products, 2).widened > steps);
  }
  SECTION("columns share what stays") {
    for (std::size_t column = 0; column < 2; ++column)
      for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t k = 0; k < steps; ++k)
          add(row, column, k);
    const Cost cost = check(products, 8);
    CHECK(cost.packed == 4 * steps);
    CHECK(cost.widened == 2 * steps);
  }
  SECTION("one output keeps its order whatever that costs") {
    for (std::size_t k = 0; k < steps; ++k)
      products.push_back(product(k % 2, 100 + k % 2, 500));
    CHECK(check(products, 1).groups == steps);
    CHECK(check(products, 2).groups == 1);
  }
}

TEST_CASE("product order: any products") {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (unsigned round = 0; round < 300; ++round) {
    const std::size_t count = 1 + below(60), kinds = 1 + below(12);
    std::vector<ProductOperands> products;
    for (std::size_t i = 0; i < count; ++i)
      products.push_back(
          product(below(kinds), 100 + below(kinds), 500 + below(1 + below(8))));
    CAPTURE(round);
    check(products, 1 + below(8));
  }
}
