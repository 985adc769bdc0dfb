//===- Faults.h - Building reports ------------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FAULTS_H
#define KILN_SIM_LIB_FAULTS_H

#include "kiln/isa/marked_text.h"
#include "kiln/sim/executor.h"

#include <string>
#include <utility>

namespace kiln::sim {

/// The pages docs/errors/KILN-X0nn.md.
namespace code {
inline constexpr const char *invalidModule = "KILN-X001";
inline constexpr const char *argument = "KILN-X002";
inline constexpr const char *uninitialised = "KILN-X003";
inline constexpr const char *outOfBounds = "KILN-X004";
inline constexpr const char *race = "KILN-X005";
inline constexpr const char *deadlock = "KILN-X006";
inline constexpr const char *tokensLeft = "KILN-X007";
inline constexpr const char *overflow = "KILN-X008";
inline constexpr const char *watchdog = "KILN-X009";
inline constexpr const char *undefined = "KILN-X010";
inline constexpr const char *memoryLimit = "KILN-X011";
inline constexpr const char *incompleteOutput = "KILN-X012";
inline constexpr const char *accumulation = "KILN-X013";
inline constexpr const char *notANumber = "KILN-X014";
inline constexpr const char *mismatch = "KILN-X015";
inline constexpr const char *metadata = "KILN-X016";
inline constexpr const char *launch = "KILN-X017";
inline constexpr const char *reused = "KILN-X018";
inline constexpr const char *outOfTurn = "KILN-X019";
inline constexpr const char *retyped = "KILN-X060";
inline constexpr const char *unread = "KILN-X061";
} // namespace code

inline Fault makeFault(FaultKind kind, const char *code, std::string text) {
  return Fault{isa::makeError(code, std::move(text)), kind, {}};
}

/// Which core of a launch; `name` says so where there are several.
struct CoreId {
  unsigned rank = 0, core = 0;
  bool severalRanks = false, severalCores = false;
};

/// "rank 3 core 1", or what of it there is several of.
std::string nameOf(const CoreId &id);

/// One instruction as a party of a fault.
FaultParty partyOf(const isa::Module &module, isa::Engine engine,
                   std::uint32_t index, const CoreId &core = {});

/// Adds an instruction to those that the fault is about.
void involve(Fault &fault, FaultParty party);

/// "vector instruction 12 (softmax.cpp:40)".
std::string nameOf(const FaultParty &party);

/// "buffer 4 (softmax.cpp:31 scores)".
std::string nameOfBuffer(const isa::Module &module, unsigned buffer);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FAULTS_H
