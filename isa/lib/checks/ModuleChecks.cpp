//===- ModuleChecks.cpp - Tensors and the structure of streams ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"
#include "kiln/isa/limits.h"
#include "kiln/isa/target_file.h"

#include <algorithm>
#include <limits>
#include <set>

namespace kiln::isa {
namespace {

CheckResult checkTensor(const Tensor &tensor) {
  if (tensor.name.empty())
    return makeError("KILN-I035", "a tensor has no name");
  if (isa::info(tensor.dtype).dtype != tensor.dtype)
    return makeError("KILN-I035",
                     fmt::format("tensor {} has no element type", tensor.name));
  if (tensor.shape.size() > maxTensorRank)
    return makeError(
        "KILN-I035",
        fmt::format("tensor {} has <|{}|> dimensions, expected at most [|{}|]",
                    tensor.name, tensor.shape.size(), maxTensorRank));
  std::uint64_t bytes = sizeInBytes(tensor.dtype);
  for (std::int64_t extent : tensor.shape) {
    if (extent < 1 || static_cast<std::uint64_t>(extent) > maxTensorBytes)
      return makeError("KILN-I035",
                       fmt::format("tensor {} has an extent of {}, expected "
                                   "1 to {}",
                                   tensor.name, extent, maxTensorBytes));
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent),
                               &bytes) ||
        bytes > maxTensorBytes)
      return makeError("KILN-I035",
                       fmt::format("tensor {} has more than {} bytes",
                                   tensor.name, maxTensorBytes));
  }
  std::uint64_t expected = tensor.kind == TensorKind::constant ? bytes : 0;
  if (tensor.bytes.size() != expected)
    return makeError("KILN-I035",
                     fmt::format("tensor {} brings {} bytes, expected {}",
                                 tensor.name, tensor.bytes.size(), expected));
  return std::nullopt;
}

CheckResult checkTensors(const Module &module) {
  std::set<std::string_view> names;
  if (module.tensors.size() > 65536)
    return makeError(
        "KILN-I035",
        fmt::format("the module has <|{}|> tensors, expected at most [|65536|]",
                    module.tensors.size()));
  for (const Tensor &tensor : module.tensors) {
    if (CheckResult error = checkTensor(tensor))
      return error;
    if (!names.insert(tensor.name).second)
      return makeError("KILN-I035",
                       fmt::format("two tensors are called {}", tensor.name));
  }
  return std::nullopt;
}

/// The register that an instruction sets, if any.
std::optional<Register> registerWritten(const Body &body) {
  return std::visit(
      [](const auto &op) -> std::optional<Register> {
        if constexpr (requires { op.counter; })
          return op.counter;
        else if constexpr (requires { Register(op.dst); })
          return op.dst;
        else
          return std::nullopt;
      },
      body);
}

/// Walks the streams once: nesting, counters, queues.
class StreamChecker {
public:
  /// Stops behind `limit` findings.
  StreamChecker(const Module &module, const Target &target, std::size_t limit)
      : module(module), target(target), limit(limit) {
    owners.fill(-1);
  }

  std::vector<Finding> run() {
    for (std::size_t i = 0; i < numEngines && !isFull(); ++i)
      checkStream(static_cast<Engine>(i));
    return std::move(found);
  }

private:
  bool isFull() const { return found.size() >= limit; }

  void checkStream(Engine stream) {
    const auto &instructions = module.streams[static_cast<std::size_t>(stream)];
    std::vector<const Instruction *> open;
    bool nests = true; // One wrong end invalidates all others.
    for (std::uint32_t i = 0; i < instructions.size() && !isFull(); ++i) {
      CheckContext context(instructions[i], stream, module, target);
      CheckResult error = checkInstruction(context);
      if (!error)
        error = checkCounters(context, open);
      if (!error)
        error = checkQueueOwner(context);
      if (nests)
        if (CheckResult nesting = checkNesting(context, open)) {
          nests = false;
          if (!error)
            error = std::move(nesting);
        }
      if (error)
        found.push_back({std::move(*error), stream, i});
    }
    if (open.empty() || !nests || isFull())
      return;
    found.push_back(
        {CheckContext(*open.back(), stream, module, target)
             .error("KILN-I033",
                    "it is not closed by {} in the {} stream; <|{}|> open at "
                    "the end",
                    mnemonic(closerOf(*open.back())), name(stream),
                    open.size()),
         stream,
         static_cast<std::uint32_t>(open.back() - instructions.data())});
  }

