//===- members.h - The members of a kernel struct -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BOOST_HANA_DEFINE_STRUCT lists the members of a kernel. Hana lists them as a
// tuple of pairs, which takes the compiler 7 ms for each member of each kernel
// and element type. The macro therefore lists them as plain pointers and names,
// which cost nothing. If a file includes Hana's define_struct.hpp before Kiln,
// the macro also makes a Hana struct.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_MEMBERS_H
#define KILN_DSL_MEMBERS_H

namespace kiln::dsl {

/// Pointers to the members of a struct.
template <class Struct, auto... Members> struct MemberList {};

} // namespace kiln::dsl

// What `use(Type, type, name)` gives for each (type, name) of a list, in a row.
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
  KILN_DSL_USE(use, Type, KILN_DSL_UNPACK member)                              \
  __VA_OPT__(KILN_DSL_EACH_NEXT KILN_DSL_PARENTHESES(use, Type, __VA_ARGS__))
#define KILN_DSL_EACH_NEXT() KILN_DSL_EACH_STEP

#define KILN_DSL_UNPACK(...) __VA_ARGS__
#define KILN_DSL_USE(use, ...) use(__VA_ARGS__)

#define KILN_DSL_MEMBER(Type, type, name) type name;
#define KILN_DSL_MEMBER_POINTER(Type, type, name) , &Type::name
#define KILN_DSL_MEMBER_NAME(Type, type, name) #name "\0"

#define KILN_DSL_LIST_MEMBERS(Type, ...)                                       \
  static constexpr auto kilnMembers() {                                        \
    return ::kiln::dsl::MemberList<Type KILN_DSL_EACH_MEMBER(                  \
        KILN_DSL_MEMBER_POINTER, Type, __VA_ARGS__)>{};                        \
  }                                                                            \
  /** Each ends with a zero byte. */                                           \
  static constexpr const char *kilnMemberNames() {                             \
    return "" KILN_DSL_EACH_MEMBER(KILN_DSL_MEMBER_NAME, Type, __VA_ARGS__);   \
  }

#ifdef BOOST_HANA_DEFINE_STRUCT_HPP
#define KILN_DSL_DECLARE_MEMBERS(...)                                          \
  BOOST_HANA_DEFINE_STRUCT_IMPL(BOOST_HANA_PP_NARG(__VA_ARGS__), __VA_ARGS__)
#else
/// That header is not to define the macro again.
#define BOOST_HANA_DEFINE_STRUCT_HPP
#define KILN_DSL_DECLARE_MEMBERS(Type, ...)                                    \
  KILN_DSL_EACH_MEMBER(KILN_DSL_MEMBER, Type, __VA_ARGS__) static_assert(true)
#endif

#undef BOOST_HANA_DEFINE_STRUCT
/// What kernel.h reads, and the members.
#define BOOST_HANA_DEFINE_STRUCT(...)                                          \
  KILN_DSL_LIST_MEMBERS(__VA_ARGS__)                                           \
  KILN_DSL_DECLARE_MEMBERS(__VA_ARGS__)

#endif // KILN_DSL_MEMBERS_H
