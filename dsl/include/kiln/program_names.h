//===- program_names.h - Spelling of a Program's enumerators --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_NAMES_H
#define KILN_PROGRAM_NAMES_H

#include "kiln/program.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

namespace kiln::program {

namespace detail {
template <class... T>
constexpr std::array<std::string_view, sizeof...(T)>
namesOf(const std::variant<T...> *) {
  return {T::name...};
}
} // namespace detail

inline constexpr auto opKindNames =
    detail::namesOf(static_cast<const Operation *>(nullptr));
inline constexpr std::array<std::string_view, 5> valueKindNames{
    "tensor", "tile", "buffer", "loop", "index"};

constexpr std::string_view name(OpKind kind) {
  return opKindNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view name(ValueKind kind) {
  return valueKindNames[static_cast<std::size_t>(kind)];
}

/// True if the instruction sets a register, which is its result.
constexpr bool setsRegister(std::string_view mnemonic) {
  return mnemonic == "register_load" || mnemonic == "rank_id" ||
         mnemonic == "collective_permute_implicit_current_processing_rank_id";
}

/// The enumerator whose name is `text`.
template <class Enum, std::size_t N>
constexpr std::optional<Enum>
parseName(const std::array<std::string_view, N> &names, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == text)
      return static_cast<Enum>(i);
  return std::nullopt;
}

/// Strides of a view that covers a whole value: row-major for tensors; for
/// tiles and buffers 1 for the rows and row-major for the free dimensions.
inline std::vector<std::int64_t>
denseStrides(ValueKind kind, const std::vector<std::int64_t> &shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  if (kind != ValueKind::tensor && !shape.empty())
    strides[0] = 1;
  return strides;
}

/// The view that covers the whole of value `id`.
inline View wholeView(const Program &program, Id id) {
  const Value &value = program.values[id];
  View view;
  view.value = id;
  view.sizes = value.shape;
  view.strides = denseStrides(value.kind, value.shape);
  view.dtype = value.dtype;
  return view;
}

} // namespace kiln::program

#endif // KILN_PROGRAM_NAMES_H
