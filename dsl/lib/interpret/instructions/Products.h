//===- Products.h - Products in PSUM ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_INSTRUCTIONS_PRODUCTS_H
#define KILN_INTERPRET_INSTRUCTIONS_PRODUCTS_H

#include "../Machine.h"

namespace kiln::interpret {

/// [K, M] and [K, N] of fp32: for k ascending acc = fma(s[k, m], x[k, n], acc).
Array productOf(const Array &stationary, const Array &moving);
/// [K, parts * N] as [K * parts, N]: parts of a row follow each other. In the
/// row they lie beside each other, or with `isInnermost` inside each element.
Array splitRows(const Array &array, std::int64_t parts, bool isInnermost);
/// Writes dst of a product, or adds to it.
void writeProduct(Call &call, const Array &product);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_INSTRUCTIONS_PRODUCTS_H
