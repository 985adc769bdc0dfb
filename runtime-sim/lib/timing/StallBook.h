//===- StallBook.h - Who waited for what, and how long ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_STALLBOOK_H
#define KILN_SIM_LIB_TIMING_STALLBOOK_H

#include "kiln/sim/trace.h"

#include <vector>

namespace kiln::sim::timing {

/// The waits of one stream, summed by instruction, reason and producer: as
/// many entries as the program has places, however long it runs.
class StallBook {
public:
  explicit StallBook(std::size_t instructions)
      : heads(instructions + 1, none) {}

  void add(std::uint32_t index, StallReason reason, const Producer &producer,
           Picoseconds time) {
    std::uint32_t &head = heads[index];
    for (std::uint32_t at = head; at != none; at = entries[at].next) {
      Entry &entry = entries[at];
      if (entry.site.reason == reason && entry.site.producer == producer) {
        entry.site.time += time;
        ++entry.site.count;
        return;
      }
    }
    Entry entry;
    entry.site.index = index;
    entry.site.reason = reason;
    entry.site.producer = producer;
    entry.site.time = time;
    entry.site.count = 1;
    entry.next = head;
    head = static_cast<std::uint32_t>(entries.size());
    entries.push_back(entry);
  }

  template <class Visitor> void forEach(Visitor visitor) const {
    for (const Entry &entry : entries)
      visitor(entry.site);
  }

private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    StallSite site;
    std::uint32_t next = none;
  };
  std::vector<std::uint32_t> heads; ///< The last one: behind the stream's end.
  std::vector<Entry> entries;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_STALLBOOK_H
