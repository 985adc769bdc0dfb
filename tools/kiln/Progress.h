//===- Progress.h - A sign of life during long work ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_PROGRESS_H
#define KILN_TOOLS_KILN_PROGRESS_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kiln::tool {

/// Shows "what ... 12 s" on standard error from the first second on, and wipes
/// it when done. Silent if standard error is not a terminal.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  void show();

  std::string what;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread ticker;
};

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_PROGRESS_H
