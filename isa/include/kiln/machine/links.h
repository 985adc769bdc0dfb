//===- links.h - What carries bytes between cores -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_LINKS_H
#define KILN_MACHINE_LINKS_H

#include "kiln/machine/time.h"

#include <compare>
#include <string>

namespace kiln::machine {

/// Something between cores that carries bytes at a rate, in one direction.
struct Link {
  enum class Kind : std::uint8_t {
    core,     ///< The DMA engines of core `from`, within its chip.
    chip,     ///< From chip `from` to chip `to`.
    leaving,  ///< All that leaves chip `from`.
    entering, ///< All that enters chip `to`.
    rankOut,  ///< Rank `from`'s share of the way to other nodes.
    rankIn,   ///< Rank `to`'s share of the way from other nodes.
  };
  Kind kind = Kind::core;
  unsigned from = 0, to = 0;
  unsigned channel = 0; ///< Each has its own wires.
  auto operator<=>(const Link &) const = default;
};

/// "chip 0 to chip 1", "out of chip 3", "core 2", ..
std::string nameOf(const Link &link);

/// The bytes of one flow on a link, as the time that they take if no other flow
/// uses it.
struct LinkLoad {
  Link link;
  Picoseconds alone = 0;
};

} // namespace kiln::machine

#endif // KILN_MACHINE_LINKS_H
