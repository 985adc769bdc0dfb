//===- optional.h - Operands that may be left out -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_OPTIONAL_H
#define KILN_DSL_OPTIONAL_H

#include <concepts>
#include <type_traits>
#include <utility>

namespace kiln::nc {

/// A std::optional of a type that needs no destructor. For std::optional, the
/// compiler needs ten times as many functions.
template <class T> class Optional {
  static_assert(std::is_trivially_destructible_v<T>);

public:
  Optional() : none() {}
  template <class Given = T>
    requires(std::convertible_to<Given, T> &&
             !std::same_as<std::remove_cvref_t<Given>, Optional>)
  Optional(Given &&given) : value(std::forward<Given>(given)), isGiven(true) {}
  /// The value of a std::optional, if it has one.
  template <class Other>
    requires(requires(const Other &other) { other.has_value(); } &&
             !std::convertible_to<Other, T>)
  Optional(const Other &other) : none() {
    if (other.has_value())
      *this = Optional(T(*other));
  }

  explicit operator bool() const { return isGiven; }
  const T &operator*() const { return value; }
  const T *operator->() const { return &value; }

private:
  union {
    char none;
    T value;
  };
  bool isGiven = false;
};

} // namespace kiln::nc

#endif // KILN_DSL_OPTIONAL_H
