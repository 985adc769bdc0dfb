//===- mutation_test.cpp - Does the executor see a broken binary? ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Usage: mutation-test FILE.kbin [RANKS] [-v]
//
// Breaks a correct binary in one place at a time and runs it with all checks:
// removes each wait, shifts each address by one element and by one operand,
// drops each DMA (alone, and with its signals kept), barrier and collective,
// lets it meet behind the next instruction, gives each operand another type of
// its size and lets each sum overwrite. Prints what caught how
// many. A mutant that runs without a report but with other output bits has
// escaped; one that gives the same bits is harmless, or the seeds below would
// have shown otherwise. Exit code 1 if a kind is caught less often than
// promised in docs/executor.md.

#include "../SomeInputs.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"
#include "kiln/isa/target.h"
#include "kiln/sim/launch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>

using namespace kiln;

namespace {

using Modules = std::vector<isa::Module>;

/// Where a mutant differs, and how it was found out.
struct Tally {
  std::map<std::string, unsigned> caughtBy;
  unsigned mutants = 0, refused = 0, harmless = 0, escaped = 0;
};

class Laboratory {
public:
  Laboratory(const Modules &modules, unsigned ranks, bool verbose)
      : original(modules), verbose(verbose) {
    for (unsigned rank = 0; rank < ranks; ++rank)
      inputs.push_back(sim::test::someInputs(modules.front(), 7 + rank));
    const sim::LaunchExecution run = execute(modules, 0);
    if (run.fault) {
      std::fprintf(stderr, "the binary itself fails: %s\n",
                   run.fault->text.c_str());
      broken = true;
      return;
    }
    if (!run.remarks.empty()) {
      std::fprintf(stderr, "a remark on the binary itself: %s\n",
                   run.remarks.front().text.c_str());
      broken = true;
      return;
    }
    expected = bytesOf(run);
    maxSteps = 4 * run.steps + 1000;
  }
  bool broken = false;
  std::map<std::string, Tally> tallies;

  /// Runs what `mutate` makes of the module of a core.
  void attempt(const std::string &kind, std::size_t core, isa::Engine engine,
               std::size_t index,
               const std::function<void(isa::Module &)> &mutate) {
    Modules mutants = original;
    isa::Module &mutant = mutants[core];
    mutate(mutant);
    if (mutant == original[core])
      return;
    Tally &tally = tallies[kind];
    ++tally.mutants;
    // What no compiler or assembler would let pass is no test of the executor.
    if (isa::checkModule(mutant, isa::target(mutant.generation)) ||
        isa::checkMeetings(mutants)) {
      ++tally.refused;
      return;
    }
    bool same = true;
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      const sim::LaunchExecution run = execute(mutants, seed);
      if (run.fault) {
        ++tally.caughtBy[run.fault->code];
        return;
      }
      if (!run.remarks.empty()) {
        ++tally.caughtBy[run.remarks.front().code];
        return;
      }
      same = same && bytesOf(run) == expected;
    }
    ++(same ? tally.harmless : tally.escaped);
    if (verbose)
      std::printf(
          "  %s %s: %s %zu: %s\n", same ? "harmless" : "ESCAPED", kind.c_str(),
          std::string(isa::name(engine)).c_str(), index,
          isa::printInstruction(
              original[core].streams[static_cast<std::size_t>(engine)][index],
              original[core])
              .c_str());
  }

private:
  sim::LaunchExecution execute(const Modules &modules,
                               std::uint64_t seed) const {
    sim::Options options;
    options.interleaveSeed = seed;
    options.maxSteps = maxSteps;
    options.threads = 1;
    sim::Launch launch{modules, static_cast<unsigned>(inputs.size()), {}, {}};
    for (const auto &own : inputs)
      launch.inputsOfRank.push_back(own);
    return sim::executeLaunch(launch, isa::target(modules.front().generation),
                              options);
  }
  static std::vector<std::vector<std::uint8_t>>
  bytesOf(const sim::LaunchExecution &run) {
    std::vector<std::vector<std::uint8_t>> all;
    for (const auto &rank : run.outputs)
      for (const sim::TensorData &tensor : rank)
        all.push_back(tensor.bytes);
    return all;
  }
  const Modules &original;
  std::vector<std::vector<sim::TensorData>> inputs; ///< By rank.
  std::vector<std::vector<std::uint8_t>> expected;
  std::uint64_t maxSteps = 100'000'000;
  bool verbose;
};

bool isDma(const isa::Body &body) {
  return std::holds_alternative<isa::DmaCopy>(body) ||
         std::holds_alternative<isa::DmaTranspose>(body);
}

bool meets(const isa::Body &body) {
  const isa::InstructionInfo &info = isa::info(isa::opcode(body));
  return info.state == isa::HiddenState::peers && !info.isControl;
}

/// Another type of the same size, as a slip would have it.
std::optional<isa::DType> mistaken(isa::DType dtype) {
  switch (dtype) {
  case isa::DType::bf16:
    return isa::DType::f16;
  case isa::DType::f16:
    return isa::DType::bf16;
  case isa::DType::f32:
    return isa::DType::i32;
  case isa::DType::i32:
  case isa::DType::u32:
    return isa::DType::f32;
  default:
    return std::nullopt;
  }
}

