//===- executor.h - Runs a .kbin: values, time, checks --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_EXECUTOR_H
#define KILN_SIM_EXECUTOR_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/sim/register_loads.h"
#include "kiln/sim/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kiln::sim {

/// Classes of faults. docs/errors describes each of them.
enum class FaultKind : std::uint8_t {
  invalidModule,   ///< The module breaks a rule of the instruction set.
  missingArgument, ///< An input tensor was not given, or has the wrong size.
  uninitialised,   ///< Bytes read that nothing wrote.
  outOfBounds,     ///< A pattern leaves its memory or its tensor.
  race,            ///< Two accesses, at least one a write, that nothing orders.
  deadlock,        ///< Every stream waits; `text` shows the cycle.
  watchdog,        ///< More steps than a limit allows, or no progress.
  semaphore,       ///< A counter overflows, or is not 0 at the end.
  undefinedState,  ///< A register or accumulator used before it was set.
  outOfMemory,     ///< The tensors are larger than the limit allows.
  reused,          ///< Bytes read through one buffer, written through another.
  accumulation,    ///< A product adds to a sum that no product has started.
  notANumber,      ///< An instruction produces a NaN; only if asked for.
  mismatch,        ///< Instructions of several cores that meet do not agree.
  metadata,        ///< A table of counts and places that fits no buffer.
  outOfTurn,       ///< A collective prepared or triggered out of turn.
  invalidLaunch,   ///< Modules, ranks or groups that do not fit together.
  retyped,         ///< A remark: bytes read with another type than written.
  unread,          ///< A remark: a result that nothing read is overwritten.
};

/// One side of a fault: which instruction, where in the source.
struct FaultParty {
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0; ///< In its stream.
  std::string instruction; ///< Disassembled.
  isa::SourceLocation location;
  /// If the place is in a helper: its calls, the innermost first.
  std::vector<isa::SourceLocation> callers;
  /// Set if a launch has several of them.
  std::optional<unsigned> rank, core;
};

/// An error of a run, or a remark on it. The parties of the diagnostic are
/// these instructions, each followed by its calls, and its place is that of the
/// first one.
struct Fault : isa::Diagnostic {
  FaultKind kind = FaultKind::invalidModule;
  std::vector<FaultParty> instructions;
};

/// Bytes of an HBM tensor, row-major, in the tensor's element type.
struct TensorData {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// The same, without owning the bytes.
struct TensorView {
  std::string name;
  std::span<const std::uint8_t> bytes;
};

/// How values are converted. The defaults are those of the hardware.
struct Numerics {
  /// Overflow gives the largest finite number instead of infinity or NaN.
  bool saturate = false;
  /// To the neighbour above or below, at random and in proportion; floats only.
  bool stochasticRounding = false;
  std::uint64_t roundingSeed = 0;
  /// Subnormal fp32 operands and results of arithmetic become zero.
  bool flushSubnormals = false;
};

/// Bytes [begin, end) of some partitions, or of an HBM tensor.
struct MemoryRange {
  isa::Space space = isa::Space::sbuf;
  unsigned firstPartition = 0, partitions = 1; ///< On chip.
  std::size_t tensor = 0;                      ///< In HBM: its index.
  std::int64_t begin = 0, end = 0;
};

/// Where a run stops early, and what it shows there.
struct Inspection {
  struct Place {
    isa::Engine engine = isa::Engine::sync;
    std::uint32_t index = 0; ///< In its stream.
    std::uint64_t visit = 1; ///< In a loop: which execution, from 1.
  };
  unsigned rank = 0, core = 0;        ///< The owner in a launch.
  std::optional<Place> before;        ///< Stop before this instruction runs.
  std::optional<MemoryRange> onWrite; ///< Stop after a write to a byte of it.
  std::vector<MemoryRange> dump;      ///< Shown then, or at the end.
};

/// Suppresses a class of remarks: everywhere, or for one place.
struct Permission {
  std::string code; ///< "KILN-X060"
  std::string file; ///< With `line`: the source of a party.
  unsigned line = 0;
  std::optional<isa::Engine> engine; ///< With `index`: a party.
  std::uint32_t index = 0;
};

struct Options {
  Numerics numerics;
  bool function = true; ///< Compute values.
  bool timing = false;  ///< Compute times and a trace.
  bool checks = true;   ///< Shadow state and race detection; needs function.
  /// Report what is allowed but seldom intended; needs checks.
  bool remarks = true;
  std::vector<Permission> permissions;
  bool values = false;  ///< Count the values of all tiles and tensors.
  bool findNaN = false; ///< Stop at the instruction that makes the first NaN.
  Inspection inspection;
  bool trace = false; ///< Keep one event per instruction; needs timing.
  std::uint64_t interleaveSeed = 0; ///< Order of ready streams; 0 = fixed.
  unsigned threads = 0; ///< For values; 0 = all of the host, up to 8.
  std::uint64_t maxSteps = 4'000'000'000;
  /// Maximum number of register, loop and branch instructions of a core in a
  /// row, while nothing on it computes, moves data, signals or meets another
  /// core.
  std::uint64_t maxIdleSteps = 50'000'000;
  /// Maximum iterations of a `while`, or of a loop that a register bounds.
  std::uint64_t maxTurns = 1'000'000;
  /// Maximum memory for the module's HBM tensors on the host.
  std::uint64_t maxHbmBytes = std::uint64_t{16} << 30;
};

/// Bytes of Inspection::dump, partition by partition.
using Dumps = std::vector<std::vector<std::uint8_t>>;

struct Result {
  std::optional<Fault> fault;
  std::optional<FaultParty> stopped; ///< Set if it stopped early: no outputs.
  Dumps dumps;
  std::vector<TensorData> outputs; ///< output and inout tensors, in order.
  std::optional<Timing> timing;
  std::vector<Fault> remarks; ///< Only of a run without a fault.
};

/// The result of the function part alone.
struct Execution {
  std::optional<Fault> fault;
  std::optional<FaultParty> stopped;
  Dumps dumps;
  std::vector<TensorData> outputs;
  std::vector<Fault> remarks;  ///< Only of a run without a fault.
  RegisterLoads registerLoads; ///< For a timing run of the same module.
  std::uint64_t steps = 0;     ///< Instructions executed.
};

/// The function part: values and checks, no times. `options.timing` and
/// `options.trace` are ignored.
Execution execute(const isa::Module &module, const isa::Target &target,
                  const std::vector<TensorData> &inputs,
                  const Options &options);

/// Runs `module` on `target` with `inputs` (matched by name). Never throws,
/// exits or aborts; a wrong program is returned as a fault.
Result run(const isa::Module &module, const isa::Target &target,
           const std::vector<TensorData> &inputs, const Options &options);

} // namespace kiln::sim

#endif // KILN_SIM_EXECUTOR_H
