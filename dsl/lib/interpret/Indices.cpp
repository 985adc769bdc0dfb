//===- Indices.cpp - The arithmetic of indices ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers have 32 bits. A kernel whose results depend on a sum or product
// that needs more has no meaning. An overflow that does not change the result
// is none: the comparisons of the language have such differences.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "kiln/program_ranges.h"

#include <algorithm>
#include <limits>

namespace kiln::interpret {
namespace {

using program::IndexKind;
using program::IndexNode;
using Register = std::numeric_limits<std::int32_t>;

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The number of a node from those of its operands.
std::int64_t computed(const IndexNode &node, std::int64_t a, std::int64_t b) {
  switch (node.kind) {
  case IndexKind::add:
    return program::detail::sumOf(a, b);
  case IndexKind::multiply:
    return program::detail::productOf(a, node.value);
  case IndexKind::floorDivide:
    return floorDivide(a, node.value);
  case IndexKind::modulo:
    return a - node.value * floorDivide(a, node.value);
  case IndexKind::minimum:
    return std::min(a, b);
  case IndexKind::maximum:
    return std::max(a, b);
  default:
    return node.value;
  }
}

bool isBinary(IndexKind kind) {
  return kind == IndexKind::add || kind == IndexKind::minimum ||
         kind == IndexKind::maximum;
}

/// The low 32 bits, as a register has them.
std::int64_t wrapped(std::int64_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
}

} // namespace

Machine::IndexNumber Machine::indexNumber(Id id) {
  if (id >= program.indices.size())
    return {};
  const IndexNode &node = program.indices[id];
  IndexNumber result;
  if (node.kind == IndexKind::variable) {
    if (node.lhs >= registers.size() || !registers[node.lhs]) {
      fail(Fault::invalid, "an index is used before it has a value");
      return {};
    }
    result.exact = *registers[node.lhs];
    result.inRegister = wrapped(result.exact);
    return result;
  }
  IndexNumber a, b;
  if (node.kind != IndexKind::constant)
    a = indexNumber(node.lhs);
  if (isBinary(node.kind))
    b = indexNumber(node.rhs);
  result.exact = computed(node, a.exact, b.exact);
  result.inRegister = wrapped(computed(node, a.inRegister, b.inRegister));
  result.tooLarge = a.tooLarge != 0 ? a.tooLarge : b.tooLarge;
  if (result.tooLarge == 0 && wrapped(result.exact) != result.exact)
    result.tooLarge = result.exact;
  return result;
}

std::int64_t Machine::index(Id id) {
  const IndexNumber number = indexNumber(id);
  if (number.inRegister != number.exact)
    fail(Fault::invalid,
         "its index arithmetic overflows: a sum or product is <|" +
             std::to_string(number.tooLarge) + "|>, but must be [|" +
             std::to_string(Register::min()) + " to " +
             std::to_string(Register::max()) + "|]");
  return number.exact;
}

/// An address has more than 32 bits; its terms have 32.
std::int64_t Machine::offset(Id id) {
  if (id >= program.indices.size())
    return 0;
  const IndexNode &node = program.indices[id];
  if (node.kind == IndexKind::add)
    return computed(node, offset(node.lhs), offset(node.rhs));
  if (node.kind == IndexKind::multiply)
    return computed(node, offset(node.lhs), 0);
  return node.kind == IndexKind::constant ? node.value : index(id);
}

} // namespace kiln::interpret
