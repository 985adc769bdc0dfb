//===- Transpose.h - Dense transposes ---------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_TRANSPOSE_H
#define KILN_SIM_LIB_FUNCTION_TRANSPOSE_H

#include <cstddef>
#include <cstdint>

namespace kiln::sim {

/// out[c * rows + r] = in[r * columns + c].
template <class T>
void transposeRows(const T *in, std::size_t rows, std::size_t columns, T *out) {
  // A few rows at a time, so that both sides use whole cache lines.
  constexpr std::size_t block = 16;
  for (std::size_t r0 = 0; r0 < rows; r0 += block)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = r0; r < r0 + block && r < rows; ++r)
        out[c * rows + r] = in[r * columns + c];
}

/// The same for elements of 1, 2 or 4 bytes.
inline void transposeBytes(const std::uint8_t *in, std::size_t rows,
                           std::size_t columns, unsigned bytes,
                           std::uint8_t *out) {
  if (bytes == 1)
    transposeRows(in, rows, columns, out);
  else if (bytes == 2)
    transposeRows(reinterpret_cast<const std::uint16_t *>(in), rows, columns,
                  reinterpret_cast<std::uint16_t *>(out));
  else
    transposeRows(reinterpret_cast<const std::uint32_t *>(in), rows, columns,
                  reinterpret_cast<std::uint32_t *>(out));
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_TRANSPOSE_H
