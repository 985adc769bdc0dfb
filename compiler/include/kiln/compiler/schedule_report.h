//===- schedule_report.h - What each loop takes, and why ------*- C++ -*---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a compiled kernel as values, in the order of the program. Times
// are ps per iteration of the loop in the source, however many of them the
// compiled body holds. No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_SCHEDULE_REPORT_H
#define KILN_COMPILER_SCHEDULE_REPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::compiler {

struct CompileRemark;

struct ScheduleReport {
  struct Place {
    std::string file; ///< The user's source; may be empty.
    std::uint32_t line = 0;
    std::string str() const; ///< "file:line", or "?".
    friend bool operator==(const Place &, const Place &) = default;
  };
  /// An instruction of the body, or several of one kind at one line.
  struct Operation {
    std::string name; ///< "nc_matmul".
    std::string engine;
    Place place;
    double time = 0; ///< ps for which they occupy the resource.
    std::uint64_t times = 1;
  };
  /// A resource that instructions and buffers occupy.
  struct ResourceName {
    enum class Kind : std::uint8_t {
      engine,
      behindTensor, ///< Transposes that run behind other instructions.
      dma,
      hbm,
      memory, ///< Bytes of SBUF or PSUM.
      sbufPort,
      psumBankPort,
    };
    Kind kind = Kind::engine;
    unsigned number = 0; ///< isa::Engine, isa::Space, or the bank.

    bool isPort() const { return kind >= Kind::sbufPort; }
    std::string str() const; ///< "tensor", "dma", "psum bank 3 port", ...
    friend bool operator==(const ResourceName &,
                           const ResourceName &) = default;
  };
  /// Occupied by each iteration for `bound`: no interval can be shorter.
  struct Resource {
    ResourceName name;
    double bound = 0;
    std::vector<Operation> users; ///< Longest first.
  };
  /// An operation of a cycle, and how much later the next one follows.
  struct Link {
    Operation from;
    double latency = 0;
    std::uint32_t distance = 0; ///< Trips of the compiled body.
    std::string buffer; ///< It frees a copy of this; empty: a dependence.
  };
  struct Recurrence {
    double bound = 0;
    std::vector<Link> links;
    std::uint64_t times = 1; ///< Cycles like it: iterations that run together.
  };
  /// A buffer of which overlapping iterations have their own copies.
  struct Ring {
    std::string name;
    std::string space;      ///< "sbuf" or "psum".
    std::int64_t bytes = 0; ///< Per partition and copy.
    std::uint64_t copies = 0;
    /// Iterations for which a copy is in use, as the schedule is predicted.
    std::optional<double> lifetime;
    Place place;
    std::uint64_t times = 1; ///< Buffers like it.
  };
  /// A remark of a pass at a line of the loop.
  struct Decision {
    std::string pass, name, text;
    bool isDeclined = false;
    Place place;
    std::uint64_t times = 1;
    std::vector<std::pair<std::string, std::string>> values;
  };
  struct Loop {
    Place place;
    std::uint32_t depth = 0;             ///< Loops around it.
    std::optional<std::uint32_t> parent; ///< Index of the one around it.
    std::optional<std::uint64_t> turns;  ///< Trips of the compiled loop.
    std::uint64_t iterations = 1;        ///< Those of the source in one body.
    std::uint64_t stages = 1;       ///< Iterations in a trip, one per stage.
    std::uint64_t instructions = 0; ///< In the body, without inner loops.
    /// Predicted. Empty, with the reason in `whyNot`, where no single problem
    /// describes an iteration.
    std::optional<double> interval;
    std::string whyNot;
    /// Clauses about what the numbers do not include.
    std::vector<std::string> notes;
    std::vector<Resource> resources; ///< Longest first.
    std::vector<Recurrence> recurrences;
    std::vector<Ring> rings;
    std::vector<Decision> decisions;
    std::vector<Place> lines; ///< The loop's and its own instructions'.

    /// No interval is shorter; 0 if nothing is known.
    double bound() const;
    /// The recurrence that sets the bound, else null.
    const Recurrence *bindingRecurrence() const;
    /// The resource that sets it, else null.
    const Resource *bindingResource() const;
    /// "no interval below 2849 ns is possible: ..."; empty without a bound.
    std::string whyNoShorter() const;
  };
  std::vector<Loop> loops;

  /// For people.
  std::string str() const;
};

/// Assigns the remarks of the passes to the loops whose lines they name.
void addDecisions(ScheduleReport &report,
                  const std::vector<CompileRemark> &remarks);

} // namespace kiln::compiler

#endif // KILN_COMPILER_SCHEDULE_REPORT_H
