//===- ContainerReader.cpp - .kbin to Module ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Container.h"

#include "kiln/isa/checks.h"
#include "kiln/isa/encoding.h"
#include "kiln/isa/rounding.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kiln::isa {
namespace {

using Problem = std::optional<Diagnostic>;

class KbinReader {
public:
  /// `versions`: those that it accepts.
  KbinReader(std::span<const std::uint8_t> file,
             std::span<const std::uint32_t> versions)
      : file(file), versions(versions) {}

  Expected<Module> read() {
    elf::ReadResult elf = elf::read(file);
    if (!elf.problem.empty())
      return makeError("KILN-I050", "this is not a .kbin file: " + elf.problem);
    sections = std::move(elf.sections);
    if (Problem problem = readNote())
      return *problem;
    for (std::size_t i = 0; i < numEngines; ++i)
      if (Problem problem = readStream(static_cast<Engine>(i)))
        return *problem;
    if (Problem problem = readTensors())
      return *problem;
    if (Problem problem = readLocations())
      return *problem;
    if (Problem problem = readBuffers())
      return *problem;
    if (Problem problem = readFacts())
      return *problem;
    if (Problem problem = checkModule(module))
      return *problem;
    return std::move(module);
  }

  /// The file of another core that `read` found, if any.
  std::span<const std::uint8_t> nextCore() const {
    const elf::SectionView *section = find(coreSection);
    return section ? section->bytes : std::span<const std::uint8_t>();
  }

private:
  /// The only section of that name.
  const elf::SectionView *find(std::string_view name) const {
    const elf::SectionView *found = nullptr;
    for (const elf::SectionView &section : sections) {
      if (section.name != name)
        continue;
      if (found)
        return nullptr;
      found = &section;
    }
    return found;
  }
  static Diagnostic missing(std::string_view name) {
    return makeError(
        "KILN-I050",
        fmt::format("this is not a .kbin file: there is not exactly one "
                    "section {}",
                    name));
  }
  static Diagnostic malformed(std::string_view name) {
    return makeError("KILN-I053",
                     fmt::format("section {} is cut off or malformed", name));
  }

  Problem readNote() {
    const elf::SectionView *section = find(noteSection);
    if (!section)
      return missing(noteSection);
    ByteReader reader(section->bytes);
    auto nameLength = reader.get<std::uint32_t>();
    reader.get<std::uint32_t>();
    reader.get<std::uint32_t>();
    auto owner = reader.getBytes(8);
    if (reader.failed() || nameLength != 5 ||
        std::string_view(reinterpret_cast<const char *>(owner.data()), 5) !=
            std::string_view("Kiln\0", 5))
      return malformed(noteSection);
    auto version = reader.get<std::uint32_t>();
    if (!reader.failed() && version == kbinCoresVersion &&
        versions.back() != version)
      return makeError(
          "KILN-I051",
          "the file is for two cores, but is read here as a module for one");
    if (!reader.failed() &&
        std::find(versions.begin(), versions.end(), version) == versions.end())
      return makeError("KILN-I051",
                       fmt::format("the file has format version {}, but this "
                                   "Kiln reads {}; compile it "
                                   "again",
                                   version, fmt::join(versions, " and ")));
    if (!reader.failed() &&
        (find(coreSection) != nullptr) != (version == kbinCoresVersion))
      return missing(coreSection);
    auto generation = reader.get<std::uint32_t>();
    auto sum = reader.get<std::uint64_t>();
    if (reader.failed())
      return malformed(noteSection);
    auto at = static_cast<std::size_t>(section->offset) + checksumOffset;
    if (std::uint64_t found = checksum(file, at); found != sum)
      return makeError("KILN-I052",
                       fmt::format("the file is damaged: its checksum is "
                                   "{:016x}, but its bytes give {:016x}",
                                   sum, found));
    module.kernel = reader.getString();
    if (reader.failed() || generation < 2 || generation > 4)
      return malformed(noteSection);
    module.generation = static_cast<Generation>(generation);
    return std::nullopt;
  }

  Problem readStream(Engine engine) {
    std::string sectionName =
        std::string(streamSectionPrefix) + std::string(name(engine));
    const elf::SectionView *section = find(sectionName);
    if (!section)
      return missing(sectionName);
    auto &stream = module.streams[static_cast<std::size_t>(engine)];
    std::span<const std::uint8_t> bytes = section->bytes;
    while (!bytes.empty()) {
      Expected<Instruction> instruction = decode(bytes);
      if (!instruction) {
        Diagnostic error = instruction.error();
        error.text = fmt::format("{} stream, instruction {}: {}", name(engine),
                                 stream.size(), error.text);
        return error;
      }
      stream.push_back(std::move(*instruction));
    }
    return std::nullopt;
  }

