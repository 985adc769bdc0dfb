//===- list.h - A list that compiles fast ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At -O0 the compiler makes thirty functions of a std::vector for each type of
// its elements, and of this list a third of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_LIST_H
#define KILN_KERNELS_SUPPORT_LIST_H

#include <cstddef>
#include <new>
#include <utility>

namespace kiln::kernels {

/// A std::vector with what kernels and references need of it.
template <class T> class List {
public:
  List() = default;
  explicit List(std::size_t size, const T &value = T()) : List() {
    for (reserve(size); count < size;)
      push_back(value);
  }
  List(const List &other) : List() {
    reserve(other.count);
    for (const T &each : other)
      push_back(each);
  }
  List(List &&other) noexcept
      : first(std::exchange(other.first, nullptr)),
        count(std::exchange(other.count, 0)),
        room(std::exchange(other.room, 0)) {}
  List &operator=(List other) noexcept {
    std::swap(first, other.first);
    std::swap(count, other.count);
    std::swap(room, other.room);
    return *this;
  }
  ~List() { release(); }

  std::size_t size() const { return count; }
  T *begin() { return first; }
  T *end() { return first + count; }
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  T *data() { return first; }
  const T *data() const { return first; }
  T &back() { return first[count - 1]; }
  T &operator[](std::size_t i) { return first[i]; }
  const T &operator[](std::size_t i) const { return first[i]; }

  template <class Given = T> T &push_back(Given &&given) {
    if (count == room)
      reserve(room == 0 ? 1 : 2 * room);
    return *::new (static_cast<void *>(first + count++))
        T(std::forward<Given>(given));
  }
  void reserve(std::size_t wanted) {
    if (wanted <= room)
      return;
    List larger;
    larger.first = static_cast<T *>(::operator new(wanted * sizeof(T)));
    larger.room = wanted;
    for (; larger.count < count; ++larger.count)
      ::new (static_cast<void *>(larger.first + larger.count))
          T(std::move_if_noexcept(first[larger.count]));
    std::swap(first, larger.first);
    std::swap(room, larger.room);
  }

private:
  void release() {
    for (std::size_t i = 0; i < count; ++i)
      first[i].~T();
    ::operator delete(first);
  }

  T *first = nullptr;
  std::size_t count = 0, room = 0;
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_LIST_H
