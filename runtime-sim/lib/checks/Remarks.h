//===- Remarks.h - What is no fault, but seldom meant ---------- -*- C++
//-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_CHECKS_REMARKS_H
#define KILN_SIM_LIB_CHECKS_REMARKS_H

#include "VectorClock.h"

#include "../Faults.h"
#include "../RankModules.h"

#include "kiln/sim/executor.h"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace kiln::sim {

/// Which memory a byte lies in.
struct RemarkPlace {
  isa::Space space = isa::Space::sbuf;
  std::uint16_t tensor = 0; ///< In HBM.
  std::string_view operand; ///< Of the instruction that accesses it now.
  std::int64_t byte = 0;
  unsigned lane = 0;
};

/// What the checkers of the cores of a rank notice although hardware allows it:
/// bytes read with another type than they were written with, and results that
/// nothing reads before they are overwritten. Each pair of instructions is
/// reported once.
class Remarks {
public:
  Remarks(const RankModules &rank, const CoreId &id,
          const std::vector<Permission> &permissions)
      : rank(rank), id(id), permissions(permissions) {}

  /// Something that `writer` wrote is read.
  void noteRead(const Event &writer) {
    std::vector<std::uint64_t> &words = wasRead[writer.agent];
    const std::size_t word = writer.clock / 64;
    if (word >= words.size())
      words.resize(std::max(word + 1, 2 * words.size()));
    words[word] |= std::uint64_t{1} << writer.clock % 64;
  }

  /// Types of which one stands for the other: none, the same, signed and
  /// unsigned integers, and two that are kept in the same form.
  static bool agree(unsigned a, unsigned b) {
    return a == b || a == 0 || b == 0 || formOf(a) == formOf(b);
  }
  void noteRetyped(const Event &reader, const Event &writer,
                   const RemarkPlace &place);
  /// The same for a tensor in HBM that is declared with a type.
  void noteDeclared(const Event &event, bool writes, const RemarkPlace &place,
                    isa::DType type, isa::DType declared);

  /// `event` overwrites what nothing has read of `writer` there.
  void noteOverwritten(const Event &event, const Event &writer,
                       const RemarkPlace &place);

  /// All of it, after the end of the run.
  std::vector<Fault> take();

private:
  /// A result that may be lost: some of it is, and none of it has been read.
  struct Loss {
    Event writer, by;
    RemarkPlace place;
  };
  /// Core, engine, index.
  using Site = std::tuple<unsigned, unsigned, std::uint32_t>;
  static Site siteOf(const Event &event) {
    return {event.core(), event.engine, event.index};
  }
  static unsigned formOf(unsigned type);
  bool isRead(const Event &writer) const {
    const std::vector<std::uint64_t> &words = wasRead[writer.agent];
    const std::size_t word = writer.clock / 64;
    return word < words.size() && (words[word] >> writer.clock % 64 & 1) != 0;
  }
  const isa::Module &moduleOf(const Event &event) const {
    return rank.module(event.core());
  }
  /// Its source says that it reinterprets the bits.
  bool takesBits(const Event &event) const;
  FaultParty partyFor(const Event &event) const;
  std::string nameOfPlace(const Event &event, const RemarkPlace &place) const;
  bool isPermitted(const Fault &remark) const;
  void add(Fault remark);

  const RankModules &rank;
  const CoreId id;
  const std::vector<Permission> &permissions;
  std::array<std::vector<std::uint64_t>, numAgents> wasRead; ///< By clock.
  std::set<std::pair<Site, Site>> retyped;
  std::map<Site, std::vector<Loss>> losses; ///< By writer.
  std::vector<Fault> remarks;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_CHECKS_REMARKS_H
