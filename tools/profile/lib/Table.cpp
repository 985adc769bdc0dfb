//===- Table.cpp - A profile for the terminal ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnergyText.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::profile {

namespace {

std::string timeText(double ns) {
  if (ns >= 1e6)
    return fmt::format("{:.3f} ms", ns / 1e6);
  if (ns >= 1e3)
    return fmt::format("{:.2f} us", ns / 1e3);
  return fmt::format("{:.0f} ns", ns);
}

std::string bytesText(std::uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (value >= 1 << 30)
    return fmt::format("{:.2f} GiB", value / (1 << 30));
  if (value >= 1 << 20)
    return fmt::format("{:.2f} MiB", value / (1 << 20));
  if (value >= 1 << 10)
    return fmt::format("{:.1f} KiB", value / (1 << 10));
  return fmt::format("{} B", bytes);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole)
                   : std::string("-");
}

/// The main reasons why the engine was not busy; the end of a stream is not
/// worth a column.
std::string mainStalls(const sim::ProfileReport::Engine &engine,
                       double makespan) {
  std::vector<std::pair<std::string, double>> reasons;
  for (const auto &entry : engine.stalls)
    if (entry.first != "end" && entry.second >= 0.005 * makespan)
      reasons.push_back(entry);
  std::sort(reasons.begin(), reasons.end(), [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, reasons.size()); ++i)
    out += fmt::format("{}{} {:.0f}%", i ? ", " : "", reasons[i].first,
                       100 * reasons[i].second / makespan);
  return out;
}

/// "scores kernel.h:96", with the name of the file alone; for the file under
/// discussion, only the line.
std::string linkText(const sim::ProfileReport::Place &place,
                     std::string_view knownFile = {}) {
  std::string_view source = place.source;
  if (!knownFile.empty() && source.starts_with(knownFile) &&
      source.size() > knownFile.size() && source[knownFile.size()] == ':')
    source.remove_prefix(knownFile.size());
  else if (const std::size_t slash = source.rfind('/');
           slash != std::string_view::npos)
    source.remove_prefix(slash + 1);
  const std::string label = place.label.empty() ? "end" : place.label;
  return source.empty() ? fmt::format("{} #{}", label, place.index)
                        : fmt::format("{} {}", label, source);
}

std::string_view fileOf(const sim::ProfileReport::Place &place) {
  const std::string_view source = place.source;
  return source.substr(0, source.rfind(':'));
}

std::string stallText(const sim::ProfileReport::Stall &stall) {
  std::string text = fmt::format("{}: {}", linkText(stall.at), stall.reason);
  if (stall.producer.engine.empty())
    return text;
  if (stall.kind == "data")
    text += ", data of ";
  else if (stall.kind == "buffer")
    text += ", buffer still used by ";
  else if (stall.kind == "none")
    text += ", also used by ";
  else
    text += ", order after ";
  if (!stall.producer.core.empty())
    text = fmt::format("{}: {}, ", linkText(stall.at), stall.reason) +
           stall.producer.core + " at ";
  return text + linkText(stall.producer, fileOf(stall.at));
}

constexpr std::size_t shownStalls = 8;
constexpr std::size_t lineLength = 100;

/// The waits that cost most, with the lines that wait and that are waited for.
std::string stallTable(const sim::ProfileReport &report) {
  std::string out;
  std::size_t rows = 0;
  for (const sim::ProfileReport::Stall &stall : report.topStalls) {
    const double time = stall.criticalNs.value_or(stall.timeNs);
    if (time < 0.005 * report.makespanNs || rows++ == shownStalls)
      break;
    if (out.empty())
      out = stall.criticalNs ? "\n  waits on the critical path\n"
                             : "\n  longest waits\n";
    std::string row = fmt::format("  {:>11} {:>7}  {:<7} {}", timeText(time),
                                  percent(time, report.makespanNs),
                                  stall.at.engine, stallText(stall));
    if (row.size() > lineLength)
      row = row.substr(0, lineLength - 2) + "..";
    out += row + "\n";
  }
  return out;
}

/// Neither its flops nor its bytes depend on the compiler.
std::string rooflineText(const sim::ProfileReport &report) {
  const sim::ProfileReport::Roofline &roofline = report.roofline;
  if (roofline.boundBy == "none")
    return "none: no products, and no arguments in HBM";
  std::string text =
      fmt::format("{}  ({} of the makespan): ", timeText(roofline.timeNs),
                  percent(roofline.timeNs, report.makespanNs));
  if (report.matmulFlops > 0)
    text += fmt::format("flops {}, ", timeText(roofline.computeNs));
  return text +
         fmt::format("HBM {} for {}", timeText(roofline.memoryNs),
                     bytesText(roofline.readBytes + roofline.writeBytes));
}

