//===- page_data.h - The data of the page ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_PAGE_DATA_H
#define KILN_PROFILE_PAGE_DATA_H

#include "kiln/profile/document.h"

namespace kiln::profile {

/// The data that tools/report/model.js reads.
struct PageData {
  /// The document, with `cores` also for one, and each of those that are alike
  /// once: `names` has [name, number in `cores`] by core.
  std::string head;
  /// The part that grows with the run, per entry of `cores`; see
  /// TimelineColumns.
  std::string columns;
};

PageData pageDataOf(const LaunchProfile &launch, const Document &document);

} // namespace kiln::profile

#endif // KILN_PROFILE_PAGE_DATA_H
