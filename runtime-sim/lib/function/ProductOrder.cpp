//===- ProductOrder.cpp - The order of products that run together ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductOrder.h"

#include <algorithm>
#include <tuple>

namespace kiln::sim {

namespace {

/// By product, the first one with the same operand. Searches all earlier ones:
/// Products queues only a few hundred.
void findFirst(std::span<const ProductOperands> products,
               Kernels::Rows ProductOperands::*operand,
               std::vector<std::uint32_t> &first) {
  first.clear();
  for (std::uint32_t i = 0; i < products.size(); ++i) {
    const auto found =
        std::find_if(products.begin(), products.begin() + i,
                     [&](const ProductOperands &other) {
                       return other.*operand == products[i].*operand;
                     });
    first.push_back(static_cast<std::uint32_t>(found - products.begin()));
  }
}

} // namespace

ProductOrder::Group ProductOrder::group(std::size_t index) const {
  const End begin = index == 0 ? End{0, 0} : ends[index - 1];
  const End end = ends[index];
  return {{steps.data() + begin.step, end.step - begin.step},
          {packs.data() + begin.pack, end.pack - begin.pack}};
}

void ProductOrder::link(std::span<const ProductOperands> products) {
  chains.clear();
  next.assign(products.size(), none);
  for (std::uint32_t i = 0; i < products.size(); ++i) {
    const auto chain =
        std::find_if(chains.begin(), chains.end(), [&](const Chain &other) {
          return other.out == products[i].out;
        });
    if (chain == chains.end()) {
      chains.push_back({products[i].out, i, i});
      continue;
    }
    next[chain->last] = i;
    chain->last = i;
  }
  findFirst(products, &ProductOperands::stationary, stationary);
  findFirst(products, &ProductOperands::moving, moving);
  packOf.assign(products.size(), none);
}

ProductOrder::Chain *ProductOrder::choose(bool hasRoom) {
  Chain *best = nullptr;
  std::tuple<bool, bool, std::uint32_t> bestRank;
  for (Chain &chain : chains) {
    if (chain.first == none)
      continue;
    const bool isPacked = packOf[stationary[chain.first]] != none;
    if (!isPacked && !hasRoom)
      continue;
    // What is widened serves first, then what is packed.
    const std::tuple rank(moving[chain.first] != lastMoving, !isPacked,
                          chain.first);
    if (!best || rank < bestRank) {
      best = &chain;
      bestRank = rank;
    }
  }
  return best;
}

void ProductOrder::find(std::span<const ProductOperands> products,
                        std::size_t mostPacks) {
  steps.clear();
  packs.clear();
  ends.clear();
  link(products);
  lastMoving = none;
  std::size_t firstPack = 0;
  const auto endGroup = [&] {
    ends.push_back({steps.size(), packs.size()});
    for (; firstPack < packs.size(); ++firstPack)
      packOf[stationary[packs[firstPack]]] = none;
  };
  while (steps.size() < products.size()) {
    Chain *chain = choose(packs.size() - firstPack < mostPacks);
    if (!chain) {
      endGroup();
      continue;
    }
    const std::uint32_t product = chain->first;
    std::uint32_t &pack = packOf[stationary[product]];
    if (pack == none) {
      pack = static_cast<std::uint32_t>(packs.size() - firstPack);
      packs.push_back(product);
    }
    steps.push_back({product, pack});
    lastMoving = moving[product];
    chain->first = next[product];
  }
  endGroup();
}

} // namespace kiln::sim
