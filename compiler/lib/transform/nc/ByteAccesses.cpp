//===- ByteAccesses.cpp - Operands as byte ranges of places ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/transform/nc/ByteAccesses.h"

#include "SharedBanks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Where the program or nc-pipeline-loops has put it.
static std::optional<int64_t> byteOf(AllocOp alloc) {
  if (const std::optional<int64_t> bank = bankOf(alloc))
    return *bank * static_cast<int64_t>(isa::psumBankBytes);
  if (alloc.getPinByte())
    return static_cast<int64_t>(*alloc.getPinByte());
  return std::nullopt;
}

/// One sweep over the bytes of each memory: a run of pins that overlap one
/// after the other is one place. Rows are compared access by access.
PinnedSpaces::PinnedSpaces(func::FuncOp func) {
  struct Pin {
    Value memory;
    Space space;
    int64_t begin, end;
  };
  std::vector<Pin> pins;
  func.walk<WalkOrder::PreOrder>([&](AllocOp alloc) {
    const std::optional<int64_t> byte = byteOf(alloc);
    if (!byte)
      return;
    // A ring lies in slots that are at most padded to whole banks.
    int64_t slot = llvm::alignTo(
        alloc.getBytesPerPartition(),
        alloc.getSpace() == Space::psum ? isa::psumBankBytes : uint64_t(64));
    pins.push_back({alloc.getMemory(), alloc.getSpace(), *byte,
                    *byte + slot * static_cast<int64_t>(alloc.getRing())});
  });
  llvm::stable_sort(pins, [](const Pin &a, const Pin &b) {
    return std::pair(a.space, a.begin) < std::pair(b.space, b.begin);
  });
  for (size_t i = 0; i < pins.size();) {
    size_t next = i + 1;
    for (int64_t end = pins[i].end;
         next < pins.size() && pins[next].space == pins[i].space &&
         pins[next].begin < end;
         ++next)
      end = std::max(end, pins[next].end);
    for (size_t k = i; next - i > 1 && k < next; ++k)
      first[pins[k].memory] = pins[i].memory;
    i = next;
  }
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static void foldConstants(IndexForm &form);

static bool sameRuntimePart(const IndexForm &a, const IndexForm &b) {
  if (a.terms.size() != b.terms.size() ||
      a.residues.size() != b.residues.size())
    return false;
  for (const IndexForm::Term &term : a.terms)
    if (!llvm::is_contained(b.terms, term))
      return false;
  // Residues number their leaves.
  if (!a.residues.empty() && a.leaves != b.leaves)
    return false;
  return llvm::all_of(a.residues, [&](const IndexForm::Residue &residue) {
    return llvm::any_of(b.residues, [&](const IndexForm::Residue &other) {
      return other.expr == residue.expr &&
             other.coefficient == residue.coefficient;
    });
  });
}

uint32_t AddressFamilies::familyOf(IndexForm form, int64_t width) {
  for (auto [i, family] : llvm::enumerate(families))
    if (family.width == width && sameRuntimePart(family.form, form))
      return static_cast<uint32_t>(i + 1);
  families.push_back({std::move(form), width});
  return static_cast<uint32_t>(families.size());
}

/// What `min` and `max` make of constants, as in one execution of what a loop
/// ran, is one.
static std::optional<int64_t> constantOf(Value leaf) {
  Operation *op = leaf.getDefiningOp();
  if (!llvm::isa_and_present<affine::AffineMinOp, affine::AffineMaxOp>(op))
    return std::nullopt;
  const bool isLeast = llvm::isa<affine::AffineMinOp>(op);
  const AffineMap map = isLeast ? cast<affine::AffineMinOp>(op).getMap()
                                : cast<affine::AffineMaxOp>(op).getMap();
  std::optional<int64_t> best;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    IndexForm part = analyseIndex(map.getSubMap({i}), op->getOperands());
    foldConstants(part);
    if (!part.isConstant())
      return std::nullopt;
    best = !best     ? part.constant
           : isLeast ? std::min(*best, part.constant)
                     : std::max(*best, part.constant);
  }
  return best;
}

static void foldConstants(IndexForm &form) {
  if (!form.residues.empty())
    return;
  llvm::erase_if(form.terms, [&](const IndexForm::Term &term) {
    const std::optional<int64_t> value = constantOf(term.leaf);
    form.constant += value ? term.coefficient * *value : 0;
    return value.has_value();
  });
}

problems::ByteAccess AddressFamilies::describe(const MemoryAccess &access,
                                               const PinnedSpaces &spaces) {
  problems::ByteAccess bytes;
  bytes.reads = access.reads();
  bytes.writes = access.writes();
  bool shared = spaces.isShared(access.base);
  auto alloc = access.base.getDefiningOp<AllocOp>();
  if (access.shape.space != isa::Space::hbm) {
    bytes.partition = access.shape.partition;
    if (shared)
      bytes.partition +=
          static_cast<uint32_t>(alloc.getPinPartition().value_or(0));
    bytes.partitionEnd = bytes.partition + access.shape.partitions;
  }
  // It is unknown which copy of a ring lies beside another buffer.
  if (access.isIndexed || (shared && alloc.getRing() > 1))
    return bytes;
  int64_t width = isa::sizeInBytes(access.shape.dtype);
  IndexForm form = formOfOffset(access);
  foldConstants(form);
  bytes.offset = form.constant * width;
  if (shared)
    bytes.offset += *byteOf(alloc);
  bytes.run = width;
  for (unsigned i = access.shape.rank; i-- > 0;) {
    const isa::Dim &dim = access.shape.dims[i];
    if (dim.size == 1 || dim.stride == 0)
      continue;
    if (bytes.dims.empty() && dim.stride * width == bytes.run)
      bytes.run *= dim.size;
    else
      bytes.dims.push_back({dim.stride * width, dim.size});
  }
  // A constant is the same for elements of any size.
  const int64_t unit = form.isConstant() ? 0 : width;
  bytes.family = familyOf(std::move(form), unit);
  return bytes;
}

void AddressFamilies::advance(problems::ByteAccess &access, scf::ForOp loop,
                              uint32_t distance) const {
  if (access.family == 0)
    return;
  auto moves = [&](Value leaf) {
    return loop.getBodyRegion().isAncestor(leaf.getParentRegion());
  };
  const Family &family = families[access.family - 1];
  if (!family.form.residues.empty() &&
      llvm::any_of(family.form.leaves, moves)) {
    access.family = 0;
    return;
  }
  for (const IndexForm::Term &term : family.form.terms)
    if (term.leaf == loop.getInductionVar()) {
      access.offset += term.coefficient * family.width * stepOf(loop) *
                       static_cast<int64_t>(distance);
    } else if (moves(term.leaf)) {
      access.family = 0;
      return;
    }
}