/// The time that a core needs to meet others.
std::string meetingText(const sim::ProfileReport &report) {
  const sim::ProfileReport::Meetings &meetings = report.meetings;
  std::string text = fmt::format("{}, longest {} alone", meetings.count,
                                 timeText(meetings.longestNs));
  if (!meetings.link.empty())
    text += fmt::format("; {} carries {} ({})", meetings.link,
                        timeText(meetings.linkBusyNs),
                        percent(meetings.linkBusyNs, report.makespanNs));
  return text;
}

std::string onChipText(const sim::ProfileReport &report) {
  const std::string allocated = fmt::format(
      "{} of each SBUF partition, {} PSUM banks",
      bytesText(report.sbufAllocatedBytes), report.psumBanksAllocated);
  return report.peak ? fmt::format("{}; values at the peak: {}, {} banks",
                                   allocated, bytesText(report.peak->sbufBytes),
                                   report.peak->psumBanks)
                     : allocated;
}

std::string utilisationText(const sim::ProfileReport &report) {
  std::string text =
      fmt::format("MFU {:.1f} % of {:.1f} TFLOP/s", 100 * report.mfu,
                  report.peakFlopsPerNs / 1000);
  if (report.productType != "bf16")
    text +=
        fmt::format(" (bf16), {:.1f} % of {:.1f} ({})", 100 * report.mfuOfType,
                    report.peakOfTypeFlopsPerNs / 1000, report.productType);
  // Padding, masks and transposes are work, too.
  if (report.hardwareFlops != report.flops)
    text += fmt::format(", HFU {:.1f} %", 100 * report.hfu);
  return text + fmt::format("  ({:.3f} GFLOP{})",
                            static_cast<double>(report.flops) / 1e9,
                            report.flopsFromModel ? "" : ", as executed");
}

} // namespace

std::string toTable(const sim::ProfileReport &report, std::string_view cards) {
  const double whole = report.makespanNs;
  std::string out = fmt::format("{} on {}\n", report.kernel, report.target);
  const auto line = [&out](std::string_view what, const std::string &value) {
    out += fmt::format("  {:<15} {}\n", what, value);
  };
  line("makespan", fmt::format("{}  (about {} with launch and tear-down)",
                               timeText(whole), timeText(report.endToEndNs)));
  line("lower bound",
       fmt::format("{}  ({} of the makespan), bound by {}",
                   timeText(report.lowerBoundNs),
                   percent(report.lowerBoundNs, whole), report.boundBy));
  line("roofline", rooflineText(report));
  if (report.matmulFlops > 0)
    line("utilisation", utilisationText(report));
  if (report.fullBuffersAssumed > 0)
    line("upper bound",
         fmt::format("tables of {} collectives not known, full buffers "
                     "assumed; give values",
                     report.fullBuffersAssumed));
  if (report.meetings.count > 0)
    line("collectives", meetingText(report));
  line("HBM", fmt::format("{} read, {} written", bytesText(report.hbmReadBytes),
                          bytesText(report.hbmWriteBytes)));
  line("on chip", onChipText(report));
  line("instructions",
       fmt::format("{} executed from {} in the binary", report.instructions,
                   report.staticInstructions));
  line("energy", energyText(report.energy));
  if (report.energy.tokens > 0)
    line("tokens",
         tokensText(report.energy.tokens, report.energy.tokensPerJoule));
  if (report.compileMs)
    line("compiled in", fmt::format("{:.1f} ms", *report.compileMs));

  if (!cards.empty())
    out += fmt::format("\n{}", cards);

  const std::size_t table = out.size();
  out += fmt::format("\n  {:<7} {:>11} {:>8} {:>11} {:>13}  {}\n", "engine",
                     "busy", "", "waiting", "instructions", "not busy for");
  for (const sim::ProfileReport::Engine &engine : report.engines)
    out += fmt::format("  {:<7} {:>11} {:>8} {:>11} {:>13}  {}\n", engine.name,
                       timeText(engine.busyNs), percent(engine.busyNs, whole),
                       timeText(engine.stallNs), engine.instructions,
                       mainStalls(engine, whole));
  for (std::size_t at; (at = out.find(" \n", table)) != std::string::npos;)
    out.erase(at, 1);
  out += stallTable(report);
  out += "\n";
  // Two columns of counts.
  const std::size_t half = (report.instructionCounts.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const auto cell = [&](std::size_t at) {
      return at < report.instructionCounts.size()
                 ? fmt::format("{:<22} {:>10}",
                               report.instructionCounts[at].first,
                               report.instructionCounts[at].second)
                 : std::string();
    };
    std::string row = fmt::format("  {:<37}{}", cell(i), cell(i + half));
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

} // namespace kiln::profile
