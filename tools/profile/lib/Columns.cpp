//===- Columns.cpp - Long lists of numbers for the page -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"

#include <absl/strings/escaping.h>

namespace kiln::profile {

std::string Columns::text() const { return absl::Base64Escape(bytes); }

} // namespace kiln::profile