  static Opcode closerOf(const Instruction &opener) {
    return isOneOf<If, Else>(opener.body) ? Opcode::EndIf : Opcode::LoopEnd;
  }

  /// Keeps the bodies that are open; an else takes the place of its if.
  static CheckResult checkNesting(const CheckContext &context,
                                  std::vector<const Instruction *> &open) {
    const Nesting nesting = context.info.nesting;
    if (nesting == Nesting::divides || nesting == Nesting::closes) {
      const bool divides = nesting == Nesting::divides;
      if (open.empty())
        return context.error("KILN-I033", "no {} is open here in the {} stream",
                             context.info.opcode == Opcode::LoopEnd ? "loop"
                                                                    : "if",
                             name(context.stream));
      const Instruction &opener = *open.back();
      if (divides ? !std::holds_alternative<If>(opener.body)
                  : closerOf(opener) != context.info.opcode)
        return context.error("KILN-I033",
                             "the innermost open body in the {} stream is that "
                             "of {}, which {} closes",
                             name(context.stream),
                             mnemonic(opcode(opener.body)),
                             mnemonic(closerOf(opener)));
      open.pop_back();
    }
    if (nesting == Nesting::opens || nesting == Nesting::divides)
      open.push_back(&context.instruction);
    return std::nullopt;
  }

  CheckResult checkCounters(const CheckContext &context,
                            const std::vector<const Instruction *> &open) {
    std::optional<Register> written = registerWritten(context.instruction.body);
    if (!written)
      return std::nullopt;
    for (const Instruction *opener : open)
      if (const auto *loop = std::get_if<LoopBegin>(&opener->body);
          loop && loop->counter == *written)
        return context.error(
            "KILN-I029", "it writes r{}, the counter of a loop that is open",
            written->index);
    return std::nullopt;
  }

  CheckResult checkQueueOwner(const CheckContext &context) {
    std::optional<std::int32_t> queue = queueOf(context.instruction.body);
    if (!queue)
      return std::nullopt;
    int &owner = owners[static_cast<std::size_t>(*queue)];
    int stream = static_cast<int>(context.stream);
    if (owner >= 0 && owner != stream)
      return context.error("KILN-I028",
                           "queue {} is fed by the {} stream and the {} "
                           "stream, but only one may feed it",
                           *queue, name(static_cast<Engine>(owner)),
                           name(context.stream));
    owner = stream;
    return std::nullopt;
  }

  const Module &module;
  const Target &target;
  std::size_t limit;
  std::vector<Finding> found;
  std::array<int, dmaQueues> owners;
};

/// Tensors of a kernel lie in the HBM stack of their core. None has more than
/// 2^40 bytes.
CheckResult checkCapacity(const Module &module, const Target &target) {
  const auto bytesOf = [](const Tensor &tensor) {
    return tensor.elements() * sizeInBytes(tensor.dtype);
  };
  const auto capacity = static_cast<std::uint64_t>(target.hbm_stack_gib) << 30;
  std::uint64_t bytes = 0;
  for (const Tensor &tensor : module.tensors)
    bytes += bytesOf(tensor);
  if (bytes <= capacity)
    return std::nullopt;
  const Tensor &largest =
      *std::ranges::max_element(module.tensors, {}, bytesOf);
  return makeError(
      "KILN-I086",
      fmt::format("the tensors take {} bytes, but the HBM stack of a core of "
                  "{} has {} ({} GiB); the largest, {}, takes {}",
                  bytes, target.name.view(), capacity, target.hbm_stack_gib,
                  largest.name, bytesOf(largest)));
}