  Problem readTensors() {
    const elf::SectionView *section = find(tensorsSection);
    const elf::SectionView *constants = find(constantsSection);
    if (!section || !constants)
      return missing(section ? constantsSection : tensorsSection);
    ByteReader reader(section->bytes);
    std::uint32_t count = reader.getCount(4 + 1 + 1 + 4);
    std::size_t used = 0;
    for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
      Tensor tensor;
      tensor.name = reader.getString();
      tensor.dtype = static_cast<DType>(reader.get<std::uint8_t>());
      auto kind = reader.get<std::uint8_t>();
      if (kind > static_cast<unsigned>(TensorKind::shared))
        reader.fail();
      tensor.kind = static_cast<TensorKind>(kind);
      std::uint32_t rank = reader.getCount(8);
      for (std::uint32_t d = 0; d < rank; ++d)
        tensor.shape.push_back(reader.get<std::int64_t>());
      if (tensor.kind == TensorKind::constant && !reader.failed() &&
          !readConstant(constants->bytes, used, tensor))
        return malformed(constantsSection);
      module.tensors.push_back(std::move(tensor));
    }
    if (reader.failed() || !reader.atEnd())
      return malformed(tensorsSection);
    if (used != constants->bytes.size())
      return malformed(constantsSection);
    return std::nullopt;
  }

  /// Constants lie one after the other, in the order of the tensors.
  static bool readConstant(std::span<const std::uint8_t> bytes,
                           std::size_t &used, Tensor &tensor) {
    std::uint64_t size = sizeInBytes(tensor.dtype);
    for (std::int64_t extent : tensor.shape)
      if (extent < 1 || __builtin_mul_overflow(
                            size, static_cast<std::uint64_t>(extent), &size))
        return false;
    std::size_t start = roundUp(used, constantAlignment);
    if (start > bytes.size() || bytes.size() - start < size)
      return false;
    auto content = bytes.subspan(start, static_cast<std::size_t>(size));
    tensor.bytes.assign(content.begin(), content.end());
    used = start + content.size();
    return true;
  }

  Problem readLocations() {
    const elf::SectionView *section = find(locationsSection);
    if (!section)
      return missing(locationsSection);
    ByteReader reader(section->bytes);
    std::vector<std::string> strings;
    std::uint32_t stringCount = reader.getCount(4);
    for (std::uint32_t i = 0; i < stringCount && !reader.failed(); ++i)
      strings.push_back(reader.getString());
    auto text = [&] {
      auto number = reader.get<std::uint32_t>();
      if (number >= strings.size()) {
        reader.fail();
        return std::string();
      }
      // Many locations may share one long string; what they may cost together
      // is bounded by a multiple of the file.
      sharedBytes += strings[number].size();
      if (sharedBytes > file.size() * 64 + (1u << 20))
        reader.fail();
      return strings[number];
    };
    std::uint32_t count = reader.getCount(5 * 4);
    module.locations.clear();
    for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
      SourceLocation &location = module.locations.emplace_back();
      location.file = text();
      location.line = reader.get<std::uint32_t>();
      location.column = reader.get<std::uint32_t>();
      location.scopes = text();
      location.name = text();
    }
    if (reader.failed() || !reader.atEnd())
      return malformed(locationsSection);
    return std::nullopt;
  }

  /// Only where operands name buffers.
  Problem readBuffers() {
    const elf::SectionView *section = find(buffersSection);
    if (!section)
      return std::nullopt;
    ByteReader reader(section->bytes);
    const std::uint32_t count = reader.getCount(4);
    module.buffers.clear();
    for (std::uint32_t i = 0; i < count && !reader.failed(); ++i)
      module.buffers.push_back(reader.get<std::uint32_t>());
    const bool isPlain = module.buffers.size() < 2 || module.buffers[0] != 0;
    if (reader.failed() || !reader.atEnd() || isPlain)
      return malformed(buffersSection);
    return std::nullopt;
  }

  Problem readFacts() {
    const elf::SectionView *section = find(factsSection);
    if (!section)
      return missing(factsSection);
    ByteReader reader(section->bytes);
    std::uint32_t count = reader.getCount(8);
    for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
      std::string key = reader.getString();
      std::string value = reader.getString();
      if (!module.facts.try_emplace(std::move(key), std::move(value)).second)
        reader.fail();
    }
    if (reader.failed() || !reader.atEnd())
      return malformed(factsSection);
    return std::nullopt;
  }

  std::span<const std::uint8_t> file;
  std::span<const std::uint32_t> versions;
  std::vector<elf::SectionView> sections;
  Module module;
  std::uint64_t sharedBytes = 0;
};

} // namespace

Expected<Module> readKbin(std::span<const std::uint8_t> bytes) {
  constexpr std::array versions{kbinVersion};
  return KbinReader(bytes, versions).read();
}

Expected<std::vector<Module>>
readKbinCores(std::span<const std::uint8_t> bytes) {
  constexpr std::array versions{kbinVersion, kbinCoresVersion};
  KbinReader reader(bytes, versions);
  Expected<Module> first = reader.read();
  if (!first)
    return first.error();
  std::vector<Module> cores;
  cores.push_back(std::move(*first));
  if (!reader.nextCore().empty()) {
    Expected<Module> second = readKbin(reader.nextCore());
    if (!second)
      return second.error();
    cores.push_back(std::move(*second));
  }
  if (Problem problem = checkCores(cores))
    return *problem;
  return cores;
}

} // namespace kiln::isa
