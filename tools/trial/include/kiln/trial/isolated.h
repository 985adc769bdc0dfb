//===- isolated.h - A question to another process ------------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TRIAL_ISOLATED_H
#define KILN_TRIAL_ISOLATED_H

#include <functional>
#include <string>

namespace kiln::trial {

struct Answer {
  std::string text;  ///< The text that the child returned.
  std::string ended; ///< Else: "crash signal 11", "timeout".
};

/// Calls `question` in a child that may crash or hang. The child's standard
/// error is discarded.
Answer askIsolated(unsigned seconds,
                   const std::function<std::string()> &question);

} // namespace kiln::trial

#endif // KILN_TRIAL_ISOLATED_H
