//===- Files.cpp - Whole files, read and written safely -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/files.h"

#include "kiln/tool/failure.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kiln::tool {
namespace {

[[noreturn]] void cannotRead(const std::filesystem::path &path, int error) {
  throw Failure("KILN-T001",
                "cannot read '" + path.string() + "': " + std::strerror(error));
}
[[noreturn]] void cannotWrite(const std::filesystem::path &path, int error) {
  throw Failure("KILN-T002", "cannot write '" + path.string() +
                                 "': " + std::strerror(error));
}

/// Closes a descriptor on every way out.
struct Descriptor {
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { close(); }
  /// Some file systems report only here that they are full.
  bool close() {
    const int open = std::exchange(fd, -1);
    return open < 0 || ::close(open) == 0;
  }
  int fd;
};

/// A file that disappears unless it is kept.
struct Temporary {
  explicit Temporary(std::filesystem::path path) : path(std::move(path)) {}
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;
  ~Temporary() {
    std::error_code ignored;
    if (!kept)
      std::filesystem::remove(path, ignored);
  }
  std::filesystem::path path;
  bool kept = false;
};

/// A device or a pipe may never end.
constexpr std::size_t maxStreamBytes = std::size_t{256} << 20;

[[noreturn]] void failEndless(const std::filesystem::path &path) {
  throw Failure("KILN-T060", "'" + path.string() +
                                 "' is not a regular file and " +
                                 "gives more than the allowed " +
                                 std::to_string(maxStreamBytes) +
                                 " bytes; write the data to a regular file");
}

/// Reads until the end, into a container of bytes or characters.
template <class Container>
Container readWhole(const std::filesystem::path &path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0)
    cannotRead(path, errno);
  struct stat status{};
  if (::fstat(file.fd, &status) != 0)
    cannotRead(path, errno);
  if (S_ISDIR(status.st_mode))
    cannotRead(path, EISDIR);

  Container bytes;
  std::size_t used = 0;
  // The size is a hint: pipes have none, and files may grow.
  bytes.resize(static_cast<std::size_t>(status.st_size) + 1);
  while (true) {
    if (used == bytes.size())
      bytes.resize(bytes.size() * 2);
    ssize_t got = ::read(file.fd, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      cannotRead(path, errno);
    if (got == 0)
      break;
    used += static_cast<std::size_t>(got);
    if (used > maxStreamBytes && !S_ISREG(status.st_mode))
      failEndless(path);
  }
  bytes.resize(used);
  return bytes;
}

void writeAll(int fd, const std::uint8_t *data, std::size_t size,
              const std::filesystem::path &path) {
  while (size > 0) {
    ssize_t put = ::write(fd, data, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      cannotWrite(path, errno);
    data += put;
    size -= static_cast<std::size_t>(put);
  }
}

} // namespace

std::vector<std::uint8_t> readFile(const std::filesystem::path &path) {
  return readWhole<std::vector<std::uint8_t>>(path);
}

std::string readTextFile(const std::filesystem::path &path) {
  return readWhole<std::string>(path);
}

FileParts::FileParts(const std::filesystem::path &path)
    : path(path), file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file < 0)
    cannotRead(path, errno);
  Descriptor opened(file);
  struct stat status{};
  if (::fstat(file, &status) != 0)
    cannotRead(path, errno);
  if (!S_ISREG(status.st_mode)) // The others have no size.
    cannotRead(path, S_ISDIR(status.st_mode) ? EISDIR : ESPIPE);
  bytes = static_cast<std::uint64_t>(status.st_size);
  opened.fd = -1;
}

FileParts::~FileParts() { ::close(file); }

std::vector<std::uint8_t> FileParts::read(std::uint64_t begin,
                                          std::uint64_t count) {
  begin = std::min(begin, bytes);
  std::vector<std::uint8_t> part(std::min(count, bytes - begin));
  std::size_t used = 0;
  while (used < part.size()) {
    const ssize_t got = ::pread(file, part.data() + used, part.size() - used,
                                static_cast<off_t>(begin + used));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      cannotRead(path, errno);
    if (got == 0)
      break; // It has become shorter.
    used += static_cast<std::size_t>(got);
  }
  part.resize(used);
  return part;
}

void checkWritable(const std::filesystem::path &path) {
  std::error_code ignored;
  const std::filesystem::file_status status =
      std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status))
    cannotWrite(path, EISDIR);
  // A file is replaced by a new one beside it; a device is written itself.
  const bool replace = !std::filesystem::exists(status) ||
                       std::filesystem::is_regular_file(status);
  std::filesystem::path touched = replace ? path.parent_path() : path;
  if (touched.empty())
    touched = ".";
  if (::access(touched.c_str(), replace ? W_OK | X_OK : W_OK) != 0)
    cannotWrite(path, errno);
}

void writeFile(const std::filesystem::path &path,
               std::span<const std::uint8_t> bytes) {
  // Devices and pipes (/dev/stdout, /dev/null) cannot be renamed onto.
  std::error_code ignored;
  std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status))
    cannotWrite(path, EISDIR);
  bool replace = !std::filesystem::exists(status) ||
                 std::filesystem::is_regular_file(status);
  Temporary written(path);
  if (replace)
    written.path += ".tmp" + std::to_string(::getpid());
  Descriptor file(::open(written.path.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  // A file that cannot be opened must not be removed, nor must a device.
  written.kept = file.fd < 0 || !replace;
  if (file.fd < 0)
    cannotWrite(path, errno);
  writeAll(file.fd, bytes.data(), bytes.size(), path);
  if (!file.close())
    cannotWrite(path, errno);
  if (!replace)
    return;
  std::error_code failed;
  std::filesystem::rename(written.path, path, failed);
  if (failed)
    cannotWrite(path, failed.value());
  written.kept = true;
}

void writeTextFile(const std::filesystem::path &path, std::string_view text) {
  writeFile(path,
            {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

} // namespace kiln::tool
