//===- Memory.cpp - SBUF, PSUM and HBM ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <cstring>

namespace kiln::sim {

namespace {

/// The contents of a fresh tensor, so that a missing write shows in the values.
void poison(std::vector<std::uint8_t> &bytes, isa::DType dtype) {
  if (isa::isFloat(dtype)) {
    std::memset(bytes.data(), 0xff, bytes.size());
    return;
  }
  std::memset(bytes.data(), 0, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += isa::sizeInBytes(dtype))
    bytes[i] = 4;
}

/// The first bytes of a lane of `space` that `module` can reach, at most
/// `capacity`: a small kernel must not pay for filling all of SBUF. An operand
/// whose place is known only at run time can reach every byte.
std::int64_t reachOf(const isa::Module &module, isa::Space space,
                     std::int64_t capacity) {
  std::int64_t reach = 0;
  std::vector<isa::OperandAccess> operands;
  for (const std::vector<isa::Instruction> &stream : module.streams)
    for (const isa::Instruction &instruction : stream) {
      operands.clear();
      isa::collectAccesses(instruction.body, operands);
      for (const isa::OperandAccess &operand : operands) {
        const isa::Access &access = *operand.access;
        // An index also places operands that it does not belong to (scales).
        if (operand.isIndexed || (access.space == space && access.numTerms > 0))
          return capacity;
        if (access.space == space)
          reach = std::max(reach, access.offset + layoutOf(access).high);
        if (reach >= capacity)
          return capacity;
      }
    }
  // With the padding, an odd number of lines of the host's caches.
  return isa::roundUp(reach, 2 * Memory::lanePadding);
}

} // namespace

Memory::Memory(const isa::Module &module, const isa::Target &target, bool lazy)
    : sbufBytes(target.bytes(isa::Space::sbuf)),
      psumBytes(target.bytes(isa::Space::psum)),
      sbufPitch(reachOf(module, isa::Space::sbuf, sbufBytes) + lanePadding),
      psumPitch(reachOf(module, isa::Space::psum, psumBytes) + lanePadding),
      sbuf(static_cast<std::size_t>(sbufPitch) * isa::maxPartitions, lazy),
      psum(static_cast<std::size_t>(psumPitch) * isa::maxPartitions, lazy),
      owned(module.tensors.size()), base(module.tensors.size()) {
  for (const isa::Tensor &tensor : module.tensors) {
    sizes.push_back(static_cast<std::int64_t>(tensor.sizeInBytes()));
    rows.push_back(tensor.shape.empty() ? 1 : tensor.shape[0]);
    dtypes.push_back(tensor.dtype);
  }
}

void Memory::allocate(std::size_t tensor) {
  owned[tensor].resize(static_cast<std::size_t>(sizes[tensor]));
  poison(owned[tensor], dtypes[tensor]);
  base[tensor] = owned[tensor].data();
}

void Memory::bind(std::size_t tensor, const std::uint8_t *bytes,
                  bool writable) {
  if (!writable) {
    // Never written: modules that write an input are refused beforehand.
    base[tensor] = const_cast<std::uint8_t *>(bytes);
    return;
  }
  owned[tensor].assign(bytes, bytes + sizes[tensor]);
  base[tensor] = owned[tensor].data();
}

View Memory::view(const isa::Access &access, std::int64_t offset) {
  View view;
  view.dtype = access.dtype;
  view.space = access.space;
  view.layout = layoutOf(access);
  if (access.space == isa::Space::hbm) {
    view.data = base[access.tensor] + offset;
    return view;
  }
  const bool inPsum = access.space == isa::Space::psum;
  view.pitch = inPsum ? psumPitch : sbufPitch;
  view.lanes = access.partitions;
  view.data = (inPsum ? psum : sbuf).data() +
              static_cast<std::int64_t>(access.partition) * view.pitch + offset;
  return view;
}

} // namespace kiln::sim