/// Problems that no instruction causes.
CheckResult checkTables(const Module &module, const Target &target) {
  if (target.generation != module.generation)
    return makeError("KILN-I001",
                     fmt::format("the module is for v{}, but {} is v{}",
                                 static_cast<int>(module.generation),
                                 target.name.view(),
                                 static_cast<int>(target.generation)));
  if (module.locations.empty() || module.locations[0] != SourceLocation{})
    return makeError("KILN-I037", "source location 0 must be the unknown one");
  if (module.buffers.empty() || module.buffers[0] != 0)
    return makeError("KILN-I037", "buffer 0 must be the unknown one");
  for (const std::uint32_t location : module.buffers)
    if (location >= module.locations.size())
      return makeError("KILN-I037",
                       fmt::format("a buffer was declared at source location "
                                   "{}, but the module has {}",
                                   location, module.locations.size()));
  if (CheckResult error = checkTensors(module))
    return error;
  return checkCapacity(module, target);
}

} // namespace

std::optional<Diagnostic> checkCores(std::span<const Module> cores) {
  auto wrong = [](std::string text) {
    return makeError("KILN-I084", std::move(text));
  };
  if (cores.empty() || cores.size() > 2)
    return wrong(fmt::format("it is for {} cores, but a rank has one or two",
                             cores.size()));
  const Module &first = cores.front();
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const Module &module = cores[i];
    if (cores.size() > 1 &&
        (module.cores() != cores.size() || module.core() != i))
      return wrong(fmt::format("module {} of {} says that it is for core {} of "
                               "{}; see its facts",
                               i, cores.size(), module.core(), module.cores()));
    if (cores.size() > 1 && !hasTwoCores(module.generation))
      return wrong(fmt::format("it is for {} cores, but a rank of {} has one",
                               cores.size(),
                               target(module.generation).name.view()));
    if (module.kernel != first.kernel || module.generation != first.generation)
      return wrong(
          fmt::format("the cores run different programs: {} for v{} and {} "
                      "for v{}",
                      first.kernel, static_cast<int>(first.generation),
                      module.kernel, static_cast<int>(module.generation)));
    const Expected<Target> mine = targetOf(module), theirs = targetOf(first);
    if (mine && theirs && !(*mine == *theirs))
      return wrong(fmt::format("core {} is compiled for a different machine "
                               "than core 0: {} instead of {}",
                               i, describeTarget(*mine),
                               describeTarget(*theirs)));
  }
  if (cores.size() < 2)
    return std::nullopt;
  auto isOwn = [](const Tensor &tensor) {
    return tensor.kind == TensorKind::internal ||
           tensor.kind == TensorKind::constant;
  };
  for (const Tensor &tensor : first.tensors)
    for (const Tensor &other : cores[1].tensors)
      if (tensor.name == other.name && !(isOwn(tensor) && isOwn(other)) &&
          tensor != other)
        return wrong(fmt::format("tensor {} of core 1 differs from that of "
                                 "core 0 in kind, element type or shape",
                                 tensor.name));
  return std::nullopt;
}

std::optional<Diagnostic> checkModule(const Module &module,
                                      const Target &target) {
  if (CheckResult error = checkTables(module, target))
    return error;
  std::vector<Finding> found = StreamChecker(module, target, 1).run();
  if (found.empty())
    return std::nullopt;
  return std::move(found.front().diagnostic);
}

std::optional<Diagnostic> checkModule(const Module &module) {
  Expected<Target> target = targetOf(module);
  return target ? checkModule(module, *target) : target.error();
}

std::vector<Finding> checkAll(const Module &module) {
  Expected<Target> target = targetOf(module);
  if (!target)
    return {{target.error(), std::nullopt, 0}};
  if (CheckResult error = checkTables(module, *target))
    return {{std::move(*error), std::nullopt, 0}};
  return StreamChecker(module, *target, std::numeric_limits<std::size_t>::max())
      .run();
}

} // namespace kiln::isa
