//===- CallSites.cpp - Where a kernel calls its helpers -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user's function that the user's code calls is a helper. Functions that the
// language calls, such as the body of a loop, are not: scopes name those. So a
// call counts if caller and callee are both the user's code.
//
//===----------------------------------------------------------------------===//

#include "CallSites.h"

#include "kiln/record.h"

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {
namespace {

/// A line of the user's code, or nothing.
using UserLine = std::optional<program::CallSite>;

/// Headers of the language, of its libraries and of the compiler.
bool isOfLanguage(std::string_view file) {
  for (const char *folder : {"/include/kiln/dsl/", "/include/kiln/isa/",
                             "/include/boost/", "/include/c++/"})
    if (file.find(folder) != std::string_view::npos)
      return true;
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/");
}

UserLine userLine(const llvm::DILineInfo &line) {
  if (!line || line.Line == 0 || isOfLanguage(line.FileName))
    return std::nullopt;
  return program::CallSite{line.FileName, line.Line};
}

/// The table of lines of a program or a shared library.
class LineTable {
public:
  explicit LineTable(const std::string &file) {
    auto opened = llvm::object::ObjectFile::createObjectFile(file);
    if (!opened) {
      llvm::consumeError(opened.takeError());
      return;
    }
    object = std::move(*opened);
    context = llvm::DWARFContext::create(*object.getBinary());
  }

  /// Of the functions that are inlined at an address, innermost first.
  std::vector<UserLine> at(std::uint64_t address) {
    std::vector<UserLine> found;
    if (context) {
      found = framesAt(address);
      if (found.size() == 1 && found.front())
        found.front()->line = withoutInitializer(address, found.front()->line);
    }
    if (found.empty())
      found.emplace_back();
    return found;
  }

private:
  static llvm::object::SectionedAddress sectioned(std::uint64_t address) {
    return {address, llvm::object::SectionedAddress::UndefSection};
  }

  /// As DWARFContext::getInliningInfoForAddress(), which first sorts all calls
  /// of the unit that are inlined. A kernel needs those of a few functions.
  std::vector<UserLine> framesAt(std::uint64_t address) {
    llvm::DWARFCompileUnit *unit =
        context->getCompileUnitForCodeAddress(address);
    const auto *table = unit ? context->getLineTableForUnit(unit) : nullptr;
    llvm::DILineInfo line;
    if (!table || !table->getFileLineInfoForAddress(
                      sectioned(address), /*Approximate=*/false,
                      unit->getCompilationDir(), Kind::RelativeFilePath, line))
      return {};
    std::vector<UserLine> found{userLine(line)};
    for (const llvm::DWARFDie &call : inlinedAt(*unit, address)) {
      std::uint32_t file = 0, column = 0, discriminator = 0;
      llvm::DILineInfo caller;
      call.getCallerFrame(file, caller.Line, column, discriminator);
      table->getFileNameByIndex(file, unit->getCompilationDir(),
                                Kind::RelativeFilePath, caller.FileName);
      found.push_back(userLine(caller));
    }
    return found;
  }

  /// The calls that are inlined at an address, innermost first.
  std::vector<llvm::DWARFDie> inlinedAt(llvm::DWARFUnit &unit,
                                        std::uint64_t address) {
    std::vector<llvm::DWARFDie> calls;
    llvm::DWARFDie at = functionAt(unit, address);
    while (at) {
      const llvm::DWARFDie inner = inlinedIn(at, address);
      if (inner)
        calls.insert(calls.begin(), inner);
      at = inner;
    }
    return calls;
  }

  /// The outermost call below `at` that is inlined at the address.
  static llvm::DWARFDie inlinedIn(llvm::DWARFDie at, std::uint64_t address) {
    for (const llvm::DWARFDie child : at.children()) {
      if (child.getTag() == llvm::dwarf::DW_TAG_inlined_subroutine) {
        if (child.addressRangeContainsAddress(address))
          return child;
      } else if (child.getTag() != llvm::dwarf::DW_TAG_subprogram) {
        if (const llvm::DWARFDie inner = inlinedIn(child, address))
          return inner;
      }
    }
    return {};
  }

  llvm::DWARFDie functionAt(llvm::DWARFUnit &unit, std::uint64_t address) {
    const auto [known, isNew] = functions.try_emplace(&unit);
    if (isNew) {
      unit.getUnitDIE(/*ExtractUnitDIEOnly=*/false);
      for (unsigned i = 0; i < unit.getNumDIEs(); ++i) {
        const llvm::DWARFDie die = unit.getDIEAtIndex(i);
        if (die.getTag() != llvm::dwarf::DW_TAG_subprogram)
          continue;
        auto ranges = die.getAddressRanges();
        if (!ranges) {
          llvm::consumeError(ranges.takeError());
          continue;
        }
        for (const llvm::DWARFAddressRange &range : *ranges)
          known->second[range.LowPC] = {range.HighPC, die};
      }
    }
    const auto next = known->second.upper_bound(address);
    if (next == known->second.begin())
      return {};
    const auto &[end, die] = std::prev(next)->second;
    return address < end ? die : llvm::DWARFDie();
  }

  /// For a call in the default initializer of a member, clang names the line of
  /// the initializer, and g++ that of the constructor or of what makes the
  /// object. Here it is the latter: the last line of the function before it.
  std::uint32_t withoutInitializer(std::uint64_t address, std::uint32_t line) {
    llvm::DWARFUnit *unit = context->getCompileUnitForCodeAddress(address);
    const auto *table = unit ? context->getLineTableForUnit(unit) : nullptr;
    const std::uint32_t row =
        table ? table->lookupAddress(sectioned(address)) : UINT32_MAX;
    if (row == UINT32_MAX)
      return line;
    const auto &rows = table->Rows;
    // clang marks where a function begins to work and where it ends. The row
    // before has the line of its body's brace.
    std::size_t first = row;
    while (first > 0 && !rows[first].PrologueEnd &&
           !rows[first - 1].EndSequence)
      --first;
    if (first == 0 || !rows[first].PrologueEnd || rows[first - 1].EndSequence)
      return line;
    --first;
    std::uint32_t last = 0;
    for (std::size_t at = first + 2;
         at < rows.size() && !rows[at].PrologueEnd && !rows[at].EndSequence;
         ++at)
      if (rows[at].EpilogueBegin)
        last = std::max(last, rows[at].Line);
    if (last == 0)
      return line;
    const auto isInside = [&](const llvm::DWARFDebugLine::Row &one) {
      return one.File == rows[first].File && one.Line >= rows[first].Line &&
             one.Line <= last;
    };
    if (rows[row].File != rows[first].File || isInside(rows[row]))
      return line;
    for (std::size_t at = row; at > first; --at)
      if (isInside(rows[at]))
        return rows[at].Line;
    return rows[first].Line;
  }

  using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
  llvm::object::OwningBinary<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> context;
  /// Of the units that were asked for: by where a function begins, where it
  /// ends.
  std::map<const llvm::DWARFUnit *,
           std::map<std::uint64_t, std::pair<std::uint64_t, llvm::DWARFDie>>>
      functions;
};

class Resolver {
public:
  std::vector<program::CallSite>
  callsTo(const std::vector<const void *> &frames) {
    const std::scoped_lock lock(mutex); // `kiln tune` records in threads.
    std::vector<program::CallSite> calls;
    bool calledByUser = false, isFirst = true;
    for (const void *frame : frames)
      for (const UserLine &line : linesOf(frame)) {
        if (line && !isFirst && calledByUser)
          calls.push_back(*line);
        calledByUser = line.has_value();
        isFirst = isFirst && !line;
      }
    return calls;
  }

private:
  const std::vector<UserLine> &linesOf(const void *frame) {
    const auto [known, isNew] = lines.try_emplace(frame);
    Dl_info symbol;
    link_map *object = nullptr;
    if (isNew && ::dladdr1(frame, &symbol, reinterpret_cast<void **>(&object),
                           RTLD_DL_LINKMAP) != 0) {
      const std::string file =
          *object->l_name ? object->l_name : "/proc/self/exe";
      // The call is before the address that it returns to.
      known->second =
          tables.try_emplace(file, file)
              .first->second.at(reinterpret_cast<std::uint64_t>(frame) -
                                object->l_addr - 1);
    }
    return known->second;
  }

  std::mutex mutex;
  std::map<std::string, LineTable> tables;
  std::map<const void *, std::vector<UserLine>> lines; ///< Nothing is unloaded.
};

std::vector<program::CallSite>
resolve(const std::vector<const void *> &frames) {
  static Resolver resolver;
  return resolver.callsTo(frames);
}

} // namespace

void recordCallSites() { followCalls(resolve); }

} // namespace kiln::tool
