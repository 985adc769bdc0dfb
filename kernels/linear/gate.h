//===- gate.h - What the last product of a gated layer takes --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_GATE_H
#define KILN_KERNELS_LINEAR_GATE_H

#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// silu: silu(gate) * up. clamped, as GPT-OSS has it: with g = min(gate, 7) and
/// u = clamp(up, -7, 7), g sigmoid(1.702 g) (u + 1).
KILN_CHOICES(GateActivation, silu, clamped)

struct Gate {
  GateActivation activation;

  static constexpr double limit = 7, steepness = 1.702;

  static void document(Signature &s) {
    s.doc("activation", "silu: silu(gate) up; clamped: g sigmoid(1.702 g) "
                        "(u + 1), g = min(gate, 7), u = clamp(up, -7, 7)");
  }

  /// The gate's part of h.
  auto of(const auto &gate) const {
    if (activation == GateActivation::clamped)
      return gelu_apprx_sigmoid(min(gate, limit));
    return silu(gate);
  }
  /// Calls use(part) with the part of h that `up` contributes.
  auto withUp(const auto &up, auto use) const {
    if (activation == GateActivation::clamped)
      return use(min(max(up, -limit), limit) + 1.0);
    return use(up);
  }

  double reference(double gate, double up) const {
    if (activation == GateActivation::silu)
      return gate / (1 + plain::exp(-gate)) * up;
    const double g = plain::min(gate, limit);
    const double factor = 1 / (1 + plain::exp(-steepness * g));
    // At minus infinity, the engines have 0.
    return (factor == 0 ? 0 : g * factor) *
           (plain::clamp(up, -limit, limit) + 1);
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_GATE_H
