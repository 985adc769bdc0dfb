//===- kernel_table.h - What a kernel library offers ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KILN_EXPORT puts an entry into the table of its shared object. A tool finds
// it through `kiln_kernels`, whose layout changes only with abiVersion.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_KERNEL_TABLE_H
#define KILN_DSL_KERNEL_TABLE_H

#include "kiln/dsl/error.h"
#include "kiln/program.h"

#include <map>
#include <string>
#include <vector>

namespace kiln {

/// A parameter as the command line shows it: `--seq-q=4096`.
struct KernelParameter {
  std::string name; ///< With dashes.
  std::string type; ///< "int", "float", "bool", "text", "dtype"
  std::string defaultValue;
  std::string doc;
};

struct KernelArgument {
  std::string name;
  program::ArgumentKind kind = program::ArgumentKind::input;
  isa::DType dtype = isa::DType::f32;
  std::vector<std::int64_t> shape;
};

/// Parameter values by name; dashes and underscores are the same.
using ParameterValues = std::map<std::string, std::string>;

/// One exported kernel. `dtype` is one of its parameters when it has variants.
struct KernelEntry {
  const char *name;
  const char *file;
  std::string (*summary)();
  std::vector<KernelParameter> (*parameters)();
  /// The arguments for these parameter values. Throws RecordError.
  std::vector<KernelArgument> (*arguments)(const ParameterValues &);
  /// Runs the kernel and returns what it recorded. Throws RecordError.
  program::Program (*record)(const ParameterValues &);
  const KernelEntry *next;
};

struct KernelTable {
  std::uint32_t abiVersion;
  const KernelEntry *first;
};

/// The entry called `name`, or null.
inline const KernelEntry *findKernel(const KernelTable &table,
                                     std::string_view name) {
  for (const KernelEntry *entry = table.first; entry; entry = entry->next)
    if (name == entry->name)
      return entry;
  return nullptr;
}

} // namespace kiln

#endif // KILN_DSL_KERNEL_TABLE_H
