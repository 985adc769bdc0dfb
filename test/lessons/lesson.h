//===- lesson.h - Shared by the lessons -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_LESSONS_LESSON_H
#define KILN_TEST_LESSONS_LESSON_H

#include <cstdlib>
#include <iostream>

namespace lesson {

inline void expect(bool holds, const char *what) {
  if (holds)
    return;
  std::cerr << "does not hold: " << what << '\n';
  std::exit(1);
}

} // namespace lesson

#endif // KILN_TEST_LESSONS_LESSON_H
