//===- CollectiveSteps.h - How ranks pass their pieces on ----- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_MACHINE_COLLECTIVESTEPS_H
#define KILN_LIB_MACHINE_COLLECTIVESTEPS_H

#include "LinkLoads.h"

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

#include <string_view>
#include <vector>

namespace kiln::machine {

enum class Family : std::uint8_t {
  gather,
  reduceScatter,
  allReduce,
  exchange, ///< Every rank sends different data to every other.
  permute
};

Family familyOf(const isa::Body &body);

/// How the ranks of a list pass the pieces on.
enum class Algorithm : std::uint8_t {
  direct,    ///< One hop: each to each ("mesh"), or to one other.
  halving,   ///< Recursive halving and doubling: log2(N) hops.
  kangaRing, ///< A ring in both directions over whole chips: N/2 hops.
  ring,      ///< N - 1 hops.
};

std::string_view nameOf(Algorithm algorithm);

struct Step {
  Family family;
  Algorithm algorithm;
};
/// A collective is done in one step, or in two that follow each other.
using Steps = std::vector<Step>;

/// All ways that are possible. The maximum sizes of algorithms are the only
/// limits: a larger collective has the ways of a smaller one or fewer. An
/// all-reduce may be done as a reduce-scatter and a gather, each with an
/// algorithm of its own.
std::vector<Steps> waysOf(Family family, double bytes, const Extent &extent,
                          const isa::Target &target);

/// The bytes that each member has for each other one; its own bytes stay with
/// it.
class Pieces {
public:
  Pieces(std::size_t members, double each)
      : members(members), bytes(members * members, each) {}
  double &at(std::size_t from, std::size_t to) {
    return bytes[from * members + to];
  }
  double at(std::size_t from, std::size_t to) const {
    return bytes[from * members + to];
  }
  double sentBy(std::size_t member) const {
    double sum = 0;
    for (std::size_t to = 0; to < members; ++to)
      sum += at(member, to);
    return sum;
  }
  double receivedBy(std::size_t member) const {
    double sum = 0;
    for (std::size_t from = 0; from < members; ++from)
      sum += at(from, member);
    return sum;
  }
  const std::size_t members;

private:
  std::vector<double> bytes;
};

double hopsOf(const Step &step, std::size_t members);

/// Puts the bytes that `members` pass in this step on links.
void addLoads(LinkLoads &loads, const Step &step, const Pieces &pieces,
              const std::vector<unsigned> &members);

/// What a member moves in its memory, in bytes.
struct Touch {
  double read = 0, written = 0;
  Touch &operator+=(const Touch &other) {
    read += other.read;
    written += other.written;
    return *this;
  }
};

Touch touchOf(const Step &step, std::size_t member, const Pieces &pieces,
              const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_LIB_MACHINE_COLLECTIVESTEPS_H
