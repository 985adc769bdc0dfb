//===- catch.h - The only place that names Catch2's header ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_SUPPORT_CATCH_H
#define KILN_TEST_SUPPORT_CATCH_H

#if defined(__clang__) && __clang_major__ >= 22
#pragma clang diagnostic ignored "-Wc2y-extensions" // its macros' __COUNTER__
#endif

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif // KILN_TEST_SUPPORT_CATCH_H
