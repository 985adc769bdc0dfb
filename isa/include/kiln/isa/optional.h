//===- optional.h - A value that is rarely there --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_OPTIONAL_H
#define KILN_ISA_OPTIONAL_H

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace kiln::isa {

/// The interface of std::optional with the value on the heap, so that an absent
/// value takes eight bytes. Most instructions leave out most optional operands,
/// and a stream gives every instruction the space of the largest.
template <class T> class Optional {
public:
  using value_type = T;

  Optional() = default;
  Optional(std::nullopt_t) {}
  /// Takes anything from which a T can be constructed.
  template <class U>
    requires(!std::same_as<std::remove_cvref_t<U>, Optional> &&
             !std::same_as<std::remove_cvref_t<U>, std::nullopt_t> &&
             std::constructible_from<T, U>)
  Optional(U &&value) : held(std::make_unique<T>(std::forward<U>(value))) {}
  Optional(const Optional &other)
      : held(other.held ? std::make_unique<T>(*other.held) : nullptr) {}
  Optional(Optional &&) noexcept = default;
  Optional &operator=(const Optional &other) {
    if (this != &other)
      held = other.held ? std::make_unique<T>(*other.held) : nullptr;
    return *this;
  }
  Optional &operator=(Optional &&) noexcept = default;
  ~Optional() = default;

  bool has_value() const { return held != nullptr; }
  explicit operator bool() const { return has_value(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return held.get(); }
  const T *operator->() const { return held.get(); }
  T &emplace() {
    held = std::make_unique<T>();
    return *held;
  }
  void reset() { held.reset(); }

  friend bool operator==(const Optional &a, const Optional &b) {
    return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
  }

private:
  std::unique_ptr<T> held;
};

template <class T> inline constexpr bool isOptional = false;
template <class T> inline constexpr bool isOptional<std::optional<T>> = true;
template <class T> inline constexpr bool isOptional<Optional<T>> = true;

/// A field that may be absent: std::optional or Optional.
template <class T>
concept AnyOptional = isOptional<std::remove_cv_t<T>>;

} // namespace kiln::isa

#endif // KILN_ISA_OPTIONAL_H
