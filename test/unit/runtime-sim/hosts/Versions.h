//===- Versions.h - Which versions a test holds to the plain one *- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_HOSTS_VERSIONS_H
#define KILN_TEST_RUNTIME_SIM_HOSTS_VERSIONS_H

#include "kernels/Kernels.h"

#include <cstdlib>
#include <string_view>
#include <vector>

namespace kiln::sim {

/// All that the host can run. An emulated computer is there for one of them,
/// named in KILN_TEST_VERSION, and slow: there it is that one, or none.
inline std::vector<const Kernels *> versionsUnderTest() {
  const char *only = std::getenv("KILN_TEST_VERSION");
  std::vector<const Kernels *> result;
  for (const Kernels *version : allKernels())
    if (!only || version->name == std::string_view(only))
      result.push_back(version);
  return result;
}

/// Forces one version while it lives.
class Forced {
public:
  explicit Forced(const Kernels *version) { forceKernels(version); }
  ~Forced() { forceKernels(nullptr); }
  Forced(const Forced &) = delete;
  Forced &operator=(const Forced &) = delete;
};

} // namespace kiln::sim

#endif // KILN_TEST_RUNTIME_SIM_HOSTS_VERSIONS_H
