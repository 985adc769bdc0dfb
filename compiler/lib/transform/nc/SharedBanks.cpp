//===- SharedBanks.cpp - Banks that one loop leaves to the next -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that drains gives up its banks one after the other, and one that fills
// takes them one after the other. The order of succession decides. There are
// few buffers, so all ways to lay them side by side are tried.
//
//===----------------------------------------------------------------------===//

#include "SharedBanks.h"

#include "kiln/compiler/dialect/nc/Analysis.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

namespace {

constexpr auto allBanks = static_cast<size_t>(isa::psumBanks);
/// When each bank is free.
using Releases = std::array<int64_t, allBanks>;

class Placement {
public:
  Placement(ArrayRef<BankUse> wanted, const Releases &releases, int64_t begin)
      : wanted(wanted), releases(releases), begin(begin) {
    for (size_t i = 0; i < wanted.size(); ++i)
      order.push_back(i);
    llvm::stable_sort(order, [&](size_t a, size_t b) {
      return std::pair(wanted[a].banks(), wanted[a].from) <
             std::pair(wanted[b].banks(), wanted[b].from);
    });
    isPlaced.assign(wanted.size(), false);
    places.assign(wanted.size(), 0);
  }

  /// ps by which the loop is late; nothing if there is no room.
  std::optional<int64_t> run() {
    size_t needed = 0;
    for (const BankUse &use : wanted)
      needed += static_cast<size_t>(use.banks());
    if (needed > allBanks)
      return std::nullopt;
    place(0, wanted.size(), allBanks - needed, 0);
    return least;
  }
  ArrayRef<size_t> found() const { return best; }

private:
  void place(size_t bank, size_t left, size_t unused, int64_t late) {
    if (late >= least)
      return;
    if (left == 0) {
      least = late;
      best = places;
      return;
    }
    const BankUse *last = nullptr;
    for (const size_t i : order) {
      const BankUse &use = wanted[i];
      // Equal ones may come in one order only.
      if (isPlaced[i] ||
          (last && last->banks() == use.banks() && last->from == use.from))
        continue;
      last = &use;
      const auto end = bank + static_cast<size_t>(use.banks());
      int64_t free = std::numeric_limits<int64_t>::min();
      for (size_t own = bank; own < end; ++own)
        free = std::max(free, releases[own]);
      isPlaced[i] = true;
      places[i] = bank;
      place(end, left - 1, unused,
            free == std::numeric_limits<int64_t>::min()
                ? late
                : std::max(late, free - use.from - begin));
      isPlaced[i] = false;
    }
    if (unused > 0)
      place(bank + 1, left, unused - 1, late);
  }

  ArrayRef<BankUse> wanted;
  const Releases &releases;
  int64_t begin;
  SmallVector<size_t> order, places, best;
  SmallVector<bool> isPlaced;
  int64_t least = std::numeric_limits<int64_t>::max();
};

} // namespace

std::optional<int64_t> kiln::compiler::nc::bankOf(AllocOp alloc) {
  auto bank = alloc->getAttrOfType<IntegerAttr>(bankAttrName);
  return bank ? std::optional(bank.getInt()) : std::nullopt;
}

static int64_t banksOf(AllocOp alloc) {
  return static_cast<int64_t>(llvm::divideCeil(
      alloc.getBytesPerPartition(), static_cast<uint64_t>(isa::psumBankBytes)));
}

bool kiln::compiler::nc::haveCommonBank(AllocOp a, AllocOp b) {
  const std::optional<int64_t> first = bankOf(a), second = bankOf(b);
  return first && second && *first < *second + banksOf(b) &&
         *second < *first + banksOf(a);
}

int64_t BankUse::banks() const { return banksOf(alloc); }

static void giveBank(AllocOp alloc, size_t bank) {
  alloc->setDiscardableAttr(bankAttrName,
                            Builder(alloc->getContext())
                                .getI64IntegerAttr(static_cast<int64_t>(bank)));
}

std::optional<int64_t> kiln::compiler::nc::shareBanks(ArrayRef<BankUse> held,
                                                      ArrayRef<BankUse> wanted,
                                                      int64_t begin) {
  if (wanted.empty())
    return 0;
  // Those that are free at about the same time lie side by side.
  SmallVector<BankUse> inOrder(held);
  llvm::stable_sort(inOrder, [](const BankUse &a, const BankUse &b) {
    return a.until < b.until;
  });
  const bool haveBanks = llvm::any_of(inOrder, [](const BankUse &use) {
    return bankOf(use.alloc).has_value();
  });
  Releases releases;
  releases.fill(std::numeric_limits<int64_t>::min());
  SmallVector<size_t> banks;
  size_t next = 0;
  for (const BankUse &use : inOrder) {
    const std::optional<int64_t> given = bankOf(use.alloc);
    if (haveBanks && !given)
      return std::nullopt;
    const size_t first = given ? static_cast<size_t>(*given) : next;
    next = first + static_cast<size_t>(use.banks());
    if (next > allBanks)
      return std::nullopt;
    for (size_t bank = first; bank < next; ++bank)
      releases[bank] = std::max(releases[bank], use.until);
    banks.push_back(first);
  }
  Placement placement(wanted, releases, begin);
  const std::optional<int64_t> late = placement.run();
  if (!late)
    return std::nullopt;
  for (auto [use, bank] : llvm::zip(inOrder, banks))
    giveBank(use.alloc, bank);
  for (auto [use, bank] : llvm::zip(wanted, placement.found()))
    giveBank(use.alloc, bank);
  return late;
}
