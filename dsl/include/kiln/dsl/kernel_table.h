//===- kernel_table.h - What a kernel library offers ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KILN_EXPORT adds an entry to the table of its shared object. A tool finds the
// table through `kiln_kernels`, whose layout changes only with abiVersion, and
// queries it with the functions of kiln/record.h. A kernel library holds the
// kernels; the tool holds everything that kernels share.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_KERNEL_TABLE_H
#define KILN_DSL_KERNEL_TABLE_H

#include "kiln/dsl/recording.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace kiln {

class Doubles;

namespace program {
struct Program;
} // namespace program

namespace schedule {
struct Schedule;
} // namespace schedule

/// What a kernel's `describe` fills in: tensors in the order of operator()'s
/// parameters, useful floating-point operations, and texts for `kiln list`.
class Signature {
public:
  virtual void argument(std::string_view name,
                        std::initializer_list<std::int64_t> shape) = 0;
  /// An optional tensor that is absent with these parameters; the kernel must
  /// not use it.
  virtual void absent(std::string_view name) = 0;
  virtual void flops(double count) = 0;
  virtual void summary(std::string_view text) = 0;
  virtual void doc(std::string_view parameter, std::string_view text) = 0;
  /// `kiln tune` tries these values of a whole-number or bool parameter.
  virtual void tunable(std::string_view parameter,
                       std::initializer_list<std::int64_t> values) = 0;
  /// Decisions on engines, stages and order: what the struct's `schedule()`
  /// returns.
  virtual void schedule(const schedule::Schedule &given) = 0;
  /// Tokens that a rank completes in a run, for tokens per joule. Ranks that
  /// share the same tokens each declare a part; a part that is not a whole
  /// number is unknown.
  virtual void tokens(double count) = 0;
  /// The standard deviation of random values for a floating-point input, by
  /// default 1: the value with which the kernel behaves as with real data.
  virtual void random(std::string_view argument, double deviation) = 0;
  /// The outermost scopes of operator() are parts, whose times `kiln run` and
  /// `kiln profile` show.
  virtual void parts() = 0;

protected:
  ~Signature() = default;
};

namespace dsl {

enum class ParameterType : std::uint8_t {
  boolean,
  signedInteger,
  unsignedInteger,
  floating,
  text,  ///< std::string
  choice ///< An enumeration of KILN_CHOICES, of 4 bytes.
};

/// A member of a kernel struct.
struct ParameterField {
  const char *name;
  ParameterType type;
  std::uint8_t bytes;
  void *address;
  /// The names of a choice, separated by commas, in the order of their
  /// numbers.
  const char *names;
};

/// A parameter of a kernel's operator().
struct ArgumentType {
  program::ArgumentKind kind;
  isa::DType dtype;
  std::uint32_t rank;
};

/// The kernel's own reference.
struct KernelReference {
  bool exists;
  /// Takes one tensor per argument, rank by rank. Null if it is not compiled.
  void (*run)(const void *kernel, const Doubles *tensors, std::size_t ranks);
};

/// A kernel struct, called by plain functions.
struct KernelObject {
  const ParameterField *fields;
  std::size_t fieldCount;
  const ArgumentType *arguments;
  std::size_t argumentCount;
  /// The element type that distinguishes Kernel<bf16> from Kernel<f32>, if it
  /// has one.
  bool hasType;
  isa::DType dtype;
  const void *kernel;
  void (*describe)(const void *kernel, Signature &signature);
  /// `values` has one view per argument; an absent argument has none. Null if
  /// it is not compiled.
  void (*run)(const void *kernel, Recording &recording, const ViewRef *values);
  KernelReference reference;
};

/// `with` creates a kernel with its default parameters and passes it to `use`.
/// It is null if the variant is not compiled, see KILN_COMPILED_TYPE.
struct KernelVariant {
  bool hasType;
  isa::DType dtype;
  void (*with)(void (*use)(const KernelObject &object, void *context),
               void *context);
};

} // namespace dsl

/// Parameter values by name; dashes and underscores are equivalent.
struct ParameterValues;
struct DoublesOfLaunch;
struct Core;

/// One exported kernel. `dtype` is one of its parameters when it has variants.
/// The functions are defined in kiln/record.h.
struct KernelEntry {
  const char *name;
  const char *file;
  const dsl::KernelVariant *variants;
  std::size_t variantCount;
  const KernelEntry *next;

  auto summary() const;
  auto parameters() const;
  /// The arguments for these parameter values. Throws RecordError.
  auto arguments(const ParameterValues &values) const;
  /// Runs the kernel and returns what it recorded. Throws RecordError.
  program::Program record(const ParameterValues &values,
                          const Core &core) const;
  program::Program record(const ParameterValues &values) const;
  /// True if the kernel has its own reference.
  bool hasReference(const ParameterValues &values) const;
  /// Runs that reference: it computes the outputs of all ranks from the inputs.
  void runReference(const ParameterValues &values,
                    const DoublesOfLaunch &ranks) const;
};

struct KernelTable {
  std::uint32_t abiVersion;
  const KernelEntry *first;
  dsl::Thrower *thrower; ///< The program that loads the table sets it.
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
