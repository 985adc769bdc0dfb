//===- init.cpp - The first program of the emulated computer --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs /test, prints how it ended on the serial line for run_in_bochs.py, and
// restarts the computer, which ends the emulation.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

int main() {
  const pid_t child = fork();
  if (child == 0) {
    char program[] = "/test";
    char binaries[] = "KILN_TEST_BINARIES=/binaries";
    char version[] = "KILN_TEST_VERSION=avx512";
    char durations[] = "--durations=yes", plain[] = "--use-colour=no";
    char *arguments[] = {program, durations, plain, nullptr};
    char *environment[] = {binaries, version, nullptr};
    execve(program, arguments, environment);
    std::perror(program);
    _exit(127);
  }
  int status = -1;
  if (child > 0)
    waitpid(child, &status, 0);
  std::printf("\nemulated-test: status %d\n", status);
  std::fflush(stdout);
  // A restart would cut off what the line has not sent yet.
  tcdrain(STDOUT_FILENO);
  reboot(RB_AUTOBOOT);
  return 1;
}
