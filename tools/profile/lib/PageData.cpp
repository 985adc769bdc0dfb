//===- PageData.cpp - The data of the page --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/page_data.h"

#include "CoreJson.h"
#include "Json.h"

#include <algorithm>
#include <map>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

/// By core the first one that does the same at the same times: those share a
/// timeline.
std::vector<std::size_t> alikeOf(const LaunchProfile &launch) {
  const std::size_t coresOfRank = launch.modules.size();
  std::vector<std::size_t> alike(launch.reports.size());
  std::map<std::size_t, std::vector<std::size_t>> different;
  for (std::size_t core = 0; core < alike.size(); ++core) {
    std::vector<std::size_t> &candidates = different[core % coresOfRank];
    const sim::Timing &own = launch.timing.cores[core];
    const auto same =
        std::find_if(candidates.begin(), candidates.end(), [&](auto other) {
          return launch.timing.cores[other].events == own.events &&
                 launch.timing.cores[other].waits == own.waits &&
                 (launch.values.empty() ||
                  launch.values[other] == launch.values[core]);
        });
    alike[core] = same == candidates.end() ? core : *same;
    if (alike[core] == core)
      candidates.push_back(core);
  }
  return alike;
}

} // namespace

PageData pageDataOf(const LaunchProfile &launch, const Document &document) {
  const std::vector<std::size_t> alike = alikeOf(launch);
  std::map<std::size_t, std::size_t> timelineOfCore;
  json names = json::array(), timelines = json::array();
  Columns columns;
  for (std::size_t core = 0; core < alike.size(); ++core) {
    const auto [line, isNew] =
        timelineOfCore.try_emplace(alike[core], timelineOfCore.size());
    names.push_back({launch.name(core), line->second});
    if (isNew)
      timelines.push_back(coreJson(launch, core, columns));
  }
  json head = headJson(launch, document, Detail::events);
  head["names"] = std::move(names);
  head["cores"] = std::move(timelines);
  return {dumped(head), columns.text()};
}

} // namespace kiln::profile
