//===- Calls.h - The calls that lead to an operation ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation of the language tells its frame. From there, the frames of the
// kernel are a chain of saved frame pointers, each below its return address.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_CALLS_H
#define KILN_DSL_LIB_RECORD_CALLS_H

#include "kiln/record.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kiln::dsl {

class Calls {
public:
  using Callers = std::vector<program::CallSite>;

  /// `end`: a frame above those of the kernel.
  Calls(CallResolver resolver, const void *end)
      : resolver(resolver), end(end) {}

  /// The calls that lead to the code at `place` of the function with `frame`.
  const Callers *at(const void *place, const void *frame) {
    frames.assign(1, place);
    for (const void *at = frame; isInside(at);) {
      const auto *saved = static_cast<const void *const *>(at);
      frames.push_back(saved[1]);
      // Of code without frame pointers, it is any number.
      if (address(saved[0]) <= address(at))
        break;
      at = saved[0];
    }
    const auto [known, isNew] = callers.try_emplace(frames);
    if (isNew)
      known->second = resolver(frames);
    return &known->second;
  }

private:
  static std::uintptr_t address(const void *at) {
    return reinterpret_cast<std::uintptr_t>(at);
  }
  bool isInside(const void *frame) const {
    return address(frame) % sizeof frame == 0 &&
           address(frame) + 2 * sizeof frame <= address(end);
  }

  CallResolver resolver;
  const void *end;
  std::vector<const void *> frames;
  std::map<std::vector<const void *>, Callers> callers;
};

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_CALLS_H
