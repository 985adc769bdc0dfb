//===- init.cpp - The first program of the emulated computer --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every program in /tests, prints how they ended on the serial line for
// run_in_bochs.py, and restarts the computer, which ends the emulation.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace {

char *text(const char *words) { return strdup(words); }

/// Becomes the program of that name, without the tests that only move bytes:
/// they take half of the time, and no loop of another width.
[[noreturn]] void start(char *name) {
  char *arguments[] = {name, text("~[memory]"), text("--durations=yes"),
                       text("--use-colour=no"), nullptr};
  // An emulated instruction costs the same whether it stores a byte or 64: keep
  // memory instead of asking for fresh pages, and fill it with wide stores.
  char *environment[] = {
      text("KILN_TEST_BINARIES=/binaries"), text("KILN_TEST_VERSION=avx512"),
      text("GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1073741824:"
           "glibc.malloc.trim_threshold=1073741824:"
           "glibc.cpu.x86_rep_stosb_threshold=1073741824:"
           "glibc.cpu.x86_rep_movsb_threshold=1073741824"),
      nullptr};
  execve(name, arguments, environment);
  std::perror(name);
  _exit(127);
}

} // namespace

int main() {
  dirent **programs = nullptr;
  const int found = chdir("/tests") == 0
                        ? scandir(
                              ".", &programs,
                              [](const dirent *entry) {
                                return entry->d_name[0] != '.' ? 1 : 0;
                              },
                              alphasort)
                        : 0;
  int passed = 0;
  for (int i = 0; i < found; ++i) {
    char *name = programs[i]->d_name;
    std::printf("-- %s\n", name);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
      start(name);
    int status = -1;
    if (child > 0)
      waitpid(child, &status, 0);
    std::printf("%s: status %d\n", name, status);
    passed += status == 0;
  }
  std::printf("\nemulated-test: %d of %d passed\n", passed, found);
  std::fflush(stdout);
  // A restart would cut off what the line has not sent yet.
  tcdrain(STDOUT_FILENO);
  reboot(RB_AUTOBOOT);
  return 1;
}
