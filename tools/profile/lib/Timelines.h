//===- Timelines.h - The data of the page -----------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_TIMELINES_H
#define KILN_PROFILE_LIB_TIMELINES_H

#include "kiln/profile/render.h"

namespace kiln::profile {

/// `data` of tools/report/page.js, as JSON.
std::string pageData(const LaunchProfile &launch);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_TIMELINES_H
