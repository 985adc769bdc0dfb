//===- Crash.cpp - When it is our fault ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Crash.h"

#include "Version.h"

#include "kiln/tool/failure.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace kiln::tool {
namespace {

/// Everything the signal handler needs, made before it can be needed: a
/// handler may neither allocate nor lock.
struct CrashState {
  std::string path;
  std::string report;
  std::string phase = "starting";
  bool userCode = false;
};

CrashState &state() {
  static CrashState instance;
  return instance;
}

bool put(int file, const char *text, std::size_t size) {
  while (size > 0) {
    ssize_t written = ::write(file, text, size);
    if (written <= 0)
      return false;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}
bool put(int file, const char *text) {
  return put(file, text, std::strlen(text));
}
bool put(int file, const std::string &text) {
  return put(file, text.data(), text.size());
}

bool writeReport(const char *error) {
  CrashState &crash = state();
  int file = ::open(crash.path.c_str(),
                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  const bool whole = put(file, crash.report) && put(file, "phase: ") &&
                     put(file, crash.phase) && put(file, "\nerror: ") &&
                     put(file, error) && put(file, "\n");
  ::close(file);
  if (!whole) // The disk is full: half a report helps nobody.
    ::unlink(crash.path.c_str());
  return whole;
}

const char *signalName(int number) {
  switch (number) {
  case SIGSEGV:
    return "segmentation fault";
  case SIGABRT:
    return "abort";
  case SIGBUS:
    return "bus error";
  case SIGFPE:
    return "arithmetic fault";
  default:
    return "illegal instruction";
  }
}

extern "C" void onFatalSignal(int number) {
  CrashState &crash = state();
  if (crash.userCode) {
    put(2, "kiln: error: the kernel's own code ended with a ");
    put(2, signalName(number));
    put(2, " while ");
    put(2, crash.phase);
    put(2, " [KILN-T005]\n");
    ::_exit(userError);
  }
  put(2, "kiln: internal error: ");
  put(2, signalName(number));
  put(2, " while ");
  put(2, crash.phase);
  put(2, " [KILN-T070]\n");
  if (writeReport(signalName(number))) {
    put(2, "kiln: a reproducer is in '");
    put(2, crash.path);
    put(2, "'; please report it\n");
  }
  ::_exit(internalError);
}

} // namespace

void installCrashHandler(std::span<const std::string> commandLine) {
  CrashState &crash = state();
  crash.path = "kiln-reproducer-" + std::to_string(::getpid()) + ".txt";
  crash.report = "kiln " + std::string(versionText()) + "\ncommand:";
  for (const std::string &word : commandLine)
    crash.report += " " + word;
  std::error_code ignored;
  crash.report +=
      "\nfolder: " + std::filesystem::current_path(ignored).string() + "\n";

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&         \
    !defined(KILN_SANITIZED)
  // A stack of its own: the fault may be an overflow of the usual one.
  static char stack[64 * 1024];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_handler = onFatalSignal;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
    ::sigaction(number, &action, nullptr);
#endif
}

void enterPhase(const std::string &phase, bool userCode) {
  state().userCode = userCode;
  state().phase = phase;
}

void addToReproducer(const std::string &title, const std::string &text) {
  state().report += "--- " + title + "\n" + text + "\n";
}

std::string writeReproducer(const std::string &error) {
  return writeReport(error.c_str()) ? state().path : std::string();
}

} // namespace kiln::tool
