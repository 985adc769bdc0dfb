//===- parts.h - Where the time of a composed kernel goes -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_PARTS_H
#define KILN_PROFILE_PARTS_H

#include "kiln/profile/render.h"

#include <string>

namespace kiln::profile {

/// A row for each part of the busiest core: its time, the share of the machine
/// that it used, and what binds it. Empty unless the kernel says that it has
/// parts and the launch was run with `trace`.
std::string toPartsTable(const LaunchProfile &launch);

} // namespace kiln::profile

#endif // KILN_PROFILE_PARTS_H