void breakAll(const isa::Module &module, std::size_t core,
              Laboratory &laboratory) {
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    for (std::size_t i = 0; i < module.streams[e].size(); ++i) {
      const auto engine = static_cast<isa::Engine>(e);
      const isa::Instruction &instruction = module.streams[e][i];
      const auto attempt = [&](const std::string &kind, auto &&change) {
        laboratory.attempt(kind, core, engine, i, [&](isa::Module &mutant) {
          change(mutant.streams[e], mutant.streams[e][i]);
        });
      };
      for (std::size_t w = 0; w < instruction.waits.size(); ++w) {
        // Alone, tokens are left over; so one giver may forget them too.
        attempt("wait removed", [&](auto &, isa::Instruction &at) {
          at.waits.erase(at.waits.begin() + static_cast<std::ptrdiff_t>(w));
        });
        attempt("wait moved behind", [&](auto &stream, isa::Instruction &at) {
          // The tokens are taken, but one instruction too late.
          if (i + 1 >= stream.size())
            return;
          const isa::Wait wait = at.waits[w];
          at.waits.erase(at.waits.begin() + static_cast<std::ptrdiff_t>(w));
          isa::Instruction late;
          late.body = isa::Semaphore{};
          late.waits = {wait};
          late.location = at.location;
          late.position = at.position;
          stream.insert(stream.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                        late);
        });
      }
      std::vector<isa::OperandAccess> operands;
      isa::collectAccesses(instruction.body, operands);
      for (std::size_t o = 0; o < operands.size(); ++o) {
        const isa::Access &access = *operands[o].access;
        const std::int64_t element = isa::sizeInBytes(access.dtype);
        std::int64_t whole = element;
        for (unsigned d = 0; d < access.rank; ++d)
          whole = std::max(whole, element * access.dims[d].stride *
                                      std::int64_t{access.dims[d].size});
        const bool writes = operands[o].effect != isa::Effect::read;
        if (const auto wrong = mistaken(access.dtype))
          attempt("type of an operand", [&](auto &, isa::Instruction &at) {
            std::vector<isa::OperandAccess> own;
            isa::collectAccesses(at.body, own);
            const_cast<isa::Access *>(own[o].access)->dtype = *wrong;
          });
        for (const std::int64_t shift : {element, -element, whole, -whole})
          attempt(std::string(writes ? "written" : "read") + " address, " +
                      (shift == element || shift == -element ? "one element"
                                                             : "one operand"),
                  [&](auto &, isa::Instruction &at) {
                    std::vector<isa::OperandAccess> own;
                    isa::collectAccesses(at.body, own);
                    const_cast<isa::Access *>(own[o].access)->offset += shift;
                  });
      }
      if (const auto *sum = std::get_if<isa::NcMatmul>(&instruction.body);
          sum && sum->accumulate)
        attempt("accumulate off", [&](auto &, isa::Instruction &at) {
          std::get<isa::NcMatmul>(at.body).accumulate = false;
        });
      if (meets(instruction.body))
        attempt("meeting moved behind", [&](auto &stream, isa::Instruction &) {
          // Its tokens may come too late for the next one to end: no loop.
          if (i + 1 < stream.size() &&
              !isa::info(isa::opcode(stream[i + 1].body)).isControl)
            std::swap(stream[i], stream[i + 1]);
        });
      if (isDma(instruction.body) || meets(instruction.body)) {
        const std::string what = isDma(instruction.body) ? "DMA" : "meeting";
        attempt(what + " dropped", [&](auto &stream, isa::Instruction &) {
          stream.erase(stream.begin() + static_cast<std::ptrdiff_t>(i));
        });
        attempt(
            what + " dropped, signals kept",
            [&](auto &, isa::Instruction &at) { at.body = isa::Semaphore{}; });
      }
    }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const bool verbose = std::string_view(argv[argc - 1]) == "-v";
  const int ranks = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 1;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file),
                                        std::istreambuf_iterator<char>()};
  const auto modules = isa::readKbinCores(bytes);
  if (!modules) {
    std::fprintf(stderr, "%s\n", modules.error().str().c_str());
    return 1;
  }
  Laboratory laboratory(*modules, static_cast<unsigned>(ranks), verbose);
  if (laboratory.broken)
    return 1;
  for (std::size_t core = 0; core < modules->size(); ++core)
    breakAll((*modules)[core], core, laboratory);
  unsigned changing = 0, escaped = 0;
  for (const auto &[kind, tally] : laboratory.tallies) {
    unsigned caught = 0;
    std::string by;
    for (const auto &[code, count] : tally.caughtBy) {
      caught += count;
      by += " " + code + ":" + std::to_string(count);
    }
    changing += caught + tally.escaped;
    escaped += tally.escaped;
    std::printf("%-28s %4u mutants, %4u refused, %4u caught, %3u same bits, "
                "%3u escaped |%s\n",
                kind.c_str(), tally.mutants, tally.refused, caught,
                tally.harmless, tally.escaped, by.c_str());
    if (kind.starts_with("wait") || kind.starts_with("DMA") ||
        kind.starts_with("meeting") || kind.starts_with("accumulate"))
      if (tally.escaped > 0) {
        std::fprintf(stderr, "%s: a mutant escaped\n", kind.c_str());
        return 1;
      }
  }
  std::printf("of %u that a check or the output shows, checks catch %u "
              "(%.1f %%)\n",
              changing, changing - escaped,
              100.0 * (changing - escaped) / changing);
  if (5 * escaped > changing) {
    std::fprintf(stderr, "fewer than four of five are caught\n");
    return 1;
  }
  return 0;
}
