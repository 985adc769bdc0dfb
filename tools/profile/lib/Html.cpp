//===- Html.cpp - A page with a timeline ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Html.h"

#include "Labels.h"
#include "kiln/profile/page_data.h"
#include "report_files.h"

#include <fmt/format.h>

#include <stdexcept>

namespace kiln::profile {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
                      : std::string(1, c);
  return out;
}

/// The template with a text for each `{{name}}`.
std::string filled(std::string_view page, const PageTexts &texts) {
  std::string out;
  for (std::size_t at = 0; (at = page.find("{{")) != std::string_view::npos;) {
    const std::size_t end = page.find("}}", at);
    const auto text = texts.find(page.substr(at + 2, end - at - 2));
    if (text == texts.end())
      throw std::logic_error("a page has a mark without a text");
    out += page.substr(0, at);
    out += text->second;
    page.remove_prefix(end + 2);
  }
  return out.append(page);
}

} // namespace

std::string pageFrom(std::string_view page, std::string_view title,
                     PageTexts texts) {
  const std::string written = escaped(title);
  texts["title"] = written;
  for (const auto &[name, text] : files::all)
    texts[name] = text;
  const std::string head = filled(files::head_html, texts);
  texts["head.html"] = head;
  return filled(page, texts);
}

std::string toHtml(const LaunchProfile &launch, const Document &document) {
  const sim::ProfileReport &report = launch.reports[launch.busiest()];
  const PageData data = pageDataOf(launch, document);
  std::string title = report.kernel;
  for (const auto &[name, value] : parametersOf(launch.modules.front()))
    title += fmt::format(" {}={}", name, value);
  title += " on " + report.target;
  if (!document.command.empty())
    title += ": " + document.command;
  if (!document.version.empty())
    title += " (kiln " + document.version + ")";
  return pageFrom(files::page_html, title,
                  {{"head", data.head}, {"columns", data.columns}});
}

} // namespace kiln::profile
