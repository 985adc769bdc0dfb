//===- progress_test.cpp - A sign of life on a terminal -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "catch.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace kiln::tool;

namespace {

/// Standard error as long as this lives.
class StandardError {
public:
  explicit StandardError(int file) : before(dup(2)) { dup2(file, 2); }
  ~StandardError() {
    dup2(before, 2);
    close(before);
  }

private:
  int before;
};

/// A new terminal: what it shows, and what a program writes to.
struct Terminal {
  Terminal() : shown(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    REQUIRE(shown >= 0);
    REQUIRE(grantpt(shown) == 0);
    REQUIRE(unlockpt(shown) == 0);
    written = open(ptsname(shown), O_RDWR | O_NOCTTY);
    REQUIRE(written >= 0);
  }
  ~Terminal() {
    close(written);
    close(shown);
  }
  /// A terminal may hand on what it got in parts: until `last`, or for a while.
  std::string text(std::string_view last = {}) const {
    std::string all;
    for (int turn = 0; turn < 100; ++turn) {
      char buffer[1024];
      const ssize_t size = read(shown, buffer, sizeof buffer);
      all.append(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
      if (all.ends_with(last))
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return all;
  }
  int shown;
  int written = -1;
};

} // namespace

TEST_CASE("work of more than a second shows its seconds and wipes them") {
  const Terminal terminal;
  {
    const StandardError redirected(terminal.written);
    const Progress progress("running softmax");
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  CHECK(terminal.text("\033[K") == "\rrunning softmax ... 1 s\r\033[K");
}

TEST_CASE("short work shows nothing, and does not wait for a second") {
  const Terminal terminal;
  const auto begin = std::chrono::steady_clock::now();
  {
    const StandardError redirected(terminal.written);
    for (int i = 0; i < 20; ++i)
      const Progress progress("running softmax");
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15));
  CHECK(terminal.text().empty());
}

TEST_CASE("what is no terminal stays silent") {
  int ends[2];
  REQUIRE(pipe2(ends, O_NONBLOCK) == 0);
  {
    const StandardError redirected(ends[1]);
    const Progress progress("running softmax");
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  }
  char byte = 0;
  CHECK(read(ends[0], &byte, 1) < 0);
  close(ends[0]);
  close(ends[1]);
}
