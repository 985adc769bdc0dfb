//===- workers.cpp - Seeds in processes of their own ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers.h"

#include "kiln/trial/trial.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace kiln::test {
namespace {

/// In front of each report in the pipe; `size` bytes of text follow.
struct Header {
  std::uint64_t seed, compared, elements;
  std::uint32_t kind, size;
};

/// Moves all `size` bytes with `move`: read or write, from one end of a pipe.
template <class Byte>
bool moveAll(ssize_t (*move)(int, Byte *, std::size_t), int pipe, Byte *data,
             std::size_t size) {
  auto *bytes = static_cast<
      std::conditional_t<std::is_const_v<Byte>, const char, char> *>(data);
  while (size > 0) {
    const ssize_t count = move(pipe, bytes, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}
bool writeAll(int pipe, const void *data, std::size_t size) {
  return moveAll(::write, pipe, data, size);
}
bool readAll(int pipe, void *data, std::size_t size) {
  return moveAll(::read, pipe, data, size);
}

/// A process that does every `jobs`-th seed.
struct Worker {
  pid_t process = 0;
  int pipe = -1;
  std::uint64_t next = 0; ///< The seed it works on.
};

} // namespace

int inOtherProcess(unsigned timeout, const std::function<void()> &body) {
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process < 0)
    throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
  if (process == 0) {
    alarm(timeout);
    body();
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void runWorkers(
    const WorkPlan &plan, const std::function<Report(std::uint64_t)> &work,
    const std::function<void(std::uint64_t, const Report &)> &done) {
  const std::uint64_t jobs = plan.jobs == 0 ? 1 : plan.jobs;
  std::vector<Worker> workers;
  const auto begin = [&](Worker &worker) {
    int ends[2];
    if (pipe(ends) != 0)
      throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
    std::fflush(nullptr);
    worker.process = fork();
    if (worker.process < 0)
      throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
    if (worker.process > 0) {
      close(ends[1]);
      worker.pipe = ends[0];
      return;
    }
    close(ends[0]);
    for (std::uint64_t seed = worker.next; seed <= plan.last; seed += jobs) {
      alarm(plan.timeout);
      const Report report = work(seed);
      const Header header{seed, report.compared, report.elements, report.kind,
                          static_cast<std::uint32_t>(report.text.size())};
      if (!writeAll(ends[1], &header, sizeof header) ||
          !writeAll(ends[1], report.text.data(), report.text.size()))
        _exit(1);
    }
    _exit(0);
  };
  for (std::uint64_t i = 0; i < jobs && plan.first + i <= plan.last; ++i) {
    workers.push_back({0, -1, plan.first + i});
    begin(workers.back());
  }
  std::size_t running = workers.size();
  while (running > 0) {
    std::vector<pollfd> pipes;
    std::vector<Worker *> owners;
    for (Worker &worker : workers)
      if (worker.pipe >= 0) {
        pipes.push_back({worker.pipe, POLLIN, 0});
        owners.push_back(&worker);
      }
    if (poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR)
      throw std::runtime_error("poll: " + std::string(std::strerror(errno)));
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].revents == 0)
        continue;
      Worker &worker = *owners[i];
      Header header{};
      Report report;
      if (readAll(worker.pipe, &header, sizeof header)) {
        report.kind = header.kind;
        report.compared = header.compared;
        report.elements = header.elements;
        report.text.resize(header.size);
        if (readAll(worker.pipe, report.text.data(), header.size)) {
          worker.next = header.seed + jobs;
          done(header.seed, report);
          continue;
        }
      }
      close(worker.pipe);
      worker.pipe = -1;
      int status = 0;
      while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
      }
      if (worker.next > plan.last) {
        --running;
        continue;
      }
      const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      const bool late = signal == SIGALRM;
      report.kind = static_cast<std::uint32_t>(late ? trial::Class::timeout
                                                    : trial::Class::crash);
      report.text = late ? "timeout"
                    : signal > 0
                        ? "crash signal " + std::to_string(signal)
                        : "crash exit " + std::to_string(WEXITSTATUS(status));
      done(worker.next, report);
      worker.next += jobs;
      if (worker.next > plan.last)
        --running;
      else
        begin(worker);
    }
  }
}

} // namespace kiln::test
