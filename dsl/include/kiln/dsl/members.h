//===- members.h - The members of a kernel struct -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BOOST_HANA_DEFINE_STRUCT makes a Hana struct, as anywhere. Hana lists its
// members as a tuple of pairs, which takes the compiler 7 ms for each member of
// each kernel and element type. So in a kernel file the macro also lists them
// as plain pointers and names, which cost nothing.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_MEMBERS_H
#define KILN_DSL_MEMBERS_H

#include <boost/hana/define_struct.hpp>

namespace kiln::dsl {

/// Pointers to the members of a struct.
template <class Struct, auto... Members> struct MemberList {};

} // namespace kiln::dsl

// What `use(Type, name)` gives for each (type, name) of a list, in a row.
#define KILN_DSL_PARENTHESES ()
#define KILN_DSL_SCAN_3(...) __VA_ARGS__
#define KILN_DSL_SCAN_2(...)                                                   \
  KILN_DSL_SCAN_3(                                                             \
      KILN_DSL_SCAN_3(KILN_DSL_SCAN_3(KILN_DSL_SCAN_3(__VA_ARGS__))))
#define KILN_DSL_SCAN_1(...)                                                   \
  KILN_DSL_SCAN_2(                                                             \
      KILN_DSL_SCAN_2(KILN_DSL_SCAN_2(KILN_DSL_SCAN_2(__VA_ARGS__))))
#define KILN_DSL_SCAN(...)                                                     \
  KILN_DSL_SCAN_1(                                                             \
      KILN_DSL_SCAN_1(KILN_DSL_SCAN_1(KILN_DSL_SCAN_1(__VA_ARGS__))))
#define KILN_DSL_EACH_MEMBER(use, Type, ...)                                   \
  __VA_OPT__(KILN_DSL_SCAN(KILN_DSL_EACH_STEP(use, Type, __VA_ARGS__)))
#define KILN_DSL_EACH_STEP(use, Type, member, ...)                             \
  use(Type, BOOST_HANA_PP_BACK member) __VA_OPT__(                             \
      KILN_DSL_EACH_NEXT KILN_DSL_PARENTHESES(use, Type, __VA_ARGS__))
#define KILN_DSL_EACH_NEXT() KILN_DSL_EACH_STEP

#define KILN_DSL_MEMBER_POINTER(Type, name) , &Type::name
#define KILN_DSL_MEMBER_NAME(Type, name) BOOST_HANA_PP_STRINGIZE(name) "\0"

#define KILN_DSL_LIST_MEMBERS(Type, ...)                                       \
  static constexpr auto kilnMembers() {                                        \
    return ::kiln::dsl::MemberList<Type KILN_DSL_EACH_MEMBER(                  \
        KILN_DSL_MEMBER_POINTER, Type, __VA_ARGS__)>{};                        \
  }                                                                            \
  /** Each with a zero byte behind it. */                                      \
  static constexpr const char *kilnMemberNames() {                             \
    return "" KILN_DSL_EACH_MEMBER(KILN_DSL_MEMBER_NAME, Type, __VA_ARGS__);   \
  }

#undef BOOST_HANA_DEFINE_STRUCT
/// What kernel.h reads, and what Hana's macro of this name expands to.
#define BOOST_HANA_DEFINE_STRUCT(...)                                          \
  KILN_DSL_LIST_MEMBERS(__VA_ARGS__)                                           \
  BOOST_HANA_DEFINE_STRUCT_IMPL(BOOST_HANA_PP_NARG(__VA_ARGS__), __VA_ARGS__)

#endif // KILN_DSL_MEMBERS_H
