//===- PageData.h - The data of the page ------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_PAGEDATA_H
#define KILN_PROFILE_LIB_PAGEDATA_H

#include "kiln/profile/render.h"

namespace kiln::profile {

/// What tools/report/model.js reads.
struct PageData {
  std::string head; ///< JSON.
  /// The events of every timeline, one after the other; see Columns.
  std::string columns;
};

PageData pageDataOf(const LaunchProfile &launch, const PageContext &context);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_PAGEDATA_H
