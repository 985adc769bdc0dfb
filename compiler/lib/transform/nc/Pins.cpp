//===- Pins.cpp - Buffers that have their places --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pins.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"

#include <algorithm>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

LogicalResult kiln::compiler::nc::checkPin(AllocOp op,
                                           const problems::SpaceRectangle &tile,
                                           const isa::Target &target) {
  const isa::Space space = toIsa(op.getSpace());
  auto wrong = [&]() -> InFlightDiagnostic {
    return op->emitError() << Code{"KILN-C103"} << "buffer '" << tile.name
                           << "' ";
  };
  const int64_t partition = op.getPinPartition().value_or(0);
  const int64_t count = op.getPartitions();
  const int64_t unit = count <= 32 ? 32 : count <= 64 ? 64 : isa::maxPartitions;
  if (partition < 0 || partition % unit != 0 ||
      partition + count > isa::maxPartitions)
    return wrong() << "is pinned to partition " << found(Twine(partition))
                   << "; its " << count << " partitions may start at "
                   << allowed("multiples of " + Twine(unit) + " and end at " +
                              Twine(isa::maxPartitions));
  const int64_t byte = *op.getPinByte();
  const isa::DType type =
      *dtypeOf(cast<MemRefType>(op.getMemory().getType()).getElementType());
  const auto element = static_cast<int64_t>(isa::sizeInBytes(type));
  if (byte < 0 || byte % element != 0)
    return wrong() << "is pinned to byte " << found(Twine(byte))
                   << "; an address of " << StringRef(isa::name(type)) << " is "
                   << allowed("a multiple of " + Twine(element)) << ", such as "
                   << std::max<int64_t>(byte, 0) / element * element;
  const auto bytes = static_cast<int64_t>(tile.totalBytes());
  const int64_t capacity = target.bytes(space);
  if (byte > capacity - bytes) {
    InFlightDiagnostic error = wrong();
    error << "is pinned to bytes "
          << found("[" + Twine(byte) + ", " + Twine(byte + bytes) + ")")
          << " of each partition; " << StringRef(isa::name(space)) << " of "
          << StringRef(target.name.view()) << " has "
          << allowed(Twine(capacity));
    if (bytes <= capacity)
      error << ", so it may begin at byte " << capacity - bytes
            << " at the latest";
    return error;
  }
  return success();
}

problems::Problem
kiln::compiler::nc::collision(const problems::SpaceProblem &problem) {
  problems::SpaceProblem pinned;
  pinned.space = problem.space;
  pinned.capacity = problem.capacity;
  problems::SpaceSolution solution;
  llvm::copy_if(
      problem.rectangles, std::back_inserter(pinned.rectangles),
      [](const auto &rectangle) { return rectangle.pin.has_value(); });
  for (const problems::SpaceRectangle &rectangle : pinned.rectangles) {
    solution.places.push_back(
        {rectangle.pin->partition, rectangle.pin->offset});
    std::uint64_t end = rectangle.pin->offset + rectangle.totalBytes();
    if (end > problem.capacity)
      return std::nullopt; // Too large: the solver says so.
    solution.peakBytes = std::max(solution.peakBytes, end);
  }
  return pinned.rectangles.empty() ? problems::Problem()
                                   : problems::verify(pinned, solution);
}

void kiln::compiler::nc::limit(problems::SpaceRectangle &rectangle,
                               AllocOp op) {
  const std::optional<MemoryLimit> limit = limitOf(op);
  if (!limit)
    return;
  rectangle.within = problems::SpaceLimit{limit->begin, limit->end};
  if (rectangle.pin && !op.getPinByte() &&
      (rectangle.pin->offset < limit->begin ||
       rectangle.pin->offset + rectangle.totalBytes() > limit->end))
    rectangle.pin.reset();
}

/// "bytes 0 to 4095 of each partition", or "banks 0 to 1".
static std::string rangeText(Space space, std::uint64_t begin,
                             std::uint64_t end) {
  const bool inBanks = space == Space::psum &&
                       begin % isa::psumBankBytes == 0 &&
                       end % isa::psumBankBytes == 0;
  const std::uint64_t unit = inBanks ? isa::psumBankBytes : 1;
  return ((inBanks ? "banks " : "bytes ") + Twine(begin / unit) + " to " +
          Twine(end / unit - 1) + (inBanks ? "" : " of each partition"))
      .str();
}

LogicalResult
kiln::compiler::nc::checkScope(AllocOp op, const problems::SpaceRectangle &tile,
                               const isa::Target &target) {
  const std::optional<MemoryLimit> limit = limitOf(op);
  if (!limit)
    return success();
  const isa::Space space = toIsa(op.getSpace());
  const auto capacity = static_cast<std::uint64_t>(target.bytes(space));
  if (limit->end > capacity)
    return op->emitError() << Code{"KILN-C116"} << "memory scope '"
                           << limit->name << "' reaches up to byte "
                           << found(Twine(limit->end)) << " of each partition; "
                           << StringRef(isa::name(space)) << " of "
                           << StringRef(target.name.view()) << " has "
                           << allowed(Twine(capacity));
  if (!op.getPinByte())
    return success();
  const auto begin = static_cast<std::uint64_t>(*op.getPinByte());
  const std::uint64_t end = begin + tile.totalBytes();
  if (begin >= limit->begin && end <= limit->end)
    return success();
  return op->emitError() << Code{"KILN-C103"} << "buffer '" << tile.name
                         << "' is pinned to "
                         << found(rangeText(op.getSpace(), begin, end))
                         << ", but memory scope '" << limit->name << "' has "
                         << allowed(rangeText(op.getSpace(), limit->begin,
                                              limit->end));
}

InFlightDiagnostic
kiln::compiler::nc::reportScope(AllocOp op,
                                const problems::SpaceProblem &problem,
                                const problems::SpaceFailure &failure) {
  const MemoryLimit limit = *limitOf(op);
  const problems::SpaceRectangle &tile = problem.rectangles[failure.rectangle];
  const problems::SpaceLimit within = *tile.within;
  const std::uint64_t needed =
      std::max(problems::spaceBound(problem, within), tile.totalBytes());
  InFlightDiagnostic error = op->emitError()
                             << Code{"KILN-C116"} << "memory scope '"
                             << limit.name << "' is too small: ";
  if (needed > within.bytes())
    error << "its tiles need " << found(Twine(needed))
          << " bytes per partition at once, but it has ";
  else
    error << "its tiles need " << needed
          << " bytes per partition at once, and no place is left for "
          << found(Twine(tile.totalBytes()) + " of them") << "; it has ";
  error << allowed(Twine(within.bytes())) << " ("
        << rangeText(op.getSpace(), within.begin, within.end) << ")";
  return error;
}
