//===- Html.cpp - A page with a timeline ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timelines.h"
#include "kiln/profile/render.h"
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

/// The part of the template up to `{{name}}`, which `rest` loses.
std::string_view upTo(std::string_view name, std::string_view &rest) {
  const std::string mark = fmt::format("{{{{{}}}}}", name);
  const std::size_t at = rest.find(mark);
  if (at == std::string_view::npos)
    throw std::logic_error("page.html has no " + mark);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at + mark.size());
  return part;
}

} // namespace

std::string toHtml(const LaunchProfile &launch) {
  const sim::ProfileReport &report = launch.reports[launch.busiest()];
  std::string_view rest = files::page_html;
  std::string out(upTo("title", rest));
  out += escaped(fmt::format("{} on {}", report.kernel, report.target));
  out += upTo("style", rest);
  out += files::page_css;
  out += upTo("data", rest);
  out += pageData(launch);
  out += upTo("script", rest);
  for (std::string_view script :
       {files::format_js, files::timeline_js, files::page_js})
    out += script;
  out += rest;
  return out;
}

} // namespace kiln::profile
