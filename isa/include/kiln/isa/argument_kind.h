//===- argument_kind.h - What a kernel does with a tensor -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_ARGUMENT_KIND_H
#define KILN_ISA_ARGUMENT_KIND_H

#include <cstdint>

namespace kiln::isa {

/// What a kernel does with a tensor argument. The language, a Program and the
/// IR (`#nc.kind`) use this enumeration; TensorKind begins with the same cases.
enum class ArgumentKind : std::uint8_t { input, output, inout };

} // namespace kiln::isa

#endif // KILN_ISA_ARGUMENT_KIND_H
