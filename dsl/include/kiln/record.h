//===- record.h - Run a kernel, get its Program ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that run kernels; a kernel file itself includes only
// kiln/kiln.h. record() runs a kernel struct of this program. The functions of
// KernelEntry query an exported kernel, here or in a library that was loaded.
// Defined in the library kiln::record. A kernel file needs neither.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RECORD_H
#define KILN_RECORD_H

#include "kiln/dsl/kernel.h"
#include "kiln/program.h"
#include "kiln/record_error.h"
#include "kiln/record_parameters.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// The core of a rank that is recorded, the number of cores of a rank, 1 or 2,
/// and the generation of the target.
struct Core {
  std::uint32_t number = 0, count = 1;
  isa::Generation generation = isa::Generation::v3;
};

/// The calls that lead from a kernel's operator() to the innermost of these
/// return addresses, innermost first; see program::Location.
using CallResolver =
    std::vector<program::CallSite> (*)(const std::vector<const void *> &frames);
/// From here on, kernels are recorded with the calls of their helpers. The
/// kernels must have been compiled with frame pointers.
void followCalls(CallResolver resolver);

/// A mistake in a helper of a kernel.
class HelperError : public RecordError {
public:
  HelperError(const RecordError &error, std::vector<program::CallSite> callers)
      : RecordError(error), callers(std::move(callers)) {}
  std::vector<program::CallSite> callers; ///< Innermost first, at least one.
};

// Defined in dsl/lib/record/Record.cpp.
namespace dsl {
program::Program recordObject(const KernelObject &object, std::string name,
                              const Core &core);
std::string summaryOf(const KernelEntry &entry);
std::vector<KernelParameter> parametersOf(const KernelEntry &entry);
std::vector<KernelArgument> argumentsOf(const KernelEntry &entry,
                                        const ParameterValues &values);
bool hasReferenceOf(const KernelEntry &entry, const ParameterValues &values);
void runReferenceOf(const KernelEntry &entry, const ParameterValues &values,
                    const DoublesOfLaunch &ranks);
program::Program recordEntry(const KernelEntry &entry,
                             const ParameterValues &values, const Core &core);
} // namespace dsl

/// Runs a kernel with its current parameters and returns what it recorded.
template <class Kernel>
program::Program record(const Kernel &kernel, std::string name = "kernel",
                        const Core &core = {}) {
  program::Program result;
  dsl::withObject(kernel, [&](const dsl::KernelObject &object) {
    result = dsl::recordObject(object, std::move(name), core);
  });
  return result;
}

inline auto KernelEntry::summary() const { return dsl::summaryOf(*this); }
inline auto KernelEntry::parameters() const { return dsl::parametersOf(*this); }
inline auto KernelEntry::arguments(const ParameterValues &values) const {
  return dsl::argumentsOf(*this, values);
}
inline bool KernelEntry::hasReference(const ParameterValues &values) const {
  return dsl::hasReferenceOf(*this, values);
}
inline void KernelEntry::runReference(const ParameterValues &values,
                                      const DoublesOfLaunch &ranks) const {
  dsl::runReferenceOf(*this, values, ranks);
}
inline program::Program KernelEntry::record(const ParameterValues &values,
                                            const Core &core) const {
  return dsl::recordEntry(*this, values, core);
}
inline program::Program
KernelEntry::record(const ParameterValues &values) const {
  return record(values, Core{});
}

} // namespace kiln

#endif // KILN_RECORD_H
