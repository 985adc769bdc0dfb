//===- error.h - How a kernel file reports a mistake ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel file supplies the parts of a message, and the program that runs the
// kernel throws them as a RecordError (kiln/record_error.h). A kernel file
// therefore needs no strings.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_ERROR_H
#define KILN_DSL_ERROR_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string_view>

/// One copy per shared object: a kernel library that is loaded at run time must
/// not see the kernel table of the program that loads it.
#define KILN_HIDDEN __attribute__((visibility("hidden")))

namespace kiln::dsl {

/// The position of a call in the user's file.
using Where = std::source_location;

/// Never inline: every call in a kernel file would pay for it.
#define KILN_COLD __attribute__((noinline, cold))

/// The name of a number in a list of KILN_CHOICES, "none, rms, layer".
constexpr std::string_view choiceName(std::string_view names,
                                      std::int64_t number) {
  for (; number > 0; --number) {
    const std::size_t comma = names.find(',');
    if (comma == std::string_view::npos)
      return {};
    names.remove_prefix(comma + 1);
  }
  names = names.substr(0, names.find(','));
  names.remove_prefix(names[0] == ' ' ? 1 : 0);
  return names;
}

/// Characters, or a number. A number of a floating-point type is written with
/// as few digits as its type needs.
struct Part {
  enum class Kind : std::uint8_t { text, integer, single, real };

  Kind kind = Kind::text;
  std::string_view text;
  std::int64_t number = 0;
  double real = 0;

  Part() = default;
  Part(std::string_view text) : text(text) {}
  Part(const char *text) : text(text) {}
  Part(float number) : kind(Kind::single), real(number) {}
  Part(double number) : kind(Kind::real), real(number) {}
  template <std::integral N>
  Part(N number)
      : kind(Kind::integer), number(static_cast<std::int64_t>(number)) {}
  /// The name of a choice.
  template <class Choice>
    requires requires { kilnChoices(Choice{}); }
  Part(Choice choice)
      : text(choiceName(kilnChoices(choice),
                        static_cast<std::int64_t>(choice))) {}
};

/// Parts in a row, such as {"found ", 3}. Lives as long as the call that it is
/// passed to.
class Text {
public:
  Text(std::initializer_list<Part> parts) : parts(parts), isList(true) {}
  Text(const char *chars) : own(chars) {}
  template <std::convertible_to<std::string_view> Chars>
  Text(const Chars &chars) : own(std::string_view(chars)) {}
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;

  const Part *begin() const { return isList ? parts.begin() : &own; }
  const Part *end() const { return isList ? parts.end() : &own + 1; }

private:
  Part own;
  std::initializer_list<Part> parts;
  bool isList = false;
};

/// Throws a RecordError.
using Thrower = void (*)(std::string_view code, const Text &message,
                         const Text &fix, const Where &where);
/// Set by the program that runs the kernels of this shared object.
KILN_HIDDEN inline Thrower &thrower() {
  static Thrower function = nullptr;
  return function;
}

/// Thrown instead while no program runs kernels.
struct NoThrower {};

[[noreturn]] KILN_COLD inline void fail(std::string_view code,
                                        const Text &message, const Text &fix,
                                        const Where &where) {
  if (Thrower function = thrower())
    function(code, message, fix, where);
  throw NoThrower();
}

} // namespace kiln::dsl

#endif // KILN_DSL_ERROR_H
