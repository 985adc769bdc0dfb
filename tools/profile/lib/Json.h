//===- Json.h - A report as a JSON value ------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_JSON_H
#define KILN_PROFILE_LIB_JSON_H

#include "kiln/sim/profile.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// Of `kiln.profile`; docs/profile.md says what each version changed.
inline constexpr unsigned schemaVersion = 7;

/// Times in nanoseconds with whole picoseconds, keys in a fixed order.
nlohmann::ordered_json jsonOf(const sim::ProfileReport &report);

/// As text: on one line, or with `indent` columns a level. Bytes that are not
/// UTF-8 become U+FFFD. No string ends a script element.
std::string dumped(const nlohmann::ordered_json &value, int indent = -1);

/// A document with each key on a line, and of lists each record. Records are
/// many: indentation would be a third of the file.
std::string dumpedByRecord(const nlohmann::ordered_json &document);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_JSON_H
