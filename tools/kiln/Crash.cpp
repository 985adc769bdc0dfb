//===- Crash.cpp - When it is our fault ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Crash.h"

#include "Messages.h"
#include "Version.h"

#include "kiln/tool/failure.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace kiln::tool {
namespace {

struct FatalSignal {
  int number;
  const char *name;
};
constexpr std::array<FatalSignal, 5> fatalSignals{
    {{SIGSEGV, "segmentation fault"},
     {SIGABRT, "abort"},
     {SIGBUS, "bus error"},
     {SIGFPE, "arithmetic fault"},
     {SIGILL, "illegal instruction"}}};

/// As text or as a line of JSON.
struct CrashMessage {
  std::string alone, withReport;
};

/// Everything that the signal handler needs, prepared in advance: a handler may
/// neither allocate nor lock.
struct CrashState {
  std::array<CrashMessage, fatalSignals.size()> messages; ///< By signal.
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
  if (!whole) // The disk is full: half a report is useless.
    ::unlink(crash.path.c_str());
  return whole;
}

/// Composes the message for a signal: its handler can only write it.
void composeMessages() {
  CrashState &crash = state();
  for (std::size_t i = 0; i < fatalSignals.size(); ++i) {
    const std::string_view name = fatalSignals[i].name;
    const std::string article =
        std::string_view("aei").find(name[0]) < 3 ? "an " : "a ";
    isa::Diagnostic diagnostic{
        crash.userCode ? "KILN-T005" : "KILN-T070",
        (crash.userCode ? "the kernel's own code ended with " + article : "") +
            std::string(name) + " while " + crash.phase};
    const std::string text =
        (crash.userCode ? "kiln: error: " : "kiln: internal error: ") +
        diagnostic.text + " [" + diagnostic.code + "]\n";
    diagnostic.blame = crash.userCode ? isa::Blame::user : isa::Blame::kiln;
    CrashMessage &message = crash.messages[i];
    message.alone = tellsJson() ? toJsonLine(diagnostic) : text;
    diagnostic.fix =
        "please report it; a reproducer is in '" + crash.path + "'";
    message.withReport = tellsJson() ? toJsonLine(diagnostic)
                                     : text + "kiln: a reproducer is in '" +
                                           crash.path + "'; please report it\n";
  }
}

extern "C" void onFatalSignal(int number) {
  const CrashState &crash = state();
  std::size_t i = 0;
  while (i + 1 < fatalSignals.size() && fatalSignals[i].number != number)
    ++i;
  const CrashMessage &message = crash.messages[i];
  if (crash.userCode) {
    put(2, message.alone);
    ::_exit(userError);
  }
  put(2,
      writeReport(fatalSignals[i].name) ? message.withReport : message.alone);
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
  composeMessages();

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
  for (const FatalSignal &fatal : fatalSignals)
    ::sigaction(fatal.number, &action, nullptr);
#endif
}

void enterPhase(const std::string &phase, bool userCode) {
  state().userCode = userCode;
  state().phase = phase;
  composeMessages();
}

void addToReproducer(const std::string &title, const std::string &text) {
  state().report += "--- " + title + "\n" + text + "\n";
}

std::string writeReproducer(const std::string &error) {
  return writeReport(error.c_str()) ? state().path : std::string();
}

} // namespace kiln::tool
