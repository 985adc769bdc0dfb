//===- Pieces.h - A long list in pieces -------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SUPPORT_PIECES_H
#define KILN_COMPILER_LIB_SUPPORT_PIECES_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

namespace kiln::problems {

/// For lists of a hundred megabytes. Freed memory is seldom in one piece, so a
/// vector of that size takes new memory. Those of std::deque have 512 bytes.
template <class T> class Pieces {
public:
  std::size_t size() const { return count; }
  T &operator[](std::size_t i) { return pieces[i / perPiece][i % perPiece]; }
  const T &operator[](std::size_t i) const {
    return pieces[i / perPiece][i % perPiece];
  }

  void clear() { count = 0; }
  void push_back(const T &value) {
    resize(count + 1);
    (*this)[count - 1] = value;
  }
  /// New elements are uninitialised.
  void resize(std::size_t size) {
    while (size > pieces.size() * perPiece)
      pieces.push_back(std::make_unique_for_overwrite<T[]>(perPiece));
    count = size;
  }

private:
  static constexpr std::size_t perPiece =
      std::bit_floor(std::max<std::size_t>(1, 32768 / sizeof(T)));
  std::vector<std::unique_ptr<T[]>> pieces;
  std::size_t count = 0;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SUPPORT_PIECES_H
