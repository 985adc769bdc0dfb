//===- ShortList.h - A list that mostly holds a few -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEMS_SHORTLIST_H
#define KILN_COMPILER_PROBLEMS_SHORTLIST_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace kiln::problems {

/// As much of std::vector as problems need. Up to `few` elements need no memory
/// of their own, and the list itself is no larger than a vector where they take
/// 16 bytes: a problem holds millions of such lists.
template <class T, std::uint32_t few> class ShortList {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::is_trivially_destructible_v<T>);

public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  ShortList() = default;
  ShortList(std::initializer_list<T> values) {
    for (const T &value : values)
      push_back(value);
  }
  ShortList(const ShortList &other) {
    reserve(other.count);
    std::copy(other.begin(), other.end(), begin());
    count = other.count;
  }
  ShortList(ShortList &&other) noexcept { swap(other); }
  ShortList &operator=(ShortList other) noexcept {
    swap(other);
    return *this;
  }
  ~ShortList() {
    if (!isShort())
      delete[] elsewhere();
  }

  T *data() { return isShort() ? reinterpret_cast<T *>(storage) : elsewhere(); }
  const T *data() const {
    return isShort() ? reinterpret_cast<const T *>(storage) : elsewhere();
  }
  T *begin() { return data(); }
  T *end() { return data() + count; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }
  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T &operator[](std::size_t i) { return data()[i]; }
  const T &operator[](std::size_t i) const { return data()[i]; }
  T &back() { return data()[count - 1]; }
  const T &back() const { return data()[count - 1]; }

  void clear() { count = 0; }
  void push_back(T value) {
    if (count == room)
      reserve(2 * room);
    data()[count++] = value;
  }
  void reserve(std::uint32_t wanted) {
    if (wanted <= room)
      return;
    T *const larger = new T[wanted];
    std::copy(begin(), end(), larger);
    if (!isShort())
      delete[] elsewhere();
    std::memcpy(storage, &larger, sizeof larger);
    room = wanted;
  }
  template <class Test> void eraseIf(Test &&test) {
    count = static_cast<std::uint32_t>(std::remove_if(begin(), end(), test) -
                                       begin());
  }

  friend bool operator==(const ShortList &a, const ShortList &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  bool isShort() const { return room == few; }
  T *elsewhere() const {
    T *list;
    std::memcpy(&list, storage, sizeof list);
    return list;
  }
  void swap(ShortList &other) noexcept {
    std::swap(storage, other.storage);
    std::swap(count, other.count);
    std::swap(room, other.room);
  }

  /// The elements, or where they are.
  alignas(T) alignas(
      T *) unsigned char storage[std::max(few * sizeof(T), sizeof(T *))] = {};
  std::uint32_t count = 0;
  std::uint32_t room = few;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEMS_SHORTLIST_H
