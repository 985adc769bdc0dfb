//===- executor.h - Runs a .kbin: values, time, checks --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_EXECUTOR_H
#define KILN_SIM_EXECUTOR_H

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/sim/register_loads.h"
#include "kiln/sim/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::sim {

/// What went wrong, by class. The text of each is in docs/errors.
enum class FaultKind : std::uint8_t {
  invalidModule,   ///< The module breaks a rule of the instruction set.
  missingArgument, ///< An input tensor was not given, or has the wrong size.
  uninitialised,   ///< Bytes read that nothing wrote.
  outOfBounds,     ///< A pattern leaves its memory or its tensor.
  race,            ///< Two accesses, at least one a write, that nothing orders.
  deadlock,        ///< Every stream waits; `text` shows the cycle.
  watchdog,        ///< More steps than the limit allows.
  semaphore,       ///< A counter overflows, or is not 0 at the end.
  undefinedState,  ///< A register or accumulator used before it was set.
  outOfMemory,     ///< The tensors are larger than the limit allows.
};

/// One side of a fault: which instruction, where in the source.
struct FaultParty {
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0; ///< In its stream.
  std::string instruction; ///< Disassembled.
  isa::SourceLocation location;
};

struct Fault {
  FaultKind kind = FaultKind::invalidModule;
  std::string code; ///< "KILN-X001"
  std::string text; ///< One sentence: found, allowed, how to fix it.
  std::vector<FaultParty> parties;
};

/// Bytes of an HBM tensor, row-major, in the tensor's element type.
struct TensorData {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// How values convert. The defaults are the hardware's.
struct Numerics {
  /// Overflow gives the largest finite number instead of infinity or NaN.
  bool saturate = false;
  /// To the neighbour above or below at random, in proportion; floats only.
  bool stochasticRounding = false;
  std::uint64_t roundingSeed = 0;
  /// Subnormal fp32 operands and results of arithmetic become zero.
  bool flushSubnormals = false;
};

struct Options {
  Numerics numerics;
  bool function = true; ///< Compute values.
  bool timing = false;  ///< Compute times and a trace.
  bool checks = true;   ///< Shadow state and race detection; needs function.
  bool trace = false;   ///< Keep one event per instruction; needs timing.
  std::uint64_t interleaveSeed = 0; ///< Order of ready streams; 0 = fixed.
  unsigned threads = 0; ///< Of the host, for values; 0 = what it has, up to 8.
  std::uint64_t maxSteps = 4'000'000'000;
  /// HBM that the module's tensors may take on the host.
  std::uint64_t maxHbmBytes = std::uint64_t{16} << 30;
};

struct Result {
  std::optional<Fault> fault;
  std::vector<TensorData> outputs; ///< output and inout tensors, in order.
  std::optional<Timing> timing;
};

/// What the function part alone returns.
struct Execution {
  std::optional<Fault> fault;
  std::vector<TensorData> outputs;
  RegisterLoads registerLoads; ///< For a timing run of the same module.
  std::uint64_t steps = 0;     ///< Instructions executed.
};

/// The function part: values and checks, no times. `options.timing` and
/// `options.trace` are ignored.
Execution execute(const isa::Module &module, const isa::Target &target,
                  const std::vector<TensorData> &inputs,
                  const Options &options);

/// Runs `module` on `target` with `inputs` (matched by name). Never throws,
/// exits or aborts; a wrong program comes back as a fault.
Result run(const isa::Module &module, const isa::Target &target,
           const std::vector<TensorData> &inputs, const Options &options);

} // namespace kiln::sim

#endif // KILN_SIM_EXECUTOR_H
