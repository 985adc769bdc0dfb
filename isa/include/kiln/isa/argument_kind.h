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

/// Of a parameter of a kernel: in the language, in a Program, and as `#nc.kind`
/// in the IR. In a module, these are the first ones of TensorKind.
enum class ArgumentKind : std::uint8_t { input, output, inout };

} // namespace kiln::isa

#endif // KILN_ISA_ARGUMENT_KIND_H
