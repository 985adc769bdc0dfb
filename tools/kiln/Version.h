//===- Version.h - Version of the tool ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_VERSION_H
#define KILN_TOOLS_KILN_VERSION_H

namespace kiln::tool {

/// "0.1.0", from the project's CMakeLists.txt.
inline const char *versionText() { return KILN_VERSION; }

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_VERSION_H
