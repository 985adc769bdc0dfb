//===- Progress.cpp - A sign of life during long work -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "Messages.h"

#include <chrono>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace kiln::tool {

Progress::Progress(std::string what) : what(std::move(what)) {
  if (::isatty(2) && !tellsJson())
    ticker = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!ticker.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_one();
  ticker.join();
}

void Progress::show() {
  std::unique_lock<std::mutex> lock(mutex);
  for (int seconds = 1;; ++seconds) {
    if (changed.wait_for(lock, std::chrono::seconds(1), [&] { return done; })) {
      if (seconds > 1)
        std::cerr << "\r\033[K" << std::flush;
      return;
    }
    std::cerr << "\r" << what << " ... " << seconds << " s" << std::flush;
  }
}

} // namespace kiln::tool
