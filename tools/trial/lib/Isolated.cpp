//===- Isolated.cpp - A question to another process ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/trial/isolated.h"

#include "kiln/trial/reduce.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::trial {
namespace {

[[noreturn]] void runChild(int pipe, unsigned seconds,
                           const std::function<std::string()> &question) {
  // A handler would report a crash that the parent learns of anyway.
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
    signal(number, SIG_DFL);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0)
    dup2(nowhere, STDERR_FILENO);
  alarm(seconds);
  const std::string text = question();
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(pipe, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      _exit(1);
    done += static_cast<std::size_t>(count);
  }
  _exit(0);
}

} // namespace

Answer askIsolated(unsigned seconds,
                   const std::function<std::string()> &question) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process < 0)
    throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
  if (process == 0) {
    close(ends[0]);
    runChild(ends[1], seconds, question);
  }
  close(ends[1]);
  Answer answer;
  char bytes[4096];
  for (;;) {
    const ssize_t count = read(ends[0], bytes, sizeof bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    answer.text.append(bytes, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    answer.ended = WTERMSIG(status) == SIGALRM
                       ? "timeout"
                       : "crash signal " + std::to_string(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    answer.ended = "crash exit " + std::to_string(WEXITSTATUS(status));
  return answer;
}

Outcome tryIsolated(std::span<const program::Program> cores,
                    const Settings &settings, unsigned seconds) {
  // Class, code, text.
  const Answer answer = askIsolated(seconds, [&] {
    const Outcome outcome = tryProgram(cores, settings);
    return std::string(1, static_cast<char>(outcome.kind)) + outcome.code +
           "\n" + outcome.text;
  });
  Outcome outcome;
  if (!answer.ended.empty() || answer.text.empty()) {
    const bool late = answer.ended == "timeout";
    outcome.kind = late ? Class::timeout : Class::crash;
    outcome.code = late ? "" : answer.ended.substr(answer.ended.find(' ') + 1);
    return outcome;
  }
  outcome.kind = static_cast<Class>(answer.text[0]);
  const std::size_t line = answer.text.find('\n');
  outcome.code = answer.text.substr(1, line - 1);
  outcome.text = answer.text.substr(line + 1);
  return outcome;
}

} // namespace kiln::trial
